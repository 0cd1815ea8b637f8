//! Lists of arguments with placeholders, such as `["mpv", "{url}"]`. No shell is used, so each argument stays
//! a single argument, whatever the values of its placeholders.

/// Replaces placeholders with their values. Placeholders inside a value, and in the program itself, which
/// comes first, are not replaced. An argument that begins with a value must not be mistaken for an option, so
/// a value with a leading minus gets a space before it.
pub fn filled(argv: &[String], values: &[(&str, &str)]) -> Vec<String> {
    let fill = |(i, argument): (usize, &String)| match i {
        0 => argument.clone(),
        _ => filled_argument(argument, values),
    };
    argv.iter().enumerate().map(fill).collect()
}

fn filled_argument(argument: &str, values: &[(&str, &str)]) -> String {
    let (mut filled, mut rest) = (String::with_capacity(argument.len()), argument);
    let next = |rest: &str| {
        let found =
            values.iter().filter_map(|(name, value)| Some((rest.find(name)?, *name, *value)));
        found.min_by_key(|(at, ..)| *at)
    };
    while let Some((at, name, value)) = next(rest) {
        filled.push_str(&rest[..at]);
        // Arguments cannot contain NUL.
        filled.extend(value.chars().filter(|c| *c != '\0'));
        rest = &rest[at + name.len()..];
    }
    filled.push_str(rest);
    let is_foreign = !argument.starts_with('-') && filled.starts_with('-');
    if is_foreign { format!(" {filled}") } else { filled }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_their_arguments() {
        let values = [
            ("{url}", "https://a.example/?q={title}&x=1"),
            ("{title}", "-rf \"$(rm x)\" `y`; {url}\n\0z"),
        ];
        let title = "-rf \"$(rm x)\" `y`; {url}\nz";
        for (argv, expected) in [
            (&["see", "{url}"][..], vec!["see", "https://a.example/?q={title}&x=1"]),
            (&["see", "{title}"], vec!["see", &format!(" {title}")]),
            (&["see", "--title={title}", "-"], vec!["see", &format!("--title={title}"), "-"]),
            (&["{title}", "--x"], vec!["{title}", "--x"]),
            (
                &["see", "{title}{url}"],
                vec!["see", &format!(" {title}https://a.example/?q={{title}}&x=1")],
            ),
        ] {
            let argv: Vec<String> = argv.iter().map(|a| (*a).to_owned()).collect();
            assert_eq!(filled(&argv, &values), expected, "{argv:?}");
        }
    }
}
