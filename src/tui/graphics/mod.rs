//! Pictures on terminals that can draw pixels, with kitty's protocol, sixel, or iTerm2's protocol.
//!
//! The Reader draws every picture with half blocks. If nothing covers the picture, [`Canvas`] makes the
//! terminal draw the same cells with pixels. Dialogs, messages and small terminals therefore need no special
//! case.

mod canvas;
mod encode;
pub(super) mod query;
mod sixel;

pub(super) use canvas::{Canvas, Placed, Placement};
pub(super) use encode::{Encoded, encode};
pub(super) use query::Replies;

use crate::article::fit;
use crate::config::GraphicsMode;

/// The protocol for sending pictures to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Protocol {
    Kitty,
    Sixel,
    Iterm2,
}

/// The graphics support of a terminal that can draw pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Graphics {
    pub(super) protocol: Protocol,
    /// Width and height of a cell in pixels.
    pub(super) cell: (u16, u16),
}

/// The size of a cell for terminals that scale pictures but do not report it.
const USUAL_CELL: (u16, u16) = (10, 20);
/// Maximum plausible width and height of a cell, in pixels.
const MAX_CELL: u16 = 100;
/// Maximum size of a picture that is sent, in pixels. kitty and iTerm2 enlarge it if necessary.
const MAX_PIXELS: (u32, u32) = (960, 600);

impl Graphics {
    /// The best protocol of a terminal, or the one in the settings; `None` for half blocks.
    pub(super) fn of(
        mode: GraphicsMode,
        replies: &Replies,
        window: Option<(u16, u16)>,
    ) -> Option<Self> {
        let plausible =
            |(w, h): &(u16, u16)| (2..=MAX_CELL).contains(w) && (2..=MAX_CELL).contains(h);
        let cell = replies.cell.or(window).filter(plausible);
        let named = |names: &[&str]| {
            let name = replies.name.as_deref().unwrap_or_default();
            names.iter().any(|n| name.starts_with(n))
        };
        let protocol = match mode {
            GraphicsMode::Blocks => None,
            GraphicsMode::Kitty => Some(Protocol::Kitty),
            GraphicsMode::Sixel => Some(Protocol::Sixel),
            GraphicsMode::Iterm2 => Some(Protocol::Iterm2),
            GraphicsMode::Auto if replies.kitty => Some(Protocol::Kitty),
            // Both also support sixel, which has fewer colours.
            GraphicsMode::Auto if named(&["iTerm2", "WezTerm"]) => Some(Protocol::Iterm2),
            GraphicsMode::Auto if replies.sixel && cell.is_some() => Some(Protocol::Sixel),
            GraphicsMode::Auto => None,
        }?;
        Some(Self { protocol, cell: cell.unwrap_or(USUAL_CELL) })
    }

    /// The size in cells of a picture that is shrunk to a box of cells, but never enlarged.
    pub(super) fn cells(self, natural: (u32, u32), (columns, lines): (usize, usize)) -> (u16, u16) {
        let (width, height) = (u32::from(self.cell.0), u32::from(self.cell.1));
        let side = |cells: usize| u32::try_from(cells.min(1000)).unwrap_or(1).max(1);
        let mut space = (side(columns) * width, side(lines) * height);
        if self.protocol == Protocol::Sixel {
            space = (space.0.min(MAX_PIXELS.0), space.1.min(MAX_PIXELS.1));
        }
        let (w, h) = fit(natural, space);
        let cells =
            |pixels: u32, cell: u32| u16::try_from(pixels.div_ceil(cell)).unwrap_or(1).max(1);
        (cells(w, width), cells(h, height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_the_best_protocol() {
        let replies = |kitty, sixel, name: &str, cell| Replies {
            kitty,
            sixel,
            name: Some(name.to_owned()),
            cell,
            ..Replies::default()
        };
        let cell = Some((9, 18));
        use GraphicsMode::*;
        for (mode, replies, window, expected) in [
            (
                Auto,
                replies(true, false, "kitty(0.36.4)", cell),
                None,
                Some((Protocol::Kitty, (9, 18))),
            ),
            (
                Auto,
                replies(true, true, "ghostty 1.1", None),
                None,
                Some((Protocol::Kitty, USUAL_CELL)),
            ),
            (Auto, replies(true, true, "", None), Some((7, 15)), Some((Protocol::Kitty, (7, 15)))),
            (
                Auto,
                replies(false, true, "WezTerm 2024", cell),
                None,
                Some((Protocol::Iterm2, (9, 18))),
            ),
            (
                Auto,
                replies(false, true, "iTerm2 3.5", None),
                None,
                Some((Protocol::Iterm2, USUAL_CELL)),
            ),
            (
                Auto,
                replies(false, true, "foot(1.16)", cell),
                None,
                Some((Protocol::Sixel, (9, 18))),
            ),
            // If the size of a cell is unknown, sixels would cover an unknown part of the screen.
            (Auto, replies(false, true, "XTerm(390)", None), None, None),
            (Auto, replies(false, true, "XTerm(390)", Some((0, 18))), None, None),
            (Auto, replies(false, true, "XTerm(390)", None), Some((3000, 18)), None),
            (Auto, replies(false, false, "tmux 3.4", cell), None, None),
            (Auto, Replies::default(), cell, None),
            (Blocks, replies(true, true, "kitty(0.36.4)", cell), None, None),
            (
                Sixel,
                replies(true, true, "kitty(0.36.4)", cell),
                None,
                Some((Protocol::Sixel, (9, 18))),
            ),
            (Kitty, Replies::default(), None, Some((Protocol::Kitty, USUAL_CELL))),
            (Iterm2, Replies::default(), cell, Some((Protocol::Iterm2, (9, 18)))),
        ] {
            let got = Graphics::of(mode, &replies, window).map(|g| (g.protocol, g.cell));
            assert_eq!(got, expected, "{mode:?} {replies:?}");
        }
    }

    #[test]
    fn rounds_picture_sizes_to_whole_cells() {
        let kitty = Graphics { protocol: Protocol::Kitty, cell: (10, 20) };
        let sixel = Graphics { protocol: Protocol::Sixel, cell: (20, 40) };
        for (graphics, natural, space, expected) in [
            (kitty, (1600, 800), (72, 40), (72, 18)),
            (kitty, (1600, 800), (72, 9), (36, 9)),
            (kitty, (25, 25), (72, 20), (3, 2)),
            (kitty, (1, 4000), (72, 20), (1, 20)),
            (kitty, (u32::MAX, 1), (72, 20), (72, 1)),
            (kitty, (0, 0), (0, 0), (1, 1)),
            // Terminals do not enlarge sixels.
            (sixel, (4000, 2000), (72, 40), (48, 12)),
        ] {
            assert_eq!(graphics.cells(natural, space), expected, "{natural:?} {space:?}");
        }
    }
}
