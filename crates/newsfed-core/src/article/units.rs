//! Repeated boxes: the posts of a discussion, the cards of a list, the rows of a table.

use super::blocks::Page;
use super::classes::{META, USER};
use foldhash::HashMap;

/// Number of features per block.
pub(super) const COUNT: usize = 14;
/// Maximum length of a line that may be a date, in words.
const DATE_WORDS: usize = 12;

/// The repeated boxes of a page.
pub(super) struct Units {
    groups: Vec<Group>,
    /// For each element, the innermost and the largest repeated box around it, as the index of a group and
    /// the number of the box in that group.
    around: Vec<[Option<(u32, u32)>; 2]>,
    /// Share of the page's words that are in posts.
    share: f32,
    /// Number of posts.
    posts: f32,
}

/// Sibling boxes of the same kind.
#[derive(Debug, Default, Clone, Copy)]
struct Group {
    count: u32,
    blocks: u32,
    words: u32,
    link_chars: u32,
    chars: u32,
    /// Numbers of members with a date and with a name.
    dated: u32,
    named: u32,
    /// Number of members numbered so far.
    numbered: u32,
}

impl Group {
    fn is_of_posts(&self) -> bool {
        self.count >= 2
            && self.dated * 10 >= self.count * 7
            && self.words >= self.count * 12
            && self.link_chars * 2 < self.chars
    }
}

impl Units {
    /// `place` is a hash of each element's position: the names and classes of the element and its ancestors.
    pub(super) fn of(page: &Page<'_>, place: &[u64]) -> Self {
        let mut sums = Vec::with_capacity(page.blocks.len() + 1);
        let mut sum = [0u32; 5];
        sums.push(sum);
        for (at, block) in page.blocks.iter().enumerate() {
            let date = block.time || block.words <= DATE_WORDS && is_like_date(page.text(at));
            let kinds = block.kinds | page.elements[block.element].kinds;
            sum[0] += block.words as u32;
            sum[1] += block.chars as u32;
            sum[2] += block.link_chars as u32;
            sum[3] += u32::from(date || block.words <= DATE_WORDS && kinds & META != 0);
            sum[4] += u32::from(block.words <= DATE_WORDS && kinds & (META | USER) != 0);
            sums.push(sum);
        }
        let mut ids: HashMap<(usize, u64), u32> = HashMap::default();
        let mut groups: Vec<Group> = Vec::new();
        let mut own: Vec<Option<u32>> = vec![None; page.elements.len()];
        for (at, element) in page.elements.iter().enumerate().skip(1) {
            if element.blocks.is_empty() {
                continue;
            }
            let next = groups.len() as u32;
            let id = *ids.entry((element.parent, place[at])).or_insert(next);
            if id == next {
                groups.push(Group::default());
            }
            own[at] = Some(id);
            let (a, b) = (sums[element.blocks.start], sums[element.blocks.end]);
            let group = &mut groups[id as usize];
            group.count += 1;
            group.blocks += element.blocks.len() as u32;
            group.words += b[0] - a[0];
            group.chars += b[1] - a[1];
            group.link_chars += b[2] - a[2];
            group.dated += u32::from(b[3] > a[3]);
            group.named += u32::from(b[4] > a[4]);
        }
        let mut around: Vec<[Option<(u32, u32)>; 2]> = Vec::with_capacity(page.elements.len());
        let mut best: Option<u32> = None;
        for (at, element) in page.elements.iter().enumerate() {
            let above = if at == 0 { [None, None] } else { around[element.parent] };
            let mut here = above;
            if let Some(id) = own[at] {
                let group = &mut groups[id as usize];
                group.numbered += 1;
                let number = group.numbered - 1;
                if group.count >= 2 && group.blocks >= group.count * 2 {
                    here[0] = Some((id, number));
                    let group = groups[id as usize];
                    let posts = group.is_of_posts();
                    let larger = here[1].is_none_or(|(other, _)| {
                        let other = groups[other as usize];
                        (posts, group.count) > (other.is_of_posts(), other.count)
                    });
                    if larger {
                        here[1] = Some((id, number));
                    }
                    let more = best.is_none_or(|b| groups[b as usize].words < group.words);
                    if posts && more {
                        best = Some(id);
                    }
                }
            }
            around.push(here);
        }
        let total = sum[0].max(1) as f32;
        let best = best.map(|b| groups[b as usize]).unwrap_or_default();
        Self { groups, around, share: best.words as f32 / total, posts: best.count as f32 }
    }

    /// The group of the largest repeated box around an element, and the number of the box in the group.
    pub(super) fn around(&self, element: usize) -> Option<(u32, u32)> {
        self.around[element][1]
    }

    pub(super) fn features(&self, element: usize, row: &mut [f32]) {
        row[0] = self.share;
        row[1] = self.posts.min(50.0);
        for (slot, found) in self.around[element].iter().enumerate() {
            let row = &mut row[2 + slot * 6..8 + slot * 6];
            let Some((id, number)) = found else {
                row.fill(-1.0);
                continue;
            };
            let group = &self.groups[*id as usize];
            let count = group.count as f32;
            row[0] = count.min(100.0);
            row[1] = (group.words as f32 / count + 1.0).ln();
            row[2] = group.link_chars as f32 / group.chars.max(1) as f32;
            row[3] = group.dated as f32 / count;
            row[4] = group.named as f32 / count;
            row[5] = (*number as f32).min(50.0);
        }
    }
}

/// Whether a short text contains a year, a time of day, or a word like "ago".
fn is_like_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let clock = |at: usize| digit(at) && bytes.get(at + 1) == Some(&b':') && digit(at + 2);
    let year = |at: usize| {
        matches!(bytes.get(at..at + 2), Some(b"19" | b"20"))
            && digit(at + 2)
            && digit(at + 3)
            && !digit(at + 4)
            && !at.checked_sub(1).is_some_and(digit)
    };
    (0..bytes.len()).any(|at| clock(at) || year(at))
        || text.split_ascii_whitespace().any(|word| matches!(word, "ago" | "Yesterday" | "Today"))
}
