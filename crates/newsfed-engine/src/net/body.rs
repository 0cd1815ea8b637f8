//! A response body as it arrives: decoded piece by piece, never larger than the limit.

use super::brotli::{Brotli, BrotliStep};
use bytes::Bytes;
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use memchr::memmem;
use std::io::{self, Write};

/// The encodings that are requested; exactly those that [`Decoder`] supports.
pub(crate) const ACCEPT_ENCODING: &str = "gzip, br, deflate";
/// Number of leading bytes that show whether a body is compressed.
const HEAD: usize = 2;

#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    /// The body exceeds the limit after decoding.
    #[error("the body is larger than the limit")]
    TooLarge,
    /// The body has a compression that was not requested.
    #[error("the body is sent in the encoding {0:?}, which was not requested")]
    Encoding(String),
    /// The compressed data is damaged or incomplete.
    #[error("the compressed body is damaged")]
    Damaged,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Encoding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
}

/// The decoded bytes, up to a limit.
struct Sink {
    bytes: Vec<u8>,
    limit: u64,
    overflowed: bool,
}

impl Write for Sink {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + data.len()) as u64 > self.limit {
            self.overflowed = true;
            return Err(io::Error::other("over the limit"));
        }
        self.bytes.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Stream {
    /// The first bytes, until there are enough to recognise the compression.
    Undecided(Vec<u8>, Sink),
    Plain(Sink),
    Gzip(MultiGzDecoder<Sink>),
    Zlib(ZlibDecoder<Sink>),
    Deflate(DeflateDecoder<Sink>),
    Brotli(Box<Brotli>, Sink),
}

/// Decodes a body piece by piece.
pub(crate) struct Decoder {
    encoding: Encoding,
    stream: Option<Stream>,
    limit: u64,
    wire: u64,
    /// Number of gzip members so far.
    members: usize,
}

/// Maximum number of members in a gzip file, because even an empty member takes ten microseconds. Programs
/// that compress in parallel write one per 64 KiB or more.
const MAX_MEMBERS: usize = 1000;
/// The first bytes of a member.
const MEMBER: &[u8] = b"\x1f\x8b\x08";

impl Decoder {
    /// A decoder for a body with this `Content-Encoding` and at most `limit` bytes after decoding. `declared`
    /// is the length before decoding.
    pub(crate) fn new(
        encoding: Option<&str>,
        declared: Option<u64>,
        limit: u64,
    ) -> Result<Self, BodyError> {
        let name = encoding.unwrap_or_default().trim().to_ascii_lowercase();
        let encoding = match name.as_str() {
            "" | "identity" | "none" => Encoding::Identity,
            "gzip" | "x-gzip" => Encoding::Gzip,
            "deflate" => Encoding::Deflate,
            "br" => Encoding::Brotli,
            _ => return Err(BodyError::Encoding(name)),
        };
        // A buffer that grows step by step needs up to three times as much memory. Memory that is reserved
        // but not written is not resident.
        let length = declared.filter(|_| encoding == Encoding::Identity).unwrap_or(0).min(limit);
        let bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        let sink = Sink { bytes, limit, overflowed: false };
        let stream = Some(Stream::Undecided(Vec::new(), sink));
        Ok(Self { encoding, stream, limit, wire: 0, members: 0 })
    }

    /// Bytes received so far, before decoding.
    pub(crate) fn wire_bytes(&self) -> u64 {
        self.wire
    }

    /// Bytes decoded so far.
    pub(crate) fn decoded(&self) -> usize {
        self.stream.as_ref().map_or(0, |stream| stream.sink().bytes.len())
    }

    /// Decodes the next piece, or a part of it. Returns whether another call, without data, can decode more
    /// of the piece.
    pub(crate) fn push(&mut self, data: &[u8]) -> Result<bool, BodyError> {
        self.wire += data.len() as u64;
        // A body that decodes to nothing needs a limit too.
        if self.wire > self.limit {
            return Err(BodyError::TooLarge);
        }
        // Compressed data contains these bytes by chance, on average once per 16 MiB.
        if self.encoding == Encoding::Gzip {
            self.members += memmem::find_iter(data, MEMBER).count();
        }
        if self.members > MAX_MEMBERS {
            return Err(BodyError::Damaged);
        }
        let stream = match self.stream.take() {
            Some(Stream::Undecided(mut head, sink)) => {
                head.extend_from_slice(data);
                if head.len() < HEAD {
                    self.stream = Some(Stream::Undecided(head, sink));
                    return Ok(false);
                }
                let stream = self.stream.insert(Stream::open(self.encoding, &head, sink));
                return stream.write(&head);
            }
            Some(stream) => self.stream.insert(stream),
            None => return Err(BodyError::Damaged),
        };
        stream.write(data)
    }

    /// The complete body, after the last piece.
    pub(crate) fn finish(mut self) -> Result<Bytes, BodyError> {
        match self.stream.take() {
            Some(Stream::Undecided(head, mut sink)) => {
                sink.write_all(&head).map_err(|_| BodyError::TooLarge)?;
                Ok(sink.bytes.into())
            }
            Some(stream) => stream.finish(),
            None => Err(BodyError::Damaged),
        }
    }
}

impl Stream {
    /// Chooses the decoder by the header, but checks the bytes: some servers announce a compression that they
    /// did not apply, and "deflate" is sent with and without its wrapper.
    fn open(encoding: Encoding, head: &[u8], sink: Sink) -> Self {
        match (encoding, head) {
            (Encoding::Gzip, [0x1f, 0x8b, ..]) => Self::Gzip(MultiGzDecoder::new(sink)),
            (Encoding::Identity | Encoding::Gzip, _) => Self::Plain(sink),
            (Encoding::Deflate, [a, b, ..])
                if a & 0x0f == 8 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0 =>
            {
                Self::Zlib(ZlibDecoder::new(sink))
            }
            (Encoding::Deflate, _) => Self::Deflate(DeflateDecoder::new(sink)),
            (Encoding::Brotli, _) => Self::Brotli(Box::new(Brotli::new()), sink),
        }
    }

    /// Returns whether more can be decoded without more data.
    fn write(&mut self, data: &[u8]) -> Result<bool, BodyError> {
        if let Self::Brotli(brotli, sink) = self {
            brotli.receive(data);
            return brotli_step(brotli, sink);
        }
        let result = match self {
            Self::Undecided(..) | Self::Brotli(..) => Ok(()),
            Self::Plain(sink) => sink.write_all(data),
            Self::Gzip(gzip) => gzip.write_all(data),
            Self::Zlib(zlib) => zlib.write_all(data),
            Self::Deflate(deflate) => deflate.write_all(data),
        };
        result.map_err(|_| self.blame())?;
        Ok(false)
    }

    fn sink(&self) -> &Sink {
        match self {
            Self::Undecided(_, sink) | Self::Plain(sink) | Self::Brotli(_, sink) => sink,
            Self::Gzip(gzip) => gzip.get_ref(),
            Self::Zlib(zlib) => zlib.get_ref(),
            Self::Deflate(deflate) => deflate.get_ref(),
        }
    }

    /// Distinguishes a full sink from damaged data.
    fn blame(&self) -> BodyError {
        if self.sink().overflowed { BodyError::TooLarge } else { BodyError::Damaged }
    }

    fn finish(mut self) -> Result<Bytes, BodyError> {
        let end = match &mut self {
            Self::Undecided(..) | Self::Plain(_) => Ok(()),
            Self::Brotli(brotli, sink) => {
                while brotli_step(brotli, sink)? {}
                if !brotli.is_over() {
                    return Err(BodyError::Damaged);
                }
                Ok(())
            }
            Self::Gzip(gzip) => gzip.try_finish(),
            Self::Zlib(zlib) => zlib.try_finish(),
            Self::Deflate(deflate) => deflate.try_finish(),
        };
        end.map_err(|_| self.blame())?;
        let sink = match self {
            Self::Undecided(_, sink) | Self::Plain(sink) | Self::Brotli(_, sink) => Some(sink),
            Self::Gzip(gzip) => gzip.finish().ok(),
            Self::Zlib(zlib) => zlib.finish().ok(),
            Self::Deflate(deflate) => deflate.finish().ok(),
        };
        sink.map(|s| s.bytes.into()).ok_or(BodyError::Damaged)
    }
}

fn brotli_step(brotli: &mut Brotli, sink: &mut Sink) -> Result<bool, BodyError> {
    let mut full = false;
    let end = brotli.step(|part| full = sink.write_all(part).is_err());
    match end {
        _ if full => Err(BodyError::TooLarge),
        BrotliStep::Damaged => Err(BodyError::Damaged),
        BrotliStep::More => Ok(true),
        BrotliStep::Waiting => Ok(false),
    }
}
