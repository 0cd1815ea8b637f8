//! The WHERE clause of a list.

use super::condition::HAS_VERSIONS;
use super::view::{Scope, View};
use rusqlite::types::Value;

/// Keys of the items that match an expression.
const IN_TEXTS: &str = "SELECT rowid FROM item_text WHERE item_text MATCH ?";
/// Keys of the items that have a matching earlier version or title. All matches are needed, because further
/// conditions may leave only old items.
const IN_VERSIONS: &str =
    "SELECT a.item FROM version_text v CROSS JOIN article a ON a.key = v.rowid
        WHERE version_text MATCH ? AND v.rowid > 0
    UNION ALL SELECT h.item FROM version_text v CROSS JOIN headline h ON h.key = -v.rowid
        WHERE version_text MATCH ? AND v.rowid < 0";
/// Keys of the new items that match an expression.
const IN_ARRIVING: &str = "SELECT rowid FROM temp.arriving WHERE arriving MATCH ?";

/// Where texts are searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Texts {
    #[default]
    Current,
    /// Earlier versions.
    Versions,
    /// The texts of the items that are being stored.
    Arriving,
}

impl Texts {
    fn of(versions: bool) -> Self {
        if versions { Self::Versions } else { Self::Current }
    }
}

/// Conditions joined by AND, with their values in order.
#[derive(Default)]
pub(super) struct Filter {
    /// Where texts are searched.
    pub(super) texts: Texts,
    conditions: Vec<String>,
    pub(super) values: Vec<Value>,
}

impl Filter {
    /// Conditions on items that are being stored.
    pub(super) fn of_new_items() -> Self {
        Self { texts: Texts::Arriving, ..Self::default() }
    }

    pub(super) fn and(&mut self, condition: &str) {
        self.conditions.push(condition.to_owned());
    }

    pub(super) fn bind(&mut self, condition: &str, value: impl Into<Value>) {
        self.and(condition);
        self.values.push(value.into());
    }

    /// Adds the value of the parameter in some SQL, and returns the SQL. The results of several calls must be
    /// used in the order of these calls.
    pub(super) fn with(&mut self, sql: &str, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        sql.to_owned()
    }

    /// SQL that tests whether the text of an item matches an expression.
    pub(super) fn in_texts(&mut self, text: &str) -> String {
        let keys = match self.texts {
            Texts::Current => IN_TEXTS,
            Texts::Versions => IN_VERSIONS,
            Texts::Arriving => IN_ARRIVING,
        };
        let times = keys.matches('?').count();
        self.values.extend(std::iter::repeat_n(Value::from(text.to_owned()), times));
        format!("i.key IN ({keys})")
    }

    fn sources(&mut self, keys: &[i64], not: &str) {
        let list = keys.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        self.and(&format!("i.source {not} IN ({list})"));
    }

    /// Tables to read for a full-text search, and the column by which the matches are ordered.
    pub(super) fn matching(&mut self, text: &str, view: &View) -> (&'static str, &'static str) {
        if view.criteria.versions {
            self.text(text, true, "");
            return ("item i", "i.key");
        }
        self.bind("item_text MATCH ?", text.to_owned());
        ("item_text t CROSS JOIN item i ON i.key = t.rowid", "t.rowid")
    }

    /// Items whose text, or the text of an earlier version, matches an expression.
    pub(super) fn text(&mut self, text: &str, versions: bool, not: &str) {
        self.texts = Texts::of(versions);
        let sql = self.in_texts(text);
        self.and(&format!("{not}{sql}"));
    }

    pub(super) fn scope(&mut self, scope: &Scope) {
        if !matches!(scope, Scope::Sources(_)) {
            // The items of a removed source are kept for undo, but not shown.
            self.and("i.source NOT IN (SELECT key FROM source WHERE declared = 0)");
        }
        match scope {
            Scope::All => {}
            Scope::Sources(keys) => self.sources(keys, ""),
            Scope::Since(date) => self.bind("i.date >= ?", *date),
            Scope::Pinned => self.and("i.pinned = 1"),
            Scope::Later => self.and("i.later = 1"),
            Scope::Only(keys) => {
                let keys = keys.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
                self.and(&format!("i.key IN ({keys})"));
            }
        }
    }

    pub(super) fn view(&mut self, view: &View) {
        if view.unread_only {
            self.and("i.read = 0");
        }
        let q = &view.criteria;
        self.texts = Texts::of(q.versions);
        if q.nothing {
            self.and("0");
        }
        // Lists of unread items need no condition, because hidden items are marked read. Lists of pinned
        // items show hidden ones too.
        let pinned = view.scope == Scope::Pinned || q.pinned == Some(true);
        if !view.unread_only && q.read != Some(false) && !pinned {
            q.hidden.sql().into_iter().for_each(|sql| self.and(sql));
        }
        if q.only_hidden {
            self.and("i.hidden <> 0");
        }
        if let Some(text) = &q.not_text {
            self.text(text, q.versions, "NOT ");
        }
        if let Some(read) = q.read {
            self.and(if read { "i.read = 1" } else { "i.read = 0" });
        }
        if let Some(pinned) = q.pinned {
            self.and(if pinned { "i.pinned = 1" } else { "i.pinned = 0" });
        }
        if let Some(changed) = q.changed {
            self.and(if changed { "i.substantial = 1" } else { "i.substantial = 0" });
        }
        if let Some(edited) = q.edited {
            self.and(if edited { "i.changed = 1" } else { "i.changed = 0" });
        }
        if q.versions && q.text.is_none() {
            self.and(HAS_VERSIONS);
        }
        if let Some(as_of) = q.as_of {
            self.bind("i.discovered < ?", as_of);
        }
        if let Some(before) = q.before {
            self.bind("i.date < ?", before);
        }
        if let Some(after) = q.after {
            self.bind("i.date >= ?", after);
        }
        if let Some(keys) = &q.sources {
            self.sources(keys, "");
        }
        if !q.not_sources.is_empty() {
            self.sources(&q.not_sources, "NOT");
        }
        for condition in &q.conditions {
            let sql = condition.sql(self);
            self.and(&sql);
        }
    }

    /// Leaves out an item if another item of its story is in the list too and is pinned or earlier.
    pub(super) fn fold(&mut self, view: &View) {
        if !view.fold {
            return;
        }
        // Each item is called `i` in its own query, so that the conditions of the list also work for the
        // other item.
        let mut other = Self::default();
        other.scope(&view.scope);
        other.view(view);
        match &view.criteria.text {
            Some(text) if view.criteria.versions => other.text(text, true, ""),
            // The index is searched for this item only, because there may be many matches.
            Some(text) => other.bind(
                "EXISTS (SELECT 1 FROM item_text WHERE item_text MATCH ? AND rowid = i.key)",
                text.clone(),
            ),
            None => {}
        }
        self.and(&format!(
            "(NOT EXISTS (SELECT 1 FROM story_item WHERE item = i.key) OR NOT EXISTS (
                SELECT 1 FROM (SELECT i.key AS key, i.date AS date, i.pinned AS pinned) AS this
                CROSS JOIN story_item own ON own.item = this.key
                CROSS JOIN story_item other ON other.story = own.story
                CROSS JOIN item i ON i.key = other.item
                WHERE (i.pinned, this.date, this.key) > (this.pinned, i.date, i.key) AND {}))",
            other.sql()
        ));
        self.values.append(&mut other.values);
    }

    /// The items that meet the conditions, and the other items of their stories.
    pub(super) fn with_stories(self) -> Self {
        let condition = format!(
            "i.key IN (WITH listed AS MATERIALIZED (SELECT i.key FROM item i WHERE {})
                SELECT key FROM listed UNION ALL SELECT other.item FROM listed
                CROSS JOIN story_item own ON own.item = listed.key
                CROSS JOIN story_item other ON other.story = own.story)",
            self.sql()
        );
        Self { conditions: vec![condition], ..self }
    }

    pub(super) fn sql(&self) -> String {
        if self.conditions.is_empty() { "1".to_owned() } else { self.conditions.join(" AND ") }
    }
}
