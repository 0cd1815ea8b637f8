use super::*;

#[test]
fn every_field_has_help_that_fits() {
    for Setting { key, field, .. } in SETTINGS.iter().filter(|s| s.field.page.is_some()) {
        assert!(field.help.len() <= 74 && field.label.len() <= 14, "{key}");
        assert!(!field.help.is_empty() && !field.label.is_empty(), "{key}");
    }
}
