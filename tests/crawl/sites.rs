//! Sites on loopback.

use newsfed::demo::server::{Reply, ScriptedRequest, Server};

pub(crate) fn page(title: &str, links: impl IntoIterator<Item = String>) -> Reply {
    let items: String = links.into_iter().map(|l| format!("<li>{l}</li>")).collect();
    Reply::ok("text/html", format!("<title>{title}</title><body><ul>{items}</ul></body>"))
}

pub(crate) fn link(to: impl std::fmt::Display) -> String {
    format!("<a href=\"{to}\">{to}</a>")
}

/// Number of files in the library.
pub(crate) const FILES: usize = 60;

/// A site with forty pages without files, and six lists of ten files each. One of the lists is behind a
/// redirect.
pub(crate) fn library() -> Server {
    Server::start(|request: &ScriptedRequest| match request.path.as_str() {
        "/" => page("Library", ["talk/", "lists/", "dead"].map(link)),
        "/talk/" => page("Talk", (0..40).map(|n| link(format!("/talk/{n}")))),
        "/lists/" => page("Lists", (0..6).map(|n| link(format!("/lists/{n}")))),
        "/lists/0" => Reply::status(301).header("location", "/lists/moved"),
        "/lists/moved" => list(0),
        other => match (other.strip_prefix("/lists/"), other.strip_suffix(".csv")) {
            (Some(n), _) => list(n.parse().unwrap_or(0)),
            (_, Some(name)) => Reply::ok("text/csv", format!("name\n{name}\n")),
            _ if other.starts_with("/talk/") => page("Talk", [link("/"), link("/talk/")]),
            _ => Reply::status(404),
        },
    })
    .unwrap()
}

fn list(n: usize) -> Reply {
    page("List", (n * 10..n * 10 + 10).map(|f| link(format!("/data/{f}.csv"))))
}
