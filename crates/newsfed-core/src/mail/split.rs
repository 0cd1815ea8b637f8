//! Splits an mbox file into emails.

use memchr::memmem;

/// The emails of an mbox file, oldest first. An email starts with a `From ` line at the beginning or after an
/// empty line, followed by a header line. `is_whole` is false if `bytes` is only the end of a file, which may
/// begin in the middle of an email. [`unquoted`] reads one email.
pub fn split_mbox(bytes: &[u8], is_whole: bool) -> Vec<&[u8]> {
    let mut starts: Vec<usize> = Vec::new();
    if is_whole && bytes.starts_with(b"From ") {
        starts.push(0);
    }
    for at in memmem::find_iter(bytes, b"\nFrom ") {
        let before = &bytes[..at];
        let is_first = before.ends_with(b"\n") || before.ends_with(b"\n\r");
        // Many programs do not quote `From ` lines in a text, so a header must follow.
        if is_first && begins_headers(&bytes[at + 1..]) {
            starts.push(at + 1);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    starts.iter().zip(ends).map(|(start, end)| &bytes[*start..end]).collect()
}

/// Whether the second line is a header, such as `Subject: x`.
fn begins_headers(bytes: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'\n', bytes) else { return false };
    let name = bytes[end + 1..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-');
    let length = name.count();
    length > 0 && bytes.get(end + 1 + length) == Some(&b':')
}

/// An email without its `From ` line, with unquoted lines: `>From ` becomes `From `, and `>>From ` becomes
/// `>From `.
pub fn unquoted(bytes: &[u8]) -> Vec<u8> {
    let first = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
    let mut mail = Vec::with_capacity(bytes.len() - first);
    for line in bytes[first..].split_inclusive(|byte| *byte == b'\n') {
        let quotes = line.iter().take_while(|byte| **byte == b'>').count();
        let is_quoted = quotes > 0 && line[quotes..].starts_with(b"From ");
        mail.extend_from_slice(&line[usize::from(is_quoted)..]);
    }
    mail
}
