//! The JSON Schema of both files. It accepts what the loader accepts, and rejects most of what the loader
//! rejects.

use super::config::{Home, uncommented};
use super::markdown::pages;
use boon::{Compiler, SchemaIndex, Schemas};
use newsfed::config::{
    config_schema, setting_keys, settings_reference, show_settings, source_keys, sources_reference,
    sources_schema,
};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A compiled schema.
struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    fn new(schema: Value) -> Self {
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        let url = "https://newsfed.example/schema.json";
        compiler.add_resource(url, schema).unwrap();
        // Compiling also validates the schema itself.
        let index = compiler.compile(url, &mut schemas).unwrap();
        Self { schemas, index }
    }

    fn both() -> [Self; 2] {
        [Self::new(config_schema()), Self::new(sources_schema())]
    }

    fn check(&self, toml: &str) -> Result<(), String> {
        let table: toml::Table = toml.parse().unwrap();
        let value = serde_json::to_value(table).unwrap();
        self.schemas.validate(&value, self.index).map_err(|e| e.to_string())
    }
}

#[track_caller]
fn assert_valid(schema: &Schema, name: &str, toml: &str) {
    assert_eq!(schema.check(toml), Ok(()), "{name}:\n{toml}");
}

#[test]
fn accepts_files_that_load() {
    let [config, sources] = Schema::both();
    let example = uncommented(true);
    assert_valid(&config, "empty", "");
    assert_valid(&config, "example", &example);
    let shown = show_settings(&Home::new(&example, "").load(&[]).unwrap().settings);
    assert_valid(&config, "config show", &toml::to_string(&shown).unwrap());
    assert_valid(&config, "demo", include_str!("../../assets/demo/config.toml"));
    let starter = include_str!("../../crates/newsfed-engine/assets/starter-sources.toml");
    assert_valid(&sources, "starter", starter);
    let demo = newsfed::demo::prepare(std::sync::Arc::new(newsfed::util::clock::SystemClock), "");
    let file = fs::read_to_string(demo.unwrap().paths.sources_file()).unwrap();
    assert_valid(&sources, "demo", &file);
    let mut count = 0;
    for page in pages() {
        for block in page.blocks().into_iter().filter(|block| block.language == "toml") {
            let schema = if block.text.contains("[[source]]") { &sources } else { &config };
            assert_valid(schema, &page.path, &block.text);
            count += 1;
        }
    }
    assert!(count > 30, "only {count} snippets were found");
}

#[test]
fn rejects_bad_files() {
    let [config, sources] = Schema::both();
    // Invalid TOML, and a theme name that might be defined by the user.
    let others = ["syntax", "theme-name"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config/bad");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        if is_toml && !others.contains(&name.as_str()) {
            let schema = if name.starts_with("sources-") { &sources } else { &config };
            assert!(schema.check(&fs::read_to_string(&path).unwrap()).is_err(), "{name}");
            count += 1;
        }
    }
    assert!(count > 25, "{count}");
}

/// Settings with one problem each, so that every keyword of the schema is tested.
const BAD_SETTINGS: &[&str] = &[
    "nonsense = 1",
    "net = 1",
    "[ui]\nreader_width = 19",
    "[ui]\nreader_width = 401",
    "[ui]\nascii = \"yes\"",
    "[ui]\nsort = \"newst\"",
    "[ui]\ntheme = \"\"",
    "[ui]\ncolumns = [\"date\", \"date\"]",
    "[ui]\ncolumns = [\"dates\"]",
    "[schedule]\npolls_per_day = 0",
    "[net]\nfeed_timeout = 30",
    "[net]\nfeed_timeout = \"30 parsec\"",
    "[net]\nmax_body = \"10 parsec\"",
    "[net]\nmax_body = 1023",
    "[feeds]\naddress = \"192.168.1.2:8990\"",
    "[log]\nlevel = \"info,net=debgu\"",
    "[llm]\nendpoint = \"http://localhost/\"",
    "[llm]\nendpoint = \"http://localhost/\"\nmodel = \"\"",
    "[download]\nfolder = \"Podcasts\"",
    "[open]\naudio = [\"mpv\"]",
    "[open]\n\"audio/*\" = \"mpv\"",
    "[keys.items]\nx = \"pinn\"",
    "[keys.panes]\nx = \"pin\"",
    "[themes.mine]\nacent = \"red\"",
    "[themes.mine]\naccent = \"grene\"",
    "[themes.mine]\ncontrast = \"none\"",
    "[view]\nname = \"x\"\nquery = \"x\"",
    "[[view]]\nname = \"x\"",
    "[[view]]\nname = \" \"\nquery = \"x\"",
    "[[view]]\nname = \"x\"\nquery = \"x\"\nsort = \"old\"",
    "[[rule]]\nquery = \"x\"\ndo = \"pin\"",
    "[[rule]]\nquery = \"x\"\ndo = [\"pin\"]\nuntil = \"tomorrow\"",
    "[[account]]\nid = \"a\"\nurl = \"https://x.example/\"\nuser = \"u\"",
    "[[account]]\nid = \"a b\"\nurl = \"https://x.example/\"\nuser = \"u\"\npassword_env = \"P\"",
];

/// Elements that the loader leaves out with a warning.
const LEFT_OUT: &[&str] = &[
    "[[command]]\nname = \"x\"\nrun = []",
    "[[command]]\nname = \"x\"\nrun = [\"x\"]\noutput = \"terminal\"\nlimit = \"1s\"",
    "[[command]]\nname = \"x\"\nrun = [\"x\"]\noutput = \"terminal\"\ninput = \"text\"",
    "[[hook]]\nname = \"x\"\nrun = [\"x\"]",
];

/// Contents of `[[source]]` tables, with one problem each.
const BAD_SOURCES: &[&str] = &[
    "",
    "url = \"ftp://x.example/\"",
    "url = \"https://x.example/\"\ntitel = \"x\"",
    "url = \"https://x.example/\"\nid = \"-a\"",
    "url = \"https://x.example/\"\nid = \"a/b\"",
    "url = \"https://x.example/\"\ncolor = 9",
    "url = \"https://x.example/\"\nkind = \"fed\"",
    "url = \"https://x.example/\"\ntags = [\"a,b\"]",
    "url = \"https://x.example/\"\nuser = \"u\"",
    "url = \"https://x.example/\"\npassword = \"p\"",
    "url = \"https://x.example/\"\nuser = \"u\"\npassword = { env = \"A\", command = [\"b\"] }",
    "url = \"https://x.example/\"\nheaders = { \"a b\" = \"c\" }",
    "url = \"https://x.example/\"\nheaders = { a = { file = \"c\" } }",
    "url = \"https://x.example/\"\nschedule = { interval = \"1h\" }",
    "url = \"https://x.example/\"\nexec = [\"x\"]",
    "url = \"https://x.example/\"\nfrom = \"x\"",
    "url = \"https://x.example/\"\nkind = \"page\"\nfilter = [\"x\"]",
    "url = \"https://x.example/\"\naccount = \"a\"\nfilter = [\"x\"]",
    "url = \"https://x.example/\"\nwebsite = { title = \"h1\" }",
    "url = \"https://x.example/\"\nkind = \"website\"",
    "url = \"https://x.example/\"\nkind = \"website\"\nwebsite = { title = \"h1\", content = \"p\" }",
    "url = \"https://x.example/\"\nkind = \"page\"\nwebsite = { targets = \"files\" }",
    "exec = []",
    "exec = [\"x\"]\nfilter = [\"x\"]",
    "exec = [\"x\"]\nkind = \"list\"",
    "file = \"feed.xml\"",
];

#[test]
fn the_loader_and_the_schema_reject_single_problems() {
    let [config, sources] = Schema::both();
    for toml in BAD_SETTINGS {
        assert!(Home::new(toml, "").load(&[]).is_err(), "{toml}");
        assert!(config.check(toml).is_err(), "{toml}");
    }
    for toml in LEFT_OUT {
        assert_eq!(Home::new(toml, "").load(&[]).unwrap().warnings.len(), 1, "{toml}");
        assert!(config.check(toml).is_err(), "{toml}");
    }
    for entry in BAD_SOURCES {
        let toml = format!("[[source]]\n{entry}\n");
        assert!(Home::new("", &toml).load(&[]).is_err(), "{toml}");
        assert!(sources.check(&toml).is_err(), "{toml}");
    }
}

/// TOML values of all types.
const VALUES: &[&str] = &[
    "true",
    "-1",
    "0",
    "1",
    "30",
    "1000000000000",
    "0.5",
    "1.5",
    "[]",
    "[1]",
    "[\"\"]",
    "[\"x\"]",
    "[\"date\", \"source\"]",
    "{}",
    "{ env = \"X\" }",
    "{ X-Key = { command = [\"x\"] }, Other = \"y\" }",
    "\"\"",
    "\" \"",
    "\"x\"",
    "\"0\"",
    "\" 0s \"",
    "\"90s\"",
    "\"1h 30 min5s\"",
    "\"1.5hours\"",
    "\"2 months 1 week 300ms\"",
    "\"1 Y\"",
    "\"10\"",
    "\" 4096 \"",
    "\"10 mib\"",
    "\"2kB\"",
    "\"1.5MiB\"",
    "\"22:00 - 7:5\"",
    "\"24:00-07:00\"",
    "\"http://user:x@localhost:3128\"",
    "\" HTTPS://x.example/a\"",
    "\"socks5h://localhost:9050\"",
    "\"ftp://x.example\"",
    "\"127.0.0.1:8990\"",
    "\"[::1]:8990\"",
    "\"0.0.0.0:80\"",
    "\"localhost:80\"",
    "\"~/x\"",
    "\"/x\"",
    "\"x/y\"",
    "\"/\"",
    "\"a,b\"",
    "\"info, newsfed::net = debug\"",
    "\"mail@example.org\"",
    "\"é\"",
    "\"files\"",
];

#[test]
fn accepts_every_value_that_the_loader_accepts() {
    let [config, sources] = Schema::both();
    let home = Home::new("", "");
    let mut accepted = 0;
    let settings = settings_reference();
    for key in setting_keys() {
        let about = settings.iter().find(|setting| setting.key == key).unwrap();
        for value in values(&about.values) {
            // An endpoint requires a model.
            let model = if key == "llm.model" { "" } else { "llm.model = \"m\"\n" };
            let toml = format!("{model}{key} = {value}\n");
            let loaded = home.load(&toml.lines().collect::<Vec<_>>()).map(|_| ());
            accepted += compare(loaded, config.check(&toml), &toml, &value);
        }
    }
    let keys = sources_reference();
    let origins = ["url", "exec", "file", "mail", "from", "filter", "limit", "user"];
    for key in source_keys() {
        let about = keys.iter().find(|setting| setting.key == key);
        let bases = if origins.contains(&key) { BASES } else { &BASES[..2] };
        for value in values(about.map_or("", |about| &about.values)) {
            for base in bases.iter().filter(|base| !base.contains(&format!("{key} ="))) {
                let toml = format!("[[source]]\n{base}{key} = {value}\n");
                fs::write(home.paths.sources_file(), &toml).unwrap();
                let loaded = home.load(&[]).map(|_| ());
                accepted += compare(loaded, sources.check(&toml), &toml, &value);
            }
        }
    }
    assert!(accepted > 700, "{accepted}");
}

/// Tables to which the tested key is added.
const BASES: &[&str] = &[
    "url = \"https://x.example/\"\n",
    "url = \"https://x.example/\"\nkind = \"crawl\"\nuser = \"u\"\npassword = \"p\"\n",
    "mail = \"/m\"\n",
    "",
];

/// The values to try: [`VALUES`] and the quoted words of a description.
fn values(described: &str) -> Vec<String> {
    let words = described.split('"').skip(1).step_by(2).map(|word| format!("\"{word}\""));
    VALUES.iter().map(|value| (*value).to_owned()).chain(words).collect()
}

/// Compares the loader with the schema. A value that the loader accepts must be valid, and one that it
/// rejects must be invalid. Rejected strings are exempt, because a schema cannot express all limits, such as
/// those of durations and sizes. Returns 1 if the loader accepts the value, otherwise 0.
#[track_caller]
fn compare(
    loaded: Result<(), String>,
    checked: Result<(), String>,
    toml: &str,
    value: &str,
) -> usize {
    if loaded.is_ok() || !value.starts_with('"') {
        assert_eq!(loaded.is_ok(), checked.is_ok(), "{loaded:?} {checked:?}\n{toml}");
    }
    usize::from(loaded.is_ok())
}
