//! The client against a real server on loopback.

mod bodies;
mod downloads;
mod errors;
mod hosts;
mod redirects;
mod requests;
mod robots;
mod services;
mod validators;

use crate::config::NetSettings;
use crate::model::Time;
use crate::net::{Client, FetchError, Request, Response};
use crate::serve::scripted::Server;
use crate::util::clock::FakeClock;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

/// Settings without the delay between two requests to one host.
fn settings() -> NetSettings {
    NetSettings { host_delay: Duration::ZERO, ..NetSettings::default() }
}

/// A client, and its clock.
fn client_with(settings: NetSettings) -> (Client, FakeClock) {
    let clock = FakeClock::new(Time::from_timestamp(1_700_000_000, 0).unwrap());
    (Client::new(settings, Arc::new(clock.clone())), clock)
}

fn client() -> Client {
    client_with(settings()).0
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// A request for a feed that the user entered, so that loopback is allowed.
fn typed(address: &str) -> Request {
    Request { allow_private: true, ..Request::feed(url(address)) }
}

async fn get(server: &Server, path: &str) -> Result<Response, FetchError> {
    client().fetch(typed(&server.url(path))).await
}

/// 127.0.1.1 and the addresses after it.
fn hosts(count: u8) -> Vec<IpAddr> {
    (1..=count).map(|n| IpAddr::V4(Ipv4Addr::new(127, 0, 1, n))).collect()
}
