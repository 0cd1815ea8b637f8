//! Translates newsboat's query feeds into searches, as far as searches can express them.

use super::words::{Role, Word, Words};
use super::{
    Column, Date, Field, ItemState, Named, Query, QueryError, QueryErrorKind, Span, Term, Thing,
    Unit, What,
};
use crate::util::text::line as clean;
use chrono::NaiveDate;
use std::ops::Range;

/// Why an expression was not translated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTranslated {
    /// A regular expression that searches reject.
    #[error("\"{}\" is not a valid pattern", clean(.0))]
    Pattern(String),
    /// A comparison that searches do not support.
    #[error("\"{}\" cannot be expressed as a search", clean(.0))]
    Comparison(String),
    /// Not an expression.
    #[error("cannot be parsed; the error begins at \"{}\"", clean(.0))]
    Syntax(String),
}

/// Maximum number of comparisons in one expression.
const MAX: usize = 50;

/// Translates the expression of a query feed, such as `unread = "yes" and tags # "linux"`.
///
/// # Errors
/// If the expression cannot be written as a search.
pub fn from_newsboat(expression: &str) -> Result<Query, NotTranslated> {
    let mut rest = expression.trim();
    let mut count = 0;
    let query = alternatives(&mut rest, &mut count, 0)?;
    if !rest.is_empty() {
        return Err(NotTranslated::Syntax(rest.to_owned()));
    }
    // The result must parse to the same query.
    if query.to_string().parse().as_ref() != Ok(&query) {
        return Err(NotTranslated::Comparison(expression.trim().to_owned()));
    }
    Ok(query)
}

/// Maximum depth of parentheses, as in searches.
const DEEPEST: usize = 10;

/// Comparisons and parentheses. As in newsboat, `and` and `or` have the same precedence: everything after one
/// of them, up to the end, is its right side.
fn alternatives(rest: &mut &str, count: &mut usize, depth: usize) -> Result<Query, NotTranslated> {
    *rest = rest.trim_start();
    *count += 1;
    if *count > MAX || depth > DEEPEST {
        return Err(NotTranslated::Syntax((*rest).to_owned()));
    }
    let mut query = Query::default();
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner;
        let group = alternatives(rest, count, depth + 1)?;
        *rest = rest
            .strip_prefix(')')
            .ok_or_else(|| NotTranslated::Syntax((*rest).to_owned()))?
            .trim_start();
        query.push_group(false, vec![group]);
    } else {
        let (attribute, operator, value, tail) = comparison(rest)?;
        match ages_between(attribute, operator, &value) {
            Some(both) => query.push_group(false, vec![Query::of(both)]),
            None => query.terms.push(term(attribute, operator, &value)?),
        }
        *rest = tail.trim_start();
    }
    if let Some(tail) = join(rest, "and", "&&") {
        *rest = tail;
        query.push_group(false, vec![alternatives(rest, count, depth)?]);
        Ok(query)
    } else if let Some(tail) = join(rest, "or", "||") {
        *rest = tail;
        Ok(Query::joined(vec![query, alternatives(rest, count, depth)?]))
    } else {
        Ok(query)
    }
}

/// The text after a logical operator, which is a word or a sign.
fn join<'a>(rest: &'a str, word: &str, sign: &str) -> Option<&'a str> {
    if let Some(tail) = rest.strip_prefix(sign) {
        return Some(tail);
    }
    let head = rest.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word))?;
    let tail = &rest[head.len()..];
    tail.starts_with([' ', '\t', '(']).then_some(tail)
}

/// Comparison operators, longest first.
const SIGNS: [&str; 12] = ["between", "==", "=~", "!=", "!~", "!#", "<=", ">=", "=", "<", ">", "#"];

/// Attributes of newsboat's articles and feeds.
const ATTRIBUTES: [&str; 25] = [
    "age",
    "articleindex",
    "author",
    "content",
    "date",
    "description",
    "enclosure_description",
    "enclosure_description_mime_type",
    "enclosure_type",
    "enclosure_url",
    "feeddate",
    "feeddescription",
    "feedindex",
    "feedlink",
    "feedtitle",
    "flags",
    "guid",
    "latest_article_age",
    "link",
    "rssurl",
    "tags",
    "title",
    "total_count",
    "unread",
    "unread_count",
];

/// The error for a search that is a filter of newsboat, such as `title =~ "rust"`. Its words would match
/// nothing, or something else.
pub(super) fn misplaced(text: &str) -> Option<QueryError> {
    let (number, at) = (1..).zip(Words::new(text)).find_map(|(number, word)| {
        let at = quoted_comparison(text, &word)?;
        Some((number, at))
    })?;
    let closed = |part: &str| match part.matches('"').count() % 2 {
        0 => part.to_owned(),
        _ => format!("{part}\""),
    };
    let translated = |part: &str| {
        let query = from_newsboat(&closed(part)).ok()?;
        let simple = query.clone().simplified();
        // A pattern such as OR would become an operator, so it is kept.
        Some(if simple.to_string().parse().as_ref() == Ok(&simple) { simple } else { query })
    };
    // If the text is not an expression of newsboat as it stands, only the comparison is translated.
    let (at, word, query) = match translated(text) {
        Some(query) => (0..text.len(), 1, Some(query)),
        None => (at.clone(), number, translated(&text[at])),
    };
    Some(QueryError { at, word, kind: QueryErrorKind::Newsboat(query.map(|q| q.to_string())) })
}

/// The range of a comparison that begins with this word: an attribute, a space, an operator and a quotation.
fn quoted_comparison(text: &str, word: &Word<'_>) -> Option<Range<usize>> {
    /// Operators of [`SIGNS`] that are followed by a quotation. `<` and `>` have an error of their own.
    const QUOTED: [&str; 7] = ["==", "=~", "!=", "!~", "!#", "=", "#"];
    let is_plain = word.role == Role::Condition && !word.quoted && word.operator.is_empty();
    let attribute = ATTRIBUTES.contains(&word.text) && is_plain && !word.negated;
    let rest = text[word.at.end..].strip_prefix(' ').filter(|_| attribute)?.trim_start();
    let rest = QUOTED.iter().find_map(|sign| rest.strip_prefix(sign))?.trim_start();
    let inner = rest.strip_prefix('"')?;
    let end = inner.find('"').map_or(text.len(), |end| text.len() - inner.len() + end + 1);
    Some(word.at.start..end)
}

impl Query {
    /// Replaces regular expressions that are only a word with that word.
    fn simplified(mut self) -> Self {
        for term in &mut self.terms {
            match &mut term.what {
                What::Pattern(field, pattern) if is_word(pattern) => {
                    let column = match field {
                        Field::Any => Column::Any,
                        Field::Title => Column::Title,
                        Field::Author => Column::Author,
                        Field::Url => {
                            term.what = What::Url(std::mem::take(pattern));
                            continue;
                        }
                    };
                    let text = std::mem::take(pattern);
                    term.what = What::Text { column, text, phrase: false };
                }
                What::Any(alternatives) => {
                    for query in alternatives {
                        *query = std::mem::take(query).simplified();
                    }
                }
                _ => {}
            }
        }
        self
    }
}

/// Whether a regular expression is a single word that, as a search word, also finds longer words.
fn is_word(pattern: &str) -> bool {
    pattern.len() >= 3 && pattern.chars().all(|c| c.is_ascii_alphanumeric())
}

type Comparison<'a> = (&'a str, &'static str, String, &'a str);

/// Attribute, operator, value, and the rest.
fn comparison(text: &str) -> Result<Comparison<'_>, NotTranslated> {
    let syntax = || NotTranslated::Syntax(text.to_owned());
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (attribute, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign)).ok_or_else(syntax)?;
    let rest = rest[sign.len()..].trim_start();
    let (value, tail) = match rest.strip_prefix('"') {
        Some(inner) => inner.split_once('"').ok_or_else(syntax)?,
        None => {
            let end = rest.find([' ', '\t', ')', '&', '|']).unwrap_or(rest.len());
            rest.split_at(end)
        }
    };
    let empty = attribute.is_empty() || value.is_empty();
    if empty { Err(syntax()) } else { Ok((attribute, sign, value.to_owned(), tail)) }
}

fn term(attribute: &str, sign: &str, value: &str) -> Result<Term, NotTranslated> {
    let unknown = || NotTranslated::Comparison(format!("{attribute} {sign} {value}"));
    let negated = sign.starts_with('!');
    let equal = matches!(sign, "=" | "==" | "!=");
    let text = |field| {
        let pattern = match sign {
            "=~" | "!~" => value.replace('/', "\\/"),
            "=" | "==" | "!=" => format!("^{}$", regex::escape(value).replace('/', "\\/")),
            _ => return Err(unknown()),
        };
        match super::pattern(&pattern) {
            Ok(_) => Ok(What::Pattern(field, pattern)),
            Err(_) => Err(NotTranslated::Pattern(value.to_owned())),
        }
    };
    let what = match attribute {
        "unread" if equal && value == "yes" => What::Is(ItemState::Unread),
        "unread" if equal && value == "no" => What::Is(ItemState::Read),
        "title" => text(Field::Title)?,
        "author" => text(Field::Author)?,
        "link" => text(Field::Url)?,
        "content" => text(Field::Any)?,
        "tags" if matches!(sign, "#" | "!#") => What::Of(Named::Tag(value.to_owned())),
        // An exact match takes precedence over names that contain the value.
        "feedtitle" if equal => What::Of(Named::Source(value.to_owned())),
        // Names that contain the value are selected unless one is equal to it.
        "feedtitle" if matches!(sign, "=~" | "!~") && is_plain(value) => {
            What::Of(Named::Source(value.trim().to_owned()))
        }
        "age" => return age(sign, value).map(Term::new).ok_or_else(unknown),
        // Imports translate flags in the same way: `s` pins.
        "flags" if sign != "#" && is_flag(value) => match value {
            "s" => What::Is(ItemState::Pinned),
            flag => What::Of(Named::Tag(format!("flag-{flag}"))),
        },
        "enclosure_type" if matches!(sign, "=~" | "!~") => {
            let kind = value.trim_start_matches('^').trim_end_matches(['$', '*', '.']);
            What::Has(match kind.trim_end_matches(['/', '\\']) {
                "audio" => Thing::Audio,
                "video" => Thing::Video,
                "image" => Thing::Image,
                _ => return Err(unknown()),
            })
        }
        "date" if matches!(sign, ">" | ">=" | "<" | "<=") => {
            let date = NaiveDate::parse_from_str(value, "%Y-%m-%d").map_err(|_| unknown())?;
            // A date stands for the entire day.
            let next = || date.succ_opt().map(Date::Day).ok_or_else(unknown);
            match sign {
                ">" => What::After(next()?),
                ">=" => What::After(Date::Day(date)),
                "<" => What::Before(Date::Day(date)),
                _ => What::Before(next()?),
            }
        }
        _ => return Err(unknown()),
    };
    Ok(Term { negated, what })
}

/// Whether a regular expression matches only its own text.
fn is_plain(pattern: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '\'' | ',');
    pattern.chars().all(plain) && !pattern.trim().is_empty()
}

/// Whether a pattern or value is a single flag.
fn is_flag(value: &str) -> bool {
    matches!(value.as_bytes(), [flag] if flag.is_ascii_alphabetic())
}

/// The two conditions for a range of ages that does not start today.
fn ages_between(attribute: &str, sign: &str, value: &str) -> Option<[What; 2]> {
    let (from, to) = value.split_once(':').filter(|_| attribute == "age" && sign == "between")?;
    let days = |text: &str| text.trim().parse::<u32>().ok().filter(|count| *count > 0);
    days(from).and(days(to))?;
    Some([age(">=", from)?, age("<=", to)?])
}

/// In newsboat, ages are whole days.
fn age(sign: &str, value: &str) -> Option<What> {
    let days = |text: &str| {
        let count = text.trim().parse::<u32>().ok()?;
        Span::parse(&format!("{count}d"))
    };
    let more = |span: Span| Span { count: span.count + 1, unit: Unit::Days };
    Some(match sign {
        "<" => What::Younger(days(value)?),
        "<=" => What::Younger(more(days(value)?)),
        ">" => What::Older(more(days(value)?)),
        ">=" => What::Older(days(value)?),
        "between" => {
            let (from, to) = value.split_once(':')?;
            // Only ranges that start today are translated; others need two conditions.
            days(from).filter(|span| span.count == 0)?;
            What::Younger(more(days(to)?))
        }
        _ => return None,
    })
}
