//! Secrets from environment variables and commands. They are never printed: errors name only the
//! variable or the command.

use crate::model::Secret;
use std::collections::HashMap;
use std::fmt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::sync::Mutex;

/// Time limit for a command that prints a secret.
const COMMAND_TIME: Duration = Duration::from_secs(10);
/// Bytes of its output that are read.
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
}

/// The first line that a command prints. It gets no terminal, because the TUI uses it.
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
    async fn values() {
        let secrets = Secrets::default();
        let cases = [
            (Secret::Plain("p".into()), Ok("p")),
            (Secret::Env("CARGO_PKG_NAME".into()), Ok("newsfed")),
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
        assert!(!format!("{secrets:?}").contains("line one"));
    }

    #[tokio::test]
    async fn runs_a_command_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("echo x >> {0}/runs; cat {0}/runs | tail -1", folder.path().display());
        let (secrets, secret) = (Secrets::default(), command(&["sh", "-c", &script]));
        let (a, b) = tokio::join!(secrets.look_up(&secret), secrets.look_up(&secret));
        assert_eq!((a.unwrap().as_ref(), b.unwrap().as_ref()), ("x", "x"));
        assert_eq!(std::fs::read_to_string(folder.path().join("runs")).unwrap(), "x\n");
    }
}
