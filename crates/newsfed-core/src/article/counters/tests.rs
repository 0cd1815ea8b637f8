use super::*;

#[test]
fn known_counters_and_clocks_are_small_changes() {
    let cases = [
        ("Title\n1,204 views\ntext", "Title\n998 views\ntext"),
        ("Visitors today: 12", "Visitors today: 3'120"),
        ("17 Kommentare · 204 Aufrufe", "18 Kommentare · 310 Aufrufe"),
        ("Comments (12)", "Comments (13)"),
        ("1 204 просмотров", "1 311 просмотров"),
        ("12次浏览", "345次浏览"),
        ("閲覧数：12", "閲覧数：13"),
        ("posted 3 hours ago", "posted 14 hours ago"),
        ("vor 3 Stunden", "vor 2 Tagen"),
        ("3日前", "4日前"),
        ("3 comments 2 hours ago · 5 hours ago", "4 comments 1 hour ago · 6 hours ago"),
        ("Updated 12:05\ntext", "Updated 9:15\ntext"),
        ("as of 9.11.2026", "as of 10.11.2026"),
        ("Stand: 9. November 2026", "Stand: 10. November 2026"),
        ("Today is Sunday, 22 November 2026", "Today is Monday, 23 November 2026"),
        ("Sunday, 22 November 2026", "Monday, 23 November 2026"),
        ("Sunday, 22 November 2026 12:05", "Monday, 23 November 2026 7:15"),
        ("12:05:33", "9:15:02"),
    ];
    for (earlier, later) in cases {
        assert!(is_small_change(earlier, later), "{earlier} -> {later}");
    }
}

#[test]
fn other_numbers_are_changes() {
    let cases = [
        ("Tea 3 €", "Tea 4 €"),
        ("newsfed 1.2.3", "newsfed 1.2.4"),
        ("Turnout 40 %", "Turnout 45 %"),
        ("Price 40 CHF", "Price 95 CHF"),
        ("40 kr", "400 kr"),
        ("Open from 9:00 to 18:00", "Open from 13:00 to 15:00"),
        ("9:00 – 18:00", "13:00 – 15:00"),
        ("Monday 19:00", "Monday 20:00"),
        ("Next meeting: 5.5.2027", "Next meeting: 19.8.2027"),
        ("19.8.2027", "5.5.2027"),
        ("5.5.2027 – 7.5.2027", "6.5.2027 – 8.5.2027"),
        ("Places left: 12", "Places left: 0"),
        ("Release 14", "Release 15"),
        ("Release 14 has 200 downloads", "Release 15 has 200 views"),
        ("Open today", "Open tomorrow"),
        ("3 places 2 hours ago · 5 hours ago", "4 places 1 hour ago · 6 hours ago"),
        ("2 hours ago", "2 hours ago · 5 hours ago"),
        (
            "The fire in the old mill killed 3 people on Monday",
            "The fire in the old mill killed 5 people on Monday",
        ),
        ("a\nb", "a"),
        ("open", "closed"),
    ];
    for (earlier, later) in cases {
        assert!(!is_small_change(earlier, later), "{earlier} -> {later}");
    }
}

#[test]
fn many_changed_lines_are_not_a_small_change() {
    let lines = |n: usize, views: usize| format!("{views} views\n").repeat(n);
    assert!(is_small_change(&lines(MAX_LINES, 1), &lines(MAX_LINES, 2)));
    assert!(!is_small_change(&lines(100_000, 1), &lines(100_000, 2)));
}
