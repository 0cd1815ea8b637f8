//! Translates newsboat's query feeds into searches, where a search can express the same.

use super::{Column, Date, Named, Query, Span, State, Term, Unit, What};
use crate::util::text::line as clean;
use chrono::NaiveDate;

/// Why an expression was not translated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTranslated {
    /// A search joins everything with `and`.
    #[error("it uses \"or\", which searches do not support")]
    Or,
    /// A regular expression.
    #[error("\"{}\" is a pattern, which searches do not support", clean(.0))]
    Pattern(String),
    /// An exact comparison of texts, or of parts of words.
    #[error(
        "\"{}\" compares letters, but a search compares complete words; only =~ can be translated",
        clean(.0)
    )]
    Letters(String),
    /// A comparison that searches do not support.
    #[error("\"{}\" cannot be expressed as a search", clean(.0))]
    Comparison(String),
    /// Not an expression.
    #[error("cannot understand it from \"{}\" on", clean(.0))]
    Syntax(String),
}

/// Comparisons of one expression.
const MOST: usize = 50;

/// Translates the expression of a query feed, such as `unread = "yes" and tags # "linux"`.
///
/// # Errors
/// When it says more than a search can.
pub fn from_newsboat(expression: &str) -> Result<Query, NotTranslated> {
    let mut rest = expression.trim();
    let mut query = Query::default();
    while !rest.is_empty() && query.terms.len() < MOST {
        // Around conditions joined by `and` alone, brackets mean nothing.
        rest = rest.trim_start_matches(['(', ' ', '\t']);
        let (attribute, operator, value, tail) = comparison(rest)?;
        query.terms.push(term(attribute, operator, &value)?);
        rest = tail.trim_start_matches([')', ' ', '\t']);
        if rest.is_empty() {
            break;
        }
        rest = join(rest)?;
    }
    if query.is_empty() || !rest.is_empty() {
        return Err(NotTranslated::Syntax(rest.to_owned()));
    }
    // The result must parse to the same query.
    if query.to_string().parse().as_ref() != Ok(&query) {
        return Err(NotTranslated::Comparison(expression.trim().to_owned()));
    }
    Ok(query)
}

/// The text after an `and`.
fn join(rest: &str) -> Result<&str, NotTranslated> {
    let word = |name: &str| {
        let head = rest.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
        let tail = &rest[head.len()..];
        let ends = !name.ends_with(char::is_alphabetic) || tail.starts_with([' ', '\t', '(']);
        ends.then_some(tail)
    };
    if word("or").is_some() || word("||").is_some() {
        return Err(NotTranslated::Or);
    }
    let tail = word("and").or_else(|| word("&&")).map(str::trim_start);
    tail.filter(|t| !t.is_empty()).ok_or_else(|| NotTranslated::Syntax(rest.to_owned()))
}

/// Longest first.
const SIGNS: [&str; 12] = ["between", "==", "=~", "!=", "!~", "!#", "<=", ">=", "=", "<", ">", "#"];

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
    let text = |column| {
        match sign {
            "=~" => {}
            "=" | "==" | "!=" | "!~" => {
                return Err(NotTranslated::Letters(format!("{attribute} {sign} {value}")));
            }
            _ => return Err(unknown()),
        }
        let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '\'' | ',');
        if !value.chars().all(plain) || value.trim().is_empty() {
            return Err(NotTranslated::Pattern(value.to_owned()));
        }
        Ok(What::Text { column, text: value.trim().to_owned(), phrase: true })
    };
    let what = match attribute {
        "unread" if equal && value == "yes" => What::Is(State::Unread),
        "unread" if equal && value == "no" => What::Is(State::Read),
        "title" => text(Column::Title)?,
        "author" => text(Column::Author)?,
        "content" => text(Column::Any)?,
        "tags" if matches!(sign, "#" | "!#") => What::Of(Named::Tag(value.to_owned())),
        // An equal name takes precedence over names that contain it.
        "feedtitle" if equal => What::Of(Named::Source(value.to_owned())),
        "feedtitle" => match text(Column::Any)? {
            What::Text { text, .. } => What::Of(Named::Source(text)),
            other => other,
        },
        "age" => return age(sign, value).map(Term::new).ok_or_else(unknown),
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
            // From today on. An age that starts later takes two conditions.
            days(from).filter(|span| span.count == 0)?;
            What::Younger(more(days(to)?))
        }
        _ => return None,
    })
}
