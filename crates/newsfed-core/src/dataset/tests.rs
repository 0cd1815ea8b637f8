use super::*;
use crate::util::html;
use url::Url;

fn dataset(text: &str, format: DataFormat) -> Dataset {
    read(text.as_bytes(), None, format).unwrap()
}

fn csv(text: &str) -> Dataset {
    dataset(text, DataFormat::Csv)
}

/// The text of the difference on one line.
fn difference(old: &Dataset, new: &Dataset) -> Option<String> {
    let found = compare(old, new);
    let text = html::to_text(&describe_difference(&found, old, new));
    let text = text.split("Current file").next().unwrap_or_default();
    (!found.is_empty()).then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn summary_of(old: &Dataset, new: &Dataset) -> String {
    compare(old, new).summary(old, new)
}

const TOWNS: &str = "id,town,people\n1,Aachen,250\n2,Bonn,330\n3,Celle,70\n";

#[test]
fn counts_added_removed_and_changed_rows() {
    let cases = [
        ("4,Dessau,80\n", "", "1 row added"),
        ("", "2,Bonn,330\n", "1 row removed"),
        ("2,Bonn,335\n", "2,Bonn,330\n", "1 row changed"),
        ("2,Bonn,335\n4,Dessau,80\n", "2,Bonn,330\n", "1 row added; 1 row changed"),
        ("2,Bonn,330\n", "", "1 row added"),
        ("", "id,town,people\n1,Aachen,250\n2,Bonn,330\n3,Celle,70\n", "3 rows removed"),
    ];
    for (added, removed, want) in cases {
        let later = if removed.is_empty() {
            format!("{TOWNS}{added}")
        } else {
            TOWNS.replace(removed, "") + added
        };
        let later = if later.is_empty() { "id,town,people\n".to_owned() } else { later };
        assert_eq!(summary_of(&csv(TOWNS), &csv(&later)), want, "{later}");
    }
}

#[test]
fn shows_changed_cells_and_totals() {
    let later = TOWNS.replace("330", "335").replace("3,Celle,70\n", "4,Dessau,80\n");
    let text = difference(&csv(TOWNS), &csv(&later)).unwrap();
    for part in
        ["1 row added; 1 row removed; 1 row changed.", "people 650 665 +15", "2 people 330 335"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.ends_with("Rows removed id town people 3 Celle 70"), "{text}");
}

#[test]
fn ignores_changes_of_order_whitespace_and_encoding() {
    let cases = [
        "id,town,people\n3,Celle,70\n1,Aachen,250\n2,Bonn,330\n",
        "people,id,town\n250,1,Aachen\n330,2,Bonn\n70,3,Celle\n",
        "id;town;people\r\n1; Aachen;250\r\n2;\"Bonn\";330\r\n\r\n3;Celle;70",
        "\u{feff}id\ttown\tpeople\n1\tAachen\t250\n2\tBonn\t330\n3\tCelle\t70\n",
    ];
    for later in cases {
        assert_eq!(difference(&csv(TOWNS), &csv(later)), None, "{later}");
    }
}

#[test]
fn matches_columns_by_name_and_then_by_values() {
    let cases = [
        (
            "id,town,people,area\n1,Aachen,250,16\n2,Bonn,330,14\n3,Celle,70,17\n",
            "column added: area",
        ),
        ("id,people\n1,250\n2,330\n3,70\n", "column removed: town"),
        ("id,name,people\n1,Aachen,250\n2,Bonn,330\n3,Celle,70\n", "column renamed: name"),
        (
            "id,name,people\n1,Aachen,250\n2,Bonn,330\n3,Celle,70\n4,Dessau,80\n",
            "1 row added; column renamed: name",
        ),
        (
            "x,y\n7,8\n",
            "1 row added; 3 rows removed; columns added: x, y; columns removed: id, town, people",
        ),
    ];
    for (later, want) in cases {
        assert_eq!(summary_of(&csv(TOWNS), &csv(later)), want);
    }
}

#[test]
fn compares_tables_with_repeated_ids_and_headers() {
    let old = csv("id,v,v\n1,a,b\n1,a,b\n2,c,d\n");
    let new = csv("id,v,v\n1,a,b\n2,c,e\n1,a,b\n1,x,y\n");
    assert_eq!(summary_of(&old, &new), "2 rows added; 1 row removed", "no column identifies rows");
    let row = |n: usize, v: &str| format!("{},k{n},{v}\n", n / 2);
    let many = |changed: usize| -> String {
        (0..100).map(|n| row(n, if n == changed { "new" } else { "old" })).collect()
    };
    let (old, new) = (csv(&format!("g,k,v\n{}", many(200))), csv(&format!("g,k,v\n{}", many(7))));
    let found = compare(&old, &new);
    assert_eq!((found.tables[0].changed.len(), found.tables[0].key.clone()), (1, vec![1]));
}

#[test]
fn identifies_rows_by_several_columns() {
    let table = |value: &str| -> String {
        let days = (1..=20).flat_map(|d| ["north", "south"].map(|s| (d, s)));
        let rows =
            days.map(|(d, s)| format!("2026-11-{d:02},{s},{}\n", if d == 9 { value } else { "1" }));
        format!("day,station,value\n{}", rows.collect::<String>())
    };
    let (old, new) = (csv(&table("5")), csv(&table("6")));
    let found = compare(&old, &new);
    assert_eq!(found.tables[0].key, [0, 1]);
    assert_eq!(found.summary(&old, &new), "2 rows changed");
}

#[test]
fn compares_json_files_as_tables() {
    let old = dataset(r#"{"at":"Mon","rows":[{"id":1,"n":5},{"id":2,"n":7}]}"#, DataFormat::Json);
    let same = dataset(r#"{"rows":[{"n":7,"id":2},{"n":5,"id":1}], "at":"Mon"}"#, DataFormat::Json);
    assert_eq!(difference(&old, &same), None, "the order of keys and rows does not matter");
    let new =
        dataset(r#"{"at":"Tue","rows":[{"id":1,"n":6},{"id":3,"n":7}],"x":[1]}"#, DataFormat::Json);
    let found = summary_of(&old, &new);
    assert_eq!(found, "1 row added; 1 row removed; 2 rows changed; 1 table added");
}

#[test]
fn a_state_survives_storage() {
    let text = "id,note\n1,\"a\u{1f}b\u{1e}c\"\n2\n3,x,extra\n4,=1+1\n";
    for (text, format) in [
        (text, DataFormat::Csv),
        ("", DataFormat::Csv),
        (r#"{"a":[{"b":1}],"c":[2],"d":"e"}"#, DataFormat::Json),
    ] {
        let read = dataset(text, format);
        assert_eq!(unpack(&pack(&read).unwrap()).as_ref(), Some(&read), "{text}");
    }
    let packed = pack(&csv(TOWNS)).unwrap();
    assert_eq!(unpack(&packed[..packed.len() - 6]), None, "damaged");
    assert_eq!(unpack(b""), None);
}

#[test]
fn sanitises_and_limits_texts() {
    let cell = format!("<script>alert(1)</script>\u{1b}[31m{}", "long ".repeat(3_000));
    let rows = |n: usize| -> String {
        (0..n).map(|row| format!("{row},\"{cell}\",{}\n", "x,".repeat(300))).collect()
    };
    let old = csv(&format!("id,note\n{}", rows(3)));
    let new = csv(&format!("id,note\n{}", rows(120)));
    assert_eq!(new.left_out.len(), 1, "{:?}", new.left_out);
    let found = compare(&old, &new);
    for text in [describe(&new), describe_difference(&found, &old, &new)] {
        assert!(text.len() < 100_000 && !text.contains("<script") && !text.contains('\u{1b}'));
        assert_eq!(html::clean(&text, None), text, "it is safe HTML as it is");
        assert!(text.contains("Not compared: "));
    }
    let text = describe_difference(&found, &old, &new);
    assert!(text.contains("and 67 rows more"), "{}", text.len());
}

#[test]
fn reads_an_endless_file_up_to_the_limits() {
    let mut text = String::from("id,v\n");
    (0..limits::DATASET_ROWS + 5).for_each(|n| text.push_str(&format!("{n},1\n")));
    let one = csv(&text);
    assert_eq!((one.tables[0].len(), one.tables[0].beyond), (limits::DATASET_ROWS, 5));
    text.push_str("x,1\n");
    let two = csv(&text);
    assert_eq!(summary_of(&one, &two), "200,006 rows instead of 200,005 rows");
}

#[test]
fn recognises_and_describes_a_csv_file() {
    let url = Url::parse("https://a.example/towns.csv").unwrap();
    assert_eq!(DataFormat::of(None, &url, TOWNS.as_bytes()), Some(DataFormat::Csv));
    assert_eq!(summary(&csv(TOWNS)), "CSV file with 3 rows and 3 columns, 50 B");
    let text = html::to_text(&describe(&csv(TOWNS)));
    assert!(text.contains("Aachen") && text.contains("650"), "{text}");
}

/// A file with 200 rows that are written by `row`, given their number.
fn rows(header: &str, row: impl Fn(usize) -> String) -> Dataset {
    csv(&format!("{header}\n{}", (0..200).map(|n| row(n) + "\n").collect::<String>()))
}

#[test]
fn does_not_choose_a_key_by_name_alone() {
    let cases = |changed: usize| {
        rows("country,number of cases", |n| {
            format!("country {n},{}", n * 7 + if n < changed { 1 } else { 0 })
        })
    };
    let (old, new) = (cases(0), cases(3));
    assert_eq!(summary_of(&old, &new), "3 rows changed");
    let found = compare(&old, &new);
    assert_eq!((found.tables[0].key.as_slice(), found.tables[0].totals.len()), (&[0][..], 1));
    // The name decides between equally good columns.
    let named =
        |v: usize| rows("place,nr,v", |n| format!("p{n},{n},{}", if n == 5 { v } else { 0 }));
    assert_eq!(compare(&named(1), &named(2)).tables[0].key, [1]);
    for (name, want) in [("Number", true), ("Nr.", true), ("customer id", true), ("no fee", false)]
    {
        assert_eq!(super::compare::is_id(name), want, "{name}");
    }
}

#[test]
fn values_that_match_by_chance_are_not_a_key() {
    let products = |from: usize| rows("id,price", |n| format!("{},{}", from + n, from * 3 + n));
    let old = products(1000);
    let new = csv(&rows_text(&products(5000)).replace("5007,15007", "5007,3003"));
    assert_eq!(summary_of(&old, &new), "200 rows added; 200 rows removed");
}

fn rows_text(dataset: &Dataset) -> String {
    let table = &dataset.tables[0];
    let row =
        |row| (0..table.columns.len()).map(|c| table.cell(row, c)).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = (0..table.len()).map(row).collect();
    format!("{}\n{}\n", table.columns.join(","), rows.join("\n"))
}

#[test]
fn finds_no_difference_despite_repeated_names() {
    for (text, format) in [
        (r#"[{"a ":1,"a":2}]"#, DataFormat::Json),
        ("id,id (2),id\n1,2,3\n", DataFormat::Csv),
        ("column 3,b\n1,2,3\n", DataFormat::Csv),
    ] {
        let read = dataset(text, format);
        assert!(compare(&read, &read.clone()).is_empty(), "{text}");
    }
    // States stored by earlier versions may contain duplicate names.
    let mut old = csv("id,v,v\n1,2,3\n");
    old.tables[0].columns[2] = "v".to_owned();
    assert!(compare(&old, &old.clone()).is_empty());
}

#[test]
fn totals_keep_the_notation_of_their_column() {
    let total = |cells: [&str; 3]| {
        let text = format!("name;amount\na;{}\nb;{}\nc;{}\n", cells[0], cells[1], cells[2]);
        let text = html::to_text(&describe(&csv(&text)));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(total(["1.234,50", "1.234", "999"]).contains("amount 3,467.50"));
    assert!(total(["3,700", "2,5", "1"]).contains("amount 7.200"));
    assert!(total(["1.234", "999", "5"]).contains("amount First rows"), "it is not clear");
    let json = dataset(r#"[{"n":1.234},{"n":999}]"#, DataFormat::Json);
    assert!(html::to_text(&describe(&json)).contains("1,000.234"));
}

#[test]
fn finds_a_header_below_a_title() {
    let table = |day: &str| {
        csv(&format!("Stand {day}.11.2026\n\nid,town,people\n1,Aachen,250\n2,Bonn,330\n"))
    };
    let old = table("23");
    assert_eq!(old.tables[0].columns, ["id", "town", "people"]);
    assert_eq!(old.left_out, ["1 line above the header"]);
    assert_eq!(difference(&old, &table("24")), None);
    let log = |days: std::ops::Range<usize>| {
        let row = |day| format!("2026-11-{day},foo {day},https://a.example/{day}\n");
        csv(&days.rev().map(row).collect::<String>())
    };
    assert_eq!(summary_of(&log(10..24), &log(10..25)), "1 row added");
}
