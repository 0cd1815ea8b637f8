//! Tests with ordinary and hostile emails.

use super::*;

const PLAIN: &str = "From: News <news@x.example>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\
    Date: Mon, 23 Nov 2026 09:00:00 +0100\r\nMessage-ID: <1@x.example>\r\n\r\nOne\r\nTwo\r\n";

fn multipart(parts: &str) -> String {
    format!(
        "From: a@x.example\r\nSubject: S\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=b\r\n\r\n{parts}--b--\r\n"
    )
}

#[test]
fn converts_emails_to_items() {
    let mail = Mail::read(PLAIN.as_bytes()).unwrap();
    assert_eq!((mail.id.as_str(), mail.title.as_str()), ("1@x.example", "Grüße"));
    assert_eq!(mail.authors, [Sender { name: "News".to_owned() }]);
    assert_eq!(mail.date_published.as_deref(), Some("2026-11-23T09:00:00+01:00"));
    assert_eq!(mail.content_text.as_deref(), Some("One\r\nTwo"));
    for (text, expected) in [("NEWS@x", true), ("news <", true), ("y.example", false)] {
        assert_eq!(mail.is_from(text), expected, "{text}");
    }
    let html = "--b\r\nContent-Type: text/plain\r\n\r\nplain\r\n--b\r\nContent-Type: text/html; \
        charset=iso-2022-jp\r\n\r\n<p>\u{1b}$B%K%e!<%9\u{1b}(B</p>\r\n";
    let file = "--b\r\nContent-Type: application/pdf; name=\"a<b>.pdf\"\r\n\
        Content-Disposition: attachment; filename=\"a<b>.pdf\"\r\n\r\nx\r\n";
    let both = multipart(
        &html
            .replacen(
                "--b\r\n",
                "--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\n",
                1,
            )
            .replacen("\r\n--b\r\n", "\r\n--c\r\n", 1)
            .replace("</p>\r\n", "</p>\r\n--c--\r\n"),
    );
    let both = both.replace("--b--\r\n", &format!("{file}--b--\r\n"));
    let mail = Mail::read(both.as_bytes()).unwrap();
    assert_eq!(
        mail.content_html.as_deref().map(str::trim),
        Some("<p>ニュース</p><p>Attachments: a&lt;b&gt;.pdf</p>")
    );
    let other = Mail::read(both.replace("Subject: S", "Subject: T").as_bytes()).unwrap();
    assert!(mail.id.starts_with("sha256:") && mail.id != other.id);
}

#[test]
fn hostile_emails_do_no_harm() {
    let nested = (0..5000).fold(String::new(), |text, n| {
        text + &format!("--b{n}\r\nContent-Type: multipart/mixed; boundary=b{}\r\n\r\n", n + 1)
    });
    let letters = "Content-Type: message/rfc822\r\n\r\n".repeat(5000);
    let cases = [
        String::new(),
        "no mail at all".to_owned(),
        "\0\0\0".to_owned(),
        format!("Subject: x\r\nContent-Type: multipart/mixed; boundary=b0\r\n\r\n{nested}"),
        format!("Subject: x\r\n{letters}x"),
        format!("Subject: {}\r\n\r\nx", "=?utf-8?q?x?= ".repeat(20_000)),
        format!("From: {}\r\nSubject: x\r\n\r\n", "a@b.example, ".repeat(20_000)),
        multipart(&"--b\r\nContent-Disposition: attachment\r\n\r\nx\r\n".repeat(5000)),
        "Subject: x\r\nContent-Transfer-Encoding: base64\r\n\r\n====!!!!".to_owned(),
        "Subject: x\r\nDate: Foo, 99 Bar 99999 99:99:99 +9999\r\n\r\n".to_owned(),
    ];
    for (n, case) in cases.iter().enumerate() {
        let mail = Mail::read(case.as_bytes());
        assert_eq!(mail.is_some(), n > 2, "{n}");
        assert!(mail.is_none_or(|mail| mail.authors.len() <= MAX_ATTACHMENTS), "{n}");
    }
}

#[test]
fn splits_an_mbox_at_its_from_lines() {
    let mbox = "From a Mon\nSubject: 1\n\nFrom here on\n>From x\n>>From y\n>other\n\nFrom b Tue\r\n\
        Subject: 2\n\nno empty line\nFrom c\n";
    let texts = |whole| -> Vec<String> {
        let mails = split_mbox(mbox.as_bytes(), whole).into_iter();
        mails.map(|mail| String::from_utf8(unquoted(mail)).unwrap()).collect()
    };
    let (first, second) = (
        "Subject: 1\n\nFrom here on\nFrom x\n>From y\n>other\n\n",
        "Subject: 2\n\nno empty line\nFrom c\n",
    );
    assert_eq!(texts(true), [first, second]);
    assert_eq!(texts(false), [second]);
    assert!(split_mbox(b"", true).is_empty() && split_mbox(b"Subject: x\n\n", true).is_empty());
}
