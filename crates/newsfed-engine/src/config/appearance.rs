//! The appearance and key bindings in `config.toml`, for the demo.

/// The tables for appearance and key bindings. None of them names a program or a source.
const TABLES: [&str; 3] = ["ui", "keys", "themes"];

/// Keeps only the appearance and key bindings of a `config.toml`; empty if it has none.
pub fn appearance(text: &str) -> String {
    let Ok(mut document) = text.parse::<toml_edit::DocumentMut>() else { return String::new() };
    let table = document.as_table_mut();
    let others =
        table.iter().map(|(key, _)| key.to_owned()).filter(|k| !TABLES.contains(&k.as_str()));
    for key in others.collect::<Vec<_>>() {
        table.remove(&key);
    }
    if table.is_empty() { String::new() } else { document.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_appearance_and_keys() {
        let text = "# mine\nbrowser = [\"lynx\"]\n[ui]\ntheme = \"mine\"\n[net]\nproxy = \"http://p\"\n\
                    [themes.mine]\nbase = \"nord\"\n[[command]]\nname = \"a\"\n[keys]\npreset = \"newsboat\"\n\
                    [keys.items]\n\"x\" = \"pin\"\n";
        let left = appearance(text);
        for part in
            ["theme = \"mine\"", "[themes.mine]", "preset = \"newsboat\"", "\"x\" = \"pin\""]
        {
            assert!(left.contains(part), "{part}: {left}");
        }
        for part in ["lynx", "proxy", "command"] {
            assert!(!left.contains(part), "{part}: {left}");
        }
        assert_eq!(
            (appearance("browser = [\"lynx\"]"), appearance("[")),
            (String::new(), String::new())
        );
    }
}
