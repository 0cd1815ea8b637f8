//! Properties of every policy.

use super::*;
use proptest::prelude::*;

const START: i64 = 1_700_000_000;

fn at(seconds: i64) -> Time {
    Time::from_timestamp(seconds, 0).unwrap()
}

/// Every policy, restored from its saved state.
fn policies(saved: &[Vec<u8>; 3]) -> [Box<dyn Policy>; 3] {
    [
        Box::new(ChangeRate::load(&saved[0], ChangeRateParameters::default())),
        Box::new(AdvaRss::load(&saved[1], AdvaRssParameters::default())),
        Box::new(Learned::load(&saved[2], LearnedParameters::default())),
    ]
}

proptest! {
    /// A poll: minutes since the previous poll, and the dates of its items in minutes relative to the poll,
    /// or `None` for items without a date.
    #[test]
    fn saving_and_restoring_changes_nothing(
        polls in prop::collection::vec((0i64..5000, prop::collection::vec(prop::option::of(-99_999i64..100), 0..25)), 1..40)
    ) {
        let mut kept = policies(&Default::default());
        let mut saved: [Vec<u8>; 3] = Default::default();
        let mut now = START;
        for (wait, items) in polls {
            now += wait * 60;
            let items: Vec<_> = items.iter().map(|m| m.map(|m| at(now + m * 60))).collect();
            let mut loaded = policies(&saved);
            for (i, (kept, loaded)) in kept.iter_mut().zip(&mut loaded).enumerate() {
                kept.observe(&items, at(now));
                loaded.observe(&items, at(now));
                prop_assert_eq!(kept.plan(at(now)), loaded.plan(at(now)));
                let wait = (kept.plan(at(now)) - at(now)).num_seconds();
                prop_assert!((300..=86_400).contains(&wait), "{}", wait);
                saved[i] = loaded.save();
                prop_assert!(saved[i].len() <= 512 && saved[i] == kept.save());
            }
        }
    }

    #[test]
    fn survives_any_saved_state(bytes in prop::collection::vec(any::<u8>(), 0..400), format in 0u8..3) {
        let mut bytes = bytes;
        if let Some(first) = bytes.first_mut() {
            *first = format;
        }
        for mut policy in policies(&[bytes.clone(), bytes.clone(), bytes]) {
            policy.observe(&[None, Some(at(START))], at(START));
            let wait = (policy.plan(at(START)) - at(START)).num_seconds();
            prop_assert!((300..=86_400).contains(&wait), "{}", wait);
        }
    }
}

#[test]
fn jitter_is_small_and_repeatable() {
    let now = at(START);
    let gaps = |wait: i64| {
        let wanted = now + chrono::TimeDelta::seconds(wait);
        let mut gaps: Vec<i64> =
            (0..200).map(|seed| (jittered(wanted, now, seed) - now).num_seconds()).collect();
        gaps.sort_unstable();
        assert_eq!(jittered(wanted, now, 7), jittered(wanted, now, 7));
        (gaps[0], gaps[199])
    };
    let (least, most) = gaps(3600);
    assert!(least >= 3600 && most <= 3660 && most - least > 30, "{least} to {most}");
    let (least, most) = gaps(60);
    assert!(least >= 60 && most <= 63);
}
