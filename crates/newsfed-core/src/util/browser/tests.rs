use super::*;

const URL: &str = "https://example.com/a?b=c&d";

/// Plans with the given `BROWSER`, `DISPLAY` and installed programs.
fn planned(
    configured: &[&str],
    browser: Option<&str>,
    display: Option<&str>,
    programs: &[&str],
    address: &str,
) -> Result<Launch, NoBrowser> {
    let configured: Vec<String> = configured.iter().map(|a| (*a).to_owned()).collect();
    let variable = |name: &str| match name {
        "BROWSER" => browser.map(str::to_owned),
        "DISPLAY" => display.map(str::to_owned),
        _ => None,
    };
    let installed = |program: &str| programs.contains(&program);
    let around = Surroundings { variable: &variable, installed: &installed };
    plan(&configured, false, &around, &[address])
}

fn commands(argv: &[&str], in_terminal: bool) -> Result<Launch, NoBrowser> {
    let argv = argv.iter().map(|a| (*a).to_owned()).collect();
    Ok(Launch { how: How::Commands(vec![argv]), in_terminal })
}

#[test]
fn the_browser_setting_takes_precedence() {
    let all = ["firefox", "w3m", "/opt/lynx"];
    let plan = |argv: &[&str]| planned(argv, Some("w3m"), Some(":0"), &all, URL);
    assert_eq!(
        plan(&["firefox", "--new-tab", "{url}"]),
        commands(&["firefox", "--new-tab", URL], false)
    );
    assert_eq!(plan(&["firefox"]), commands(&["firefox", URL], false));
    assert_eq!(
        plan(&["/opt/lynx", "-x={url}"]),
        commands(&["/opt/lynx", &format!("-x={URL}")], true)
    );
    assert_eq!(plan(&["gone"]), Err(NoBrowser::NotInstalled("gone".to_owned())));
}

#[test]
fn reads_the_browser_variable_as_command_lines() {
    let all = ["firefox", "w3m", "my browser"];
    let plan = |list: &str| planned(&[], Some(list), None, &all, URL);
    assert_eq!(plan("firefox -P 'a b' %s"), commands(&["firefox", "-P", "a b", URL], false));
    assert_eq!(plan("gone %s:w3m"), commands(&["w3m", URL], true));
    assert_eq!(plan("'my browser'"), commands(&["my browser", URL], false));
    assert_eq!(
        plan("firefox $(touch x) `y`;z"),
        commands(&["firefox", "$(touch", "x)", "`y`;z", URL], false)
    );
    assert_eq!(plan("'unclosed:w3m"), commands(&["w3m", URL], true), "not a command line");
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn system_opener_needs_a_display() {
    let url = Url::parse(URL).unwrap();
    let system = Ok(Launch { how: How::System(vec![url]), in_terminal: false });
    assert_eq!(planned(&[], None, Some(":0"), &["w3m"], URL), system);
    assert_eq!(planned(&[], Some(""), Some(":0"), &[], URL), system);
    assert_eq!(planned(&[], Some("gone"), Some(":0"), &[], URL), system);
    assert_eq!(planned(&[], None, Some(""), &["lynx"], URL), commands(&["lynx", URL], true));
    assert_eq!(planned(&[], None, None, &[], URL), Err(NoBrowser::NoScreen));
    assert_eq!(planned(&[], Some(""), None, &[], URL), Err(NoBrowser::NoScreen));
    let gone = Err(NoBrowser::VariableNotInstalled("gone -x".to_owned()));
    assert_eq!(planned(&[], Some("gone -x"), None, &[], URL), gone);
    let unclosed = Err(NoBrowser::VariableUnclosed("gone:'w3m".to_owned()));
    assert_eq!(planned(&[], Some("gone:'w3m"), None, &[], URL), unclosed);
}

#[test]
fn opens_only_http_and_https() {
    for address in ["file:///etc/passwd", "javascript:1", "-x", "mailto:a@b", "", "--help"] {
        let result = planned(&["firefox"], None, None, &["firefox"], address);
        assert_eq!(result, Err(NoBrowser::Address), "{address}");
    }
    let spaced = planned(&["firefox"], None, None, &["firefox"], "http://h/a b\u{1b}c");
    assert_eq!(spaced, commands(&["firefox", "http://h/a%20b%1Bc"], false));
}

#[test]
fn recognises_players_that_run_in_the_terminal() {
    let cases: [(&[&str], &str, bool); 9] = [
        (&["mpv", "{url}"], "audio/mpeg", true),
        (&["/usr/bin/mpv"], "audio/mpeg", true),
        (&["mpv"], "video/mp4", false),
        (&["mpv"], "", false),
        (&["mpv", "--force-window", "{url}"], "audio/mpeg", false),
        (&["mpg123"], "audio/mpeg", true),
        (&["vlc"], "audio/mpeg", false),
        (&["viewer"], "image/png", true),
        (&[], "image/png", false),
    ];
    for (argv, kind, expected) in cases {
        let argv: Vec<String> = argv.iter().map(|a| (*a).to_owned()).collect();
        assert_eq!(draws_in_terminal(&argv, kind, &["viewer".to_owned()]), expected, "{argv:?}");
    }
}

#[test]
fn a_file_path_is_passed_as_one_argument() {
    let around = Surroundings { variable: &|_| None, installed: &|program| program == "see" };
    let file = Path::new("/home/u/a b; {url}.pdf");
    for (argv, expected) in [
        (&["see", "{file}"][..], commands(&["see", "/home/u/a b; {url}.pdf"], false)),
        (
            &["see", "-f={file}", "{url}"],
            commands(&["see", "-f=/home/u/a b; {url}.pdf", URL], false),
        ),
        (&["see", "{url}", "{file}"], commands(&["see", URL, "/home/u/a b; {url}.pdf"], false)),
        (&["gone", "{file}"], Err(NoBrowser::NotInstalled("gone".to_owned()))),
    ] {
        let argv: Vec<String> = argv.iter().map(|a| (*a).to_owned()).collect();
        assert!(needs_file(&argv));
        assert_eq!(plan_file(&argv, false, &around, (URL, file)), expected);
    }
}

#[cfg(unix)]
#[test]
fn passes_paths_of_stored_files_to_programs() {
    let around = Surroundings { variable: &|_| None, installed: &|_| true };
    let plan = |argv: &[&str], path: &str| {
        let argv: Vec<String> = argv.iter().map(|part| (*part).to_owned()).collect();
        plan_stored(&argv, false, &around, Path::new(path)).map(|launch| launch.how)
    };
    let path = "/files/-a $(b).mp3";
    for (argv, expected) in [
        (&["mpv", "{url}"][..], &["mpv", path][..]),
        (&["mpv", "--", "{file}"], &["mpv", "--", path]),
        (&["mpv"], &["mpv", path]),
    ] {
        let expected = expected.iter().map(|part| (*part).to_owned()).collect();
        assert_eq!(plan(argv, path), Ok(How::Commands(vec![expected])), "{argv:?}");
    }
    assert_eq!(plan(&["mpv"], "relative.mp3"), Err(NoBrowser::Address));
}

#[test]
fn finds_programs_by_name_and_by_path() {
    assert!(installed("sh") && installed("/bin/sh"));
    assert!(!installed("") && !installed("/etc/passwd") && !installed("no-such-program-here"));
}

#[cfg(unix)]
#[test]
fn starts_a_detached_program() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("out");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let script = format!("echo \"$1\" > {}", fifo.display());
    let argv = ["sh", "-c", &script, "x", URL].map(str::to_owned).to_vec();
    let plan = Launch { how: How::Commands(vec![argv]), in_terminal: false };
    launch(&plan, Duration::ZERO).unwrap();
    // Opening the pipe for reading blocks until the writer opens it.
    assert_eq!(std::fs::read_to_string(&fifo).unwrap().trim(), URL);
}

#[cfg(unix)]
#[test]
fn reports_a_program_that_fails_at_once() {
    let run = |scripts: &[&str], watched| {
        let argv = |script: &&str| ["sh", "-c", script].map(str::to_owned).to_vec();
        let how = How::Commands(scripts.iter().map(argv).collect());
        let done = launch(&Launch { how, in_terminal: false }, watched);
        done.map_err(|e| (e.to_string(), e.indexes))
    };
    let long = Duration::from_secs(60);
    let exit = Err(("sh exited with 3".to_owned(), vec![1, 3]));
    assert_eq!(run(&["true", "exit 3", "true", "exit 4"], long), exit);
    assert_eq!(run(&["kill -9 $$"], long), Err(("sh was killed".to_owned(), vec![0])));
    assert_eq!(run(&["true", "exit 0"], long), Ok(()));
    assert_eq!(run(&["sleep 2; exit 3"], Duration::from_millis(10)), Ok(()));
    let commands = ["true", "/no/such/program", "true"].map(|program| vec![program.to_owned()]);
    for in_terminal in [false, true] {
        let how = How::Commands(commands.to_vec());
        let failed = launch(&Launch { how, in_terminal }, long).unwrap_err();
        assert_eq!(failed.indexes, [1], "the others are started: {failed}");
    }
}
