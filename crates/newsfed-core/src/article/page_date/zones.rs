//! The UTC offsets that a page gives, for times without a zone.

use super::places::Apart;
use super::{Candidate, Meaning};
use crate::model::DateSource;
use crate::util::date::{Offsets, Zone, is_offset};

/// A date with an offset and at least this score belongs to the article.
const OWN: f32 = 35.0;

/// The offsets of the article's dates. Empty if they cannot belong to one time zone, or if the visible times
/// are in a different zone.
pub(super) fn offsets(all: &[Candidate]) -> Offsets {
    let mut offsets = Offsets::default();
    for candidate in all.iter().filter(|c| is_own(c)) {
        offsets.learn(candidate.time.to_utc(), candidate.zone);
    }
    match offsets.agree() && !differs_from_shown(all) {
        true => offsets,
        false => Offsets::default(),
    }
}

fn is_own(candidate: &Candidate) -> bool {
    let stated = matches!(
        candidate.from,
        DateSource::StructuredData | DateSource::Metadata | DateSource::Element
    );
    stated && candidate.beside == Apart::No && candidate.score >= OWN
}

/// Whether the visible publication time is the machine-readable time in a different zone.
fn differs_from_shown(all: &[Candidate]) -> bool {
    let published = || all.iter().filter(|c| c.meaning == Meaning::Published && c.score > 0.0);
    let mut differs = false;
    for shown in published().filter(|c| c.zone == Zone::Missing) {
        for stated in published().filter(|c| is_own(c)) {
            let Zone::Offset(offset) = stated.zone else { continue };
            let minutes = |c: &Candidate| c.time.timestamp().div_euclid(60);
            let between = (minutes(shown) - minutes(stated)) * 60;
            if between == i64::from(offset) {
                return false;
            }
            differs |= offset != 0 && is_offset(between);
        }
    }
    differs
}

#[cfg(test)]
mod tests {
    use crate::article::{Guide, page_dates};
    use crate::model::ZoneSource;

    const TEXT: &str = "<p>The council has decided to rebuild the old bridge over the river, which was \
        closed two winters ago. Work will start as soon as the money is there, the mayor said.</p><p>Those \
        who live on the other bank have waited a long time. They hope that it will be wider.</p>";

    /// A page with this metadata, date line and end.
    fn page(head: &str, line: &str, end: &str) -> String {
        format!(
            "<!DOCTYPE html><html lang=de><head><title>The old bridge</title>{head}</head><body><article>\
             <h1>The old bridge</h1><p class=meta>{line}</p>{TEXT}</article>{end}</body></html>"
        )
    }

    fn modified(time: &str) -> String {
        format!("<meta property='article:modified_time' content='{time}'>")
    }

    fn comments(zone: &str) -> String {
        let comment = |n: u32| {
            format!(
                "<li class=comment><p><b>Ann</b> <time datetime='2026-11-13T1{n}:07:00{zone}'>13.11.2026, \
                 1{n}:07</time></p><p>I have waited for this bridge for a very long time.</p></li>"
            )
        };
        let all: String = (1..=4).map(comment).collect();
        format!("<section id=comments class=comments><h2>Kommentare</h2><ol>{all}</ol></section>")
    }

    fn published(page: &str) -> (String, bool) {
        let found = page_dates(page, &Guide::default()).published.unwrap();
        (found.time.to_rfc3339(), found.zone_from == Some(ZoneSource::Page))
    }

    #[test]
    fn reads_times_without_a_zone_in_the_page_zone() {
        let line = "Von Ann Lee, 12.11.2026, 09:15 Uhr";
        let moved = |head: &str, line: &str| published(&page(head, line, ""));
        let cases = [
            ("+01:00", "2026-11-12T09:15:00+01:00", true),
            ("+14:00", "2026-11-12T09:15:00+14:00", true),
            ("-12:00", "2026-11-12T09:15:00-12:00", true),
            ("-0330", "2026-11-12T09:15:00-03:30", true),
            // These are not valid offsets.
            ("Z", "2026-11-12T09:15:00+00:00", false),
            ("+00:00", "2026-11-12T09:15:00+00:00", false),
            ("+99:99", "2026-11-12T09:15:00+00:00", false),
            ("+23:59", "2026-11-12T09:15:00+00:00", false),
            ("+13:30", "2026-11-12T09:15:00+00:00", false),
            ("+01:00:00:00", "2026-11-12T09:15:00+00:00", false),
            ("", "2026-11-12T09:15:00+00:00", false),
        ];
        for (zone, want, is_moved) in cases {
            let head = modified(&format!("2026-11-14T10:42:00{zone}"));
            assert_eq!(moved(&head, line), (want.to_owned(), is_moved), "{zone}");
        }
        // The modification is after the end of daylight saving time.
        let head = modified("2026-11-14T10:42:00+01:00");
        let summer = moved(&head, "Von Ann Lee, 12.08.2026, 09:15 Uhr");
        assert_eq!(summer, ("2026-08-12T09:15:00+00:00".to_owned(), false));
    }

    #[test]
    fn keeps_dates_with_a_zone_or_without_a_time() {
        let head = modified("2026-11-14T10:42:00+01:00");
        for (line, want) in [
            ("12.11.2026", "2026-11-12T00:00:00+00:00"),
            ("12.11.2026, 00:00 Uhr", "2026-11-12T00:00:00+00:00"),
            (
                "<time datetime='2026-11-12T09:15:00Z'>12.11.2026</time>",
                "2026-11-12T09:15:00+00:00",
            ),
            (
                "<time datetime='2026-11-12T09:15:00-05:00'>12.11.2026</time>",
                "2026-11-12T09:15:00-05:00",
            ),
            ("12.11.2026, 09:15 CET", "2026-11-12T09:15:00+01:00"),
        ] {
            assert_eq!(published(&page(&head, line, "")), (want.to_owned(), false), "{line}");
        }
        let bare = "<time datetime='2026-11-12T09:15:00'>12.11.2026</time>";
        let want = ("2026-11-12T09:15:00+01:00".to_owned(), true);
        assert_eq!(published(&page(&head, bare, "")), want);
    }

    #[test]
    fn takes_the_zone_only_from_dates_of_the_article() {
        let line = "Von Ann Lee, 12.11.2026, 09:15 Uhr";
        let want = ("2026-11-12T09:15:00+00:00".to_owned(), false);
        for zone in ["+01:00", "-05:00", "+14:00"] {
            assert_eq!(published(&page("", line, &comments(zone))), want, "{zone}");
        }
        let related = "<aside class=related><h2>Mehr</h2><p><a href=/b>Die Brücke</a> <time \
            datetime='2026-11-02T10:00:00+09:00'>2.11.2026</time></p></aside>";
        assert_eq!(published(&page("", line, related)), want);
        // Offsets in comments do not interfere with the article's own offset.
        let own =
            published(&page(&modified("2026-11-14T10:42:00+01:00"), line, &comments("-05:00")));
        assert_eq!(own, ("2026-11-12T09:15:00+01:00".to_owned(), true));
    }

    #[test]
    fn learns_no_zone_from_a_page_with_two_zones() {
        let line = "Von Ann Lee, 12.11.2026, 09:15 Uhr";
        let two = modified("2026-11-14T10:42:00+01:00")
            + "<meta property='og:updated_time' content='2026-11-14T10:42:00+05:30'>";
        let dates = page_dates(&page(&two, line, ""), &Guide::default());
        assert!(dates.offsets.is_empty());
        assert_eq!(dates.published.unwrap().time.to_rfc3339(), "2026-11-12T09:15:00+00:00");
        // The visible time is the machine-readable time in UTC.
        let stated = "<meta property='article:published_time' content='2026-11-12T10:15:00+01:00'>";
        assert!(page_dates(&page(stated, line, ""), &Guide::default()).offsets.is_empty());
        let stated = "<meta property='article:published_time' content='2026-11-12T09:15:33+01:00'>";
        assert!(!page_dates(&page(stated, line, ""), &Guide::default()).offsets.is_empty());
    }
}
