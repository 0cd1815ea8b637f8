//! Keys bound to several commands, and the programs of `[[command]]`.

use super::real::Real;
use super::*;
use crate::config::{CommandInput, CommandOutput, CommandSettings, KeySettings};
use std::collections::BTreeMap;

fn keys(bindings: &[(&str, &str)]) -> Settings {
    let own = bindings.iter().map(|(keys, bound)| ((*keys).to_owned(), (*bound).to_owned()));
    let bindings = BTreeMap::from([("items".to_owned(), own.collect())]);
    let keys = KeySettings { bindings, ..KeySettings::default() };
    Settings { keys, ..Settings::default() }
}

#[test]
fn a_key_runs_several_commands_with_arguments() {
    let settings =
        keys(&[("x", "pin; toggle-read ; set ui.list=comfortable"), ("F7", "nothing-such 1")]);
    assert!(crate::config::KeyMap::load(&settings.keys).is_err(), "names are checked");
    let settings = keys(&[("x", "pin; copy"), ("F7", "filter rust")]);
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.keys("gi");
    let pinned = |stage: &Stage| stage.app.items.rows.iter().filter(|row| row.pinned).count();
    let before = pinned(&stage);
    stage.keys("x");
    assert_eq!(pinned(&stage).abs_diff(before), 1);
    let copied = stage.requested.iter().any(|effect| effect.contains("Copy"));
    assert!(copied, "{:?}", stage.requested);
    // The help and the popup of keys list the commands.
    stage.keys("?filter rust");
    assert!(stage.screen(120, 40).contains("filter rust"), "{}", stage.screen(120, 40));
}

#[test]
fn the_commands_of_a_key_act_on_the_same_item() {
    let settings = keys(&[("x", "pin; copy"), ("z", "mark-read; copy"), ("y", "pin")]);
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.keys("gi");
    let (row, next) = (&item_rows()[0], &item_rows()[1]);
    for keys in ["x", "z"] {
        stage.requested.clear();
        stage.keys(keys);
        let copy = format!("Copy {{ text: {:?} }}", row.url.as_deref().unwrap());
        assert_eq!(stage.asked_for(&copy), 1, "{keys}: {:?}", stage.requested);
        let current = stage.app.items.current().map(|row| row.key);
        assert_eq!(current, Some(row.key), "{keys}");
    }
    // A key with one command goes on to the next item.
    stage.keys("y");
    assert_eq!(stage.app.items.current().map(|row| row.key), Some(next.key));
    // Selected items stay selected until the last command.
    stage.keys("k<Space><Space>");
    stage.requested.clear();
    assert_eq!(stage.app.items.marked.len(), 2);
    stage.keys("x");
    let urls = [row, next].map(|row| row.url.as_deref().unwrap());
    let copied = stage.requested.iter().find(|effect| effect.starts_with("Copy")).unwrap();
    assert!(urls.iter().all(|url| copied.contains(url)), "{copied}");
    assert!(stage.app.items.marked.is_empty());
}

#[test]
fn a_key_marks_many_items_before_its_next_command() {
    let bound = keys(&[("x", "read age>0d; quit")]);
    let mut stage = Stage::with(bound, source_list(), item_rows());
    stage.keys("gi");
    let row = ItemRow { read: false, ..item_rows()[0].clone() };
    stage.rows = (0..99).map(|n| ItemRow { key: 1000 + n, ..row.clone() }).collect();
    stage.keys("x");
    assert_eq!(stage.asked_for("MarkViewRead"), 1);
    assert!(stage.app.dialogs.is_empty() && stage.exit_reason.is_some());
}

#[test]
fn a_key_runs_only_the_commands_bound_to_it() {
    let refused = keys(&[("x", "read all")]);
    let error = crate::config::KeyMap::load(&refused.keys).unwrap_err().to_string();
    assert!(error.contains("write \"read-all\""), "{error}");
    for line in ["run sav; pin", "pin it; pin", "find words; pin"] {
        let settings = Settings {
            commands: vec![command("save", "", CommandOutput::None)],
            ..keys(&[("x", line)])
        };
        let mut stage = Stage::with(settings, source_list(), item_rows());
        stage.keys("gi");
        let pinned = |stage: &Stage| stage.app.items.rows.iter().filter(|row| row.pinned).count();
        let before = pinned(&stage);
        stage.requested.clear();
        stage.keys("x");
        assert_eq!(pinned(&stage), before, "{line}: {:?}", stage.requested);
        assert!(!stage.requested.iter().any(|effect| effect.contains("RunCommand")), "{line}");
    }
}

#[test]
fn a_command_that_cannot_run_ends_the_sequence() {
    let mut stage = Stage::with(keys(&[("x", "run nothing; pin")]), source_list(), item_rows());
    stage.keys("gi");
    stage.requested.clear();
    stage.keys("x");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("run: there is nothing called nothing"), "{screen}");
    assert!(
        !stage.requested.iter().any(|effect| effect.contains("Pinned")),
        "{:?}",
        stage.requested
    );
}

fn command(name: &str, script: &str, output: CommandOutput) -> CommandSettings {
    let run = ["sh", "-c", script, "x", "{title}"].map(str::to_owned).to_vec();
    let input = CommandInput::Text;
    CommandSettings { name: name.to_owned(), run, input, output, limit: None }
}

#[tokio::test]
async fn shows_the_output_in_a_window() {
    let mut real = Real::new(1, 3).await;
    real.app.settings.commands = vec![
        command("Translate", "printf 'got \\033[31m%s\\n' \"$1\"; seq 200", CommandOutput::Window),
        command("Save", "exit 2", CommandOutput::None),
    ];
    real.keys("gi");
    let title = real.app.items.current().unwrap().title.clone();
    real.command("run trans");
    real.wait_for("Translate: done").await;
    assert!(real.screen().contains(&format!("got {title}")), "{}", real.screen());
    let screen = real.screen();
    assert!(screen.contains("Translate") && !screen.contains("[31m"), "{screen}");
    real.keys("G");
    assert!(real.screen().contains("200"));
    real.close_dialogs();
    assert!(!real.screen().contains("output"), "{}", real.screen());
    real.command("run save");
    real.wait_for("Save failed: exit status: 2").await;
}

#[tokio::test]
async fn does_not_start_a_running_program_twice() {
    let mut real = Real::new(1, 3).await;
    real.app.settings.commands = vec![command("Slow", "sleep 600", CommandOutput::None)];
    real.keys("gi");
    for _ in 0..2 {
        real.command("run slow");
        real.command("run slow");
        assert!(real.screen().contains("Slow is still running; C-k stops it"), "{}", real.screen());
        real.press(KeyCode::Char('k'), KeyModifiers::CONTROL);
        real.wait_for("Slow: stopped").await;
    }
    real.command("stop running");
    real.wait_for("Nothing to stop").await;
}

#[test]
fn marks_an_item_as_read_only_if_its_page_opens() {
    let unread = || item_rows().into_iter().map(|row| ItemRow { read: false, ..row }).collect();
    let mut stage = Stage::with(Settings::default(), source_list(), unread());
    stage.keys("giO");
    assert_eq!(stage.asked_for("Browse"), 1, "{:?}", stage.requested);
    let url = "https://kernel.example/".to_owned();
    stage.happen(Event::BrowserOpened(Err((url, "no browser found".to_owned()))));
    assert!(stage.has_message("No browser found"));
    assert!(!stage.app.items.rows[0].read);
    assert_eq!(stage.app.items.selected, 0);
    // A page that opens later does not mark the item either.
    stage.happen(Event::BrowserOpened(Ok(())));
    assert!(!stage.app.items.rows[0].read);
    stage.keys("O");
    stage.happen(Event::BrowserOpened(Ok(())));
    assert!(stage.app.items.rows[0].read);
    assert_eq!(stage.app.items.selected, 1);
    // If the user has moved on before the page opens, the selection stays.
    stage.keys("Okk");
    stage.happen(Event::BrowserOpened(Ok(())));
    assert!(stage.app.items.rows[1].read);
    assert_eq!(stage.app.items.selected, 0);
}
