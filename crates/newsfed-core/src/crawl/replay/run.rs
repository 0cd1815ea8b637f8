//! One crawl of a recorded site.

use super::confusion::Confusion;
use super::graph::Graph;
use crate::crawl::{Class, Known, LinkId, Links, NextRequest, Seen, Strategy, Visit};
use std::collections::HashMap;

/// Result of a crawl: the targets found and the bytes read so far, after each request.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Number of targets found after each request.
    pub found: Vec<u32>,
    /// Number of target bytes read after each request.
    pub volume: Vec<u64>,
    /// Number of other bytes read after each request.
    pub other: Vec<u64>,
    /// For each request, the node that it read; `None` for HEAD requests and for nodes that no longer exist.
    pub visited: Vec<Option<u32>>,
    /// The node of each request; `None` if it no longer exists.
    pub fetched: Vec<Option<u32>>,
    /// Predicted and actual classes of the links.
    pub confusion: Confusion,
}

/// State of a crawl over a recorded site.
#[derive(Debug)]
pub struct Position {
    pub links: Links,
    /// The node of each link; `None` if the site no longer has it.
    nodes: Vec<Option<u32>>,
}

impl Position {
    /// The position at the start of a site.
    pub fn start(graph: &Graph) -> Self {
        let mut links = Links::default();
        let url = graph.nodes.first().map_or("", |n| n.url.as_str());
        let _ = links.add(Seen { url, path: "", anchor: "" }, None);
        Self { links, nodes: vec![Some(0)] }
    }

    /// A position that contains only the targets.
    pub fn at_targets(graph: &Graph) -> Self {
        let mut at = Self { links: Links::default(), nodes: Vec::new() };
        for (node, number) in graph.nodes.iter().zip(0..).filter(|(node, _)| node.target) {
            if at.links.add(Seen { url: &node.url, path: "", anchor: "" }, None).is_some() {
                at.nodes.push(Some(number));
            }
        }
        at
    }

    /// The same links in a later recording of the site.
    pub fn later(self, graph: &Graph) -> Self {
        let numbers: HashMap<&str, u32> =
            graph.nodes.iter().zip(0..).map(|(node, n)| (node.url.as_str(), n)).collect();
        let ids = 0..self.links.len() as LinkId;
        let nodes = ids.map(|id| numbers.get(self.links.url(id)).copied()).collect();
        Self { links: self.links, nodes }
    }
}

/// Crawls until the strategy stops.
pub fn replay(
    graph: &Graph,
    at: &mut Position,
    strategy: &mut dyn Strategy,
    random: &mut fastrand::Rng,
) -> Replayed {
    let mut done = Replayed::default();
    let (mut found, mut volume, mut other) = (0, 0, 0);
    let (mut new, mut all): (Vec<LinkId>, Vec<LinkId>) = Default::default();
    while let Some(request) = strategy.next(&mut Known { links: &at.links, random }) {
        let (NextRequest::Get(link) | NextRequest::Head(link)) = request;
        let node = at.nodes[link as usize].map(|n| (n, &graph.nodes[n as usize]));
        let mut visited = None;
        let class = node.map_or(Class::Failed, |(_, node)| node.class);
        if let NextRequest::Head(_) = request {
            strategy.labelled(link, class, &mut Known { links: &at.links, random });
        } else {
            new.clear();
            all.clear();
            let mut article = false;
            if let Some((number, node)) = node {
                visited = Some(number);
                article = node.article;
                if node.target {
                    found += 1;
                    volume += node.bytes;
                } else {
                    other += node.bytes;
                }
                let truth = if node.target { Class::Target } else { class };
                done.confusion.count(truth, strategy.predicted());
                for (to, path, anchor) in &node.links {
                    let seen = Seen {
                        url: &graph.nodes[*to as usize].url,
                        path: &graph.paths[*path as usize],
                        anchor: &graph.anchors[*anchor as usize],
                    };
                    if let Some((id, is_new)) = at.links.add(seen, Some(link)) {
                        all.push(id);
                        if is_new {
                            at.nodes.push(Some(*to));
                            new.push(id);
                        }
                    }
                }
            }
            let visit = Visit { class, article, new: &new, all: &all };
            strategy.visited(link, &visit, &mut Known { links: &at.links, random });
        }
        done.visited.push(visited);
        done.fetched.push(at.nodes[link as usize]);
        done.found.push(found);
        done.volume.push(volume);
        done.other.push(other);
    }
    done
}
