use super::*;
use proptest::prelude::*;

fn dated(source: i64, date: i64, signature: &Signature) -> Dated<'_> {
    Dated { source, date, signature }
}

proptest! {
    #[test]
    fn signatures_are_bounded_symmetric_and_stored_as_they_are(
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
    fn damaged_signatures_are_refused_or_read(bytes in any::<Vec<u8>>()) {
        let _ = Signature::from_bytes(&bytes);
    }
}

#[test]
fn hostile_texts_stay_small() {
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
