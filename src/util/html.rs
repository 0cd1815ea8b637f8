//! placeholder until the feed room lands
/// text
pub fn to_text(s: &str) -> String {
    s.to_owned()
}
