//! The response to a login: `KEY=VALUE` lines.

/// Maximum length of a token, in bytes.
const LONGEST: usize = 1024;

/// The token of a successful login; `None` if the text contains none, such as an HTML login page.
pub fn parse_login(text: &str) -> Option<String> {
    let auth = text.lines().take(20).find_map(|line| line.trim_end().strip_prefix("Auth="))?;
    let fits =
        !auth.is_empty() && auth.len() <= LONGEST && auth.bytes().all(|b| b.is_ascii_graphic());
    fits.then(|| auth.to_owned())
}

/// Writes the response to a successful login.
pub fn write_login(token: &str) -> String {
    format!("SID={token}\nLSID=null\nAuth={token}\n")
}
