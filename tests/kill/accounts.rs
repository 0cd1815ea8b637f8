//! Kills during account synchronisation.

use super::reader::{Item, Kind, PASSWORD, Reader};
use super::{check_database, command, items, kill_after, variable};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Number of kills before everything is synchronised and a new database is used.
const KILLS: u64 = 10;
const FEEDS: i64 = 3;
const ITEMS: i64 = 400;

/// The read and pinned marks of items, by URL.
type Marks = BTreeMap<String, (bool, bool)>;

/// A database with an account on its own server. Each item is marked on one side only: by the user of
/// newsfed, or on the server's web pages.
struct Home {
    folder: tempfile::TempDir,
    server: Reader,
    /// The marks that newsfed has acknowledged, or that were set on the server.
    wanted: Marks,
    /// The URLs of the items in the database, with their numbers.
    known: BTreeMap<String, String>,
    added: i64,
}

impl Home {
    fn new(kind: Kind) -> Self {
        let server = Reader::start(kind, FEEDS, ITEMS, chrono::Utc::now().timestamp());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, PASSWORD).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let (url, file) = (&server.url, file.display());
        let account = format!(
            "[[account]]\nid = \"home\"\nurl = \"{url}\"\nuser = \"alice\"\npassword_file = \"{file}\"\n"
        );
        std::fs::create_dir(folder.path().join("config")).unwrap();
        std::fs::write(folder.path().join("config/config.toml"), account).unwrap();
        Self { folder, server, wanted: Marks::new(), known: BTreeMap::new(), added: ITEMS }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn there(&self) -> Marks {
        let world = self.server.world();
        world.items.values().map(|i| (world.page(i), (i.read, i.starred))).collect()
    }

    /// Marks items on the server, and adds a new one.
    fn change_there(&mut self, random: &mut fastrand::Rng) {
        let mut world = self.server.world();
        let ids: Vec<i64> = world.items.keys().copied().filter(|id| id % 2 == 1).collect();
        for _ in 0..10 {
            let mut item = world.items[&ids[random.usize(..ids.len())]].clone();
            (item.read, item.starred) = (random.bool(), random.u8(..10) == 0);
            self.wanted.insert(world.page(&item), (item.read, item.starred));
            let same = |other: &&mut Item| (other.feed, other.number) == (item.feed, item.number);
            *world.items.values_mut().find(same).unwrap() = item.clone();
        }
        self.added += 1;
        let (number, now) = (self.added, world.now);
        world.add(1, number, now, now);
    }

    /// Marks items in newsfed.
    fn change_here(&mut self, random: &mut fastrand::Rng) {
        let own: BTreeSet<String> = {
            let world = self.server.world();
            let own = world.items.iter().filter(|(id, _)| *id % 2 == 0);
            own.map(|(_, item)| world.page(item)).collect()
        };
        let own: Vec<(&String, &String)> =
            self.known.iter().filter(|(url, _)| own.contains(*url)).collect();
        if own.is_empty() {
            return;
        }
        for verb in ["read", "unread", "pin", "unpin"] {
            let some = (0..random.usize(1..8)).map(|_| own[random.usize(..own.len())]);
            let some: BTreeMap<&String, &String> = some.collect();
            let mut args = vec![verb];
            args.extend(some.values().map(|number| number.as_str()));
            assert!(command(self.path(), &args).status().unwrap().success(), "{args:?}");
            for url in some.into_keys() {
                let (read, pinned) = self.wanted.entry(url.clone()).or_default();
                match verb {
                    "read" | "unread" => *read = verb == "read",
                    _ => *pinned = verb == "pin",
                }
            }
        }
    }

    /// Checks the database after a kill; returns its marks.
    fn check(&mut self, what: &str) -> Marks {
        let all = items(self.path());
        let text = |item: &Value| item["url"].as_str().unwrap().to_owned();
        let here: Marks = all
            .iter()
            .map(|item| (text(item), (item["read"] == true, item["pinned"] == true)))
            .collect();
        assert_eq!(here.len(), all.len(), "{what}: an item is there twice");
        let known: BTreeMap<String, String> =
            all.iter().map(|item| (text(item), item["number"].to_string())).collect();
        for (url, number) in &self.known {
            assert_eq!(known.get(url), Some(number), "{what}: an item is gone");
        }
        self.known = known;
        let world = self.server.world();
        for (id, item) in &world.items {
            let (url, there) = (world.page(item), (item.read, item.starred));
            let Some(wanted) = self.wanted.get(&url) else { continue };
            // Marks that were set on one side keep their values there, whatever the state of the other side.
            let own = if id % 2 == 0 { here[&url] } else { there };
            assert_eq!(own, *wanted, "{what}: {url}");
        }
        here
    }

    /// Starts a synchronisation, and kills it shortly after a random request.
    fn kill_sync(&self, random: &mut fastrand::Rng) {
        self.server.world().requests();
        let mut child = command(self.path(), &["account", "sync"]).spawn().unwrap();
        let requests = random.usize(..14);
        while self.server.world().log.len() < requests && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        // Often kills immediately, because there is little work after some requests.
        let most = if random.bool() { 1000 } else { 30_000 };
        kill_after(child, Duration::from_micros(random.u64(0..most)));
    }

    fn synchronise(&self) {
        let output = command(self.path(), &["account", "sync"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn synchronisation_continues_after_kills() {
    let (rounds, seed) = (variable("NEWSFED_KILLS", 20), variable("NEWSFED_SEED", 1));
    println!("{rounds} rounds, seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut places, mut fetched) = (BTreeMap::<String, u64>::new(), 0);
    let mut homes = 0;
    for first in (0..rounds).step_by(KILLS as usize) {
        homes += 1;
        let kind = if homes % 2 == 1 { Kind::FreshRss } else { Kind::Miniflux };
        let mut home = Home::new(kind);
        for round in first..rounds.min(first + KILLS) {
            let what = format!("{kind:?}, round {round}");
            home.change_there(&mut random);
            let missing = home.server.world().items.len() - home.known.len();
            home.kill_sync(&mut random);
            {
                let world = home.server.world();
                let last = world.log.last().map_or("no request", |(endpoint, _)| endpoint.as_str());
                *places.entry(last.to_owned()).or_default() += 1;
                let contents = world.log.iter().filter(|(of, _)| of == "stream/items/contents");
                // Resumed synchronisation does not request stored items again, except to identify the server
                // and to check pins that are no longer listed.
                let requested: usize = contents.map(|(_, ids)| *ids).sum();
                assert!(requested <= missing + 60, "{what}: {requested} of {missing}");
            }
            home.check(&what);
            check_database(home.path(), &what);
            home.change_here(&mut random);
            home.check(&what);
        }
        let what = format!("{kind:?}, seed {seed}, after round {first} and the following");
        for _ in 0..2 {
            home.server.world().requests();
            home.synchronise();
        }
        assert_eq!(home.server.world().log.len(), 3, "{what}: nothing is left to do");
        let here = home.check(&what);
        assert_eq!(here, home.there(), "{what}");
        fetched += here.len();
    }
    println!("{fetched} items in {homes} databases; kills after {places:?}");
}
