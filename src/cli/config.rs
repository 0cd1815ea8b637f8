//! `newsfed config`: prints file locations, checks the files, shows the effective settings, and prints the
//! schemas of the files.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::config::{self, config_schema, show_settings, sources_schema};
use crate::util::text::{self, counted};
use serde_json::json;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    pub(super) command: Option<ConfigCommand>,
}

const EXAMPLES: &str = "\
config.example.toml explains every setting.

Examples:
  newsfed config check
  newsfed config show | grep -A9 '^.net'
  $EDITOR \"$(newsfed --json config path | jq -r .config)\"
  newsfed config schema > config.schema.json";

#[derive(Debug, Clone, Copy, clap::Subcommand)]
pub(super) enum ConfigCommand {
    /// Print the locations of the files (default)
    Path,
    /// Check config.toml and sources.toml; exit with 4 if one has errors
    Check,
    /// Print all effective settings as TOML
    Show,
    /// Print the JSON Schema that editors use to complete and check a file
    Schema {
        /// The file that the schema describes
        #[arg(value_enum, default_value_t = SchemaFile::Config)]
        file: SchemaFile,
    },
}

/// A file that the user can edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SchemaFile {
    /// config.toml
    Config,
    /// sources.toml
    Sources,
}

pub(super) fn run(
    command: Option<ConfigCommand>,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    match command.unwrap_or(ConfigCommand::Path) {
        ConfigCommand::Path => path(global, out)?,
        ConfigCommand::Check => check(global, out)?,
        ConfigCommand::Show => {
            let settings = show_settings(&Home::load(global)?.settings);
            if out.json {
                out.value(&settings)?;
            } else {
                let text = toml::to_string(&settings)
                    .map_err(|e| Failure::Plain(format!("cannot show the settings: {e}")))?;
                out.raw(text.as_bytes())?;
            }
        }
        ConfigCommand::Schema { file } => schema(file, out)?,
    }
    Ok(Exit::Ok)
}

fn schema(file: SchemaFile, out: &mut Output) -> Result<(), Failure> {
    let schema = match file {
        SchemaFile::Config => config_schema(),
        SchemaFile::Sources => sources_schema(),
    };
    if out.json {
        return out.value(&schema);
    }
    out.raw(format!("{schema:#}\n").as_bytes())
}

fn path(global: &Global, out: &mut Output) -> Result<(), Failure> {
    let paths = global.paths()?;
    let all = [
        ("config", paths.config_file()),
        ("sources", paths.sources_file()),
        ("database", paths.database()),
        ("log", paths.log_dir().to_owned()),
    ];
    if out.json {
        let map: serde_json::Map<_, _> =
            all.iter().map(|(k, p)| ((*k).to_owned(), json!(p.to_string_lossy()))).collect();
        return out.value(&map);
    }
    all.iter().try_for_each(|(name, path)| {
        let missing = if path.exists() { "" } else { "  (does not exist yet)" };
        out.line(format!("{name:<9} {}{missing}", text::line(&path.to_string_lossy())))
    })
}

fn check(global: &Global, out: &mut Output) -> Result<(), Failure> {
    let loaded = config::load(&global.paths()?, &global.set)?;
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    if out.json {
        return out.value(&json!({ "sources": loaded.sources.len(), "warnings": warnings }));
    }
    warnings.iter().for_each(|w| out.warn(format!("warning: {w}")));
    let result = if warnings.is_empty() { "both files are valid" } else { "no errors" };
    let (sources, warnings) =
        (counted(loaded.sources.len(), "source"), counted(warnings.len(), "warning"));
    out.result(format!("{result}: {sources}, {warnings}"))
}
