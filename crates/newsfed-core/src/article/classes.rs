//! What the words in class names and ids reveal about an element.

/// A set of kinds as a bit mask.
pub(super) type Kinds = u32;

/// A table of (kind, words).
macro_rules! kinds {
    ($($name:ident = $bit:literal: $words:literal;)*) => {
        $(#[doc = concat!("Words like: ", $words)] pub(super) const $name: Kinds = 1 << $bit;)*
        const TABLE: &[(Kinds, &str)] = &[$(($name, $words)),*];
    };
}

kinds! {
    CONTENT = 0: "content contents body text copy richtext prose markdown wysiwyg paragraph entrycontent postcontent articlebody articlecontent bodytext bodycopy maincontent articletext storybody postbody e-content";
    ARTICLE = 1: "article articles post entry story blog hentry blogpost single news";
    MAIN = 2: "main primary center column container page wrapper inner";
    NAV = 3: "nav navigation navbar menu breadcrumb breadcrumbs pagination pager paging toc topbar tabs subnav skip dropdown navi";
    COMMENT = 4: "comment comments disqus respond reply replies commentlist discussion thread";
    SHARE = 5: "share sharing social shares addthis sharedaddy twitter facebook tweet follow instagram sharebar addtoany bookmark";
    RELATED = 6: "related recommended recommendations recommendation similar more also popular trending latest recent readmore teaser teasers carousel outbrain taboola suggested next prev previous explore card cards list listing grid feed items";
    META = 7: "meta byline author authors date time timestamp published posted category categories tag tags label info infos details bio contributor dateline readtime credits source topic topics";
    CAPTION = 8: "caption figcaption credit legend photo image gallery media video player figure slideshow copyright";
    AD = 9: "ad ads advert advertisement advertising sponsor sponsored promo promotion promoted dfp gpt banner adsense affiliate commercial";
    SIDEBAR = 10: "sidebar aside side rail widget widgets secondary complementary infobox sidebox panel extra";
    FOOTER = 11: "footer foot bottom colophon copyright footnote legal disclaimer";
    HEADER = 12: "header head top masthead hero headline title heading subtitle subheading";
    LEAD = 13: "lead intro summary dek standfirst abstract excerpt deck subhead lede description chapo";
    FORM = 14: "newsletter subscribe subscription signup login cookie cookies consent gdpr popup modal overlay form paywall register email donate cta button alert notice toolbar tools tooltip print rating";
    HIDDEN = 15: "hidden hide invisible sr screenreader visuallyhidden offscreen assistive noprint";
    QUOTE = 16: "quote blockquote pullquote callout box aside-box tip note highlight keypoints takeaways factbox embed";
    POST = 17: "message messages msg cooked bbcode bbwrapper postbody postcontent answer answers question questions usertext topicbody qa reply crawler-post";
    USER = 18: "user username userinfo usercard avatar profile member members poster rank reputation signature sig karma joined participant";
    DOCS = 19: "doc docs document documentation reference api sphinx rst docusaurus mdx md manual wiki guide mw readme rendered";
    CODE = 20: "highlight code hljs codehilite sourcecode snippet prettyprint language example literal";
    PRODUCT = 21: "product products price pricing sku cart shop spec specs specification specifications variant feature features faq testimonial testimonials service services";
}

pub(super) const COUNT: usize = 22;

/// Classes of line numbers next to code: never readable text.
const GUTTERS: [&str; 16] = [
    "gutter",
    "lineno",
    "linenos",
    "lnt",
    "linenodiv",
    "line-numbers-rows",
    "blob-num",
    "hljs-ln-numbers",
    "hljs-ln-n",
    "line-number",
    "linenumber",
    "rouge-gutter",
    "code-line-number",
    "react-syntax-highlighter-line-number",
    "CodeMirror-linenumber",
    "cm-gutters",
];
const ANCHORS: [&str; 10] = [
    "anchor",
    "headerlink",
    "header-anchor",
    "heading-anchor",
    "anchor-link",
    "anchorjs-link",
    "hash-link",
    "heading-link",
    "header-link",
    "direct-link",
];

/// Whether a class attribute marks a column of line numbers.
pub(super) fn is_gutter(class: &str) -> bool {
    class.split_ascii_whitespace().any(|c| GUTTERS.contains(&c))
}

/// Whether a class attribute marks a permalink of a heading.
pub(super) fn is_anchor(class: &str) -> bool {
    class.split_ascii_whitespace().any(|c| ANCHORS.contains(&c))
}

/// Whether a class attribute marks a box about the author.
pub(super) fn is_author_box(class: &str) -> bool {
    class.split_ascii_whitespace().any(|c| {
        let c = c.to_ascii_lowercase();
        let parts = ["bio", "box", "description", "about", "card", "profile"];
        let mut words = c.split(['-', '_']);
        words.clone().any(|w| w == "author") && words.any(|w| parts.contains(&w))
            || matches!(c.as_str(), "authorbox" | "authorbio" | "aboutauthor")
    })
}

/// The kinds that the words of a class attribute or id stand for.
pub(super) fn kinds(names: &str) -> Kinds {
    let mut found = 0;
    for name in names.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut from = 0;
        let bytes = name.as_bytes();
        // A camelCase name is split into words.
        for at in 1..bytes.len() {
            if bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase() {
                found |= kind(&name[from..at]);
                from = at;
            }
        }
        found |= kind(&name[from..]);
    }
    found
}

fn kind(word: &str) -> Kinds {
    use foldhash::HashMap;
    use std::sync::LazyLock;
    static WORDS: LazyLock<HashMap<&str, Kinds>> = LazyLock::new(|| {
        let mut map = HashMap::default();
        for (kind, words) in TABLE {
            for word in words.split_ascii_whitespace() {
                *map.entry(word).or_insert(0) |= kind;
            }
        }
        map
    });
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if word.len() < 2 || word.len() > 24 {
        return 0;
    }
    if word.bytes().any(|b| b.is_ascii_uppercase()) {
        return WORDS.get(word.to_ascii_lowercase().as_str()).copied().unwrap_or(0);
    }
    WORDS.get(word).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_kinds_by_words_of_class_names() {
        let cases = [
            ("article__content", ARTICLE | CONTENT),
            ("postContent2", ARTICLE | CONTENT),
            ("SideBar sidebar-left", SIDEBAR),
            ("col-md-8 x", 0),
            ("", 0),
        ];
        for (names, want) in cases {
            assert_eq!(kinds(names) & (ARTICLE | CONTENT | SIDEBAR), want, "{names}");
        }
        assert!(is_gutter("td gutter") && !is_gutter("gutters"));
        assert!(is_anchor("headerlink") && !is_anchor("link"));
    }
}
