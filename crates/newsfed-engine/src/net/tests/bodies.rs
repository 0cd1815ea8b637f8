//! Decoding of bodies, and the limits of decoding.

use super::*;
use crate::model::ErrorKind;
use crate::serve::scripted::Reply;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use std::io::Write;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(body).unwrap();
    out.finish().unwrap()
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::best());
    out.write_all(body).unwrap();
    out.finish().unwrap()
}

fn raw_deflate(body: &[u8]) -> Vec<u8> {
    let mut out = DeflateEncoder::new(Vec::new(), Compression::best());
    out.write_all(body).unwrap();
    out.finish().unwrap()
}

/// "hello" as a brotli stream.
const BROTLI_HELLO: &[u8] = b"\x0b\x02\x80hello\x03";
/// "<rss>" a thousand times.
const BROTLI_TEXT: &[u8] = b"\x1f\x87\x13\xf8\xa5y|\xe4\xe6\xc4kQ@\xcf\x02\x00\xbd";
/// 20 MiB of zeros.
const BROTLI_ZEROS: &[u8] = b"\xcf\xff\xff\x7f\xf8\x27\x00\xe2\xb1\x40\x20\xf7\xfe?\xff\xff\x7f\xf0O\x00\xc4a\x01\x80\xee\xfd\x0f";

/// A server that sends this body with this `Content-Encoding`.
fn serving(encoding: &'static str, body: Vec<u8>) -> Server {
    Server::start(move |_| {
        let reply = Reply::ok("text/xml", body.clone());
        if encoding.is_empty() { reply } else { reply.header("content-encoding", encoding) }
    })
    .unwrap()
}

#[tokio::test]
async fn decodes_bodies_by_their_content_encoding() {
    let text = b"<rss>".repeat(1_000);
    let members = [gzip(&text[..100]), gzip(&text[100..])].concat();
    let cases: Vec<(&str, Vec<u8>, &[u8])> = vec![
        ("", text.clone(), &text),
        ("identity", text.clone(), &text),
        ("gzip", gzip(&text), &text),
        ("x-gzip", gzip(&text), &text),
        ("GZIP", members, &text),
        ("gzip", text.clone(), &text),
        ("deflate", zlib(&text), &text),
        ("deflate", raw_deflate(&text), &text),
        ("br", BROTLI_HELLO.to_vec(), b"hello"),
        ("br", BROTLI_TEXT.to_vec(), &text),
        ("gzip", Vec::new(), b""),
        ("gzip", b"x".to_vec(), b"x"),
    ];
    for (encoding, body, want) in cases {
        let wire = body.len() as u64;
        let response = get(&serving(encoding, body), "/").await.unwrap();
        assert!(response.body == want, "{encoding}");
        assert_eq!(response.wire_bytes, wire, "{encoding}");
    }
}

#[tokio::test]
async fn limits_and_checks_bodies() {
    let bomb = gzip(&vec![0; 20_000_000]);
    assert!(bomb.len() < 100_000, "small on the wire");
    let cut = gzip(&b"<rss>".repeat(1_000));
    let cut = cut[..cut.len() / 2].to_vec();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("gzip", bomb, "larger than 1048576 bytes"),
        ("deflate", zlib(&vec![0; 20_000_000]), "larger than"),
        ("", vec![b'x'; 1_048_577], "larger than"),
        ("zstd", b"x".to_vec(), "encoding \"zstd\""),
        ("gzip", cut, "damaged"),
        ("gzip", gzip(b"").repeat(1_010), "damaged"),
        ("br", b"\xff\xff\xff\xff\xff".to_vec(), "damaged"),
        ("br", BROTLI_ZEROS.to_vec(), "larger than 1048576 bytes"),
        ("br", BROTLI_TEXT[..12].to_vec(), "damaged"),
    ];
    for (encoding, body, want) in cases {
        let server = serving(encoding, body);
        let (client, _) = client_with(NetSettings { max_body: 1_048_576, ..settings() });
        let error = client.fetch(typed(&server.url("/"))).await.unwrap_err();
        assert!(error.to_string().contains(want), "{encoding}: {error}");
        assert_eq!(error.kind(), ErrorKind::Permanent);
    }
    let parts = serving("gzip", gzip(b"x").repeat(1_000));
    let (client, _) = client_with(settings());
    assert_eq!(client.fetch(typed(&parts.url("/"))).await.unwrap().body.len(), 1_000);
    let exact = serving("", vec![b'x'; 1_048_576]);
    let (client, _) = client_with(NetSettings { max_body: 1_048_576, ..settings() });
    assert_eq!(client.fetch(typed(&exact.url("/"))).await.unwrap().body.len(), 1_048_576);
}
