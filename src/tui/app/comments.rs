//! Opens the page with the comments on an item, or follows the comments as a source.

use super::App;
use super::availability::NO_ITEM;
use crate::config::Action;
use crate::tui::effect::Effect;
use crate::tui::event::Failure;

impl App {
    pub(super) fn browse_comments(&mut self) -> Vec<Effect> {
        let Some(row) = self.item_targets().into_iter().next() else { return self.note(NO_ITEM) };
        vec![Effect::BrowseComments { item: row.key }]
    }

    pub(super) fn comments_found(
        &mut self,
        result: Result<Option<String>, Failure>,
    ) -> Vec<Effect> {
        match result {
            Ok(Some(url)) => vec![Effect::Browse { urls: vec![url] }],
            Ok(None) => self.note("This item has no page with comments"),
            Err(why) => self.problem(why),
        }
    }

    /// Follows the comments on the current item as a source of their own.
    pub(super) fn follow_comments(&mut self) -> Vec<Effect> {
        let Some(row) = self.item_targets().into_iter().next() else { return self.note(NO_ITEM) };
        let shown = self.reader.article.as_ref().filter(|a| a.row.key == row.key);
        if let Some(article) = shown.filter(|article| article.item.comment_feed.is_none()) {
            let page = article.item.comments.as_ref();
            let key = page.and(self.keymap.keys_for(self.context(), Action::Comments));
            let hint = key.map(|key| format!(". Press {key} to open their page"));
            let hint = hint.unwrap_or_default();
            return self.note(format!("This item has no comment feed{hint}"));
        }
        self.note("Reading the comment feed …");
        let request = self.request();
        vec![Effect::FollowComments { request, item: row.key }]
    }
}
