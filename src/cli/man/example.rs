//! Parses the explanations in `config.example.toml`.

/// A part of the example file.
#[derive(Debug, PartialEq)]
pub(super) enum Part<'a> {
    /// The start of a table.
    Table(&'a str),
    /// Settings, with the text that explains them.
    Settings { text: Vec<&'a str>, keys: Vec<&'a str> },
    /// Text that is not about a single setting, with a sample in TOML. A note before a table is about that
    /// table.
    Note { text: Vec<&'a str>, sample: Vec<&'a str> },
}

/// Indentation of sample TOML after the `#`.
const SAMPLE: &str = "   ";

/// The parts of the example, in the order of the file.
pub(super) fn parts(example: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut text, mut sample, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    for line in example.lines().chain([""]) {
        match line.strip_prefix('#') {
            Some(rest) if rest.starts_with(SAMPLE) => {
                sample.push(rest.strip_prefix(SAMPLE).unwrap_or(rest));
            }
            // An empty comment separates paragraphs, or belongs to the sample.
            Some("") if sample.is_empty() => text.push(""),
            Some("") => sample.push(""),
            Some(rest) => match rest.split_once(" = ") {
                Some((key, _)) if !rest.starts_with(' ') => keys.push(key),
                _ => text.push(rest.trim()),
            },
            None => {
                let (text, mut sample) = (std::mem::take(&mut text), std::mem::take(&mut sample));
                let keys = std::mem::take(&mut keys);
                while sample.last().is_some_and(|line: &&str| line.is_empty()) {
                    sample.pop();
                }
                if !keys.is_empty() {
                    parts.push(Part::Settings { text, keys });
                } else if !text.is_empty() {
                    parts.push(Part::Note { text, sample });
                }
                let table = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
                parts.extend(table.map(Part::Table));
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigns_text_to_the_settings_below_it() {
        let example = "# Intro.\n\n# About the table.\n[net]\n# Two\n# lines.\n#a = 1\n#b = \"x\"\n\n\
                       # See:\n#\n#   [[view]]\n#   name = \"x\"\n#\n# More.\n";
        assert_eq!(
            parts(example),
            [
                Part::Note { text: vec!["Intro."], sample: vec![] },
                Part::Note { text: vec!["About the table."], sample: vec![] },
                Part::Table("net"),
                Part::Settings { text: vec!["Two", "lines."], keys: vec!["a", "b"] },
                Part::Note {
                    text: vec!["See:", "", "More."],
                    sample: vec!["[[view]]", "name = \"x\""]
                },
            ]
        );
    }
}
