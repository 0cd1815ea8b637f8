//! A small network of its own on loopback, for the tour and for tests.

pub mod server;
