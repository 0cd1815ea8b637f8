//! Help, manual pages and completions.

use super::World;

/// Every command and subcommand, as arguments.
fn commands() -> Vec<Vec<String>> {
    fn walk(command: &clap::Command, path: &[String], all: &mut Vec<Vec<String>>) {
        for sub in command.get_subcommands().filter(|s| s.get_name() != "help") {
            let path = [path, &[sub.get_name().to_owned()]].concat();
            all.push(path.clone());
            walk(sub, &path, all);
        }
    }
    let mut all = vec![vec![]];
    walk(&newsfed::cli::command(), &[], &mut all);
    all
}

#[test]
fn help_of_every_command_matches_the_snapshot() {
    let world = World::usual();
    for path in commands() {
        let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
        args.push("--help");
        let help = world.run(&args).ok();
        assert!(help.lines().all(|l| l.chars().count() <= 100), "{path:?}: {help}");
        let nested = path.len() > 1 || path == ["demo"];
        assert!(nested || help.contains("Examples:"), "{path:?} has no examples");
        insta::assert_snapshot!(["help", &path.join("-")].join("-").trim_end_matches('-'), help);
    }
    assert!(world.run(&["-h"]).ok().lines().count() <= 64, "the short help stays short");
}

/// Every command, with its name and those of the commands above it.
fn definitions(command: &clap::Command, path: &str, all: &mut Vec<(String, clap::Command)>) {
    all.push((path.to_owned(), command.clone()));
    for sub in command.get_subcommands() {
        definitions(sub, &format!("{path} {}", sub.get_name()), all);
    }
}

#[test]
fn help_fits_into_80_columns() {
    let mut all = vec![];
    definitions(&newsfed::cli::command(), "newsfed", &mut all);
    for (path, command) in all {
        let texts = [command.get_after_help(), command.get_after_long_help()];
        let about = command.get_long_about().map(ToString::to_string);
        for text in texts.into_iter().flatten().map(ToString::to_string).chain(about) {
            for line in text.lines() {
                assert!(line.chars().count() < 80, "{path} is cut at 80 columns: {line}");
            }
        }
        // Those of `sources edit` are the descriptions of the settings.
        let described = path == "newsfed sources edit";
        for option in command.get_arguments().filter(|_| !described) {
            let help = option.get_help().map(ToString::to_string).unwrap_or_default();
            let help = help.split(" [default").next().unwrap();
            let length = help.chars().count();
            assert!(length <= 75, "{path}, {}: one short sentence, not {length}", option.get_id());
        }
    }
}

#[test]
fn manual_pages_exist_for_every_command() {
    let world = World::usual();
    let page = world.run(&["man"]).ok().replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!("man", page);
    for path in commands().iter().filter(|p| p.len() == 1) {
        let page = world.run(&["man", &path[0]]).ok();
        assert!(page.contains(&format!(".TH newsfed-{} 1", path[0])), "{page}");
    }
}

#[test]
fn completions_include_every_command() {
    let world = World::usual();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = world.run(&["completions", shell]).ok();
        for path in commands().iter().filter(|p| p.len() == 1) {
            assert!(text.contains(&path[0]), "{shell} knows {path:?}");
        }
    }
}

#[test]
fn bash_completes_names_and_runs_nothing_in_them() {
    let world = World::followed();
    world.write(
        "config.toml",
        "[[view]]\nname = \"Big $(touch hacked) `touch hacked`\"\nquery = \"x\"\n\n\
         [[rule]]\nname = \"No football\"\nquery = \"football\"\ndo = [\"hide\"]\n",
    );
    let id = world.run(&["sources", "--json"]).values()[0]["id"].as_str().unwrap().to_owned();
    let start = &id[..id.len() - 8];
    world.run(&["sources", "edit", &id, "--folder", "Tech/A b", "--tags", "it's"]).ok();
    let script = world.path().join("newsfed.bash");
    std::fs::write(&script, world.run(&["completions", "bash"]).ok()).unwrap();
    for (words, expected) in [
        (&["list", "--source", start][..], id.as_str()),
        (&["list", "--folder", "Te"], "Tech/A\\ b"),
        (&["list", "--tag", ""], "it\\'s"),
        (&["list", "--view", "Big"], "Big\\ \\$\\(touch\\ hacked\\)\\ \\`touch\\ hacked\\`"),
        (&["sources", "show", start], id.as_str()),
        (&["rules", "test", "No"], "No\\ football"),
        (&["rules", "test", "none"], ""),
        (&["sync", "--fo"], "--force"),
    ] {
        let run = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
                   _newsfed_with_names \"$1\" \"${COMP_WORDS[COMP_CWORD]}\" \
                   \"${COMP_WORDS[COMP_CWORD-1]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
        let mut command = std::process::Command::new("bash");
        let of = world.command(&[]);
        for (key, value) in of.get_envs() {
            command.env(key, value.unwrap_or_default());
        }
        command.current_dir(world.path());
        command.args(["-c", run, "bash"]).arg(&script).arg(env!("CARGO_BIN_EXE_newsfed"));
        let done = command.args(words).output().unwrap();
        let found = String::from_utf8(done.stdout).unwrap();
        assert_eq!(found.trim_end(), expected, "{words:?}: {:?}", String::from_utf8(done.stderr));
    }
    assert!(!world.path().join("hacked").exists());
}
