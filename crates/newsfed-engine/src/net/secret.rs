//! Secrets from environment variables and commands. They are never printed: errors name only the
//! variable or the command.

use crate::model::Secret;
use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::sync::Mutex;

/// Time limit for a command that prints a secret.
const COMMAND_TIME: Duration = Duration::from_secs(10);
/// Maximum number of bytes of the command's output that are read.
const MAX_OUTPUT: u64 = 64 * 1024;

/// Why a secret is not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// The variable is not set, or not UTF-8.
    #[error("the environment variable {0} is not set; set it before starting newsfed")]
    Env(String),
    #[error("the command {0} could not be started; check that it is installed")]
    Start(String),
    /// The command failed or printed nothing.
    #[error("the command {0} printed no secret; run it in a terminal to see why")]
    Empty(String),
    #[error("the command {0} printed no secret within 10 seconds")]
    Slow(String),
    /// The file cannot be read, is readable by others, or has an empty first line.
    #[error("the file {path} with a secret cannot be used ({why})")]
    File { path: String, why: String },
}

/// Reads each secret once per process.
#[derive(Default)]
pub(crate) struct Secrets {
    commands: Mutex<HashMap<Vec<String>, Arc<str>>>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(hidden)")
    }
}

impl Secrets {
    /// The value of a secret. A command runs once, even if several callers request it at the same
    /// time.
    pub(crate) async fn look_up(&self, secret: &Secret) -> Result<Arc<str>, SecretError> {
        match secret {
            Secret::Plain(value) => Ok(value.as_str().into()),
            Secret::Env(name) => {
                let value = std::env::var(name).ok().filter(|v| !v.is_empty());
                value.map(Arc::from).ok_or_else(|| SecretError::Env(name.clone()))
            }
            Secret::File(path) => {
                let (path, shown) = (path.clone(), path.display().to_string());
                let unusable = |why: String| SecretError::File { path: shown, why };
                let read = tokio::task::spawn_blocking(move || read_file(&path)).await;
                read.unwrap_or_else(|e| Err(e.to_string())).map(Arc::from).map_err(unusable)
            }
            Secret::Command(argv) => {
                let mut known = self.commands.lock().await;
                if let Some(value) = known.get(argv) {
                    return Ok(value.clone());
                }
                let value: Arc<str> = run(argv).await?.into();
                known.insert(argv.clone(), value.clone());
                Ok(value)
            }
        }
    }

    /// Drops a value that was refused, so that its command runs again; returns whether it was known.
    pub(crate) async fn drop_cached(&self, secret: &Secret) -> bool {
        match secret {
            Secret::Command(argv) => self.commands.lock().await.remove(argv).is_some(),
            Secret::Plain(_) | Secret::Env(_) | Secret::File(_) => false,
        }
    }
}

/// The first line of a file. The error is a message without the name of the file.
fn read_file(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata().map_err(|e| e.to_string())?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err("other users can read it; run chmod 600 on it".to_owned());
        }
    }
    let mut text = String::new();
    file.take(MAX_OUTPUT).read_to_string(&mut text).map_err(|e| e.to_string())?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() { Err("its first line is empty".to_owned()) } else { Ok(line.to_owned()) }
}

/// The first line that a command prints. The command gets no terminal, because the TUI uses it.
async fn run(argv: &[String]) -> Result<String, SecretError> {
    let [program, arguments @ ..] = argv else {
        return Err(SecretError::Start("(empty)".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(arguments).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|_| SecretError::Start(program.clone()))?;
    let empty = || SecretError::Empty(program.clone());
    let output = child.stdout.take().ok_or_else(empty)?;
    let read = async {
        let mut bytes = Vec::new();
        output.take(MAX_OUTPUT).read_to_end(&mut bytes).await.ok()?;
        child.wait().await.ok()?.success().then_some(bytes)
    };
    let read = tokio::time::timeout(COMMAND_TIME, read).await;
    let bytes = read.map_err(|_| SecretError::Slow(program.clone()))?.ok_or_else(empty)?;
    let text = String::from_utf8(bytes).map_err(|_| empty())?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() { Err(empty()) } else { Ok(line.to_owned()) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn command(argv: &[&str]) -> Secret {
        Secret::Command(argv.iter().map(|a| (*a).to_owned()).collect())
    }

    #[tokio::test]
    async fn reads_secrets_and_keeps_them_out_of_errors() {
        let secrets = Secrets::default();
        let cases = [
            (Secret::Plain("p".into()), Ok("p")),
            (Secret::Env("CARGO_PKG_NAME".into()), Ok("newsfed-engine")),
            (command(&["printf", "line one\nline two\n"]), Ok("line one")),
            (
                Secret::Env("NEWSFED_NO_SUCH".into()),
                Err(SecretError::Env("NEWSFED_NO_SUCH".into())),
            ),
            (command(&["true"]), Err(SecretError::Empty("true".into()))),
            (command(&["false"]), Err(SecretError::Empty("false".into()))),
            (command(&[]), Err(SecretError::Start("(empty)".into()))),
            (command(&["/no/such", "hush"]), Err(SecretError::Start("/no/such".into()))),
        ];
        for (secret, want) in cases {
            let got = secrets.look_up(&secret).await;
            assert_eq!(got, want.map(Arc::from), "{secret:?}");
            if let Err(e) = got {
                assert!(!e.to_string().contains("hush"));
            }
        }
        assert_eq!(format!("{secrets:?}"), "Secrets(hidden)");
    }

    #[tokio::test]
    async fn files_that_others_can_read_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        let cases = [
            ("hush\nmore\n", 0o600, Ok("hush")),
            ("hush\n", 0o400, Ok("hush")),
            ("hush\n", 0o644, Err("chmod 600")),
            ("hush\n", 0o620, Err("chmod 600")),
            ("\nhush\n", 0o600, Err("its first line is empty")),
        ];
        for (text, mode, want) in cases {
            let _ = std::fs::remove_file(&path);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let got = Secrets::default().look_up(&Secret::File(path.clone())).await;
            match (got, want) {
                (Ok(got), Ok(want)) => assert_eq!(got.as_ref(), want),
                (Err(got), Err(want)) => {
                    let got = got.to_string();
                    assert!(got.contains(want) && !got.contains("hush"), "{got}");
                }
                (got, want) => panic!("{text:?} {mode:o}: {got:?}, not {want:?}"),
            }
        }
        let missing = Secrets::default().look_up(&Secret::File("/no/such".into())).await;
        assert!(missing.is_err_and(|e| e.to_string().contains("/no/such")));
    }

    #[tokio::test]
    async fn runs_a_command_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("echo x >> {0}/runs; cat {0}/runs | tail -1", folder.path().display());
        let (secrets, secret) = (Secrets::default(), command(&["sh", "-c", &script]));
        let (a, b) = tokio::join!(secrets.look_up(&secret), secrets.look_up(&secret));
        assert_eq!((a.unwrap().as_ref(), b.unwrap().as_ref()), ("x", "x"));
        assert_eq!(std::fs::read_to_string(folder.path().join("runs")).unwrap(), "x\n");
        assert!(secrets.drop_cached(&secret).await && !secrets.drop_cached(&secret).await);
        secrets.look_up(&secret).await.unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("runs")).unwrap(), "x\nx\n");
    }
}
