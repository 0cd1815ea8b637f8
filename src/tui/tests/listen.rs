//! The queue of episodes, and the episode that is playing.

use super::Stage;
use crate::engine::{PlayerProblem, PlayerState, Playing};
use crate::model::{Chapter, EpisodeKey, Progress, Queued};
use crate::tui::event::Event;
use std::sync::Arc;

fn episode(number: i64) -> Queued {
    Queued {
        key: EpisodeKey { item: number, url: format!("https://e.org/{number}.mp3") },
        source: 1,
        title: format!("Episode {number}"),
        media_type: "audio/mpeg".to_owned(),
        stated: Some(3000),
        progress: Progress { position: 61.0 * number as f64, length: None, finished: false },
        file: None,
    }
}

fn playing(position: f64) -> PlayerState {
    let chapter = |start: u64, title: &str| Chapter { start, title: title.to_owned() };
    let now = Playing {
        key: episode(2).key,
        title: "Episode 2".to_owned(),
        progress: Progress { position, length: Some(3600.0), finished: false },
        is_paused: false,
        chapters: Arc::new(vec![chapter(0, "Intro"), chapter(90, "Main")]),
    };
    PlayerState { now: Some(now), ..PlayerState::default() }
}

pub(super) fn stage() -> Stage {
    let mut stage = Stage::new();
    stage.keys("gq");
    stage.happen(Event::QueueLoaded(Ok((1..4).map(episode).collect())));
    stage
}

#[test]
fn the_queue_shows_positions_and_the_current_episode() {
    let mut stage = stage();
    stage.keys_give("", "1:01 / 50:00");
    stage.happen(Event::PlayerChanged(Box::new(playing(100.0))));
    let screen = stage.screen(120, 40);
    for part in ["▸ Episode 2", "1:40 / 1:00:00", "Chapter 2 of 2: Main", "Playing 1:40 of 1:00:00"]
    {
        assert!(screen.contains(part), "{part} in\n{screen}");
    }
    for (width, height) in [(20, 6), (40, 12), (200, 50)] {
        stage.screen(width, height);
    }
    stage.keys("<Esc>");
    assert!(stage.screen(120, 40).contains("newsfed  ▸ 1:40"), "even without the dialog");
}

#[test]
fn keys_control_the_player_and_change_the_queue() {
    let mut stage = stage();
    stage.keys_give(
        "j<Enter>",
        "Player(Play(EpisodeKey { item: 2, url: \"https://e.org/2.mp3\" }))",
    );
    stage.keys_give("n", "Nothing is playing");
    stage.happen(Event::PlayerChanged(Box::new(playing(5.0))));
    for (keys, expected) in [
        ("<Space>", "Player(Pause)"),
        ("<Right>", "Player(Seek(30.0))"),
        ("<Left>", "Player(Seek(-30.0))"),
        ("]", "Player(Chapter(true))"),
        ("n", "Player(Next)"),
        ("s", "Player(Stop)"),
        (
            "<A-j>",
            "MoveInQueue { key: EpisodeKey { item: 2, url: \"https://e.org/2.mp3\" }, by: 1 }",
        ),
    ] {
        stage.requested.clear();
        stage.keys(keys);
        let found = stage.requested.iter().any(|effect| effect.contains(expected));
        assert!(found, "{keys}: {:?}", stage.requested);
    }
    stage.keys_give("d", "1 item removed from the queue");
    stage.keys("<Esc>");
    stage.keys_give("<A-.>", "Player(Seek(30.0))");
    stage.keys_give("<C-e>", "1 item added to the queue");
}

#[test]
fn without_a_player_episodes_open_like_other_files() {
    let mut stage = stage();
    let problem = PlayerProblem::NoPlayer(Box::new(episode(1)));
    let state = PlayerState { problem: Some(problem), problems: 1, ..PlayerState::default() };
    stage.happen(Event::PlayerChanged(Box::new(state.clone())));
    stage.keys_give(
        "",
        "url: \"https://e.org/1.mp3\", media_type: \"audio/mpeg\" }, file_use: Open",
    );
    stage.requested.clear();
    stage.happen(Event::PlayerChanged(Box::new(state)));
    assert!(stage.requested.is_empty(), "once for each problem");
    let failed = PlayerProblem::Failed("the episode ended early".to_owned());
    let state = PlayerState { problem: Some(failed), problems: 2, ..PlayerState::default() };
    stage.happen(Event::PlayerChanged(Box::new(state)));
    stage.keys_give("", "Cannot play: the episode ended early");
}

#[test]
fn messages_show_the_player_state_without_the_queue() {
    let mut stage = stage();
    stage.keys("<Esc>");
    let mut now = playing(100.0);
    stage.happen(Event::PlayerChanged(Box::new(now.clone())));
    stage.keys_give("", "Playing Episode 2");
    stage.keys_give("<A-.>", "2:10 · Episode 2");
    now.now.as_mut().unwrap().is_paused = true;
    stage.happen(Event::PlayerChanged(Box::new(now)));
    stage.keys_give("", "Paused at 1:40 · Episode 2");
}
