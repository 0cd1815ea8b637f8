//! Images of articles: decoded within limits and scaled down.

use super::decoding;
use crate::util::limits;
use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbaImage};
use std::io::Cursor;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum width and height of a thumbnail, in pixels. A terminal has fewer cells.
const MAX_SIDE: u32 = 320;
/// Maximum width and height of the detailed version, in pixels: enough for a column of text.
const DETAILED: (u32, u32) = (960, 600);
/// Maximum width and height for a row of a list, in pixels.
const ROW: (u32, u32) = (160, 100);
/// Maximum size of the detailed version, in bytes after compression.
const DETAILED_BYTES: usize = 256 << 10;
/// JPEG qualities, in the order in which they are tried.
const QUALITIES: [u8; 2] = [85, 60];
/// Maximum memory for parts of a file other than pixels, such as colour profiles, in bytes.
const MAX_EXTRA: u64 = 4 << 20;

/// A scaled-down image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thumbnail {
    /// 1 to 320 pixels.
    pub width: u32,
    /// 1 to 320 pixels.
    pub height: u32,
    /// Red, green, blue and alpha of each pixel, row by row.
    pub pixels: Vec<[u8; 4]>,
    /// Width and height of the original image.
    pub natural: (u32, u32),
    /// At most 960x600 pixels as JPEG or PNG, for terminals with graphics.
    detailed: Option<Arc<[u8]>>,
}

/// Runs work on a large image when no other work on large images is running, so that only one image at a time
/// takes memory.
pub fn one_at_a_time<T>(work: impl FnOnce() -> T) -> T {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}

impl Thumbnail {
    /// An image of this size. `pixels` has one entry per pixel.
    pub fn new(width: u32, height: u32, pixels: Vec<[u8; 4]>) -> Self {
        Self { width, height, pixels, natural: (width, height), detailed: None }
    }

    /// Reads a JPEG, PNG or WebP image, or the first frame of a GIF; `None` for other formats, damaged images
    /// and images beyond the limits. `detailed` additionally keeps a larger version.
    pub fn read(bytes: &[u8], detailed: bool) -> Option<Self> {
        one_at_a_time(|| Self::decode(bytes, detailed))
    }

    fn decode(bytes: &[u8], detailed: bool) -> Option<Self> {
        let format = image::guess_format(bytes).ok()?;
        let known = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif];
        if bytes.len() > limits::IMAGE_BYTES || !known.contains(&format) {
            return None;
        }
        let side = u32::try_from(limits::IMAGE_SIDE).ok();
        let mut allowed = Limits::default();
        (allowed.max_image_width, allowed.max_image_height) = (side, side);
        allowed.max_alloc = Some(MAX_EXTRA);
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        reader.limits(allowed.clone());
        let mut decoder = reader.into_decoder().ok()?;
        let (width, height) = decoder.dimensions();
        let fits = |n: u32| side.is_some_and(|side| (1..=side).contains(&n));
        if !fits(width) || !fits(height) {
            return None;
        }
        if format == ImageFormat::Gif {
            // A frame that does not cover the image is decoded into an additional buffer.
            allowed.max_alloc = Some(decoder.total_bytes());
            decoder.set_limits(allowed).ok()?;
        }
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let whole = decoding::pixels(decoder, bytes, format)?;
        Some(Self::of(&whole, orientation, detailed))
    }

    fn of(whole: &DynamicImage, orientation: Orientation, detailed: bool) -> Self {
        let shrunk = |(width, height): (u32, u32)| {
            let mut small = match whole.width() > width || whole.height() > height {
                true => whole.thumbnail(width, height),
                // The buffer of the decoded image may be larger than the image.
                false => whole.crop_imm(0, 0, whole.width(), whole.height()),
            };
            small.apply_orientation(orientation);
            small.into_rgba8()
        };
        let turned = matches!(
            orientation,
            Orientation::Rotate90
                | Orientation::Rotate270
                | Orientation::Rotate90FlipH
                | Orientation::Rotate270FlipH
        );
        let natural = match turned {
            true => (whole.height(), whole.width()),
            false => (whole.width(), whole.height()),
        };
        let large = whole.width().max(whole.height()) > MAX_SIDE;
        let detailed = (detailed && large).then(|| compressed(shrunk(DETAILED))).flatten();
        let small = shrunk((MAX_SIDE, MAX_SIDE));
        let (width, height) = small.dimensions();
        let pixels = small.pixels().map(|p| p.0).collect();
        Self { width, height, pixels, natural, detailed }
    }

    /// The image scaled down to the size of a list row.
    pub fn shrunk(&self) -> Self {
        let (width, height) = self.fit(ROW.0, ROW.1);
        let size = (width, height);
        let pixel = |i: u32| self.sample((i % width, i / width), size);
        let pixels = (0..width * height).map(pixel).collect();
        Self { natural: self.natural, ..Self::new(width, height, pixels) }
    }

    /// The image with all pixels that were kept.
    pub fn image(&self) -> RgbaImage {
        let detailed = self.detailed.as_deref();
        if let Some(image) = detailed.and_then(|bytes| image::load_from_memory(bytes).ok()) {
            return image.into_rgba8();
        }
        let small = RgbaImage::from_raw(self.width, self.height, self.pixels.concat());
        small.unwrap_or_else(|| RgbaImage::new(1, 1))
    }

    /// The size at which the image fits a box without being enlarged.
    pub fn fit(&self, width: u32, height: u32) -> (u32, u32) {
        fit((self.width, self.height), (width, height))
    }

    /// A pixel of the scaled image: the mean of the pixels that it covers. `(x, y)` is within `size`.
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

/// The size at which an image fits a box without being enlarged.
pub fn fit((width, height): (u32, u32), (most_width, most_height): (u32, u32)) -> (u32, u32) {
    let (w, h) = (u64::from(width.max(1)), u64::from(height.max(1)));
    let (most_w, most_h) = (u64::from(most_width).min(w), u64::from(most_height).min(h));
    let (w, h) = match most_w * h <= most_h * w {
        true => (most_w, most_w * h / w),
        false => (most_h * w / h, most_h),
    };
    let side = |n: u64| u32::try_from(n.max(1)).unwrap_or(1);
    (side(w), side(h))
}

/// An image as JPEG, or as PNG if it has transparent pixels; `None` if it is still too large.
fn compressed(picture: RgbaImage) -> Option<Arc<[u8]>> {
    let transparent = picture.pixels().any(|pixel| pixel.0[3] < u8::MAX);
    let picture = DynamicImage::ImageRgba8(picture);
    let mut tries: Vec<Vec<u8>> = Vec::new();
    if transparent {
        let mut out = Cursor::new(Vec::new());
        picture.write_to(&mut out, ImageFormat::Png).ok()?;
        tries.push(out.into_inner());
    } else {
        let picture = picture.into_rgb8();
        for quality in QUALITIES {
            let mut out = Vec::new();
            JpegEncoder::new_with_quality(&mut out, quality).encode_image(&picture).ok()?;
            let fits = out.len() <= DETAILED_BYTES;
            tries.push(out);
            if fits {
                break;
            }
        }
    }
    let best = tries.pop().filter(|bytes| bytes.len() <= DETAILED_BYTES)?;
    Some(best.into())
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
    fn reads_known_formats_and_shrinks_large_images() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
            let small = Thumbnail::read(&encoded(20, 10, format), false).unwrap();
            assert_eq!((small.width, small.height), (20, 10), "{format:?}");
            let [r, _, b, a] = small.pixels[0];
            assert!(r > 150 && b < 50 && a == 255, "{format:?} {r} {b}");
            let large = Thumbnail::read(&encoded(1000, 500, format), false).unwrap();
            assert_eq!((large.width, large.height), (320, 160), "{format:?}");
        }
    }

    #[test]
    fn rejects_invalid_and_oversized_images() {
        let png = encoded(20, 10, ImageFormat::Png);
        let huge = |side: u32| {
            // Writes the size into the header of a PNG, with its checksum.
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
            assert_eq!(Thumbnail::read(bytes, false), None, "{name}");
        }
        assert!(Thumbnail::read(&huge(20), false).is_none(), "fewer pixels than announced");
    }

    #[test]
    fn fits_boxes_and_keeps_colours() {
        let wide = Thumbnail::read(&encoded(200, 100, ImageFormat::Png), false).unwrap();
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
