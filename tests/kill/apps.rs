//! Kills `newsfed serve` while apps mark items.

use super::{World, check_database, command, items, variable};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::Duration;

/// Number of apps that mark items concurrently.
const APPS: usize = 3;

/// The response body of a POST request, if the response was complete.
fn post(address: SocketAddr, path: &str, auth: &str, body: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: GoogleLogin auth={auth}\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).ok()?;
    let (head, body) = response.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    Some(body.to_owned())
}

/// Starts the server, and waits until it accepts requests.
fn serve(world: &World, address: SocketAddr) -> (Child, BufReader<std::process::ChildStderr>) {
    let set = format!("serve.address=\"{address}\"");
    let args = ["serve", "--set", &set, "--set", "serve.user=\"alice\""];
    let mut child = world.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("serving apps") {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "the program has ended");
    }
    (child, log)
}

/// The marks of an app's items: the confirmed value, or `None` after a request without a response.
type Known = BTreeMap<(String, bool), Option<bool>>;

/// Marks these items at random until the server is gone; returns the number of confirmed marks.
fn mark(
    address: SocketAddr,
    auth: &str,
    own: &[String],
    known: &mut Known,
    mut random: fastrand::Rng,
) -> usize {
    let mut confirmed = 0;
    loop {
        let (id, is_read, to) = (&own[random.usize(..own.len())], random.bool(), random.bool());
        let state = if is_read { "read" } else { "starred" };
        let change = if to { "a" } else { "r" };
        let body = format!("{change}=user/-/state/com.google/{state}&i={id}");
        let response = post(address, "/reader/api/0/edit-tag", auth, &body);
        known.insert((id.clone(), is_read), response.as_ref().map(|_| to));
        match response {
            Some(response) => assert_eq!(response, "OK"),
            None => return confirmed,
        }
        confirmed += 1;
    }
}

#[test]
fn marks_of_apps_survive_kills() {
    let (rounds, seed) = (variable("NEWSFED_KILLS", 20), variable("NEWSFED_SEED", 1));
    println!("{rounds} rounds, seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let world = World::new();
    let folder = world.folder.path();
    assert!(world.command(&["sync", "--force"]).status().unwrap().success());
    let mut password = command(folder, &["serve", "password"]);
    let mut password = password.stdin(Stdio::piped()).spawn().unwrap();
    password.stdin.take().unwrap().write_all(b"wonderland1\n").unwrap();
    assert!(password.wait().unwrap().success());
    let address = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let numbers: Vec<String> =
        items(folder).iter().map(|item| item["number"].to_string()).collect();
    let shares: Vec<&[String]> = numbers.chunks(numbers.len().div_ceil(APPS)).collect();
    let mut known = vec![Known::new(); APPS];
    let (mut auth, mut confirmed, mut before) = (None, 0, BTreeSet::new());
    for round in 0..rounds {
        let (mut child, _log) = serve(&world, address);
        // The login stays valid when the program is restarted.
        let auth = auth.get_or_insert_with(|| {
            let login =
                post(address, "/accounts/ClientLogin", "", "Email=alice&Passwd=wonderland1");
            let login = login.unwrap();
            login.lines().find_map(|line| line.strip_prefix("Auth=")).unwrap().to_owned()
        });
        let wait = Duration::from_micros(random.u64(0..100_000));
        confirmed += std::thread::scope(|scope| {
            let apps: Vec<_> = shares
                .iter()
                .zip(&mut known)
                .map(|(own, known)| {
                    let (random, auth) = (random.fork(), auth.as_str());
                    scope.spawn(move || mark(address, auth, own, known, random))
                })
                .collect();
            std::thread::sleep(wait);
            let _ = child.kill();
            child.wait().unwrap();
            apps.into_iter().map(|app| app.join().unwrap()).sum::<usize>()
        });
        let items = items(folder);
        let all: BTreeMap<String, _> =
            items.iter().map(|item| (item["number"].to_string(), item)).collect();
        for ((id, is_read), to) in known.iter().flatten() {
            let mark = &all[id][if *is_read { "read" } else { "pinned" }];
            assert!(to.is_none_or(|to| *mark == to), "round {round}: {id}, read: {is_read}");
        }
        let urls: BTreeSet<String> = items.iter().map(|item| item["url"].to_string()).collect();
        assert_eq!(urls.len(), items.len(), "round {round}: an item is there twice");
        assert!(urls.is_superset(&before), "round {round}: an item is gone");
        before = urls;
        check_database(folder, &format!("round {round}"));
    }
    println!("{confirmed} marks confirmed, {} items", before.len());
    assert!(confirmed > 0);
}
