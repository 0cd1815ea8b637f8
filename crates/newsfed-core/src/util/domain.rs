//! Detects hosts that belong to one site.

use url::{Host, Url};

/// Whether two URLs belong to one site: they have the same registrable domain by the public suffix list
/// (including `www.` and other subdomains), or else the same host. Letter case and port are ignored.
pub fn same_site(a: &Url, b: &Url) -> bool {
    match (site(a), site(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// The registrable domain of a URL, or its host if there is none.
pub fn site(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let registrable = psl::domain_str(&name).map(str::to_owned);
            Some(registrable.unwrap_or(name))
        }
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_sites_by_registrable_domain() {
        let cases = [
            ("https://www.example.org/a", "http://example.org:81/b", true),
            ("https://news.example.co.uk/", "https://EXAMPLE.co.uk/", true),
            ("https://a.co.uk/", "https://b.co.uk/", false),
            ("https://ann.github.io/", "https://bob.github.io/", false),
            ("http://127.0.0.1:1/", "http://127.0.0.1:2/", true),
            ("http://127.0.0.1/", "http://localhost/", false),
            ("http://10.0.0.1/", "http://11.0.0.1/", false),
        ];
        for (a, b, want) in cases {
            let url = |s: &str| Url::parse(s).unwrap();
            assert_eq!(same_site(&url(a), &url(b)), want, "{a} {b}");
        }
    }
}
