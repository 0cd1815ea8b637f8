//! Checks the pages for users: links have targets, and the things that pages name exist. `tests/cli/guide.rs`
//! runs the sessions in them.

use super::config::EXAMPLE;
use super::markdown::{Page, pages, root};
use newsfed::config::{KeyMap, Paths, load};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const JSON: &str = include_str!("../../docs/json.md");

#[track_caller]
fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// The targets of links and pictures in a line, without those in code.
fn links(line: &str) -> Vec<&str> {
    let mut text = line;
    let mut found = vec![];
    while let Some(start) = text.find("](") {
        let quoted = line[..line.len() - text.len() + start].matches('`').count() % 2 == 1;
        text = &text[start + 2..];
        if let Some(end) = text.find(')').filter(|_| !quoted) {
            found.push(&text[..end]);
        }
    }
    found
}

/// The name of a heading in links, by the rules of GitHub and mdBook.
fn anchor(heading: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.trim().to_lowercase().chars().filter(|&c| kept(c)).collect::<String>().replace(' ', "-")
}

fn anchors(page: &Page) -> BTreeSet<String> {
    let headings = page.prose().into_iter().filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn links_lead_to_files_and_headings_that_exist() {
    let mut all = pages();
    let others = ["CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];
    all.extend(others.map(Page::read));
    let anchors: BTreeMap<_, _> = all.iter().map(|p| (p.path.clone(), anchors(p))).collect();
    let (mut wrong, mut count) = (vec![], 0);
    for page in &all {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (number, line) in page.paragraphs() {
            for link in links(&line) {
                count += 1;
                if link.starts_with("https://") || link.starts_with("http://") {
                    assert!(url::Url::parse(link).is_ok(), "{}:{number}: {link}", page.path);
                    continue;
                }
                let (file, place) = link.split_once('#').unwrap_or((link, ""));
                let path = match (file, folder) {
                    ("", _) => page.path.clone(),
                    (_, "") => file.to_owned(),
                    _ => format!("{folder}/{file}"),
                };
                // The guide is a separate book, without the other files of the repository.
                let leaves = folder == "docs" && file.starts_with("..");
                let known =
                    place.is_empty() || anchors.get(&path).is_some_and(|a| a.contains(place));
                if leaves || !known || !root().join(&path).exists() {
                    wrong.push(format!("{}:{number}: {link}", page.path));
                }
            }
        }
    }
    assert_none("links that lead nowhere", &wrong);
    assert!(count > 150, "only {count} links were found");
}

#[test]
fn every_page_is_in_the_summary_of_the_guide_once() {
    let summary = Page::read("docs/SUMMARY.md");
    let mut listed: Vec<_> =
        summary.prose().into_iter().flat_map(|(_, line)| links(line)).collect();
    listed.sort_unstable();
    let files: Vec<String> = pages().into_iter().map(|page| page.path).collect();
    let files = files.iter().filter_map(|path| path.strip_prefix("docs/"));
    let mut files: Vec<_> = files.filter(|name| *name != "SUMMARY.md").collect();
    files.sort_unstable();
    assert_eq!(listed, files);
}

#[test]
fn every_picture_is_used() {
    let used: BTreeSet<String> = pages()
        .iter()
        .flat_map(|page| {
            page.prose().into_iter().flat_map(|(_, line)| links(line)).collect::<Vec<_>>()
        })
        .filter_map(|link| link.rsplit_once("images/").map(|(_, name)| name.to_owned()))
        .collect();
    let folder = fs::read_dir(root().join("docs/images")).unwrap();
    let files = folder.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(used, files);
}

/// The commands of newsfed in a shell line. Pipes, redirections and comments are cut off.
fn commands(line: &str) -> Vec<Vec<String>> {
    // The output of one command may be the arguments of another.
    if let Some((start, end)) = line.find("$(").zip(line.rfind(')')).filter(|(s, e)| s < e) {
        let outer = format!("{}1{}", &line[..start], &line[end + 1..]);
        return [commands(&outer), commands(&line[start + 2..end])].concat();
    }
    let line = line.replace("; ", " ; ");
    let words = shlex::split(&line).unwrap();
    let ends = |word: &String| matches!(word.as_str(), "|" | "&&" | "||" | ";" | "&");
    let redirects = |word: &String| word.starts_with(['>', '<']) || word.starts_with("2>");
    words
        .split(ends)
        .map(|part| part.iter().take_while(|w| !redirects(w)).cloned().collect::<Vec<_>>())
        .filter(|part| part.first().is_some_and(|word| word == "newsfed"))
        .collect()
}

#[test]
fn commands_are_found_in_lines_of_a_shell() {
    for (line, expected) in [
        ("newsfed sync # all", vec!["newsfed sync"]),
        ("newsfed sync --due && newsfed list | jq .x", vec!["newsfed sync --due", "newsfed list"]),
        ("newsfed show 1 > a; echo 'newsfed x'", vec!["newsfed show 1"]),
        (
            "newsfed pin $(newsfed list --json | jq '(.x)')",
            vec!["newsfed pin 1", "newsfed list --json"],
        ),
        ("docker run newsfed", vec![]),
    ] {
        let found: Vec<String> = commands(line).iter().map(|words| words.join(" ")).collect();
        assert_eq!(found, expected);
    }
}

/// Every command in a block for a shell or a session, with the line of the block.
fn block_commands(page: &Page) -> Vec<(usize, Vec<String>)> {
    let mut found = vec![];
    for block in page.blocks() {
        let text = block.text.replace("\\\n", " ");
        let lines: Vec<&str> = match block.language.as_str() {
            "sh" => text.lines().collect(),
            "console" => text.lines().filter_map(|line| line.strip_prefix("$ ")).collect(),
            _ => continue,
        };
        found.extend(lines.into_iter().flat_map(commands).map(|command| (block.line, command)));
    }
    found
}

#[test]
fn commands_and_options_exist() {
    use clap::error::ErrorKind::{DisplayHelp, DisplayVersion, InvalidSubcommand, UnknownArgument};
    let parse = |words: &[String]| newsfed::cli::command().try_get_matches_from(words).err();
    let (mut wrong, mut count) = (vec![], 0);
    for page in pages() {
        let path = &page.path;
        for (line, words) in block_commands(&page) {
            count += 1;
            let error = parse(&words).filter(|e| !matches!(e.kind(), DisplayHelp | DisplayVersion));
            wrong.extend(error.map(|e| format!("{path}:{line}: {words:?}: {e}")));
        }
        // In the text, arguments are omitted or are placeholders: `newsfed show ID`.
        for (line, span) in page.code_spans() {
            for words in
                Some(span.as_str()).filter(|s| s.starts_with("newsfed")).map_or(vec![], commands)
            {
                count += 1;
                let error = parse(&words)
                    .filter(|e| matches!(e.kind(), InvalidSubcommand | UnknownArgument));
                wrong.extend(error.map(|e| format!("{path}:{line}: {span}: {e}")));
            }
        }
        for (line, text) in page.prose() {
            assert!(!text.starts_with("    newsfed"), "{path}:{line}: use a fenced block");
        }
        for block in page.blocks().into_iter().filter(|block| block.language.is_empty()) {
            let line = block.line;
            assert!(!block.text.contains("newsfed "), "{path}:{line}: say that it is for a shell");
        }
    }
    assert_none("commands that do not exist", &wrong);
    assert!(count > 200, "only {count} commands were found");
}

fn is_key(c: char) -> bool {
    c.is_ascii_lowercase() || c == '_'
}

/// The keys that a jq program reads: `.key`, and `{key, key}`.
fn keys_in(program: &str) -> Vec<&str> {
    let after = |at: usize| program[at + 1..].split(|c| !is_key(c)).next().unwrap_or_default();
    let mut keys: Vec<&str> = program.match_indices('.').map(|(at, _)| after(at)).collect();
    for (at, _) in program.match_indices('{') {
        let object = program[at + 1..].split('}').next().unwrap_or_default();
        keys.extend(object.split(',').map(str::trim).filter(|key| key.chars().all(is_key)));
    }
    keys.retain(|key| !key.is_empty());
    keys
}

#[test]
fn keys_in_jq_programs_are_documented() {
    assert_eq!(keys_in("'.a[] | {b, c: .d} | .'"), ["a", "d", "b"]);
    let known: BTreeSet<&str> = JSON
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .flat_map(|span| span.split(|c| !is_key(c)))
        .collect();
    let (mut wrong, mut count) = (vec![], 0);
    for page in pages() {
        let blocks =
            page.blocks().into_iter().filter(|b| matches!(b.language.as_str(), "sh" | "console"));
        for (line, text) in blocks.map(|block| (block.line, block.text.replace("\\\n", " "))) {
            for part in text.split("| jq ").skip(1) {
                let program = part.split(['\n', '>']).next().unwrap_or_default();
                for key in keys_in(program) {
                    count += 1;
                    if !known.contains(key) {
                        wrong.push(format!("{}:{line}: {key}", page.path));
                    }
                }
            }
        }
    }
    assert_none("keys that docs/json.md does not have", &wrong);
    assert!(count > 15, "only {count} keys were found");
}

/// The first cells of table rows.
fn first_cells(page: &Page) -> Vec<(usize, String)> {
    let cell = |line: &str| {
        Some(line.strip_prefix("| ")?.replace("\\|", "\u{0}").split('|').next()?.to_owned())
    };
    page.prose()
        .into_iter()
        .filter_map(|(n, line)| Some((n, cell(line)?.replace('\u{0}', "|"))))
        .collect()
}

/// `tests/library/config.rs` compares docs/keys.md with the bindings.
#[test]
fn keys_in_tables_are_bound() {
    let spans =
        |cell: String| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let keys = Page::read("docs/keys.md");
    let bound: BTreeSet<String> =
        first_cells(&keys).into_iter().flat_map(|(_, cell)| spans(cell)).collect();
    let (mut wrong, mut count) = (vec![], 0);
    for page in pages().iter().filter(|page| page.path != "docs/keys.md") {
        // The line after which the next row of a key table follows, if one has begun.
        let mut last = None;
        for (line, cell) in first_cells(page) {
            let heading = ["key", "keys"].contains(&cell.trim());
            let follows = last.is_some_and(|last| line <= last + 2);
            last = (heading || follows).then_some(line);
            if heading || !follows {
                continue;
            }
            let (known, unbound): (Vec<_>, Vec<_>) =
                spans(cell).into_iter().partition(|key| bound.contains(key));
            count += known.len();
            wrong.extend(unbound.iter().map(|key| format!("{}:{line}: {key}", page.path)));
        }
    }
    assert_none("keys that are not bound", &wrong);
    assert!(count > 30, "only {count} keys in tables");
}

/// Every key in config.example.toml, with its section: `ui.theme`.
fn settings() -> BTreeSet<String> {
    let mut section = String::new();
    let mut keys = BTreeSet::new();
    for line in EXAMPLE.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned() + ".";
        } else if let Some((key, _)) = line.strip_prefix('#').and_then(|l| l.split_once(" = "))
            && key.chars().all(is_key)
        {
            keys.insert(format!("{section}{key}"));
        }
    }
    keys.extend(newsfed::config::source_keys().into_iter().map(|key| key.to_string()));
    keys
}

#[test]
fn settings_in_the_guide_exist() {
    let settings = settings();
    let sections: BTreeSet<&str> =
        settings.iter().filter_map(|k| Some(k.split_once('.')?.0)).collect();
    let (mut wrong, mut count) = (vec![], 0);
    for page in pages() {
        for (line, span) in page.code_spans() {
            let key = span.split([' ', '=']).next().unwrap_or_default();
            let named = key.split_once('.').filter(|(section, rest)| {
                let word = |c: char| c.is_ascii_lowercase() || c == '_' || c == '.';
                sections.contains(section) && rest.chars().all(word) && !rest.ends_with("toml")
            });
            if named.is_some() {
                count += 1;
                if !settings.contains(key) {
                    wrong.push(format!("{}:{line}: {key}", page.path));
                }
            }
        }
    }
    assert_none("settings that do not exist", &wrong);
    assert!(count > 60, "only {count} settings were found");
}

#[test]
fn snippets_of_both_files_can_be_loaded() {
    let (mut wrong, mut count) = (vec![], 0);
    for page in pages() {
        let blocks: Vec<_> = page.blocks().into_iter().filter(|b| b.language == "toml").collect();
        let accounts: String = blocks
            .iter()
            .filter(|block| block.text.contains("[[account]]"))
            .map(|block| block.text.as_str())
            .collect();
        for block in &blocks {
            count += 1;
            let sources = block.text.contains("[[source]]");
            // Sources of an account need the account.
            let config = if sources { &accounts } else { &block.text };
            let folder = tempfile::tempdir().unwrap();
            let paths = Paths::below(folder.path());
            fs::create_dir_all(paths.config_dir()).unwrap();
            fs::write(paths.config_file(), config).unwrap();
            fs::write(paths.sources_file(), if sources { &block.text } else { "" }).unwrap();
            let place = format!("{}:{}", page.path, block.line);
            match load(&paths, &[]) {
                Ok(loaded) => {
                    wrong.extend(loaded.warnings.iter().map(|w| format!("{place}: {w}")));
                    let keys = KeyMap::load(&loaded.settings.keys).err();
                    wrong.extend(keys.map(|error| format!("{place}: {error}")));
                }
                Err(error) => wrong.push(format!("{place}: {error}")),
            }
        }
    }
    assert_none("snippets with errors or warnings", &wrong);
    assert!(count > 30, "only {count} snippets were found");
}
