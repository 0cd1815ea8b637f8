//! Queries that name sources, read as lists of these sources.

use super::condition::Condition;
use super::criteria::Criteria;
use super::error::Result;
use super::view::{Scope, View};
use super::visits::are_few;
use crate::query::ItemState;
use rusqlite::Connection;
use std::borrow::Cow;

impl View {
    /// A view with the same rows. If a query names sources, or a tag that no item has, the rows are read
    /// source by source, each with its own index; if few items are new, they are read by row key.
    pub(super) fn by_source(&self, conn: &Connection) -> Result<Cow<'_, Self>> {
        let view = self.of_tagged(conn)?;
        if !view.criteria.conditions.contains(&Condition::Is(ItemState::New)) || !are_few(conn)? {
            return Ok(view);
        }
        let mut view = view.into_owned();
        view.criteria.few_new = true;
        Ok(Cow::Owned(view))
    }

    fn of_tagged(&self, conn: &Connection) -> Result<Cow<'_, Self>> {
        let Some((form, keys)) = &self.criteria.tagged else { return Ok(self.of_sources()) };
        let mut criteria = Criteria { tagged: None, ..self.criteria.clone() };
        let mut used =
            conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM item_tag WHERE form = ?1)")?;
        if used.query_row([form], |r| r.get(0))? {
            criteria.conditions.push(Condition::Tagged(form.clone(), keys.clone()));
        } else {
            let named = criteria.sources.take().unwrap_or_else(|| keys.clone());
            criteria.sources = Some(named.into_iter().filter(|key| keys.contains(key)).collect());
        }
        let view = Self { criteria, ..self.clone() };
        Ok(Cow::Owned(view.of_sources().into_owned()))
    }

    fn of_sources(&self) -> Cow<'_, Self> {
        let Some(named) = &self.criteria.sources else { return Cow::Borrowed(self) };
        let mut keys = named.clone();
        let mut criteria = Criteria { sources: None, ..self.criteria.clone() };
        match &self.scope {
            Scope::All => {}
            Scope::Since(date) => {
                criteria.after = Some(criteria.after.map_or(*date, |after| after.max(*date)));
            }
            Scope::Sources(scope) => keys.retain(|key| scope.contains(key)),
            Scope::Pinned | Scope::Later | Scope::Only(_) => return Cow::Borrowed(self),
        }
        keys.sort_unstable();
        keys.dedup();
        Cow::Owned(Self { scope: Scope::Sources(keys), criteria, ..self.clone() })
    }
}
