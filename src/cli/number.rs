//! Whole numbers as arguments.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

/// A parser of whole numbers, whose error names the range.
pub(super) fn whole<T, R>(range: R) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display,
    R: RangeBounds<T> + Clone,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| match (range.start_bound(), range.end_bound()) {
            (Bound::Included(min), Bound::Included(max)) => {
                format!("expected a whole number from {min} to {max}")
            }
            (Bound::Included(min), _) => format!("expected a whole number, {min} or more"),
            _ => "expected a whole number".to_owned(),
        })
    }
}
