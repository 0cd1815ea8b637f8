//! Marks that rules give new items. They are determined first, so that the items are stored with their marks:
//! changing a stored item would write it and its indexes again.

use super::error::Result;
use super::rule_effects::{RECORD, apply_by, clear_hidden};
use super::rule_undo::comes_back_as;
use super::{marks, tags};
use crate::model::{Effect, Time};
use rusqlite::{Connection, params};

/// The marks of a new item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct NewMarks {
    pub(super) read: bool,
    pub(super) pinned: bool,
    pub(super) later: bool,
    pub(super) hidden: bool,
}

/// A mark that a rule sets.
#[derive(Debug)]
pub(super) struct RuleMark {
    kind: Kind,
    /// The effect, as it is recorded.
    effect: String,
}

#[derive(Debug)]
enum Kind {
    Read,
    Pin,
    Later,
    Hide,
    /// A tag and its comparable form.
    Tag(String, String),
}

impl RuleMark {
    /// `None` if the effect acts outside the database, or its tag is not valid.
    pub(super) fn of(effect: &Effect) -> Option<Self> {
        let kind = match effect {
            Effect::Read => Kind::Read,
            Effect::Pin => Kind::Pin,
            Effect::Later => Kind::Later,
            Effect::Hide => Kind::Hide,
            Effect::Tag(tag) => {
                let (tag, form) = tags::stored_form(tag)?;
                Kind::Tag(tag, form)
            }
            Effect::Notify | Effect::Run => return None,
        };
        Some(Self { kind, effect: effect.to_string() })
    }
}

/// What rules do to one new item.
#[derive(Debug, Default)]
pub(super) struct Marking<'a> {
    pub(super) marks: NewMarks,
    /// The changes to the item: the name of the rule, the mark, and whether the item was read before.
    done: Vec<(&'a str, &'a RuleMark, bool)>,
}

impl<'a> Marking<'a> {
    /// Sets the marks of the next rule that matches, as [`super::marks::set_all`] does for stored items.
    pub(super) fn apply(&mut self, rule: &'a str, marks: &'a [RuleMark]) {
        for mark in marks {
            if matches!(mark.kind, Kind::Pin) {
                self.show();
            }
            let was_read = self.marks.read;
            let becomes_read = matches!(mark.kind, Kind::Read) && self.stays_read();
            let now = &mut self.marks;
            let changes = match &mark.kind {
                Kind::Read => !std::mem::replace(&mut now.read, true) || becomes_read,
                Kind::Later => !std::mem::replace(&mut now.later, true),
                Kind::Pin => !std::mem::replace(&mut now.pinned, true),
                Kind::Hide if now.pinned || now.hidden => false,
                Kind::Hide => {
                    (now.read, now.hidden) = (true, true);
                    true
                }
                Kind::Tag(_, form) => !self.done.iter().any(
                    |(_, other, _)| matches!(&other.kind, Kind::Tag(_, known) if known == form),
                ),
            };
            if changes {
                let hides = matches!(mark.kind, Kind::Hide);
                self.done.push((rule, mark, hides && was_read));
            }
        }
    }

    /// Keeps an item read if it is read only because an earlier rule hid it; returns whether the item was
    /// read only for that reason.
    fn stays_read(&mut self) -> bool {
        let hides = |mark: &RuleMark| matches!(mark.kind, Kind::Hide);
        let hiding = self.done.iter_mut().find(|(_, mark, _)| hides(mark));
        hiding.is_some_and(|(_, _, was_read)| !std::mem::replace(was_read, true))
    }

    /// Shows the item again if an earlier rule hid it: pinned items are shown, whatever the order of the
    /// rules.
    fn show(&mut self) {
        let hiding = self.done.iter().position(|(_, mark, _)| matches!(mark.kind, Kind::Hide));
        if let Some((_, _, was_read)) = hiding.map(|at| self.done.remove(at)) {
            self.marks.read = was_read;
        }
        self.marks.hidden = false;
    }

    /// Stores the tags of an item (row key), and which rule set which mark. `shares` is whether marks are
    /// shared with other machines.
    pub(super) fn save(&self, conn: &Connection, key: i64, now: Time, shares: bool) -> Result<()> {
        if self.done.is_empty() {
            return Ok(());
        }
        let mut record = conn.prepare_cached(RECORD)?;
        for (rule, mark, was_read) in &self.done {
            if let Kind::Tag(tag, form) = &mark.kind {
                conn.prepare_cached("INSERT INTO item_tag (item, form, tag) VALUES (?1, ?2, ?3)")?
                    .execute(params![key, form, tag])?;
            }
            record.execute(params![key, mark.effect, rule, now.timestamp(), was_read])?;
        }
        if shares {
            let NewMarks { read, pinned, later, .. } = self.marks;
            let mut note =
                conn.prepare_cached("INSERT OR REPLACE INTO marked (item, form) VALUES (?1, ?2)")?;
            for (form, _) in
                [("read", read), ("pin", pinned), ("later", later)].iter().filter(|(_, on)| *on)
            {
                note.execute(params![key, form])?;
            }
        }
        Ok(())
    }
}

/// Applies the effects of a rule, by its name, to new items (row keys), and records what changed.
pub(super) fn apply_to_new<'a>(
    conn: &Connection,
    name: &str,
    effects: impl Iterator<Item = &'a Effect>,
    keys: &[i64],
    now: Time,
) -> Result<()> {
    for effect in effects {
        match effect {
            Effect::Pin => show_new(conn, keys)?,
            Effect::Read => keep_read(conn, name, keys, now)?,
            _ => {}
        }
        apply_by(conn, name, effect, keys, now, marks::set_all)?;
    }
    Ok(())
}

/// Keeps new items read if they are read only because an earlier rule hid them, and a later rule may show
/// them.
fn keep_read(conn: &Connection, name: &str, keys: &[i64], now: Time) -> Result<()> {
    let mut record = conn.prepare_cached(RECORD)?;
    let effect = Effect::Read.to_string();
    for key in keys {
        if comes_back_as(conn, *key, true)? {
            record.execute(params![key, effect, name, now.timestamp(), false])?;
        }
    }
    Ok(())
}

/// Shows new items that rules hid, as if they had never been hidden.
fn show_new(conn: &Connection, keys: &[i64]) -> Result<()> {
    let mut show = conn.prepare_cached(
        "UPDATE item SET hidden = 0, read = ?2, comments_seen = iif(?2, comments_seen, NULL)
         WHERE key = ?1",
    )?;
    let mut delete =
        conn.prepare_cached("DELETE FROM marked WHERE item = ?1 AND form = 'read' AND NOT ?2")?;
    for (key, was_read) in clear_hidden(conn, keys)? {
        show.execute(params![key, was_read])?;
        delete.execute(params![key, was_read])?;
    }
    Ok(())
}
