//! The limits for untrusted input that users may encounter. `docs/limits.md` lists them with the consequences
//! of exceeding each; a test compares the two. Limits of a single algorithm are defined next to it.

use super::text::counted;

/// Defines constants, and the list of them that the test reads.
macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident = $value:expr, $label:literal;)*) => {
        $($(#[$doc])* pub const $name: usize = $value;)*

        /// All limits, under their names in the documentation.
        pub const ALL: &[(&str, usize)] = &[$(($label, $name)),*];
    };
}

/// A message about the number of things beyond a limit, such as `7 links left out: limit of 2000`; `None` if
/// there are none. `what` is singular.
pub fn left_out(surplus: usize, what: &str, limit: usize) -> Option<String> {
    (surplus > 0).then(|| format!("{} left out: limit of {limit}", counted(surplus, what)))
}

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

limits! {
    /// A feed after decompression, in bytes.
    FEED_BYTES = 10 * MIB, "feed";
    /// Entries of a feed. The newest are kept.
    FEED_ENTRIES = 5000, "entries in a feed";
    /// Texts and URLs of a feed in total after sanitising, in bytes. A document of [`FEED_BYTES`] exceeds it
    /// only on purpose, for example with relative links to a long base URL.
    FEED_TEXT = 32 * MIB, "texts and URLs of a feed in total";
    /// The text of an entry or article as safe HTML, in bytes. Reading, showing, indexing or comparing it
    /// takes many times that much memory.
    TEXT_BYTES = MIB, "text of an entry or article";
    /// Links, authors, categories or enclosures of one entry.
    ENTRY_LIST = 50, "links, authors, categories or enclosures of an entry";
    /// Elements and attributes inside one field of a feed. Beyond the limit, only the text is kept.
    FIELD_TAGS = 50_000, "elements and attributes in a field of a feed";
    /// Attributes of a tag. Surplus ones are removed, because parsers compare each with all previous ones.
    TAG_ATTRIBUTES = 64, "attributes of a tag";
    /// The classes of an element, and its id and similar names, in bytes each. The rest is not kept, because
    /// names are compared for each link inside the element.
    ELEMENT_NAMES = 4 * KIB, "classes or id of an element";
    /// Maximum number of bytes of a page that are read.
    PAGE_BYTES = 4 * MIB, "page";
    /// Nesting depth of a page.
    PAGE_DEPTH = 512, "nesting of a page";
    /// Elements, texts and comments of a page, including those that a parser repeats.
    PAGE_NODES = 120_000, "elements, text nodes and comments of a page";
    /// Parsers examine all ancestors of each element, text and comment of a page, so this limits their work.
    PAGE_STEPS = 20_000_000, "sum of the nesting depths of all elements, text nodes and comments of a page";
    /// Different names of elements and attributes in a page. With more, the parser's table of names gets
    /// slow.
    PAGE_NAMES = 10_000, "distinct names of elements and attributes in a page";
    /// Link targets of an article in total, in bytes. Beyond the limit, only the text of relative links is
    /// kept.
    ARTICLE_TARGETS = 8 * MIB, "link targets of an article in total";
    /// Lines of an article in the Reader. Each takes several hundred bytes.
    READER_LINES = 20_000, "lines of an article in the Reader";
    /// A picture of an article, in bytes.
    IMAGE_BYTES = 8 * MIB, "picture";
    /// Width and height of a picture, in pixels.
    IMAGE_SIDE = 4096, "width or height of a picture";
    /// A decoded picture, in bytes.
    IMAGE_PIXELS = 35 * MIB, "decoded picture";
    /// Additional memory that a picture decoder needs, in bytes.
    IMAGE_WORK = 14 * MIB, "memory for decoding a picture, besides the decoded picture";
    /// Links that are read from a list of articles.
    LIST_LINKS = 2000, "links in a list of articles";
    /// Entries of one page. The first are kept.
    PAGE_ENTRIES = 2000, "entries on one page";
    /// Links that a crawl takes from a page, or from the sitemaps of a site; `--page-links`.
    CRAWL_LINKS = 50_000, "links that a crawl takes from a page";
    /// Links of a crawl; `--max-links`.
    CRAWL_TOTAL = 1_000_000, "links of a crawl";
    /// Rows of a data file. Surplus ones are only counted.
    DATASET_ROWS = 200_000, "rows of a data file";
    /// Columns of a table in a data file.
    DATASET_COLUMNS = 200, "columns of a table in a data file";
    /// Cells of a data file.
    DATASET_CELLS = 1_000_000, "cells of a data file";
    /// Cell texts of a data file, in bytes.
    DATASET_TEXT = 8 * MIB, "text of a data file";
    /// An XLSX file after decompression, in bytes.
    XLSX_BYTES = 48 * MIB, "XLSX file";
    /// Tags of an XLSX file. A cell has four.
    XLSX_TAGS = 8_000_000, "tags of an XLSX file";
    /// Pages of a PDF file.
    PDF_PAGES = 1000, "pages of a PDF file";
    /// Objects of a PDF file.
    PDF_OBJECTS = 450_000, "objects of a PDF file";
    /// Content of a PDF page after decompression, in bytes.
    PDF_CONTENT = 4 * MIB, "content of a PDF page";
    /// Data that is read or decompressed for a PDF file, in bytes. Each value or name counts as a few bytes.
    PDF_WORK = 128 * MIB, "data read or decompressed for a PDF file";
    /// Data that is stored about the data files of a source for their next comparison, in bytes.
    DATASET_STATES = 64 * MIB, "stored states of a source's data files";
    /// A sitemap after decompression, in bytes (the protocol's limit).
    SITEMAP_BYTES = 50 * MIB, "sitemap";
    /// URLs in a sitemap (the protocol's limit).
    SITEMAP_URLS = 50_000, "URLs in a sitemap";
    /// A robots.txt, in bytes (RFC 9309 requires at least this much).
    ROBOTS_BYTES = 500 * KIB, "robots.txt";
    /// A URL, in bytes.
    URL_BYTES = 8192, "URL";
    /// The base URL of relative links without its query, in bytes. With a longer one, every link of a page
    /// could be thousands of bytes long.
    BASE_BYTES = 1500, "base URL of relative links";
    /// A line of text, such as a title, in characters.
    LINE_CHARS = 1000, "line of text, such as a title";
    /// An imported list, in bytes.
    IMPORT_BYTES = 64 * MIB, "imported list";
    /// Sources in an imported list.
    IMPORT_SOURCES = 10_000, "sources in an imported list";
    /// Sources of a followed list. The first ones are used.
    LIST_SOURCES = 5000, "sources in a followed list";
    /// A feed that newsfed writes, in bytes: the same limit as for a feed that it reads.
    WRITTEN_BYTES = 10 * MIB, "feed that newsfed writes";
    /// A file of saved articles, in bytes before compression.
    SAVED_BYTES = 64 * MIB, "file of saved articles";
    /// Articles in a file of saved articles.
    SAVED_ITEMS = 1000, "articles in a file of saved articles";
    /// Pictures in a file of saved articles.
    SAVED_PICTURES = 300, "pictures in a file of saved articles";
    /// A configuration file, in bytes.
    CONFIG_BYTES = 8 * MIB, "configuration file";
}
