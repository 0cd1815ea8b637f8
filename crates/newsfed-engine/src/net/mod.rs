//! All network access of the program.
//!
//! A [`Request`] passes the address check, robots.txt (pages only) and the gate of its host, is
//! sent, and returns a [`Response`] of any status, read within its limits, or a [`FetchError`] if there is
//! none. See ARCHITECTURE.md for the rules.

mod body;
mod brotli;
mod client;
mod error;
pub mod freshness;
mod gate;
mod memory;
mod refresh;
mod request;
mod request_headers;
mod resolver;
pub mod robots;
mod robots_cache;
mod secret;
mod service;
mod transport;

#[cfg(test)]
mod tests;

pub use client::{Client, Download, MAX_HOPS, Resume};
pub use error::{FetchError, LocalLimit};
pub use freshness::Freshness;
pub use gate::host_key;
pub use memory::MemoryShare;
pub use request::{Hop, Purpose, Request, Response, allows_private};
pub use resolver::Names;
pub use secret::SecretError;
pub use service::{ServiceRequest, ServiceResponse};

/// An HTTP status with its name, such as `404 Not Found`.
pub fn status_text(status: u16) -> String {
    let known = reqwest::StatusCode::from_u16(status).ok();
    match known.and_then(|status| status.canonical_reason()) {
        Some(name) => format!("{status} {name}"),
        None => format!("HTTP {status}"),
    }
}
