//! Access control.

use super::message::ServedRequest;
use hyper::header::HOST;
use hyper::http::uri::Authority;
use std::net::IpAddr;

/// Whether a request names this computer as its host. This prevents DNS rebinding: a site can make its own
/// name resolve to a loopback address, and without this check, its scripts could read what is served here.
pub fn is_for_loopback(request: &ServedRequest) -> bool {
    let mut hosts = request.headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Ok(authority) = Authority::try_from(host.as_bytes()) else { return false };
    let name = authority.host();
    let ip: Option<IpAddr> = name.trim_start_matches('[').trim_end_matches(']').parse().ok();
    !authority.as_str().contains('@')
        && ip.map_or(name.eq_ignore_ascii_case("localhost"), |ip| ip.is_loopback())
}

/// Whether two texts are equal. The time that this takes depends only on their lengths, so that a secret
/// cannot be guessed byte by byte.
pub fn same_secret(given: &str, secret: &str) -> bool {
    let pairs = given.bytes().zip(secret.bytes());
    let difference = pairs.fold(0, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
    given.len() == secret.len() && difference == 0
}
