use super::*;
use crate::schedule::{AdvaRssParameters, ChangeRateParameters, LearnedParameters};
use std::io::Write;
use std::time::Duration;

const DAY: i64 = 86_400;
/// A Monday.
const START: i64 = 4 * DAY + 2857 * 7 * DAY;

/// Sources that publish at random during office hours, from rarely to often.
fn office(sources: u64, days: i64) -> Vec<Timeline> {
    let source = |n: u64| {
        let mut random = fastrand::Rng::with_seed(n);
        let rate = 0.02 * 2f64.powi(i32::try_from(n % 9).unwrap());
        let hour = |h: i64| {
            let at = START + h * 3600;
            let open = (8..18).contains(&(h.rem_euclid(24))) && h.rem_euclid(168) < 120;
            (at, if open { rate } else { rate / 20.0 })
        };
        let mut items = Vec::new();
        for (at, rate) in (-14 * 24..days * 24).map(hour) {
            if random.f64() < rate {
                items.push(at + random.i64(0..3600));
            }
        }
        Timeline::new(START, START + days * DAY, items).unwrap()
    };
    (0..sources).map(source).collect()
}

fn every() -> [Simulated; 4] {
    [
        Simulated::Fixed(Duration::from_secs(3600)),
        Simulated::ChangeRate(ChangeRateParameters::default()),
        Simulated::AdvaRss(AdvaRssParameters::default()),
        Simulated::Learned(LearnedParameters::default()),
    ]
}

#[test]
fn fixed_interval_gives_the_computed_figures() {
    // Items at half past, polls on the hour; the second day also tests the end.
    let items = (0..48).map(|h| START + h * 3600 + 1800).collect();
    let replay = Replay::new(vec![Timeline::new(START, START + 2 * DAY, items).unwrap()]);
    let got = replay.run(&Simulated::Fixed(Duration::from_secs(3600)), Phase::All);
    assert_eq!((got.sources, got.items), (1, 48));
    assert_eq!(
        (got.polls_per_source_day, got.mean_delay_min, got.median_delay_min),
        (24.0, 30.0, 30.0)
    );
    assert_eq!((got.within_30_min, got.missed, got.wasted), (1.0, 0.0, 1.0 / 48.0));
    // 24 items have been published in a day, and the feed lists 20 of them.
    let got = replay.run(&Simulated::Fixed(Duration::from_secs(86_400)), Phase::All);
    assert_eq!((got.polls_per_source_day, got.missed), (1.0, 8.0 / 48.0));
    let day = replay.run(&Simulated::Fixed(Duration::from_secs(3600)), Phase::Day1);
    assert_eq!((day.items, day.polls_per_source_day), (24, 24.0));
    let warm = replay.run(&Simulated::Fixed(Duration::from_secs(3600)), Phase::Warm);
    assert_eq!((warm.items, warm.polls_per_source_day), (0, 0.0));
}

#[test]
fn restoring_states_does_not_change_a_replay() {
    let replay = Replay::new(office(9, 30));
    let interrupted = Replay { restarts: true, ..replay.clone() };
    for policy in every() {
        let polls = |replay: &Replay| -> Vec<_> {
            replay.runs(&policy).into_iter().map(|run| run.polls).collect()
        };
        assert_eq!(polls(&replay), polls(&interrupted), "{policy:?}");
    }
}

#[test]
fn learned_policy_has_shorter_delays() {
    let replay = Replay::new(office(9, 28));
    let [fixed, _, adva, learned] = every().map(|policy| at_budget(&replay, &policy, 12.0).1);
    for figures in [&fixed, &adva, &learned] {
        assert!((figures.polls_per_source_day / 12.0 - 1.0).abs() < 0.03, "{figures:?}");
    }
    assert!(learned.mean_delay_min < 0.7 * fixed.mean_delay_min, "{learned:?} {fixed:?}");
    assert!(learned.mean_delay_min < 0.8 * adva.mean_delay_min, "{learned:?} {adva:?}");
    let undated = Replay { dates: false, ..replay };
    let blind = at_budget(&undated, &every()[3], 12.0).1;
    assert!(blind.mean_delay_min > 0.97 * learned.mean_delay_min, "{blind:?} {learned:?}");
    assert!(blind.mean_delay_min < 0.8 * fixed.mean_delay_min, "{blind:?}");
}

#[test]
fn corrects_a_wrong_price() {
    let replay = Replay::new(office(9, 84));
    let Simulated::Learned(right) = at_budget(&replay, &every()[3], 12.0).0 else { panic!() };
    for wrong in [3.0, 1.0 / 3.0] {
        let parameters = LearnedParameters { price: wrong * right.price, ..right };
        let Controlled { weekly, figures } = replay.controlled(parameters, 12.0, Phase::All);
        assert_eq!(weekly.len(), 12);
        assert!((weekly[0] / 12.0 - 1.0).abs() > 0.1, "{weekly:?}");
        for polls in &weekly[3..] {
            assert!((polls / 12.0 - 1.0).abs() < 0.1, "{weekly:?}");
        }
        assert!(figures.items > 1000);
    }
}

#[test]
fn learned_policy_adapts_to_a_jump_and_to_silence() {
    let learned = Simulated::Learned(LearnedParameters::default());
    let jump = changed(RateChange::Jump, &learned, 8, 5);
    assert!(jump.polls_day_1 > jump.polls_before + 5.0, "{jump:?}");
    assert!(jump.delay_day_0_min < 28.0 && jump.delay_end_min < jump.delay_day_0_min, "{jump:?}");
    let silence = changed(RateChange::Silence, &learned, 8, 5);
    assert!(silence.polls_day_4 <= 20.0 && silence.polls_day_14 <= 13.0, "{silence:?}");
    assert!(silence.polls_before > 30.0);
}

#[test]
fn reads_gzipped_and_plain_files() {
    let plain = b"{\"id\":\"a\",\"start\":100,\"end\":900,\"h\":[50],\"t\":[100,300]}\n\n\
        {\"start\":0,\"end\":9,\"t\":[]}\n";
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(plain).unwrap();
    let want = vec![
        Timeline::new(100, 900, vec![50, 100, 300]).unwrap(),
        Timeline::new(0, 9, vec![]).unwrap(),
    ];
    assert_eq!(read(&plain[..]).unwrap(), want);
    assert_eq!(read(&packer.finish().unwrap()[..]).unwrap(), want);
    assert_eq!((want[0].shown, want[0].items.len()), (1, 3));
}

#[test]
fn rejects_a_file_that_is_too_large() {
    let text = "{\"start\":0,\"end\":9,\"t\":[]}\n".repeat(3);
    for most in 1..=text.len() {
        let error = super::timeline::read_below(text.as_bytes(), most as u64).unwrap_err();
        assert!(matches!(error, TimelineError::TooLarge), "{most}: {error}");
    }
    assert_eq!(super::timeline::read_below(text.as_bytes(), 1000).unwrap().len(), 3);
}

#[test]
fn rejects_invalid_timelines_with_line_number() {
    for (text, want) in [
        ("", "the file contains no timelines"),
        ("{\"start\":0,\"end\":9,\"t\":[]}\nnonsense", "line 2: expected ident"),
        ("{\"start\":5,\"end\":5,\"t\":[]}", "line 1: the end must come after the start"),
        ("{\"start\":0,\"end\":9e15,\"t\":[]}", "line 1: invalid type: floating point"),
        ("{\"start\":0,\"end\":999999999999,\"t\":[]}", "line 1: a time is out of range"),
        ("{\"start\":0,\"end\":9}", "line 1: missing field `t`"),
    ] {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(want), "{text}: {error}");
    }
}
