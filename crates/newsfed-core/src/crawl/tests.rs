//! Strategies on small synthetic sites with an order that can be worked out by hand.

use super::Kind;
use super::replay::{
    CrawlFigures, Graph, Node, Position, Replayed, again, curve_csv, read, replay, trial,
};
use super::*;
use std::time::Duration;

/// Builds a site from lines such as `index -> list a b; list -> x.csv`. Names of targets end in .csv.
fn site(lines: &[(&str, &[(&str, &str)])]) -> Graph {
    let mut names: Vec<String> = lines.iter().map(|(name, _)| (*name).to_owned()).collect();
    for (_, links) in lines {
        for (to, _) in *links {
            if !names.iter().any(|n| n == to) {
                names.push((*to).to_owned());
            }
        }
    }
    let mut paths: Vec<String> = Vec::new();
    let mut nodes = Vec::new();
    for name in &names {
        let links = lines.iter().find(|(n, _)| n == name).map_or(&[][..], |(_, links)| links);
        let mut numbered = Vec::new();
        for (to, path) in links {
            let node = names.iter().position(|n| n == to).unwrap() as u32;
            let path = paths.iter().position(|p| p == path).unwrap_or_else(|| {
                paths.push((*path).to_owned());
                paths.len() - 1
            });
            numbered.push((node, path as u32, 0));
        }
        let class = match name.rsplit_once('.') {
            Some((_, "csv")) => Class::Target,
            Some((_, "gone")) => Class::Failed,
            _ => Class::Html,
        };
        let target = class == Class::Target;
        let url = format!("https://a.example/{name}");
        nodes.push(Node { url, class, bytes: 10, links: numbered, article: false, target });
    }
    let targets = Targets::files();
    Graph { site: "synthetic".to_owned(), targets, paths, anchors: vec![String::new()], nodes }
}

const MENU: &str = "/html/body/nav/a";
const DATA: &str = "/html/body/main/table.data/tr/td/a.file";

/// Twenty pages without targets, and one list of twenty files that the last link of the menu leads to.
fn library() -> Graph {
    let talk: Vec<String> = (0..20).map(|n| format!("talk/{n}")).collect();
    let files: Vec<String> = (0..20).map(|n| format!("files/{n}.csv")).collect();
    let mut index: Vec<(&str, &str)> = talk.iter().map(|t| (t.as_str(), MENU)).collect();
    index.push(("files/", MENU));
    let list: Vec<(&str, &str)> = files.iter().map(|f| (f.as_str(), DATA)).collect();
    site(&[("", &index), ("files/", &list)])
}

fn crawl(graph: &Graph, kind: Kind, seed: u64) -> Replayed {
    trial(graph, kind, SleepingBanditParameters::default(), seed)
}

fn fetched(graph: &Graph, kind: Kind, seed: u64) -> Vec<String> {
    let visited = crawl(graph, kind, seed).visited;
    let name = |n: u32| graph.nodes[n as usize].url.replace("https://a.example/", "");
    visited.into_iter().flatten().map(name).collect()
}

#[test]
fn simple_strategies_follow_their_order() {
    let graph = site(&[
        ("", &[("a", MENU), ("b", MENU)]),
        ("a", &[("a1", MENU), ("a2.csv", MENU)]),
        ("b", &[("b1", MENU), ("a1", MENU)]),
    ]);
    let cases = [
        (Kind::Bfs, vec!["", "a", "b", "a1", "a2.csv", "b1"]),
        (Kind::Dfs, vec!["", "a", "a1", "a2.csv", "b", "b1"]),
        (Kind::Omniscient, vec!["a2.csv"]),
    ];
    for (kind, expected) in cases {
        assert_eq!(fetched(&graph, kind, 1), expected, "{}", kind.name());
    }
}

#[test]
fn every_strategy_finds_everything_and_repeats_nothing() {
    let graph = library();
    for (kind, name) in Kind::ALL {
        let crawl = crawl(&graph, kind, 7);
        assert_eq!(crawl.found.last(), Some(&20), "{name}");
        let mut visited: Vec<u32> = crawl.visited.into_iter().flatten().collect();
        let requests = visited.len();
        visited.sort_unstable();
        visited.dedup();
        assert_eq!(visited.len(), requests, "{name} requested a URL twice");
    }
}

#[test]
fn same_seed_gives_the_same_crawl() {
    let graph = library();
    for kind in [Kind::Random, Kind::SleepingBandit, Kind::Learned] {
        assert_eq!(fetched(&graph, kind, 3), fetched(&graph, kind, 3), "{}", kind.name());
        let others: Vec<_> = (4..12).map(|seed| fetched(&graph, kind, seed)).collect();
        assert!(others.iter().any(|o| *o != fetched(&graph, kind, 3)), "{}", kind.name());
    }
}

#[test]
fn fetches_files_immediately() {
    let fetched = fetched(&library(), Kind::Learned, 1);
    let list = fetched.iter().position(|n| n == "files/").unwrap();
    let next = &fetched[list + 1..list + 21];
    assert!(next.iter().all(|n| n.ends_with(".csv")), "{next:?}");
}

#[test]
fn figures_are_percentages_of_the_urls() {
    let graph = library();
    let crawls = [crawl(&graph, Kind::Bfs, 0)];
    let figures = CrawlFigures::of(&graph, Kind::Bfs, &crawls, Duration::ZERO);
    // 42 URLs. Requests until 90 %: the start page, 21 links of the menu, and eighteen of the twenty files.
    assert_eq!(graph.nodes.len(), 42);
    assert!((figures.q90_percent_mean - 100.0 * 40.0 / 42.0).abs() < 1e-9);
    assert_eq!(figures.q90_percent_sd, 0.0);
    let csv = curve_csv(&crawls);
    assert_eq!(csv.lines().nth(23), Some("23,1"));
}

#[test]
fn revisit_requests_only_new_links() {
    let older = library();
    let mut newer = library();
    for n in 20..30u32 {
        let url = format!("https://a.example/files/{n}.csv");
        let (class, links) = (Class::Target, Vec::new());
        let at = newer.nodes.len() as u32;
        newer.nodes.push(Node { url, class, bytes: 10, links, article: false, target: true });
        let list = newer.nodes.iter().position(|n| n.url.ends_with("/files/")).unwrap();
        let path = newer.nodes[list].links[0].1;
        newer.nodes[list].links.push((at, path, 0));
    }
    let (new, requests) = again(&older, &newer, 1);
    assert_eq!(new, 10);
    // The start page, the list, and nine of the ten new files.
    assert_eq!(requests, Some(11));
}

#[test]
fn reads_a_recording_or_reports_the_invalid_line() {
    let head = r#"{"meta":{"site":"s","task":"files"},"paths":["/html/a"],"anchors":["x"]}"#;
    let node = r#"["https://a.example/","text/html",10,200,[[1,0,0]]]"#;
    let file = r#"["https://a.example/x","text/csv; charset=utf-8",10,200,[]]"#;
    let graph = read([head, node, file].join("\n").as_bytes(), false).unwrap();
    assert_eq!((graph.nodes.len(), graph.nodes[1].class), (2, Class::Target));
    let bad = [
        (String::new(), "line 1: the file is empty"),
        (format!("{head}\n{{}}"), "line 2: "),
        (format!("{head}\n{node}"), "line 2: a link refers to a node that does not exist"),
    ];
    for (text, why) in bad {
        let error = read(text.as_bytes(), false).unwrap_err().to_string();
        assert!(error.starts_with(why), "{error}");
    }
}

#[test]
fn continues_after_dead_links() {
    let links: &[(&str, &str)] = &[("1.gone", MENU), ("2.gone", MENU), ("x.csv", MENU)];
    let graph = site(&[("", links)]);
    for (kind, name) in Kind::ALL {
        let mut at = Position::start(&graph);
        assert_eq!(at.links.len(), 1);
        if kind == Kind::Learned {
            let mut strategy = LearnedStrategy::new(Targets::files());
            let crawl = replay(&graph, &mut at, &mut strategy, &mut fastrand::Rng::with_seed(1));
            assert_eq!(crawl.visited.len(), 4);
        }
        assert_eq!(crawl(&graph, kind, 1).found.last(), Some(&1), "{name}");
    }
}

#[test]
fn classifies_urls_by_extension() {
    let cases = [
        ("https://a.example/x.csv", Some(Class::Target)),
        ("https://a.example/x.CSV?download=1", Some(Class::Target)),
        ("https://a.example/x.html", Some(Class::Html)),
        ("https://a.example/logo.png", Some(Class::Other)),
        ("https://a.example", None),
        ("https://a.example/", None),
        ("https://a.example/v1.2/notes", None),
        ("https://a.example/.hidden", None),
        ("https://a.example/x.verylongextension", None),
    ];
    for (url, expected) in cases {
        assert_eq!(Targets::files().by_extension(url), expected, "{url}");
    }
    assert_eq!(Targets::data().by_extension("https://a.example/x.txt"), Some(Class::Other));
    assert_eq!(Targets::Articles.by_extension("https://a.example/x.pdf"), Some(Class::Other));
}

#[test]
fn all_published_types_are_targets() {
    // The 38 types in the paper.
    let types = "application/ csv json msword octet-stream pdf rdf+xml rss+xml vnd.ms-excel \
         vnd.ms-excel.sheet.macroenabled.12 vnd.oasis.opendocument.presentation \
         vnd.oasis.opendocument.spreadsheet vnd.oasis.opendocument.text \
         vnd.openxmlformats-officedocument.presentationml.presentation \
         vnd.openxmlformats-officedocument.spreadsheetml.sheet \
         vnd.openxmlformats-officedocument.wordprocessingml.document \
         vnd.openxmlformats-officedocument.wordprocessingml.template vnd.rar x-7z-compressed x-csv \
         x-gtar x-gzip xml x-pdf x-rar-compressed x-tar x-yaml x-zip-compressed yaml zip \
         zip-compressed text/ comma-separated-values csv json plain x-comma-separated-values x-csv \
         x-yaml yaml";
    let (mut family, mut count) = ("", 0);
    for word in types.split_whitespace() {
        if word.ends_with('/') {
            family = word;
            continue;
        }
        count += 1;
        assert_eq!(Targets::files().class(&format!("{family}{word}")), Class::Target, "{word}");
    }
    assert_eq!(count, 38);
    assert_eq!(Targets::data().class("text/plain"), Class::Other);
}

/// Lists with all links in one position and one folder. One in five leads to an article, which can only be
/// recognised by the title in its URL.
fn magazine() -> Graph {
    let words = ["river", "garden", "market", "winter", "bridge", "letter", "harbour", "school"];
    let word = |n: usize| words[n % words.len()];
    let name = |n: usize| match n % 5 {
        0 => format!("{}-and-the-{}-of-{}-{n}", word(n / 5), word(n / 40), word(n / 320)),
        _ => format!("{}{n}", word(n)),
    };
    let lists: Vec<String> = (0..40).map(|n| format!("list/{n}")).collect();
    let pages: Vec<String> = (0..800).map(|n| format!("p/{}", name(n))).collect();
    let index: Vec<(&str, &str)> = lists.iter().map(|l| (l.as_str(), MENU)).collect();
    let links: Vec<Vec<(&str, &str)>> = pages
        .chunks(20)
        .map(|chunk| chunk.iter().map(|page| (page.as_str(), "/html/body/ul/li/a")).collect())
        .collect();
    let mut lines: Vec<(&str, &[(&str, &str)])> = vec![("", &index)];
    lines.extend(lists.iter().zip(&links).map(|(list, links)| (list.as_str(), links.as_slice())));
    let mut graph = site(&lines);
    graph.targets = Targets::Articles;
    for node in &mut graph.nodes {
        node.article = node.url.contains("-and-");
        node.target = node.article;
    }
    graph
}

#[test]
fn recognises_articles_by_their_urls() {
    let graph = magazine();
    let figures = |kind| {
        let crawls: Vec<Replayed> = (0..5).map(|seed| crawl(&graph, kind, seed)).collect();
        CrawlFigures::of(&graph, kind, &crawls, Duration::ZERO).q90_percent_mean
    };
    let (learned, bfs) = (figures(Kind::Learned), figures(Kind::Bfs));
    assert!(bfs > 85.0, "{bfs}");
    assert!(learned < 45.0, "{learned}");
}
