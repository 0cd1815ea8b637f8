//! Converts emails to a JSON Feed, which is parsed, sanitised and limited like any other feed.

mod split;

#[cfg(test)]
mod tests;

pub use split::{split_mbox, unquoted};

use crate::util::text;
use mail_parser::{Message, MessageParser, MimeHeaders, PartType};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Maximum number of attachments that are listed.
const MAX_ATTACHMENTS: usize = 20;
/// Maximum length of an attachment name, in characters.
const MAX_NAME: usize = 100;

/// An email as an item of a JSON Feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mail {
    /// The `Message-ID`, or a hash of the email if there is none.
    pub id: String,
    pub title: String,
    pub authors: Vec<Sender>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_published: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_text: Option<String>,
    /// All `From` addresses, in lower case.
    #[serde(skip)]
    from: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sender {
    pub name: String,
}

impl Mail {
    /// Reads an email; `None` if the bytes contain no email headers.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let message = MessageParser::default().parse(bytes)?;
        let dated = message.date().filter(|date| date.is_valid());
        if message.from().is_none() && message.subject().is_none() && dated.is_none() {
            return None;
        }
        let senders = message.from().into_iter().flat_map(|from| from.iter());
        let (mut authors, mut from) = (Vec::new(), String::new());
        for sender in senders.take(MAX_ATTACHMENTS) {
            let address = sender.address().unwrap_or_default();
            let name = sender.name().filter(|name| !name.trim().is_empty()).unwrap_or(address);
            authors.push(Sender { name: name.to_owned() });
            from.push_str(&format!("{} <{}>\n", name.to_lowercase(), address.to_lowercase()));
        }
        let (html, plain) = body(&message);
        let attachments = attachments(&message);
        Some(Self {
            id: message.message_id().map_or_else(|| hash(bytes), str::to_owned),
            title: message.subject().unwrap_or("(no subject)").to_owned(),
            authors,
            date_published: dated.map(mail_parser::DateTime::to_rfc3339),
            content_html: html.map(|html| match attachments.as_str() {
                "" => html,
                names => format!("{html}<p>{}</p>", quick_xml::escape::escape(names)),
            }),
            content_text: plain
                .map(|plain| format!("{plain}\n\n{attachments}").trim_end().to_owned()),
            from,
        })
    }

    /// The size of the email in the feed, in bytes.
    pub fn size(&self) -> usize {
        serde_json::to_vec(self).map_or(0, |text| text.len() + 1)
    }

    /// Whether the sender's name or address contains this text, ignoring case.
    pub fn is_from(&self, text: &str) -> bool {
        self.from.contains(&text.to_lowercase())
    }
}

/// A JSON Feed with these emails.
pub fn feed(title: &str, mails: &[Mail]) -> Vec<u8> {
    #[derive(Serialize)]
    struct Feed<'a> {
        version: &'a str,
        title: &'a str,
        items: &'a [Mail],
    }
    let feed = Feed { version: "https://jsonfeed.org/version/1.1", title, items: mails };
    // Serialising texts cannot fail.
    serde_json::to_vec(&feed).unwrap_or_default()
}

/// The HTML of an email, or its text if there is no HTML.
fn body(message: &Message<'_>) -> (Option<String>, Option<String>) {
    let html = message.html_bodies().find_map(|part| match &part.body {
        PartType::Html(html) => Some(html.to_string()),
        _ => None,
    });
    match html {
        Some(html) => (Some(html), None),
        None => (None, Some(message.body_text(0).unwrap_or_default().into_owned())),
    }
}

/// A line with the names of the attachments; empty if there are none.
fn attachments(message: &Message<'_>) -> String {
    // Images in the HTML are not attachments.
    let named = message.attachments().filter(|part| part.content_id().is_none());
    let names: Vec<String> = named
        .map(|part| text::line(part.attachment_name().unwrap_or("(no name)")))
        .map(|name| text::truncate(&name, MAX_NAME).into_owned())
        .collect();
    match names.len() {
        0 => String::new(),
        n if n > MAX_ATTACHMENTS => {
            let rest = n - MAX_ATTACHMENTS;
            format!("Attachments: {} and {rest} more", names[..MAX_ATTACHMENTS].join(", "))
        }
        _ => format!("Attachments: {}", names.join(", ")),
    }
}

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}
