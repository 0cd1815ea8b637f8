//! Encodes pictures for the graphics protocols of terminals.

use super::sixel::{BAND, Sixels};
use super::{Graphics, MAX_PIXELS, Protocol};
use crate::article::{Thumbnail, fit, one_at_a_time};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, RgbaImage, imageops};
use std::fmt::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Maximum number of bytes in one chunk of a picture in kitty's protocol.
const PIECE: usize = 4096;

/// A picture that is encoded for a terminal, with a fixed size in cells.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::tui) struct Encoded {
    /// A unique id.
    pub(super) id: u32,
    /// Width and height in cells.
    pub(super) cells: (u16, u16),
    data: Data,
}

#[derive(Debug, PartialEq, Eq)]
enum Data {
    /// The PNG in Base64, and its height in pixels.
    Kitty(String, u32),
    /// The escape sequence of each row of cells.
    Iterm2(Vec<String>),
    /// The sixels, and the height of a cell in pixels.
    Sixel(Sixels, u32),
}

/// Encodes a picture for a box of cells; `None` if encoding fails.
pub(in crate::tui) fn encode(
    picture: &Thumbnail,
    graphics: Graphics,
    cells: (u16, u16),
) -> Option<Encoded> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let data = one_at_a_time(|| data(picture, graphics, cells))?;
    // kitty accepts any id except 0. The id contains the process id, because other programs in the same
    // window may draw pictures too.
    let id = (std::process::id() << 12).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)).max(1);
    Some(Encoded { id, cells, data })
}

fn data(picture: &Thumbnail, graphics: Graphics, (columns, rows): (u16, u16)) -> Option<Data> {
    let image = picture.image();
    let cell = (u32::from(graphics.cell.0), u32::from(graphics.cell.1));
    let whole = (u32::from(columns) * cell.0, u32::from(rows) * cell.1);
    match graphics.protocol {
        Protocol::Kitty => {
            let image = shrunk(image, fit(whole, MAX_PIXELS));
            let height = image.height();
            Some(Data::Kitty(STANDARD.encode(png(&image)?), height))
        }
        Protocol::Iterm2 => {
            // All rows have the same height, so that each row fills its cells.
            let (width, height) = fit(whole, MAX_PIXELS);
            let height = (height / u32::from(rows)).max(1);
            let image = scaled(&image, (width, height * u32::from(rows)));
            let row = |y: u16| {
                let top = u32::from(y) * height;
                let row = imageops::crop_imm(&image, 0, top, image.width(), height).to_image();
                let size = format!("width={columns};height=1;preserveAspectRatio=0");
                let file = png(&row)?;
                let (bytes, file) = (file.len(), STANDARD.encode(file));
                Some(format!(
                    "\x1b]1337;File=inline=1;size={bytes};{size};doNotMoveCursor=1:{file}\x07"
                ))
            };
            Some(Data::Iterm2((0..rows).map(row).collect::<Option<_>>()?))
        }
        Protocol::Sixel => {
            // The height is a multiple of a band's height, because a partial band would reach into
            // the row below.
            let height = (whole.1 / BAND * BAND).max(BAND);
            Some(Data::Sixel(Sixels::of(&scaled(&image, (whole.0, height))), cell.1))
        }
    }
}

/// Shrinks a picture to fit a box of pixels. A picture that already fits is returned unchanged.
fn shrunk(picture: RgbaImage, (width, height): (u32, u32)) -> RgbaImage {
    let larger = picture.width() > width || picture.height() > height;
    if larger { scaled(&picture, (width, height)) } else { picture }
}

fn scaled(picture: &RgbaImage, (width, height): (u32, u32)) -> RgbaImage {
    imageops::resize(picture, width, height, imageops::FilterType::Triangle)
}

fn png(picture: &RgbaImage) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut out, CompressionType::Fast, FilterType::Adaptive);
    let transparent = picture.pixels().any(|pixel| pixel.0[3] < u8::MAX);
    let (width, height) = picture.dimensions();
    if transparent {
        encoder.write_image(picture, width, height, ExtendedColorType::Rgba8).ok()?;
    } else {
        let plain: Vec<u8> = picture.pixels().flat_map(|p| [p.0[0], p.0[1], p.0[2]]).collect();
        encoder.write_image(&plain, width, height, ExtendedColorType::Rgb8).ok()?;
    }
    Some(out)
}

impl Encoded {
    /// Size in memory, in bytes.
    pub(in crate::tui) fn bytes(&self) -> usize {
        match &self.data {
            Data::Kitty(sequence, _) => sequence.len(),
            Data::Iterm2(rows) => rows.iter().map(String::len).sum(),
            Data::Sixel(sixels, _) => sixels.bytes(),
        }
    }

    /// Whether the terminal keeps the picture in memory, so that it is sent only once.
    pub(super) fn is_kept(&self) -> bool {
        matches!(self.data, Data::Kitty(..))
    }

    /// Writes the escape sequences that send a picture to the terminal's memory.
    pub(super) fn send(&self, out: &mut String) {
        let Data::Kitty(base64, _) = &self.data else { return };
        let mut rest = base64.as_str();
        let mut start = format!("a=t,f=100,i={},q=2,", self.id);
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(PIECE));
            let more = u8::from(!after.is_empty());
            // Writing to a string cannot fail.
            let _ = write!(out, "\x1b_G{}m={more};{piece}\x1b\\", std::mem::take(&mut start));
            rest = after;
        }
    }

    /// Writes the escape sequences that draw some rows of cells at a position on the screen, counted from 0.
    /// `copy` is the number of this copy among the copies of the same picture on the screen.
    pub(super) fn draw(&self, (x, y): (u16, u16), rows: Range<u16>, copy: u16, out: &mut String) {
        let go_to = |out: &mut String, row: u16| {
            let _ = write!(out, "\x1b[{};{}H", y + row + 1, x + 1);
        };
        go_to(out, 0);
        match &self.data {
            Data::Kitty(_, height) => {
                let pixels = |row: u16| height * u32::from(row) / u32::from(self.cells.1.max(1));
                let (top, bottom) = (pixels(rows.start), pixels(rows.end));
                let _ = write!(
                    out,
                    "\x1b_Ga=p,i={},p={},c={},r={},y={top},h={},C=1,q=2\x1b\\",
                    self.id,
                    copy + 1,
                    self.cells.0,
                    rows.len(),
                    (bottom - top).max(1),
                );
            }
            Data::Iterm2(all) => {
                let shown = all.get(usize::from(rows.start)..usize::from(rows.end));
                for (row, sequence) in (0..).zip(shown.unwrap_or_default()) {
                    go_to(out, row);
                    out.push_str(sequence);
                }
            }
            Data::Sixel(sixels, cell) => {
                out.push_str(
                    &sixels.rows(u32::from(rows.start) * cell, u32::from(rows.end) * cell),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Thumbnail {
        let pixel = |i: u32| if i % 200 < 100 { [255, 0, 0, 255] } else { [0, 0, 255, 255] };
        Thumbnail::new(200, 100, (0..200 * 100).map(pixel).collect())
    }

    fn encoded(protocol: Protocol, cell: (u16, u16), cells: (u16, u16)) -> Encoded {
        encode(&picture(), Graphics { protocol, cell }, cells).unwrap()
    }

    fn drawn(encoded: &Encoded, rows: Range<u16>) -> String {
        let mut out = String::new();
        encoded.draw((4, 2), rows, 0, &mut out);
        out
    }

    /// Decodes the picture in a sequence that ends with Base64.
    fn file(base64: &str) -> RgbaImage {
        image::load_from_memory(&STANDARD.decode(base64).unwrap()).unwrap().into_rgba8()
    }

    #[test]
    fn draws_any_rows_of_a_kitty_picture() {
        let kitty = encoded(Protocol::Kitty, (10, 20), (20, 5));
        let mut sent = String::new();
        kitty.send(&mut sent);
        let pieces: Vec<(&str, &str)> =
            sent.split_terminator("\x1b\\").filter_map(|p| p.split_once(';')).collect();
        assert!(pieces.iter().all(|(_, data)| data.len() <= PIECE));
        assert!(pieces[0].0.contains(&format!("i={}", kitty.id)));
        assert!(pieces.last().unwrap().0.ends_with("m=0"));
        let image = file(&pieces.iter().map(|p| p.1).collect::<String>());
        assert_eq!(image.dimensions(), (200, 100));
        assert!(drawn(&kitty, 0..5).contains("c=20,r=5,y=0,h=100,"));
        assert!(drawn(&kitty, 1..4).starts_with("\x1b[3;5H\x1b_Ga=p,"));
        assert!(drawn(&kitty, 1..4).contains("c=20,r=3,y=20,h=60,"));
        // The terminal enlarges the picture.
        assert!(drawn(&encoded(Protocol::Kitty, (40, 80), (72, 18)), 0..18).contains("y=0,h=100,"));
    }

    #[test]
    fn draws_iterm2_pictures_row_by_row() {
        let iterm = encoded(Protocol::Iterm2, (10, 20), (20, 5));
        let mut out = String::new();
        iterm.send(&mut out);
        assert!(out.is_empty() && !iterm.is_kept());
        let rows = drawn(&iterm, 3..5);
        assert_eq!(rows.matches("1337;File=").count(), 2);
        assert!(rows.starts_with("\x1b[3;5H") && rows.contains("\x07\x1b[4;5H"), "{rows:?}");
        assert!(rows.contains("width=20;height=1;"));
        let (_, data) = rows.split_once(':').unwrap();
        assert_eq!(file(data.split_once('\x07').unwrap().0).dimensions(), (200, 20));
    }

    #[test]
    fn keeps_sixels_within_their_rows() {
        for height in [15, 16, 17, 18, 20, 31] {
            let sixel = encoded(Protocol::Sixel, (10, height), (20, 5));
            for (from, to) in [(0, 5), (1, 5), (0, 3), (2, 4), (4, 5)] {
                let sequence = drawn(&sixel, from..to);
                let (_, sixels) = sequence.split_once('H').unwrap();
                let pixels = super::super::sixel::tests::drawn(sixels);
                let bottom = pixels.keys().map(|(_, y)| *y + 1).max().unwrap();
                let space = u32::from(to - from) * u32::from(height);
                assert!(bottom <= space && bottom + 2 * BAND > space, "{height} {from} {to}");
                assert!(pixels.keys().all(|(x, _)| *x < 200));
            }
        }
    }
}
