//! Tests of code in the Reader on a test screen.

use super::stage;
use crate::config::Role;

#[test]
fn code_without_a_language_has_colours_but_no_tag() {
    let mut stage = stage("<pre>fn main() -&gt; u8 {\n    7\n}</pre>", None);
    stage.keys("<Enter>");
    assert!(!stage.screen(120, 40).contains("rust"));
    let lines = &stage.app.reader.lines.lines;
    let roles: Vec<_> = lines.iter().flat_map(|l| &l.spans).map(|span| span.role).collect();
    assert!(roles.contains(&Role::CodeKeyword), "{roles:?}");
}
