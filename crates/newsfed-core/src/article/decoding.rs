//! Decodes images within memory limits. The limits of the decoders do not cover everything that they
//! allocate.

use crate::util::limits;
use image::{ColorType, DynamicImage, ImageBuffer, ImageDecoder, ImageFormat};

/// Number of bytes per pixel that the GIF decoder needs in addition to the result: a frame and its colour
/// indices.
const GIF: u64 = 5;
/// Allocators return buffers of at least this size to the system when they are freed. Smaller ones may stay
/// with the process, so the next image would need additional memory. Only the written part of a buffer takes
/// memory.
const OWN_PAGES: usize = 33 << 20;
/// Maximum memory for decoding an image, including its file.
const MAX: u64 = (limits::IMAGE_PIXELS + limits::IMAGE_WORK) as u64;

/// Decodes the pixels; `None` if that takes too much memory or fails.
pub(super) fn pixels(
    decoder: impl ImageDecoder,
    bytes: &[u8],
    format: ImageFormat,
) -> Option<DynamicImage> {
    let (width, height) = decoder.dimensions();
    let (color, size) = (decoder.color_type(), usize::try_from(decoder.total_bytes()).ok()?);
    let deep = color.bytes_per_pixel() > color.channel_count();
    let extra = memory(bytes, format, (width, height))? + if deep { size as u64 } else { 0 };
    if size > limits::IMAGE_PIXELS || extra > limits::IMAGE_WORK as u64 {
        return None;
    }
    // The file itself is in memory, and the JPEG decoder copies it.
    let files = if format == ImageFormat::Jpeg { 2 * bytes.len() } else { bytes.len() };
    if size as u64 + extra + files as u64 > MAX {
        return None;
    }
    if deep {
        return DynamicImage::from_decoder(decoder).ok();
    }
    let mut out = vec![0; size.max(OWN_PAGES)];
    decoder.read_image(out.get_mut(..size)?).ok()?;
    match color {
        ColorType::L8 => ImageBuffer::from_raw(width, height, out).map(DynamicImage::ImageLuma8),
        ColorType::La8 => ImageBuffer::from_raw(width, height, out).map(DynamicImage::ImageLumaA8),
        ColorType::Rgb8 => ImageBuffer::from_raw(width, height, out).map(DynamicImage::ImageRgb8),
        ColorType::Rgba8 => ImageBuffer::from_raw(width, height, out).map(DynamicImage::ImageRgba8),
        _ => None,
    }
}

/// Maximum memory that decoding needs in addition to the result, in bytes; `None` if the file is damaged.
fn memory(bytes: &[u8], format: ImageFormat, (width, height): (u32, u32)) -> Option<u64> {
    let pixels = u64::from(width) * u64::from(height);
    match format {
        ImageFormat::Jpeg => jpeg_coefficients(bytes),
        ImageFormat::WebP => {
            let frames = webp_chunks(bytes.get(12..)?).flat_map(|(kind, data)| match kind {
                b"ANMF" => webp_chunks(data.get(16..).unwrap_or_default()).collect(),
                _ => vec![(kind, data)],
            });
            // The planes have the size of their frame, which may differ from the size of the image.
            let mut lossy = frames.filter(|(kind, _)| *kind == b"VP8 ");
            let fits = lossy.all(|(_, data)| {
                let side =
                    |at: usize| Some(u16::from_le_bytes([*data.get(at)?, *data.get(at + 1)?]));
                let size = side(6).zip(side(8)).unwrap_or((u16::MAX, u16::MAX));
                u32::from(size.0 & 0x3fff) <= width && u32::from(size.1 & 0x3fff) <= height
            });
            fits.then_some(pixels * webp_work(bytes)?)
        }
        ImageFormat::Gif => Some(pixels * GIF),
        _ => Some(0),
    }
}

/// Number of bytes per pixel that the WebP decoder needs in addition to the result.
fn webp_work(bytes: &[u8]) -> Option<u64> {
    let (kind, flags) = (bytes.get(12..16)?, bytes.get(20)?);
    Some(match kind {
        // The YUV planes.
        b"VP8 " => 2,
        // A canvas, a frame, and the YUV planes of the frame.
        b"VP8X" if flags & 0x02 != 0 => 10,
        // The YUV planes, and the alpha channel as an image.
        b"VP8X" if flags & 0x10 != 0 => 8,
        // A copy of the image.
        _ => 4,
    })
}

/// The chunks of a WebP file, each with its name.
fn webp_chunks(mut rest: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        let (kind, length) = (rest.get(..4)?, rest.get(4..8)?.try_into().ok()?);
        let length = usize::try_from(u32::from_le_bytes(length)).ok()?;
        let data = rest.get(8..)?;
        let data = &data[..length.min(data.len())];
        // Chunks with an odd length are padded.
        rest = rest.get(8 + data.len() + length % 2..).unwrap_or_default();
        Some((kind, data))
    })
}

/// Number of bytes for the coefficients of a JPEG image if they stay in memory until all of it is read,
/// because it is progressive or its components are in separate scans; 0 for other images.
fn jpeg_coefficients(bytes: &[u8]) -> Option<u64> {
    let mut at = 2;
    let mut frame: Option<(u64, u8, bool)> = None;
    loop {
        let marker = *bytes.get(at..at + 2)?.strip_prefix(&[0xff])?.first()?;
        // Skips fill bytes before a marker.
        if marker == 0xff {
            at += 1;
            continue;
        }
        let length = usize::from(u16::from_be_bytes(bytes.get(at + 2..at + 4)?.try_into().ok()?));
        let segment = bytes.get(at + 4..at + 2 + length)?;
        match marker {
            0xc0..=0xcf if ![0xc4, 0xc8, 0xcc].contains(&marker) => {
                let (kept, components) = planes(segment)?;
                let progressive = matches!(marker, 0xc2 | 0xc6 | 0xca | 0xce);
                let before = frame.unwrap_or_default();
                frame = Some((kept.max(before.0), components, progressive || before.2));
            }
            0xda => {
                let (kept, components, progressive) = frame?;
                let together = *segment.first()? >= components;
                return Some(if progressive || !together { kept } else { 0 });
            }
            _ => {}
        }
        at += 2 + length;
    }
}

/// The size of the coefficients of all components in a frame header, at two bytes each, and the number of
/// components.
fn planes(header: &[u8]) -> Option<(u64, u8)> {
    let side =
        |at: usize| Some(u64::from(u16::from_be_bytes(header.get(at..at + 2)?.try_into().ok()?)));
    let (height, width, components) = (side(1)?, side(3)?, *header.get(5)?);
    let sampling: Vec<(u64, u64)> = header
        .get(6..6 + 3 * usize::from(components))?
        .chunks(3)
        .map(|part| (u64::from(part[1] >> 4).max(1), u64::from(part[1] & 15).max(1)))
        .collect();
    let (h_max, v_max) = sampling.iter().fold((1, 1), |(h, v), s| (h.max(s.0), v.max(s.1)));
    // Each component consists of complete blocks of 8 by 8.
    let (columns, rows) = (width.div_ceil(8 * h_max), height.div_ceil(8 * v_max));
    let blocks: u64 = sampling.iter().map(|(h, v)| columns * h * rows * v).sum();
    Some((blocks * 64 * 2, components))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A JPEG up to its first scan, with the given kind of frame, components with their sampling factors, and
    /// number of components in the scan.
    fn jpeg(kind: u8, sampling: &[u8], scanned: u8) -> Vec<u8> {
        let mut out = vec![0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, kind];
        let count = u8::try_from(sampling.len()).unwrap();
        out.extend([0, 8 + 3 * count, 8, 0x03, 0xe8, 0x07, 0xd0, count]);
        sampling.iter().for_each(|s| out.extend([1, *s, 0]));
        out.extend([0xff, 0xda, 0, 3, scanned]);
        out
    }

    #[test]
    fn counts_jpeg_coefficients() {
        // 2000x1000 pixels; rounding up to complete blocks adds a few coefficients.
        for (kind, sampling, scanned, expected) in [
            (0xc0, &[0x22, 0x11, 0x11][..], 3, 0..1),
            (0xc1, &[0x11], 1, 0..1),
            (0xc2, &[0x22, 0x11, 0x11], 3, 6_000_000..6_200_000),
            (0xc2, &[0x11, 0x11, 0x11], 3, 12_000_000..12_200_000),
            (0xc0, &[0x11, 0x11, 0x11], 1, 12_000_000..12_200_000),
            (0xc2, &[0x11, 0x11, 0x11, 0x11], 4, 16_000_000..16_200_000),
            (0xc2, &[0x00], 1, 4_000_000..4_100_000),
        ] {
            let got = jpeg_coefficients(&jpeg(kind, sampling, scanned)).unwrap();
            assert!(expected.contains(&got), "{kind:x} {sampling:x?}: {got}");
        }
        let whole = jpeg(0xc2, &[0x22, 0x11, 0x11], 3);
        for end in 0..whole.len() {
            assert_eq!(jpeg_coefficients(&whole[..end]), None, "{end}");
        }
        assert_eq!(jpeg_coefficients(&[0xff; 1000]), None);
        assert_eq!(jpeg_coefficients(&[0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0]), None);
    }

    #[test]
    fn rejects_webp_frames_larger_than_the_image() {
        let part = |kind: &[u8], data: &[u8]| {
            let length = u32::try_from(data.len()).unwrap().to_le_bytes();
            [kind, &length, data, &vec![0; data.len() % 2]].concat()
        };
        let lossy = |w: u16, h: u16| {
            part(b"VP8 ", &[&[0; 6][..], &w.to_le_bytes(), &h.to_le_bytes(), &[0]].concat())
        };
        let file = |parts: &[Vec<u8>]| [b"RIFF\0\0\0\0WEBP".to_vec(), parts.concat()].concat();
        let canvas = |flags: u8| part(b"VP8X", &[flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let frame = |inside: Vec<u8>| part(b"ANMF", &[vec![0; 16], inside].concat());
        let pixels = 100 * 50;
        for (parts, expected) in [
            (vec![lossy(100, 50)], Some(2 * pixels)),
            (vec![lossy(101, 50)], None),
            (vec![canvas(0x10), part(b"ICCP", &[1; 3]), lossy(100, 50)], Some(8 * pixels)),
            (vec![canvas(0), part(b"ICCP", &[1; 3]), lossy(100, 51)], None),
            (vec![canvas(2), frame(lossy(20, 20)), frame(lossy(100, 50))], Some(10 * pixels)),
            (vec![canvas(2), frame(lossy(20, 20)), frame(lossy(16_383, 50))], None),
            (vec![part(b"VP8L", &[0; 9])], Some(4 * pixels)),
            (vec![part(b"VP8 ", &[0; 9])], None),
        ] {
            let got = memory(&file(&parts), ImageFormat::WebP, (100, 50));
            assert_eq!(got, expected, "{parts:?}");
        }
    }
}
