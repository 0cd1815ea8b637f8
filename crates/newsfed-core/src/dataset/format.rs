//! The formats of data files.

use url::Url;

/// The formats of files that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataFormat {
    Csv,
    Tsv,
    Json,
    /// One value per line.
    JsonLines,
    Xlsx,
    Pdf,
}

/// Media types that do not determine the format.
const GENERIC: [&str; 7] = [
    "",
    "application/octet-stream",
    "binary/octet-stream",
    "application/download",
    "application/x-download",
    "application/force-download",
    "text/plain",
];

impl DataFormat {
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::Json | Self::JsonLines => "JSON",
            Self::Xlsx => "XLSX",
            Self::Pdf => "PDF",
        }
    }

    /// The format of a response by its media type and the extension in its URL; `None` if it is not a data
    /// file. A web page is never a data file, regardless of its name, because it may be a login page.
    pub fn of(content_type: Option<&str>, url: &Url, body: &[u8]) -> Option<Self> {
        if starts_like_a_page(body) { None } else { Self::named(content_type, url) }
    }

    /// The format of a file that has not been fetched yet.
    pub fn named(content_type: Option<&str>, url: &Url) -> Option<Self> {
        let named = content_type.unwrap_or_default().to_ascii_lowercase();
        match named.split(';').next().unwrap_or_default().trim() {
            // Servers also send these types for other files, such as CSV and XLSX.
            "application/vnd.ms-excel" | "application/zip" => Self::of_extension(url),
            named if GENERIC.contains(&named) => Self::of_extension(url),
            // A JSON Lines file with one line looks like JSON.
            "application/json" if Self::of_extension(url) == Some(Self::JsonLines) => {
                Some(Self::JsonLines)
            }
            named => Self::of_type(named),
        }
    }

    fn of_type(named: &str) -> Option<Self> {
        Some(match named {
            "text/csv"
            | "application/csv"
            | "application/x-csv"
            | "text/x-csv"
            | "text/comma-separated-values"
            | "text/x-comma-separated-values" => Self::Csv,
            "text/tab-separated-values" => Self::Tsv,
            "application/json" | "text/json" => Self::Json,
            "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
            | "application/x-jsonlines"
            | "application/json-seq" => Self::JsonLines,
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
            | "application/vnd.ms-excel.sheet.macroenabled.12" => Self::Xlsx,
            "application/pdf" | "application/x-pdf" => Self::Pdf,
            // For example GeoJSON.
            named if named.ends_with("+json") => Self::Json,
            _ => return None,
        })
    }

    fn of_extension(url: &Url) -> Option<Self> {
        let (_, extension) = url.path().rsplit('/').next()?.rsplit_once('.')?;
        Some(match extension.to_ascii_lowercase().as_str() {
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "json" | "geojson" => Self::Json,
            "ndjson" | "jsonl" => Self::JsonLines,
            "xlsx" | "xlsm" => Self::Xlsx,
            "pdf" => Self::Pdf,
            _ => return None,
        })
    }
}

fn starts_like_a_page(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    let is =
        |start: &[u8]| body.len() >= start.len() && body[..start.len()].eq_ignore_ascii_case(start);
    is(b"<!doctype") || is(b"<html") || is(b"<?xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_format_by_type_extension_and_content() {
        let cases = [
            (Some("text/csv; charset=utf-8"), "a", "1,2", Some(DataFormat::Csv)),
            (Some("TEXT/CSV"), "a.json", "1,2", Some(DataFormat::Csv)),
            (Some("application/vnd.ms-excel"), "a.csv", "1;2", Some(DataFormat::Csv)),
            (Some("application/vnd.ms-excel"), "a.xls", "\u{1}", None),
            (Some("text/plain"), "a.TSV?x=1.csv", "1\t2", Some(DataFormat::Tsv)),
            (Some("application/octet-stream"), "a.csv", "1,2", Some(DataFormat::Csv)),
            (Some("application/pdf"), "a", "%PDF-1.7", Some(DataFormat::Pdf)),
            (Some("application/zip"), "a.xlsx", "PK", Some(DataFormat::Xlsx)),
            (Some("application/zip"), "a.zip", "PK", None),
            (Some("application/geo+json"), "a", "{}", Some(DataFormat::Json)),
            (None, "a.jsonl", "{}", Some(DataFormat::JsonLines)),
            (Some("application/json"), "a.ndjson", "{}", Some(DataFormat::JsonLines)),
            (Some("application/json"), "a.json", "{}", Some(DataFormat::Json)),
            (Some("application/json-seq"), "a", "\x1e{}", Some(DataFormat::JsonLines)),
            (Some("text/plain"), "a.txt", "1,2", None),
            (Some("text/html"), "a.csv", "1,2", None),
            (Some("text/csv"), "a.csv", " <!DOCTYPE html><title>Log in</title>", None),
            (Some("application/xml"), "a.csv", "<?xml version='1.0'?>", None),
        ];
        for (content_type, path, body, want) in cases {
            let url = Url::parse("https://a.example/x/").unwrap().join(path).unwrap();
            let found = DataFormat::of(content_type, &url, body.as_bytes());
            assert_eq!(found, want, "{content_type:?} {path}");
        }
    }
}
