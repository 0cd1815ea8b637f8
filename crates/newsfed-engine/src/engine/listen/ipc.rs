//! mpv's JSON IPC: lines of JSON over a socket. The amount of data from a player is limited, and lines that
//! are not events are ignored.

use crate::model::{Chapter, seconds};
use crate::util::text::line;
use serde_json::{Value, json};
use std::path::Path;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Maximum length of a line, in bytes; the rest of a longer line is ignored.
const MAX_LINE: usize = 256 << 10;
/// Maximum number of bytes without a newline before the player is considered unusable.
const MAX_SILENCE: usize = 16 << 20;
/// Maximum number of chapters in an episode.
const MAX_CHAPTERS: usize = 500;

/// Why playback has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// The end of the file was reached.
    Complete,
    /// The player was closed or has exited.
    Closed,
    Failed(String),
}

/// A message from a player.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PlayerEvent {
    /// The playback position in seconds.
    Position(f64),
    /// The length of the episode in seconds.
    Length(f64),
    Paused(bool),
    Chapters(Vec<Chapter>),
    Ended(Ending),
    Other,
}

/// The observed properties.
const OBSERVED: [&str; 4] = ["time-pos", "duration", "pause", "chapter-list"];

type Reading = Box<dyn AsyncRead + Send + Unpin>;
type Writing = Box<dyn AsyncWrite + Send + Unpin>;

#[cfg(unix)]
async fn open(path: &Path) -> std::io::Result<(Reading, Writing)> {
    let (reader, writer) = tokio::net::UnixStream::connect(path).await?.into_split();
    Ok((Box::new(reader), Box::new(writer)))
}

/// On other systems, episodes are opened without controlling the player.
#[cfg(not(unix))]
async fn open(_: &Path) -> std::io::Result<(Reading, Writing)> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// A connection to a player.
pub(super) struct Ipc {
    reader: Reading,
    writer: Writing,
    /// Received bytes that do not form a complete line yet.
    waiting: Vec<u8>,
    /// Number of bytes discarded from a line that is too long.
    surplus: usize,
}

impl Ipc {
    /// Connects and observes the properties.
    pub(super) async fn connect(path: &Path) -> std::io::Result<Self> {
        let (reader, writer) = open(path).await?;
        let mut ipc = Self { reader, writer, waiting: Vec::new(), surplus: 0 };
        for (number, name) in OBSERVED.iter().enumerate() {
            // A player that has closed the connection may have sent messages first. They are still read.
            if ipc.command(&json!(["observe_property", number + 1, name])).await.is_err() {
                break;
            }
        }
        Ok(ipc)
    }

    pub(super) async fn command(&mut self, command: &Value) -> std::io::Result<()> {
        let line = json!({ "command": command }).to_string() + "\n";
        self.writer.write_all(line.as_bytes()).await
    }

    /// The next event. Cancel-safe: dropping the future loses no data.
    pub(super) async fn next(&mut self) -> PlayerEvent {
        loop {
            if let Some(end) = self.waiting.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.waiting.drain(..=end).collect();
                let whole = std::mem::take(&mut self.surplus) == 0;
                return if whole { event(&line) } else { PlayerEvent::Other };
            }
            if self.waiting.len() > MAX_LINE {
                self.surplus += self.waiting.len();
                self.waiting.clear();
            }
            if self.surplus > MAX_SILENCE {
                let why = "the player's response cannot be parsed".to_owned();
                return PlayerEvent::Ended(Ending::Failed(why));
            }
            let mut buffer = [0; 8192];
            match self.reader.read(&mut buffer).await {
                Ok(count @ 1..) => self.waiting.extend_from_slice(&buffer[..count]),
                Ok(0) | Err(_) => return PlayerEvent::Ended(Ending::Closed),
            }
        }
    }
}

/// Parses the event in a line.
fn event(line: &[u8]) -> PlayerEvent {
    let Ok(value) = serde_json::from_slice::<Value>(line) else { return PlayerEvent::Other };
    match value["event"].as_str() {
        Some("property-change") => property(&value).unwrap_or(PlayerEvent::Other),
        Some("end-file") => ending(&value).map_or(PlayerEvent::Other, PlayerEvent::Ended),
        Some("shutdown") => PlayerEvent::Ended(Ending::Closed),
        _ => PlayerEvent::Other,
    }
}

fn property(value: &Value) -> Option<PlayerEvent> {
    let data = &value["data"];
    Some(match value["name"].as_str()? {
        "time-pos" => PlayerEvent::Position(seconds(data.as_f64()?.max(0.0))?),
        "duration" => PlayerEvent::Length(seconds(data.as_f64()?).filter(|length| *length > 0.0)?),
        "pause" => PlayerEvent::Paused(data.as_bool()?),
        "chapter-list" => {
            let chapters = data.as_array()?.iter().take(MAX_CHAPTERS).filter_map(chapter);
            PlayerEvent::Chapters(chapters.collect())
        }
        _ => return None,
    })
}

fn chapter(value: &Value) -> Option<Chapter> {
    // If the sound starts late, the first chapter starts slightly before zero.
    let start = value["time"].as_f64().filter(|start| *start > -1.0)?.max(0.0);
    let start = seconds(start)?;
    Some(Chapter { start: start as u64, title: line(value["title"].as_str().unwrap_or_default()) })
}

fn ending(value: &Value) -> Option<Ending> {
    Some(match value["reason"].as_str()? {
        "eof" => Ending::Complete,
        "error" => {
            let why = value["file_error"].as_str().map(line).unwrap_or_default();
            Ending::Failed(format!("the file cannot be played: {why}"))
        }
        // This happens, for example, when a playlist redirects to its file.
        "redirect" => return None,
        _ => Ending::Closed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_impossible_events() {
        let property = |name: &str, data: &str| {
            let line =
                format!("{{\"event\":\"property-change\",\"name\":\"{name}\",\"data\":{data}}}\n");
            event(line.as_bytes())
        };
        for (name, data, expected) in [
            ("time-pos", "12.5", PlayerEvent::Position(12.5)),
            ("time-pos", "-0.02", PlayerEvent::Position(0.0)),
            ("time-pos", "null", PlayerEvent::Other),
            ("time-pos", "NaN", PlayerEvent::Other),
            ("time-pos", "Infinity", PlayerEvent::Other),
            ("time-pos", "1e308", PlayerEvent::Other),
            ("time-pos", "1e999", PlayerEvent::Other),
            ("time-pos", "\"12\"", PlayerEvent::Other),
            ("duration", "3120", PlayerEvent::Length(3120.0)),
            ("duration", "0", PlayerEvent::Other),
            ("duration", "-5", PlayerEvent::Other),
            ("pause", "true", PlayerEvent::Paused(true)),
            ("pause", "1", PlayerEvent::Other),
            ("volume", "100", PlayerEvent::Other),
            ("chapter-list", "{}", PlayerEvent::Other),
            (
                "chapter-list",
                "[{\"time\":-0.025,\"title\":\"o\"},{\"title\":\"a\\u001b[31mb\",\"time\":61.9},{\"time\":-1},{\"title\":\"c\"},7]",
                PlayerEvent::Chapters(vec![
                    Chapter { start: 0, title: "o".to_owned() },
                    Chapter { start: 61, title: "ab".to_owned() },
                ]),
            ),
        ] {
            assert_eq!(property(name, data), expected, "{name} {data}");
        }
        let many = format!("[{}]", vec!["{\"time\":1}"; 2000].join(","));
        let PlayerEvent::Chapters(chapters) = property("chapter-list", &many) else { panic!() };
        assert_eq!(chapters.len(), MAX_CHAPTERS);
        let deep = "[".repeat(100_000);
        for (line, expected) in [
            ("{\"event\":\"end-file\",\"reason\":\"eof\"}", PlayerEvent::Ended(Ending::Complete)),
            ("{\"event\":\"end-file\",\"reason\":\"quit\"}", PlayerEvent::Ended(Ending::Closed)),
            ("{\"event\":\"end-file\",\"reason\":\"redirect\"}", PlayerEvent::Other),
            (
                "{\"event\":\"end-file\",\"reason\":\"error\",\"file_error\":\"no\\u0007\"}",
                PlayerEvent::Ended(Ending::Failed("the file cannot be played: no".to_owned())),
            ),
            ("{\"event\":7}", PlayerEvent::Other),
            ("garbage", PlayerEvent::Other),
            (deep.as_str(), PlayerEvent::Other),
            ("\u{0}", PlayerEvent::Other),
        ] {
            assert_eq!(event(line.as_bytes()), expected, "{:.80}", line);
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn ignores_long_lines_and_closes_endless_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let listener = tokio::net::UnixListener::bind(&path).unwrap();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let long = vec![b'x'; 3 * MAX_LINE];
            stream.write_all(&long).await.unwrap();
            let good = "\n{\"event\":\"property-change\",\"name\":\"pause\",\"data\":true}\n";
            stream.write_all(good.as_bytes()).await.unwrap();
            // Sends data until the connection is closed.
            while stream.write_all(&long).await.is_ok() {}
        });
        let mut ipc = Ipc::connect(&path).await.unwrap();
        assert_eq!(ipc.next().await, PlayerEvent::Other);
        assert_eq!(ipc.next().await, PlayerEvent::Paused(true));
        assert!(matches!(ipc.next().await, PlayerEvent::Ended(Ending::Failed(_))));
        assert!(ipc.waiting.capacity() <= 4 * MAX_LINE);
        drop(ipc);
        server.await.unwrap();
    }
}
