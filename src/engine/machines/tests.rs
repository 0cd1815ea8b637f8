use super::exchange::Exchange;
use crate::model::{Entry, Outcome, PollRecord, Source, SourceId, Time};
use crate::store::{FinishedPoll, Mark, Rule, Rules, Scope, Store, View, prepare};
use chrono::TimeDelta;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Items of the feed that all machines follow.
const ITEMS: usize = 24;

/// A machine with its copy of the folder.
struct Machine {
    name: &'static str,
    _files: tempfile::TempDir,
    folder: PathBuf,
    store: Store,
    exchange: Exchange,
    /// By how much its clock is ahead.
    skew: TimeDelta,
    /// How many items of the feed it has.
    items: usize,
}

/// The marks of an item by which two machines are compared.
type Marks = BTreeMap<String, BTreeSet<&'static str>>;

impl Machine {
    fn new(name: &'static str, skew: TimeDelta) -> Self {
        let files = tempfile::tempdir().unwrap();
        let store = Store::open(&files.path().join("newsfed.db")).unwrap();
        // Machines have other ids for a source, and write its URL in other ways.
        let url =
            if name == "a" { "http://Site.example/feed/" } else { "https://site.example/feed" };
        let source = Source::feed(SourceId(format!("site-{name}")), url.parse().unwrap());
        store.reconcile_blocking(vec![source], time(0)).unwrap();
        let folder = files.path().join("shared");
        Self { name, folder, _files: files, store, exchange: Exchange::default(), skew, items: 0 }
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

    /// Its own file.
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

/// Delivers all files, and lets all machines read them.
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
fn machines_agree_and_no_mark_is_lost() {
    let steps = std::env::var("NEWSFED_STEPS").ok().and_then(|n| n.parse().ok()).unwrap_or(500);
    let mut random = fastrand::Rng::with_seed(22);
    let skews = [TimeDelta::zero(), TimeDelta::days(-400), TimeDelta::hours(7)];
    let mut machines: Vec<Machine> = ["a", "b", "c"]
        .into_iter()
        .zip(skews)
        .map(|(name, skew)| Machine::new(name, skew))
        .collect();
    // Versions of files that may arrive late.
    let mut sent: HashMap<usize, Vec<Vec<u8>>> = HashMap::new();
    // The last change of each mark since all agreed, by machine.
    let mut changes: BTreeMap<(String, &str), BTreeMap<usize, bool>> = BTreeMap::new();
    let mut compared = 0;
    for step in 1..=steps {
        let at = i64::from(step);
        let this = random.usize(..3);
        let machine = &mut machines[this];
        match random.u32(..20) {
            0 => machine.poll((machine.items + random.usize(1..4)).min(ITEMS)),
            1..=9 if machine.items > 0 => {
                let title = format!("Item {}", random.usize(..machine.items));
                let mark = ["read", "read", "pin", "later", "News", "x y"][random.usize(..6)];
                let on = random.bool();
                let before = machine.marks()[&title].contains(mark);
                machine.mark(&title, mark, on);
                if before != on {
                    changes.entry((title, mark)).or_default().insert(this, on);
                }
            }
            10..=13 => drop(machine.exchange(time(at))),
            // Ended between storing and writing.
            14 => while machine.store.prepare_marks_blocking(time(at) + machine.skew).unwrap() {},
            15 => machine.exchange = Exchange::default(),
            // Its own file is cut, or replaced by an old one.
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
            machines.iter_mut().for_each(|machine| machine.poll(ITEMS));
            synchronise(&mut machines, at);
            let all: Vec<Marks> = machines.iter().map(Machine::marks).collect();
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
    assert!(compared > 5, "{compared}");
}

/// A machine that takes part from the start, with a rule that tags every item.
fn with_rule(name: &'static str, first_unread: Option<u32>) -> Machine {
    let mut machine = Machine::new(name, TimeDelta::zero());
    let rule = Rule {
        name: "all".to_owned(),
        query: "title:item".parse().unwrap(),
        effects: vec!["tag:News".parse().unwrap()],
        until: None,
        stop: false,
    };
    machine.store.set_rules(Rules::new(vec![rule], |_| vec![]).first_unread(first_unread));
    machine.exchange(time(0));
    machine
}

#[test]
fn what_happens_at_arrival_undoes_nothing_elsewhere() {
    let mut machines = vec![with_rule("a", None)];
    machines[0].poll(6);
    machines[0].exchange(time(1));
    machines[0].mark("Item 2", "News", false);
    machines[0].exchange(time(2));
    // Another one follows the feed later, with the same rule and only two unread items.
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
fn a_mark_changes_no_other_mark_of_its_item() {
    let mut machines =
        vec![Machine::new("a", TimeDelta::zero()), Machine::new("b", TimeDelta::zero())];
    machines.iter_mut().for_each(|machine| machine.poll(3));
    synchronise(&mut machines, 1);
    machines[0].mark("Item 1", "pin", true);
    // The other knows the mark, but its source had another URL when it came.
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
