//! A brotli stream, decoded in small steps: a few compressed bytes can become megabytes.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

/// Maximum number of bytes that one step decodes.
const STEP: usize = 16 * 1024;

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BrotliStep {
    /// More can be decoded.
    More,
    /// More input is needed, or the stream is over.
    Waiting,
    /// The data is damaged.
    Damaged,
}

pub(super) struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    /// Received data; the part after `used` is not decoded yet.
    input: Vec<u8>,
    used: usize,
    over: bool,
}

impl Brotli {
    /// A stream as HTTP allows it: its window is at most 16 MiB, and takes up only as much memory as has been
    /// decoded.
    pub(super) fn new() -> Self {
        let [a, b, c] = [(); 3].map(|()| StandardAlloc::default());
        Self { state: BrotliState::new_strict(a, b, c), input: Vec::new(), used: 0, over: false }
    }

    /// Adds received data.
    pub(super) fn receive(&mut self, data: &[u8]) {
        self.input.drain(..self.used);
        self.used = 0;
        // Bytes after the end of the stream are ignored.
        if !self.over {
            self.input.extend_from_slice(data);
        }
    }

    /// Whether the stream is complete.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Decodes the next bytes and passes them on.
    pub(super) fn step(&mut self, take: impl FnOnce(&[u8])) -> BrotliStep {
        if self.over {
            return BrotliStep::Waiting;
        }
        let mut out = [0; STEP];
        let (mut available, mut end, mut total) = (STEP, 0, 0);
        let mut left = self.input.len() - self.used;
        let result = BrotliDecompressStream(
            &mut left,
            &mut self.used,
            &self.input,
            &mut available,
            &mut end,
            &mut out,
            &mut total,
            &mut self.state,
        );
        take(&out[..end]);
        match result {
            BrotliResult::NeedsMoreOutput => BrotliStep::More,
            BrotliResult::NeedsMoreInput => BrotliStep::Waiting,
            BrotliResult::ResultSuccess => {
                self.over = true;
                BrotliStep::Waiting
            }
            BrotliResult::ResultFailure => BrotliStep::Damaged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 MiB of zeros.
    const ZEROS: &[u8] = b"\xcf\xff\xff\x7f\xf8\x27\x00\xe2\xb1\x40\x20\xf7\xfe?\xff\xff\x7f\xf0O\x00\xc4a\x01\x80\xee\xfd\x0f";

    #[test]
    fn decodes_a_little_at_a_time() {
        let mut stream = Brotli::new();
        stream.receive(&ZEROS[..10]);
        stream.receive(&ZEROS[10..]);
        let (mut total, mut largest) = (0, 0);
        let mut count = |part: &[u8]| {
            total += part.len();
            largest = largest.max(part.len());
        };
        while stream.step(&mut count) == BrotliStep::More {}
        assert!(stream.is_over());
        assert_eq!((total, largest), (20 << 20, STEP));
        stream.receive(b"more");
        assert_eq!(stream.step(|_| panic!("nothing follows the end")), BrotliStep::Waiting);
    }

    #[test]
    fn rejects_windows_that_http_does_not_allow() {
        // A window of 1 GiB.
        let mut stream = Brotli::new();
        stream.receive(b"\x11\x1e\x00\x00\x00\x00\x00\x00");
        assert_eq!(stream.step(|_| {}), BrotliStep::Damaged);
    }
}
