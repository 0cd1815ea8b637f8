//! (under construction)
/// l
pub struct Launch;
impl Launch {
    /// t
    pub fn needs_terminal(&self) -> bool {
        false
    }
}
/// p
pub fn plan(
    _c: &[String],
    _t: bool,
    _env: impl Fn(&str) -> Option<String>,
    _u: &[String],
) -> Result<Launch, String> {
    Err("no browser".into())
}
/// l
pub fn launch(_l: &Launch) -> Result<(), String> {
    Ok(())
}
