//! Addresses: what may be opened, and when two are the same.
/// normal
pub fn normalise(u: &url::Url) -> String {
    u.to_string()
}
