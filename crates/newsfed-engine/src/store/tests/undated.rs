//! Items without a date.

use super::texts::start_of;
use super::*;

#[test]
fn lists_undated_items_on_the_day_of_discovery_or_before_the_previous_day() {
    let f = Fixture::new(&["a"]);
    let day = start_of(f.now);
    let at = |title: &str, time: Time| Entry { published: Some(time), ..entry(title) };
    let this_day = || at("this day", day + (f.now - day) / 2);
    let previous = || at("previous", day - TimeDelta::hours(1));
    let before = || at("before", day - TimeDelta::hours(40));
    f.poll("a", vec![entry("undated"), this_day(), before(), previous()]);
    let now = f.now;
    let change = f.store.change_facts(f.key("a"), move |facts| facts.last_ok = Some(now));
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(change).unwrap();
    f.poll("a", vec![entry("later"), entry("undated"), this_day(), before(), previous()]);
    let rows = f.rows(&View::of(Scope::All));
    // Items from before the source was followed do not count as published.
    let reader = f.store.reader().unwrap();
    let per_day = reader.items_per_day(f.key("a"), f.now, 3).unwrap();
    assert_eq!(per_day.iter().sum::<u32>(), 4, "{per_day:?}");
    let listed: Vec<_> = rows.iter().map(|row| (row.title.as_str(), row.found)).collect();
    let found = Some(f.now);
    let expected = [
        ("later", found),
        ("this day", None),
        ("previous", None),
        ("undated", found),
        ("before", None),
    ];
    assert_eq!(listed, expected);
}
