//! Runs the completion scripts in their shells, with names that would do harm if they were evaluated.

#![allow(clippy::print_stdout, reason = "says which shell is missing")]

use super::World;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HOSTILE: &str = "Big $(touch hacked) `touch hacked`; touch hacked";

/// A world with source names, and with newsfed in the `PATH`.
struct Shells {
    world: World,
    id: String,
}

impl Shells {
    fn new() -> Self {
        let world = World::followed();
        world.write(
            "config.toml",
            &format!(
                "[[view]]\nname = {HOSTILE:?}\nquery = \"x\"\n\n\
                 [[view]]\nname = \"Rust's \\\"best\\\"\"\nquery = \"rust\"\n\n\
                 [[view]]\nname = \"Work: my news\"\nquery = \"work\"\n\n\
                 [[rule]]\nname = \"No football\"\nquery = \"football\"\ndo = [\"hide\"]\n\n\
                 [[command]]\nname = \"linkding\"\nrun = [\"linkding\"]\n"
            ),
        );
        let id = world.run(&["sources", "--json"]).values()[0]["id"].as_str().unwrap().to_owned();
        world.run(&["sources", "edit", &id, "--folder", "Tech/A b", "--tags", "it's"]).ok();
        let bin = world.path().join("bin");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_newsfed"), bin.join("newsfed")).unwrap();
        Self { world, id }
    }

    /// Writes the completion script for a shell to a file.
    fn script(&self, shell: &str) -> PathBuf {
        let path = self.world.path().join(format!("script.{shell}"));
        fs::write(&path, self.world.run(&["completions", shell]).ok()).unwrap();
        path
    }

    fn home(&self) -> &Path {
        self.world.path()
    }

    /// The environment of the shells, with newsfed in the `PATH`.
    fn variables(&self) -> Vec<(OsString, OsString)> {
        let command = self.world.command(&[]);
        let set = command.get_envs().filter_map(|(key, value)| Some((key.into(), value?.into())));
        let path =
            format!("{}:{}", self.home().join("bin").display(), std::env::var("PATH").unwrap());
        let own = [("PATH", path.as_str()), ("TERM", "dumb"), ("LC_ALL", "C.UTF-8")];
        set.chain(own.map(|(key, value)| (key.into(), value.into()))).collect()
    }

    /// The output of a program. If the program is not installed, prints a note and returns `None`.
    fn run(&self, program: &str, args: &[&str]) -> Option<String> {
        let mut command = Command::new(program);
        command.envs(self.variables());
        command.current_dir(self.home()).args(args).stdin(Stdio::null());
        match command.output() {
            Ok(done) => {
                let errors = String::from_utf8_lossy(&done.stderr).into_owned();
                assert_eq!(errors, "", "{program} {args:?}");
                Some(String::from_utf8(done.stdout).unwrap())
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let required = std::env::var_os("NEWSFED_CHECK_ALL").is_some() && program != "nu";
                assert!(!required, "{program} is not installed");
                println!("skipped: {program} is not installed");
                None
            }
            Err(e) => panic!("{program}: {e}"),
        }
    }
}

impl Drop for Shells {
    fn drop(&mut self) {
        assert!(std::thread::panicking() || !self.world.path().join("hacked").exists());
    }
}

#[test]
fn lists_names_one_per_line() {
    let shells = Shells::new();
    let names = |kind: &str| shells.world.run(&["completions", "--names", kind]).ok();
    assert_eq!(names("views"), format!("{HOSTILE}\nRust's \"best\"\nWork: my news\n"));
    assert_eq!(names("rules"), "No football\n");
    assert_eq!(names("commands"), "linkding\n");
    assert_eq!(names("accounts"), "");
    assert_eq!(names("folders"), "Tech/A b\n");
    assert_eq!(names("tags"), "it's\n");
    assert!(names("sources").lines().any(|line| line == shells.id));
}

#[test]
fn bash_completes_names_and_runs_nothing_in_them() {
    let shells = Shells::new();
    let script = shells.script("bash");
    let start = &shells.id[..shells.id.len() - 8];
    let id = shells.id.as_str();
    let view = "Big\\ \\$\\(touch\\ hacked\\)\\ \\`touch\\ hacked\\`\\;\\ touch\\ hacked";
    for (words, expected) in [
        (&["list", "--source", start][..], id),
        (&["list", "--source", "=", start], id),
        (&["list", "--folder", "Te"], "Tech/A\\ b"),
        (&["list", "--folder", "Tech/A\\ "], "Tech/A\\ b"),
        (&["list", "--folder", "\"Tech/A "], "Tech/A b"),
        (&["list", "--tag", ""], "it\\'s"),
        (&["list", "--tag", "'it"], ""),
        (&["list", "--view", "Big"], view),
        (&["list", "--view", "\"Big"], ""),
        (&["--data-dir", "x", "list", "-v", "--view", "Ru"], "Rust\\'s\\ \\\"best\\\""),
        (&["sources", "show", start], id),
        (&["sources", "show", "other", start], id),
        (&["sync", start], id),
        (&["rules", "test", "No"], "No\\ football"),
        (&["rules", "test", "none"], ""),
        (&["run", "li"], "linkding"),
        (&["run", "linkding", "li"], ""),
        (&["tag", "it"], "it\\'s"),
        (&["views", "remove", "Ru"], "Rust\\'s\\ \\\"best\\\""),
        (&["views", "add", "Ru"], ""),
        // bash splits words at colons, and replaces only the text after the last colon.
        (&["list", "--view", "Work", ":"], "\\ my\\ news"),
        (&["list", "--view", "Work", ":", "\\ my"], "\\ my\\ news"),
        (&["list", "--view", "Work", ":", "x"], ""),
        (&["views", "remove", "Wo"], "Work:\\ my\\ news"),
        // Here `--fo` is an abbreviated flag, but in another command it is an option with a value.
        (&["prune", "--apply", "--fo"], ""),
        (&["schedule", "advise", "--apply", start], id),
        (&["sync", "--forc"], "--force"),
        (&["sync", "--folder", "Te"], "Tech/A\\ b"),
        (&["sync", "--folder", "Te", "--tag", "it"], "it\\'s"),
    ] {
        let run = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_WORDBREAKS=$' :='; COMP_CWORD=$(($# - 1)); \
                   _newsfed_with_names \"$1\" \"${COMP_WORDS[COMP_CWORD]}\" \
                   \"${COMP_WORDS[COMP_CWORD-1]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
        let mut args = vec!["-c", run, "bash", script.to_str().unwrap(), "newsfed"];
        args.extend(words);
        let Some(found) = shells.run("bash", &args) else { return };
        assert_eq!(found.trim_end(), expected, "{words:?}");
    }
}

/// Tab completes, prints the line and clears it. One key does all of this, because keys typed while zsh is
/// completing can cancel the completion.
const ZSHRC: &str = "PS1='READY> '\nautoload -Uz compinit; compinit -D -u\nsource ./script.zsh\n\
    show() { zle expand-or-complete; zle -I; print -r -- \"<<$BUFFER>>\"; BUFFER= }\n\
    zle -N show\nbindkey '^I' show\n";

/// Reads the terminal output until it ends with this text.
fn read_until(terminal: &mut dyn std::io::Read, end: &str) -> String {
    let (mut shown, mut byte) = (Vec::new(), [0]);
    while !shown.ends_with(end.as_bytes()) {
        assert_eq!(terminal.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&shown));
        shown.push(byte[0]);
    }
    String::from_utf8_lossy(&shown).into_owned()
}

#[test]
fn zsh_completes_names_and_runs_nothing_in_them() {
    let shells = Shells::new();
    shells.script("zsh");
    if shells.run("zsh", &["-f", "-c", "true"]).is_none() {
        return;
    }
    fs::write(shells.home().join(".zshrc"), ZSHRC).unwrap();
    let size = PtySize { rows: 24, cols: 200, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new("zsh");
    command.args(["-d", "-i"]);
    for (key, value) in shells.variables() {
        command.env(key, value);
    }
    command.env("ZDOTDIR", shells.home());
    command.cwd(shells.home());
    let mut zsh = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut screen = pair.master.try_clone_reader().unwrap();
    let mut keys = pair.master.take_writer().unwrap();
    let start = &shells.id[..shells.id.len() - 8];
    let id = shells.id.as_str();
    let view = "Big\\ \\$\\(touch\\ hacked\\)\\ \\`touch\\ hacked\\`\\;\\ touch\\ hacked";
    for (typed, expected) in [
        (format!("newsfed list --source {start}"), format!("newsfed list --source {id} ")),
        ("newsfed list --folder Te".to_owned(), "newsfed list --folder Tech/A\\ b ".to_owned()),
        ("newsfed list --view Big".to_owned(), format!("newsfed list --view {view} ")),
        ("newsfed tag it".to_owned(), "newsfed tag it\\'s ".to_owned()),
        (format!("newsfed sources show x {start}"), format!("newsfed sources show x {id} ")),
        ("newsfed rules test No".to_owned(), "newsfed rules test No\\ football ".to_owned()),
        ("newsfed sync --forc".to_owned(), "newsfed sync --force ".to_owned()),
    ] {
        read_until(&mut screen, "READY> ");
        keys.write_all(format!("{typed}\t").as_bytes()).unwrap();
        let shown = read_until(&mut screen, ">>");
        assert_eq!(shown.split("<<").nth(1), Some(&*format!("{expected}>>")), "{typed}");
    }
    keys.write_all(b"exit\r").unwrap();
    zsh.wait().unwrap();
}

#[test]
fn fish_completes_names_and_runs_nothing_in_them() {
    let shells = Shells::new();
    let script = shells.script("fish");
    let start = &shells.id[..shells.id.len() - 8];
    let id = shells.id.as_str();
    for (line, expected) in [
        (format!("newsfed list --source {start}"), id),
        ("newsfed list --folder Te".to_owned(), "Tech/A b"),
        ("newsfed list --tag ''".to_owned(), "it's"),
        ("newsfed list --view Big".to_owned(), HOSTILE),
        ("newsfed list --view=Big".to_owned(), &format!("--view={HOSTILE}")),
        (format!("newsfed sources show {start}"), id),
        (format!("newsfed sources show other {start}"), id),
        (format!("newsfed --data-dir x sync -v {start}"), id),
        ("newsfed rules test No".to_owned(), "No football"),
        ("newsfed run li".to_owned(), "linkding"),
        ("newsfed run linkding li".to_owned(), ""),
        ("newsfed tag it".to_owned(), "it's"),
        ("newsfed views remove Ru".to_owned(), "Rust's \"best\""),
        ("newsfed views add Ru".to_owned(), ""),
    ] {
        let run = "source $argv[1]; complete --do-complete $argv[2]";
        let args = ["--no-config", "-c", run, script.to_str().unwrap(), &line];
        let Some(found) = shells.run("fish", &args) else { return };
        let values = found.lines().map(|line| line.split('\t').next().unwrap());
        assert_eq!(values.collect::<Vec<_>>().join("\n"), expected, "{line}");
    }
}

#[test]
fn nushell_completes_names_and_runs_nothing_in_them() {
    let shells = Shells::new();
    let script = fs::read_to_string(shells.script("nushell")).unwrap();
    let start = &shells.id[..shells.id.len() - 8];
    let view = format!("\"\"{HOSTILE}\"\"");
    for (line, expected) in [
        (format!("newsfed list --source {start}"), shells.id.as_str()),
        ("newsfed list --folder Te".to_owned(), "\"\"Tech/A b\"\""),
        ("newsfed list --view Big".to_owned(), &view),
        ("newsfed views remove Ru".to_owned(), "\"\"Rust's \\\"best\\\"\"\""),
        ("newsfed run li".to_owned(), "\"linkding\""),
    ] {
        let text = format!("{script}\n{line}");
        let (file, end) = (shells.home().join("line.nu"), text.len().to_string());
        fs::write(&file, text).unwrap();
        let args = ["--no-config-file", "--ide-complete", &end, file.to_str().unwrap()];
        let Some(found) = shells.run("nu", &args) else { return };
        assert!(found.contains(expected), "{line}: {found}");
    }
}
