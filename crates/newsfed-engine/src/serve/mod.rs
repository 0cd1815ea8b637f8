//! A small HTTP/1 server: limits for what clients send and for how long they take, and a function
//! from requests to responses.

mod access;
mod message;
pub mod scripted;
mod server;

#[cfg(test)]
mod tests;

pub use access::{is_for_loopback, same_secret};
pub use message::{Pieces, Request, Response};
pub use server::{Limits, Server};
