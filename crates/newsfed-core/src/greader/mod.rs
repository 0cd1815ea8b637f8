//! The Google Reader API in its current use by servers and clients: identifiers, streams, requests and
//! responses. No network or clock.
//!
//! Based on measurements of FreshRSS 1.25 and on the documentation of Miniflux. For differences between
//! servers, see [`Dialect`].

mod dialect;
mod id;
mod lists;
mod login;
mod request;
mod response;
mod stream;
#[cfg(test)]
mod tests;

pub use dialect::Dialect;
pub use id::RemoteId;
pub use lists::{ContentsWriter, IdWriter};
pub use login::{parse_login, write_login};
pub use request::{Body, Method, PageRequest, RemoteMark, RemoteRequest, SubscriptionEdit};
pub use response::{
    Category, Contents, EntryText, ItemRef, ItemRefs, QuickAdd, RemoteTag, StreamEnclosure,
    StreamEntry, StreamLink, StreamOrigin, Subscription, Subscriptions, Tags, UnreadCount,
    UnreadCounts, UserInfo,
};
pub use stream::Stream;
