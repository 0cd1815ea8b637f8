//! Groups of links that share a selector, sorted by their worth.

use super::likeness::{likeness, segments};
use super::links::{Link, Prose};
use super::names::cost;
use std::collections::{HashMap, HashSet};

/// Minimum number of articles in a list.
pub(super) const MIN: usize = 3;
/// Maximum number of groups that are ranked.
const MAX_GROUPS: usize = 200;
/// Maximum number of groups with too few links for a list that are considered for joining.
const MAX_FEW: usize = 100;
/// A URL to which the page links again this many times, with other links in between, is not an article: links
/// to a tag are in many rows.
const MAX_RETURNS: usize = 2;
/// Minimum share of dated links in a list at which all links should have a date.
const DATED: f64 = 0.8;
/// Minimum likeness of a link that adds to the worth of a group; links below it reduce the worth.
const BORDER: f64 = 0.45;
/// Maximum number of groups that are joined with the best one.
const MAX_JOINED: usize = 3;

#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) selector: String,
    pub(super) confidence: f64,
    worth: f64,
    members: Vec<usize>,
    /// How similar the positions of its links are.
    even: f64,
    /// How good the texts of its links are, compared with other links to the same URLs.
    text_quality: f64,
}

/// A URL that the page links to once or several times.
struct Target {
    likeness: f64,
    shape: String,
    text: String,
    /// Whether it is only linked as one of the popular articles.
    popular: bool,
    /// Whether one of its links has a date or is a heading.
    marked: bool,
    /// Whether one of its links has a date.
    dated: bool,
    /// Whether it is only linked in running text.
    in_prose: bool,
    /// The last link to it, and how many times other links were between two links to it.
    last: usize,
    returns: usize,
}

/// The groups of a page, best first. Among groups with the same links, only the one with the simplest
/// selector is kept.
pub(super) fn ranked(links: &[Link]) -> Vec<Group> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut targets: Vec<Target> = Vec::new();
    let mut of_link = Vec::with_capacity(links.len());
    for (n, link) in links.iter().enumerate() {
        let at = *index.entry(link.key.as_str()).or_insert(targets.len());
        let likeness = likeness(link);
        if at == targets.len() {
            targets.push(Target {
                likeness,
                shape: shape(link),
                text: link.text.clone(),
                popular: true,
                marked: false,
                dated: false,
                in_prose: true,
                last: n,
                returns: 0,
            });
        } else if likeness > targets[at].likeness {
            targets[at].likeness = likeness;
            targets[at].text.clone_from(&link.text);
        }
        targets[at].popular &= link.popular;
        targets[at].returns += usize::from(n > targets[at].last + 1);
        targets[at].last = n;
        targets[at].in_prose &= link.prose != Prose::None;
        targets[at].dated |= link.dated;
        targets[at].marked |= link.dated || link.in_heading;
        of_link.push((at, likeness));
    }
    let mut by_selector: HashMap<&str, Vec<usize>> = HashMap::new();
    for (n, link) in links.iter().enumerate() {
        for selector in &link.selectors {
            by_selector.entry(selector).or_default().push(n);
        }
    }
    let mut best: HashMap<Vec<usize>, Group> = HashMap::new();
    for (selector, found) in by_selector {
        let mut members: Vec<usize> = found.iter().map(|n| of_link[*n].0).collect();
        members.sort_unstable();
        members.dedup();
        let text_quality = found.iter().map(|n| of_link[*n].1).sum::<f64>() / found.len() as f64;
        let mut even = evenness(&found, links, &of_link);
        // The site itself marks these links as one kind.
        if selector.starts_with("a.") || selector.starts_with("a[rel") {
            even = f64::midpoint(even, 1.0);
        }
        let group = rate(selector.to_owned(), members, text_quality, even, &targets);
        let simpler = |old: &Group| {
            let rank = |g: &Group| (-(g.text_quality * 10.0).round(), cost(&g.selector) as f64);
            let (new, old_rank) = (rank(&group), rank(old));
            new < old_rank || (new == old_rank && group.selector < old.selector)
        };
        if best.get(&group.members).is_none_or(simpler) {
            best.insert(group.members.clone(), group);
        }
    }
    let (mut groups, mut few): (Vec<Group>, Vec<Group>) =
        best.into_values().partition(|group| group.members.len() >= MIN);
    sort(&mut groups);
    groups.truncate(MAX_GROUPS);
    sort(&mut few);
    few.truncate(MAX_FEW);
    let mut joined = None;
    for _ in 0..MAX_JOINED {
        let best = joined.as_ref().or(groups.first());
        match best.and_then(|best| join(best, &groups, &few, &targets)) {
            Some(more) => joined = Some(more),
            None => break,
        }
    }
    if let Some(joined) = joined {
        groups.insert(0, joined);
    }
    groups
}

fn sort(groups: &mut [Group]) {
    groups.sort_by(|a, b| {
        let simpler = || cost(&a.selector).cmp(&cost(&b.selector));
        b.worth.total_cmp(&a.worth).then_with(simpler).then_with(|| a.selector.cmp(&b.selector))
    });
}

/// Rates a group: the sum of its members' likeness above the threshold, multiplied by how well they fit
/// together: URLs of the same shape, similar positions, and different titles.
fn rate(
    selector: String,
    members: Vec<usize>,
    text_quality: f64,
    even: f64,
    targets: &[Target],
) -> Group {
    let all = || members.iter().map(|m| &targets[*m]);
    let count = members.len() as f64;
    let sum: f64 = all().map(|t| t.likeness - BORDER).sum();
    let regular = majority(all().map(|t| t.shape.as_str()));
    let texts: HashSet<&str> = all().map(|t| t.text.as_str()).collect();
    let distinct = texts.len() as f64 / count;
    let fit =
        (0.5 + 0.3 * regular + 0.2 * distinct) * (0.3 + 0.7 * even) * (0.7 + 0.3 * text_quality);
    let fit = fit * (1.0 - outsiders(all()));
    let mean: f64 = all().map(|t| t.likeness).sum::<f64>() / count;
    // A large number of members must not turn links that do not lead to articles into a list of articles.
    let worth = if sum > 0.0 { sum.powf(0.8) * fit } else { sum };
    let confidence = (mean * fit * (1.0 - (-count / 3.0).exp())).clamp(0.0, 1.0);
    Group { selector, confidence, worth, members, even, text_quality }
}

/// Share of members that are unlike most others: they have no date and a different URL shape, or are linked
/// in many rows.
fn outsiders<'a>(all: impl Iterator<Item = &'a Target> + Clone) -> f64 {
    let count = all.clone().count() as f64;
    let dated = || all.clone().filter(|t| t.dated);
    let shapes: HashSet<&str> = dated().map(|t| t.shape.as_str()).collect();
    let comparable = dated().count() >= MIN && dated().count() as f64 * 2.0 >= count;
    let returns = |t: &Target| t.returns >= MAX_RETURNS;
    let mostly = all.clone().filter(|t| !returns(t)).count() as f64 > count * 0.6;
    let outside = |t: &&Target| {
        (comparable && !t.dated && !shapes.contains(t.shape.as_str())) || (mostly && returns(t))
    };
    all.filter(outside).count() as f64 / count.max(1.0)
}

/// How similar the positions of a group's links are, counting only the most likely link for each URL.
fn evenness(found: &[usize], links: &[Link], of_link: &[(usize, f64)]) -> f64 {
    let mut places: HashMap<usize, (&str, f64)> = HashMap::new();
    for n in found {
        let (target, likeness) = of_link[*n];
        let place = places.entry(target).or_insert((&links[*n].place, likeness));
        if likeness > place.1 {
            *place = (&links[*n].place, likeness);
        }
    }
    majority(places.into_values().map(|(place, _)| place))
}

/// Share of the most frequent value.
fn majority<'a>(values: impl Iterator<Item = &'a str>) -> f64 {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    counts.values().max().copied().unwrap_or(0) as f64 / all.max(1) as f64
}

/// Joins the best group with a second one, such as a lead story next to the list, if both together are worth
/// more. Only groups whose URLs have the same shape are joined, and a list of articles is not joined with
/// popular articles, which are old, nor with tags or links in running text. If pages of all kinds are at the
/// root, only links with dates or headings are added to a list with dates, because the rest is a menu.
fn join(best: &Group, groups: &[Group], few: &[Group], targets: &[Target]) -> Option<Group> {
    let own: HashSet<usize> = best.members.iter().copied().collect();
    let shapes: HashSet<&str> = own.iter().map(|m| targets[*m].shape.as_str()).collect();
    let popular = best.members.iter().all(|m| targets[*m].popular);
    let dated = own.iter().filter(|m| targets[**m].dated).count() as f64;
    let dated = dated >= own.len() as f64 * DATED;
    // A folder with articles contains nothing else, unlike the root.
    let root = shapes.iter().all(|shape| !shape.contains('/'));
    let more = |group: &&Group| {
        let new: Vec<&usize> = group.members.iter().filter(|m| !own.contains(m)).collect();
        let least = group.members.len() < MIN;
        let good = |m: &&usize| {
            let target = &targets[**m];
            target.likeness > BORDER + 0.1
                && shapes.contains(target.shape.as_str())
                && (popular || !target.popular)
                && (target.marked || !(least || dated && root))
                && !target.in_prose
                && target.returns < MAX_RETURNS
        };
        !new.is_empty() && new.iter().all(good)
    };
    let joined = groups.iter().chain(few).filter(more).map(|group| {
        let mut members = best.members.clone();
        members.extend(&group.members);
        members.sort_unstable();
        members.dedup();
        let selector = format!("{}, {}", best.selector, group.selector);
        // Joined groups are expected to be in different places.
        let even = best.even.min(group.even);
        rate(selector, members, best.text_quality.min(group.text_quality), even, targets)
    });
    let found = joined.max_by(|a, b| a.worth.total_cmp(&b.worth))?;
    (found.worth > best.worth * 1.02).then_some(found)
}

/// The shape of a URL: its folders with numbers replaced by `9`, the extension of the last part, and whether
/// there is a query.
fn shape(link: &Link) -> String {
    let segments = segments(link.url.path());
    let (last, folders) = match segments.split_last() {
        Some((last, folders)) => (*last, folders),
        None => ("", &[][..]),
    };
    let mut shape = String::new();
    for folder in folders {
        let number = folder.bytes().all(|b| b.is_ascii_digit());
        shape.push_str(if number { "9" } else { folder });
        shape.push('/');
    }
    let ending = last.rsplit_once('.').map_or("", |(_, e)| e);
    shape.push_str(ending);
    if link.url.query().is_some() {
        shape.push('?');
    }
    shape
}
