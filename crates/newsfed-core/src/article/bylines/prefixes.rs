//! Words that precede author names, such as "by".

/// Words that precede a name in any language, case-folded. A longer prefix comes before its own prefixes.
const PREFIXES: &[&str] = &[
    "written by",
    "posted by",
    "authored by",
    "published by",
    "words by",
    "story by",
    "text by",
    "reviewed by",
    "by",
    "author",
    "geschrieben von",
    "ein beitrag von",
    "text von",
    "von",
    "autorin",
    "autorius",
    "autorka",
    "autors",
    "autoři",
    "autorzy",
    "autor",
    "autore",
    "autora",
    "auteur",
    "écrit par",
    "rédigé par",
    "publié par",
    "par",
    "escrito por",
    "publicado por",
    "por",
    "scritto da",
    "a cura di",
    "geschreven door",
    "door",
    "skrevet av",
    "skrevet af",
    "skriven av",
    "kirjoittanut",
    "kirjoittaja",
    "höfundur",
    "scris de",
    "escrit per",
    "napisała",
    "napisał",
    "napsala",
    "napsal",
    "írta",
    "szerző",
    "yazar",
    "γράφει ο",
    "γράφει η",
    "συντάκτης",
    "автор статьи",
    "авторка",
    "автор",
    "текст",
    "מאת",
    "بقلم",
    "نویسنده",
    "โดย",
    "ผู้เขียน",
    "लेखक",
    "tác giả",
    "penulis",
    "글쓴이",
    "작성자",
    "著者",
    "執筆者",
    "執筆",
    "筆者",
    "投稿者",
    "撰文",
    "作者",
    "文／",
    "文/",
];

/// Prefixes that are used only on pages in one language, because they begin names or have another meaning in
/// other languages.
const OF_LANGUAGES: &[(&str, &[&str])] = &[
    ("it", &["di"]),
    ("sv", &["text", "av"]),
    ("no", &["tekst", "av"]),
    ("nb", &["tekst", "av"]),
    ("nn", &["tekst", "av"]),
    ("da", &["tekst", "af"]),
    ("nl", &["tekst"]),
    ("fi", &["teksti"]),
    ("is", &["eftir"]),
    ("ro", &["de"]),
    ("ca", &["per"]),
    ("pl", &["tekst"]),
    ("cs", &["text"]),
    ("sk", &["text"]),
    ("hr", &["piše"]),
    ("sr", &["piše", "пише"]),
    ("bg", &["от"]),
    ("el", &["του", "της"]),
    ("vi", &["bởi"]),
    ("ko", &["글"]),
    ("ja", &["文"]),
    ("zh", &["文"]),
    ("ar", &["كتبت", "كتب"]),
    ("fa", &["نوشته"]),
    ("tr", &["yazan"]),
    ("id", &["oleh"]),
    ("ms", &["oleh"]),
];

/// Prefixes that are also first names, as in "Von Miller" and "Door Peeters", and the languages in which they
/// are prefixes.
const NAMES: [(&str, &[&str]); 4] =
    [("von", &["de"]), ("par", &["fr"]), ("por", &["es", "pt", "gl"]), ("door", &["nl"])];
/// Minimum number of words after one of [`NAMES`] that makes it a prefix on a page in another language.
const FULL_NAME: usize = 2;

/// The prefixes that apply to a page.
pub(in crate::article) struct Prefixes {
    own: &'static [&'static str],
    place: Place,
}

/// Where the names come from.
enum Place {
    /// Structured data, whose fields contain only names.
    Data,
    /// The text of a page, with its language if it is known.
    Text(Option<String>),
}

impl Prefixes {
    /// The prefixes for a page in the language of a tag such as `pt-BR`.
    pub(in crate::article) fn of(tag: Option<&str>) -> Self {
        let language = tag.and_then(|tag| tag.split('-').next()).map(str::to_ascii_lowercase);
        let own = OF_LANGUAGES.iter().find(|(of, _)| Some(*of) == language.as_deref());
        Self { own: own.map_or(&[], |(_, words)| words), place: Place::Text(language) }
    }

    /// The prefixes in structured data, where a name may begin with a word that is a prefix only in text.
    pub(in crate::article) fn in_data() -> Self {
        Self { own: &[], place: Place::Data }
    }

    fn all(&self) -> impl Iterator<Item = &'static str> {
        PREFIXES.iter().chain(self.own).copied()
    }

    pub(super) fn contains(&self, folded: &str) -> bool {
        self.all().any(|prefix| prefix == folded)
    }

    /// The text after the prefix; `None` if there is no prefix.
    pub(in crate::article) fn rest<'t>(&self, line: &'t str) -> Option<&'t str> {
        let line = line.trim_start();
        self.all().find_map(|prefix| {
            let rest = strip_folded(line, prefix)?;
            let sign = rest.starts_with(SIGNS);
            let rest = rest.trim_start_matches(SIGNS);
            let apart = sign || rest.is_empty() || rest.starts_with(char::is_whitespace);
            let certain = sign || rest.is_empty() || !self.may_be_name(prefix, rest);
            (certain && (apart || prefix.ends_with(['/', '／']))).then(|| rest.trim())
        })
    }

    /// Whether `prefix` may be a first name, given the rest of the name.
    fn may_be_name(&self, prefix: &str, rest: &str) -> bool {
        let Some((_, languages)) = NAMES.iter().find(|(name, _)| *name == prefix) else {
            return false;
        };
        match &self.place {
            Place::Data => true,
            Place::Text(None) => false,
            Place::Text(Some(language)) => {
                !languages.contains(&language.as_str())
                    && rest.split_whitespace().count() < FULL_NAME
            }
        }
    }
}

/// Separators between a prefix and the name.
const SIGNS: [char; 6] = [':', '：', '／', '/', '=', '＝'];

/// The text after a prefix, which is in lower case and is compared case-insensitively.
fn strip_folded<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for wanted in prefix.chars() {
        let c = rest.next()?;
        if !c.to_lowercase().eq(std::iter::once(wanted)) {
            return None;
        }
    }
    Some(rest.as_str())
}
