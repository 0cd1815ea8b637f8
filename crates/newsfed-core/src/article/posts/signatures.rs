//! Signatures: the lines with which an author ends all posts.

use crate::article::blocks::Page;
use std::collections::{HashMap, HashSet};

/// Maximum number of blocks in a signature.
const MAX_BLOCKS: usize = 6;
/// Fewest words of a signature below only two posts, which may end with the same thanks.
const FEW_WORDS: usize = 4;

/// The blocks of signatures. `is_text` are the selected blocks below the heads of posts, `posts` the boxes of
/// posts with the names of their authors.
pub(super) fn signatures<'n>(
    page: &Page<'_>,
    is_text: impl Fn(usize) -> bool,
    boxes: &HashSet<usize>,
    posts: impl Iterator<Item = (usize, &'n str)>,
) -> Vec<usize> {
    let mut of_author: HashMap<&str, Vec<Vec<usize>>> = HashMap::new();
    for (at, name) in posts {
        let blocks = page.elements[at].blocks.clone();
        // Replies inside a post are at its end.
        let has_replies = (at + 1..page.elements.len())
            .take_while(|inner| page.elements[*inner].blocks.start < blocks.end)
            .any(|inner| boxes.contains(&inner));
        if !has_replies {
            let last = blocks.rev().filter(|at| is_text(*at)).take(MAX_BLOCKS + 1).collect();
            of_author.entry(name).or_default().push(last);
        }
    }
    let mut found = Vec::new();
    for posts in of_author.into_values().filter(|posts| posts.len() > 1) {
        let same = |n: &usize| {
            let mut texts = posts.iter().map(|post| page.text(post[*n]));
            let first = texts.next();
            texts.all(|text| Some(text) == first)
        };
        // Of a post that was sent twice, the text must be left.
        let most = posts.iter().map(|post| post.len().saturating_sub(1)).min().unwrap_or_default();
        let length =
            (0..posts.iter().map(Vec::len).min().unwrap_or_default()).take_while(same).count();
        if length > most.min(MAX_BLOCKS) {
            continue;
        }
        let words: usize = posts[0][..length].iter().map(|at| page.blocks[*at].words).sum();
        if words >= FEW_WORDS || posts.len() > 2 {
            found.extend(posts.iter().flat_map(|post| &post[..length]));
        }
    }
    found
}
