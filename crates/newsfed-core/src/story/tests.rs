use super::same::{Compared, Limits};
use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

fn dated(source: i64, date: i64, signature: &Signature) -> Dated<'_> {
    Dated { source, date, signature }
}

proptest! {
    #[test]
    fn signatures_are_bounded_and_round_trip(
        a in any::<(String, Option<String>, String)>(),
        b in any::<(String, Option<String>, String)>(),
        apart in -1_000_000_i64..1_000_000,
    ) {
        let of = |(title, url, text): &(String, Option<String>, String)| {
            Signature::new(title, url.as_deref(), text)
        };
        let (a, b) = (of(&a), of(&b));
        prop_assert!(a.keys().len() <= MAX_KEYS);
        prop_assert_eq!(Signature::from_bytes(&a.to_bytes()), Some(a.clone()));
        let (x, y) = (dated(1, 0, &a), dated(2, apart, &b));
        prop_assert_eq!(same_story(x, y, true), same_story(y, x, true));
        prop_assert_eq!(same_story(x, dated(1, apart, &a), true), None);
    }

    #[test]
    fn damaged_signatures_do_not_panic(bytes in any::<Vec<u8>>()) {
        let _ = Signature::from_bytes(&bytes);
    }
}

#[test]
fn signatures_of_hostile_texts_stay_small() {
    let huge =
        ["a ".repeat(500_000), "x".repeat(1 << 20), "日".repeat(400_000), "1,".repeat(500_000)];
    for text in &huge {
        let signature = Signature::new(text, Some(&format!("https://a.example/{text}")), text);
        assert!(signature.to_bytes().len() <= 1024, "{}", signature.to_bytes().len());
        assert!(signature.keys().len() <= MAX_KEYS);
    }
    let empty = Signature::new("", None, "");
    assert!(empty.keys().is_empty());
    assert_eq!(same_story(dated(1, 0, &empty), dated(2, 0, &empty), true), None);
}

/// A labelled pair whose items share a key, and whether they are one story.
struct Pair {
    is_one: bool,
    title: String,
    compared: Compared,
}

/// For each part of the file, the pairs that can be joined at all, and the number of all pairs that are one
/// story.
fn labelled() -> Vec<(Vec<Pair>, usize)> {
    let mut parts: Vec<(Vec<Pair>, usize)> = Vec::new();
    let mut base = Signature::default();
    for line in include_str!("../../../../tests/data/stories.tsv").lines() {
        if line.starts_with('#') {
            if line.contains(" part, ") {
                parts.push(Default::default());
            }
            continue;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        let [kind, hours, title, url, text] = columns[..] else { panic!("{line}") };
        let signature = Signature::new(title, Some(url), text);
        if kind == "base" {
            base = signature;
            continue;
        }
        let (pairs, ones) = parts.last_mut().unwrap();
        let is_one = kind == "same";
        *ones += usize::from(is_one);
        let keys: HashSet<i64> = base.keys().into_iter().collect();
        if signature.keys().iter().any(|key| keys.contains(key)) {
            let later = hours.parse::<i64>().unwrap() * 3600;
            let compared = Compared::of(dated(1, 0, &base), dated(2, later, &signature), true);
            pairs.extend(compared.map(|compared| Pair {
                is_one,
                title: title.to_owned(),
                compared,
            }));
        }
    }
    parts
}

/// Number of pairs that are joined correctly and incorrectly.
fn joined(pairs: &[Pair], limits: &Limits) -> (usize, usize) {
    let all = || pairs.iter().filter(|pair| pair.compared.reason(limits).is_some());
    (all().filter(|pair| pair.is_one).count(), all().filter(|pair| !pair.is_one).count())
}

/// All settings that are compared, each with its coordinates in the grid.
fn grid() -> Vec<(Limits, [f64; 5])> {
    let axes: [&[f64]; 5] = [
        &[0.5, 0.55, 0.6, 0.65, 0.7],
        &[0.75, 0.8, 0.85, 0.9],
        &[0.15, 0.2, 0.25, 0.3, 0.35],
        &[0.4, 0.45, 0.5, 0.55, 0.6],
        &[0.0, 0.3, 0.375, 0.45, 0.525, 0.6],
    ];
    let mut all = vec![[0.0; 5]];
    for (axis, values) in axes.iter().enumerate() {
        let with = |place: [f64; 5]| {
            (0..values.len()).map(move |at| {
                let mut place = place;
                place[axis] = at as f64;
                place
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    let value = |axis: usize, place: &[f64; 5]| axes[axis][place[axis] as usize];
    let limits = |place: [f64; 5]| {
        let [copied, lead, copy_titles, titles, rewritten] =
            [0, 1, 2, 3, 4].map(|axis| value(axis, &place));
        (Limits { copied, lead, copy_titles, titles, rewritten }, place)
    };
    all.into_iter().map(limits).collect()
}

/// The limits with the best results: the fewest false joins, then the most correct ones. Among equally good
/// limits, the ones nearest to the middle.
fn best(pairs: &[&[Pair]], grid: &[(Limits, [f64; 5])]) -> Limits {
    let score = |limits: &Limits| {
        let of = |part: &&[Pair]| joined(part, limits);
        let (right, falsely) = pairs.iter().map(of).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        (std::cmp::Reverse(falsely), right)
    };
    let scores: Vec<_> = grid.iter().map(|(limits, _)| score(limits)).collect();
    let top = *scores.iter().max().unwrap();
    let equal: Vec<_> =
        grid.iter().zip(&scores).filter(|(_, score)| **score == top).map(|(at, _)| at).collect();
    let middle = [0, 1, 2, 3, 4]
        .map(|axis| equal.iter().map(|(_, at)| at[axis]).sum::<f64>() / equal.len() as f64);
    let distance = |at: &[f64; 5]| at.iter().zip(middle).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let nearest = equal.iter().min_by(|a, b| distance(&a.1).total_cmp(&distance(&b.1))).unwrap();
    println!("{} settings are equal, with (false, right) {top:?}", equal.len());
    nearest.0
}

/// The pairs of the fourth part were made to fool any thresholds, so no thresholds are chosen with them.
#[test]
fn thresholds_hold_on_each_held_out_part() {
    let (parts, grid) = (labelled(), grid());
    for (at, (pairs, ones)) in parts.iter().enumerate() {
        let others = parts.iter().take(3).enumerate().filter(|(other, _)| *other != at);
        let others: Vec<&[Pair]> = others.map(|(_, (pairs, _))| pairs.as_slice()).collect();
        let limits = best(&others, &grid);
        let (right, falsely) = joined(pairs, &limits);
        for pair in pairs.iter().filter(|p| !p.is_one && p.compared.reason(&limits).is_some()) {
            println!("joined falsely: {}", pair.title);
        }
        println!("part {}: {right} of {ones}, {falsely} falsely, with {limits:?}", at + 1);
        if at < 3 {
            assert!(right as f64 / *ones as f64 >= 0.85 && falsely == 0, "part {}", at + 1);
        }
    }
    assert_eq!(parts.len(), 4);
}
