use super::*;

fn shown(document: &str) -> Vec<String> {
    let tables = read(document.as_bytes(), &mut Budget::default()).unwrap();
    let table = |table: &Table| {
        let row = |row| {
            let cells: Vec<&str> = (0..table.columns.len()).map(|c| table.cell(row, c)).collect();
            cells.join("|")
        };
        let rows: Vec<String> = (0..table.len()).map(row).collect();
        format!("{}: {} / {}", table.name, table.columns.join("|"), rows.join(" / "))
    };
    tables.iter().map(table).collect()
}

#[test]
fn reads_arrays_as_tables_and_the_rest_as_values() {
    let cases: [(&str, &[&str]); 8] = [
        (r#"[{"id":1,"b":null},{"c":true,"id":2.5}]"#, &[": id|b|c / 1|| / 2.5||true"]),
        ("[[1,2],[3]]", &[": column 1|column 2 / 1|2 / 3|"]),
        (r#"["x",3]"#, &[": value / x / 3"]),
        (
            r#"{"at":{"day":"Mon"},"rows":[{"a":{"b":1,"c":[1,{"d":2}]}}],"n":7}"#,
            &["values: path|value / at.day|Mon / n|7", "rows: a.b|a.c / 1|[1, {d: 2}]"],
        ),
        ("{\"a\":1}\n{\"a\":2}\n", &[": a / 1 / 2"]),
        ("7", &["values: path|value / |7"]),
        ("[]", &[": "]),
        ("{}", &[]),
    ];
    for (document, want) in cases {
        let found = shown(document);
        let found: Vec<&str> = found.iter().map(|t| t.trim_end_matches([' ', '/'])).collect();
        let want: Vec<&str> = want.iter().map(|t| t.trim_end_matches([' ', '/'])).collect();
        assert_eq!(found, want, "{document}");
    }
}

#[test]
fn reads_many_lines_quickly() {
    let lines = "{\"a\":1}\n".repeat(50_000);
    assert_eq!(read(lines.as_bytes(), &mut Budget::default()).unwrap()[0].total(), 50_000);
}

#[test]
fn rejects_damaged_and_hostile_documents() {
    let deep = "[".repeat(100_000);
    let deep_objects = "{\"a\":".repeat(100_000);
    for document in ["", "[1,", "{\"a\":1} x", "nul", "[1e999]", &deep, &deep_objects] {
        let error = read(document.as_bytes(), &mut Budget::default()).unwrap_err();
        assert!(error.to_string().contains("JSON"), "{error}");
    }
}

#[test]
fn keeps_many_keys_and_arrays_within_the_limits() {
    let keys: String = (0..5_000).map(|n| format!("\"k{n}\":1,")).collect();
    let mut budget = Budget::default();
    let tables = read(format!("[{{{keys}\"z\":1}}]").as_bytes(), &mut budget).unwrap();
    assert_eq!(tables[0].columns.len(), limits::DATASET_COLUMNS);
    assert_eq!(budget.surplus_cells, 5_001 - limits::DATASET_COLUMNS as u64);
    let arrays: String = (0..500).map(|n| format!("\"k{n}\":[1],")).collect();
    let document = format!("{{{arrays}\"z\":[\u{31}]}}");
    let tables = read(document.as_bytes(), &mut Budget::default()).unwrap();
    assert_eq!(tables.len(), MAX_TABLES + 1);
}

#[test]
fn reads_an_array_called_values_as_a_separate_table() {
    let found = shown(r#"{"values":[{"x":1},{"x":2}],"updated":"today"}"#);
    assert_eq!(found, ["values[]: x / 1 / 2", "values: path|value / updated|today"]);
    let found = shown(r#"{"updated":"today","values":[{"x":1},{"x":2}]}"#);
    assert_eq!(found, ["values: path|value / updated|today", "values[]: x / 1 / 2"]);
}

#[test]
fn shows_long_numbers_as_written() {
    let cases = [
        ("[36893488147419103233]", ": value / 36893488147419103233"),
        ("[-9223372036854775809,7]", ": value / -9223372036854775809 / 7"),
        ("[0.12345678901234567890]", ": value / 0.12345678901234567890"),
        (
            r#"{"a\"36893488147419103233":[36893488147419103233]}"#,
            r#"a"36893488147419103233: value / 36893488147419103233"#,
        ),
        ("[18446744073709551615,1.50,1e3]", ": value / 18446744073709551615 / 1.5 / 1000.0"),
    ];
    for (document, want) in cases {
        assert_eq!(shown(document), [want], "{document}");
    }
    for document in ["[00000000000000000001]", "[1-23456789012345678]", "[12345678901234567.]"] {
        assert!(read(document.as_bytes(), &mut Budget::default()).is_err(), "{document}");
    }
}

#[test]
fn reads_sequences_and_single_lines_as_rows() {
    let sequence = shown("\x1e{\"a\":1}\n\x1e{\"a\":\n2}\n");
    assert_eq!(sequence, [": a / 1 / 2"]);
    for (lines, want) in [("{\"a\":1}\n", 1), ("{\"a\":1}\n{\"a\":2}", 2), ("", 0)] {
        let tables = read_lines(lines.as_bytes(), &mut Budget::default()).unwrap();
        assert_eq!((tables.len(), tables[0].len(), &*tables[0].name), (1, want, ""), "{lines}");
    }
}

#[test]
fn keeps_values_with_similar_paths_apart() {
    let long = "k".repeat(300);
    let cases = [
        (r#"[{"a.b":1,"a":{"b":2}}]"#.to_owned(), "a.b|a.b (2) / 1|2"),
        (r#"[{"a\\":{"b":1},"a\\.b":2}]"#.to_owned(), "a\\.b|a\\.b (2) / 1|2"),
        (r#"[{"a ":1,"a":2,"":3}]"#.to_owned(), "a|a (2)|column 3 / 1|2|3"),
    ];
    for (document, want) in cases {
        assert_eq!(shown(&document), [format!(": {want}")], "{document}");
    }
    let tables =
        read(format!(r#"[{{"{long}1":1,"{long}2":2}}]"#).as_bytes(), &mut Budget::default());
    let table = &tables.unwrap()[0];
    assert_eq!((table.cell(0, 0), table.cell(0, 1)), ("1", "2"));
}
