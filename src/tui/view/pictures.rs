//! Draws pictures: as half blocks first, and then as pixels if the terminal supports them.

use super::super::app::App;
use super::super::graphics::Placed;
use super::super::reader::half_blocks;
use crate::config::{Depth, Role};
use crate::model::ItemRow;
use crate::tui::style::Palette;
use crate::util::color;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

/// Maximum columns and rows of a picture in a list.
const THUMBNAIL: (u16, u16) = (16, 4);
/// Number of empty cells before the picture.
const GAP: u16 = 2;

/// Draws a row of a picture, starting at a cell. Each cell shows an upper and a lower pixel.
pub(super) fn draw_row(
    palette: &Palette,
    pixels: &[[[u8; 4]; 2]],
    buffer: &mut Buffer,
    area: Rect,
) {
    let ground = match palette.style(Role::Ground).bg {
        Some(Color::Rgb(r, g, b)) => [r, g, b],
        _ if palette.support().light => [255; 3],
        _ => [0; 3],
    };
    let ink = |[r, g, b, opacity]: [u8; 4]| {
        let [r, g, b] = color::mix(ground, [r, g, b], f64::from(opacity) / 255.0);
        match palette.support().depth {
            Depth::True => Color::Rgb(r, g, b),
            _ => Color::Indexed(color::nearest_index([r, g, b], &[], 0.0)),
        }
    };
    for (x, [upper, lower]) in (area.x..area.right()).zip(pixels) {
        if let Some(cell) = buffer.cell_mut((x, area.y)) {
            cell.set_symbol("▀").set_fg(ink(*upper)).set_bg(ink(*lower));
        }
    }
}

/// Records the positions of the pictures in the article.
pub(super) fn place_article(app: &mut App, buffer: &Buffer, body: Rect) {
    if app.graphics().is_none() {
        return;
    }
    let Some(article) = app.reader.article.clone() else { return };
    let top = app.reader.top;
    let mut found: Vec<Placed> = Vec::new();
    let lines = app.reader.lines.lines.iter().skip(top).take(body.height.into());
    let mut lines = lines.zip(body.y..).peekable();
    while let Some((line, y)) = lines.next() {
        let Some(first) = &line.picture else { continue };
        let mut height = 1;
        while lines
            .next_if(|(next, _)| {
                let row = next.picture.as_ref().filter(|next| next.link == first.link);
                row.is_some_and(|row| row.row == first.row + height)
            })
            .is_some()
        {
            height += 1;
        }
        let x = body.x + u16::try_from(line.indent()).unwrap_or(u16::MAX).min(body.width);
        let width = first.cells.0.min(body.right().saturating_sub(x));
        let url = article.document.image(first.link);
        let picture = url.and_then(|url| Some((url.to_owned(), app.reader.picture(url)?)));
        // A picture that is wider than the column is drawn only as half blocks.
        if let Some(picture) = picture.filter(|_| width == first.cells.0) {
            let area = Rect { x, y, width, height };
            found.push(Placed::new(picture, first.cells, (area, first.row), buffer));
        }
    }
    found.into_iter().for_each(|placed| app.reader.pictures.place(placed));
}

/// Draws pixels over the pictures that are not covered by other content.
pub(super) fn cover(app: &mut App, buffer: &mut Buffer) {
    let Some(graphics) = app.graphics() else { return };
    let ground = app.palette.style(Role::Ground).bg;
    for placed in app.reader.pictures.take_placed() {
        if !placed.is_bare(buffer) {
            continue;
        }
        let key = (placed.url.clone(), graphics, placed.cells);
        if let Some(encoded) = app.reader.pictures.encoded(key, &placed.picture) {
            let placement = placed.cover(encoded, ground, buffer);
            app.reader.pictures.show(placement);
        }
    }
}

/// Number of cells for the picture of a row, including the gap before it; 0 without a picture.
pub(super) fn reserved(app: &App, row: &ItemRow) -> u16 {
    let url = app.snippets.of(row.key).and_then(|snippet| snippet.picture.as_deref());
    // Space is also reserved for a picture that is still loading, so that the text does not move.
    let shown = url.is_some_and(|url| !matches!(app.reader.pictures.small(url), Some(None)));
    if shown { THUMBNAIL.0 + GAP } else { 0 }
}

/// Draws the picture of a list row at the right edge of an area, clipped to its height.
pub(super) fn draw_thumbnail(app: &mut App, buffer: &mut Buffer, area: Rect, row: i64) {
    let url = app.snippets.of(row).and_then(|snippet| snippet.picture.clone());
    let Some(url) = url else { return };
    let Some(picture) = app.reader.pictures.small(&url).flatten() else { return };
    let graphics = app.graphics();
    let space = (usize::from(THUMBNAIL.0), usize::from(THUMBNAIL.1));
    let (cells, rows) = half_blocks(&picture, graphics, space);
    let x = area.right().saturating_sub(cells.0);
    let height = area.height.min(cells.1);
    let area = Rect { x, width: cells.0, height, ..area };
    for (y, pixels) in (area.y..area.bottom()).zip(&rows) {
        draw_row(&app.palette, pixels, buffer, Rect { y, height: 1, ..area });
    }
    if graphics.is_some() && height > 0 {
        let placed = Placed::new((url, picture), cells, (area, 0), buffer);
        app.reader.pictures.place(placed);
    }
}
