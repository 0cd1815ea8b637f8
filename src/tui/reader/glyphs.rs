//! The characters of the Reader.

/// Characters for lists, quotations, pictures, links and clipped text.
#[derive(Debug)]
pub(crate) struct Glyphs {
    /// List marks by depth, repeating.
    pub(super) bullets: [&'static str; 3],
    /// Marks of open and finished tasks, as wide as a list mark.
    pub(super) tasks: [&'static str; 2],
    /// The bar of a quotation and the space after it.
    pub(super) bar: &'static str,
    pub(super) rule: &'static str,
    pub(super) picture: &'static str,
    pub(super) times: &'static str,
    /// The signs around deleted text; empty if the terminal can strike it through.
    pub(super) deleted: &'static str,
    /// The sign after a link to a place in the text.
    pub(super) jump: &'static str,
    pub(super) more: &'static str,
    /// The prefix of continuation lines of wrapped code.
    pub(super) wrapped: &'static str,
    pub(crate) more_left: &'static str,
    pub(crate) more_right: &'static str,
    /// The scroll bar: the track, and the thumb.
    pub(crate) track: &'static str,
    pub(crate) thumb: &'static str,

    /// Digits from 0 to 9, and the characters that enclose a number.
    digits: [&'static str; 10],
    link: [&'static str; 2],
    note: [&'static str; 2],
}

pub(super) const UNICODE: Glyphs = Glyphs {
    bullets: ["• ", "◦ ", "▪ "],
    tasks: ["☐ ", "☑ "],
    bar: "▎  ",
    rule: "─",
    picture: "▣ ",
    times: "×",
    deleted: "",
    jump: "↴",
    more: "…",
    wrapped: "↳ ",
    more_left: "‹",
    more_right: "›",
    track: "▕",
    thumb: "▐",
    digits: ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"],
    link: ["", ""],
    note: ["⁽", "⁾"],
};

const ASCII: Glyphs = Glyphs {
    bullets: ["* ", "- ", "+ "],
    tasks: ["[ ] ", "[x] "],
    bar: "|  ",
    rule: "-",
    picture: "image: ",
    times: "x",
    deleted: SIGNS,
    jump: "[#]",
    more: "...",
    wrapped: "\\ ",
    more_left: "<",
    more_right: ">",
    track: "|",
    thumb: "#",
    digits: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
    link: ["[", "]"],
    note: ["[^", "]"],
};

const SIGNED: Glyphs = Glyphs { deleted: SIGNS, ..UNICODE };

/// The signs around deleted text if the terminal cannot strike it through.
const SIGNS: &str = "~~";

/// The characters for an article. Deleted text is struck through, or has signs around it.
pub(super) fn article(ascii: bool, strikes: bool) -> &'static Glyphs {
    if !ascii && !strikes { &SIGNED } else { glyphs(ascii) }
}

/// The characters for a Unicode or an ASCII terminal.
pub(crate) fn glyphs(ascii: bool) -> &'static Glyphs {
    if ascii { &ASCII } else { &UNICODE }
}

impl Glyphs {
    /// The number of a link, which is its index + 1.
    pub(super) fn link(&self, index: usize) -> String {
        self.number(index, self.link)
    }

    /// The number of a footnote, which is its index + 1.
    pub(super) fn note(&self, index: usize) -> String {
        self.number(index, self.note)
    }

    /// Whether two adjacent numbers would look like one number.
    pub(super) fn runs_together(&self) -> bool {
        self.link[0].is_empty()
    }

    fn number(&self, index: usize, [open, close]: [&str; 2]) -> String {
        let digits = (index + 1).to_string();
        let digit = |b: u8| self.digits[usize::from(b - b'0') % 10];
        digits.bytes().fold(open.to_owned(), |out, b| out + digit(b)) + close
    }
}
