//! Records of downloaded files.

use super::upkeep::wait;
use super::*;

#[test]
fn lists_downloads_and_deletes_their_records() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![entry("one"), entry("two")]);
    let rows = f.rows(&View::of(Scope::All));
    let item = |title: &str| rows.iter().find(|row| row.title == title).unwrap().key;
    let hour = TimeDelta::hours(1);
    let file = |path: &str, item: Option<i64>, at: Time| DownloadRecord {
        path: path.to_owned(),
        url: Some(format!("https://a.example{path}")),
        item,
        source: item.map(|_| f.key("a")),
        at,
        size: 7,
        modified: 9,
        kept: false,
    };
    let one = file("/one.mp3", Some(item("one")), f.now);
    let two = DownloadRecord { url: None, ..file("/two.mp3", Some(item("two")), f.now + hour) };
    let gone = file("/gone.mp3", None, f.now - hour);
    for record in [&one, &two, &DownloadRecord { item: Some(999), ..gone.clone() }] {
        wait(f.store.record_download(record.clone())).unwrap();
    }
    let all = || f.store.reader().unwrap().downloads().unwrap();
    assert_eq!(all(), [two.clone(), one.clone(), gone.clone()], "the newest first");
    // A file that is downloaded again replaces its record.
    let again = DownloadRecord { size: u64::MAX, at: f.now + hour * 2, ..one };
    wait(f.store.record_download(again.clone())).unwrap();
    let again = DownloadRecord { size: i64::MAX.cast_unsigned(), ..again };
    assert_eq!(all(), [again.clone(), two.clone(), gone.clone()]);
    for mark in [Mark::Pinned, Mark::Later] {
        assert!(!all()[1].kept);
        f.set(mark.clone(), "two");
        assert!(all()[1].kept && !all()[0].kept, "{mark:?}");
        f.store.mark_blocking(mark, vec![item("two")], false).unwrap();
    }
    wait(f.store.drop_download_records(vec![again.path.clone(), "/unknown".into()])).unwrap();
    assert_eq!(all(), [two.clone(), gone]);
    f.store.drop_download_records_blocking(vec!["/gone.mp3".into()]).unwrap();
    assert_eq!(all(), [two]);
    // A new file at the path of a deleted record inherits nothing from it.
    wait(f.store.record_download(DownloadRecord { url: None, ..again })).unwrap();
    assert_eq!(all()[0].url, None);
}
