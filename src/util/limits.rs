//! Limits of everything that comes from outside, in one table. `docs/limits.md` lists them for users,
//! with what happens beyond each; a test compares the two.

/// Defines constants, and the list of them that the test reads.
macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: usize = $value;)*

        /// Names and values of all limits.
        pub const ALL: &[(&str, usize)] = &[$((stringify!($name), $name)),*];
    };
}

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

limits! {
    /// A feed after decompression, in bytes.
    FEED_BYTES = 10 * MIB;
    /// Entries of a feed. The newest are kept.
    FEED_ENTRIES = 5000;
    /// Texts and URLs of a feed together after sanitising, in bytes. A document of [`FEED_BYTES`]
    /// exceeds it only if it is made to, as by relative links to a long base URL.
    FEED_TEXT = 32 * MIB;
    /// Links, authors, categories or enclosures of one entry.
    ENTRY_LIST = 50;
    /// Elements and attributes inside one field of a feed. The text of further ones is kept.
    FIELD_TAGS = 50_000;
    /// Attributes of a tag. Further ones are removed: parsers compare each with all before it.
    TAG_ATTRIBUTES = 64;
    /// How much of a page is read, in bytes.
    PAGE_BYTES = 4 * MIB;
    /// Deepest nesting of a page.
    PAGE_DEPTH = 512;
    /// Elements and comments of a page, including those that a parser repeats.
    PAGE_ELEMENTS = 150_000;
    /// Link targets of an article together, in bytes. Further links keep their text.
    ARTICLE_TARGETS = 8 * MIB;
    /// Links that are read from a list of articles.
    LIST_LINKS = 2000;
    /// Links that a crawl takes from a page.
    CRAWL_LINKS = 5000;
    /// A sitemap after decompression, in bytes (limit of the protocol).
    SITEMAP_BYTES = 50 * MIB;
    /// URLs in a sitemap (limit of the protocol).
    SITEMAP_URLS = 50_000;
    /// A robots.txt, in bytes (RFC 9309 asks for at least this).
    ROBOTS_BYTES = 500 * KIB;
    /// A URL, in bytes.
    URL_BYTES = 8192;
    /// The base URL of relative links without its query, in bytes. A longer one could make every link
    /// of a page thousands of bytes long.
    BASE_BYTES = 1500;
    /// A line of text, such as a title, in characters.
    LINE_CHARS = 1000;
    /// An imported list, in bytes.
    IMPORT_BYTES = 64 * MIB;
    /// Sources in an imported list.
    IMPORT_SOURCES = 10_000;
    /// A configuration file, in bytes.
    CONFIG_BYTES = 8 * MIB;
}
