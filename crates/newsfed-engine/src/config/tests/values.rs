//! Which values the files accept, and the texts of errors and warnings.

use super::super::{AccountSettings, Loaded, add_account, remove_account};
use super::folder::Home;
use super::home;
use crate::model::Secret;
use std::time::Duration;

fn warnings(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn checks_values_of_settings() {
    // A key, valid values, and invalid values with a part of the message.
    type Case<'a> = (&'a str, &'a [&'a str], &'a [(&'a str, &'a str)]);
    let long = format!("net.contact={}", "x".repeat(201));
    let cases: &[Case<'_>] = &[
        (
            "serve.address",
            &["127.0.0.1:1", "\"[::1]:8990\"", "192.168.0.1:65535"],
            &[
                ("127.0.0.1:0", "expected an address with a port"),
                ("localhost:8990", "expected an address with a port"),
            ],
        ),
        (
            "feeds.address",
            &["127.0.0.1:1", "\"[::1]:8990\"", "127.9.9.9:65535"],
            &[
                ("127.0.0.1:0", "expected an address with a port"),
                ("192.168.0.1:8990", "expected a loopback address"),
                ("192.168.0.1:0", "expected an address with a port"),
                ("localhost:8990", "expected an address with a port"),
            ],
        ),
        (
            "net.proxy",
            &["http://p:1", "https://p", "socks5://u:p@p:1", "socks5h://p"],
            &[("ftp://p", "expected the URL of a proxy"), ("http:p", ""), ("socks5:", "proxy")],
        ),
        (
            "log.level",
            &["off", "info,newsfed_engine::net=debug", "trace"],
            &[("infos", "did you mean \"info\"?"), ("info,x=loud", "found \"loud\"")],
        ),
        (
            "net.max_body",
            &["2MiB", "2097152", "2048kB", "1GiB"],
            &[
                ("-1", "expected a size from \"1KiB\" to \"1GiB\""),
                ("1023", "expected a size"),
                ("2GiB", "expected a size"),
                ("true", "expected a size"),
            ],
        ),
        (
            "net.contact",
            &["a@b.example", "~ "],
            &[("é", "ASCII characters"), ("a\u{7f}", "ASCII characters")],
        ),
    ];
    let home = Home::new("", "");
    for (key, good, bad) in cases {
        for value in *good {
            let set = format!("{key}={value}");
            assert!(home.load(&[&set]).is_ok(), "{set}");
        }
        for (value, part) in *bad {
            let set = format!("{key}={value}");
            if *value == "http:p" {
                continue; // The same as http://p.
            }
            let error = home.load(&[&set]).unwrap_err();
            assert!(error.contains(part), "{set}: {error}");
        }
    }
    assert!(home.load(&[&long]).is_err() && home.load(&[&long[..long.len() - 1]]).is_ok());
}

#[test]
fn accounts_need_a_safe_url_and_one_password_source() {
    let file = |keys: &str| {
        let keys = keys.replace(';', "\n");
        format!("[[account]]\nid = \"a\"\nuser = \"me\"\n{keys}\n")
    };
    let secure = "url = \"https://r.example/api/\"";
    let env = "password_env = \"P\"";
    let good = [
        (format!("{secure};{env}"), "https://r.example/api", false),
        (format!("url = \"http://127.0.0.1:9/\";{env}"), "http://127.0.0.1:9", false),
        (format!("url = \"http://r.example\";{env};insecure = true"), "http://r.example", true),
    ];
    for (keys, url, exposed) in good {
        let loaded = Home::new(file(&keys), "").load(&[]).unwrap();
        let account = &loaded.settings.accounts[0];
        assert_eq!((account.url.as_str(), account.is_exposed()), (url, exposed), "{keys}");
        assert_eq!(account.password(), Some(Secret::Env("P".to_owned())));
    }
    let bad = [
        (format!("url = \"http://r.example\";{env}"), "4:7: account.url: would send the password"),
        (format!("url = \"https://u@r.example\";{env}"), "without a password"),
        (format!("url = \"https://:p@r.example\";{env}"), "without a password"),
        (format!("url = \"https://r.example/?a\";{env}"), "expected a URL such as"),
        (format!("url = \"https://r.example/#a\";{env}"), "expected a URL such as"),
        (format!("url = \"ftp://r.example/\";{env}"), "expected a URL such as"),
        (env.to_owned(), "account.url: is missing"),
        (secure.to_owned(), "account.password_command: is missing; set one of password_command"),
        (format!("{secure};{env};password_file = \"/p\""), "use only one of password_command"),
        (format!("{secure};password_file = \"p\""), "expected an absolute path"),
        (format!("{secure};{env};password = \"x\""), "passwords do not belong in this file"),
        (format!("{secure};{env};interval = \"59s\""), "account.interval"),
        (format!("{secure};{env};history = 1000001"), "account.history"),
    ];
    for (keys, want) in bad {
        let error = Home::new(file(&keys), "").load(&[]).unwrap_err();
        assert!(error.contains(want), "{keys}: {error}");
        assert!(!error.contains("p@r"), "{error}");
        assert_eq!(error.lines().count(), 1, "one error is enough: {error}");
    }
    let one = file(&format!("{secure};{env}"));
    let error = Home::new(format!("{one}{one}"), "").load(&[]).unwrap_err();
    assert!(error.contains("another account has the same id"), "{error}");
    assert_eq!(error.lines().count(), 1);
    let broken = format!("{}{one}", file("id = \"!\""));
    assert!(!Home::new(broken, "").load(&[]).unwrap_err().contains("same id"));
}

#[test]
fn adds_and_removes_accounts_in_the_file() {
    let (_folder, paths) = home("");
    let command = AccountSettings {
        id: "a".to_owned(),
        url: "https://r.example/api".to_owned(),
        user: "me \"x\"".to_owned(),
        password_command: vec!["pass".to_owned(), "show it".to_owned()],
        ..AccountSettings::default()
    };
    let file = AccountSettings {
        id: "b".to_owned(),
        url: "http://r.example".to_owned(),
        password_command: Vec::new(),
        password_file: Some("/run/secret".to_owned()),
        insecure: true,
        ..command.clone()
    };
    for account in [&command, &file] {
        add_account(&paths, account).unwrap();
    }
    let accounts = || super::super::load(&paths, &[]).unwrap().settings.accounts;
    assert_eq!(accounts(), [command.clone(), file.clone()]);
    assert!(add_account(&paths, &command).is_err(), "the same id");
    remove_account(&paths, "a").unwrap();
    assert_eq!(accounts(), std::slice::from_ref(&file));
    assert_eq!(file.password(), Some(Secret::File("/run/secret".into())));
    let words = ["pass", "show it"].map(str::to_owned).to_vec();
    assert_eq!(command.password(), Some(Secret::Command(words)));
    assert_eq!(AccountSettings::default().password(), None);
}

#[test]
fn programs_files_and_mailboxes_exclude_other_keys() {
    let exec = "exec = [\"p\", \"x\"]";
    // The keys of an entry, separated by semicolons, and a part of the error; empty if the entry is valid.
    let cases = [
        (exec, ""),
        ("exec = []", "expected a list such as"),
        ("exec = [\" \"]", "expected a list such as"),
        ("file = \"/a/b.xml\"", ""),
        ("file = \"b.xml\"", "expected an absolute path or one that begins with"),
        ("mail = \"/m\";from = \"a@b.example\"", ""),
        ("file = \"/m\";from = \"a@b.example\"", "from: is for sources with `mail`"),
        ("file = \"/m\";exec = [\"p\"]", "cannot be combined with `"),
        ("url = \"https://x.example\";file = \"/m\"", "cannot be combined with `url`"),
        ("url = \"https://x.example\";filter = [\"p\"]", ""),
        ("exec = [\"p\"];filter = [\"p\"]", "filter: cannot be combined with `exec`"),
        ("exec = [\"p\"];kind = \"page\"", "is for feeds, not for the kind \"page\""),
        ("kind = \"list\";file = \"/m.opml\"", ""),
        ("kind = \"list\";exec = [\"p\"]", "is for feeds, not for the kind \"list\""),
        (
            "url = \"https://x.example\";filter = [\"p\"];account = \"a\"",
            "the server of the account",
        ),
    ];
    for (keys, want) in cases {
        let text = format!("[[source]]\n{}\n", keys.replace(';', "\n"));
        match Home::new("", text).load(&[]) {
            Ok(_) => assert_eq!(want, "", "{keys}"),
            Err(error) => assert!(!want.is_empty() && error.contains(want), "{keys}: {error}"),
        }
    }
    // Keys without an effect.
    for (keys, want) in [
        (
            format!("{exec}\nproxy = \"http://p:1\""),
            Some("proxy: has no effect, because nothing is"),
        ),
        (format!("{exec}\nprivate = true"), Some("private: has no effect, because nothing is")),
        (format!("{exec}\nlimit = \"9s\""), None),
        ("file = \"/m\"\nlimit = \"9s\"".to_owned(), Some("limit: has no effect without exec")),
        ("url = \"https://x.example\"\nprivate = true".to_owned(), None),
    ] {
        let found = warnings(&Home::new("", format!("[[source]]\n{keys}\n")).load(&[]).unwrap());
        assert_eq!(found.len(), usize::from(want.is_some()), "{keys}: {found:?}");
        assert!(want.is_none_or(|want| found[0].contains(want)), "{keys}: {found:?}");
    }
}

#[test]
fn explains_invalid_source_urls() {
    let long = format!("https://x.example/{}", "x".repeat(8192));
    for (url, want) in [
        ("x.example/feed", "; is https:// missing at the start?"),
        ("https://", "(empty host)"),
        ("file:///a", "for a file, write file = \"/path\" instead"),
        ("exec:ls", "write exec = [\"program\"] instead"),
        ("filter:x", "add filter = [\"program\"]"),
        ("ftp://me:hush@x.example", "; only http and https URLs can be followed"),
        (&long, " (too long)"),
    ] {
        let text = format!("[[source]]\nurl = \"{url}\"\n");
        let error = Home::new("", text).load(&[]).unwrap_err();
        assert!(error.contains(want) && !error.contains("hush"), "{url:.40}: {error:.300}");
    }
    let most = &long[..8192];
    assert!(Home::new("", format!("[[source]]\nurl = \"{most}\"\n")).load(&[]).is_ok());
}

#[test]
fn account_sources_keep_only_settings_unknown_to_the_server() {
    let config = "[[account]]\nid = \"work\"\nurl = \"https://r.example\"\nuser = \"me\"\n\
                  password_env = \"P\"\n";
    let source = |keys: &str| format!("[[source]]\nurl = \"https://x.example/\"\n{keys}\n");
    for (keys, want) in [
        ("account = \"work\"", None),
        ("account = \"work\"\nfull_text = \"all\"", None),
        (
            "account = \"work\"\ninterval = \"2h\"",
            Some("the server of the account \"work\" polls this source"),
        ),
        (
            "account = \"wrk\"",
            Some("there is no account \"wrk\" in config.toml; did you mean \"work\"?"),
        ),
    ] {
        let loaded = Home::new(config, source(keys)).load(&[]).unwrap();
        let found = warnings(&loaded);
        assert_eq!(found.len(), usize::from(want.is_some()), "{keys}: {found:?}");
        assert!(want.is_none_or(|want| found[0].contains(want)), "{keys}: {found:?}");
        let account = loaded.sources[0].account.as_deref();
        assert!(keys.contains(account.unwrap()), "{keys}");
    }
    let error = |keys: &str| Home::new(config, source(keys)).load(&[]).unwrap_err();
    assert!(error("account = 1").contains("expected the id of an account in quotation marks"));
    assert!(error("list = 1").contains("expected the id of a source with kind = \"list\""));
    let listed = Home::new("", source("list = \"l\"")).load(&[]).unwrap();
    assert_eq!(listed.sources[0].list.as_ref().unwrap().as_str(), "l");
}

#[test]
fn warns_about_a_fixed_interval_below_the_minimum() {
    for (interval, least, warns) in [("1h", "2h", true), ("2h", "2h", false), ("3h", "2h", false)] {
        let text = format!("[schedule]\ninterval = \"{interval}\"\nmin_interval = \"{least}\"\n");
        let found = warnings(&Home::new(text, "").load(&[]).unwrap());
        let about = found.iter().any(|warning| warning.contains("2:1: schedule.interval: "));
        assert_eq!(about, warns, "{interval} {least}: {found:?}");
    }
}

#[test]
fn warns_about_two_views_with_the_same_name() {
    let view = |name: &str| format!("[[view]]\nname = \"{name}\"\nquery = \"x\"\n");
    let loaded = Home::new(["A", "B", "A"].map(view).concat(), "").load(&[]).unwrap();
    let [warning] = warnings(&loaded).try_into().unwrap();
    assert!(warning.ends_with(":8:8: view.name: \"A\" is the name of two views; rename one"));
    assert_eq!(loaded.settings.views.len(), 3);
}

#[test]
fn errors_beyond_the_limit_are_only_counted() {
    let source = "[[source]]\nurl = \"ftp://x.example/\"\n";
    let account = "[[account]]\nurl = \"ftp://x.example/\"\n";
    let hook = "[[hook]]\nafter = 1\n";
    for (config, sources, line) in
        [("", source, 2), (account, "", 2), (hook, "", 2), ("[[view]]\nname = 1\n", "", 1)]
    {
        let home = Home::new(config.repeat(2_000), sources.repeat(2_000));
        let errors = super::super::load(&home.paths, &[]).unwrap_err();
        let count = errors.errors.len() + errors.more;
        assert!(
            errors.more > 0 && count >= 2_000 && count.is_multiple_of(2_000),
            "{config}: {count}"
        );
        let shown = errors.to_string();
        assert_eq!(shown.lines().count(), errors.errors.len() + 1);
        assert!(shown.ends_with(&format!("\nand {} more", errors.more)), "{}", errors.more);
        assert_eq!(errors.first_line(), line, "{config}");
    }
    let set = Home::new("", "").load(&["ui.ascii=maybe"]).unwrap_err();
    assert!(set.starts_with("--set ui.ascii: expected"), "{set}");
}

#[test]
fn source_settings_override_global_settings() {
    let config = "[schedule]\npolicy = \"change-rate\"\ninterval = \"3h\"\nmin_interval = \"10m\"\n\
        usual_min_interval = \"20m\"\nmax_interval = \"9h\"\nchange_rate_smoothing = 0.1\n\
        change_rate_gain = 0.2\nchange_rate_target = 0.3\nadvarss_tick = \"11m\"\nadvarss_cap = 12\n\
        learned_exponent = 0.4\nlearned_silence = 5.0\nquiet_hours = \"22:00-06:00\"\n";
    let source = "[[source]]\nurl = \"https://x.example/\"\n";
    let own = "interval = \"5h\"\n[source.schedule]\npolicy = \"learned\"\nmin_interval = \"30m\"\n\
        max_interval = \"8h\"\nchange_rate_smoothing = 0.5\nchange_rate_gain = 0.6\n\
        change_rate_target = 0.7\nadvarss_tick = \"21m\"\nadvarss_cap = 22\nlearned_exponent = 0.8\n\
        learned_silence = 9.0\nquiet_hours = \"01:00-02:00\"\n";
    let loaded = Home::new(config, format!("{source}{own}{source}id = \"b\"\n")).load(&[]).unwrap();
    let common = &loaded.settings.schedule;
    let [first, second] = [0, 1].map(|n| common.of(&loaded.sources[n]));
    assert_eq!(&second, common);
    let minutes = |minutes: u64| Duration::from_secs(minutes * 60);
    assert_eq!(first.policy.name(), "learned");
    let times = [first.interval, first.min_interval, first.usual_min_interval, first.max_interval];
    assert_eq!(times, [300, 30, 30, 480].map(minutes));
    let rates = [first.change_rate_smoothing, first.change_rate_gain, first.change_rate_target];
    assert_eq!(rates, [0.5, 0.6, 0.7]);
    assert_eq!((first.advarss_tick, first.advarss_cap), (minutes(21), 22));
    assert_eq!((first.learned_exponent, first.learned_silence), (0.8, 9.0));
    assert_eq!(first.quiet_hours.as_deref(), Some("01:00-02:00"));
}

#[test]
fn invalid_rules_do_not_apply() {
    let rule = |keys: &str| format!("[[rule]]\n{}\n", keys.replace(';', "\n"));
    let good = "query = \"x\";do = [\"read\"]";
    for (keys, problem) in [
        (good, ""),
        ("query = \"x\";run = [\"p\"]", ""),
        ("do = [\"read\"]", "query: is missing"),
        ("query = \"(\";do = [\"read\"]", "query: "),
        ("query = \"asof:2026-01-01\";do = [\"read\"]", "query: asof: and in:versions cannot"),
        ("query = \"in:versions x\";do = [\"read\"]", "query: asof: and in:versions cannot"),
        ("query = \"x is:duplicate\";do = [\"read\"]", "query: is:duplicate and has:duplicate"),
        ("query = \"x\"", "do: is missing"),
        ("query = \"\";do = [\"read\"]", "query: is missing"),
        (
            "query = \"x\";do = [\"raed\"]",
            "do: expected read, pin, later, hide, notify, run or tag:NAME, found \"raed\"; did you mean \"read\"?",
        ),
        ("query = \"x\";do = ['tag:a\"b']", ""),
        ("query = \"x\";do = [\"tag:\\u200B\"]", "do: "),
        (
            "query = \"x\";do = [\"tag:a23456789012345678901234567890123456789012345678901234567890x\"]",
            "do: a tag has 1 to 60 characters",
        ),
        ("query = \"x\";do = [\"run\"]", "run: is missing"),
        ("query = \"x\";do = [\"run\"];run = [\"p\", \"{url}\"]", ""),
    ] {
        let loaded = Home::new(rule(keys), "").load(&[]).unwrap();
        let (found, rules) = (warnings(&loaded), &loaded.settings.rules);
        let name = match rules[0].query.as_str() {
            "" => "rule 1",
            query => query,
        };
        assert_eq!((rules.len(), rules[0].name.as_str()), (1, name), "{keys}");
        let is_as_expected = match problem {
            "" => rules[0].problem.is_empty(),
            problem => rules[0].problem.starts_with(problem),
        };
        assert!(is_as_expected, "{keys}: {}", rules[0].problem);
        assert_eq!(found.len(), usize::from(!problem.is_empty()), "{keys}: {found:?}");
        assert!(
            found
                .iter()
                .all(|text| text.ends_with(&format!("; the rule \"{name}\" is not applied"))),
            "{found:?}"
        );
    }
    let all = "name = \"r\";query = \"titel:x\";do = [\"explode\"]";
    let found = warnings(&Home::new(rule(all), "").load(&[]).unwrap());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("did you mean \"title:\"?") && found[1].contains("\"explode\""));
    let named = rule(&format!("name = \"r\";{good}"));
    let twice = Home::new(format!("{named}{named}{}", rule(good)), "").load(&[]).unwrap();
    let problems: Vec<&str> = twice.settings.rules.iter().map(|r| r.problem.as_str()).collect();
    assert_eq!(problems, ["", "name: \"r\" is the name of two rules", ""]);
    assert_eq!(twice.settings.rules[2].name, "x");
    let unnamed = rule("query = \"y\";do = [\"read\"]");
    let same = rule(good);
    for (text, names) in [
        (format!("{unnamed}{same}{same}"), &["y", "x", "x (2)"][..]),
        (format!("{same}{same}"), &["x", "x (2)"]),
    ] {
        let loaded = Home::new(text, "").load(&[]).unwrap();
        let found: Vec<&str> = loaded.settings.rules.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(found, names, "they do not depend on the rules before");
    }
}

#[test]
fn describes_the_effects_of_a_rule() {
    for (effects, run, stop, inside, outside) in [
        (&["read"][..], &[][..], false, "read", ""),
        (&["read", "pin"], &[], true, "read, pin, stop", ""),
        (&["notify"], &[], false, "notify", "; would notify, but only for new items"),
        (
            &["run"],
            &["p", "x"],
            false,
            "run p x",
            "; would run its command, but only for new items",
        ),
        (
            &["notify", "run"],
            &["p"],
            false,
            "notify, run p",
            "; would notify and run its command, but only for new items",
        ),
    ] {
        let owned =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let (effects, run) = (owned(effects), owned(run));
        let rule = super::super::RuleSettings { effects, run, stop, ..Default::default() };
        assert_eq!(
            (rule.describe_effects().as_str(), rule.describe_outside().as_str()),
            (inside, outside)
        );
    }
}
