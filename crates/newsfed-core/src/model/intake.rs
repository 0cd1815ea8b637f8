//! What a poll left out, and the reasons.

/// Why something listed by a source was not stored.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOutReason {
    /// The date is more than a day in the future.
    FutureDate,
    /// The date is before 1990.
    OldDate,
    LongTitle,
    OtherSite,
    Robots,
    /// 404, 410 or another refusal of a single page.
    Missing,
    /// A temporary error. The page is fetched again later.
    Unreachable,
    NotAPage,
    /// A part of the page without a title or text.
    Empty,
    /// The page has more entries than the limit.
    OverLimit,
    /// The selectors of the source do not match a title or text, or take too many steps.
    NotSelected,
    NeedsJavascript,
    NeedsLogin,
    NeedsConsent,
}

impl LeftOutReason {
    /// The description after a number, as in `3 dated before 1990`.
    pub fn describe(self) -> &'static str {
        match self {
            Self::FutureDate => "dated more than a day in the future",
            Self::OldDate => "dated before 1990",
            Self::LongTitle => "with a title of 500 characters or more",
            Self::OtherSite => "on another site",
            Self::Robots => "forbidden by robots.txt",
            Self::Missing => "missing or refused by the server",
            Self::Unreachable => "not reachable",
            Self::NotAPage => "not an HTML page",
            Self::Empty => "without a title or text",
            Self::OverLimit => "beyond the limit of entries per page",
            Self::NotSelected => "not matched by the selectors",
            Self::NeedsJavascript => "empty without JavaScript",
            Self::NeedsLogin => "behind a login",
            Self::NeedsConsent => "behind a consent page",
        }
    }

    /// Whether a later fetch may return a different page.
    pub fn may_pass(self) -> bool {
        matches!(self, Self::NeedsJavascript | Self::NeedsLogin | Self::NeedsConsent)
    }

    /// Advice for the user.
    fn advice(self) -> Option<&'static str> {
        match self {
            Self::FutureDate | Self::OldDate => Some("check website.date and website.date_format"),
            Self::LongTitle => Some("check website.title"),
            Self::Empty | Self::OverLimit => Some("check website.articles"),
            Self::NotSelected => Some("check website.title and website.content"),
            Self::OtherSite => Some("add the other site as a source of its own"),
            Self::Unreachable => Some("newsfed will try again at the next check"),
            Self::NeedsJavascript => Some("try a feed or a sitemap of the site"),
            Self::NeedsLogin => Some("set a Cookie header with `headers` in sources.toml"),
            Self::NeedsConsent => Some("set a Cookie header with `headers` in sources.toml"),
            Self::Robots | Self::Missing | Self::NotAPage => None,
        }
    }
}

/// The number of omissions for one reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LeftOut {
    pub reason: LeftOutReason,
    pub count: u32,
    /// The URL of the first omission, sanitised.
    pub example: String,
}

impl LeftOut {
    /// Adds an omission to the list of a poll.
    pub fn add(list: &mut Vec<Self>, reason: LeftOutReason, example: &str) {
        match list.iter_mut().find(|each| each.reason == reason) {
            Some(each) => each.count += 1,
            None => list.push(Self { reason, count: 1, example: example.to_owned() }),
        }
    }

    /// A one-line summary with an example and advice per reason; `None` if nothing was left out.
    pub fn describe(list: &[Self]) -> Option<String> {
        let total: u32 = list.iter().map(|each| each.count).sum();
        if total == 0 {
            return None;
        }
        let each = |each: &Self| {
            let advice = each.reason.advice().map(|advice| format!("; {advice}"));
            format!(
                "{} {} ({}{})",
                each.count,
                each.reason.describe(),
                each.example,
                advice.unwrap_or_default()
            )
        };
        let parts: Vec<String> = list.iter().map(each).collect();
        Some(format!("{total} left out: {}", parts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_omissions_by_reason_and_gives_advice() {
        let mut list = Vec::new();
        assert_eq!(LeftOut::describe(&list), None);
        LeftOut::add(&mut list, LeftOutReason::FutureDate, "https://a.example/1");
        LeftOut::add(&mut list, LeftOutReason::Robots, "https://a.example/2");
        LeftOut::add(&mut list, LeftOutReason::FutureDate, "https://a.example/3");
        let want = "3 left out: 2 dated more than a day in the future (https://a.example/1; check website.date \
                    and website.date_format), 1 forbidden by robots.txt (https://a.example/2)";
        assert_eq!(LeftOut::describe(&list).as_deref(), Some(want));
    }
}
