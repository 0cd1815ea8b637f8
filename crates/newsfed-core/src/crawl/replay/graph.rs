//! Recorded sites: pages, files and the links between them, as JSON lines.

use crate::crawl::targets::{Class, Targets};
use crate::util::file_error::reason;
use serde::Deserialize;
use std::io::BufRead;

/// A page or file of a recorded site.
#[derive(Debug)]
pub struct Node {
    pub url: String,
    /// Class by media type and status.
    pub class: Class,
    /// Size in bytes.
    pub bytes: u64,
    /// Links as indices of a node, a path and an anchor.
    pub links: Vec<(u32, u32, u32)>,
    /// Whether the page declares itself an article.
    pub article: bool,
    /// Whether it counts as a hit: a target file or a real article.
    pub target: bool,
}

/// A recorded site.
#[derive(Debug)]
pub struct Graph {
    pub site: String,
    /// What the crawl searches for.
    pub targets: Targets,
    pub paths: Vec<String>,
    pub anchors: Vec<String>,
    /// All URLs, starting with the start page.
    pub nodes: Vec<Node>,
}

/// Why a recorded site cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    #[error("{}", reason(.0))]
    Io(#[from] std::io::Error),
    /// A line is invalid.
    #[error("line {line}: {why}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// The parser's message.
        why: String,
    },
}

#[derive(Deserialize)]
struct Head {
    meta: Meta,
    paths: Vec<String>,
    anchors: Vec<String>,
}

#[derive(Deserialize)]
struct Meta {
    site: String,
    task: String,
}

#[derive(Deserialize, Default)]
struct Extra {
    og: Option<String>,
    #[serde(default)]
    ld: Vec<String>,
    #[serde(rename = "pub")]
    published: Option<String>,
    #[serde(default)]
    time: u32,
    #[serde(default)]
    t: u8,
}

#[derive(Deserialize)]
struct Row(String, String, u64, u16, Vec<(u32, u32, u32)>, #[serde(default)] Option<Extra>);

/// Reads a recorded site. With `data`, plain text files are not targets.
pub fn read(lines: impl BufRead, data: bool) -> Result<Graph, GraphError> {
    let mut lines = lines.lines().enumerate();
    let wrong = |at: usize| {
        move |e: serde_json::Error| GraphError::Line { line: at + 1, why: e.to_string() }
    };
    let Some((at, first)) = lines.next() else {
        return Err(GraphError::Line { line: 1, why: "the file is empty".to_owned() });
    };
    let head: Head = serde_json::from_str(&first?).map_err(wrong(at))?;
    let articles = head.meta.task == "articles";
    let targets = match (articles, data) {
        (true, _) => Targets::Articles,
        (false, true) => Targets::data(),
        (false, false) => Targets::files(),
    };
    let mut nodes = Vec::new();
    for (at, line) in lines {
        let row: Row = serde_json::from_str(&line?).map_err(wrong(at))?;
        let Row(url, mime, bytes, status, links, extra) = row;
        let class = if status == 200 { targets.class(&mime) } else { Class::Failed };
        let extra = extra.unwrap_or_default();
        let typed = extra.ld.iter().any(|t| t.ends_with("Article") || t.ends_with("Posting"));
        let is_declared = extra.og.as_deref() == Some("article");
        let dated = extra.published.is_some() || extra.time > 0;
        let article = articles && status == 200 && (typed || (is_declared && dated));
        let target = status == 200 && if articles { extra.t == 1 } else { class == Class::Target };
        nodes.push(Node { url, class, bytes, links, article, target });
    }
    let sound = |(to, path, anchor): &(u32, u32, u32)| {
        (*to as usize) < nodes.len()
            && (*path as usize) < head.paths.len()
            && (*anchor as usize) < head.anchors.len()
    };
    if let Some(at) = nodes.iter().position(|n| !n.links.iter().all(sound)) {
        let why = "a link refers to a node that does not exist".to_owned();
        return Err(GraphError::Line { line: at + 2, why });
    }
    Ok(Graph { site: head.meta.site, targets, paths: head.paths, anchors: head.anchors, nodes })
}
