//! Renders sites as feeds of each format, and as HTML pages.

use super::sites::{Format, Manner, Post, Site};
use crate::util::html::escape;
use std::fmt::Write as _;

/// A site with its base URL, which precedes every path.
pub(super) struct Place<'a> {
    pub(super) site: &'a Site,
    pub(super) posts: &'a [Post<'a>],
    /// `http://127.0.1.1:4000`
    pub(super) base: &'a str,
}

impl Place<'_> {
    fn home(&self) -> String {
        format!("{}/{}/", self.base, self.site.slug)
    }

    fn feed(&self) -> String {
        format!("{}{}", self.base, self.site.feed_path())
    }

    fn link(&self, post: &Post<'_>) -> String {
        format!("{}/{}/{}", self.base, self.site.slug, post.id)
    }

    fn audio(&self, post: &Post<'_>) -> String {
        format!("{}/{}/audio/{}.mp3", self.base, self.site.slug, post.id)
    }

    /// The document of the feed.
    pub(super) fn document(&self) -> String {
        let document = match self.site.format {
            Format::Rss => self.rss(),
            Format::Rdf => self.rdf(),
            Format::Atom => self.atom(),
            Format::Json => self.json(),
            Format::Page | Format::Scattered => self.page(),
        };
        if self.site.manner == Manner::Damaged { damaged(&document) } else { document }
    }

    fn rss(&self) -> String {
        let site = self.site;
        let mut out = String::from(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" \
             xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
             xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
             xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\n<channel>\n",
        );
        element(&mut out, "title", &site.title);
        element(&mut out, "link", &self.home());
        element(&mut out, "description", &site.description);
        element(&mut out, "language", &site.language);
        if let Some(ttl) = site.ttl {
            element(&mut out, "ttl", &ttl.to_string());
        }
        for post in self.posts {
            out.push_str("<item>\n");
            element(&mut out, "title", &post.title);
            element(&mut out, "link", &self.link(post));
            let _ = writeln!(out, "<guid isPermaLink=\"false\">{}</guid>", self.guid(post));
            element(&mut out, "pubDate", &post.at.to_rfc2822());
            element(&mut out, "dc:creator", self.author(post));
            for tag in &post.article.tags {
                element(&mut out, "category", tag);
            }
            if let Some(summary) = &post.article.summary {
                element(&mut out, "description", summary);
            }
            element(&mut out, "content:encoded", self.body(post));
            if let Some(audio) = post.article.audio {
                let _ = writeln!(
                    out,
                    "<enclosure url=\"{}\" length=\"{}\" type=\"audio/mpeg\"/>",
                    self.audio(post),
                    audio.bytes
                );
                element(&mut out, "itunes:duration", &audio.seconds.to_string());
            }
            out.push_str("</item>\n");
        }
        out.push_str("</channel>\n</rss>\n");
        out
    }

    fn rdf(&self) -> String {
        let site = self.site;
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rdf:RDF \
             xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
             xmlns=\"http://purl.org/rss/1.0/\" \
             xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
             xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n<channel rdf:about=\"{}\">\n",
            self.feed()
        );
        element(&mut out, "title", &site.title);
        element(&mut out, "link", &self.home());
        element(&mut out, "description", &site.description);
        out.push_str("<items><rdf:Seq>\n");
        for post in self.posts {
            let _ = writeln!(out, "<rdf:li rdf:resource=\"{}\"/>", self.link(post));
        }
        out.push_str("</rdf:Seq></items>\n</channel>\n");
        for post in self.posts {
            let _ = writeln!(out, "<item rdf:about=\"{}\">", self.link(post));
            element(&mut out, "title", &post.title);
            element(&mut out, "link", &self.link(post));
            element(&mut out, "dc:date", &post.at.to_rfc3339());
            element(&mut out, "dc:creator", self.author(post));
            element(&mut out, "content:encoded", self.body(post));
            out.push_str("</item>\n");
        }
        out.push_str("</rdf:RDF>\n");
        out
    }

    fn atom(&self) -> String {
        let site = self.site;
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{}\">\n",
            site.language
        );
        element(&mut out, "title", &site.title);
        element(&mut out, "subtitle", &site.description);
        element(&mut out, "id", &format!("tag:{}.example,2026:feed", site.slug));
        let _ = writeln!(out, "<link rel=\"self\" href=\"{}\"/>", self.feed());
        let _ = writeln!(out, "<link href=\"{}\"/>", self.home());
        if let Some(newest) = self.posts.first() {
            element(&mut out, "updated", &newest.at.to_rfc3339());
        }
        for post in self.posts {
            let language = post.article.language.as_deref().unwrap_or(&site.language);
            let _ = writeln!(out, "<entry xml:lang=\"{language}\">");
            element(&mut out, "title", &post.title);
            element(&mut out, "id", &self.guid(post));
            let _ = writeln!(out, "<link href=\"{}\"/>", self.link(post));
            element(&mut out, "published", &post.at.to_rfc3339());
            element(&mut out, "updated", &post.at.to_rfc3339());
            let _ = writeln!(out, "<author><name>{}</name></author>", escape(self.author(post)));
            for tag in &post.article.tags {
                let _ = writeln!(out, "<category term=\"{}\"/>", escape(tag));
            }
            if let Some(summary) = &post.article.summary {
                element(&mut out, "summary", summary);
            }
            let body = self.body(post);
            if !body.is_empty() {
                let _ = writeln!(out, "<content type=\"html\">{}</content>", escape(body));
            }
            out.push_str("</entry>\n");
        }
        out.push_str("</feed>\n");
        out
    }

    fn json(&self) -> String {
        let item = |post: &Post<'_>| {
            serde_json::json!({
                "id": self.guid(post),
                "url": self.link(post),
                "title": post.title,
                "date_published": post.at.to_rfc3339(),
                "authors": [{"name": self.author(post)}],
                "tags": post.article.tags,
                "summary": post.article.summary,
                "content_html": self.body(post),
            })
        };
        let feed = serde_json::json!({
            "version": "https://jsonfeed.org/version/1.1",
            "title": self.site.title,
            "description": self.site.description,
            "language": self.site.language,
            "home_page_url": self.home(),
            "feed_url": self.feed(),
            "items": self.posts.iter().map(item).collect::<Vec<_>>(),
        });
        format!("{feed:#}\n")
    }

    /// The home page: a list of the posts.
    pub(super) fn page(&self) -> String {
        let site = self.site;
        if site.format == Format::Scattered {
            return self.house();
        }
        let mut list = String::new();
        for post in self.posts {
            let _ = writeln!(
                list,
                "<article class=\"card\">\n<h3><a href=\"{}\">{}</a></h3>\n\
                 <p class=\"meta\"><time datetime=\"{}\">{}</time> · {}</p>\n<p>{}</p>\n</article>",
                self.link(post),
                escape(&post.title),
                post.at.to_rfc3339(),
                post.at.format("%-d %B %Y"),
                escape(self.author(post)),
                escape(post.article.summary.as_deref().unwrap_or_default())
            );
        }
        self.frame(&site.title, &format!("<section class=\"news-list\">\n{list}</section>"))
    }

    /// A page with links to all categories, for a site without a list of articles.
    fn house(&self) -> String {
        let mut names: Vec<&str> = self.posts.iter().filter_map(category_of).collect();
        names.sort_unstable();
        names.dedup();
        let slug = &self.site.slug;
        let door = |name: &&str| format!("<p>A <a href=\"/{slug}/room/{name}\">door</a>.</p>\n");
        self.frame(&self.site.title, &names.iter().map(door).collect::<String>())
    }

    /// A page that lists the articles of a category; `None` for an unknown category.
    pub(super) fn category(&self, name: &str) -> Option<String> {
        let found: String = self
            .posts
            .iter()
            .filter(|post| category_of(post) == Some(name))
            .map(|post| {
                format!("<p><a href=\"{}\">{}</a></p>\n", self.link(post), escape(&post.title))
            })
            .collect();
        let known = self.site.format == Format::Scattered && !found.is_empty();
        known.then(|| self.frame(&format!("{name} – {}", self.site.title), &found))
    }

    /// The page of an article.
    pub(super) fn article(&self, post: &Post<'_>) -> String {
        // On a site without a list, nothing else shows that the page is an article.
        let data = match self.site.format {
            Format::Scattered => {
                "<script type=\"application/ld+json\">{\"@type\":\"Article\"}</script>\n"
            }
            _ => "",
        };
        let article = format!(
            "{data}<article>\n<h1>{}</h1>\n<p class=\"byline\">By <span class=\"author\">{}</span>, \
             <time datetime=\"{}\">{}</time></p>\n<div class=\"body\">\n{}\n</div>\n</article>",
            escape(&post.title),
            escape(self.author(post)),
            post.at.to_rfc3339(),
            post.at.format("%-d %B %Y"),
            post.body
        );
        let page = self.frame(&format!("{} – {}", post.title, self.site.title), &article);
        // As on most sites, the page metadata contains the feed's teaser.
        match post.article.summary.as_deref().filter(|_| self.site.teasers) {
            Some(summary) => {
                let meta = format!("<meta name=\"description\" content=\"{}\">\n", escape(summary));
                page.replacen("</head>", &(meta + "</head>"), 1)
            }
            None => page,
        }
    }

    /// The HTML around the content of every page.
    fn frame(&self, title: &str, main: &str) -> String {
        let announced = match self.site.format {
            Format::Page | Format::Scattered => String::new(),
            format => format!(
                "<link rel=\"alternate\" type=\"{}\" title=\"{}\" href=\"{}\">\n",
                media_type(format),
                escape(&self.site.title),
                self.site.feed_path()
            ),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <title>{title}</title>\n{announced}</head>\n<body>\n\
             <header><a href=\"/{slug}/\">{name}</a><p>{about}</p></header>\n\
             <nav><a href=\"/{slug}/\">News</a> <a href=\"/{slug}/#about\">About</a></nav>\n\
             <main>\n{main}\n</main>\n\
             <footer id=\"about\">{name} exists only in this demonstration.</footer>\n\
             </body>\n</html>\n",
            lang = self.site.language,
            title = escape(title),
            slug = self.site.slug,
            name = escape(&self.site.title),
            about = escape(&self.site.description),
        )
    }

    fn guid(&self, post: &Post<'_>) -> String {
        format!("tag:{}.example,2026:{}", self.site.slug, post.id)
    }

    /// The body of a post in the feed; empty on a site with teasers.
    fn body<'a>(&self, post: &'a Post<'_>) -> &'a str {
        if self.site.teasers { "" } else { post.body }
    }

    fn author<'a>(&'a self, post: &'a Post<'_>) -> &'a str {
        post.article.author.as_deref().unwrap_or(&self.site.author)
    }
}

/// The category page that links to an article.
fn category_of<'a>(post: &Post<'a>) -> Option<&'a str> {
    post.article.tags.first().map(String::as_str)
}

/// The media type of a feed format.
pub(super) fn media_type(format: Format) -> &'static str {
    match format {
        Format::Rss => "application/rss+xml",
        Format::Rdf => "application/rdf+xml",
        Format::Atom => "application/atom+xml",
        Format::Json => "application/feed+json",
        Format::Page | Format::Scattered => "text/html; charset=utf-8",
    }
}

fn element(out: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        let _ = writeln!(out, "<{name}>{}</{name}>", escape(text));
    }
}

/// Adds mistakes that careless templates make: unescaped ampersands, and a missing end of the document.
fn damaged(document: &str) -> String {
    document
        .replace(" &amp; ", " & ")
        .trim_end_matches(|c: char| c.is_whitespace())
        .trim_end_matches("</rss>")
        .to_owned()
}
