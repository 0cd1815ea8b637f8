//! Signatures: the lines at the end of an author's posts. Text that only resembles a signature is kept.

use super::MAX_ABOVE;
use crate::article::blocks::Page;
use scraper::ElementRef;
use std::collections::{HashMap, HashSet};

/// Maximum number of blocks in a signature.
const MAX_BLOCKS: usize = 6;
/// Minimum number of words in a signature of only two posts, which may both end with thanks.
const FEW_WORDS: usize = 4;
/// Minimum number of characters in the line above a signature.
const LINE: usize = 5;

/// The blocks of signatures. `is_text` returns whether a block is selected and below the head of a post.
/// `posts` are the boxes of posts and the names of their authors.
pub(super) fn signatures<'n>(
    page: &Page<'_>,
    is_text: impl Fn(usize) -> bool,
    boxes: &HashSet<usize>,
    posts: impl Iterator<Item = (usize, &'n str)>,
) -> Vec<usize> {
    let mut repeated: HashMap<(&str, Vec<&str>), Vec<Vec<usize>>> = HashMap::new();
    for (at, name) in posts {
        let blocks = page.elements[at].blocks.clone();
        // A post with nested replies does not end with its own text.
        let has_replies = (at + 1..page.elements.len())
            .take_while(|inner| page.elements[*inner].blocks.start < blocks.end)
            .any(|inner| boxes.contains(&inner));
        if has_replies {
            continue;
        }
        let last: Vec<usize> =
            blocks.rev().filter(|at| is_text(*at)).take(MAX_BLOCKS + 1).collect();
        let signature = signature(page, at, &last);
        if !signature.is_empty() {
            let texts = signature.iter().map(|at| page.text(*at)).collect();
            repeated.entry((name, texts)).or_default().push(signature.to_vec());
        }
    }
    let mut found = Vec::new();
    for signatures in repeated.into_values().filter(|signatures| signatures.len() > 1) {
        let words: usize = signatures[0].iter().map(|at| page.blocks[*at].words).sum();
        if words >= FEW_WORDS || signatures.len() > 2 {
            found.extend(signatures.into_iter().flatten());
        }
    }
    found
}

/// The signature among the last blocks of a post (`last`, in reverse order), marked by the name of its box or
/// by a line. Never the whole post.
fn signature<'b>(page: &Page<'_>, post: usize, last: &'b [usize]) -> &'b [usize] {
    let within = |at: usize| {
        let around = page.around(page.blocks[at].element);
        around.take(MAX_ABOVE).take_while(move |element| *element != post)
    };
    let named = last.first().and_then(|end| {
        let named = within(*end).filter(|element| is_named(page.elements[*element].node));
        named.last().map(|element| &page.elements[element].blocks)
    });
    let length = match named {
        Some(blocks) => last.iter().take_while(|at| blocks.contains(at)).count(),
        None => last.iter().position(|at| begins_with_line(page.text(*at))).map_or(0, |n| n + 1),
    };
    let is_code = |at: &usize| within(*at).any(|e| page.elements[e].name() == "pre");
    match length < last.len() && !last[..length].iter().any(is_code) {
        true => &last[..length],
        false => &[],
    }
}

/// Whether a class or id marks a box as a signature.
fn is_named(e: ElementRef<'_>) -> bool {
    let is_name = |name: &str| {
        let name = name.to_ascii_lowercase();
        let words = || name.split(|c: char| !c.is_ascii_alphabetic());
        let is_word = |word| matches!(word, "sig" | "sigs" | "signatur");
        // A class such as `has-signature` on a whole post only means that it contains a signature.
        (name.contains("signature") || words().any(is_word))
            && !words().any(|word| matches!(word, "has" | "with" | "no" | "without"))
    };
    let is_naming = |name: &str| matches!(name, "class" | "id" | "data-role");
    let mut names = e.value().attrs().filter(|(name, _)| is_naming(name));
    names.any(|(_, value)| value.split_ascii_whitespace().any(is_name))
}

/// Whether a text begins with a line of underscores, as older forums put above signatures.
fn begins_with_line(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default().trim();
    line.len() >= LINE && line.chars().all(|c| c == '_')
}
