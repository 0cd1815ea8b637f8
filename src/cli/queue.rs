//! `newsfed queue`: the queue of episodes.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::items;
use super::log;
use super::number::whole;
use super::output::Output;
use super::runtime::{asked_to_stop, runtime_beside};
use super::table::{Column, Table};
use crate::config::Settings;
use crate::engine::{Handle, Player, PlayerCommand, PlayerProblem, PlayerState};
use crate::model::{EpisodeKey, Queued};
use crate::store::{MAX_QUEUE, Mark, Store};
use crate::util::browser::{self, Surroundings};
use crate::util::text::{counted, line};
use crate::util::time_text::clock_time;
use std::io::IsTerminal;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(super) struct QueueArgs {
    #[command(subcommand)]
    command: Option<QueueCommand>,
}

const EXAMPLES: &str = "\
The queue holds audio and video enclosures of items, in the order in which they
are played. Without a command, the queue is listed. `play` plays with mpv, or
the program set in listen.player, from where you left off; the position is
stored every five seconds. An episode that was played to its end leaves the
queue. Retention removes neither items in the queue nor their downloads.

Examples:
  newsfed queue add 1234 1235
  newsfed queue
  newsfed queue move 1235 -1
  newsfed queue remove 1234
  newsfed queue undo
  newsfed queue play";

#[derive(Debug, clap::Subcommand)]
enum QueueCommand {
    /// List the queue
    List,
    /// Add the first audio or video enclosure of each item to the end of the queue
    Add(ItemsArgs),
    /// Remove items from the queue; their playback positions are kept
    Remove(ItemsArgs),
    /// Remove all items from the queue; their playback positions are kept
    Clear,
    /// Undo the last `remove` or `clear`
    Undo,
    /// Move an item towards the end, or with a negative number towards the start
    Move {
        /// The item
        id: String,
        /// Number of positions to move by
        #[arg(allow_negative_numbers = true, value_parser = whole(-1000..=1000_i64))]
        positions: i64,
    },
    /// Play the queue from the start, or from an item, until you stop it
    Play {
        /// The item to begin with
        id: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
struct ItemsArgs {
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

#[derive(serde::Serialize)]
struct Shape<'a> {
    #[serde(flatten)]
    key: &'a EpisodeKey,
    title: &'a str,
    position: f64,
    length: Option<f64>,
    path: Option<&'a str>,
}

#[derive(serde::Serialize)]
struct Changed {
    changed: usize,
}

pub(super) fn run(args: &QueueArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    match args.command.as_ref().unwrap_or(&QueueCommand::List) {
        QueueCommand::List => list(&home, out),
        QueueCommand::Add(args) => add(&home.store()?, args, out),
        QueueCommand::Remove(args) => {
            let store = home.store()?;
            let items = items::keys(&store.reader()?, &args.ids)?;
            remove(&store, Some(items), out)
        }
        QueueCommand::Clear => remove(&home.store()?, None, out),
        QueueCommand::Undo => undo(&home.store()?, out),
        QueueCommand::Move { id, positions } => {
            let store = home.store()?;
            let episode = episode(&store, Some(id))?;
            let moved = store.move_in_queue_blocking(episode.key, *positions)?;
            report(usize::from(moved != 0), "moved", out)?;
            Ok(Exit::Ok)
        }
        QueueCommand::Play { id } => play(&home, id.as_deref(), out),
    }
}

fn list(home: &Home, out: &mut Output) -> Result<Exit, Failure> {
    let queue = home.store_to_read()?.reader()?.queue()?;
    let columns = [20, 20].map(|most| Column { most, right: true });
    let mut table = Table::new(&columns, out.width);
    let cells = |episode: &Queued| [episode.key.item.to_string(), place(episode)];
    for episode in &queue {
        table.fit(&cells(episode).each_ref().map(String::as_str));
    }
    for episode in &queue {
        if out.json {
            out.value(&Shape {
                key: &episode.key,
                title: &episode.title,
                position: episode.progress.position,
                length: episode.length(),
                path: episode.file.as_deref(),
            })?;
            continue;
        }
        let [number, place] = cells(episode);
        out.line(table.line(&[&number, &place, &episode.title]))?;
    }
    if queue.is_empty() && !out.json {
        out.note("the queue is empty; `newsfed queue add ID` adds to it");
    }
    Ok(Exit::Ok)
}

/// `12:34 / 52:00`; only the length if there is no position.
fn place(episode: &Queued) -> String {
    let length = episode.length().map(clock_time);
    match (episode.progress.position, length) {
        (at, Some(length)) if at < 1.0 => length,
        (at, None) if at < 1.0 => String::new(),
        (at, Some(length)) => format!("{} / {length}", clock_time(at)),
        (at, None) => clock_time(at),
    }
}

fn add(store: &Store, args: &ItemsArgs, out: &mut Output) -> Result<Exit, Failure> {
    let items = items::keys(&store.reader()?, &args.ids)?;
    let changed = store.mark_blocking(Mark::Queued, items.clone(), true)?;
    let queue = store.reader()?.queue_keys()?;
    let queued = |item: &i64| queue.iter().any(|key| key.item == *item);
    let (known, refused): (Vec<i64>, Vec<i64>) =
        items.iter().filter(|item| !changed.contains(item)).partition(|item| queued(item));
    if !known.is_empty() {
        out.note(format!("newsfed: already in the queue: {}", list_of(&known)));
    }
    let why = match queue.len() >= MAX_QUEUE {
        true => format!("the queue is full ({MAX_QUEUE} episodes); not added"),
        false => "not added, because they have no audio or video".to_owned(),
    };
    if refused.len() == items.len() {
        return Err(Failure::Plain(format!("{why}: {}", list_of(&refused))));
    }
    let exit = if refused.is_empty() { Exit::Ok } else { Exit::Partial };
    if exit == Exit::Partial {
        out.note(format!("newsfed: {why}: {}", list_of(&refused)));
    }
    report(changed.len(), "added to the queue", out)?;
    Ok(exit)
}

fn list_of(items: &[i64]) -> String {
    items.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

fn remove(store: &Store, items: Option<Vec<i64>>, out: &mut Output) -> Result<Exit, Failure> {
    let removed = store.remove_from_queue_blocking(items.clone())?;
    let left = items.unwrap_or_default().into_iter().filter(|item| !removed.contains(item));
    let left: Vec<i64> = left.collect();
    if !left.is_empty() {
        out.note(format!("newsfed: not in the queue: {}", list_of(&left)));
    }
    report(removed.len(), "removed from the queue", out)?;
    if !removed.is_empty() && !out.json {
        out.note("`newsfed queue undo` undoes this");
    }
    Ok(Exit::Ok)
}

fn undo(store: &Store, out: &mut Output) -> Result<Exit, Failure> {
    let Some(restored) = store.restore_queue_blocking()? else {
        return Err(Failure::Plain("there is no removal to undo".to_owned()));
    };
    report(restored.len(), "restored to the queue", out)?;
    Ok(Exit::Ok)
}

fn report(changed: usize, done: &str, out: &mut Output) -> Result<(), Failure> {
    match out.json {
        true => out.value(&Changed { changed })?,
        false => out.result(format!("{} {done}", counted(changed, "item")))?,
    }
    Ok(())
}

/// The episode of an item, or the first one in the queue.
fn episode(store: &Store, id: Option<&str>) -> Result<Queued, Failure> {
    let reader = store.reader()?;
    let mut queue = reader.queue()?.into_iter();
    match id {
        None => queue.next().ok_or_else(|| Failure::Plain("the queue is empty".to_owned())),
        Some(id) => {
            let key = items::keys(&reader, &[id.to_owned()])?.first().copied();
            let found = queue.find(|episode| Some(episode.key.item) == key);
            found.ok_or_else(|| Failure::Plain(format!("item {} is not in the queue", line(id))))
        }
    }
}

fn play(home: &Home, id: Option<&str>, out: &mut Output) -> Result<Exit, Failure> {
    log::start(home, out.verbose, false);
    let store = home.store()?;
    let first = episode(&store, id)?;
    runtime_beside()?.block_on(async {
        let stop = asked_to_stop();
        let handle = home.engine(store, false).start().await?;
        let in_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let player = handle.player(in_terminal);
        player.send(PlayerCommand::Play(first.key.clone()));
        let result = tokio::select! {
            result = follow(&handle, &player, out) => result,
            () = stop => Ok(Exit::Interrupted),
        };
        player.finish().await;
        handle.shutdown().await;
        result
    })
}

/// Prints each episode as it starts, until none is playing.
async fn follow(handle: &Handle, player: &Player, out: &mut Output) -> Result<Exit, Failure> {
    let mut states = player.state();
    let (mut shown, mut played) = (None, false);
    loop {
        let state: PlayerState = states.borrow_and_update().clone();
        match (&state.now, &state.problem) {
            (Some(now), _) => {
                played = true;
                if shown.as_ref() != Some(&now.key) {
                    let at = clock_time(now.progress.position);
                    out.line(format!("{} ({at})", line(&now.title)))?;
                    out.flush()?;
                    shown = Some(now.key.clone());
                }
            }
            (None, Some(PlayerProblem::Failed(why))) => {
                return Err(Failure::Plain(format!("cannot play: {why}")));
            }
            (None, Some(PlayerProblem::NoPlayer(episode))) => {
                return open(&handle.settings(), episode, out);
            }
            (None, None) if played && !state.is_starting => return Ok(Exit::Ok),
            (None, None) => {}
        }
        if states.changed().await.is_err() {
            return Ok(Exit::Ok);
        }
    }
}

/// Opens an episode like other enclosures if there is no player.
fn open(settings: &Settings, episode: &Queued, out: &mut Output) -> Result<Exit, Failure> {
    let around = Surroundings { variable: &browser::variable, installed: &browser::installed };
    let (argv, in_terminal) = settings.program(&episode.media_type);
    let why = match settings.listen.player.first() {
        Some(player) => format!("{player} is not installed"),
        None => "listen.player is empty".to_owned(),
    };
    if browser::needs_file(argv) {
        return Err(Failure::Plain(format!("{why}; `newsfed open --enclosure` opens the file")));
    }
    out.note(format!("newsfed: {why}, so the position is not kept"));
    let launch = browser::plan(argv, in_terminal, &around, &[&episode.key.url]);
    let launch = launch.map_err(|e| Failure::Plain(e.to_string()))?;
    browser::launch(&launch, browser::WATCHED)
        .map_err(|e| Failure::Plain(format!("cannot open it: {e}")))?;
    Ok(Exit::Ok)
}
