//! Requests to servers in the scenarios of `tests/data/manners.toml`.

use super::*;
use newsfed::model::{SourceRules, WebsiteRules};
use newsfed::util::clock::Sleep;
use serde::Deserialize;
use std::sync::Mutex;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenarios {
    scenario: Vec<Scenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    id: String,
    why: String,
    #[serde(default = "one_feed")]
    sources: Vec<String>,
    /// Minimum number of seconds between two requests to the same host.
    #[serde(default)]
    spacing: u32,
    steps: Vec<Vec<String>>,
    replies: BTreeMap<String, Vec<Answer>>,
}

/// The host names in the scenarios.
const HOSTS: [&str; 2] = ["one.example", "two.example"];

fn one_feed() -> Vec<String> {
    vec!["/feed".to_owned()]
}

/// A reply of the server; its body is a feed by default.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(default = "ok")]
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default = "one")]
    items: usize,
    #[serde(default = "media_type")]
    r#type: String,
    body: Option<String>,
    /// Number of requests that receive this reply before the next reply is used.
    #[serde(default = "one")]
    times: usize,
    /// Whether the server ignores validators.
    #[serde(default)]
    ignores: bool,
    /// Whether only the very first request to this host receives this reply.
    #[serde(default)]
    first_of_host: bool,
}

fn ok() -> u16 {
    200
}

fn one() -> usize {
    1
}

fn media_type() -> String {
    "application/rss+xml".to_owned()
}

/// A request, and the time when it was received.
struct Received {
    at: Time,
    /// The number of the host: 1 or 2.
    host: usize,
    request: ScriptedRequest,
}

impl Received {
    /// The request in the notation of the scenarios: `2:/path etag date`.
    fn describe(&self) -> String {
        let host = if self.host == 1 { String::new() } else { format!("{}:", self.host) };
        let mut out = host + &self.request.path;
        for name in ["if-none-match", "if-modified-since"] {
            if let Some(value) = self.request.header(name) {
                out = out + " " + &String::from_utf8_lossy(value);
            }
        }
        out
    }
}

/// A clock that skips the delays between requests to the same host.
#[derive(Clone)]
struct Jumping(FakeClock);

impl Clock for Jumping {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn sleep_until(&self, at: Time) -> Sleep<'_> {
        if (at - self.now()).num_seconds() < 60 {
            self.0.set(at.max(self.now()));
        }
        self.0.sleep_until(at)
    }
}

impl Scenario {
    fn start_server(&self, clock: FakeClock, log: Arc<Mutex<Vec<Received>>>) -> Server {
        let replies = self.replies.clone();
        Server::start(move |request| {
            let host = 1 + usize::from(request.header("host") == Some(HOSTS[1].as_bytes()));
            let mut log = log.lock().unwrap();
            let path = match host {
                1 => request.path.clone(),
                n => format!("{n}:{}", request.path),
            };
            let to_host = log.iter().filter(|r| r.host == host).count();
            let earlier = log.iter().filter(|r| (r.host, &r.request.path) == (host, &request.path));
            let mut turn = earlier.count();
            log.push(Received { at: clock.now(), host, request: request.clone() });
            let Some(script) = replies.get(&path) else { return Reply::status(404) };
            let mut answers = script.iter().filter(|a| !a.first_of_host || to_host == 0).peekable();
            let mut answer = answers.next().unwrap();
            while turn >= answer.times && answers.peek().is_some() {
                turn -= answer.times;
                answer = answers.next().unwrap();
            }
            answer.reply(request)
        })
        .unwrap()
    }

    fn sources(&self) -> Vec<Source> {
        let all = self.sources.iter().enumerate().map(|(n, text)| {
            let (website, place) = match text.strip_prefix("website ") {
                Some(rest) => (true, rest),
                None => (false, text.as_str()),
            };
            let (host, path) = match place.strip_prefix("2:") {
                Some(path) => (HOSTS[1], path),
                None => (HOSTS[0], place),
            };
            let source = source(&format!("s{n}"), &format!("http://{host}{path}"));
            if !website {
                return source;
            }
            let rules = WebsiteRules {
                articles: Some("a".to_owned()),
                title: "title".to_owned(),
                content: "main".to_owned(),
                ..WebsiteRules::default()
            };
            Source { rules: SourceRules::Website(rules.into()), ..source }
        });
        all.collect()
    }

    /// Runs the scenario; returns descriptions of all differences.
    async fn play(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut home = Home::new();
        let log = Arc::new(Mutex::new(Vec::new()));
        let server = self.start_server(home.clock.clone(), log.clone());
        home.declare(&self.sources());
        // The host names cannot be resolved, so the server acts as a proxy.
        home.settings.net.proxy = Some(server.url("/"));
        home.settings.net.host_delay = if self.spacing == 2 { 2 * SECOND } else { Duration::ZERO };
        let start = async || {
            let engine = Engine {
                store: home.store(),
                settings: home.settings.clone(),
                sources: load(&home.paths(), &[]).unwrap().sources,
                paths: home.paths(),
                overrides: Vec::new(),
                clock: Arc::new(Jumping(home.clock.clone())),
                names: home.names.clone(),
                seed: 7,
                follow: false,
            };
            engine.start().await.unwrap()
        };
        let mut engine = start().await;
        for (n, step) in self.steps.iter().enumerate() {
            let (mut after, mut restart, mut pace, mut times) = (Duration::ZERO, false, None, 1);
            for word in step[0].split(' ') {
                match word {
                    "restart" => restart = true,
                    "manual" => pace = Some(Pace::Manual),
                    "due" => pace = Some(Pace::Due),
                    "force" => pace = Some(Pace::Force),
                    word => match word.strip_prefix('x') {
                        Some(count) => times = count.parse().unwrap(),
                        None => after = humantime::parse_duration(word).unwrap(),
                    },
                }
            }
            let before = log.lock().unwrap().len();
            for _ in 0..times {
                home.clock.advance(after);
                if restart {
                    engine.shutdown().await;
                    engine = start().await;
                }
                sync(&engine, pace.unwrap()).await;
            }
            let requested: Vec<String> =
                log.lock().unwrap()[before..].iter().map(Received::describe).collect();
            if !matches(&step[1..], &requested) {
                wrong.push(format!("{}: step {n} {step:?}: {requested:?}", self.id));
            }
        }
        engine.shutdown().await;
        let log = log.lock().unwrap();
        wrong.extend(log.iter().flat_map(unmannerly).map(|w| format!("{}: {w}", self.id)));
        for host in [1, 2] {
            // The crawl delay is known only after robots.txt was fetched.
            let spaced = |r: &&Received| r.host == host && r.request.path != "/robots.txt";
            let times: Vec<Time> = log.iter().filter(spaced).map(|r| r.at).collect();
            let close = |pair: &[Time]| (pair[1] - pair[0]).num_seconds() < self.spacing.into();
            if times.windows(2).any(close) {
                wrong.push(format!("{}: requests closer than {} s", self.id, self.spacing));
            }
        }
        wrong
    }
}

impl Answer {
    fn reply(&self, request: &ScriptedRequest) -> Reply {
        let with_headers = |reply: Reply| {
            let headers = self.headers.iter();
            headers.fold(reply, |r, (name, value)| r.header(&name.to_lowercase(), value))
        };
        let agrees = |sent: &str, known: &str| {
            let value = self.headers.get(known).map(String::as_bytes);
            value.is_some() && request.header(sent) == value
        };
        let same = agrees("if-none-match", "ETag") || agrees("if-modified-since", "Last-Modified");
        if self.status == 200 && same && !self.ignores {
            return with_headers(Reply::status(304));
        }
        if self.status != 200 {
            return with_headers(Reply::status(self.status));
        }
        let items: Vec<String> = (0..self.items).map(|n| n.to_string()).collect();
        let items: Vec<_> = items.iter().map(|n| (n.as_str(), n.as_str())).collect();
        let body = self.body.clone().unwrap_or_else(|| rss(&items));
        with_headers(Reply::ok(&self.r#type, body))
    }
}

/// Whether the requests match those that a step allows, in any order.
fn matches(wanted: &[String], requested: &[String]) -> bool {
    let mut rest = requested.to_vec();
    for want in wanted {
        let Some((path, most)) = want.split_once(" <=") else {
            match rest.iter().position(|a| a == want) {
                Some(at) => drop(rest.remove(at)),
                None => return false,
            }
            continue;
        };
        let most = most.parse().unwrap();
        if path == "total" {
            if requested.len() > most {
                return false;
            }
            continue;
        }
        let of_path = |a: &String| a == path || a.starts_with(&format!("{path} "));
        if rest.iter().filter(|a| of_path(a)).count() > most {
            return false;
        }
        rest.retain(|a| !of_path(a));
    }
    rest.is_empty()
}

/// Describes the problems of a request that no scenario allows.
fn unmannerly(received: &Received) -> Vec<String> {
    let request = &received.request;
    let mut wrong = Vec::new();
    if request.method != "GET" {
        wrong.push(format!("{} {}", request.method, request.path));
    }
    for name in ["cookie", "referer", "range", "cache-control", "pragma", "authorization"] {
        if request.header(name).is_some() {
            wrong.push(format!("{} is sent {name}", request.path));
        }
    }
    let text =
        |name| String::from_utf8_lossy(request.header(name).unwrap_or_default()).into_owned();
    let agent = text("user-agent");
    if !agent.starts_with("newsfed/") || !agent.contains("(+http") {
        wrong.push(format!("User-Agent {agent:?}"));
    }
    if !text("accept-encoding").contains("gzip") {
        wrong.push(format!("{} is not requested compressed", request.path));
    }
    wrong
}

#[tokio::test]
async fn polls_match_the_scenarios() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/manners.toml");
    let all: Scenarios = toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert!(all.scenario.len() >= 20);
    let mut wrong = Vec::new();
    for scenario in &all.scenario {
        let differs = scenario.play().await;
        if !differs.is_empty() {
            wrong.push(format!("{}\n    {}", scenario.why, differs.join("\n    ")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
