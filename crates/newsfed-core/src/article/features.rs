//! Features of a block for the classifier in [`super::trees`].

use super::blocks::{Block, Page};
use super::classes::{self, Kinds};
use super::density::Density;
use super::signs::{self, Signs};
use super::units::{self, Units};
use super::words::{joined, number, words};
use foldhash::fast::FixedState;
use foldhash::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

/// Information about the article from outside the page, or from the head of the page.
#[derive(Debug, Default, Clone)]
pub(super) struct Hints {
    /// Possible titles.
    pub(super) titles: Vec<String>,
    /// Summaries.
    pub(super) summaries: Vec<String>,
    /// The article's text according to structured data.
    pub(super) body: Option<String>,
    /// The titles that the page gives itself.
    pub(super) own_titles: Vec<String>,
    /// The kind of page according to its own metadata.
    pub(super) signs: Signs,
}

/// Number of neighbours on each side whose features are included.
const NEIGHBOURS: usize = 4;
/// Number of features for each neighbour.
const OF_NEIGHBOUR: usize = 6;
/// Number of features for the block alone.
const OWN: usize = 50;
/// Number of features per block.
pub(super) const COUNT: usize = OWN
    + 2 * classes::COUNT
    + 2 * NEIGHBOURS * OF_NEIGHBOUR
    + signs::COUNT
    + units::COUNT
    + OF_PAGE
    + OF_SECTION;
/// Number of features for the page as a whole.
const OF_PAGE: usize = 5;
/// Number of features for a block's section.
const OF_SECTION: usize = 6;
/// Number of additional features in the second stage.
pub const MORE: usize = 2 * NEIGHBOURS + 6 + 10;
/// Maximum length of a block that may be a title, in words.
const TITLE_WORDS: usize = 40;
/// First-stage score of a block that is certainly part of the article.
const STRONG: f32 = 0.7;
/// Minimum length of a block that is certainly part of the article, in words.
const STRONG_WORDS: usize = 12;
/// Number of features per block in the second stage.
pub(super) const COUNT_SECOND: usize = COUNT + MORE;

/// Words with which a page refers to itself, grouped by length.
const CHATTER: [&[&str]; 14] = [
    &[],
    &[],
    &["by"],
    &["min", "ago"],
    &["tags", "read", "more", "sign", "next"],
    &["share", "photo", "image", "email", "click", "login", "print"],
    &["cookie", "rights", "follow", "credit", "posted", "source"],
    &["comment", "related", "cookies", "updated", "reading", "twitter"],
    &["comments", "reserved", "facebook", "previous"],
    &["subscribe", "copyright", "published"],
    &["newsletter"],
    &[],
    &[],
    &["advertisement"],
];

/// The features of every block of a page.
pub(super) fn features(
    page: &Page<'_>,
    density: &Density,
    hints: &Hints,
) -> (Vec<[f32; COUNT_SECOND]>, Positions) {
    let facts = Facts::of(page, density, hints);
    let count = page.blocks.len();
    let own: Vec<[f32; OWN]> = (0..count).map(|at| facts.own(at)).collect();
    let whole = facts.whole();
    let sections = Sections::of(page);
    let rows = (0..count)
        .map(|at| {
            let mut row = [0f32; COUNT_SECOND];
            row[..OWN].copy_from_slice(&own[at]);
            facts.kinds(at, &mut row[OWN..OWN + 2 * classes::COUNT]);
            let mut to = OWN + 2 * classes::COUNT;
            for distance in 1..=NEIGHBOURS {
                for other in [at.checked_sub(distance), Some(at + distance).filter(|o| *o < count)]
                {
                    let details = &mut row[to..to + OF_NEIGHBOUR];
                    match other {
                        Some(other) => facts.neighbour(at, other, &own[other], details),
                        None => details.fill(-1.0),
                    }
                    to += OF_NEIGHBOUR;
                }
            }
            facts.units.features(page.blocks[at].element, &mut row[to..to + units::COUNT]);
            to += units::COUNT;
            row[to..to + whole.len()].copy_from_slice(&whole);
            to += whole.len();
            sections.features(at, &mut row[to..to + OF_SECTION]);
            row
        })
        .collect();
    let unit_of = |b: &Block| facts.units.around(b.element);
    let units = page.blocks.iter().map(unit_of).collect();
    (rows, Positions { place: facts.place, units })
}

/// Information about the position of each block, for the second stage.
pub(super) struct Positions {
    /// Hash of the names and classes of each block's ancestors.
    place: Vec<u64>,
    /// For each block, the group of the largest repeated box around it, and the box's number in the group.
    units: Vec<Option<(u32, u32)>>,
}

/// Number of words, and the sum of their scores.
#[derive(Default, Clone, Copy)]
struct Mass(f32, f32);

impl Mass {
    fn add(&mut self, words: f32, chance: f32) {
        self.0 += words;
        self.1 += words * chance;
    }

    fn mean(self) -> f32 {
        self.1 / self.0.max(1.0)
    }
}

/// Adds the features of the second stage: the first stage's scores of the block, its neighbours and the boxes
/// around it.
pub(super) fn second(
    page: &Page<'_>,
    positions: &Positions,
    rows: &mut [[f32; COUNT_SECOND]],
    chances: &[f32],
) {
    let (mut sums, mut weights) =
        (vec![0f32; page.elements.len()], vec![0f32; page.elements.len()]);
    for (block, chance) in page.blocks.iter().zip(chances) {
        sums[block.element] += chance * block.words as f32;
        weights[block.element] += block.words as f32;
    }
    for at in (1..page.elements.len()).rev() {
        let parent = page.elements[at].parent;
        sums[parent] += sums[at];
        weights[parent] += weights[at];
    }
    let mean = |at: usize| sums[at] / weights[at].max(1.0);
    let total = weights.first().map_or(1.0, |w| w.max(1.0));
    let mut places: HashMap<u64, Mass> = HashMap::default();
    let mut groups: HashMap<u32, Mass> = HashMap::default();
    let mut members: HashMap<(u32, u32), Mass> = HashMap::default();
    let mut strong = Vec::new();
    for (at, (block, chance)) in page.blocks.iter().zip(chances).enumerate() {
        let words = block.words as f32;
        places.entry(positions.place[at]).or_default().add(words, *chance);
        if let Some(unit) = positions.units[at] {
            groups.entry(unit.0).or_default().add(words, *chance);
            members.entry(unit).or_default().add(words, *chance);
        }
        if *chance >= STRONG && block.words >= STRONG_WORDS {
            strong.push(at);
        }
    }
    let taken: Vec<bool> = chances.iter().map(|c| *c >= 0.5).collect();
    let agreements = page.agreements(&taken);
    let best = (0..agreements.len())
        .rev()
        .reduce(|a, b| if agreements[b] > agreements[a] { b } else { a });
    let best = best.map_or(0..0, |b| page.elements[b].blocks.clone());
    let agreement = agreements.iter().copied().fold(0.0, f32::max);
    let mass = sums.first().copied().unwrap_or_default().max(1.0);
    let mut before = 0.0;
    let mut next = 0;
    for (at, row) in rows.iter_mut().enumerate() {
        let mut to = COUNT;
        for distance in 1..=NEIGHBOURS {
            let before = at.checked_sub(distance).map_or(-1.0, |o| chances[o]);
            row[to] = before;
            row[to + 1] = chances.get(at + distance).copied().unwrap_or(-1.0);
            to += 2;
        }
        row[to] = chances[at];
        let mut around = page.around(page.blocks[at].element);
        for slot in 1..4 {
            row[to + slot] = around.next().map_or(-1.0, mean);
        }
        let span = at.saturating_sub(10)..(at + 11).min(chances.len());
        row[to + 4] = chances[span.clone()].iter().sum::<f32>() / span.len() as f32;
        row[to + 5] = sums.first().copied().unwrap_or_default() / total;
        to += 6;
        while strong.get(next).is_some_and(|s| *s < at) {
            next += 1;
        }
        let own = chances[at] * page.blocks[at].words as f32;
        let distance = |other: Option<usize>| other.map_or(-1.0, |o| (o as f32).min(99.0));
        row[to] = before / mass;
        row[to + 1] = (mass - before - own).max(0.0) / mass;
        row[to + 2] = distance(next.checked_sub(1).map(|n| at - strong[n]));
        row[to + 3] = distance(strong.get(next).map(|s| s - at));
        row[to + 4] = f32::from(u8::from(best.contains(&at)));
        row[to + 5] = agreement;
        let place = places.get(&positions.place[at]).copied().unwrap_or_default();
        row[to + 6] = place.mean();
        row[to + 7] = place.0 / total;
        let unit = positions.units[at];
        row[to + 8] = unit.and_then(|u| groups.get(&u.0)).map_or(-1.0, |m| m.mean());
        row[to + 9] = unit.and_then(|u| members.get(&u)).map_or(-1.0, |m| m.mean());
        before += own;
    }
}

/// The parts of a page between its headings.
struct Sections {
    /// For each block, the index of its section.
    of: Vec<usize>,
    all: Vec<Section>,
}

#[derive(Default)]
struct Section {
    /// Level of the section's heading; 0 before the first heading.
    level: f32,
    chatter: f32,
    start: usize,
    words: usize,
    chars: usize,
    link_chars: usize,
}

impl Sections {
    fn of(page: &Page<'_>) -> Self {
        let mut all = vec![Section::default()];
        let mut of = Vec::with_capacity(page.blocks.len());
        for (at, block) in page.blocks.iter().enumerate() {
            let name = page.elements[block.element].name();
            if super::blocks::is_heading(name) {
                let words = words(crate::util::text::start(page.text(at), 200));
                all.push(Section {
                    level: f32::from(name.as_bytes()[1] - b'0'),
                    chatter: words.filter(|w| is_chatter(w) || is_aside(w)).count() as f32,
                    start: at,
                    ..Section::default()
                });
            }
            let here = all.len() - 1;
            of.push(here);
            all[here].words += block.words;
            all[here].chars += block.chars;
            all[here].link_chars += block.link_chars;
        }
        Self { of, all }
    }

    fn features(&self, at: usize, row: &mut [f32]) {
        let section = &self.all[self.of[at]];
        row[0] = section.level;
        row[1] = section.chatter;
        row[2] = (at - section.start).min(99) as f32;
        row[3] = (section.words as f32 + 1.0).ln();
        row[4] = section.link_chars as f32 / section.chars.max(1) as f32;
        row[5] = self.of[at] as f32 / self.all.len() as f32;
    }
}

/// Words in headings of sections that do not belong to an article, grouped by length.
const ASIDES: [&[&str]; 12] = [
    &[],
    &[],
    &[],
    &[],
    &["like", "also"],
    &["about", "reply", "leave", "posts"],
    &["latest", "author", "recent"],
    &["popular", "similar", "contact", "explore", "stories"],
    &["trending", "archives", "discover"],
    &["responses"],
    &["navigation", "categories", "references"],
    &["recommended"],
];

fn is_chatter(word: &str) -> bool {
    is_among(word, &CHATTER)
}

fn is_aside(word: &str) -> bool {
    is_among(word, &ASIDES)
}

fn is_among(word: &str, by_length: &[&[&str]]) -> bool {
    by_length.get(word.len()).is_some_and(|all| all.iter().any(|w| w.eq_ignore_ascii_case(word)))
}

/// Statistics of the page.
struct Facts<'p, 'a> {
    page: &'p Page<'a>,
    density: &'p Density,
    /// Number of words before each block.
    before: Vec<usize>,
    total: usize,
    /// Block index of the first `h1`.
    heading: Option<usize>,
    /// Number of occurrences of each repeated text, by hash.
    counts: HashMap<u64, u32>,
    hashes: Vec<u64>,
    /// The hashes of each title's words, sorted.
    titles: Vec<Vec<u64>>,
    summary: HashSet<u64>,
    body: HashSet<u64>,
    /// Number of blocks, words and link characters for each path of names and classes.
    places: HashMap<u64, (usize, usize, usize)>,
    place: Vec<u64>,
    /// For each element, a bit set of the tag names of its ancestors.
    names: Vec<u32>,
    /// For each element, the kinds of all its ancestors.
    far: Vec<Kinds>,
    units: Units,
    signs: Signs,
}

const NAMES: [&str; 8] =
    ["article", "main", "aside", "nav", "header", "footer", "table", "blockquote"];

impl<'p, 'a> Facts<'p, 'a> {
    fn of(page: &'p Page<'a>, density: &'p Density, hints: &Hints) -> Self {
        let mut total = 0;
        let mut before = Vec::with_capacity(page.blocks.len());
        let mut counts = HashMap::default();
        let mut hashes = Vec::with_capacity(page.blocks.len());
        for (at, block) in page.blocks.iter().enumerate() {
            before.push(total);
            total += block.words;
            let hash = hash(page.text(at));
            hashes.push(hash);
            *counts.entry(hash).or_insert(0) += 1;
        }
        let (mut names, mut far) = (Vec::new(), Vec::new());
        let mut paths: Vec<u64> = Vec::with_capacity(page.elements.len());
        for (at, element) in page.elements.iter().enumerate() {
            let (name_bits, kinds, path) = match at {
                0 => (0, 0, 0),
                _ => (names[element.parent], far[element.parent], paths[element.parent]),
            };
            let name = element.name();
            let own = NAMES.iter().position(|n| *n == name).map_or(0, |i| 1 << i);
            names.push(name_bits | own);
            far.push(kinds | element.kinds);
            paths.push(hash(&(path, name, element.node.attr("class"))));
        }
        let mut places = HashMap::default();
        let place: Vec<u64> = page.blocks.iter().map(|b| paths[b.element]).collect();
        for (block, place) in page.blocks.iter().zip(&place) {
            let entry: &mut (usize, usize, usize) = places.entry(*place).or_default();
            entry.0 += 1;
            entry.1 += block.words;
            entry.2 += block.link_chars;
        }
        let heading = (0..page.blocks.len())
            .find(|at| page.elements[page.blocks[*at].element].name() == "h1");
        let numbers = |text: &String| words(text).map(number).collect::<Vec<u64>>();
        let titles = hints.titles.iter().map(|title| sorted(numbers(title)));
        let pairs_of = |texts: &mut dyn Iterator<Item = &String>| {
            texts.flat_map(|t| numbers(t).windows(2).map(joined).collect::<Vec<_>>()).collect()
        };
        Self {
            page,
            density,
            before,
            total,
            heading,
            counts,
            hashes,
            titles: titles.collect(),
            summary: pairs_of(&mut hints.summaries.iter()),
            body: pairs_of(&mut hints.body.iter()),
            places,
            place,
            names,
            far,
            units: Units::of(page, &paths),
            signs: hints.signs.with(page.signs),
        }
    }

    /// Features of the page: its declared kind, and the shares of code, links, comments and structure in its
    /// words.
    fn whole(&self) -> [f32; signs::COUNT + OF_PAGE] {
        let mut sums = [0usize; 5];
        for block in &self.page.blocks {
            let element = &self.page.elements[block.element];
            let far = self.far[block.element];
            sums[0] += if element.name() == "pre" { block.words } else { 0 };
            sums[1] += block.link_chars;
            sums[2] += if far & classes::COMMENT != 0 { block.words } else { 0 };
            sums[3] += if self.names[block.element] & 1 != 0 { block.words } else { 0 };
            sums[4] += usize::from(super::blocks::is_heading(element.name()));
        }
        let total = self.total.max(1) as f32;
        let mut row = [0f32; signs::COUNT + OF_PAGE];
        row[..signs::COUNT].copy_from_slice(&self.signs.features());
        for (slot, sum) in sums.into_iter().enumerate() {
            row[signs::COUNT + slot] = sum as f32 / total;
        }
        row
    }

    fn own(&self, at: usize) -> [f32; OWN] {
        let page = self.page;
        let block = &page.blocks[at];
        let element = &page.elements[block.element];
        let text = page.text(at);
        let letters = Letters::of(text);
        let chars = block.chars.max(1) as f32;
        let share = |part: usize| part as f32 / chars;
        let words_in = block.words.max(1) as f32;
        let around: Vec<usize> = page.around(block.element).take(4).collect();
        let near = |level: usize| around.get(level).copied().unwrap_or(0);
        let d = self.density;
        let top = d.scores[d.best].max(0.001);
        let score_of = |at: usize| d.scores[at] / top;
        let best = &page.elements[d.best];
        let in_best = best.blocks.contains(&at);
        let place = self.places.get(&self.place[at]).copied().unwrap_or_default();
        let names = self.names[block.element];
        let bit = |i: usize| f32::from(u8::from(names & (1 << i) != 0));
        let name = element.name();
        let in_list = page.around(block.element).take(4).any(|e| page.elements[e].name() == "li");
        let siblings = &page.elements[near(1)].blocks;
        let mean_words = place.1 as f32 / place.0.max(1) as f32;
        let distance = if at >= best.blocks.end {
            (at + 1 - best.blocks.end) as f32
        } else if at < best.blocks.start {
            at as f32 - best.blocks.start as f32
        } else {
            0.0
        };
        let start = crate::util::text::start(text, 200);
        let chatter = words(start).filter(|w| is_chatter(w)).count();
        let short = block.words <= TITLE_WORDS;
        let compared = !(self.summary.is_empty() && self.body.is_empty());
        let numbers: Vec<u64> =
            if short || compared { words(text).map(number).collect() } else { Vec::new() };
        let (mut own_pairs, mut pairs_total) = ((0, 0), 1);
        if compared {
            for pair in numbers.windows(2).map(joined) {
                own_pairs.0 += usize::from(self.summary.contains(&pair));
                own_pairs.1 += usize::from(self.body.contains(&pair));
            }
            pairs_total = numbers.len().saturating_sub(1).max(1);
        }
        let in_body =
            if self.body.is_empty() { -1.0 } else { own_pairs.1 as f32 / pairs_total as f32 };
        [
            (words_in + 1.0).ln(),
            chars / words_in,
            share(block.link_chars),
            letters.end,
            letters.sentences as f32 / words_in,
            letters.commas as f32 / words_in,
            letters.digits as f32 / chars,
            letters.upper as f32 / chars,
            share(block.strong_chars),
            tag_number(name),
            f32::from(u8::from(in_list)),
            element.depth as f32,
            at as f32 / page.blocks.len() as f32,
            self.before[at] as f32 / self.total.max(1) as f32,
            self.heading.map_or(-99.0, |h| (at as f32 - h as f32).clamp(-50.0, 200.0)),
            self.heading.map_or(-1.0, |h| {
                let from = self.before[h] as f32;
                ((self.before[at] as f32 - from).max(0.0) + 1.0).ln()
            }),
            if short { self.title_match(numbers) } else { 0.0 },
            (self.counts.get(&self.hashes[at]).copied().unwrap_or(1) as f32).min(9.0),
            own_pairs.0 as f32 / pairs_total as f32,
            in_body,
            f32::from(u8::from(in_best)),
            f32::from(u8::from(d.kept[at])),
            distance.clamp(-40.0, 40.0),
            score_of(near(0)),
            score_of(near(1)),
            score_of(near(2)),
            d.links[near(0)],
            d.links[near(1)],
            d.links[near(2)],
            d.paragraphs[near(1)] as f32 / d.chars[near(1)].max(1) as f32,
            d.paragraphs[near(2)] as f32 / d.chars[near(2)].max(1) as f32,
            (d.chars[near(0)] as f32 + 1.0).ln(),
            (d.chars[near(1)] as f32 + 1.0).ln(),
            (d.chars[near(2)] as f32 + 1.0).ln(),
            at.saturating_sub(siblings.start) as f32 / siblings.len().max(1) as f32,
            (place.0 as f32).min(100.0),
            mean_words,
            place.2 as f32 / (place.1 as f32 * 5.0).max(1.0),
            place.1 as f32 / self.total.max(1) as f32,
            bit(0) + bit(1) * 2.0,
            bit(2) + bit(5) * 2.0 + bit(3) * 4.0,
            bit(4),
            bit(6) + bit(7) * 2.0,
            chatter as f32,
            chatter as f32 / words_in,
            block.links as f32,
            f32::from(u8::from(block.time)) + f32::from(u8::from(letters.odd)) * 2.0,
            d.chars[d.best] as f32 / d.chars[0].max(1) as f32,
            (self.total as f32 + 1.0).ln(),
            (block.pieces as f32).min(50.0),
        ]
    }

    /// Similarity of a block's words to the best title (Jaccard index).
    fn title_match(&self, numbers: Vec<u64>) -> f32 {
        let own = sorted(numbers);
        let alike = |title: &Vec<u64>| {
            let common = own.iter().filter(|w| title.binary_search(w).is_ok()).count();
            common as f32 / (own.len() + title.len() - common).max(1) as f32
        };
        self.titles.iter().map(alike).fold(0.0, f32::max)
    }

    fn kinds(&self, at: usize, row: &mut [f32]) {
        let block = &self.page.blocks[at];
        let near = self.page.around(block.element).take(3);
        let near = near.fold(block.kinds, |all, e| all | self.page.elements[e].kinds);
        let far = self.far[block.element];
        for kind in 0..classes::COUNT {
            row[kind] = f32::from(u8::from(near & (1 << kind) != 0));
            row[classes::COUNT + kind] = f32::from(u8::from(far & (1 << kind) != 0));
        }
    }

    fn neighbour(&self, at: usize, other: usize, own: &[f32; OWN], row: &mut [f32]) {
        let (a, b) = (&self.page.blocks[at], &self.page.blocks[other]);
        let parent = |b: &Block| self.page.elements[b.element].parent;
        row[0] = own[0];
        row[1] = own[2];
        row[2] = own[3];
        row[3] = own[9];
        row[4] = f32::from(u8::from(parent(a) == parent(b)))
            + f32::from(u8::from(self.place[at] == self.place[other])) * 2.0;
        row[5] = own[43];
    }
}

/// Character counts by kind.
struct Letters {
    commas: usize,
    sentences: usize,
    digits: usize,
    upper: usize,
    /// The last character: 2 ends a sentence, 1 is a colon, 0 is anything else.
    end: f32,
    /// Whether the text contains a copyright sign or an arrow.
    odd: bool,
}

/// Kinds of characters.
const PLAIN: usize = 0;
const COMMA: usize = 1;
const SENTENCE: usize = 2;
const DIGIT: usize = 3;
const UPPER: usize = 4;
const ODD: usize = 5;

/// The kinds of the ASCII characters.
const ASCII: [usize; 128] = {
    let (mut kinds, mut at) = ([PLAIN; 128], 0);
    while at < kinds.len() {
        kinds[at] = match at as u8 {
            b',' => COMMA,
            b'.' | b'!' | b'?' => SENTENCE,
            b'|' => ODD,
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            _ => PLAIN,
        };
        at += 1;
    }
    kinds
};

fn kind_of(c: char) -> usize {
    match c {
        c if c.is_ascii() => ASCII[c as usize],
        '，' | '、' | '،' => COMMA,
        '。' | '！' | '？' | '؟' | '…' => SENTENCE,
        '©' | '»' | '→' | '›' | '•' | '↑' => ODD,
        c if c.is_uppercase() => UPPER,
        _ => PLAIN,
    }
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut counts = [0; ODD + 1];
        if text.is_ascii() {
            text.bytes().for_each(|b| counts[ASCII[usize::from(b)]] += 1);
        } else {
            text.chars().for_each(|c| counts[kind_of(c)] += 1);
        }
        let tail = text.trim_end_matches(['"', '\'', '”', '’', ')', '»', '」', ' ']);
        let end = match tail.chars().next_back() {
            Some('.' | '!' | '?' | '。' | '！' | '？' | '؟' | '…') => 2.0,
            Some(':' | ';' | '：') => 1.0,
            _ => 0.0,
        };
        Self {
            commas: counts[COMMA],
            sentences: counts[SENTENCE],
            digits: counts[DIGIT],
            upper: counts[UPPER],
            end,
            odd: counts[ODD] > 0,
        }
    }
}

fn tag_number(name: &str) -> f32 {
    match name {
        "p" => 0.0,
        "pre" => 1.0,
        "blockquote" => 2.0,
        "li" => 3.0,
        "dd" | "dt" => 4.0,
        "h2" => 5.0,
        "h3" => 6.0,
        "h4" | "h5" | "h6" => 7.0,
        "div" | "section" | "article" => 8.0,
        "td" | "th" => 9.0,
        "h1" => 10.0,
        "figcaption" | "figure" | "caption" => 11.0,
        _ => 12.0,
    }
}

fn sorted(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The hash is not seeded: a page that provokes collisions harms only the extraction of its own text.
fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    FixedState::default().hash_one(value)
}
