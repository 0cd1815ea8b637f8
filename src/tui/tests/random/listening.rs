//! Random episode queues and player states.

use crate::engine::{PlayerProblem, PlayerState, Playing};
use crate::model::{EpisodeKey, Progress, Queued};
use fastrand::Rng;
use std::sync::Arc;

fn key(number: usize) -> EpisodeKey {
    EpisodeKey { item: number as i64, url: format!("https://a.example/{number}") }
}

pub(super) fn queue(rng: &mut Rng) -> Vec<Queued> {
    let episode = |number: usize| Queued {
        key: key(number),
        source: 1,
        title: "日本 episode".repeat(number),
        media_type: "audio/mpeg".to_owned(),
        stated: Some(u64::MAX).filter(|_| number > 1),
        progress: Progress::default(),
        file: None,
    };
    (0..rng.usize(..4)).map(episode).collect()
}

pub(super) fn player(rng: &mut Rng) -> Box<PlayerState> {
    let playing = Playing {
        key: key(1),
        title: "t".to_owned(),
        progress: Progress { position: rng.f64() * 1e6, ..Progress::default() },
        is_paused: rng.bool(),
        chapters: Arc::default(),
    };
    Box::new(PlayerState {
        now: Some(playing).filter(|_| rng.bool()),
        problem: Some(PlayerProblem::Failed("no\u{1b}".to_owned())),
        problems: rng.u64(..3),
        is_starting: rng.bool(),
    })
}
