//! Encodes pictures as sixels: bands of six rows of pixels, one colour at a time.

use color_quant::NeuQuant;
use image::RgbaImage;
use std::collections::HashMap;
use std::fmt::Write;

/// Maximum number of colours in a picture. Terminals support 256.
const COLORS: usize = 255;
/// Index of the last colour, which marks transparent pixels.
const TRANSPARENT: u8 = 255;
/// Pixels below this opacity are not drawn.
const OPAQUE: u8 = 128;
/// The palette is computed from every third pixel.
const SAMPLED: i32 = 3;
/// Number of pixel rows in a band.
pub(super) const BAND: u32 = 6;

/// A picture as sixels; any range of bands can be drawn.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sixels {
    width: u32,
    palette: String,
    bands: Vec<String>,
}

impl Sixels {
    pub(super) fn of(picture: &RgbaImage) -> Self {
        let (colors, indexes) = indexed(picture);
        let mut palette = String::new();
        for (i, color) in colors.iter().enumerate() {
            let [r, g, b] = color.map(|part| (u32::from(part) * 100 + 127) / 255);
            // Writing to a string cannot fail.
            let _ = write!(palette, "#{i};2;{r};{g};{b}");
        }
        let width = picture.width() as usize;
        let mut masks = vec![0; COLORS * width];
        let bands = indexes.chunks(width * BAND as usize);
        let bands = bands.map(|band| encode_band(band, width, &mut masks)).collect();
        Self { width: picture.width(), palette, bands }
    }

    /// Size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.palette.len() + self.bands.iter().map(String::len).sum::<usize>()
    }

    /// The escape sequence that draws the rows of pixels from `first` up to, but not including, `end`. Bands
    /// that are only partly in this range are left out.
    pub(super) fn rows(&self, first: u32, end: u32) -> String {
        let from = first.div_ceil(BAND) as usize;
        let to = ((end / BAND) as usize).min(self.bands.len());
        let bands = self.bands.get(from..to).unwrap_or_default();
        let height = bands.len() * BAND as usize;
        // Pixels without a colour are left unchanged.
        let start = format!("\x1bP0;1;0q\"1;1;{};{height}{}", self.width, self.palette);
        start + &bands.join("-") + "\x1b\\"
    }
}

/// Returns the palette, and the palette index of each pixel.
fn indexed(picture: &RgbaImage) -> (Vec<[u8; 3]>, Vec<u8>) {
    let opaque = |pixel: &[u8; 4]| pixel[3] >= OPAQUE;
    let color = |[r, g, b, _]: [u8; 4]| [r, g, b];
    let mut exact: HashMap<[u8; 3], u8> = HashMap::new();
    let mut colors = Vec::new();
    let few = picture.pixels().filter(|pixel| opaque(&pixel.0)).all(|pixel| {
        let color = color(pixel.0);
        let number = u8::try_from(colors.len()).unwrap_or(TRANSPARENT);
        if !exact.contains_key(&color) && number < TRANSPARENT {
            exact.insert(color, number);
            colors.push(color);
        }
        exact.contains_key(&color)
    });
    let mut number: Box<dyn FnMut([u8; 4]) -> u8> = if few {
        Box::new(|pixel| exact.get(&color(pixel)).copied().unwrap_or(TRANSPARENT))
    } else {
        let pixels: Vec<u8> =
            picture.pixels().flat_map(|p| [p.0[0], p.0[1], p.0[2], 255]).collect();
        let reduced = NeuQuant::new(SAMPLED, COLORS, &pixels);
        colors = reduced.color_map_rgb().chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
        // Neighbouring pixels often have the same colour.
        let mut last = ([0; 4], None);
        Box::new(move |[r, g, b, _]| {
            let pixel = [r, g, b, 255];
            match last {
                (same, Some(number)) if same == pixel => number,
                _ => {
                    let number = u8::try_from(reduced.index_of(&pixel)).unwrap_or(0);
                    last = (pixel, Some(number));
                    number
                }
            }
        })
    };
    let indexes = picture.pixels().map(|pixel| match opaque(&pixel.0) {
        true => number(pixel.0),
        false => TRANSPARENT,
    });
    let indexes = indexes.collect();
    drop(number);
    (colors, indexes)
}

/// Writes a band of pixels. `masks` has a byte for each colour and column, all of which are 0 before and
/// after the call.
fn encode_band(band: &[u8], width: usize, masks: &mut [u8]) -> String {
    let mut used = [false; COLORS];
    for (y, row) in band.chunks(width).enumerate() {
        for (x, color) in row.iter().enumerate().filter(|(_, color)| **color != TRANSPARENT) {
            used[usize::from(*color)] = true;
            masks[usize::from(*color) * width + x] |= 1 << y;
        }
    }
    let mut out = String::new();
    for (color, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        if !out.is_empty() {
            // Returns to the start of the band.
            out.push('$');
        }
        let _ = write!(out, "#{color}");
        let masks = &mut masks[color * width..(color + 1) * width];
        let end = masks.iter().rposition(|mask| *mask != 0).map_or(0, |last| last + 1);
        for run in masks[..end].chunk_by(|a, b| a == b) {
            let sign = char::from(b'?' + run[0]);
            match run.len() {
                n @ 4.. => {
                    let _ = write!(out, "!{n}{sign}");
                }
                n => out.extend(std::iter::repeat_n(sign, n)),
            }
        }
        masks.fill(0);
    }
    out
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use image::Rgba;

    /// Draws sixels like a terminal. Returns the pixels that are set, by position.
    pub(in crate::tui::graphics) fn drawn(sequence: &str) -> HashMap<(u32, u32), [u8; 3]> {
        let body = sequence.strip_prefix("\x1bP0;1;0q").unwrap().strip_suffix("\x1b\\").unwrap();
        let mut signs = body.chars().peekable();
        let (mut palette, mut out) = (HashMap::new(), HashMap::new());
        let (mut x, mut y, mut color) = (0, 0, 0);
        let numbers = |signs: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut text = String::new();
            while let Some(c) = signs.next_if(|c| c.is_ascii_digit() || *c == ';') {
                text.push(c);
            }
            text.split(';').filter_map(|n| n.parse().ok()).collect::<Vec<u32>>()
        };
        let mut repeat = 1;
        while let Some(sign) = signs.next() {
            match sign {
                '"' => assert_eq!(numbers(&mut signs).len(), 4),
                '#' => match numbers(&mut signs)[..] {
                    [n, 2, r, g, b] => {
                        let part = |p: u32| u8::try_from((p * 255 + 50) / 100).unwrap();
                        palette.insert(n, [part(r), part(g), part(b)]);
                    }
                    [n] => color = n,
                    ref other => panic!("{other:?}"),
                },
                '!' => repeat = numbers(&mut signs)[0],
                '$' => x = 0,
                '-' => (x, y) = (0, y + BAND),
                '?'..='~' => {
                    let mask = sign as u8 - b'?';
                    for _ in 0..std::mem::replace(&mut repeat, 1) {
                        for row in (0..BAND).filter(|row| mask & (1 << row) != 0) {
                            out.insert((x, y + row), palette[&color]);
                        }
                        x += 1;
                    }
                }
                other => panic!("{other:?}"),
            }
        }
        out
    }

    #[test]
    fn draws_the_pixels_of_the_picture() {
        let color = |x: u32, y: u32| match (x / 5 + y / 4) % 3 {
            0 => [255, 0, 0, 255],
            1 => [0, 51, 204, 255],
            _ => [9, 9, 9, 10],
        };
        let picture = RgbaImage::from_fn(33, 24, |x, y| Rgba(color(x, y)));
        let sixels = Sixels::of(&picture);
        let all = drawn(&sixels.rows(0, 24));
        for (x, y, pixel) in picture.enumerate_pixels() {
            let [r, g, b, opacity] = pixel.0;
            let expected = (opacity == 255).then_some([r, g, b]);
            assert_eq!(all.get(&(x, y)).copied(), expected, "{x} {y}");
        }
        // Rows 7 to 19 contain one whole band, which starts at row 12.
        let part = drawn(&sixels.rows(7, 19));
        assert!(part.keys().all(|(_, y)| *y < 6));
        assert!(part.iter().all(|((x, y), color)| all.get(&(*x, y + 12)) == Some(color)));
        assert!(drawn(&sixels.rows(20, 22)).is_empty() && drawn(&sixels.rows(90, 99)).is_empty());
    }

    #[test]
    fn reduces_many_colours_to_similar_ones() {
        let color = |x: u32, y: u32| Rgba([(x * 4) as u8, (y * 4) as u8, 128, 255]);
        let picture = RgbaImage::from_fn(64, 60, color);
        let all = drawn(&Sixels::of(&picture).rows(0, 60));
        assert_eq!(all.len(), 64 * 60);
        for (x, y, pixel) in picture.enumerate_pixels() {
            let got = all[&(x, y)];
            let far = got.iter().zip(pixel.0).map(|(a, b)| a.abs_diff(b)).max();
            assert!(far.unwrap() < 40, "{x} {y}: {got:?}");
        }
    }
}
