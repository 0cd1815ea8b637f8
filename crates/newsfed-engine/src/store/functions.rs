//! SQL functions for conditions of searches.

use super::articles::unpack;
use super::folding::folded;
use super::index::stripped;
use crate::query;
use crate::util::phrase::Phrase;
use crate::util::segment::segmented;
use crate::util::{html, text};
use regex::Regex;
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Registers the functions:
/// - `comparable(text)`: without case and accents, with single spaces;
/// - `fits(pattern, text)`: whether a regular expression matches;
/// - `text_fits(pattern, body)`: like `fits`, for the text of HTML, or of packed HTML;
/// - `has_phrase(phrase, is_whole, text)`: whether a text contains a phrase with its symbols;
/// - `text_has_phrase(phrase, is_whole, body)`: like `has_phrase`, for the text of HTML, or of packed HTML;
/// - `has_picture(body)`: whether HTML contains a picture;
/// - `segmented(text)`: as it is written to the full-text index.
pub(super) fn register(conn: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    conn.create_scalar_function("comparable", 1, flags, |ctx| {
        Ok(string(ctx, 0).map(|value| text::comparable(&value)))
    })?;
    let compiled: Arc<Compiled> = Arc::default();
    let of_texts = compiled.clone();
    conn.create_scalar_function("fits", 2, flags, move |ctx| {
        let pattern = pattern(ctx, &compiled)?;
        Ok(string(ctx, 1).is_some_and(|value| pattern.is_match(&value)))
    })?;
    conn.create_scalar_function("text_fits", 2, flags, move |ctx| {
        let pattern = pattern(ctx, &of_texts)?;
        Ok(markup(ctx, 1).is_some_and(|markup| pattern.is_match(&html::to_text(&markup))))
    })?;
    conn.create_scalar_function("has_phrase", 3, flags, |ctx| {
        let (phrase, text) = (phrase(ctx)?, string(ctx, 2));
        let may_contain = phrase.zip(text).filter(|(phrase, text)| phrase.may_be_in(text));
        Ok(may_contain.is_some_and(|(phrase, text)| contains(&phrase, &text)))
    })?;
    conn.create_scalar_function("text_has_phrase", 3, flags, |ctx| {
        let (phrase, markup) = (phrase(ctx)?, markup(ctx, 2));
        let may_contain = phrase.zip(markup).filter(|(phrase, markup)| phrase.may_be_in(markup));
        Ok(may_contain.is_some_and(|(phrase, markup)| contains(&phrase, &stripped(&markup))))
    })?;
    conn.create_scalar_function("has_picture", 1, flags, |ctx| {
        Ok(markup(ctx, 0).is_some_and(|markup| markup.contains("<img ")))
    })?;
    conn.create_scalar_function("segmented", 1, flags, |ctx| {
        Ok(string(ctx, 0).map(|value| segmented(&value).into_owned()))
    })
}

/// Compiled regular expressions of one connection, because rules use their expressions for every document.
type Compiled = Mutex<HashMap<String, Arc<Regex>>>;
/// Maximum number of compiled expressions.
const MAX_COMPILED: usize = 256;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The phrase of the first two arguments; `None` if it has no words.
fn phrase(ctx: &Context<'_>) -> rusqlite::Result<Option<Arc<Phrase>>> {
    let is_whole: bool = ctx.get(1)?;
    let phrase = ctx.get_or_create_aux(0, |value| -> Result<Option<Arc<Phrase>>, Failure> {
        Ok(Phrase::new(&folded(value.as_str()?), is_whole).map(Arc::new))
    })?;
    Ok((*phrase).clone())
}

fn contains(phrase: &Phrase, text: &str) -> bool {
    phrase.hits(&folded(text)).next().is_some()
}

/// The regular expression of the first argument.
fn pattern(ctx: &Context<'_>, compiled: &Compiled) -> rusqlite::Result<Arc<Regex>> {
    let pattern = ctx.get_or_create_aux(0, |value| -> Result<Arc<Regex>, Failure> {
        let text = value.as_str()?;
        let mut compiled = compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = compiled.get(text) {
            return Ok(known.clone());
        }
        let new = Arc::new(query::pattern(text)?);
        if compiled.len() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.insert(text.to_owned(), new.clone());
        Ok(new)
    })?;
    Ok(Arc::clone(&pattern))
}

fn string<'a>(ctx: &'a Context<'_>, at: usize) -> Option<Cow<'a, str>> {
    match ctx.get_raw(at) {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes)),
        _ => None,
    }
}

/// HTML, unpacked if necessary.
fn markup<'a>(ctx: &'a Context<'_>, at: usize) -> Option<Cow<'a, str>> {
    match ctx.get_raw(at) {
        ValueRef::Blob(packed) => unpack(packed).map(Cow::Owned),
        _ => string(ctx, at),
    }
}
