//! User and password in the text of a URL, which may be invalid.

use std::ops::Range;

/// A URL without user and password, for messages.
pub fn without_secrets(address: &str) -> String {
    replace_login(address, "")
}

/// A URL with `***` instead of user and password.
pub fn hide_secrets(address: &str) -> String {
    replace_login(address, "***@")
}

/// Whether a URL has a user or a password.
pub fn has_secrets(address: &str) -> bool {
    login(address).is_some()
}

fn replace_login(address: &str, by: &str) -> String {
    match login(address) {
        Some(login) => format!("{}{by}{}", &address[..login.start], &address[login.end..]),
        None => address.to_owned(),
    }
}

/// The range of user and password, including the `@`.
fn login(address: &str) -> Option<Range<usize>> {
    let start = address.find("//")? + 2;
    let rest = &address[start..];
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    // An unescaped character in a password may end the authority too early.
    let is_port = |port: &str| port.bytes().all(|b| b.is_ascii_digit());
    let cut =
        authority.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']') && !is_port(port));
    let at = authority.rfind('@').or_else(|| rest.rfind('@').filter(|_| cut))?;
    Some(start..start + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_user_and_password() {
        let cases = [
            ("http://u:p@h:1/x", "http://***@h:1/x"),
            ("socks5://u@h", "socks5://***@h"),
            ("http://u:a@b@h/", "http://***@h/"),
            ("http://u:a/b@h/", "http://***@h/"),
            ("http://h:80/@me", "http://h:80/@me"),
            ("http://[::1]/@me", "http://[::1]/@me"),
            ("http://h/a?b=c@d", "http://h/a?b=c@d"),
            ("no address", "no address"),
        ];
        for (address, shown) in cases {
            assert_eq!(hide_secrets(address), shown);
            assert_eq!(without_secrets(address), shown.replace("***@", ""));
            assert_eq!(has_secrets(address), shown.contains("***"));
        }
    }
}
