//! The page of a command, generated from its definition.

use super::manual::Manual;
use clap::Command;
use std::io;

/// Prefixes of paragraphs after the options, and the sections for these paragraphs.
const SECTIONS: [(&str, &str); 3] =
    [("Exit codes: ", "EXIT STATUS"), ("Environment: ", "ENVIRONMENT"), ("Examples:", EXAMPLES)];
const EXAMPLES: &str = "EXAMPLES";
const NOTES: &str = "NOTES";

const FILES: [(&str, &str); 3] = [
    ("~/.config/newsfed/config.toml", "The settings; see newsfed-config(5)."),
    ("~/.config/newsfed/sources.toml", "The sources; see newsfed-sources(5)."),
    ("~/.local/share/newsfed", "The database, and what crawls have learned."),
];

/// The page of a built command, without the section "See also".
pub(super) fn page(command: &Command) -> io::Result<Manual> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let about = about.strip_prefix("newsfed follows").map_or_else(
        || uncapitalised(&about),
        |rest| format!("follow{rest}").replace("and shows", "and show"),
    );
    let mut manual = Manual::new(name, 1, &about)?;
    let is_root = !name.contains('-');
    let definition = command.clone().disable_help_subcommand(true);
    let definition =
        definition.subcommand_help_heading("COMMANDS").subcommand_value_name("command");
    let mangen = clap_mangen::Man::new(definition);
    let mut text = Vec::new();
    mangen.render_synopsis_section(&mut text)?;
    manual.append(&text);
    text.clear();
    mangen.render_description_section(&mut text)?;
    manual.append(&text);
    text.clear();
    mangen.render_options_section(&mut text)?;
    manual.append(&text);
    if command.has_subcommands() {
        text.clear();
        mangen.render_subcommands_section(&mut text)?;
        manual.append(&text);
    }
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    after_help(&mut manual, &after.map(ToString::to_string).unwrap_or_default())?;
    if is_root {
        manual.section("FILES")?;
        for (path, text) in FILES {
            manual.entry(path, text)?;
        }
        manual.paragraph()?;
        manual.text("`newsfed config path` prints the paths on this system.")?;
    }
    Ok(manual)
}

/// The description of a command, starting in lower case for the line with the command's name.
fn uncapitalised(about: &str) -> String {
    let mut chars = about.chars();
    let first = chars.next().map(|first| first.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

/// Writes the text after the options. Examples and similar paragraphs get their own sections.
fn after_help(manual: &mut Manual, text: &str) -> io::Result<()> {
    let paragraphs: Vec<&str> = text.split("\n\n").filter(|p| !p.trim().is_empty()).collect();
    let section = |paragraph: &str| {
        let found = SECTIONS.into_iter().find(|(start, _)| paragraph.starts_with(start));
        found.map_or((NOTES, ""), |(start, section)| (section, start))
    };
    for wanted in [NOTES, "EXIT STATUS", "ENVIRONMENT", EXAMPLES] {
        let its = paragraphs.iter().filter(|paragraph| section(paragraph).0 == wanted);
        for (index, paragraph) in its.enumerate() {
            match index {
                0 => manual.section(wanted)?,
                _ => manual.paragraph()?,
            }
            let text = paragraph.strip_prefix(section(paragraph).1).unwrap_or(paragraph);
            if wanted == EXAMPLES || paragraph.starts_with(' ') {
                let lines = text.lines().filter(|line| !line.trim().is_empty());
                manual.sample(lines.map(|line| line.strip_prefix("  ").unwrap_or(line)))?;
            } else {
                manual.text(text)?;
            }
        }
    }
    Ok(())
}
