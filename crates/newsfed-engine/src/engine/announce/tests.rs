//! Tests of notifications and commands, with real child processes.

use super::*;

fn announcement(rule: &str, items: &[i64]) -> Announcement {
    Announcement { rule: rule.to_owned(), notifies: true, runs: true, items: items.to_vec() }
}

#[test]
fn a_notification_names_rules_and_their_first_items() {
    let titles = HashMap::from([
        (1, "Rust 1.99".to_owned()),
        (2, "a\u{1b}]0;x\u{7}b\nc\u{202e}".to_owned()),
        (3, "x".repeat(500)),
    ]);
    let groups = by_rule(vec![
        announcement("Releases", &[1]),
        announcement("B", &[2]),
        announcement("Releases", &[3, 4]),
    ]);
    assert_eq!(
        message(&groups, &titles).unwrap(),
        "3 items: Releases: Rust 1.99 …; 1 item: B: ab c"
    );
    let silent = Announcement { notifies: false, ..announcement("A", &[1]) };
    assert_eq!(message(&[silent], &titles), None);
    let long = message(&[announcement("C", &[3]), announcement("D", &[3; 9])], &titles).unwrap();
    assert!(text::width(&long) <= MAX_TEXT, "{long}");
}

#[test]
fn quiet_hours_suppress_notifications() {
    let mut settings = Settings::default();
    let noon = |hour: u32| {
        let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 23).unwrap();
        let local = day.and_hms_opt(hour, 30, 0).unwrap();
        local.and_local_timezone(Local).earliest().unwrap().to_utc()
    };
    assert!(!is_quiet(&settings, noon(23)));
    settings.notify.quiet = Some("22:00-07:00".to_owned());
    for (hour, quiet) in [(23, true), (6, true), (7, false), (12, false), (21, false)] {
        assert_eq!(is_quiet(&settings, noon(hour)), quiet, "{hour}");
    }
}

#[cfg(unix)]
mod children {
    use super::super::super::program::{Ended, run};
    use crate::util::argv;
    use std::time::{Duration, Instant};

    const LIMIT: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script, "sh"].map(str::to_owned).to_vec()
    }

    #[tokio::test]
    async fn passes_hostile_titles_as_single_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let script = format!(
            "printf '%s|' \"$#\" \"$@\" > {0}; cat >> {0}; test ! -e {1}",
            out.display(),
            folder.path().join("hacked").display()
        );
        let hacked = format!("touch {}", folder.path().join("hacked").display());
        let shown = |s: &str| s.replace('\0', "");
        for title in [
            "it's \"quoted\"",
            &format!("$({hacked}) `{hacked}` ; {hacked} & | {hacked}"),
            "two\nlines",
            "NUL\0inside",
            "\u{202e}right to left: שלום",
            "",
        ] {
            let mut template = shell(&script);
            template.extend(["{title}", "--t={title}", "end"].map(str::to_owned));
            let argv = argv::filled(&template, &[("{title}", title)]);
            let ended = run(&argv, "{\"a\":1}\n", LIMIT).await;
            let status = "exit status: 0".to_owned();
            let output = Vec::new();
            assert_eq!(ended, Ended { is_started: true, ok: true, status, error: None, output });
            let (got, title) = (std::fs::read_to_string(&out).unwrap(), shown(title));
            assert_eq!(got, format!("3|{title}|--t={title}|end|{{\"a\":1}}\n"));
        }
        let mut template = shell(&script);
        template.push("{title}".to_owned());
        run(&argv::filled(&template, &[("{title}", "--delete")]), "", LIMIT).await;
        assert_eq!(std::fs::read_to_string(&out).unwrap(), "1| --delete|", "no option");
    }

    #[tokio::test]
    async fn failures_keep_their_status_and_first_line() {
        let failed = |status: &str, error: Option<&str>| Ended {
            is_started: true,
            ok: false,
            status: status.to_owned(),
            error: error.map(str::to_owned),
            output: Vec::new(),
        };
        let missing = ["/no/such\u{1b}[2J".to_owned()];
        let ended = run(&missing, "", LIMIT).await;
        assert!(ended.status.starts_with("/no/such cannot be started: "), "{ended:?}");
        assert!(!ended.is_started);
        let script = "echo; echo 'b\u{1b}[31mad' >&2; echo more >&2; exit 3";
        assert_eq!(run(&shell(script), "x", LIMIT).await, failed("exit status: 3", Some("bad")));
        // More error output than is kept, and input that is not read.
        let input = "x".repeat(1 << 20);
        let noisy = shell("yes no | head -c 300000 >&2; exit 1");
        assert_eq!(run(&noisy, &input, LIMIT).await, failed("exit status: 1", Some("no")));
        let start = Instant::now();
        let slow = run(&shell("echo waits >&2; exec sleep 600"), "", Duration::from_secs(1)).await;
        assert_eq!(slow, failed("stopped at its time limit of 1 s", Some("waits")));
        // A process started by a command is stopped with it at the timeout: its end of the pipe is closed.
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe").display().to_string();
        assert!(run(&["mkfifo".to_owned(), pipe.clone()], "", LIMIT).await.ok);
        let (closed, closes) = std::sync::mpsc::channel();
        let read = pipe.clone();
        std::thread::spawn(move || closed.send(std::fs::read(read).unwrap().len()));
        let parent = shell(&format!("(echo x; sleep 600) > {pipe} & wait"));
        assert!(!run(&parent, "", Duration::from_secs(1)).await.ok);
        assert_eq!(closes.recv_timeout(LIMIT), Ok(2));
        // A process that outlives its command does not delay the result.
        let left = run(&shell("sleep 600 & echo started >&2"), "", LIMIT).await;
        assert!(left.ok && left.error.as_deref() == Some("started"), "{left:?}");
        let left = run(&shell("exec 3<&0; sleep 600 & exit 0"), &input, LIMIT).await;
        assert!(left.ok, "it does not read its input, and leaves it open: {left:?}");
        assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    }
}
