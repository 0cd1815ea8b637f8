//! A small HTTP/1 server: a function turns requests into responses. Limits apply to what clients send and how
//! long they take.

mod access;
mod message;
pub mod scripted;
mod server;

#[cfg(test)]
mod tests;

pub use access::{is_for_loopback, same_secret};
pub use message::{Pieces, ServedRequest, ServedResponse};
pub use server::{HttpServer, Limits};
