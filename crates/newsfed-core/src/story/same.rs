//! Whether two items are about one story.

use super::signature::{Dated, Signature};
use super::title::weight;

const HOUR: i64 = 3600;
/// Maximum number of seconds between the dates of two items of one story: links to an article appear
/// for a week.
pub const MAX_APART: i64 = 7 * 24 * HOUR;
/// Maximum number of seconds between two items with similar texts: agencies' reports are printed within
/// three days.
const TEXT_APART: i64 = 72 * HOUR;
/// Maximum number of seconds between two items if one has no text.
const BARE_APART: i64 = 48 * HOUR;
/// Maximum number of seconds between two items with uninformative titles; shorter than the time between two
/// daily issues.
const PLAIN_APART: i64 = 12 * HOUR;

/// Why two items are one story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// They lead to the same article.
    Address,
    /// One text is a copy of the other.
    Copy,
    /// Their titles are the same, and their texts do not contradict each other.
    Title,
    /// Their titles and texts are similar.
    Similar,
}

/// What distinguishes two titles: numbers, days, negations, kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marks {
    Same,
    /// One title has something that the other lacks, other than a negation.
    Partial,
    /// Each has something that the other lacks: `3 dead`, `5 dead`.
    Conflict,
}

/// Whether two items are about one story, and why. `unique` means that no source has several items with this
/// address.
///
/// The order of the items does not matter. The thresholds were set with the labelled pairs in
/// `tests/data/stories.tsv`. That file states which of its parts were written before the thresholds were set,
/// and which after.
pub fn same_story(a: Dated<'_>, b: Dated<'_>, unique: bool) -> Option<Reason> {
    Compared::of(a, b, unique)?.reason(&Limits::CHOSEN)
}

/// Similarity thresholds that were tuned with labelled pairs, as shares from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Minimum share of a copy's shingles that are in the other text: six of ten, so that a text is still a
    /// copy if one word in five was changed.
    pub(super) copied: f64,
    /// Minimum share of a copy's words that are in the other text, in any order.
    pub(super) lead: f64,
    /// Minimum similarity of titles: for copies, and (`titles`) for texts that are only similar.
    pub(super) copy_titles: f64,
    pub(super) titles: f64,
    /// Maximum similarity of a title and its rewritten version.
    pub(super) rewritten: f64,
}

impl Limits {
    pub(super) const CHOSEN: Self =
        Self { copied: 0.6, lead: 0.85, copy_titles: 0.25, titles: 0.5, rewritten: 0.45 };
}

/// A comparison of two items of different sources.
pub(super) struct Compared {
    apart: i64,
    /// Whether they link to one article: `true` if certain, `false` if possible.
    address: Option<bool>,
    alike: Likeness,
}

impl Compared {
    /// Returns `None` if the items are too far apart or from one source.
    pub(super) fn of(a: Dated<'_>, b: Dated<'_>, unique: bool) -> Option<Self> {
        let apart = a.date.abs_diff(b.date).cast_signed();
        if a.source == b.source || !(0..=MAX_APART).contains(&apart) {
            return None;
        }
        let (a, b) = if (a.date, a.source) <= (b.date, b.source) { (a, b) } else { (b, a) };
        let addresses = a.signature.address.zip(b.signature.address);
        let same = addresses.filter(|(x, y)| x.is_same(*y));
        let address = same.map(|(x, _)| x.specific && unique);
        Some(Self { apart, address, alike: Likeness::of(a.signature, b.signature) })
    }

    pub(super) fn reason(&self, limits: &Limits) -> Option<Reason> {
        let (apart, alike) = (self.apart, &self.alike);
        // The address may be that of a page that changes, so titles or texts must match too.
        let is_similar = || match alike.bare {
            true => alike.whole_title && apart <= PLAIN_APART,
            false => alike.copied >= limits.copied,
        };
        if self.address.is_some_and(|certain| certain || is_similar()) {
            return Some(Reason::Address);
        }
        alike.reason(apart, limits)
    }
}

/// Whether two titles rule out that their items are about one story, such as `3 dead` and `5 dead`.
pub fn contradict(a: &Signature, b: &Signature) -> bool {
    marks(&a.title.marks, &b.title.marks) == Marks::Conflict
}

/// How similar two items are.
struct Likeness {
    marks: Marks,
    whole_title: bool,
    /// Weighted Jaccard coefficient of the title words, 0 to 1.
    title: f64,
    /// Total weight of the words of the shorter title.
    title_weight: u32,
    /// Number of words of the shorter title.
    words: usize,
    /// Share of the shorter text's shingles that are in the other, 0 to 1; 0 for very short texts.
    copied: f64,
    /// Number of shingles of the shorter text.
    shingles: usize,
    /// Share of the shorter text's words that are in the other, 0 to 1.
    lead: f64,
    /// For the earlier and the later item: words of its title that the other item does not contain.
    own: (Own, Own),
    /// Whether an item has no text worth comparing.
    bare: bool,
}

/// Minimum number of shingles of a text that is worth comparing.
const FEWEST: usize = 8;

impl Likeness {
    /// `a` is the earlier item.
    fn of(a: &Signature, b: &Signature) -> Self {
        let sum = |words: &[u32]| words.iter().map(|word| weight(*word)).sum::<u32>();
        let (x, y) = (&a.title.words, &b.title.words);
        let shared = common(x, y).map(weight).sum::<u32>();
        let union = sum(x) + sum(y) - shared;
        let ratio = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let shingles = a.shingles.len().min(b.shingles.len());
        let bare = shingles < FEWEST;
        let copied = ratio(common(&a.shingles, &b.shingles).count(), shingles);
        let lead = ratio(common(&a.lead, &b.lead).count(), a.lead.len().min(b.lead.len()));
        Self {
            marks: marks(&a.title.marks, &b.title.marks),
            whole_title: a.title.whole == b.title.whole && !x.is_empty(),
            title: f64::from(shared) / f64::from(union.max(1)),
            title_weight: sum(x).min(sum(y)),
            words: x.len().min(y.len()),
            copied: if bare { 0.0 } else { copied },
            shingles,
            lead: if bare { 0.0 } else { lead },
            own: (own(a, b), own(b, a)),
            bare,
        }
    }

    fn reason(&self, apart: i64, limits: &Limits) -> Option<Reason> {
        if self.marks == Marks::Conflict || self.swapped(limits) || apart > TEXT_APART {
            return None;
        }
        let distinctive = self.words >= 4 && self.title_weight >= 16;
        let same_title = self.whole_title || self.title >= 0.85;
        if !distinctive {
            // The issues of a series share such titles, so the texts must match too.
            let copy = self.shingles >= 12 && self.copied >= limits.copied && same_title
                || self.shingles >= 20 && self.copied >= 0.9 && self.title >= 0.5;
            return (copy && apart <= PLAIN_APART).then_some(Reason::Copy);
        }
        // Words that the later title adds and its text repeats are news: a follow-up.
        if self.own.1 == Own::Topic {
            return None;
        }
        let moved = self.copied >= 0.5 && self.lead >= limits.lead;
        let copy = self.shingles >= 12 && (self.copied >= limits.copied || moved);
        let certain = self.copied >= 0.75 || self.lead >= limits.lead;
        if copy && (self.title >= limits.copy_titles || self.title >= 0.1 && certain) {
            return Some(Reason::Copy);
        }
        let supported = self.copied >= 0.3 || self.lead >= 0.6;
        let long = self.words >= 6 && self.title_weight >= 24 && apart <= BARE_APART;
        if same_title && self.marks == Marks::Same && (supported || self.bare && long) {
            return Some(Reason::Title);
        }
        let similar = match self.marks {
            Marks::Same => self.copied >= 0.3 || self.lead >= 0.5,
            Marks::Partial => self.copied >= 0.45,
            Marks::Conflict => false,
        };
        (similar && self.title >= limits.titles).then_some(Reason::Similar)
    }

    /// Whether each title has words that the other item lacks, as in reports made from one template, such as
    /// a storm warning for each county. Words that the texts do not repeat may be a mere rewording, if the
    /// texts are copies and the titles differ in more than one word. If the titles of copies have little in
    /// common (`limits.rewritten`), they were not made from a template, unless the later text repeats such a
    /// word.
    fn swapped(&self, limits: &Limits) -> bool {
        let (earlier, later) = self.own;
        let rewritten = self.copied >= 0.5 && self.lead >= limits.lead && self.shingles >= 20;
        if rewritten && self.title <= limits.rewritten && later < Own::Topic {
            return false;
        }
        let copied = self.copied >= 0.85 || self.copied >= 0.55 && self.lead >= limits.lead;
        let reworded = copied && self.shingles >= 20 && self.title <= 0.6;
        earlier.min(later) > Own::Nothing && (earlier.max(later) == Own::Topic || !reworded)
    }
}

/// The words of a title that the other item has neither in its title nor in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Own {
    Nothing,
    /// At least one word.
    Word,
    /// At least one word that the text of the same item repeats.
    Topic,
}

fn own(a: &Signature, b: &Signature) -> Own {
    let is_in = |set: &[u32], word: u32| set.binary_search(&word).is_ok();
    let words = a.title.words.iter().copied().filter(|word| weight(*word) >= 3);
    let missing = words.filter(|word| !is_in(&b.title.words, *word) && !is_in(&b.lead, *word));
    let kind = |word| if is_in(&a.lead, word) { Own::Topic } else { Own::Word };
    missing.map(kind).max().unwrap_or(Own::Nothing)
}

fn marks(a: &[u32], b: &[u32]) -> Marks {
    let shared: Vec<u32> = common(a, b).collect();
    let denied = |marks: &[u32]| marks.iter().any(|mark| mark & 1 == 1 && !shared.contains(mark));
    let shared = match denied(a) || denied(b) {
        true => return Marks::Conflict,
        false => shared.len(),
    };
    match (shared == a.len(), shared == b.len()) {
        (true, true) => Marks::Same,
        (false, false) => Marks::Conflict,
        _ => Marks::Partial,
    }
}

/// The elements that two ascending sets share.
fn common<'a>(a: &'a [u32], b: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    let mut rest = b;
    a.iter().copied().filter(move |element| {
        let before = rest.partition_point(|other| other < element);
        rest = &rest[before..];
        rest.first() == Some(element)
    })
}
