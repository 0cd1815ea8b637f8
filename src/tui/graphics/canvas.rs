//! Keeps track of the pictures that the terminal draws over the cells of a frame.

use super::Encoded;
use crate::article::Thumbnail;
use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::Rect;
use ratatui::style::Color;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU16;
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of pictures that the terminal keeps in memory.
const MAX_SENT: usize = 8;

/// A picture that is drawn with half blocks in a frame.
#[derive(Debug)]
pub(in crate::tui) struct Placed {
    pub(in crate::tui) url: String,
    pub(in crate::tui) picture: Arc<Thumbnail>,
    /// The picture's width and height in cells.
    pub(in crate::tui) cells: (u16, u16),
    /// The screen area in which some of the picture's rows are drawn.
    area: Rect,
    /// The first of these rows.
    from: u16,
    /// A hash of the cells after they were drawn.
    content: u64,
}

/// A picture that the terminal draws.
#[derive(Debug, Clone)]
pub(in crate::tui) struct Placement {
    encoded: Arc<Encoded>,
    at: (u16, u16),
    rows: Range<u16>,
}

impl Placed {
    /// A picture whose rows were drawn in an area, starting at row `from`.
    pub(in crate::tui) fn new(
        (url, picture): (String, Arc<Thumbnail>),
        cells: (u16, u16),
        (area, from): (Rect, u16),
        buffer: &Buffer,
    ) -> Self {
        Self { url, picture, cells, area, from, content: content(buffer, area) }
    }

    /// Whether nothing was drawn over the picture.
    pub(in crate::tui) fn is_bare(&self, buffer: &Buffer) -> bool {
        self.area == self.area.intersection(buffer.area)
            && content(buffer, self.area) == self.content
    }

    /// Clears the picture's cells, so that the terminal can draw in them.
    pub(in crate::tui) fn cover(
        &self,
        encoded: Arc<Encoded>,
        ground: Option<Color>,
        buffer: &mut Buffer,
    ) -> Placement {
        for position in self.area.positions() {
            let cell = &mut buffer[position];
            cell.reset();
            // An invisible colour makes the cell differ from empty cells and from cells of other
            // pictures, so that it is erased before the next picture is drawn.
            let row = self.from + (position.y - self.area.y);
            let [.., high, low] = encoded.id.to_be_bytes();
            cell.set_fg(Color::Rgb(high, low, row.to_be_bytes()[1]));
            cell.set_bg(ground.unwrap_or(Color::Reset));
            cell.set_diff_option(CellDiffOption::ForcedWidth(NonZeroU16::MIN));
        }
        let rows = self.from..self.from + self.area.height;
        Placement { encoded, at: (self.area.x, self.area.y), rows }
    }
}

/// A hash of the cells in an area. It changes when something is drawn there.
fn content(buffer: &Buffer, area: Rect) -> u64 {
    let mut hasher = DefaultHasher::new();
    for position in area.positions() {
        buffer.cell(position).hash(&mut hasher);
    }
    hasher.finish()
}

/// The pictures on the screen.
#[derive(Debug, Default)]
pub(in crate::tui) struct Canvas {
    shown: Vec<Drawn>,
    /// Pictures that the terminal keeps in memory, oldest first.
    sent: VecDeque<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Drawn {
    id: u32,
    /// The number of this copy among the copies of the same picture.
    copy: u16,
    kept: bool,
    at: (u16, u16),
    rows: Range<u16>,
}

impl Canvas {
    /// The escape sequences that make the screen show these pictures and no others; empty if it already does.
    pub(in crate::tui) fn update(&mut self, placements: &[Placement]) -> String {
        let mut now: Vec<Drawn> = Vec::with_capacity(placements.len());
        for Placement { encoded, at, rows } in placements {
            let (id, kept) = (encoded.id, encoded.is_kept());
            let copy = now.iter().filter(|drawn| drawn.id == id).count();
            let copy = u16::try_from(copy).unwrap_or(u16::MAX);
            now.push(Drawn { id, copy, kept, at: *at, rows: rows.clone() });
        }
        let mut out = String::new();
        let is = |a: &Drawn, b: &Drawn| (a.id, a.copy) == (b.id, b.copy);
        // Pictures of the other protocols disappear when their cells are written.
        let gone = self.shown.iter().filter(|old| old.kept && !now.iter().any(|new| is(old, new)));
        for Drawn { id, copy, .. } in gone {
            out += &format!("\x1b_Ga=d,d=i,i={id},p={},q=2\x1b\\", copy + 1);
        }
        for (Placement { encoded, at, rows }, drawn) in placements.iter().zip(&now) {
            if self.shown.contains(drawn) {
                continue;
            }
            if drawn.kept && !self.sent.contains(&drawn.id) {
                encoded.send(&mut out);
                self.sent.push_back(drawn.id);
            }
            encoded.draw(*at, rows.clone(), drawn.copy, &mut out);
        }
        while self.sent.len() > MAX_SENT
            && let Some(oldest) = self.sent.iter().position(|id| !now.iter().any(|n| n.id == *id))
        {
            out.extend(self.sent.remove(oldest).map(free));
        }
        self.shown = now;
        if out.is_empty() { out } else { format!("\x1b7{out}\x1b8") }
    }

    pub(in crate::tui) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The escape sequences that remove all pictures from the terminal's memory. Call this before the screen
    /// is cleared: the next update sends and draws all pictures again.
    pub(in crate::tui) fn clear(&mut self) -> String {
        std::mem::take(self).sent.into_iter().map(free).collect()
    }
}

/// Removes a picture and all its copies.
fn free(id: u32) -> String {
    format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\")
}

#[cfg(test)]
mod tests {
    use super::super::{Graphics, Protocol, encode};
    use super::*;

    fn encoded(protocol: Protocol) -> Arc<Encoded> {
        let picture = Thumbnail::new(40, 40, vec![[200, 0, 0, 255]; 1600]);
        Arc::new(encode(&picture, Graphics { protocol, cell: (10, 20) }, (4, 2)).unwrap())
    }

    fn placement(encoded: &Arc<Encoded>, at: (u16, u16), rows: Range<u16>) -> Placement {
        Placement { encoded: encoded.clone(), at, rows }
    }

    #[test]
    fn sends_kitty_pictures_once_and_moves_and_deletes_them() {
        let (a, mut canvas) = (encoded(Protocol::Kitty), Canvas::default());
        let first = canvas.update(&[placement(&a, (3, 5), 0..2)]);
        assert!(first.starts_with("\x1b7") && first.ends_with("\x1b8"));
        assert_eq!((first.matches("a=t").count(), first.matches("a=p").count()), (1, 1));
        assert_eq!(canvas.update(&[placement(&a, (3, 5), 0..2)]), "");
        let moved = canvas.update(&[placement(&a, (3, 4), 0..2)]);
        assert_eq!((moved.matches("a=t").count(), moved.matches("a=p").count()), (0, 1));
        let twice = canvas.update(&[placement(&a, (3, 4), 0..2), placement(&a, (3, 9), 0..1)]);
        assert!(twice.contains("p=2,") && !twice.contains("p=1,"), "{twice:?}");
        let id = a.id;
        let gone = canvas.update(&[placement(&a, (3, 4), 0..2)]);
        assert_eq!(gone, format!("\x1b7\x1b_Ga=d,d=i,i={id},p=2,q=2\x1b\\\x1b8"));
        let gone = canvas.update(&[]);
        assert_eq!(gone, format!("\x1b7\x1b_Ga=d,d=i,i={id},p=1,q=2\x1b\\\x1b8"));
        let again = canvas.update(&[placement(&a, (3, 4), 0..2)]);
        assert_eq!(again.matches("a=t").count(), 0, "it was kept");
        assert_eq!(canvas.clear(), free(id));
        let again = canvas.update(&[placement(&a, (3, 4), 0..2)]);
        assert_eq!(again.matches("a=t").count(), 1);
        assert_eq!(canvas.clear(), free(id));
        assert_eq!(canvas.clear(), "");
    }

    #[test]
    fn frees_pictures_beyond_the_limit() {
        let all: Vec<_> = (0..12).map(|_| encoded(Protocol::Kitty)).collect();
        let mut canvas = Canvas::default();
        let shown: Vec<_> = all[..10].iter().map(|e| placement(e, (0, 0), 0..2)).collect();
        assert!(!canvas.update(&shown).contains("d=I"), "all of them are seen");
        let next = canvas.update(&[placement(&all[10], (0, 0), 0..2)]);
        assert_eq!(next.matches("d=I").count(), 3);
        assert_eq!(canvas.sent.len(), MAX_SENT);
        assert!(canvas.sent.contains(&all[10].id) && !canvas.sent.contains(&all[0].id));
    }

    #[test]
    fn draws_sixels_only_after_a_change() {
        let (a, mut canvas) = (encoded(Protocol::Sixel), Canvas::default());
        assert_eq!(canvas.update(&[placement(&a, (3, 5), 0..2)]).matches("\x1bP").count(), 1);
        assert_eq!(canvas.update(&[placement(&a, (3, 5), 0..2)]), "");
        assert_eq!(canvas.update(&[placement(&a, (3, 5), 1..2)]).matches("\x1bP").count(), 1);
        assert_eq!((canvas.update(&[]).as_str(), canvas.clear().as_str()), ("", ""));
    }

    #[test]
    fn erases_covered_cells_before_reusing_them() {
        let area = Rect::new(0, 0, 10, 6);
        let place = Rect::new(1, 1, 4, 2);
        let picture = Arc::new(Thumbnail::new(40, 40, vec![[200, 0, 0, 255]; 1600]));
        let frame = |place: Rect, id: &Arc<Encoded>| {
            let mut buffer = Buffer::empty(area);
            let of = (String::new(), picture.clone());
            let placed = Placed::new(of, (4, 2), (place, 0), &buffer);
            placed.cover(id.clone(), None, &mut buffer);
            buffer
        };
        let (a, b) = (encoded(Protocol::Sixel), encoded(Protocol::Sixel));
        let (empty, with_a) = (Buffer::empty(area), frame(place, &a));
        assert_eq!(empty.diff(&with_a).len(), 8);
        assert_eq!(with_a.diff(&with_a).len(), 0);
        assert_eq!(with_a.diff(&frame(place, &b)).len(), 8);
        assert_eq!(with_a.diff(&frame(Rect { y: 2, ..place }, &a)).len(), 12);
        assert_eq!(with_a.diff(&empty).len(), 8);
    }

    #[test]
    fn detects_drawing_over_a_picture() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 6));
        let picture = Arc::new(Thumbnail::new(1, 1, vec![[0; 4]]));
        let of = (String::new(), picture);
        let placed = Placed::new(of, (4, 2), (Rect::new(1, 1, 4, 2), 0), &buffer);
        buffer[(5, 1)].set_symbol("x");
        assert!(placed.is_bare(&buffer));
        buffer[(4, 2)].set_bg(Color::Red);
        assert!(!placed.is_bare(&buffer));
        buffer.resize(Rect::new(0, 0, 3, 3));
        assert!(!placed.is_bare(&buffer));
    }
}
