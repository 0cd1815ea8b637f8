//! Programs configured with `[[command]]`.

use super::World;
use serde_json::Value;

fn with_commands(config: &str) -> World {
    let world = World::followed();
    world.write("config.toml", config);
    world
}

#[test]
fn programs_receive_their_arguments_without_a_shell() {
    let world = with_commands(
        "[[command]]\nname = \"count\"\nrun = [\"sh\", \"-c\", \"echo $#: $1; cat\", \"x\", \"{url}\", \"{title}\"]\n\
         input = \"json\"\noutput = \"window\"\n",
    );
    let numbers = world.numbers();
    let run = world.run(&["run", "Count", &numbers[0]]);
    let printed = run.ok();
    let (first, json) = printed.split_once('\n').unwrap();
    assert_eq!(first, "2: http://site.example/0");
    let item: Value = serde_json::from_str(json).unwrap();
    assert_eq!(item["number"].to_string(), numbers[0]);
    assert!(item["title"].is_string() && item["source_title"].is_string(), "{item}");
    super::output_schema::check("Item for a command", &[item]);
    world.run(&["run", "--json", "count", &numbers[0]]);
    let listed = world.run(&["run", "--json"]).ok();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!((&listed["name"], &listed["input"]), (&"count".into(), &"json".into()));
}

#[test]
fn reports_the_number_and_reason_of_failures() {
    let world = with_commands(
        "[[command]]\nname = \"half\"\nrun = [\"sh\", \"-c\", \"test $1 = http://site.example/0 || { echo no >&2; exit 4; }\", \"x\", \"{url}\"]\n\
         [[command]]\nname = \"missing\"\nrun = [\"/no/such/program\"]\n\
         [[command]]\nname = \"slow\"\nrun = [\"sleep\", \"600\"]\nlimit = \"1s\"\n\
         [[command]]\nname = \"here\"\nrun = [\"sh\", \"-c\", \"exit 1\"]\noutput = \"terminal\"\n",
    );
    let numbers = world.numbers();
    let all: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let run = world.run(&[&["run", "half"], all.as_slice()].concat());
    assert_eq!(run.code, Some(3), "{run:?}");
    let failed = "half failed for 1 item: exit status: 4: no";
    assert!(run.err.contains(failed), "{run:?}");
    for (name, why) in [
        ("missing", "missing failed for 1 item: /no/such/program cannot be started"),
        ("slow", "slow failed for 1 item: stopped at its time limit of 1 s"),
        ("here", "here failed for 1 item: exit status: 1"),
        ("halff", "did you mean \"half\""),
    ] {
        let run = world.run(&["run", name, &numbers[0]]);
        assert!(run.code == Some(1) && run.err.contains(why), "{run:?}");
    }
    let run = world.run(&["run", "half"]);
    assert!(run.code == Some(1) && run.err.contains("no items given"), "{run:?}");
}

#[test]
fn warns_about_invalid_commands() {
    let world = with_commands("[[command]]\nname = \"linkding\"\n");
    let warning = "config.toml:1:1: command.run: is missing";
    for args in [&["run", "linkding", "1"][..], &["run"]] {
        let run = world.run(args);
        assert!(run.err.starts_with("warning: ") && run.err.contains(warning), "{run:?}");
        assert!(run.err.contains("no valid [[command]]"), "{run:?}");
    }
    world.write("config.toml", "");
    let run = world.run(&["run"]);
    assert_eq!(run.err, "no [[command]] in config.toml\n");
}

#[test]
fn ctrl_c_reaches_only_the_program_in_the_terminal() {
    let world = with_commands(
        "[[command]]\nname = \"here\"\nrun = [\"sh\", \"-c\", \"kill -INT $PPID; echo $1\", \"x\", \"{url}\"]\n\
         output = \"terminal\"\n\
         [[command]]\nname = \"interrupted\"\nrun = [\"sh\", \"-c\", \"kill -INT $$\"]\noutput = \"terminal\"\n",
    );
    let numbers = world.numbers();
    let all: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let run = world.run(&[&["run", "here"], all.as_slice()].concat());
    assert_eq!(run.ok().lines().count(), all.len());
    let run = world.run(&[&["run", "interrupted"], all.as_slice()].concat());
    let left = format!("not run for {}", newsfed::util::text::counted(all.len() - 1, "item"));
    assert!(run.code == Some(1) && run.err.contains(&left), "{run:?}");
}
