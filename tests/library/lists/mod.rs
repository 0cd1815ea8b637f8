//! Suggests selectors for difficult synthetic list pages, and checks that the selectors still work after the
//! site was rebuilt with a different order, advertisements and new class hashes.

mod adversarial;
mod pages;

use self::pages::{Build, Sample, samples};
use newsfed::website::{Page, Selectors, list_page, propose::propose};
use std::collections::HashSet;
use url::Url;

/// The paths of URLs, including queries.
fn paths<'a>(urls: impl IntoIterator<Item = &'a Url>) -> HashSet<String> {
    urls.into_iter().map(|u| u[url::Position::BeforePath..].to_owned()).collect()
}

fn wanted(sample: &Sample) -> HashSet<String> {
    let site = Url::parse(sample.url).unwrap();
    paths(&sample.articles.iter().map(|a| site.join(a).unwrap()).collect::<Vec<_>>())
}

/// Whether a selector is correct: recall and precision are at least 90 %.
fn is_right(found: &HashSet<String>, sample: &Sample) -> bool {
    let wanted = wanted(sample);
    let common = found.intersection(&wanted).count();
    common * 10 >= wanted.len() * 9 && common * 10 >= found.len() * 9
}

fn page(sample: &Sample) -> Page {
    Page::parse(&sample.markup, &Url::parse(sample.url).unwrap()).unwrap()
}

#[test]
fn finds_the_lists_of_difficult_pages() {
    let samples = samples(&Build::first());
    assert!(samples.len() >= 12);
    let mut first = 0;
    for sample in &samples {
        let proposals = propose(&page(sample));
        let right = |n: usize| {
            let found = |p: &newsfed::website::propose::Proposal| {
                is_right(&paths(p.items.iter().map(|i| &i.url)), sample)
            };
            proposals.get(n).is_some_and(found)
        };
        let summary: Vec<&str> = proposals.iter().take(3).map(|p| p.articles.as_str()).collect();
        println!("{}: {summary:?}", sample.name);
        first += usize::from(right(0));
        assert!((0..3).any(right), "{}: none of {summary:?} gives the articles", sample.name);
        assert!(proposals.iter().all(|p| (0.0..=1.0).contains(&p.confidence)), "{}", sample.name);
    }
    println!("first proposal right on {first} of {}", samples.len());
    assert!(first + 2 >= samples.len(), "{first} of {}", samples.len());
}

#[test]
fn finds_all_groups_of_a_list_and_nothing_else() {
    let samples = adversarial::samples();
    assert!(samples.len() >= 15);
    let mut wrong = Vec::new();
    for sample in &samples {
        let proposals = propose(&page(sample));
        let found = proposals.first().map(|p| paths(p.items.iter().map(|i| &i.url)));
        if found.as_ref() != Some(&wanted(sample)) {
            let selectors: Vec<&str> = proposals.iter().map(|p| p.articles.as_str()).collect();
            let found = found.unwrap_or_default();
            let missing: Vec<_> = wanted(sample).difference(&found).cloned().collect();
            let surplus: Vec<_> = found.difference(&wanted(sample)).cloned().collect();
            wrong.push(format!(
                "{}: {selectors:?} lacks {missing:?}, adds {surplus:?}",
                sample.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), samples.len(), wrong.join("\n"));
}

#[test]
fn suggestions_include_titles() {
    for sample in samples(&Build::first()) {
        let proposals = propose(&page(&sample));
        let best =
            proposals.iter().find(|p| is_right(&paths(p.items.iter().map(|i| &i.url)), &sample));
        let Some(best) = best else { continue };
        let titled = best.items.iter().filter(|i| i.title.chars().count() >= 4).count();
        assert!(titled * 10 >= best.items.len() * 9, "{}: {:?}", sample.name, best.items);
    }
}

#[test]
fn selectors_still_match_after_a_rebuild_of_the_site() {
    let before = samples(&Build::first());
    for seed in 1..=3 {
        let after = samples(&Build::again(seed));
        let mut lasting = 0;
        for (old, new) in before.iter().zip(&after) {
            let selector = propose(&page(old)).first().map(|p| p.articles.clone()).unwrap();
            let found = list_page(&page(new), &Selectors::parse(&selector).unwrap(), None);
            // Links to other sites are ignored, because they are never fetched.
            let own = found
                .links
                .iter()
                .map(|l| &l.url)
                .filter(|u| new.url.contains(u.host_str().unwrap()));
            let right = is_right(&paths(own), new);
            println!("{seed} {}: {selector} {}", new.name, if right { "holds" } else { "FAILS" });
            lasting += usize::from(right);
        }
        assert!(lasting + 2 >= before.len(), "{lasting} of {} hold", before.len());
    }
}

#[test]
fn selectors_use_neither_positions_nor_hashes() {
    for sample in samples(&Build::first()) {
        for proposal in propose(&page(&sample)) {
            let selector = &proposal.articles;
            assert!(
                !selector.contains("nth-") && !selector.contains(Build::FIRST_HASH),
                "{selector}"
            );
            assert!(selector.len() < 120, "{selector}");
        }
    }
}

#[test]
fn makes_no_confident_suggestion_without_a_list() {
    let at = Url::parse("https://example.org/about").unwrap();
    let pages = [
        "<nav><a href=/>Home</a><a href=/about>About</a><a href=/contact>Contact</a></nav><p>We are here.",
        "<p>Nothing to see.",
        "<h1>One story</h1><p>It was a long day in the harbour, and the <a href=https://other.example/x>\
         report</a> says so, as does the <a href=/terms>fine print</a> of it.</p>",
    ];
    for markup in pages {
        let best = propose(&Page::parse(markup, &at).unwrap()).first().map(|p| p.confidence);
        assert!(best.is_none_or(|c| c < 0.35), "{markup}: {best:?}");
    }
}
