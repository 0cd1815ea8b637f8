//! A proxy for the sites of the demo under their own names, such as `http://kettle.example/`. Shared with
//! `examples/screenshots`.

use newsfed::demo::World;
use newsfed::demo::server::{Reply, ScriptedRequest};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use url::Url;

pub(crate) struct Sites {
    /// The name of each site, and its URL in the demo, where the path begins with the name.
    sites: Vec<(String, Url)>,
}

impl Sites {
    pub(crate) fn of(world: &World) -> Self {
        let followed = world.sources().into_iter().map(|source| source.url.to_string());
        let others =
            [world.page_without_feed(), world.site_without_list(), world.announcing_page()];
        let sites = followed.chain(others).map(|url| {
            let url = Url::parse(&url).unwrap();
            (url.path_segments().unwrap().next().unwrap().to_owned(), url)
        });
        Self { sites: sites.collect() }
    }

    /// Forwards a request to its site, and returns the response with the site names in its links.
    pub(crate) fn fetch(&self, request: &ScriptedRequest) -> Reply {
        let host = String::from_utf8_lossy(request.header("host").unwrap_or_default()).into_owned();
        let name = host.trim_end_matches(".example");
        let Some((_, url)) = self.sites.iter().find(|(site, _)| site == name) else {
            return Reply::status(404);
        };
        // Only GET is supported, and only http.
        if request.method != "GET" {
            return Reply::status(405);
        }
        let path = match request.path.as_str() {
            "/robots.txt" => "/robots.txt".to_owned(),
            path => format!("/{name}{path}"),
        };
        let mut head = format!("GET {path} HTTP/1.0\r\nhost: {host}\r\n");
        for (key, value) in request.headers.iter().filter(|(key, _)| key.starts_with("if-")) {
            head += &format!("{key}: {}\r\n", String::from_utf8_lossy(value));
        }
        let address = (url.host_str().unwrap(), url.port().unwrap());
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        let mut response = vec![];
        stream.read_to_end(&mut response).unwrap();
        self.reply(&host, &response)
    }

    fn reply(&self, host: &str, response: &[u8]) -> Reply {
        let end = response.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&response[..end]).into_owned();
        let mut body = response[end + 4..].to_vec();
        if let Ok(text) = std::str::from_utf8(&body) {
            let named = |text: String, (name, _): &(String, Url)| {
                text.replace(&format!("http://{host}/{name}/"), &format!("http://{name}.example/"))
                    .replace(&format!("href=\"/{name}/"), "href=\"/")
            };
            body = self.sites.iter().fold(text.to_owned(), named).into_bytes();
        }
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap();
        let kept = ["content-type", "etag", "last-modified", "location", "retry-after"];
        let headers =
            lines.filter_map(|line| line.split_once(": ")).filter(|(key, _)| kept.contains(key));
        let reply = Reply { body: body.into(), ..Reply::status(status) };
        headers.fold(reply, |reply, (key, value)| reply.header(key, value))
    }
}
