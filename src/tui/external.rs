//! Programs that use the terminal temporarily: the editor and pipe commands.

use crate::config::{Paths, SourcesFile};
use crate::model::SourceId;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Editors that accept a line number as `+12`.
const TAKES_A_LINE: [&str; 12] = [
    "vi",
    "vim",
    "nvim",
    "view",
    "nano",
    "pico",
    "emacs",
    "emacsclient",
    "kak",
    "joe",
    "mg",
    "micro",
];

/// Opens `sources.toml` at a source in `$VISUAL` or `$EDITOR`.
pub(super) fn edit_source(paths: &Paths, id: &SourceId) -> Result<(), String> {
    let (file, line) = SourcesFile::open(paths).line_of(id).map_err(|e| e.to_string())?;
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.trim().is_empty())
        .unwrap_or_else(|| "vi".to_owned());
    let words = shlex::split(&editor).filter(|w| !w.is_empty());
    let Some(words) = words else {
        return Err(format!("$EDITOR is not a valid command: {editor}"));
    };
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    let name = Path::new(&words[0]).file_stem().and_then(|n| n.to_str()).unwrap_or_default();
    if TAKES_A_LINE.contains(&name) {
        command.arg(format!("+{line}"));
    }
    let status = command
        .arg(&file)
        .status()
        .map_err(|e| format!("{}: {e}. Set $EDITOR to your editor", words[0]))?;
    if status.success() { Ok(()) } else { Err(format!("{} exited with {status}", words[0])) }
}

/// Pipes a text to a shell command and waits for Enter, so that the user can read its output.
pub(super) fn pipe(command: &str, text: &str) -> Result<String, String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|e| format!("sh: {e}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // The command may exit without reading all of its input.
        let _ = stdin.write_all(text.as_bytes());
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    let mut out = io::stdout();
    let _ = write!(out, "\n[{command}: {status}] Press Enter to go back ");
    let _ = out.flush();
    let _ = io::stdin().lock().read_line(&mut String::new());
    if status.success() {
        Ok(format!("{command}: done"))
    } else {
        Err(format!("{command}: {status}"))
    }
}
