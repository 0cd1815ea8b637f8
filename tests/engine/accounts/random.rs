//! Random changes of marks on three sides, with failures.

#![allow(clippy::print_stdout, reason = "prints its seeds and counts")]

use super::*;

/// Number of steps before everything is synchronised.
const STEPS: usize = 100;
const ENDPOINTS: [&str; 5] = ["edit-tag", "edit-tag", "items/ids", "starred", "token"];
const FAILURES: [Failure; 8] = [
    Failure::Status(401),
    Failure::Status(429),
    Failure::Status(500),
    Failure::Drop,
    Failure::Late,
    Failure::Lost,
    Failure::Cut,
    Failure::Html,
];
/// Maximum number of lost requests, because a mark is given up and reported after the third.
const MAX_LOST: usize = 2;
/// The index of the side that changes marks on the server's web pages.
const WEB: usize = 2;

/// A mark of an item; `true` is read, `false` is pinned.
type Cell = (i64, bool);

/// While this value exists, only `advance` moves the clock, so that retries take no real time.
struct Still(#[expect(dead_code, reason = "open while the clock is stopped")] Opened);
type Opened = std::sync::mpsc::Sender<()>;

impl Still {
    fn new() -> Self {
        tokio::time::pause();
        let (open, closed) = std::sync::mpsc::channel();
        // The paused clock does not advance automatically while a blocking task is running.
        tokio::task::spawn_blocking(move || closed.recv());
        Self(open)
    }
}

/// Skips the delays between retries. Skipping the request timeout of a minute takes 1,200 rounds.
async fn without_pauses<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        let moment = tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(1)));
        tokio::select! {
            biased;
            done = &mut work => return done,
            _ = moment => tokio::time::advance(Duration::from_millis(50)).await,
        }
    }
}

/// Two instances of newsfed, and the web pages of a server.
struct Sides {
    server: Reader,
    engines: [Handle; 2],
    /// Row keys of the items in each instance, by identifier.
    keys: [BTreeMap<i64, i64>; 2],
    random: fastrand::Rng,
    /// The sides that have changed a mark since the last synchronisation, and the last value of the mark.
    changed: BTreeMap<Cell, ([bool; 3], bool)>,
    lost: usize,
    epoch: usize,
}

impl Sides {
    /// A random mark, the side that changes it, and the new value. Most marks are changed by one side only.
    fn next(&mut self) -> (usize, Cell, bool) {
        let random = &mut self.random;
        let at = random.usize(..self.keys[0].len());
        let id = *self.keys[0].keys().nth(at).unwrap();
        let is_read = random.bool();
        let own = (at + usize::from(is_read) + self.epoch) % 3;
        let side = if random.u8(..5) > 0 { own } else { random.usize(..3) };
        (side, (id, is_read), random.bool())
    }

    async fn change(&mut self, side: usize, (id, is_read): Cell, to: bool) {
        if side == WEB {
            let mut world = self.server.world();
            let item = world.items.get_mut(&id).unwrap();
            *(if is_read { &mut item.read } else { &mut item.starred }) = to;
        } else {
            let kind = if is_read { Mark::Read } else { Mark::Pinned };
            self.engines[side].mark(kind, vec![self.keys[side][&id]], to).await.unwrap();
        }
        let (sides, last) = self.changed.entry((id, is_read)).or_insert(([false; 3], to));
        (sides[side], *last) = (true, to);
    }

    /// Makes several requests fail, so that some synchronisations fail.
    fn fail(&mut self) {
        let mut failure = FAILURES[self.random.usize(..FAILURES.len())];
        let times = match failure {
            Failure::Lost if self.lost == MAX_LOST => {
                failure = Failure::Cut;
                1
            }
            Failure::Lost => {
                self.lost += 1;
                1
            }
            _ => self.random.usize(1..=4),
        };
        let endpoint = ENDPOINTS[self.random.usize(..ENDPOINTS.len())];
        self.server.world().fail(endpoint, failure, times);
    }

    /// Synchronises one side, possibly while its user changes more marks.
    async fn synchronise(&mut self, side: usize) -> bool {
        let engine = self.engines[side].clone();
        if self.random.u8(..3) > 0 {
            return without_pauses(try_sync(&engine, false)).await.is_ok();
        }
        let (changes, yields) = (self.random.usize(1..4), self.random.usize(..300));
        let both = async {
            let marks = async {
                for _ in 0..changes {
                    for _ in 0..yields {
                        tokio::task::yield_now().await;
                    }
                    let (_, cell, to) = self.next();
                    self.change(side, cell, to).await;
                }
            };
            tokio::join!(try_sync(&engine, false), marks)
        };
        without_pauses(both).await.0.is_ok()
    }

    /// Makes random changes, and then synchronises everything. Returns the number of synchronisations and of
    /// failures.
    async fn epoch(&mut self) -> [usize; 2] {
        let mut syncs = [0; 2];
        for _ in 0..STEPS {
            if self.random.u8(..5) > 0 {
                let (side, cell, to) = self.next();
                self.change(side, cell, to).await;
                continue;
            }
            if self.random.bool() {
                self.fail();
            }
            let side = self.random.usize(..WEB);
            syncs[0] += 1;
            syncs[1] += usize::from(!self.synchronise(side).await);
            self.server.world().failures.clear();
        }
        for _ in 0..2 {
            for engine in &self.engines {
                synced(engine).await;
            }
        }
        (self.epoch, self.lost) = (self.epoch + 1, 0);
        syncs
    }

    /// Checks that all sides have the same marks, and that marks changed by only one side have the value from
    /// that side.
    fn check(&mut self, what: &str) -> usize {
        let [first, there] = marks(&self.engines[0], &self.server);
        let [second, _] = marks(&self.engines[1], &self.server);
        assert_eq!((&first, &second), (&there, &there), "{what}");
        let mut alone = 0;
        for ((id, is_read), (sides, last)) in std::mem::take(&mut self.changed) {
            let (read, pinned) = there[&id];
            if sides.iter().filter(|side| **side).count() == 1 {
                let now = if is_read { read } else { pinned };
                assert_eq!(now, last, "{what}: item {id}, read: {is_read}, sides {sides:?}");
                alone += 1;
            }
        }
        alone
    }
}

async fn converges(kind: Kind, seed: u64, steps: usize) {
    let server = reader(kind, 2, 10);
    let homes = [home_of(&server), home_of(&server)];
    let engines = [homes[0].on_demand().await, homes[1].on_demand().await];
    for engine in &engines {
        synced(engine).await;
    }
    let keys = |engine: &Handle| local(engine).into_iter().map(|(id, m)| (id, m.0)).collect();
    let keys = [keys(&engines[0]), keys(&engines[1])];
    let random = fastrand::Rng::with_seed(seed);
    let changed = BTreeMap::new();
    let mut sides = Sides { server, engines, keys, random, changed, lost: 0, epoch: 0 };
    let still = Still::new();
    let (mut syncs, mut failed, mut alone) = (0, 0, 0);
    for epoch in 1..=steps / STEPS {
        let [all, bad] = sides.epoch().await;
        (syncs, failed) = (syncs + all, failed + bad);
        alone += sides.check(&format!("{kind:?}, seed {seed}, epoch {epoch}"));
    }
    println!("{kind:?}, seed {seed}: {steps} steps, {syncs} synchronisations, {failed} failed");
    println!("{alone} marks changed by one side");
    assert!(failed > 0 && alone > 0);
    drop(still);
    tokio::time::resume();
    for engine in sides.engines {
        engine.shutdown().await;
    }
}

/// Two instances of newsfed and a web client change marks at random, with failures. In the end, all three
/// sides have the same marks, and a mark that only one side changed has the value from that side.
#[tokio::test]
async fn random_marks_converge() {
    for (kind, seed) in [(Kind::FreshRss, 1), (Kind::Miniflux, 2)] {
        converges(kind, seed, 300).await;
    }
}

/// The same test with more steps.
#[tokio::test]
#[ignore = "10,000 steps take a minute"]
async fn many_random_marks_converge() {
    for (kind, seed) in [(Kind::FreshRss, 3), (Kind::Miniflux, 4)] {
        converges(kind, seed, 5000).await;
    }
}
