//! Times, zones and ranges of dates in running text.

use super::{DateContext, Zone, parse_with_zone, scan};

fn context(language: Option<&'static str>) -> DateContext {
    let now = chrono::DateTime::parse_from_rfc3339("2024-06-20T14:05:00Z").ok();
    DateContext { language, order: None, now }
}

/// The dates of a text with times and zones, with `..` after the dates of ranges.
fn dates(text: &str, language: Option<&'static str>) -> String {
    let of = |found: super::FoundDate| {
        let time = found.time.map_or_else(String::new, |t| t.format("T%H:%M").to_string());
        let zone = found.zone.map_or_else(String::new, |z| z.to_string());
        format!("{}{time}{zone}{}", found.day, if found.range { ".." } else { "" })
    };
    scan(text, &context(language)).dates.into_iter().map(of).collect::<Vec<_>>().join(" ")
}

#[test]
fn reads_east_asian_day_periods() {
    for (language, text, want) in [
        ("ko", "2024년 5월 12일 오전 12:30", "2024-05-12T00:30"),
        ("ko", "2024.05.12. 오후 3:30", "2024-05-12T15:30"),
        ("ko", "2024년 5월 12일 PM 3:30", "2024-05-12T15:30"),
        ("ja", "2024年5月12日 午後3時30分", "2024-05-12T15:30"),
        ("ja", "2024年5月12日 夜10:15", "2024-05-12T22:15"),
        ("zh", "2024年5月12日上午12:30", "2024-05-12T00:30"),
        ("zh", "2024年5月12日星期日下午3:30", "2024-05-12T15:30"),
        ("zh", "2024年5月12日 晚上8:30", "2024-05-12T20:30"),
        ("zh", "2024年5月12日 中午12:30", "2024-05-12T12:30"),
    ] {
        assert_eq!(dates(text, Some(language)), want, "{text}");
    }
}

#[test]
fn language_does_not_imply_a_zone() {
    for (text, want) in [
        ("2024년 5월 12일 오후 3:30", "2024-05-12T15:30:00+00:00"),
        ("2024年5月12日 午後3:30", "2024-05-12T15:30:00+00:00"),
        ("2024年5月12日 15:30", "2024-05-12T15:30:00+00:00"),
    ] {
        let found = parse_with_zone(text).map(|(time, zone)| (time.to_rfc3339(), zone));
        assert_eq!(found, Some((want.to_owned(), Zone::Missing)), "{text}");
    }
    let day = parse_with_zone("2024年5月12日").map(|(_, zone)| zone);
    assert_eq!(day, Some(Zone::Day));
}

#[test]
fn applies_daylight_saving_on_the_date() {
    for (text, want) in [
        ("3 July 2023 10:15 ET", "2023-07-03T10:15-04:00"),
        ("3 January 2023 10:15 ET", "2023-01-03T10:15-05:00"),
        ("July 3, 2023 at 10:15 am PT", "2023-07-03T10:15-07:00"),
        ("July 3, 2023 at 10:15 a.m. EST", "2023-07-03T10:15-05:00"),
    ] {
        assert_eq!(dates(text, Some("en")), want, "{text}");
    }
}

#[test]
fn reads_times_with_dots_and_times_before_dates() {
    for (language, text, want) in [
        ("en", "3 April 2024, 8 p.m. EDT", "2024-04-03T20:00-04:00"),
        ("en", "3 April 2024, 8.30pm", "2024-04-03T20:30"),
        ("en", "8:30 p.m., 3 April 2024", "2024-04-03T20:30"),
        ("en", "8:30 p.m., 3 April", "2024-04-03T20:30"),
        ("en", "14:30, 3 April 2024", "2024-04-03T14:30"),
        ("en", "8pm, 3 April", "2024-04-03T20:00"),
        ("en", "8 pm on Wednesday, April 3, 2024", "2024-04-03T20:00"),
        ("en", "8 p.m. EDT, 3 April 2024", "2024-04-03T20:00-04:00"),
        ("en", "8.30pm, 3 April 2024", "2024-04-03T20:30"),
        ("fr", "20h30, 3 avril 2024", "2024-04-03T20:30"),
        ("fr", "à 20h, le 3 avril 2024", "2024-04-03T20:00"),
        ("de", "20:15 Uhr, 3. April 2024", "2024-04-03T20:15"),
        ("de", "20.15 Uhr am 3. April 2024", "2024-04-03T20:15"),
        ("de", "20 Uhr, 3. April 2024", "2024-04-03T20:00"),
        ("de", "3. April 2024, 20 Uhr", "2024-04-03T20:00"),
        // Numbers and times that do not belong to the date after them.
        ("en", "Top 8, 3 April 2024", "2024-04-03"),
        ("fr", "3 h de lecture · 3 avril 2024", "2024-04-03"),
        ("en", "3 May 2024 14:30, 4 May 2024", "2024-05-03T14:30 2024-05-04"),
    ] {
        assert_eq!(dates(text, Some(language)), want, "{text}");
    }
}

#[test]
fn finds_all_relative_dates_with_their_times() {
    for (language, text, want) in [
        ("en", "Posted 5 days ago · Updated 2 hours ago", "2024-06-15 2024-06-20T12:05+00:00"),
        ("en", "Updated 2 hours ago · Posted 5 days ago", "2024-06-20T12:05+00:00 2024-06-15"),
        ("en", "1 day ago · 3 days ago", "2024-06-19 2024-06-17"),
        ("en", "Posted yesterday, updated 2 hours ago", "2024-06-19 2024-06-20T12:05+00:00"),
        ("en", "Tomorrow's weather · 2 hours ago", "2024-06-20T12:05+00:00"),
        ("de", "vor 3 Tagen", "2024-06-17"),
        ("de", "gestern, 14:30", "2024-06-19T14:30"),
        ("de", "gestern um 14.30 Uhr", "2024-06-19T14:30"),
        ("en", "today at 13:00", "2024-06-20T13:00"),
        ("en", "Tuesday at 4:15 PM", "2024-06-18T16:15"),
        // Durations and times that are not part of the date.
        ("en", "Yesterday · 12:34", "2024-06-19"),
        ("en", "today 9:00-17:00", "2024-06-20"),
        ("en", "3 days ago, 10:15", "2024-06-17"),
    ] {
        assert_eq!(dates(text, Some(language)), want, "{text}");
    }
}

#[test]
fn two_dates_joined_by_a_dash_are_a_range() {
    for (text, want) in [
        ("3 April 2024 – 5 April 2024", "2024-04-03.. 2024-04-05.."),
        ("April 3, 2024 - April 5, 2024", "2024-04-03.. 2024-04-05.."),
        ("2024-04-03 – 2024-04-05", "2024-04-03.. 2024-04-05.."),
        ("3.4.2024 - 5.4.2024", "2024-04-03.. 2024-04-05.."),
        ("1 April – 5 April 2024", "2024-04-01.. 2024-04-05.."),
        ("3–5 April 2024", "2024-04-05.."),
        ("May 5, 2024 – April 3, 2024", "2024-05-05 2024-04-03"),
        ("3 April 2024, 5 April 2024", "2024-04-03 2024-04-05"),
        ("3 April 2024 - 5 comments", "2024-04-03"),
    ] {
        assert_eq!(dates(text, Some("en")), want, "{text}");
    }
    let text = "1. April – 5. April 2024";
    let found = scan(text, &DateContext { now: None, ..context(Some("de")) }).dates;
    assert!(found.len() == 1 && found[0].range, "{found:?}");
}
