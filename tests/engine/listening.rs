//! Unresponsive players.

use super::*;
use newsfed::engine::{PlayerCommand, PlayerState};
use newsfed::model::EpisodeKey;
use newsfed::store::Mark;

/// An engine with queued episodes, and a player that records its process id and the played URLs.
async fn listening(home: &mut Home, script: &str) -> (Handle, Vec<EpisodeKey>) {
    let item = |n: u8| {
        format!("<item><guid>{n}</guid><enclosure url=\"/{n}.mp3\" type=\"audio/mpeg\"/></item>")
    };
    let items: String = (1..4).map(item).collect();
    let document = format!("<rss version=\"2.0\"><channel><title>F</title>{items}</channel></rss>");
    let server =
        Server::start(move |_| Reply::ok("application/rss+xml", document.clone())).unwrap();
    home.declare(&[source("a", &server.url("/a"))]);
    let out = home.dir.path().join("out");
    let script = format!("for a; do :; done; echo $$ $a >> {}; {script}", out.display());
    home.settings.listen.player = ["sh", "-c", &script, "sh"].map(str::to_owned).to_vec();
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    engine.store().mark(Mark::Queued, vec![1, 2, 3], true).await.unwrap();
    let queue = engine.queue().await.unwrap();
    assert_eq!(queue.len(), 3);
    (engine, queue.into_iter().map(|episode| episode.key).collect())
}

/// The process ids and URLs of the started players.
fn started(home: &Home) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(home.dir.path().join("out")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(id, url)| (id.to_owned(), url.to_owned())).collect()
}

async fn until(home: &Home, starts: usize) {
    let wait = async {
        while started(home).len() < starts {
            tokio::task::yield_now().await;
        }
    };
    soon(wait).await;
}

fn runs(process: &str) -> bool {
    let kill = std::process::Command::new("kill").args(["-0", process]).output();
    kill.unwrap().status.success()
}

#[cfg(unix)]
#[tokio::test]
async fn an_unresponsive_player_does_not_delay_commands() {
    let mut home = Home::new();
    let (engine, queue) = listening(&mut home, "exec sleep 600").await;
    let player = engine.player(false);
    let mut states = player.state();
    // Only the last of several commands takes effect.
    for key in &queue {
        player.send(PlayerCommand::Play(key.clone()));
    }
    until(&home, 1).await;
    assert_eq!(started(&home)[0].1, queue[2].url);
    // A new episode replaces one that is still starting, even if `Next` started it.
    player.send(PlayerCommand::Play(queue[0].clone()));
    until(&home, 2).await;
    player.send(PlayerCommand::Next);
    until(&home, 3).await;
    let urls: Vec<String> = started(&home).into_iter().map(|(_, url)| url).collect();
    assert_eq!(urls, [&*queue[2].url, &*queue[0].url, &*queue[1].url]);
    assert!(states.borrow().is_starting);
    player.send(PlayerCommand::Stop);
    soon(states.wait_for(|state| !state.is_starting)).await.unwrap();
    let idle = PlayerState::default();
    assert_eq!(*states.borrow(), idle, "it was stopped, and did not fail");
    player.send(PlayerCommand::Play(queue[0].clone()));
    until(&home, 4).await;
    soon(player.finish()).await;
    assert_eq!(*states.borrow(), idle);
    for (process, url) in started(&home) {
        assert!(!runs(&process), "{url}");
    }
    engine.shutdown().await;
}
