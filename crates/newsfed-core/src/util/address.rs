//! Detects private addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Whether an address is not on the public internet: loopback, private, link-local, shared (RFC 6598), unique
/// local, multicast, reserved, or an IPv6 address that embeds one of these.
pub fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_private_v4(ip),
        IpAddr::V6(ip) => is_private_v6(ip),
    }
}

fn is_private_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_documentation()
        || matches!((a, b, c), (0 | 240..=255, _, _) | (100, 64..=127, _) | (192, 0, 0))
        || matches!((a, b), (198, 18 | 19))
}

fn is_private_v6(ip: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let inner = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b, c, d, e, f) {
        // Unspecified, loopback, and the old form of an IPv4 address.
        (0, 0, 0, 0, 0, 0) => true,
        // IPv4-mapped, translated (RFC 2765), NAT64 (RFC 6052), 6to4.
        (0, 0, 0, 0, 0, 0xffff) | (0, 0, 0, 0, 0xffff, 0) => inner(g, h),
        (0x64, 0xff9b, 0, 0, 0, 0) => inner(g, h),
        (0x2002, ..) => inner(b, c),
        // Local NAT64, discard, Teredo, documentation.
        (0x64, 0xff9b, 1, ..) | (0x100, 0, 0, 0, ..) | (0x2001, 0 | 0xdb8, ..) => true,
        // Unique local, link-local, site-local, multicast.
        _ => a & 0xfe00 == 0xfc00 || matches!(a & 0xffc0, 0xfe80 | 0xfec0) || a & 0xff00 == 0xff00,
    }
}

/// Whether the host of a URL is a private IP address or a name that always means this machine.
pub fn is_private_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => is_private(ip.into()),
        Some(Host::Ipv6(ip)) => is_private(ip.into()),
        Some(Host::Domain(name)) => is_localhost(name),
        None => false,
    }
}

/// Whether the host of a URL is this machine.
pub fn is_loopback_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => is_localhost(name),
        None => false,
    }
}

/// `localhost` and its subdomains (RFC 6761, section 6.3).
fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_private_addresses() {
        let private = [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.1.1",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
        ];
        for text in private {
            assert!(is_private(text.parse().unwrap()), "{text}");
        }
        let public = [
            "1.1.1.1",
            "100.63.0.1",
            "100.128.0.1",
            "172.32.0.1",
            "192.169.0.1",
            "198.20.0.1",
            "2606:4700::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::",
            "2a00::1",
        ];
        for text in public {
            assert!(!is_private(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn recognises_every_spelling_of_a_private_host() {
        let private = [
            "http://127.1/",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://017700000001/",
            "http://[::ffff:7f00:1]/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost:80/",
            "http://①②⑦.0.0.1/",
        ];
        for text in private {
            assert!(is_private_host(&Url::parse(text).unwrap()), "{text}");
        }
        for text in ["http://example.com/", "http://notlocalhost/", "http://8.8.8.8/"] {
            assert!(!is_private_host(&Url::parse(text).unwrap()), "{text}");
        }
    }
}
