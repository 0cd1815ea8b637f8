//! Sites with endless or worthless parts. A crawl must find nearly as many targets as without these parts.

use super::replay::{Graph, Node, Position, replay};
use super::*;
use std::collections::HashMap;

/// A site that is built link by link.
#[derive(Default)]
struct Site {
    nodes: Vec<Node>,
    numbers: HashMap<String, u32>,
    paths: Vec<String>,
    anchors: Vec<String>,
}

const MENU: &str = "/html/body/nav.menu/ul/li/a";
const LIST: &str = "/html/body/main#content/ul.list/li/h3/a";
const DATA: &str = "/html/body/main#content/table.files/tr/td/a.file";
const FOOT: &str = "/html/body/footer/p/a";
const SIDE: &str = "/html/body/aside.box/ul/li/a";

impl Site {
    fn page(&mut self, path: &str) -> u32 {
        if let Some(number) = self.numbers.get(path) {
            return *number;
        }
        let class = match path {
            path if path.ends_with(".csv") => Class::Target,
            path if path.contains("gone") => Class::Failed,
            _ => Class::Html,
        };
        let number = self.nodes.len() as u32;
        let target = class == Class::Target;
        let url = format!("https://a.example/{path}");
        let links = Vec::new();
        self.nodes.push(Node { url, class, bytes: 10, links, article: false, target });
        self.numbers.insert(path.to_owned(), number);
        number
    }

    fn link(&mut self, from: &str, to: &str, place: &str, anchor: &str) {
        let (from, to) = (self.page(from), self.page(to));
        let number = |texts: &mut Vec<String>, text: &str| {
            texts.iter().position(|t| t == text).unwrap_or_else(|| {
                texts.push(text.to_owned());
                texts.len() - 1
            }) as u32
        };
        let (path, anchor) = (number(&mut self.paths, place), number(&mut self.anchors, anchor));
        self.nodes[from as usize].links.push((to, path, anchor));
    }

    /// The paths of all pages.
    fn pages(&self) -> Vec<String> {
        let path = |node: &Node| node.url["https://a.example/".len()..].to_owned();
        self.nodes.iter().filter(|node| node.class == Class::Html).map(path).collect()
    }

    /// The links to other pages as paths.
    fn links_of(&self, from: &str) -> Vec<(String, String)> {
        let node = &self.nodes[self.numbers[from] as usize];
        let path = |n: u32| self.nodes[n as usize].url["https://a.example/".len()..].to_owned();
        node.links
            .iter()
            .map(|(to, place, _)| (path(*to), self.paths[*place as usize].clone()))
            .collect()
    }

    fn graph(self) -> Graph {
        Graph {
            site: "trap".to_owned(),
            targets: Targets::files(),
            paths: self.paths,
            anchors: self.anchors,
            nodes: self.nodes,
        }
    }
}

/// 40 categories with 15 topics each. Three in four topics have a file. If `deep`, the file is one page
/// further away.
fn catalog(deep: bool) -> Site {
    let mut site = Site::default();
    site.page("");
    for page in ["about", "contact", "help/"] {
        site.link("", page, MENU, page);
    }
    for c in 0..40 {
        let category = format!("category-{c}/");
        site.link("", &category, LIST, &format!("Category {c}"));
        for t in 0..15 {
            let mut topic = format!("{category}topic-{t}/");
            site.link(&category, &topic, LIST, &format!("Topic {t}"));
            if deep {
                let details = format!("{topic}details/");
                site.link(&topic, &details, LIST, "Details");
                topic = details;
            }
            if t % 4 != 3 {
                site.link(&topic, &format!("data/{c}-{t}.csv"), DATA, "Download");
            }
        }
    }
    site
}

/// Adds copies of all pages below a prefix, with links among themselves and to the same files.
fn copies(site: &mut Site, prefix: &str) {
    let pages = site.pages();
    for page in &pages {
        for (to, place) in site.links_of(page) {
            let to = if to.ends_with(".csv") { to } else { format!("{prefix}{to}") };
            site.link(&format!("{prefix}{page}"), &to, &place, "Copy");
        }
    }
    for page in pages {
        site.link(&page, &format!("{prefix}{page}"), FOOT, prefix);
    }
}

/// The name of a trap, and the function that builds it into a site.
type Trap = (&'static str, fn(&mut Site));

const TRAPS: [Trap; 20] = [
    ("relative link in each footer", |site| {
        for page in site.pages() {
            let mut from = page;
            for _ in 0..20 {
                let to = format!("{from}deep/x/");
                site.link(&from, &to, FOOT, "More");
                from = to;
            }
        }
    }),
    ("relative link on one page", |site| {
        let mut from = "help/".to_owned();
        for _ in 0..270 {
            let to = format!("{from}deep/x/");
            site.link(&from, &to, LIST, "More");
            from = to;
        }
    }),
    ("relative links that fork", |site| {
        let mut level = vec!["help/".to_owned()];
        for _ in 0..7 {
            let next: Vec<(String, String)> = level
                .iter()
                .flat_map(|from| {
                    ["a/", "b/", "c/"].map(|end| (from.clone(), format!("{from}{end}")))
                })
                .collect();
            for (from, to) in &next {
                site.link(from, to, LIST, "More");
            }
            level = next.into_iter().map(|(_, to)| to).collect();
        }
    }),
    ("calendar", |site| {
        site.link("", "calendar/2026-0", MENU, "Calendar");
        for month in 0..300 {
            let here = format!("calendar/2026-{month}");
            site.link(&here, &format!("calendar/2026-{}", month + 1), SIDE, "Next");
            for day in 0..12 {
                site.link(&here, &format!("{here}/day-{day}"), SIDE, &day.to_string());
            }
        }
    }),
    ("facets", |site| {
        for page in site.pages().into_iter().filter(|page| page.matches('/').count() == 1) {
            for a in 0..8 {
                for b in 0..8 {
                    let to = format!("{page}?color={a}&size={b}");
                    site.link(&page, &to, SIDE, &format!("Filter {a}"));
                    site.link(&to, &format!("{page}?color={b}&size={a}"), SIDE, "Filter");
                }
            }
        }
    }),
    ("session ids", |site| {
        for session in ["s/1a/", "s/2b/", "s/3c/"] {
            copies(site, session);
        }
    }),
    ("mirror", |site| copies(site, "mirror/")),
    ("languages", |site| {
        copies(site, "de/");
        copies(site, "fr/");
    }),
    ("print versions", |site| {
        for page in site.pages() {
            site.link(&page, &format!("{page}print.html"), FOOT, "Print");
        }
    }),
    ("login wall", |site| {
        for page in site.pages() {
            for n in 0..5 {
                let to = format!("login?next={page}&n={n}");
                site.link(&page, &to, SIDE, "Log in");
                site.link(&to, "login/help", FOOT, "Help");
            }
        }
    }),
    ("soft 404", |site| {
        for page in site.pages() {
            for n in 0..4 {
                let to = format!("search?q={page}{n}");
                site.link(&page, &to, LIST, "Not found");
                site.link(&to, &format!("search?q={page}{n}+"), LIST, "Did you mean");
            }
        }
    }),
    ("redirect ring", |site| {
        for page in site.pages() {
            for n in 0..4 {
                site.link(&page, &format!("gone/{page}{n}"), LIST, "Old address");
            }
        }
    }),
    ("replies to comments", |site| {
        for page in site.pages() {
            for n in 0..10 {
                site.link(&page, &format!("{page}?replytocom={n}"), SIDE, "Reply");
            }
        }
    }),
    ("sort orders", |site| {
        for page in site.pages() {
            for by in ["name", "date", "size"] {
                for order in ["up", "down"] {
                    let to = format!("{page}?sort={by}&order={order}");
                    site.link(&page, &to, DATA, by);
                    for (link, place) in site.links_of(&page).into_iter().take(3) {
                        site.link(&to, &link, &place, "Same");
                    }
                }
            }
        }
    }),
    ("tags", |site| {
        for tag in 0..2_000 {
            let here = format!("tag/{tag}");
            site.link("help/", &here, SIDE, "Tag");
            for n in 1..4 {
                site.link(&here, &format!("tag/{}", (tag * 7 + n) % 2_000), SIDE, "Tag");
            }
        }
    }),
    ("endless pages of a list", |site| {
        for n in 0..2_900 {
            let here = if n == 0 { "help/".to_owned() } else { format!("help/?page={n}") };
            site.link(&here, &format!("help/?page={}", n + 1), LIST, "Next");
        }
    }),
    ("users", |site| {
        for user in 0..2_900 {
            let here = format!("users/name{user}");
            site.link("about", &format!("users/name{}", user % 20), LIST, "User");
            for n in 1..6 {
                site.link(&here, &format!("users/name{}", (user * 5 + n) % 2_900), LIST, "Friend");
            }
        }
    }),
    ("history of each page", |site| {
        for page in site.pages() {
            let history = format!("{page}history");
            site.link(&page, &history, MENU, "History");
            for n in 0..6 {
                site.link(&history, &format!("{page}diff/{n}"), LIST, "Compare");
            }
        }
    }),
    ("maze of random words", |site| {
        let mut random = fastrand::Rng::with_seed(9);
        let mut word = || (0..8).map(|_| random.lowercase()).collect::<String>();
        let mut level = vec!["help/".to_owned()];
        while site.nodes.len() < 5_000 {
            let mut next = Vec::new();
            for from in level {
                for _ in 0..3 {
                    let to = format!("{}/{}/", word(), word());
                    site.link(&from, &to, LIST, &word());
                    next.push(to);
                }
            }
            level = next;
        }
    }),
    ("all at once", |site| {
        for n in [1, 2, 3, 14, 18] {
            TRAPS[n].1(site);
        }
    }),
];

/// Stops after a number of requests.
struct Budget<'a>(&'a mut dyn Strategy, usize);

impl Strategy for Budget<'_> {
    fn next(&mut self, known: &mut Known<'_>) -> Option<NextRequest> {
        self.1 = self.1.checked_sub(1)?;
        self.0.next(known)
    }
    fn visited(&mut self, link: LinkId, visit: &Visit<'_>, known: &mut Known<'_>) {
        self.0.visited(link, visit, known);
    }
    fn labelled(&mut self, link: LinkId, class: Class, known: &mut Known<'_>) {
        self.0.labelled(link, class, known);
    }
}

/// Maximum number of requests of a crawl.
const REQUESTS: usize = 3_000;

/// Number of files that a crawl finds.
fn found(graph: &Graph, kind: Kind, seed: u64) -> u32 {
    let mut strategy = kind.living(&graph.targets, SleepingBanditParameters::default()).unwrap();
    let mut limited = Budget(&mut *strategy, REQUESTS);
    let random = &mut fastrand::Rng::with_seed(seed);
    let crawl = replay(graph, &mut Position::start(graph), &mut limited, random);
    crawl.found.last().copied().unwrap_or(0)
}

/// The traps and seeds with which a crawl of the site finds fewer than nine in ten of the files.
fn trapped(deep: bool, seeds: std::ops::RangeInclusive<u64>) -> Vec<String> {
    let whole = found(&catalog(deep).graph(), Kind::Learned, 1);
    assert_eq!(whole, 40 * 12);
    let mut trapped = Vec::new();
    for (name, build) in TRAPS {
        let mut site = catalog(deep);
        build(&mut site);
        let graph = site.graph();
        for seed in seeds.clone() {
            let found = found(&graph, Kind::Learned, seed);
            if found * 10 < whole * 9 {
                trapped.push(format!("{name}, seed {seed}: {found} of {whole}"));
            }
        }
    }
    trapped
}

#[test]
fn crawls_find_nearly_all_files_despite_traps() {
    assert_eq!(trapped(false, 1..=5), Vec::<String>::new());
}

#[test]
fn crawls_of_a_deep_site_survive_traps() {
    assert_eq!(trapped(true, 1..=2), Vec::<String>::new());
}
