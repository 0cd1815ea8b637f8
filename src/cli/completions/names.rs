//! Arguments that are names from the user's files, and their possible values.

use crate::cli::catalogue::Catalogue;
use crate::cli::exit::Failure;
use crate::cli::global::Global;
use crate::cli::home::Home;
use crate::model::Source;
use crate::util::text;
use clap::{Arg, ValueEnum};
use std::collections::BTreeSet;

/// Kinds of names that are completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum NameKind {
    Sources,
    Folders,
    Tags,
    Views,
    Rules,
    Commands,
    Accounts,
}

impl NameKind {
    /// The placeholder for these names while a script is generated.
    pub(super) fn marker(self) -> &'static str {
        match self {
            Self::Sources => "newsfed-names-sources",
            Self::Folders => "newsfed-names-folders",
            Self::Tags => "newsfed-names-tags",
            Self::Views => "newsfed-names-views",
            Self::Rules => "newsfed-names-rules",
            Self::Commands => "newsfed-names-commands",
            Self::Accounts => "newsfed-names-accounts",
        }
    }

    /// The value for `--names`.
    pub(super) fn name(self) -> &'static str {
        self.marker().trim_start_matches("newsfed-names-")
    }

    /// The kind of names that an argument accepts; `command` is a path such as `rules test`.
    pub(super) fn of(command: &str, arg: &Arg) -> Option<Self> {
        let values = arg.get_value_names().unwrap_or_default();
        let value = values.first().map_or("", |name| name.as_str());
        let (group, new) = (command.split(' ').next().unwrap_or_default(), command == "views add");
        match (arg.get_long(), value) {
            (_, "SOURCE") if command != "extract" => Some(Self::Sources),
            (_, "ACCOUNT") => Some(Self::Accounts),
            (Some("folder"), _) => Some(Self::Folders),
            (Some("tag" | "tags" | "add-tag" | "remove-tag"), _) | (None, "TAG") => {
                Some(Self::Tags)
            }
            (Some("view"), _) => Some(Self::Views),
            (None, "NAME") if group == "views" && !new => Some(Self::Views),
            (None, "NAME") if group == "rules" => Some(Self::Rules),
            (None, "NAME") if group == "run" => Some(Self::Commands),
            _ => None,
        }
    }

    /// The sorted names. Each fits on one line.
    pub(super) fn names(self, global: &Global) -> Result<BTreeSet<String>, Failure> {
        let home = Home::load(global)?;
        let settings = &home.settings;
        let of_sources = |names: &dyn Fn(&Source) -> Vec<String>| -> Result<Vec<_>, Failure> {
            let catalogue = Catalogue::read(&home, &home.store_to_read()?)?;
            Ok(catalogue.entries.iter().flat_map(|entry| names(&entry.source)).collect())
        };
        let names: Vec<String> = match self {
            Self::Sources => of_sources(&|source| vec![source.id.to_string()])?,
            Self::Folders => of_sources(&|source| source.folder.iter().cloned().collect())?,
            Self::Tags => {
                let mut tags = of_sources(&|source| source.tags.clone())?;
                tags.extend(home.store_to_read()?.reader()?.item_tags()?);
                tags
            }
            Self::Views => settings.views.iter().map(|view| view.name.clone()).collect(),
            Self::Rules => settings.rules.iter().map(|rule| rule.name.clone()).collect(),
            Self::Commands => settings.commands.iter().map(|c| c.name.clone()).collect(),
            Self::Accounts => settings.accounts.iter().map(|a| a.id.clone()).collect(),
        };
        let lines = names.iter().map(|name| text::line(name)).filter(|name| !name.is_empty());
        Ok(lines.collect())
    }
}
