//! `newsfed show`: prints items in full.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::item_options::end_of;
use super::items::{self, ItemShape};
use super::output::Output;
use super::show_text::{Chooser, TextSource};
use super::versions::{self, Versions};
use crate::article::{self, Document};
use crate::model::{Confidence, FullText, Item, Revision, StoryItem, TextFrom, by_rule};
use crate::util::media;
use crate::util::text::{self, comment_count, counted};
use crate::util::time_text::{self, minute};
use url::Url;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ShowArgs {
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print all stored versions of the article, newest first
    #[arg(long, conflicts_with = "diff")]
    versions: bool,
    /// Print what changed in the article: [-removed-] and {+added+} words
    #[arg(long)]
    diff: bool,
    /// The text to print [default: the one that the Reader shows]
    #[arg(long, value_enum, conflicts_with_all = ["versions", "diff"])]
    from: Option<TextSource>,
    /// Print title and text as they were at the end of this day
    #[arg(long, value_name = "DATE", conflicts_with_all = ["versions", "diff", "from"])]
    as_of: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Plain text after header lines such as `Title: …`
    Text,
    /// Markdown
    Markdown,
    /// HTML without scripts and styles
    Html,
    /// The same as --json
    Json,
}

const EXAMPLES: &str = "\
Prints the text of the item's page if it was fetched and matches the feed's
text, otherwise the feed's text. With full_text = never, the feed's text is
always printed. --from chooses another text. The item is not marked read.

Examples:
  newsfed show 1234
  newsfed show 1234 | fold -s | less
  newsfed show --format html 1234 > item.html
  newsfed show --format markdown 1234 | pandoc -o item.epub
  newsfed show --from feed 1234
  newsfed show --as-of yesterday 1234
  newsfed show --diff 1234";

pub(super) fn run(args: &ShowArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let reader = store.reader()?;
    let as_of = args.as_of.as_deref().map(end_of).transpose()?;
    for (n, key) in items::keys(&reader, &args.ids)?.into_iter().enumerate() {
        let Some(mut shape) = ItemShape::read(&reader, key, as_of)? else {
            match as_of {
                Some(_) => {
                    return Err(Failure::Plain(format!(
                        "item {key} was not yet stored on that day"
                    )));
                }
                None => continue,
            }
        };
        let source = catalogue.entries.iter().find(|e| e.source.id == shape.item.source);
        if args.versions || args.diff {
            let reads_pages = source.is_some_and(|e| e.source.kind().reads_pages());
            let shown = Versions { reader: &reader, key, item: &shape.item, reads_pages };
            versions::print(&shown, args.diff, args.format, out)?;
            continue;
        }
        if as_of.is_none() {
            let setting = source.and_then(|e| e.source.full_text);
            let chooser = Chooser {
                reader: &reader,
                key,
                reads_pages: source.is_some_and(|e| e.source.kind().reads_pages()),
                never: setting.unwrap_or(home.settings.full_text) == FullText::Never,
            };
            chooser.choose(&mut shape.item, args.from)?;
        }
        if out.json || args.format == Format::Json {
            out.value(&shape)?;
            continue;
        }
        if n > 0 {
            out.line("")?;
        }
        let markup = shape.item.body();
        match args.format {
            Format::Html => {
                out.line(markup)?;
                continue;
            }
            Format::Markdown => {
                out.text(&markdown(&shape.item, markup))?;
                continue;
            }
            Format::Text | Format::Json => {}
        }
        print(&shape, &catalogue, markup, out)?;
    }
    Ok(Exit::Ok)
}

/// The publication date, with its origin if it is uncertain.
fn published(item: &Item) -> Option<String> {
    let at = time_text::published(item.published?);
    let unsure = item.published_confidence == Some(Confidence::Low);
    let from = item.published_from.filter(|_| unsure);
    Some(from.map_or(at.clone(), |from| format!("{at} (from {}, not certain)", from.describe())))
}

fn print(
    shape: &ItemShape,
    catalogue: &Catalogue,
    markup: &str,
    out: &mut Output,
) -> Result<(), Failure> {
    let item = &shape.item;
    let rules =
        text::line(&by_rule(shape.rules.iter().map(|d| (d.rule.as_str(), d.effect.to_string()))));
    let until = shape.snoozed_until.map(minute);
    let time = |t: Option<crate::model::Time>| t.map(minute);
    let head = [
        ("Title", Some(item.title.clone()).filter(|t| !t.is_empty())),
        ("Source", Some(catalogue.title_of(&item.source).to_owned())),
        ("Author", Some(item.authors.join(", ")).filter(|a| !a.is_empty())),
        ("Published", published(item)),
        ("Updated", time(item.updated).filter(|_| item.updated != item.published)),
        ("URL", item.url.clone()),
        ("Text", text_from(item)),
        ("Changes", changes(item)),
        ("Former title", item.former_title.clone()),
        ("Comments", comments(item)),
        ("Comment feed", item.comment_feed.clone()),
        ("Categories", Some(item.tags.join(", ")).filter(|tags| !tags.is_empty())),
        ("Own tags", Some(shape.own_tags.join(", ")).filter(|tags| !tags.is_empty())),
        ("Also in", also_in(shape, catalogue)),
        ("Rules", Some(rules).filter(|rules| !rules.is_empty())),
        ("Hidden until", until),
    ];
    for (name, value) in head {
        if let Some(value) = value {
            let value = if name == "Title" { out.bold(&value) } else { value };
            out.line(format!("{name}: {value}"))?;
        }
    }
    for file in &item.enclosures {
        let facts = media::facts(file).join(", ");
        let facts = if facts.is_empty() { facts } else { format!(" ({facts})") };
        out.line(format!("Enclosure: {}{facts}", file.url))?;
    }
    let document = read(item, markup);
    if !document.is_empty() {
        out.line("")?;
        out.line(wrapped(&document.numbered_text(), out.width))?;
    }
    if !document.links.is_empty() {
        out.line("")?;
        for (n, link) in document.links.iter().enumerate() {
            out.line(format!("[{}] {}", n + 1, link.url))?;
        }
    }
    Ok(())
}

/// The other sources with the same story, and the numbers of their items.
fn also_in(shape: &ItemShape, catalogue: &Catalogue) -> Option<String> {
    let named =
        |other: &StoryItem| format!("{} ({})", catalogue.title_of(&other.source), other.number);
    let all = shape.also_in.iter().map(named);
    let all = text::line(&all.collect::<Vec<_>>().join(", "));
    (!all.is_empty()).then_some(all)
}

/// The number and the URL of the comments.
fn comments(item: &Item) -> Option<String> {
    let count = item.comment_count.map(|count| comment_count(count, item.new_comments));
    let all: Vec<String> = count.into_iter().chain(item.comments.clone()).collect();
    (!all.is_empty()).then(|| all.join(" · "))
}

/// Describes the changes, if there are earlier versions or titles.
fn changes(item: &Item) -> Option<String> {
    let examined = item.versions > 0 || !item.revisions.is_empty();
    examined.then(|| Revision::summary(&item.revisions))
}

/// Describes the origin of the text, with notes about it.
fn text_from(item: &Item) -> Option<String> {
    let mut words = match item.text_from {
        TextFrom::Feed if item.page_text && item.feed_has_full_text != Some(true) => {
            "from the feed; --from page prints the text of the page".to_owned()
        }
        TextFrom::Feed => String::new(),
        from => from.describe().to_owned(),
    };
    let mut add = |more: String| {
        words += if words.is_empty() { "" } else { "; " };
        words += &more;
    };
    if let Some(why) = &item.fetch_error {
        add(format!("no text found on the page: {why}"));
    }
    match item.versions {
        0 => {}
        n => add(counted(n, "earlier version")),
    }
    (!words.is_empty()).then_some(words)
}

/// The article as Markdown, with its title as a heading.
fn markdown(item: &Item, markup: &str) -> String {
    let document = read(item, markup);
    match item.title.as_str() {
        "" => document.markdown(),
        title => document.titled_markdown(title),
    }
}

pub(super) fn read(item: &Item, markup: &str) -> Document {
    let base = item.url.as_deref().and_then(|u| Url::parse(u).ok());
    article::below_title(markup, &item.title, base.as_ref())
}

/// Maximum line length on a terminal.
const WIDEST: usize = 80;

/// Wraps long lines between words on a terminal. Output for programs is not wrapped.
pub(super) fn wrapped(text: &str, width: Option<usize>) -> String {
    let Some(width) = width.map(|w| w.min(WIDEST)) else { return text.to_owned() };
    let mut lines = Vec::new();
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let (mut current, mut used) = (String::new(), 0);
        for word in line.split_inclusive(' ') {
            let cells = text::width(word.trim_end());
            if used > 0 && used + cells > width {
                lines.push(current.trim_end().to_owned());
                current = indent.to_owned();
                used = text::width(indent);
            }
            used += text::width(word);
            current.push_str(word);
        }
        lines.push(current.trim_end().to_owned());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn wraps_long_lines_between_words() {
        let cases = [
            ("one two three", Some(8), "one two\nthree"),
            ("  a bb ccc dddd", Some(8), "  a bb\n  ccc\n  dddd"),
            ("unbreakable", Some(4), "unbreakable"),
            ("日本 語語 x", Some(5), "日本\n語語\nx"),
            ("a\n\nb", Some(8), "a\n\nb"),
            ("one two three", None, "one two three"),
        ];
        for (text, width, expected) in cases {
            assert_eq!(wrapped(text, width), expected, "{text}");
        }
    }
}
