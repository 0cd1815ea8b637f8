//! The message about the active field, the suggestions or the page.

use super::{Parts, fields};
use crate::config::Role;
use crate::engine::{SelectorField, WorkbenchPage};
use crate::tui::app::{App, Bench, BenchPane, Editor};
use crate::tui::view::chrome::marks;
use crate::tui::view::row::{Row, padding};
use crate::util::text::{self, counted};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A message if the active selector finds nothing: always for articles, otherwise only while the field is
/// focused.
fn nothing_matched(editor: &Editor, bench: &Bench) -> Option<String> {
    let articles = bench.field()?.part == Some(SelectorField::Articles);
    if let Some(Some(found)) = bench.found(SelectorField::Articles).filter(|_| articles)
        && found.count > 0
        && bench.items().1 == 0
    {
        let what = text::counted(found.count, "element");
        return Some(format!("Matches {what}, but finds no link to an article."));
    }
    let field = bench.field().filter(|_| bench.pane == BenchPane::Fields)?;
    let selector = editor.typed.get(field.index)?.value().trim();
    let found = bench.found(field.part?)??;
    if found.count > 0 || selector.is_empty() {
        return None;
    }
    let meant = bench.meant(selector).map(|meant| format!(" Did you mean {meant}?"));
    Some(format!("Matches nothing.{}", meant.unwrap_or_default()))
}

/// The problem with the active field, prefixed with the label unless the message is directly below the field.
fn of_field(app: &App, editor: &Editor, bench: &Bench, labelled: bool) -> Option<String> {
    let gone = marks(app).gone;
    let field = bench.field();
    let info = field.and_then(|field| editor.form.as_ref()?.fields().get(field.index));
    if let Some((info, error)) = info.and_then(|info| Some((info, info.error.as_ref()?))) {
        return Some(match labelled {
            true => format!("{gone} {}: {error}", info.label),
            false => format!("{gone} {error}"),
        });
    }
    if let Some(nothing) = nothing_matched(editor, bench) {
        return Some(format!("{gone} {nothing}"));
    }
    let unread = bench.preview.article.as_ref().and_then(|article| article.date_text.as_ref());
    let unread = unread.filter(|_| field.is_some_and(|field| field.key.starts_with("date")))?;
    let text = text::truncate(unread, 60);
    Some(format!("{gone} \"{text}\" is not a recognised date; set the date format"))
}

/// The hint for the suggested repair.
fn repair(editor: &Editor, bench: &Bench) -> Option<String> {
    let repair = bench.repair()?;
    let applied = repair.selectors.iter().filter(|(part, _)| editor.is_filled(*part));
    let selectors: Vec<String> = applied.map(|(part, s)| format!("{} = {s}", part.key())).collect();
    let known = match (repair.known, bench.is_article()) {
        (_, true) => String::new(),
        (0, _) => format!("   {}", counted(repair.count, "article")),
        (known, _) => format!("   {}, {known} of them stored", counted(repair.count, "article")),
    };
    let (of, selectors) = (bench.offers().len(), selectors.join("  "));
    Some(format!("Press Enter to apply repair 1 of {of}: {selectors}{known}"))
}

/// A message that is not about a field, or the help of the active field.
fn general(editor: &Editor, bench: &Bench) -> (String, Role) {
    let failed = bench.failed.get(&bench.at).filter(|_| bench.sheet().is_some());
    let list_failed = bench.failed.get(&WorkbenchPage::List);
    if let Some(repair) = repair(editor, bench) {
        return (repair, Role::Warning);
    }
    if let Some(why) = failed.or(list_failed) {
        return (format!("! {why}"), Role::Error);
    }
    if let Some(applied) = bench.applied() {
        let words = format!("suggestion {} of {}; P: next", applied + 1, bench.offers().len());
        return (words, Role::Accent);
    }
    let form = editor.form.as_ref();
    let info = bench.field().and_then(|field| form?.fields().get(field.index));
    (info.map_or("", |info| info.help()).to_owned(), Role::Dim)
}

/// Draws the message: below the field if it is about a field, otherwise in the last row.
pub(super) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    editor: &Editor,
    bench: &Bench,
    parts: &Parts,
) {
    let beside = fields::input_area(bench, parts, bench.active).filter(|_| parts.step > 1);
    let wrong = of_field(app, editor, bench, beside.is_none());
    if let Some((wrong, field)) = wrong.as_ref().zip(beside) {
        below_field(app, frame, wrong, field);
        if field.y + 1 >= parts.message.y {
            return;
        }
    }
    let problem = editor.form.as_ref().and_then(|form| form.problem.as_ref());
    let (words, role) = match (wrong.filter(|_| beside.is_none()), problem) {
        (Some(wrong), _) => (wrong, Role::Error),
        (None, Some(why)) => (format!("{} {why}", marks(app).gone), Role::Error),
        (None, None) => general(editor, bench),
    };
    let pad = " ".repeat(padding(parts.message.width));
    let mut row = Row::new(parts.message.width);
    if role == Role::Dim && !bench.offers().is_empty() {
        row.right(pad.clone(), Style::new());
        row.right(format!("   P: {} suggested", bench.offers().len()), Style::new());
    }
    // If the help is too long, only the part before the first comma is shown, if it fits.
    let fits = |words: &str| text::width(words) + pad.len() <= row.free();
    let first = words.split_once(',').map(|(first, _)| format!("{first}."));
    let words = match first.filter(|_| role == Role::Dim && !fits(&words)) {
        Some(first) if fits(&first) => first,
        Some(_) => String::new(),
        None => words,
    };
    row.left(&format!("{pad}{words}"), Style::new());
    let at = Rect { height: parts.message.height.min(1), ..parts.message };
    frame.render_widget(row.line(app.palette.style(role)), at);
}

/// Draws a message in the row below a field. If the message is long, it starts further to the left.
fn below_field(app: &App, frame: &mut Frame<'_>, words: &str, field: Rect) {
    let screen = frame.area();
    let pad = u16::try_from(padding(screen.width)).unwrap_or(0);
    let end = screen.right().saturating_sub(pad);
    let width = u16::try_from(text::width(words)).unwrap_or(u16::MAX);
    let x = field.x.min(end.saturating_sub(width)).max(pad);
    let at = Rect { x, y: field.y + 1, width: end.saturating_sub(x), height: 1 };
    let mut row = Row::new(at.width);
    row.left(words, app.palette.style(Role::Error));
    frame.render_widget(row.line(Style::new()), at);
}
