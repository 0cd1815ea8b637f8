//! Pairs of items that are labelled as the same story or as different stories.

use newsfed::story::{Dated, Signature, same_story};
use std::collections::{BTreeMap, HashSet};

const PAIRS: &str = include_str!("../data/stories.tsv");

struct Labelled {
    hours: i64,
    title: &'static str,
    signature: Signature,
}

impl Labelled {
    fn dated(&self, source: i64) -> Dated<'_> {
        Dated { source, date: self.hours * 3600, signature: &self.signature }
    }
}

/// Numbers of pairs about the same story (joined or missed) and of other pairs (falsely joined or separate).
#[derive(Debug, Default)]
struct Figures {
    joined: usize,
    missed: usize,
    falsely: usize,
    separate: usize,
}

impl Figures {
    fn precision(&self) -> f64 {
        self.joined as f64 / (self.joined + self.falsely).max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.joined as f64 / (self.joined + self.missed).max(1) as f64
    }
}

#[test]
fn joins_labelled_pairs_with_few_errors() {
    let mut base: Option<Labelled> = None;
    let (mut figures, mut kinds) = (Figures::default(), BTreeMap::<&str, usize>::new());
    let mut parts: Vec<Figures> = Vec::new();
    for line in PAIRS.lines() {
        if line.starts_with('#') {
            if line.contains(" part, ") {
                parts.push(Figures::default());
            }
            continue;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        let [kind, hours, title, url, text] = columns[..] else { panic!("{line}") };
        let signature = Signature::new(title, Some(url), text);
        let item = Labelled { hours: hours.parse().unwrap(), title, signature };
        if kind == "base" {
            base = Some(item);
            continue;
        }
        let base = base.as_ref().unwrap();
        // Only items with a common key are compared.
        let keys: HashSet<i64> = base.signature.keys().into_iter().collect();
        let found = item.signature.keys().iter().any(|key| keys.contains(key));
        let joined = found && same_story(base.dated(1), item.dated(2), true).is_some();
        *kinds.entry(kind).or_default() += 1;
        for figures in [Some(&mut figures), parts.last_mut()].into_iter().flatten() {
            let count = match (kind == "same", joined) {
                (true, true) => &mut figures.joined,
                (true, false) => &mut figures.missed,
                (false, true) => &mut figures.falsely,
                (false, false) => &mut figures.separate,
            };
            *count += 1;
        }
        if (kind == "same") != joined {
            println!("{kind}, joined {joined}: {} | {}", base.title, item.title);
        }
    }
    let (precision, recall) = (figures.precision(), figures.recall());
    println!("{figures:?}, {kinds:?}: precision {precision:.3}, recall {recall:.3}");
    assert!(kinds.values().sum::<usize>() >= 300 && kinds.len() == 4, "{kinds:?}");
    assert_eq!(parts.len(), 4);
    // The last part was written to defeat the thresholds, so most of its stories are not found.
    assert!(parts[3].joined >= 3 && parts[3].falsely <= 1, "{:?}", parts[3]);
    for figures in parts[..3].iter().chain([&figures]) {
        assert!(figures.precision() >= 0.98 && figures.recall() >= 0.85, "{figures:?}");
    }
}
