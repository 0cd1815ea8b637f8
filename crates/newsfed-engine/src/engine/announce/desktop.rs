//! Desktop notifications: over D-Bus on Linux, by the system elsewhere. Requires the feature `desktop`.

use super::{NOTIFY_LIMIT, Notification};
use crate::util::text;

/// Shows a notification.
///
/// # Errors
/// Returns why the notification was not shown.
pub(super) async fn show(message: &Notification) -> Result<(), String> {
    let (title, body) = (message.title.clone(), message.text.clone());
    // The call blocks until the service responds.
    let shown = tokio::task::spawn_blocking(move || {
        let body = if has_markup() { escaped(&body) } else { body };
        let shown = notify_rust::Notification::new().summary(&title).body(&body).show();
        shown.map(drop).map_err(|e| text::line(&e.to_string()))
    });
    match tokio::time::timeout(NOTIFY_LIMIT, shown).await {
        Ok(Ok(shown)) => shown,
        Ok(Err(_)) => Err("the notification could not be sent (this is a bug)".to_owned()),
        Err(_) => Err(format!(
            "the notification service did not respond within {} s",
            NOTIFY_LIMIT.as_secs()
        )),
    }
}

/// Whether the notification service interprets the text as HTML.
#[cfg(all(unix, not(target_os = "macos")))]
fn has_markup() -> bool {
    let capabilities = notify_rust::get_capabilities().unwrap_or_default();
    capabilities.iter().any(|capability| capability == "body-markup")
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn has_markup() -> bool {
    false
}

/// Escapes untrusted text for a service that interprets markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_escaped() {
        let hostile = "<img src=\"https://t.example/\"/> & <b>x</b>";
        let expected = "&lt;img src=\"https://t.example/\"/&gt; &amp; &lt;b&gt;x&lt;/b&gt;";
        assert_eq!(escaped(hostile), expected);
    }
}
