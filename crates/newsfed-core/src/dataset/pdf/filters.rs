//! The filters of streams.

use super::file::MAX_STREAM;
use flate2::read::ZlibDecoder;
use std::io::Read;

/// Applies a filter by name; `None` if it is not supported, or the result is too large.
pub(super) fn apply(name: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let out = match name {
        b"FlateDecode" | b"Fl" => inflate(data),
        b"ASCIIHexDecode" | b"AHx" => hexadecimal(data),
        b"ASCII85Decode" | b"A85" => ascii85(data),
        _ => return None,
    };
    (out.len() <= MAX_STREAM).then_some(out)
}

/// Decompresses data. If the data is damaged, returns the readable part.
fn inflate(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = ZlibDecoder::new(data).take(MAX_STREAM as u64 + 1).read_to_end(&mut out);
    out
}

fn hexadecimal(data: &[u8]) -> Vec<u8> {
    let digits = data.iter().take_while(|b| **b != b'>').filter_map(|b| (*b as char).to_digit(16));
    let digits: Vec<u8> = digits.take(2 * MAX_STREAM + 2).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair.get(1).copied().unwrap_or(0)).collect()
}

fn ascii85(data: &[u8]) -> Vec<u8> {
    let (mut out, mut group) = (Vec::new(), Vec::with_capacity(5));
    let flush = |out: &mut Vec<u8>, group: &mut Vec<u8>| {
        let count = group.len();
        if count > 1 {
            group.resize(5, 84);
            let word =
                group.iter().fold(0_u32, |w, d| w.wrapping_mul(85).wrapping_add(u32::from(*d)));
            out.extend_from_slice(&word.to_be_bytes()[..count - 1]);
        }
        group.clear();
    };
    for byte in data.iter().take_while(|b| **b != b'~') {
        match byte {
            _ if out.len() > MAX_STREAM => break,
            b'z' if group.is_empty() => {
                group.resize(5, 0);
                flush(&mut out, &mut group);
            }
            b'!'..=b'u' => {
                group.push(byte - b'!');
                if group.len() == 5 {
                    flush(&mut out, &mut group);
                }
            }
            _ => {}
        }
    }
    flush(&mut out, &mut group);
    out
}
