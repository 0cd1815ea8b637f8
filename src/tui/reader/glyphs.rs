//! The characters of the Reader.

/// Markers of lists, quotations, pictures and clipped text.
#[derive(Debug)]
pub(crate) struct Glyphs {
    /// List markers by depth, repeating.
    pub(super) bullets: [&'static str; 3],
    pub(super) bar: &'static str,
    pub(super) rule: &'static str,
    pub(super) picture: &'static str,
    pub(super) more: &'static str,
    pub(crate) more_left: &'static str,
    pub(crate) more_right: &'static str,
}

pub(super) const UNICODE: Glyphs = Glyphs {
    bullets: ["• ", "◦ ", "▪ "],
    bar: "▎ ",
    rule: "─",
    picture: "▣ ",
    more: "…",
    more_left: "‹",
    more_right: "›",
};

const ASCII: Glyphs = Glyphs {
    bullets: ["* ", "- ", "+ "],
    bar: "| ",
    rule: "-",
    picture: "image: ",
    more: "...",
    more_left: "<",
    more_right: ">",
};

/// The characters for a Unicode or an ASCII terminal.
pub(crate) fn glyphs(ascii: bool) -> &'static Glyphs {
    if ascii { &ASCII } else { &UNICODE }
}
