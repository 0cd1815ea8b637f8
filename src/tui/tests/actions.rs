//! Every action by its name in the palette, on databases of all sizes.

use super::real::Real;
use super::*;
use crate::config::Action;

/// Every action, from the list of sources, from that of items and from the reader.
async fn every_action(mut real: Real) {
    for opened in 0..3 {
        for action in Action::ALL {
            real.close_dialogs();
            real.app.focus = super::super::app::Focus::Sources;
            for _ in 0..opened {
                real.keys("l");
                real.quiet().await;
            }
            real.keys(":");
            real.keys(action.name());
            let hits = real.app.palette_hits();
            assert_eq!(hits.first().map(|hit| hit.action), Some(*action), "{action}");
            assert!(!hits[0].help.is_empty(), "{action}");
            assert!(real.screen().contains(action.name()), "{action}");
            real.app.toast = None;
            real.enter();
            real.quiet().await;
            real.screen();
            assert_eq!(real.riddle(), None, "{action} after opening {opened} times");
            let quits = real.asked.drain(..).any(|e| matches!(e, Effect::Quit(_)));
            let may_quit = matches!(action, Action::Quit | Action::Back);
            assert!(!quits || may_quit, "{action} quits");
        }
    }
    real.handle.shutdown().await;
}

fn run(sources: usize, items: usize) {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { every_action(Real::new(sources, items).await).await });
}

#[test]
fn every_action_runs_on_nothing() {
    run(0, 0);
}

#[test]
fn every_action_runs_on_a_little() {
    run(3, 30);
}

#[test]
fn every_action_runs_on_much() {
    run(200, 20_000);
}

#[test]
fn what_cannot_be_done_says_why() {
    let mut stage = Stage::with(Settings::default(), SourceList::default(), vec![]);
    stage.keys("<Esc>");
    for (name, why) in [
        ("edit", "select a source first"),
        ("delete", "select a source, a folder or a saved query first"),
        ("why", "select a source first"),
        ("pin", "select an item first"),
        ("full-text", "select an item first"),
        ("links", "open an item first"),
        ("find", "open an item first"),
        ("pipe", "open an item first"),
        ("difference", "open an item first"),
        ("fold", "select a folder"),
        ("undo", "nothing to undo"),
        ("redo", "nothing to redo"),
        ("refresh-all", "nothing is followed yet"),
    ] {
        stage.keys(&format!(":{name}<Enter>"));
        let screen = stage.screen(100, 30);
        assert!(screen.contains(why), "{name}: no {why:?} on\n{screen}");
        assert!(stage.app.dialogs.is_empty(), "{name}");
    }
    // The palette tells it beforehand.
    stage.keys(":zen");
    assert!(stage.screen(100, 30).contains("not now: select an item first"));
}
