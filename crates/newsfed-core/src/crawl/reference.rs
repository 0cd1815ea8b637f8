//! A second implementation of the published algorithms that is as simple as possible: recursion, dense
//! vectors, and linear searches. The strategies must make the same requests as this implementation.

use super::replay::{CrawlFigures, Graph, Node, Replayed, trial};
use super::*;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// How links are classified as pages or targets.
#[derive(Clone, Copy, PartialEq)]
enum Sorting {
    Classifier,
    Oracle,
    /// Uses an oracle until the groups are fixed.
    OracleFirst,
}

/// A waiting link: its node, its group, and its position in the order of discovery.
type Waiting = (u32, Option<usize>, usize);

struct Group {
    centroid: Vec<f64>,
    members: f64,
    waiting: Vec<u32>,
    /// N and R_mean. In `dom-off`, the number of pages and their mean benefit.
    chosen: f64,
    mean: f64,
}

struct Reference<'a> {
    graph: &'a Graph,
    parameters: SleepingBanditParameters,
    sorting: Sorting,
    random: fastrand::Rng,
    seen: Vec<u32>,
    groups: Vec<Group>,
    vocabulary: Vec<Vec<String>>,
    t: f64,
    labels: Vec<(String, f64)>,
    weights: HashMap<(u8, u8), f64>,
    bias: f64,
    trained: bool,
    headed: HashSet<u32>,
    /// Only for `dom-off`: the number of fetched pages, and the waiting links of both phases.
    pages: usize,
    waiting: Option<Vec<Waiting>>,
    fixed: bool,
    /// The requests made: the node, and whether it is a HEAD request.
    requests: Vec<(u32, bool)>,
}

impl<'a> Reference<'a> {
    fn new(graph: &'a Graph, sorting: Sorting, seed: u64) -> Self {
        Self {
            graph,
            parameters: SleepingBanditParameters::default(),
            sorting,
            random: fastrand::Rng::with_seed(seed),
            seen: vec![0],
            groups: Vec::new(),
            vocabulary: Vec::new(),
            t: 0.0,
            labels: Vec::new(),
            weights: HashMap::new(),
            bias: 0.0,
            trained: false,
            headed: HashSet::new(),
            pages: 0,
            waiting: None,
            fixed: false,
            requests: Vec::new(),
        }
    }

    fn class(&self, node: u32) -> Class {
        let node = &self.graph.nodes[node as usize];
        if node.target { Class::Target } else { node.class }
    }

    /// Fetches a page, classifies its new links, and fetches the targets among them.
    fn crawl(&mut self, node: u32, group: Option<usize>) {
        self.t += 1.0;
        self.requests.push((node, false));
        let class = self.class(node);
        if class == Class::Failed {
            return;
        }
        self.pages += usize::from(class == Class::Html);
        let heads = self.sorting == Sorting::Classifier && !self.trained;
        if !heads && !self.headed.contains(&node) {
            self.label(node, class);
        }
        let mut new = Vec::new();
        for (to, path, _) in &self.graph.nodes[node as usize].links {
            if !self.seen.contains(to) {
                self.seen.push(*to);
                new.push((*to, *path, self.seen.len()));
            }
        }
        let mut reward = 0.0;
        for (to, path, order) in new {
            match self.sort(to) {
                Class::Target => {
                    reward += 1.0;
                    self.crawl(to, None);
                }
                Class::Html => self.wait(to, path, order),
                Class::Other | Class::Failed => {}
            }
        }
        if let Some(group) = group {
            let group = &mut self.groups[group];
            group.mean += (reward - group.mean) / group.chosen;
        }
    }

    fn sort(&mut self, node: u32) -> Class {
        let truth = self.class(node);
        match self.sorting {
            Sorting::Oracle => return truth,
            Sorting::OracleFirst if truth == Class::Target => return Class::Target,
            Sorting::OracleFirst => return Class::Html,
            Sorting::Classifier => {}
        }
        if !self.trained {
            self.requests.push((node, true));
            self.headed.insert(node);
            self.label(node, truth);
            return truth;
        }
        let target = self.probability(&self.graph.nodes[node as usize].url) > 0.5;
        if target { Class::Target } else { Class::Html }
    }

    fn label(&mut self, node: u32, class: Class) {
        let target = match class {
            Class::Html => 0.0,
            Class::Target => 1.0,
            Class::Other | Class::Failed => return,
        };
        self.labels.push((self.graph.nodes[node as usize].url.clone(), target));
        if self.labels.len() == self.parameters.batch {
            for (url, target) in std::mem::take(&mut self.labels) {
                let error = self.probability(&url) - target;
                let length = (url.len() as f64 - 1.0).sqrt();
                for pair in url.as_bytes().windows(2) {
                    let weight = self.weights.entry((pair[0], pair[1])).or_default();
                    *weight -= 0.5 * error / length;
                }
                self.bias -= 0.5 * error;
            }
            self.trained = true;
        }
    }

    fn probability(&self, url: &str) -> f64 {
        let length = (url.len() as f64 - 1.0).sqrt();
        let pairs = url.as_bytes().windows(2).map(|pair| (pair[0], pair[1]));
        let sum: f64 = pairs.map(|pair| self.weights.get(&pair).unwrap_or(&0.0)).sum();
        1.0 / (1.0 + (-(sum / length + self.bias)).exp())
    }

    /// The bag of n-grams of a path, projected to D dimensions.
    fn vector(&mut self, path: u32) -> Vec<f64> {
        let path = &self.graph.paths[path as usize];
        let mut tokens = vec!["^".to_owned()];
        tokens.extend(path.split('/').filter(|t| !t.is_empty()).map(str::to_owned));
        tokens.push("$".to_owned());
        let grams: Vec<&[String]> = tokens.windows(2).collect();
        for gram in &grams {
            if !self.vocabulary.iter().any(|known| known == gram) {
                self.vocabulary.push(gram.to_vec());
            }
        }
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); 1 << 12];
        for (index, known) in self.vocabulary.iter().enumerate() {
            let count = grams.iter().filter(|gram| *gram == known).count();
            let hash = (766_245_317 * index as u64) % (1 << 15) / (1 << 3);
            values[hash as usize].push(count as f64);
        }
        values.into_iter().map(|v| v.iter().sum::<f64>() / v.len().max(1) as f64).collect()
    }

    fn wait(&mut self, node: u32, path: u32, order: usize) {
        let vector = self.vector(path);
        let mut group = None;
        let mut best = self.parameters.theta - 2e-9;
        for (number, known) in self.groups.iter().enumerate() {
            let cosine = cosine(&known.centroid, &vector);
            // Equal except for rounding.
            if cosine > best + 1e-9 {
                (best, group) = (cosine, Some(number));
            }
        }
        if self.fixed {
            self.waiting.as_mut().unwrap().push((node, group, order));
            return;
        }
        let number = group.unwrap_or(self.groups.len());
        if group.is_none() {
            let centroid = vec![0.0; vector.len()];
            let (members, chosen, mean) = Default::default();
            self.groups.push(Group { centroid, members, waiting: Vec::new(), chosen, mean });
        }
        let group = &mut self.groups[number];
        group.members += 1.0;
        for (mean, value) in group.centroid.iter_mut().zip(vector) {
            *mean += (value - *mean) / group.members;
        }
        match &mut self.waiting {
            Some(waiting) => waiting.push((node, Some(number), order)),
            None => group.waiting.push(node),
        }
    }

    fn sleeping_bandit(mut self) -> Vec<(u32, bool)> {
        self.crawl(0, None);
        loop {
            let mut best: Option<(f64, usize)> = None;
            for (number, group) in self.groups.iter().enumerate() {
                let bound = group.mean + 8f64.sqrt() * (self.t.ln() / (group.chosen + 1e-6)).sqrt();
                if !group.waiting.is_empty() && best.is_none_or(|(b, _)| bound > b) {
                    best = Some((bound, number));
                }
            }
            let Some((_, number)) = best else { return self.requests };
            let group = &mut self.groups[number];
            group.chosen += 1.0;
            let node = group.waiting.swap_remove(self.random.usize(..group.waiting.len()));
            self.crawl(node, Some(number));
        }
    }

    fn dom_off(mut self, first_pages: usize) -> Vec<(u32, bool)> {
        self.waiting = Some(Vec::new());
        self.crawl(0, None);
        loop {
            if self.pages >= first_pages {
                self.fixed = true;
                self.sorting = Sorting::Classifier;
            }
            let benefit = |group: Option<usize>| group.map_or(0.0, |g| self.groups[g].mean);
            let waiting = self.waiting.as_mut().unwrap();
            if self.fixed {
                waiting.sort_by(|a, b| benefit(b.1).total_cmp(&benefit(a.1)).then(a.2.cmp(&b.2)));
            }
            if waiting.is_empty() {
                return self.requests;
            }
            let (node, group, _) = waiting.remove(0);
            let group = group.filter(|_| !self.fixed);
            if let Some(group) = group.filter(|_| self.class(node) != Class::Failed) {
                self.groups[group].chosen += 1.0;
            }
            self.crawl(node, group);
        }
    }
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt())
}

/// A site of random pages, files, images and dead links. URLs and paths give hints about what they lead to.
fn site(seed: u64, size: u32) -> Graph {
    let mut random = fastrand::Rng::with_seed(seed);
    let kinds = [Class::Html, Class::Target, Class::Other, Class::Failed];
    let nodes: Vec<Class> = (0..size)
        .map(|n| {
            if n == 0 { Class::Html } else { kinds[[0, 0, 0, 0, 1, 1, 1, 2, 3][random.usize(..9)]] }
        })
        .collect();
    let paths: Vec<String> = (0..24)
        .map(|n| {
            let tail = ["ul.menu/li", "div.list/h2", "table/tr/td", "p"][n % 4];
            format!("/html/body/div.part-{}/section.c{}/{tail}/a", n % 3, n / 4)
        })
        .collect();
    let build = |(n, class): (u32, Class)| {
        let name = match (class, random.u8(..4)) {
            (Class::Target, 0) => format!("get?id={n}"),
            (Class::Target, _) => format!("files/{n}.csv"),
            (Class::Other, _) => format!("img/{n}.png"),
            _ => format!("page/{n}"),
        };
        let count = if class == Class::Html { random.u32(2..14) } else { 0 };
        // The first link of each page leads to the next page, so that every page is reachable.
        let next = (n + 1..size).find(|n| nodes[*n as usize] == Class::Html).unwrap_or(0);
        let links = (0..count).map(|k| {
            let to = if k == 0 { next } else { random.u32(..size) };
            let hint = if nodes[to as usize] == Class::Target { 2 } else { random.u32(..4) };
            (to, 4 * random.u32(..6) + hint, 0)
        });
        let target = class == Class::Target;
        let links = links.collect();
        let bytes = random.u64(100..9_000);
        Node {
            url: format!("https://a.example/{name}"),
            class,
            bytes,
            links,
            article: false,
            target,
        }
    };
    let nodes = (0..).zip(nodes.clone()).map(build).collect();
    let targets = Targets::files();
    Graph { site: "random".to_owned(), targets, paths, anchors: vec![String::new()], nodes }
}

/// The requests of a crawl: the node, and whether it is a HEAD request.
fn requests(graph: &Graph, kind: Kind, first_pages: usize, seed: u64) -> Vec<(u32, bool)> {
    let parameters =
        SleepingBanditParameters { first_pages, ..SleepingBanditParameters::default() };
    let crawl = trial(graph, kind, parameters, seed);
    let fetched = crawl.fetched.iter().zip(&crawl.visited);
    fetched.map(|(node, visited)| (node.unwrap(), visited.is_none())).collect()
}

const SITES: [(u64, u32); 3] = [(1, 60), (2, 150), (3, 260)];

#[test]
fn published_strategies_match_the_reference() {
    for (number, size) in SITES {
        let graph = site(number, size);
        for seed in 0..4 {
            let new = |sorting| Reference::new(&graph, sorting, seed);
            let cases = [
                (Kind::SleepingBandit, 0, new(Sorting::Classifier).sleeping_bandit()),
                (Kind::SbOracle, 0, new(Sorting::Oracle).sleeping_bandit()),
                (Kind::DomOff, 3, new(Sorting::OracleFirst).dom_off(3)),
                (Kind::DomOff, 30, new(Sorting::OracleFirst).dom_off(30)),
                (Kind::DomOff, 3_000, new(Sorting::OracleFirst).dom_off(3_000)),
            ];
            for (kind, first_pages, expected) in cases {
                let measured = requests(&graph, kind, first_pages, seed);
                assert!(expected.len() > size as usize / 3, "{} requests", expected.len());
                let same = expected.iter().zip(&measured).take_while(|(a, b)| a == b).count();
                let name = kind.name();
                let place = format!("{name} {first_pages}, site {number}, seed {seed}");
                assert_eq!(same, expected.len().max(measured.len()), "{place}");
            }
        }
        let targets = (0..size).filter(|n| graph.nodes[*n as usize].target);
        let expected: Vec<(u32, bool)> = targets.map(|n| (n, false)).collect();
        assert_eq!(requests(&graph, Kind::Omniscient, 0, 1), expected);
    }
}

/// The figures of a crawl, computed directly from their definitions.
fn figures(graph: &Graph, crawl: &Replayed) -> (f64, Option<f64>, f64) {
    let bytes = |target| -> f64 {
        graph.nodes.iter().filter(|n| n.target == target).map(|n| n.bytes as f64).sum()
    };
    let targets = graph.nodes.iter().filter(|n| n.target).count() as f64;
    let urls = graph.nodes.len() as f64;
    let first = |requests: usize, target: bool, value: &dyn Fn(&Node) -> f64| -> f64 {
        let visited = crawl.visited.iter().take(requests).flatten();
        let nodes = visited.map(|n| &graph.nodes[*n as usize]);
        nodes.filter(|n| n.target == target).map(value).sum()
    };
    let all = 0..=crawl.visited.len();
    let found = |requests: usize| first(requests, true, &|_| 1.0);
    let size = |node: &Node| node.bytes as f64;
    let q90 = all.clone().find(|n| found(*n) >= 0.9 * targets);
    let v90 = all.clone().find(|n| first(*n, true, &size) >= 0.9 * bytes(true));
    let area = (1..=graph.nodes.len()).map(|n| found(n) / targets).sum::<f64>() / urls;
    (
        q90.map_or(200.0, |n| 100.0 * n as f64 / urls),
        v90.map(|n| 100.0 * first(n, false, &size) / bytes(false)),
        area,
    )
}

#[test]
fn figures_match_their_definitions() {
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    for (number, size) in SITES {
        let graph = site(number, size);
        for (kind, name) in Kind::ALL {
            let crawl = trial(&graph, kind, SleepingBanditParameters::default(), 5);
            let (q90, v90, area) = figures(&graph, &crawl);
            let measured = CrawlFigures::of(&graph, kind, &[crawl], Duration::ZERO);
            assert!(close(measured.q90_percent_mean, q90), "{name}: {q90}, {measured:?}");
            assert!(close(measured.area_mean, area), "{name}: {area}, {measured:?}");
            let volume = measured.v90_percent_mean;
            let same = close(volume.unwrap_or(-1.0), v90.unwrap_or(-1.0));
            assert!(same, "{name}: {v90:?}, {measured:?}");
            if kind == Kind::Omniscient {
                assert_eq!(v90, Some(0.0));
            }
        }
    }
}

#[test]
fn figures_are_missing_if_targets_are_never_found() {
    let mut graph = site(1, 60);
    let lost = graph.nodes.len() as u32;
    for n in lost..2 * lost {
        let url = format!("https://a.example/lost/{n}.csv");
        let (class, links) = (Class::Target, Vec::new());
        graph.nodes.push(Node { url, class, bytes: 9_000, links, article: false, target: true });
    }
    let crawl = trial(&graph, Kind::Bfs, SleepingBanditParameters::default(), 1);
    let figures = CrawlFigures::of(&graph, Kind::Bfs, &[crawl], Duration::ZERO);
    assert_eq!((figures.v90_percent_mean, figures.unreached), (None, 1));
    assert_eq!((figures.q90_percent_mean, figures.bytes90_percent_mean), (200.0, 200.0));
    assert_eq!(figures.milestones[9].requests_percent, None);
    assert!(figures.milestones[0].requests_percent.is_some());
}
