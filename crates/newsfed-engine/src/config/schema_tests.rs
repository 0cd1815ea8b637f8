//! Tests of the settings and their fields.

use super::*;
use crate::config::shown::*;
use crate::config::{Section, SourceForm};

#[test]
fn every_field_has_a_default_and_help_that_fits() {
    for Setting { key, field, .. } in SETTINGS.iter().filter(|s| s.field.page.is_some()) {
        assert!(!setting_shown(&Settings::default(), key).is_empty(), "{key}");
        // The longest label and help text fit into 80 columns.
        let longest = if field.waits { 55 } else { 74 };
        assert!(field.help.len() <= longest && field.label.len() <= 21, "{key}");
    }
}

#[test]
fn typed_values_are_checked_by_the_loader() {
    let text = "# mine\n[ui]\ntheme = \"night\" # C1\n[themes.night]\naccent = \"red\"\n";
    let mut form = SourceForm::settings(Section::settings(text, &[]));
    assert_eq!(form.problem, None);
    let theme = form.fields()[0].clone();
    assert_eq!(theme.value(), "night");
    assert!(theme.choices().iter().any(|c| c == "night"));
    form.set(0, "ligth");
    assert!(form.fields()[0].error.as_deref().unwrap().contains("Did you mean \"light\""));
    assert_eq!(form.preview_settings(), None);
    form.set(0, "light");
    assert_eq!(form.preview_settings().unwrap().ui.theme, "light");
    for (label, wrong, part) in [
        ("Reader width", "5", "20"),
        ("Quiet hours", "night", "23:00"),
        ("Polls per day", "many", "280"),
        ("Delay per host", "soon", "30m"),
        ("Preset", "defualt", "Did you mean"),
        ("Browser", "firefox 'a", "quotation mark"),
    ] {
        let index = form.fields().iter().position(|f| f.label == label).unwrap();
        form.set(index, wrong);
        let error = form.fields()[index].error.clone();
        assert!(error.as_deref().is_some_and(|e| e.contains(part)), "{label}: {error:?}");
        form.set(index, "");
        assert_eq!(form.first_invalid(), None);
    }
    assert_eq!(form.changes().len(), 1);
}
