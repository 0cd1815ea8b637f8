//! Details of each command, for the line below the palette.

use super::Action;

impl Action {
    /// Details that the one-line help omits: consequences, conditions and requirements.
    pub fn details(self) -> &'static str {
        match self {
            Self::Down
            | Self::Up
            | Self::HalfPageDown
            | Self::HalfPageUp
            | Self::PageDown
            | Self::PageUp => "Moves the selection, or scrolls the article in the Reader.",
            Self::NextPane | Self::PreviousPane => {
                "The panes are Sources, Items and Reader. Keys act on the pane with the line below its title."
            }
            Self::Open => "Lists the items of a source, or opens an item in the Reader.",
            Self::Back => "Also clears a selection, and closes a search.",
            Self::First | Self::Last => {
                "Goes to the first or last row, or to the start or end of the article."
            }
            Self::ShowUnread => "Unread items of all sources.",
            Self::ShowToday => "Today's items of all sources, read or not.",
            Self::ShowPinned => "Retention never removes pinned items.",
            Self::ShowNew => "Items that arrived since your last session.",
            Self::ShowLater => {
                "Items that you keep for later. Reading them does not remove them from this list."
            }
            Self::Queue => "In the queue, you can play, move and remove episodes.",
            Self::ShowAll => "Items of all sources, read or not.",
            Self::GoSources | Self::GoItems | Self::GoReader => "Keys then act on that pane.",
            Self::Downloads => "Lists complete, running and unfinished downloads.",
            Self::Crawls => "Lists running and finished crawls with their progress and results.",
            _ => self.details_about_items(),
        }
    }

    fn details_about_items(self) -> &'static str {
        match self {
            Self::NextUnread | Self::PreviousUnread => {
                "After the last unread item, continues at the start of the list."
            }
            Self::NextUnreadSource | Self::PreviousUnreadSource => {
                "Lists the items of that source. Follows the order of the Sources pane, and wraps around."
            }
            Self::NextItem => "Opens the next item in the list.",
            Self::PreviousItem => "Opens the previous item in the list.",
            Self::MarkRead | Self::MarkUnread => {
                "Skips items that are already marked. Useful for keys that run several commands."
            }
            Self::ToggleRead => "Applies to the selected items, or to the current one.",
            Self::Pin => "Pinned items come first by default, and retention keeps them.",
            Self::Later => "A separate list of items that you want to read later.",
            Self::Hide => {
                "Makes a rule from words, the author or the source, for stored and new items."
            }
            Self::Snooze => "Asks for a duration or date: 12h, 3d, tomorrow, friday or 2026-12-31.",
            Self::FoldStories => "If several sources report the same story, only one row is shown.",
            Self::ReadAll | Self::ReadEverything => {
                "Asks first if there are more than 50 items. The change can be undone."
            }
            Self::ReadAbove | Self::ReadBelow => {
                "Includes rows that are not on the screen. Asks if there are more than 50. Can be undone."
            }
            Self::ReadMatching => {
                "Searches all items, not only the list. Asks if more than 50 match. Can be undone."
            }
            Self::ReadFor => "Lists items that can all be read in the given time.",
            Self::UnreadOnly => "Also hides sources without unread items. The setting is saved.",
            Self::Select => {
                "Commands such as mark read, pin and move then apply to all selected rows."
            }
            Self::ExtendSelection => "Select one end of the range first.",
            Self::SelectAll => "Commands then apply to every item in the list.",
            Self::SelectInverse => "Deselects the selected items, and selects all others.",
            Self::SelectNone => "Commands then apply to the current item again.",
            Self::Browser => "Opens the page of each selected item, or the site of a source.",
            Self::BrowserAndNext => "Goes through a list quickly.",
            Self::Copy => "Copies the URL of the item or the source to the clipboard.",
            Self::CopyMarkdown => "Copies titles as links, for notes and messages.",
            Self::Save => "The file extension sets the format: .md, .html or .epub.",
            Self::Comments => "Opens the page with the comments, if the feed names one.",
            Self::FollowComments => {
                "New comments then arrive as items, if the item has a comment feed."
            }
            Self::Enclosure => "Enclosures are attached files: episodes, videos, documents.",
            Self::Download => "Downloads continue in the background, and can be resumed.",
            Self::StopRunning => "Unfinished downloads can be resumed later.",
            Self::Search => {
                "Finds words in titles and texts, and conditions such as is:unread or age<3d."
            }
            Self::Filter => "Understands the same words and conditions as a search.",
            Self::Find => {
                "Highlights the matches. Case is ignored unless you type a capital letter."
            }
            Self::Tag => "Lists the items that have the tag, or whose source has it.",
            Self::Jump => "Shows the names that match as you type.",
            Self::SaveView => "A view is a saved search. It appears in the Sources pane.",
            Self::SortNext | Self::SortPrevious => {
                "Orders: pinned first, newest, oldest, and in searches best match first."
            }
            _ => self.details_about_articles(),
        }
    }

    fn details_about_articles(self) -> &'static str {
        match self {
            Self::FullText => {
                "Fetches the page of the item. Press the key again to show another text."
            }
            Self::Hints => "Shows a letter at each link. A capital letter copies the URL.",
            Self::CopyCode => {
                "Copies the code as written. If there are several blocks, shows a letter at each."
            }
            Self::Links => "Lists links with their URLs, to open or copy them.",
            Self::OpenLink => "The number is shown after the link in the text.",
            Self::JumpBack => {
                "Returns to where you were in the article, or to the previous article."
            }
            Self::Headings => "Starts at the current heading. Enter goes to the selected one.",
            Self::NextHeading | Self::PreviousHeading => "Scrolls the article to that heading.",
            Self::Difference => "Added and removed text is marked in the article.",
            Self::OlderChange | Self::NewerChange => {
                "newsfed keeps up to six versions of an article."
            }
            Self::Zen => "Hides the other panes until you press the key again.",
            Self::ScrollRight | Self::ScrollLeft => {
                "Long lines of code are cut at the edge of the text."
            }
            Self::Pictures => {
                "Pictures are fetched when they are shown. Applies to the open item only."
            }
            Self::WrapCode => "Cut lines can be scrolled. The setting is saved.",
            Self::Narrower | Self::Wider => {
                "Changes the maximum width of the text. The setting is saved."
            }
            Self::Pipe => "The command reads the text of the article; its output is shown.",
            Self::Run => "A [[command]] is a program that you define in config.toml.",
            Self::Prefetch => "For reading offline. The number of pages is shown first.",
            Self::Enqueue => "Episodes are played in the order of the queue.",
            Self::PlayPause => "Uses mpv, or the player set in listen.player.",
            Self::SeekForward | Self::SeekBack => {
                "Skips 30 seconds, or the time set in listen.step."
            }
            Self::NextEpisode => "Your position in the current episode is kept.",
            _ => self.details_about_sources(),
        }
    }

    fn details_about_sources(self) -> &'static str {
        match self {
            Self::Add => {
                "Paste the URL of a feed or of any page. newsfed shows what can be followed there."
            }
            Self::Crawl => "Follows links from page to page, within a budget that you set.",
            Self::Starters => {
                "Select the sources you want; they can be removed like any other source."
            }
            Self::Import => {
                "Reads OPML, URLs, and exports of other readers. An OPML list at a URL can be followed."
            }
            Self::Export => {
                "Writes a new file newsfed.opml to save.folder. Passwords, programs and lists are left out."
            }
            Self::AcceptList => {
                "If many sources leave a followed list at once, they stay until you confirm their removal."
            }
            Self::Edit => {
                "The form has the title, folder, tags, schedule, full text, selectors and access."
            }
            Self::Workbench => {
                "Selectors describe where the articles are on a page. The workbench shows what they find."
            }
            Self::EditFile => "For settings that the form does not have.",
            Self::Rename => "The name stays when the feed changes its title.",
            Self::Move => "Asks for the folder, and creates it if it does not exist.",
            Self::EditTags => {
                "Asks for tags: a name adds that tag, and a minus sign before it removes the tag."
            }
            Self::Switch => "A disabled source is not checked. Its items stay.",
            Self::Delete => "The change can be undone, and items are kept for 30 days.",
            Self::MoveDown | Self::MoveUp => "Changes the order in sources.toml.",
            Self::FoldIn | Self::FoldOut | Self::Fold => {
                "A folded folder shows the sum of its unread items."
            }
            Self::RefreshAll => {
                "Checks every source now. Sources whose servers asked for a pause are skipped."
            }
            Self::Refresh => "Checks the sources now, unless their servers asked for a pause.",
            Self::ForceRefresh => "Use this rarely: the server asked for fewer requests.",
            Self::Progress => "Problems come first. Enter goes to the source.",
            Self::StopCrawl => "A stopped crawl can be resumed.",
            Self::Why => {
                "Shows the next check and its reason, when the source publishes, and the last checks."
            }
            Self::Log => "Shows errors in full, and the time of the next attempt.",
            Self::Stats => "Counts items of the last 12 weeks, and names sources you could remove.",
            _ => self.details_about_the_program(),
        }
    }

    fn details_about_the_program(self) -> &'static str {
        match self {
            Self::Palette => "This list.",
            Self::Help => "Lists all keys by task. Type to find one.",
            Self::Undo => "Undoes marks and changes to sources and settings made in this session.",
            Self::Redo => "Redoes the change that you undid last.",
            Self::History => "Lists all changes since newsfed started.",
            Self::Rules => "Rules mark, tag or hide new items that match a query, or notify you.",
            Self::Settings => "Opens a form with several pages. It can be searched.",
            Self::Set => "Saves the value in config.toml.",
            Self::Theme => "Each theme is shown while it is selected. Enter saves it.",
            Self::Keys => "Press Enter on a command and then the new key.",
            Self::Demo => "Leaves this session, and starts again with fictional sites.",
            Self::SourcesPane => "Leaves more space for titles. The setting is saved.",
            Self::Density => "One row for each item, two rows, or a summary. The setting is saved.",
            Self::Redraw => "Repairs a screen that other programs have written to.",
            Self::Suspend => "Run fg in the shell to return to newsfed.",
            Self::Quit => "Everything is saved. The daemon, if there is one, keeps running.",
            _ => "Runs the commands that are bound to this key.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_explained_in_short_sentences() {
        let other = Action::Lines(0).details();
        for action in Action::ALL {
            let details = action.details();
            assert!(details.ends_with('.') && details.len() <= 92, "{action}: {details}");
            assert_ne!(details, other, "{action}");
            assert!(!details.starts_with(action.help()), "{action}: {details}");
        }
    }
}
