//! The terminal interface.
//!
//! An event changes the state (`app`), which returns effects as data. The driver performs the effects and
//! replies with events. The view draws the state. The thread of the interface never waits for the network, a
//! parser or the disk.

mod app;
mod crawls;
mod driver;
mod effect;
mod ending;
mod event;
mod external;
mod files;
mod graphics;
mod headless;
mod import;
mod input;
mod listen;
mod notification;
mod read;
mod reader;
mod replies;
mod run;
mod signals;
mod style;
mod terminal;
mod view;

#[cfg(test)]
mod tests;

pub use effect::{ExitReason, Left};
pub use headless::Headless;
pub use run::{Interface, InterfaceError, run};
pub use terminal::TerminalQuery;
pub(crate) use terminal::{screen_size, unusable};
