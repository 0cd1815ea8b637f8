//! Pictures of articles: decoded within limits and made small.

use crate::util::limits;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use std::io::Cursor;

/// Longest side of a thumbnail in pixels: more than a screen has cells.
const MAX_SIDE: u32 = 400;
/// Most memory for a decoded picture, in bytes: the largest one with four bytes for each pixel.
const MAX_DECODED: u64 = 4 * (limits::IMAGE_SIDE as u64).pow(2);

/// A small picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thumbnail {
    /// 1 to 400 pixels.
    pub width: u32,
    /// 1 to 400 pixels.
    pub height: u32,
    /// Red, green, blue and opacity of each pixel, row by row.
    pub pixels: Vec<[u8; 4]>,
}

impl Thumbnail {
    /// Reads a JPEG, PNG, WebP or GIF picture (its first frame); `None` for anything else, for
    /// damaged pictures and for those beyond the limits.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let format = image::guess_format(bytes).ok()?;
        let known = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif];
        if bytes.len() > limits::IMAGE_BYTES || !known.contains(&format) {
            return None;
        }
        let side = u32::try_from(limits::IMAGE_SIDE).ok();
        let mut allowed = Limits::default();
        (allowed.max_image_width, allowed.max_image_height) = (side, side);
        allowed.max_alloc = Some(MAX_DECODED);
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        reader.limits(allowed);
        let mut decoder = reader.into_decoder().ok()?;
        let (width, height) = decoder.dimensions();
        let fits = |n: u32| side.is_some_and(|side| (1..=side).contains(&n));
        if !fits(width) || !fits(height) || decoder.total_bytes() > MAX_DECODED {
            return None;
        }
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let whole = DynamicImage::from_decoder(decoder).ok()?;
        let mut small = match width.max(height) > MAX_SIDE {
            true => whole.thumbnail(MAX_SIDE, MAX_SIDE),
            false => whole,
        };
        small.apply_orientation(orientation);
        let small = small.into_rgba8();
        let (width, height) = small.dimensions();
        Some(Self { width, height, pixels: small.pixels().map(|p| p.0).collect() })
    }

    /// The size in which it fits a box, without being enlarged.
    pub fn fit(&self, width: u32, height: u32) -> (u32, u32) {
        let (w, h) = (u64::from(self.width.max(1)), u64::from(self.height.max(1)));
        let (most_w, most_h) = (u64::from(width).min(w), u64::from(height).min(h));
        let (w, h) = match most_w * h <= most_h * w {
            true => (most_w, most_w * h / w),
            false => (most_h * w / h, most_h),
        };
        let side = |n: u64| u32::try_from(n.max(1)).unwrap_or(1);
        (side(w), side(h))
    }

    /// The pixel of a scaled picture: the mean of those that it covers. `(x, y)` is within `size`.
    pub fn sample(&self, (x, y): (u32, u32), (width, height): (u32, u32)) -> [u8; 4] {
        let range = |at: u32, side: u32, of: u32| {
            let (at, side, of) = (u64::from(at), u64::from(side.max(1)), u64::from(of));
            let first = at * of / side;
            first as usize..((at + 1) * of / side).max(first + 1) as usize
        };
        let columns = range(x, width, self.width);
        let (mut sum, mut count) = ([0u64; 4], 0);
        for row in range(y, height, self.height) {
            let start = row * self.width as usize;
            let pixels = self.pixels.get(start + columns.start..start + columns.end);
            for pixel in pixels.unwrap_or_default() {
                count += 1;
                sum.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u64::from(*part));
            }
        }
        sum.map(|part| u8::try_from(part.checked_div(count).unwrap_or(0)).unwrap_or(u8::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgba, RgbaImage};

    fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let color = |x: u32| if x < width / 2 { [200, 0, 0, 255] } else { [0, 0, 200, 255] };
        let picture = RgbaImage::from_fn(width, height, |x, _| Rgba(color(x)));
        let mut out = Cursor::new(Vec::new());
        let picture = DynamicImage::ImageRgba8(picture);
        match format {
            ImageFormat::Jpeg => {
                DynamicImage::ImageRgb8(picture.to_rgb8()).write_to(&mut out, format)
            }
            _ => picture.write_to(&mut out, format),
        }
        .unwrap();
        out.into_inner()
    }

    #[test]
    fn reads_known_formats_and_shrinks_them() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
            let small = Thumbnail::read(&encoded(20, 10, format)).unwrap();
            assert_eq!((small.width, small.height), (20, 10), "{format:?}");
            let [r, _, b, a] = small.pixels[0];
            assert!(r > 150 && b < 50 && a == 255, "{format:?} {r} {b}");
            let large = Thumbnail::read(&encoded(1000, 500, format)).unwrap();
            assert_eq!((large.width, large.height), (400, 200), "{format:?}");
        }
    }

    #[test]
    fn refuses_what_is_no_picture_or_too_large() {
        let png = encoded(20, 10, ImageFormat::Png);
        let huge = |side: u32| {
            // The size in the header of a PNG, with its checksum.
            let mut out = png.clone();
            out[16..20].copy_from_slice(&side.to_be_bytes());
            out[20..24].copy_from_slice(&side.to_be_bytes());
            let mut crc = flate2::Crc::new();
            crc.update(&out[12..29]);
            out[29..33].copy_from_slice(&crc.sum().to_be_bytes());
            out
        };
        let wide = encoded(limits::IMAGE_SIDE as u32 + 1, 1, ImageFormat::Png);
        let padded = [png.as_slice(), &vec![0; limits::IMAGE_BYTES]].concat();
        for (bytes, name) in [
            (b"".as_slice(), "nothing"),
            (b"<html>not a picture</html>", "a page"),
            (b"BM\x00\x00\x00\x00", "another format"),
            (&png[..40], "a truncated picture"),
            (&huge(4096), "a header without its pixels"),
            (&huge(0), "no size"),
            (&huge(60_000), "a decompression bomb"),
            (&wide, "too wide"),
            (&padded, "too many bytes"),
        ] {
            assert_eq!(Thumbnail::read(bytes), None, "{name}");
        }
        assert!(Thumbnail::read(&huge(20)).is_none(), "fewer pixels than announced");
    }

    #[test]
    fn fits_boxes_and_keeps_colours() {
        let wide = Thumbnail::read(&encoded(200, 100, ImageFormat::Png)).unwrap();
        for (space, expected) in [
            ((100, 100), (100, 50)),
            ((72, 20), (40, 20)),
            ((1000, 1000), (200, 100)),
            ((1, 1), (1, 1)),
            ((300, 1), (2, 1)),
        ] {
            assert_eq!(wide.fit(space.0, space.1), expected, "{space:?}");
        }
        assert_eq!(wide.sample((0, 0), (2, 1)), [200, 0, 0, 255]);
        assert_eq!(wide.sample((1, 0), (2, 1)), [0, 0, 200, 255]);
        assert_eq!(wide.sample((0, 0), (1, 1)), [100, 0, 100, 255]);
    }
}
