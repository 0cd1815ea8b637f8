//! What a publisher changed in an article, as far as it matters to a reader.

/// The kind of thing that was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RevisionKind {
    /// The title of the item.
    Headline,
    /// A notice of a correction or retraction was added.
    Notice,
    /// A negation was added or removed.
    Negation,
    Numbers,
    /// Capitalised words inside a sentence.
    Names,
    /// Words were replaced by dissimilar words.
    Wording,
    /// A passage was added, removed or rewritten.
    Text,
    /// Only URLs of links and images.
    Links,
    /// Rows, columns or pages of a data file.
    Data,
}

/// One change to an article.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Revision {
    pub kind: RevisionKind,
    /// The earlier state, in one short line; empty if something was added.
    pub from: String,
    /// The later state, in one short line; empty if something was removed.
    pub to: String,
}

impl RevisionKind {
    /// Whether the change is more than a typo fix.
    pub fn is_substantial(self) -> bool {
        self != Self::Links
    }

    fn name(self) -> &'static str {
        match self {
            Self::Headline => "headline",
            Self::Notice => "correction notice",
            Self::Negation => "negation",
            Self::Numbers => "numbers",
            Self::Names => "names",
            Self::Wording => "wording",
            Self::Text => "text",
            Self::Links => "links",
            Self::Data => "data",
        }
    }
}

impl Revision {
    /// A change to the text without details.
    pub fn text() -> Self {
        Self { kind: RevisionKind::Text, from: String::new(), to: String::new() }
    }

    /// A change to a data file, described in one line.
    pub fn data(what: String) -> Self {
        Self { kind: RevisionKind::Data, from: String::new(), to: what }
    }

    /// `numbers changed: 12 -> 21`
    pub fn describe(&self) -> String {
        let name = self.kind.name();
        match (self.from.as_str(), self.to.as_str()) {
            ("", what) if self.kind == RevisionKind::Data => what.to_owned(),
            ("", "") => format!("{name} changed"),
            ("", to) => format!("{name} added: {to}"),
            (from, "") => format!("{name} removed: {from}"),
            (from, to) => format!("{name} changed: {from} -> {to}"),
        }
    }

    /// All revisions in one line. If there are none, only small changes were made.
    pub fn summary(all: &[Self]) -> String {
        if all.is_empty() {
            return "only small changes, such as typos".to_owned();
        }
        all.iter().map(Self::describe).collect::<Vec<_>>().join("; ")
    }

    /// Whether any revision is more than a typo fix.
    pub fn any_substantial(all: &[Self]) -> bool {
        all.iter().any(|one| one.kind.is_substantial())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_what_changed() {
        let one = |kind, from: &str, to: &str| Revision {
            kind,
            from: from.to_owned(),
            to: to.to_owned(),
        };
        let all = [
            one(RevisionKind::Numbers, "12", "21"),
            one(RevisionKind::Negation, "", "not"),
            one(RevisionKind::Names, "Meier", ""),
        ];
        assert_eq!(
            Revision::summary(&all),
            "numbers changed: 12 -> 21; negation added: not; names removed: Meier"
        );
        assert!(Revision::summary(&[]).contains("typos"));
        let links = [one(RevisionKind::Links, "a", "b")];
        assert!(Revision::any_substantial(&all) && !Revision::any_substantial(&links));
    }
}
