//! Help, manual pages and completions.

use super::World;

/// All commands and subcommands, as arguments.
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

/// Collects all commands, each with its full name.
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
        // The help of `sources edit` consists of the descriptions of the settings.
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
    let folder = world.path().join("man");
    world.run(&["man", "--dir", folder.to_str().unwrap()]).ok();
    for path in commands() {
        let name = [&["newsfed".to_owned()][..], &path].concat().join("-");
        let file = folder.join(format!("man1/{name}.1"));
        let written = std::fs::read_to_string(&file).unwrap();
        assert!(written.contains(&format!("\n.TH {name} 1 ")), "{written}");
        let args: Vec<&str> = ["man"].into_iter().chain(path.iter().map(String::as_str)).collect();
        assert_eq!(world.run(&args).ok(), written, "{name}");
        let mut command = newsfed::cli::command();
        let command = path
            .iter()
            .fold(&mut command, |command, name| command.find_subcommand_mut(name).unwrap());
        for option in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let long = option.get_long().unwrap_or_default().replace('-', "\\-");
            assert!(written.contains(&long), "{name}: {long}");
        }
    }
    let files = |section: &str| std::fs::read_dir(folder.join(section)).unwrap().count();
    assert_eq!((files("man1"), files("man5"), files("man7")), (commands().len(), 2, 1));
    for (name, file) in [
        (&["newsfed-query"][..], "man7/newsfed-query.7"),
        (&["newsfed-config(5)"], "man5/newsfed-config.5"),
        (&["5", "newsfed-config"], "man5/newsfed-config.5"),
        (&["newsfed-sources.5"], "man5/newsfed-sources.5"),
    ] {
        let written = std::fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(world.run(&[&["man"], name].concat()).ok(), written);
    }
    assert_eq!(world.run(&["man", "nothing"]).code, Some(2));
}

#[test]
fn completions_include_every_command() {
    let world = World::usual();
    for shell in ["bash", "zsh", "fish", "nushell", "elvish", "powershell"] {
        let text = world.run(&["completions", shell]).ok();
        for path in commands().iter().filter(|p| p.len() == 1) {
            assert!(text.contains(&path[0]), "{shell} knows {path:?}");
        }
        assert!(!text.contains("newsfed-names"), "{shell}: every marker is replaced");
    }
}

#[cfg(unix)]
#[test]
fn shows_manual_pages_with_man_in_a_terminal() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;
    let world = World::usual();
    let man = world.path().join("bin/man");
    std::fs::create_dir(man.parent().unwrap()).unwrap();
    let run = |installed: bool| {
        let script = "#!/bin/sh\necho \"shown: ${1##*/} $(grep -c TH \"$1\")\"\n";
        if installed {
            std::fs::write(&man, script).unwrap();
            std::fs::set_permissions(&man, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_newsfed"));
        command.args(["man", "sources", "show"]);
        let folder = man.parent().unwrap().display();
        let path = if installed { format!("{folder}:/usr/bin:/bin") } else { folder.to_string() };
        command.env("PATH", path);
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            shown.extend_from_slice(&buffer[..n]);
        }
        assert!(child.wait().unwrap().success());
        String::from_utf8(shown).unwrap()
    };
    assert!(run(false).contains(".TH newsfed-sources-show 1 "), "without man");
    assert_eq!(run(true).trim(), "shown: newsfed-sources-show.1 1");
}
