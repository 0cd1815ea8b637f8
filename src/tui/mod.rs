//! The interface: what the user meets in the terminal.
//!
//! An event changes the state ([`app`]) and yields effects, which are data; the driver performs
//! them and answers with events. The view draws the state and nothing else. Nothing in here waits
//! for the network, a parser or the disk.

mod app;
mod driver;
mod effect;
mod event;
mod external;
mod import;
mod input;
mod read;
mod reader;
mod run;
mod stage;
mod style;
mod terminal;
mod view;

#[cfg(test)]
mod tests;

pub use effect::Farewell;
pub use run::{Interface, InterfaceError, run};
pub use stage::Stage;
pub(crate) use terminal::{screen_size, unusable};
