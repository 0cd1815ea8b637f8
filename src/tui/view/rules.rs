//! The list of rules, and the dialog that adds a rule.

use super::super::app::{ACTIONS, App, DryRun, KeyHint, KeyHints, RuleForm, RuleList, UNTIL};
use super::super::reader::wrap_plain;
use super::DialogArea;
use super::dialogs::{field_line, role, rows};
use super::frame::window;
use super::row::Row;
use crate::config::{Role, RuleSettings};
use crate::model::CommandRecord;
use crate::util::text::{self, counted};
use crate::util::time_text::age;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

const WIDTH: u16 = 96;
/// Number of rows for the matches, including the line above them.
const MATCHES: u16 = 9;

fn line(app: &App, frame: &mut Frame<'_>, text: &str, tone: Role, area: Rect) {
    let line = Line::styled(text.to_owned(), app.palette.style(tone));
    frame.render_widget(line, area);
}

pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    list: &mut RuleList,
    area: DialogArea,
) {
    let rules = &app.settings.rules;
    list.selected = list.selected.min(rules.len().saturating_sub(1));
    // The hint in an empty list uses up to two rows.
    let least = if rules.is_empty() { 2 } else { 1 };
    let height = u16::try_from(rules.len()).unwrap_or(u16::MAX).clamp(least, 20);
    let below = if rules.is_empty() { 0 } else { MATCHES + 2 };
    let size = (WIDTH, height.saturating_add(below));
    let subject = "what happens to new items";
    let hints: KeyHints = match rules.is_empty() {
        true => &[KeyHint::Key("n", "new"), KeyHint::Back("close")],
        false => area.hints,
    };
    let area = DialogArea { hints, ..area };
    let inner = window(app, frame, area, ("Rules", subject), size);
    if rules.is_empty() {
        let key = app.keymap.keys_for(crate::config::Context::Items, crate::config::Action::Hide);
        let key = key.map(|key| format!(" {key} on an item adds one.")).unwrap_or_default();
        let hint = format!("No rules yet.{key} A [[rule]] in config.toml can do more.");
        let parts = wrap_plain(&hint, inner.width.max(1).into());
        for (part, y) in parts.iter().zip(inner.y..inner.bottom()) {
            line(app, frame, part, Role::Text, Rect { y, height: 1, ..inner });
        }
        return;
    }
    let below = MATCHES.min(inner.height / 2);
    let top = Rect { height: inner.height - below, ..inner };
    let columns = Columns::new(rules, inner.width.into());
    rows(app, frame, top, rules.len(), list.selected, |i, row, here| {
        rule_row(app, list, (&rules[i], &columns), row, here);
    });
    let mut rest = Rect { y: top.bottom(), height: below, ..inner };
    let record = list.records.iter().find(|record| record.rule == rules[list.selected].name);
    if let Some(commands) = record.and_then(|record| record.commands.as_ref()).filter(|_| below > 2)
    {
        let tone = if commands.failed > 0 { Role::Warning } else { Role::Soft };
        let summary = commands_line(commands);
        let summary = text::truncate(&summary, rest.width.into());
        line(app, frame, &summary, tone, Rect { height: 1, ..rest });
        rest = Rect { y: rest.y + 1, height: rest.height - 1, ..rest };
    }
    matches(app, frame, &list.run, &rules[list.selected].describe_outside(), rest);
}

/// The results of a rule's commands.
fn commands_line(commands: &CommandRecord) -> String {
    let mut summary = format!("{} succeeded", counted(commands.ok, "command"));
    if commands.failed > 0 {
        summary += &format!(", {} failed", commands.failed);
    }
    if commands.skipped > 0 {
        summary += &format!(", {} not run", commands.skipped);
    }
    if commands.failed > 0 {
        summary += &format!("; last failure: {}", text::line(&commands.status));
        let error = commands.error.as_deref().map(text::line);
        summary += &error.map(|error| format!(": {error}")).unwrap_or_default();
    }
    summary
}

/// Widths of the name and effect columns, in cells, including the gap after each.
struct Columns {
    name: usize,
    effects: usize,
}

impl Columns {
    fn new(rules: &[RuleSettings], width: usize) -> Self {
        let widest = |text: &dyn Fn(&RuleSettings) -> usize, most: usize| {
            rules.iter().map(text).max().unwrap_or(0).min(most) + 2
        };
        Self {
            name: widest(&|rule| text::width(&rule.name), width * 2 / 5),
            effects: widest(&|rule| text::width(&rule.describe_effects()), width / 4),
        }
    }
}

fn rule_row(
    app: &App,
    list: &RuleList,
    (rule, columns): (&RuleSettings, &Columns),
    row: &mut Row,
    here: bool,
) {
    let record = list.records.iter().find(|record| record.rule == rule.name);
    let failed = record.and_then(|record| record.commands.as_ref()).map_or(0, |c| c.failed);
    if failed > 0 {
        row.right(format!("  {failed} failed"), role(app, here, Role::Warning));
    }
    if let Some(record) = record {
        let at = age((app.now - record.last).num_seconds());
        let last = format!("  {}, {at}", counted(record.items, "item"));
        row.right(last, role(app, here, Role::Dim));
    }
    let today = app.now.with_timezone(&chrono::Local).date_naive().to_string();
    if !rule.until.is_empty() {
        let is_over = rule.until < today;
        let (word, tone) = if is_over { ("ended", Role::Dim) } else { ("until", Role::Soft) };
        row.right(format!("  {word} {}", rule.until), role(app, here, tone));
    }
    if !rule.problem.is_empty() {
        row.right(format!("  not applied: {}", rule.problem), role(app, here, Role::Warning));
    }
    row.column(&rule.name, columns.name, role(app, here, Role::Text));
    row.column(&rule.describe_effects(), columns.effects, role(app, here, Role::Accent));
    // Most names consist of a verb and the query. In earlier versions, the verb was "Mute".
    let verb = rule.name.strip_suffix(rule.query.as_str()).map(str::trim_end);
    let is_verb = |verb: &str| {
        let names = ACTIONS.iter().map(|action| text::sentence(action.name));
        verb.is_empty() || verb == "Mute" || names.into_iter().any(|name| name == verb)
    };
    if !verb.is_some_and(is_verb) {
        row.left(&rule.query, role(app, here, Role::Dim));
    }
}

/// Draws the stored items that match a query, below a line with their number and the rule's effects `outside`
/// the list.
fn matches(app: &App, frame: &mut Frame<'_>, run: &DryRun, outside: &str, area: Rect) {
    let at = |y: u16| Rect { y, height: 1, ..area };
    if area.height < 2 {
        return;
    }
    super::dialogs::rule(app, frame, at(area.y));
    let (head, tone) = match (&run.error, &run.found) {
        (Some(error), _) => (error.clone(), Role::Warning),
        (None, None) => ("Searching …".to_owned(), Role::Dim),
        (None, Some(found)) if found.count.items == 0 => (
            "No stored item matches; the rule applies to new ones".to_owned() + outside,
            Role::Soft,
        ),
        (None, Some(found)) => {
            let items = found.count.items;
            let mut matches = match found.count.more {
                true => format!("Matches {items} or more stored items"),
                false => format!("Matches {}", counted(items, "stored item")),
            };
            if let Some(would) = found.would_change {
                let changes = would.describe(usize::try_from(items).unwrap_or(usize::MAX));
                if !changes.is_empty() {
                    matches += &format!(", {changes}");
                }
            }
            (matches + outside, Role::Soft)
        }
    };
    line(app, frame, &head, tone, at(area.y + 1));
    let newest = run.found.iter().flat_map(|found| &found.newest);
    for (y, (title, source)) in (area.y + 2..area.bottom()).zip(newest) {
        let mut row = Row::new(area.width);
        let name = app.sources.entry(*source).map_or("", |entry| entry.title());
        let name = text::truncate(name, usize::from(area.width) / 3).into_owned();
        row.right(format!("  {name}"), app.palette.style(Role::Dim));
        row.left(&format!("  {title}"), app.palette.style(Role::Text));
        frame.render_widget(row.line(Style::new()), at(y));
    }
}

/// A choice in one row: spaced out, or closer together on a narrow screen. If there is little space, only the
/// selected value is shown.
fn choice(app: &App, label: &str, names: &[&str], set: usize, width: u16) -> Row {
    let all: usize = names.iter().map(|name| name.len() + 4).sum();
    let gaps = names.len().saturating_sub(1);
    let (label, gap) = match usize::from(width) {
        wide if wide >= label.len() + all + 3 * gaps => (label, "   "),
        wide if wide >= all + gaps => ("", " "),
        _ => (label, ""),
    };
    let mut row = Row::new(width);
    row.left(label, app.palette.style(Role::KeyHint));
    for (i, name) in names.iter().enumerate().filter(|(i, _)| !gap.is_empty() || *i == set) {
        let (mark, tone, text) = match i == set {
            true => ("(*) ", Role::Accent, Role::Text),
            false => ("( ) ", Role::Dim, Role::Dim),
        };
        row.left(if i > 0 { gap } else { "" }, Style::new());
        row.left(mark, app.palette.style(tone));
        row.left(name, app.palette.style(text));
    }
    row
}

pub(in crate::tui) fn draw_form(
    app: &App,
    frame: &mut Frame<'_>,
    form: &RuleForm,
    area: DialogArea,
) {
    let count = u16::try_from(form.suggestions.len()).unwrap_or(u16::MAX);
    let size = (WIDTH, count.saturating_add(MATCHES + 5));
    let title = form.action().title;
    let inner = window(app, frame, area, (title, "now and as they arrive"), size);
    let at = |y: u16, height: u16| {
        let height = height.min(inner.bottom().saturating_sub(y));
        Rect { y, height, ..inner }
    };
    let below = MATCHES.min(inner.height / 2);
    let space = inner.height.saturating_sub(below + 4).min(count);
    let list = at(inner.y + 1, space);
    rows(app, frame, list, form.suggestions.len(), form.selected, |i, row, here| {
        let (query, what) = &form.suggestions[i];
        row.right(*what, role(app, here, Role::Dim));
        row.left(query, role(app, here, Role::Text));
    });
    let actions: Vec<&str> = ACTIONS.iter().map(|action| action.name).collect();
    let durations: Vec<&str> = UNTIL.iter().map(|(name, _)| *name).collect();
    for (y, label, names, set) in
        [(1, "Action    ", actions, form.action), (2, "How long  ", durations, form.until)]
    {
        let row = choice(app, label, &names, set, inner.width);
        frame.render_widget(row.line(Style::new()), at(list.bottom() + y, 1));
    }
    let rest = at(list.bottom() + 3, below);
    matches(app, frame, &form.run, &form.describe_outside(), rest);
    // The field is drawn last, because it places the cursor.
    field_line(app, frame, "Query  ", &form.field, at(inner.y, 1));
}
