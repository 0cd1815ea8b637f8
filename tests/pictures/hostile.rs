//! Malicious pictures: too large, truncated, endless, or with false headers.

use flate2::{Compression, write::ZlibEncoder};
use image::{DynamicImage, ImageFormat};
use std::io::{Cursor, Write};

/// The name of a picture in messages, and its data.
pub(crate) type Named = (String, Vec<u8>);

/// Width and height of a picture that exceeds all limits.
const HUGE: u32 = 60_000;

fn plain(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// The data truncated at several offsets.
fn truncated(name: &str, whole: &[u8]) -> Vec<Named> {
    let ends = (0..16).map(|part| whole.len() * part / 16).chain([1, 3, 9, 20, whole.len() - 1]);
    ends.map(|end| (format!("{name} of {end} bytes"), whole[..end].to_vec())).collect()
}

fn zlib(bytes: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    bytes.for_each(|part| encoder.write_all(&part).unwrap());
    encoder.finish().unwrap()
}

fn zeros(bytes: usize) -> Vec<u8> {
    zlib((0..bytes >> 20).map(|_| vec![0; 1 << 20]))
}

fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(kind);
    sum.update(data);
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length, kind, data, &sum.sum().to_be_bytes()].concat()
}

/// The header chunk of a PNG with its size, bit depth, colour type and interlacing.
fn ihdr(width: u32, height: u32, [depth, color, interlaced]: [u8; 3]) -> Vec<u8> {
    let rest = [depth, color, 0, 0, interlaced];
    chunk(b"IHDR", &[&width.to_be_bytes()[..], &height.to_be_bytes(), &rest].concat())
}

fn png(chunks: &[Vec<u8>]) -> Vec<u8> {
    let start = b"\x89PNG\r\n\x1a\n".to_vec();
    [&[start], chunks, &[chunk(b"IEND", &[])]].concat().concat()
}

fn pngs() -> Vec<Named> {
    let rgb = [8, 2, 0];
    let idat = |data: &[u8]| chunk(b"IDAT", data);
    // The data of 16 by 16 pixels with three bytes each, and a filter byte for each row.
    let pixels = idat(&zlib(std::iter::once(vec![0; 16 * 49])));
    let small = ihdr(16, 16, rgb);
    let with = |extra: Vec<u8>| png(&[small.clone(), extra, pixels.clone()]);
    let text = [b"Comment\0\0".as_slice(), &zeros(64 << 20)].concat();
    let international = [b"Comment\0\x01\0\0\0".as_slice(), &zeros(64 << 20)].concat();
    let control = |frames: u32| chunk(b"acTL", &[frames.to_be_bytes(), [0; 4]].concat());
    let frame = |side: u32| {
        let numbers = [0, side, side, 0, 0].map(u32::to_be_bytes).concat();
        chunk(b"fcTL", &[numbers, vec![0; 6]].concat())
    };
    let mut lying_length = small.clone();
    lying_length[..4].copy_from_slice(&u32::MAX.to_be_bytes());
    let mut wrong_sum = pixels.clone();
    *wrong_sum.last_mut().unwrap() ^= 1;
    [
        ("a header of 60,000 by 60,000", png(&[ihdr(HUGE, HUGE, rgb)])),
        ("60,000 by 60,000 with a few pixels", png(&[ihdr(HUGE, HUGE, rgb), pixels.clone()])),
        ("a side of 2^31", png(&[ihdr(1 << 31, 1, rgb), pixels.clone()])),
        ("no width", png(&[ihdr(0, 16, rgb), pixels.clone()])),
        ("no height", png(&[ihdr(16, 0, rgb), pixels.clone()])),
        ("64 MB of pixels", png(&[ihdr(4096, 4096, [8, 6, 0]), idat(&zeros(65 << 20))])),
        ("128 MB of pixels", png(&[ihdr(4096, 4096, [16, 6, 1]), idat(&zeros(130 << 20))])),
        ("32 MB of pixels", png(&[ihdr(4096, 2048, [8, 6, 0]), idat(&zeros(33 << 20))])),
        ("16 MB of bits, interlaced", png(&[ihdr(4096, 4096, [1, 0, 1]), idat(&zeros(4 << 20))])),
        (
            "pixels that are not interlaced as declared",
            png(&[ihdr(16, 16, [8, 2, 1]), pixels.clone()]),
        ),
        ("one row of 4,096", png(&[ihdr(4096, 4096, [8, 0, 0]), idat(&zeros(1 << 20)[..9])])),
        ("more pixels than announced", png(&[small.clone(), idat(&zeros(64 << 20))])),
        ("an unknown depth", png(&[ihdr(16, 16, [3, 2, 0]), pixels.clone()])),
        ("an unknown kind of colour", png(&[ihdr(16, 16, [8, 7, 0]), pixels.clone()])),
        ("a palette without colours", png(&[ihdr(16, 16, [8, 3, 0]), pixels.clone()])),
        ("a palette of 70,000 bytes", with(chunk(b"PLTE", &[7; 70_000]))),
        ("a palette that is cut", with(chunk(b"PLTE", &[7; 4]))),
        ("opacity for no palette", with(chunk(b"tRNS", &[7; 9000]))),
        (
            "a bomb as profile",
            with(chunk(b"iCCP", &[b"x\0\0".as_slice(), &zeros(64 << 20)].concat())),
        ),
        ("a bomb as text", with(chunk(b"zTXt", &text))),
        ("a bomb as international text", with(chunk(b"iTXt", &international))),
        ("100,000 texts", with(chunk(b"tEXt", b"a\0b").repeat(100_000))),
        ("50,000 empty parts", with(idat(&[]).repeat(50_000))),
        ("a header with a lying length", png(&[lying_length, pixels.clone()])),
        ("a wrong sum", png(&[small.clone(), wrong_sum])),
        (
            "filters that do not exist",
            png(&[small.clone(), idat(&zlib(std::iter::once(vec![9; 784])))]),
        ),
        ("four billion frames", with(control(u32::MAX))),
        ("100,000 frames", with([control(100_000), frame(16).repeat(100_000)].concat())),
        ("a frame of 60,000", with([control(1), frame(HUGE)].concat())),
        ("no header", png(std::slice::from_ref(&pixels))),
        ("no pixels", png(std::slice::from_ref(&small))),
        ("nothing else", png(&[])),
        ("a profile of 7 MB", with(chunk(b"iCCP", &vec![b'x'; 7 << 20]))),
    ]
    .map(|(name, bytes)| (format!("PNG: {name}"), bytes))
    .to_vec()
}

/// Changes the size and the type of frame in a JPEG.
fn resized(jpeg: &[u8], width: u16, height: u16, frame: u8) -> Vec<u8> {
    let mut out = jpeg.to_vec();
    let at = out.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    out[at + 1] = frame;
    out[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
    out[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
    out
}

fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 2).unwrap().to_be_bytes();
    [&[0xff, marker], &length[..], data].concat()
}

/// Exif data with an orientation. `next` is the offset of the next tag list, which may be the same list.
fn exif(orientation: u16, next: u32) -> Vec<u8> {
    let mut data = b"Exif\0\0MM\0*\0\0\0\x08".to_vec();
    data.extend([0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1]);
    data.extend(orientation.to_be_bytes());
    data.extend([0, 0]);
    data.extend(next.to_be_bytes());
    segment(0xe1, &data)
}

fn jpegs() -> Vec<Named> {
    let small = plain(40, 30, ImageFormat::Jpeg);
    let insert = |extra: &[u8]| [&small[..2], extra, &small[2..]].concat();
    let scan = small.windows(2).position(|pair| pair == [0xff, 0xda]).unwrap();
    let (head, body) = small.split_at(scan);
    let progressive = resized(&small, 40, 30, 0xc2);
    let medium = resized(&small, 1000, 1000, 0xc2);
    let again = |jpeg: &[u8], count: usize| {
        let scans = small[scan..small.len() - 2].repeat(count);
        [&jpeg[..scan], &scans, &[0xff, 0xd9]].concat()
    };
    let parts = |size: usize| {
        segment(0xe2, &[b"ICC_PROFILE\0\x01\xff".as_slice(), &vec![7; size]].concat())
    };
    let frame = |data: &[u8]| [&[0xff, 0xd8][..], &segment(0xc0, data), body].concat();
    [
        ("60,000 by 60,000", resized(&small, HUGE as u16, HUGE as u16, 0xc0)),
        ("65,535 by 1", resized(&small, u16::MAX, 1, 0xc0)),
        ("no width", resized(&small, 0, 30, 0xc0)),
        ("no height", resized(&small, 40, 0, 0xc0)),
        ("4,096 by 4,096 without pixels", resized(&small, 4096, 4096, 0xc0)),
        ("4,096 by 4,096 in scans", resized(&small, 4096, 4096, 0xc2)),
        ("2,600 by 2,600 in scans", resized(&small, 2600, 2600, 0xc2)),
        ("scans of a plain picture", progressive.clone()),
        ("10,000 scans", again(&medium, 10_000)),
        ("10,000 plain scans", again(&resized(&small, 1000, 1000, 0xc0), 10_000)),
        ("a lossless frame", resized(&small, 40, 30, 0xc3)),
        ("arithmetic coding", resized(&small, 40, 30, 0xc9)),
        ("a scan without a frame", [&[0xff, 0xd8][..], body].concat()),
        ("two frames", [head, &head[2..], body].concat()),
        ("a frame of 255 components", frame(&[&[8, 0, 40, 0, 40, 255][..], &[1; 765]].concat())),
        ("a frame of no components", frame(&[8, 0, 40, 0, 40, 0])),
        ("sampling of 15", frame(&[8, 16, 0, 16, 0, 3, 1, 0xff, 0, 2, 0xff, 0, 3, 0x11, 0])),
        ("no end", small[..small.len() - 2].to_vec()),
        ("nothing but an end", vec![0xff, 0xd8, 0xff, 0xd9]),
        ("8 MB of fill", [&[0xff, 0xd8][..], &vec![0xff; 8_000_000]].concat()),
        ("7 MB of profiles", insert(&parts(65_000).repeat(107))),
        ("a profile of one in 255 parts", insert(&parts(10))),
        ("a table of codes beyond its end", insert(&segment(0xc4, &[0xff; 17]))),
        ("a table of factors that is cut", insert(&segment(0xdb, &[0x10; 9]))),
        ("a restart after each block", insert(&segment(0xdd, &[0, 1]))),
        ("an orientation of 9", insert(&exif(9, 0))),
        ("an orientation of 65,535", insert(&exif(u16::MAX, 0))),
        ("tags in a circle", insert(&exif(6, 8))),
        ("tags beyond the end", insert(&exif(6, u32::MAX))),
        ("tags that are cut", insert(&segment(0xe1, b"Exif\0\0MM\0*\0\0\0\x08\xff\xff"))),
        ("a segment without a length", insert(&[0xff, 0xe0, 0, 0])),
    ]
    .map(|(name, bytes)| (format!("JPEG: {name}"), bytes))
    .to_vec()
}

fn gifs() -> Vec<Named> {
    let short = |n: u16| n.to_le_bytes();
    let screen = |w: u16, h: u16| {
        [b"GIF89a".as_slice(), &short(w), &short(h), &[0x80, 0, 0], &[9; 6]].concat()
    };
    let image = |x: u16, y: u16, w: u16, h: u16, data: &[u8]| {
        [&[0x2c][..], &short(x), &short(y), &short(w), &short(h), &[0], data].concat()
    };
    // A single pixel, and the end of the data.
    let pixel: &[u8] = &[2, 2, 0x44, 1, 0];
    let gif = |parts: &[Vec<u8>]| [parts.concat(), vec![0x3b]].concat();
    let huge = HUGE as u16;
    let comment =
        [&[0x21, 0xfe][..], &[&[255][..], &[b'x'; 255]].concat().repeat(30_000), &[0]].concat();
    [
        ("60,000 by 60,000", gif(&[screen(huge, huge), image(0, 0, huge, huge, pixel)])),
        ("a frame larger than the picture", gif(&[screen(4, 4), image(0, 0, huge, huge, pixel)])),
        ("a frame beside the picture", gif(&[screen(4, 4), image(huge, huge, 4, 4, pixel)])),
        ("a small frame of 4,000 by 4,000", gif(&[screen(4000, 4000), image(1, 1, 1, 1, pixel)])),
        ("a frame of 2,100 by 2,100", gif(&[screen(2100, 2100), image(1, 1, 2099, 2099, pixel)])),
        ("50,000 frames", gif(&[screen(1, 1), image(0, 0, 1, 1, pixel).repeat(50_000)])),
        ("no frame", gif(&[screen(4, 4)])),
        ("an empty frame", gif(&[screen(4, 4), image(0, 0, 0, 0, pixel)])),
        ("no size", gif(&[screen(0, 0), image(0, 0, 1, 1, pixel)])),
        ("codes of 200 bits", gif(&[screen(4, 4), image(0, 0, 4, 4, &[200, 1, 255, 0])])),
        ("noise", gif(&[screen(40, 40), image(0, 0, 40, 40, &[8, 4, 255, 254, 3, 9, 0])])),
        ("a comment of 8 MB", gif(&[screen(1, 1), comment, image(0, 0, 1, 1, pixel)])),
    ]
    .map(|(name, bytes)| (format!("GIF: {name}"), bytes))
    .to_vec()
}

fn webps() -> Vec<Named> {
    let part = |kind: &[u8], data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap().to_le_bytes();
        [kind, &length, data, &vec![0; data.len() % 2]].concat()
    };
    let riff = |parts: &[Vec<u8>]| part(b"RIFF", &[b"WEBP".to_vec(), parts.concat()].concat());
    let number = |n: u32| n.to_le_bytes()[..3].to_vec();
    let canvas = |flags: u8, side: u32| {
        let sides = [number(side - 1), number(side - 1)].concat();
        part(b"VP8X", &[&[flags, 0, 0, 0][..], &sides].concat())
    };
    let lossless = |side: u32| {
        let bits = (side - 1) | (side - 1) << 14;
        part(b"VP8L", &[&[0x2f][..], &bits.to_le_bytes(), &[0x88; 40]].concat())
    };
    let lossy = |side: u16| {
        let sides = [side.to_le_bytes(), side.to_le_bytes()].concat();
        part(b"VP8 ", &[&[0x10, 2, 0, 0x9d, 1, 0x2a][..], &sides, &[7; 60]].concat())
    };
    let frame = part(b"ANMF", &[vec![0; 16], lossless(16)].concat());
    let animation = part(b"ANIM", &[0; 6]);
    let small = plain(40, 30, ImageFormat::WebP);
    let mut lying = small.clone();
    lying[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    [
        ("16,383 by 16,383", riff(&[lossless(16_383)])),
        ("4,096 by 4,096", riff(&[lossless(4096)])),
        ("2,000 by 2,000 without pixels", riff(&[lossless(2000)])),
        ("lossy, 16,383 by 16,383", riff(&[lossy(16_383)])),
        ("lossy, 2,000 by 2,000 without pixels", riff(&[lossy(2000)])),
        ("lossy, no size", riff(&[lossy(0)])),
        ("a canvas of 16 million", riff(&[canvas(0, 1 << 24), lossless(16)])),
        ("a canvas larger than the picture", riff(&[canvas(0, 4000), lossless(16)])),
        (
            "an animation of 3,000 by 3,000",
            riff(&[canvas(2, 3000), animation.clone(), frame.clone()]),
        ),
        ("a frame larger than its canvas", riff(&[canvas(0, 16), lossy(16_383)])),
        (
            "a frame in an animation larger than its canvas",
            riff(&[
                canvas(2, 16),
                animation.clone(),
                part(b"ANMF", &[vec![0; 16], lossy(16_383)].concat()),
            ]),
        ),
        ("50,000 frames", riff(&[canvas(2, 16), animation, frame.repeat(50_000)])),
        ("500,000 unknown parts", riff(&[canvas(0, 16), part(b"nope", &[]).repeat(500_000)])),
        ("a profile of 7 MB", riff(&[canvas(32, 16), part(b"ICCP", &vec![7; 7 << 20])])),
        ("a lying length", lying),
    ]
    .map(|(name, bytes)| (format!("WebP: {name}"), bytes))
    .to_vec()
}

fn others() -> Vec<Named> {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='1e9'><use href='#a'/></svg>";
    let png = plain(8, 8, ImageFormat::Png);
    let polyglot = [&[0xff, 0xd8, 0xff][..], &png].concat();
    [
        ("nothing", vec![]),
        ("SVG", svg.into()),
        ("a page", b"<!doctype html><title>Not found</title>".to_vec()),
        ("BMP", [b"BM".as_slice(), &[0xff; 60]].concat()),
        ("TIFF", [b"II*\0".as_slice(), &[8; 60]].concat()),
        ("AVIF", [b"\0\0\0\x20ftypavif".as_slice(), &[0; 60]].concat()),
        ("ICO", [b"\0\0\x01\0".as_slice(), &[0xff; 60]].concat()),
        ("PNM", b"P6 60000 60000 255 ".to_vec()),
        ("farbfeld", [b"farbfeld".as_slice(), &[0xff; 60]].concat()),
        ("8 MB of zeros", vec![0; 8 << 20]),
        ("two formats in one", polyglot),
    ]
    .map(|(name, bytes)| (name.to_owned(), bytes))
    .to_vec()
}

/// All malicious pictures. Some of them can be shown in part.
pub(crate) fn pictures() -> Vec<Named> {
    let whole = |format| plain(300, 200, format);
    [
        pngs(),
        jpegs(),
        gifs(),
        webps(),
        others(),
        truncated("PNG", &whole(ImageFormat::Png)),
        truncated("JPEG", &whole(ImageFormat::Jpeg)),
        truncated("GIF", &whole(ImageFormat::Gif)),
        truncated("WebP", &whole(ImageFormat::WebP)),
    ]
    .concat()
}
