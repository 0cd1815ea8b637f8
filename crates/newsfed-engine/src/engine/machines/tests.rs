use super::exchange::Exchange;
use crate::exchange::mark_file;
use crate::model::{Entry, Outcome, PollRecord, SharedMark, Source, SourceId, Stamp, Time};
use crate::store::{FinishedPoll, Mark, Rule, Rules, Scope, Store, View, prepare};
use chrono::TimeDelta;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Number of items in the feed that all machines follow.
const ITEMS: usize = 24;

/// A machine with its copy of the folder.
struct Machine {
    name: &'static str,
    _files: tempfile::TempDir,
    folder: PathBuf,
    store: Store,
    exchange: Exchange,
    /// How far its clock is ahead.
    skew: TimeDelta,
    /// Number of feed items that it has stored.
    items: usize,
    /// The URL of its source.
    url: String,
}

/// The marks of an item, for comparing two machines.
type Marks = BTreeMap<String, BTreeSet<&'static str>>;

impl Machine {
    fn new(name: &'static str, skew: TimeDelta) -> Self {
        let files = tempfile::tempdir().unwrap();
        let store = Store::open(&files.path().join("newsfed.db")).unwrap();
        // Machines have different ids for a source, and different spellings of its URL.
        let url =
            if name == "a" { "http://Site.example/feed/" } else { "https://site.example/feed" };
        let (folder, url) = (files.path().join("shared"), url.to_owned());
        let (exchange, items) = (Exchange::default(), 0);
        let machine = Self { name, folder, _files: files, store, exchange, skew, items, url };
        machine.follow(&machine.url);
        machine
    }

    /// Follows the feed at this URL.
    fn follow(&self, url: &str) {
        let source = Source::feed(SourceId(format!("site-{}", self.name)), url.parse().unwrap());
        self.store.reconcile_blocking(vec![source], time(0)).unwrap();
    }

    /// Adds rules, one of which tags some items.
    fn with_rule(self, query: &str, first_unread: Option<u32>) -> Self {
        let rule = Rule {
            name: "all".to_owned(),
            query: query.parse().unwrap(),
            effects: vec!["tag:News".parse().unwrap()],
            until: None,
            stop: false,
        };
        self.store.set_rules(Rules::new(vec![rule], |_| vec![]).first_unread(first_unread));
        self
    }

    fn poll(&mut self, items: usize) {
        self.items = items;
        let entry = |n: usize| Entry {
            guid: (!n.is_multiple_of(4)).then(|| format!("guid-{n}")),
            url: Some(format!("https://site.example/{n}")),
            title: format!("Item {n}"),
            ..Entry::default()
        };
        let facts = self.store.reader().unwrap().sources().unwrap();
        let hashing = self.store.hashing_blocking().unwrap();
        let poll = FinishedPoll {
            source: facts[0].key,
            entries: Some(prepare((0..items).map(entry).collect(), &hashing)),
            pages: None,
            automatic: true,
            record: PollRecord {
                at: time(0),
                status: Some(200),
                millis: 1,
                requests: 1,
                bytes: 1,
                outcome: Outcome::Unchanged,
                repairs: vec![],
                left_out: vec![],
            },
            finish: Box::new(|_, _| {}),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.store.store_poll(poll)).unwrap();
    }

    fn exchange(&mut self, at: Time) -> super::Exchanged {
        self.exchange.run(&self.store, &self.folder, self.name, at + self.skew).unwrap()
    }

    fn mark(&self, title: &str, mark: &str, on: bool) {
        let reader = self.store.reader().unwrap();
        let rows = reader.window(&View::of(Scope::All), crate::store::Anchor::First, 100).unwrap();
        let key = rows.rows.iter().find(|row| row.title == title).unwrap().key;
        let mark = match mark {
            "read" => Mark::Read,
            "pin" => Mark::Pinned,
            "later" => Mark::Later,
            tag => Mark::Tag(tag.to_owned()),
        };
        self.store.mark_blocking(mark, vec![key], on).unwrap();
    }

    fn marks(&self) -> Marks {
        let reader = self.store.reader().unwrap();
        let rows = reader.window(&View::of(Scope::All), crate::store::Anchor::First, 100).unwrap();
        let marks = rows.rows.iter().map(|row| {
            let tags = reader.tags_of(row.key).unwrap();
            let tagged = |name: &str| tags.iter().any(|tag| tag == name);
            let all = [
                ("read", row.read),
                ("pin", row.pinned),
                ("later", row.later),
                ("News", tagged("News")),
                ("x y", tagged("x y")),
            ];
            (row.title.clone(), all.into_iter().filter(|(_, on)| *on).map(|(m, _)| m).collect())
        });
        marks.collect()
    }

    /// The machine's own file.
    fn file(&self) -> Option<PathBuf> {
        let files = fs::read_dir(&self.folder).ok()?.map(|entry| entry.unwrap().path());
        let own = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with(&format!("{}-", self.name)) && name.ends_with(".marks")
        };
        files.into_iter().find(own)
    }
}

fn time(seconds: i64) -> Time {
    Time::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
}

fn deliver(to: &Path, from: &Path, bytes: &[u8]) {
    if to.is_dir() {
        fs::write(to.join(from.file_name().unwrap()), bytes).unwrap();
    }
}

/// Delivers all files to all machines, which then read them.
fn synchronise(machines: &mut [Machine], at: i64) {
    for _ in 0..3 {
        for machine in &mut *machines {
            machine.exchange(time(at));
        }
        for from in 0..machines.len() {
            let file = machines[from].file().unwrap();
            let bytes = fs::read(&file).unwrap();
            for to in (0..machines.len()).filter(|to| *to != from) {
                deliver(&machines[to].folder, &file, &bytes);
            }
        }
    }
    for machine in &mut *machines {
        machine.exchange = Exchange::default();
        machine.exchange(time(at));
    }
}

#[test]
fn machines_agree_and_lose_no_marks() {
    let steps = std::env::var("NEWSFED_STEPS").ok().and_then(|n| n.parse().ok()).unwrap_or(500);
    let mut random = fastrand::Rng::with_seed(22);
    let skews = [TimeDelta::zero(), TimeDelta::days(-400), TimeDelta::hours(7)];
    let mut machines: Vec<Machine> = ["a", "b", "c"]
        .into_iter()
        .zip(skews)
        .zip([None, None, Some(2)])
        .map(|((name, skew), unread)| Machine::new(name, skew).with_rule("title:/[05]$/", unread))
        .collect();
    // Items that the user has read on some machine; others may be read at the first poll.
    let mut reads: BTreeSet<String> = BTreeSet::new();
    // Versions of files that may be delivered late.
    let mut sent: HashMap<usize, Vec<Vec<u8>>> = HashMap::new();
    // The last change to each mark by each machine, since they last agreed.
    let mut changes = Changes::new();
    let mut compared = 0;
    for step in 1..=steps {
        let at = i64::from(step);
        let this = random.usize(..3);
        let machine = &mut machines[this];
        match random.u32(..20) {
            0 => {
                let before = machine.items;
                machine.poll((before + random.usize(1..4)).min(ITEMS));
                arrived(machine, this, before, &mut changes);
            }
            17 if random.u32(..5) == 0 => {
                let other = "https://site.example/other".to_owned();
                machine.follow(random.choice([&other, &machine.url]).unwrap());
            }
            1..=9 if machine.items > 0 => {
                let title = format!("Item {}", random.usize(..machine.items));
                let mark = ["read", "read", "pin", "later", "News", "x y"][random.usize(..6)];
                let on = random.bool();
                let before = machine.marks()[&title].contains(mark);
                machine.mark(&title, mark, on);
                if before != on {
                    if mark == "read" {
                        reads.insert(title.clone());
                    }
                    changes.entry((title, mark)).or_default().insert(this, on);
                }
            }
            10..=13 => drop(machine.exchange(time(at))),
            // The program exits between storing and writing.
            14 => while machine.store.prepare_marks_blocking(time(at) + machine.skew).unwrap() {},
            15 => machine.exchange = Exchange::default(),
            // The machine's own file is truncated, or replaced by an old version.
            16 => {
                let old = sent.get(&this).filter(|all| !all.is_empty());
                let old = old.map(|all| all[random.usize(..all.len())].clone());
                if let (Some(file), Some(old)) = (machine.file(), old) {
                    fs::write(file, &old[..random.usize(..=old.len())]).unwrap();
                }
            }
            _ => {
                let Some(file) = machine.file() else { continue };
                let versions = sent.entry(this).or_default();
                versions.push(fs::read(&file).unwrap());
                if versions.len() > 5 {
                    versions.remove(0);
                }
                let mut bytes = versions[random.usize(..versions.len())].clone();
                match random.u32(..4) {
                    0 => bytes.truncate(random.usize(..=bytes.len())),
                    1 if !bytes.is_empty() => {
                        let at = random.usize(..bytes.len());
                        bytes[at] ^= 1 << random.u32(..8);
                    }
                    _ => {}
                }
                let to = (this + random.usize(1..3)) % 3;
                deliver(&machines[to].folder, &file, &bytes);
            }
        }
        if step % 250 == 0 {
            for (this, machine) in machines.iter_mut().enumerate() {
                let before = machine.items;
                machine.poll(ITEMS);
                arrived(machine, this, before, &mut changes);
                machine.follow(&machine.url);
            }
            synchronise(&mut machines, at);
            let all = machines.iter().map(|machine| {
                let mut marks = machine.marks();
                for (_, marks) in marks.iter_mut().filter(|(title, _)| !reads.contains(*title)) {
                    marks.remove("read");
                }
                marks
            });
            let all: Vec<Marks> = all.collect();
            assert_eq!(all[0], all[1], "step {step}");
            assert_eq!(all[0], all[2], "step {step}");
            for ((title, mark), by) in std::mem::take(&mut changes) {
                let values: BTreeSet<bool> = by.into_values().collect();
                if values.len() == 1 {
                    let on = values.contains(&true);
                    assert_eq!(all[0][&title].contains(mark), on, "step {step}: {title} {mark}");
                    compared += 1;
                }
            }
        }
    }
    // Marks that only one machine changed, or several in the same way, occur in about one of nine steps.
    assert!(compared > steps / 20, "{compared}");
}

/// For each changed mark, the state set by each machine.
type Changes = BTreeMap<(String, &'static str), BTreeMap<usize, bool>>;

/// Records the changes that rules made to newly arrived items.
fn arrived(machine: &Machine, this: usize, before: usize, changes: &mut Changes) {
    let marks = machine.marks();
    for n in before..machine.items {
        let title = format!("Item {n}");
        if marks[&title].contains("News") {
            changes.entry((title, "News")).or_default().insert(this, true);
        }
    }
}

/// A machine that takes part from the start, with a rule that tags all items.
fn with_rule(name: &'static str, first_unread: Option<u32>) -> Machine {
    let mut machine = Machine::new(name, TimeDelta::zero()).with_rule("title:item", first_unread);
    machine.exchange(time(0));
    machine
}

#[test]
fn rules_do_not_undo_marks_of_other_machines() {
    let mut machines = vec![with_rule("a", None)];
    machines[0].poll(6);
    machines[0].exchange(time(1));
    machines[0].mark("Item 2", "News", false);
    machines[0].exchange(time(2));
    // Another machine follows the feed later, with the same rule and only two unread items.
    machines.push(with_rule("b", Some(2)));
    let before = machines[0].marks();
    synchronise(&mut machines, 3);
    machines[1].poll(6);
    synchronise(&mut machines, 4);
    assert_eq!(machines[0].marks(), before);
    assert!(!machines[1].marks()["Item 2"].contains("News"));
    assert!(machines[1].marks()["Item 3"].contains("News"));
}

#[test]
fn a_mark_does_not_change_other_marks_of_its_item() {
    let mut machines =
        vec![Machine::new("a", TimeDelta::zero()), Machine::new("b", TimeDelta::zero())];
    machines.iter_mut().for_each(|machine| machine.poll(3));
    synchronise(&mut machines, 1);
    machines[0].mark("Item 1", "pin", true);
    // The other machine has the mark, but its source had a different URL when the mark arrived.
    let declare = |machine: &Machine, path: &str| {
        let url = format!("https://site.example/{path}").parse().unwrap();
        let source = Source::feed(SourceId("site-b".to_owned()), url);
        machine.store.reconcile_blocking(vec![source], time(2)).unwrap();
    };
    declare(&machines[1], "other");
    synchronise(&mut machines, 2);
    declare(&machines[1], "feed");
    machines[1].mark("Item 1", "later", true);
    synchronise(&mut machines, 3);
    assert!(machines[0].marks()["Item 1"].is_superset(&BTreeSet::from(["pin", "later"])));
}

#[test]
fn marks_follow_a_source_to_its_new_url() {
    let mut machines =
        vec![Machine::new("a", TimeDelta::zero()), Machine::new("b", TimeDelta::zero())];
    machines.iter_mut().for_each(|machine| machine.poll(6));
    synchronise(&mut machines, 1);
    // Both machines move to the new URL, one after the other. Until then they receive no marks from each
    // other.
    machines[0].mark("Item 1", "pin", true);
    machines[0].mark("Item 4", "later", true);
    machines[1].mark("Item 3", "read", true);
    synchronise(&mut machines, 2);
    machines[0].follow("https://site.example/new");
    machines[0].mark("Item 1", "pin", false);
    machines[0].mark("Item 2", "pin", true);
    synchronise(&mut machines, 3);
    machines[1].mark("Item 4", "later", false);
    machines[1].mark("Item 5", "read", true);
    synchronise(&mut machines, 4);
    assert!(machines[1].marks()["Item 1"].contains("pin"), "they are two sources");
    machines[1].follow("https://site.example/new");
    synchronise(&mut machines, 5);
    for machine in &machines {
        let marks = machine.marks();
        let marked = |item: usize| marks[&format!("Item {item}")].iter().copied().collect();
        let all: Vec<Vec<&str>> = (1..6).map(marked).collect();
        assert_eq!(all, [vec![], vec!["pin"], vec!["read"], vec![], vec!["read"]]);
    }
    // A machine that follows only the new URL gets all marks.
    machines.push(Machine::new("c", TimeDelta::zero()));
    machines[2].follow("https://site.example/new");
    machines[2].poll(6);
    synchronise(&mut machines, 6);
    assert_eq!(machines[2].marks(), machines[0].marks());
}

/// Writes a file with a modification time.
fn write(path: &Path, bytes: &[u8], modified: Time) {
    fs::write(path, bytes).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(modified.into()).unwrap();
}

#[test]
fn reads_only_the_new_part_of_a_file() {
    let mut machine = Machine::new("a", TimeDelta::zero());
    machine.poll(3);
    machine.exchange(time(0));
    let other = machine.folder.join("other.marks");
    let mark = |n: i64| SharedMark {
        source: n,
        guid: None,
        url: n,
        mark: "pin".to_owned(),
        on: true,
        stamp: Stamp { millis: n, count: 0, machine: "0123456789abcdef".to_owned() },
    };
    let text = |numbers: std::ops::Range<i64>| {
        numbers.map(|n| mark_file::line(&mark(n))).collect::<String>()
    };
    let head = mark_file::head("other");
    let long = format!("{head}{}", text(0..100));
    let more = format!("{long}{}", text(100..103));
    // Changed in the middle, which is not read again.
    let mut changed = more.clone().into_bytes();
    changed[9000] ^= 1;
    changed.extend(text(103..104).bytes());
    let cut = &more[..more.len() - 5];
    let damaged = format!("{head}{}garbage\n{}", text(0..10), text(10..14));
    let (past, future) = (time(-1000), time(100_000));
    for (at, bytes, modified, read) in [
        (0, long.as_bytes(), past, 100),
        (1, long.as_bytes(), past, 0),
        (2, more.as_bytes(), past, 3),
        (3, &changed, past, 1),
        (4, cut.as_bytes(), past, 102),
        (5, more.as_bytes(), past, 1),
        // Rewritten, so everything is read.
        (6, text(50..150).as_bytes(), past, 100),
        // A damaged part may be completed later, so everything from there on is read again, unless the file
        // is unchanged.
        (7, damaged.as_bytes(), future, 14),
        (8, damaged.as_bytes(), future, 4),
        (10, damaged.as_bytes(), future, 4),
        (11, damaged.as_bytes(), future, 0),
    ] {
        write(&other, bytes, modified);
        assert_eq!(machine.exchange(time(at)).read, read, "at {at}");
    }
    fs::write(&other, "newsfed marks 9 other\n").unwrap();
    assert!(machine.exchange(time(12)).problem.unwrap().contains("newer version"));
    fs::remove_file(&other).unwrap();
    assert_eq!(machine.exchange(time(13)).problem, None, "it is gone");
}

#[test]
fn marks_without_items_expire_after_half_a_year() {
    let days = |days: i64| time(days * 86_400);
    let known = |machine: &Machine| -> usize {
        let reader = machine.store.reader().unwrap();
        let id = reader.machine().unwrap().unwrap();
        let other = "0123456789abcdef";
        reader.count_marks_of(&id).unwrap() + reader.count_marks_of(other).unwrap()
    };
    let mut machine = Machine::new("a", TimeDelta::zero());
    machine.poll(2);
    machine.exchange(days(0));
    machine.mark("Item 1", "pin", true);
    let other = machine.folder.join("other.marks");
    let mark = |url: i64, millis: i64| SharedMark {
        source: 1,
        guid: None,
        url,
        mark: "pin".to_owned(),
        on: true,
        stamp: Stamp { millis, count: 0, machine: "0123456789abcdef".to_owned() },
    };
    // One mark from before the machine took part, and one from today.
    let lines = [mark(1, 0), mark(2, days(0).timestamp_millis())];
    let text = mark_file::head("o") + &lines.each_ref().map(mark_file::line).concat();
    write(&other, text.as_bytes(), days(-1));
    machine.exchange(days(0));
    assert_eq!(known(&machine), 3);
    // The file is not read again while it is unchanged.
    for (day, marks) in [(1, 3), (179, 3), (180, 3), (181, 1), (900, 1)] {
        machine.exchange(days(day));
        assert_eq!(known(&machine), marks, "day {day}");
    }
    // The file of the other machine still contains the marks, so they are kept for the same time again.
    machine.exchange = Exchange::default();
    machine.exchange(days(900));
    assert_eq!(known(&machine), 3);
}
