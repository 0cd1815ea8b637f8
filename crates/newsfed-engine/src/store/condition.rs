//! Conditions of a query in any combination, as SQL.

use super::filter::Filter;
use super::rows::to_json;
use super::signs::Signed;
use super::stories::{HAS_DUPLICATE, IS_DUPLICATE};
use super::visits::IS_NEW;
use crate::model::TextFrom;
use crate::query::{Column, Field, ItemState, Named, Query, Term, Thing, What};
use crate::util::segment::{may_be_prefix, segmented};
use crate::util::text;
use chrono::{DateTime, Local};

/// A condition on an item, with dates computed and names resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// FTS5 match expression.
    Text(String),
    /// A word or phrase with symbols, such as `c++`.
    Signed(Signed),
    /// Like `Signed`, for items that the index has found.
    Signs(Signed),
    Is(ItemState),
    /// Dated earlier than this, in seconds since the epoch.
    Before(i64),
    /// Dated at or later than this, in seconds since the epoch.
    After(i64),
    /// Of one of these sources (row keys).
    Sources(Vec<i64>),
    /// With this tag in comparable form, or from one of these sources (row keys).
    Tagged(String, Vec<i64>),
    Pattern(Field, String),
    Url(String),
    Category(String),
    Language(String),
    Shorter(u32),
    Longer(u32),
    Has(Thing),
    Later,
}

/// Kinds of hidden items that a list shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hidden {
    pub by_rules: bool,
    pub snoozed: bool,
}

impl Hidden {
    /// Both kinds.
    pub const ALL: Self = Self { by_rules: true, snoozed: true };

    pub(super) fn or(self, other: Self) -> Self {
        Self { by_rules: self.by_rules || other.by_rules, snoozed: self.snoozed || other.snoozed }
    }

    /// The condition on items `i` that a list shows; `None` for no condition.
    pub(super) fn sql(self) -> Option<&'static str> {
        match (self.by_rules, self.snoozed) {
            (false, false) => Some("i.hidden = 0"),
            (true, false) => Some("i.hidden <> 2"),
            (false, true) => Some("i.hidden <> 1"),
            (true, true) => None,
        }
    }
}

/// What is needed to translate the conditions of a query.
pub(super) struct Known<'a> {
    /// The user's local time.
    pub(super) now: DateTime<Local>,
    /// The row keys of the sources that a name selects.
    pub(super) resolve: &'a mut dyn FnMut(&Named) -> Vec<i64>,
}

impl Known<'_> {
    /// All conditions of a query; `None` if it consists of text without letters and digits, which cannot be
    /// searched for. Excluded words match exactly, whether the query is `negated` or the words are in an
    /// excluded group.
    pub(super) fn all(&mut self, query: &Query, negated: bool) -> Option<Condition> {
        let terms = query.terms.iter().filter_map(|term| self.term(term, negated));
        one_or(terms.collect(), Condition::All)
    }

    /// The condition of a term; `None` if it sets no condition.
    pub(super) fn term(&mut self, term: &Term, negated: bool) -> Option<Condition> {
        let condition = self.what(&term.what, term.negated != negated)?;
        Some(if term.negated { Condition::Not(Box::new(condition)) } else { condition })
    }

    fn what(&mut self, what: &What, negated: bool) -> Option<Condition> {
        let ago = |seconds| self.now.timestamp().saturating_sub(seconds);
        let start = |start: Option<i64>| start.unwrap_or(i64::MIN);
        Some(match what {
            What::Text { column, text, phrase } => {
                let expression = fts(*column, text, !phrase && !negated)?;
                match Signed::new(*column, text, &expression) {
                    Some(signed) => Condition::Signed(signed),
                    None => Condition::Text(expression),
                }
            }
            What::Is(state) => Condition::Is(*state),
            What::After(date) => Condition::After(start(date.start(self.now))),
            What::Before(date) => Condition::Before(start(date.start(self.now))),
            What::Younger(span) => Condition::After(ago(span.seconds())),
            What::Older(span) => Condition::Before(ago(span.seconds())),
            What::Of(named @ Named::Tag(tag)) => {
                Condition::Tagged(text::comparable(tag), (self.resolve)(named))
            }
            What::Of(named) => Condition::Sources((self.resolve)(named)),
            What::Any(alternatives) => {
                let all = alternatives.iter().filter_map(|query| self.all(query, negated));
                one_or(all.collect(), Condition::Any)?
            }
            What::Pattern(field, pattern) => Condition::Pattern(*field, pattern.clone()),
            What::Url(part) => Condition::Url(part.clone()),
            What::Category(name) => Condition::Category(text::comparable(name)),
            What::Language(code) => Condition::Language(code.clone()),
            What::Shorter(count) => Condition::Shorter(*count),
            What::Longer(count) => Condition::Longer(*count),
            What::Has(thing) => Condition::Has(*thing),
            What::Later => Condition::Later,
            // These terms apply to the whole search.
            What::AsOf(_) | What::InVersions => return None,
        })
    }
}

fn one_or(mut all: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Option<Condition> {
    match all.len() {
        0 => None,
        1 => all.pop(),
        _ => Some(join(all)),
    }
}

/// The prefix that restricts an FTS5 string to a column.
pub(super) const TITLE_COLUMN: &str = "title : ";
pub(super) const AUTHORS_COLUMN: &str = "authors : ";

/// A text as an FTS5 string; `None` without letters or digits. With `begins`, the last word of the text may
/// be a prefix, unless it is too short.
pub(super) fn fts(column: Column, text: &str, begins: bool) -> Option<String> {
    if !text.contains(char::is_alphanumeric) {
        return None;
    }
    let column = match column {
        Column::Any => "",
        Column::Title => TITLE_COLUMN,
        Column::Author => AUTHORS_COLUMN,
    };
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let star = if begins && may_be_prefix(text) { "*" } else { "" };
    Some(format!("{column}\"{}\"{star}", segmented(&clean).replace('"', "\"\"")))
}

/// A condition on texts, as an FTS5 expression.
pub(super) struct Expression {
    pub(super) text: String,
    /// Whether its matches are excluded.
    excludes: bool,
    /// Whether all its matches meet the condition. The index ignores symbols, so it finds too many items.
    pub(super) is_exact: bool,
}

fn expression(condition: &Condition) -> Option<Expression> {
    let all = |list: &[Condition]| list.iter().map(expression).collect::<Option<Vec<_>>>();
    let joined = |all: &[&Expression], by: &str| {
        all.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(by)
    };
    let included = |text, is_exact| Some(Expression { text, excludes: false, is_exact });
    match condition {
        Condition::Text(text) => included(text.clone(), true),
        Condition::Signed(signed) => included(signed.expression.clone(), false),
        Condition::Not(inner) => {
            expression(inner).map(|inner| Expression { excludes: !inner.excludes, ..inner })
        }
        Condition::All(list) => {
            let all = all(list)?;
            let is_exact = all.iter().all(|one| one.is_exact);
            let (not, is): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.excludes);
            // FTS5 has no expression for all items that do not contain a word.
            let start = (!is.is_empty()).then(|| format!("({})", joined(&is, " AND ")))?;
            // Inexact expressions would exclude too many items.
            let not: Vec<_> = not.into_iter().filter(|one| one.is_exact).collect();
            if not.is_empty() {
                return included(start, is_exact);
            }
            included(format!("({start} NOT ({}))", joined(&not, " OR ")), is_exact)
        }
        Condition::Any(list) => {
            let all = all(list)?;
            if all.iter().any(|one| one.excludes) {
                return None;
            }
            let is_exact = all.iter().all(|one| one.is_exact);
            included(format!("({})", joined(&all.iter().collect::<Vec<_>>(), " OR ")), is_exact)
        }
        _ => None,
    }
}

/// The indexed text of an item, as HTML or packed HTML.
pub(super) const BODY: &str = "(SELECT coalesce(CASE WHEN a.origin <> ? THEN a.body END,
        CASE WHEN length(coalesce(d.summary, '')) > length(coalesce(d.content, ''))
            THEN d.summary ELSE coalesce(d.content, '') END)
    FROM detail d LEFT JOIN article a ON a.key = (SELECT max(key) FROM article WHERE item = d.item)
    WHERE d.item = i.key)";
/// Whether an item has earlier versions.
pub(super) const HAS_VERSIONS: &str =
    "(EXISTS (SELECT 1 FROM article a WHERE a.item = i.key AND a.indexed IS NOT NULL)
    OR EXISTS (SELECT 1 FROM headline h WHERE h.item = i.key))";

impl Condition {
    /// The condition as an FTS5 expression, if it is only about texts.
    pub(super) fn as_text(&self) -> Option<Expression> {
        expression(self).filter(|one| !one.excludes)
    }

    /// The conditions that still have to be tested on items found by the index.
    pub(super) fn after_index(self) -> Self {
        match self {
            Self::Signed(signed) => Self::Signs(signed),
            other => other,
        }
    }

    /// Whether the condition depends on values that are computed when texts are indexed.
    pub(super) fn needs_index(&self) -> bool {
        match self {
            Self::All(list) | Self::Any(list) => list.iter().any(Self::needs_index),
            Self::Not(inner) => inner.needs_index(),
            Self::Text(_) | Self::Signed(_) | Self::Signs(_) => true,
            Self::Shorter(_) | Self::Longer(_) => true,
            Self::Is(ItemState::Duplicate) | Self::Has(Thing::Duplicate) => true,
            _ => false,
        }
    }

    /// The kinds of hidden items that the condition requests.
    pub(super) fn hidden(&self) -> Hidden {
        match self {
            Self::All(list) | Self::Any(list) => {
                list.iter().map(Self::hidden).fold(Hidden::default(), Hidden::or)
            }
            Self::Is(ItemState::Hidden) => Hidden { by_rules: true, snoozed: false },
            Self::Is(ItemState::Snoozed) => Hidden { by_rules: false, snoozed: true },
            _ => Hidden::default(),
        }
    }

    /// SQL about an item `i`; the values of the condition are added to `filter`.
    pub(super) fn sql(&self, filter: &mut Filter) -> String {
        let join = |list: &[Self], by: &str, filter: &mut Filter| {
            let parts: Vec<String> = list.iter().map(|part| part.sql(filter)).collect();
            format!("({})", parts.join(by))
        };
        let in_list = |keys: &[i64]| {
            let list = keys.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            format!("i.source IN ({list})")
        };
        match self {
            Self::All(list) => join(list, " AND ", filter),
            Self::Any(list) => join(list, " OR ", filter),
            Self::Not(inner) => format!("NOT coalesce({}, 0)", inner.sql(filter)),
            Self::Text(text) => filter.in_texts(text),
            Self::Signed(signed) => signed.sql(false, filter),
            Self::Signs(signed) => signed.sql(true, filter),
            Self::Is(state) => is(*state).to_owned(),
            Self::Before(date) => filter.with("i.date < ?", *date),
            Self::After(date) => filter.with("i.date >= ?", *date),
            Self::Sources(keys) => in_list(keys),
            Self::Tagged(form, keys) => {
                let sql = "i.key IN (SELECT item FROM item_tag WHERE form = ?)";
                format!("({} OR {})", filter.with(sql, form.clone()), in_list(keys))
            }
            Self::Pattern(field, pattern) => pattern_sql(*field, pattern, filter),
            Self::Url(part) => filter.with("instr(lower(i.url), ?) > 0", part.to_ascii_lowercase()),
            Self::Category(form) => filter.with(
                "EXISTS (SELECT 1 FROM (SELECT c.value FROM detail d, json_each(d.categories) c
                    WHERE d.item = i.key UNION ALL SELECT c.value FROM detail d,
                    json_each(d.page_tags) c WHERE d.item = i.key) WHERE comparable(value) = ?)",
                form.clone(),
            ),
            Self::Language(code) => filter.with(
                "(SELECT lower(language) || '-' FROM detail WHERE item = i.key) LIKE ? || '-%'",
                code.clone(),
            ),
            Self::Shorter(count) => filter.with("(i.words > 0 AND i.words < ?)", *count),
            Self::Longer(count) => filter.with("i.words > ?", *count),
            Self::Has(thing) => has(*thing, filter),
            Self::Later => "i.later = 1".to_owned(),
        }
    }
}

fn is(state: ItemState) -> &'static str {
    match state {
        ItemState::New => IS_NEW,
        ItemState::Unread => "i.read = 0",
        ItemState::Read => "i.read = 1",
        ItemState::Pinned => "i.pinned = 1",
        ItemState::Unpinned => "i.pinned = 0",
        ItemState::Changed => "i.substantial = 1",
        ItemState::Edited => "i.changed = 1",
        ItemState::Hidden => "i.hidden = 1",
        ItemState::Snoozed => "i.hidden = 2",
        ItemState::Duplicate => IS_DUPLICATE,
    }
}

/// The origin of texts that are stored in `detail`.
pub(super) fn from_feed() -> String {
    to_json(&TextFrom::Feed).unwrap_or_default()
}

fn pattern_sql(field: Field, pattern: &str, filter: &mut Filter) -> String {
    let title = |filter: &mut Filter| filter.with("fits(?, i.title)", pattern.to_owned());
    match field {
        Field::Title => title(filter),
        Field::Url => filter.with("fits(?, i.url)", pattern.to_owned()),
        Field::Author => filter.with(
            "EXISTS (SELECT 1 FROM detail d, json_each(d.authors) a WHERE d.item = i.key
                AND fits(?, a.value))",
            pattern.to_owned(),
        ),
        Field::Any => {
            let title = title(filter);
            let pattern = filter.with("?", pattern.to_owned());
            format!("({title} OR text_fits({pattern}, {}))", filter.with(BODY, from_feed()))
        }
    }
}

fn has(thing: Thing, filter: &mut Filter) -> String {
    let media = |kind: &str| {
        format!(
            "EXISTS (SELECT 1 FROM detail d, json_each(d.enclosures) e WHERE d.item = i.key
                AND e.value ->> 'mime' LIKE '{kind}/%')"
        )
    };
    match thing {
        Thing::Audio => media("audio"),
        Thing::Video => media("video"),
        Thing::Image => {
            format!("({} OR has_picture({}))", media("image"), filter.with(BODY, from_feed()))
        }
        Thing::Comments => "(coalesce(i.comment_count, 0) > 0
            OR (SELECT comments FROM detail WHERE item = i.key) IS NOT NULL)"
            .to_owned(),
        Thing::Version => HAS_VERSIONS.to_owned(),
        Thing::Tag => "EXISTS (SELECT 1 FROM item_tag WHERE item = i.key)".to_owned(),
        Thing::Duplicate => HAS_DUPLICATE.to_owned(),
    }
}
