//! Copies of list pages.

use super::*;
use crate::store::ListCopy;

#[test]
fn keeps_one_copy_per_day_and_the_newest_days() {
    let f = Fixture::new(&["site", "other"]);
    let site = f.key("site");
    let at = |hour: i64| Time::from_timestamp(hour * 3600, 0).unwrap();
    let keep = |hour: i64| {
        let body = format!("<p>{hour}</p>").repeat(100);
        let copy =
            ListCopy::pack(at(hour), "http://a/", Some("text/html"), body.as_bytes()).unwrap();
        let write =
            move |conn: &rusqlite::Connection| crate::store::copies::keep(conn, site, &copy);
        f.store.writer().unwrap().call_blocking(write).unwrap();
    };
    for hour in [1, 5, 30, 50, 75, 76] {
        keep(hour);
    }
    let copies = f.store.reader().unwrap().list_copies(site).unwrap();
    let times: Vec<Time> = copies.iter().map(|c| c.at).collect();
    assert_eq!(times, [at(76), at(50), at(30)]);
    assert_eq!(copies[1].body().unwrap(), "<p>50</p>".repeat(100).as_bytes());
    assert_eq!(copies[0].media_type.as_deref(), Some("text/html"));
    assert!(f.store.reader().unwrap().list_copies(f.key("other")).unwrap().is_empty());
}

#[test]
fn does_not_keep_a_page_that_is_too_large() {
    let noise: Vec<u8> = {
        let mut random = fastrand::Rng::with_seed(7);
        (0..400_000).map(|_| random.u8(..)).collect()
    };
    assert!(ListCopy::pack(Time::UNIX_EPOCH, "http://a/", None, &noise).is_none());
    assert!(ListCopy::pack(Time::UNIX_EPOCH, "http://a/", None, &vec![b'x'; 3 << 20]).is_none());
}
