//! What can be set: for all records, or in a record.

use super::category::{Assignment, Language};
use crate::domain::{Json, Object};

/// What is `None` is not set.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Options {
    /// What the category says of assignment and language.
    pub category: Option<(Assignment, Language)>,
    /// Counts more than the category's.
    pub language: Option<Language>,
    pub underscore_to_dot: Option<bool>,
}

/// Options that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// An option that there is not.
    #[error("unknown setting `{0}`; there are `category`, `language` and `underscore_to_dot`")]
    Unknown(String),
    /// A category that is not a text.
    #[error("`category` should be a text like `live_multiple`")]
    Category,
    /// A language that the checker does not know.
    #[error("`language` should be {}", Language::NAMES)]
    Language,
    /// A switch that is not one.
    #[error("`underscore_to_dot` should be true or false")]
    UnderscoreToDot,
    /// A record's `config` that is not an object.
    #[error("`config` should be an object")]
    NoObject,
    /// What is wrong in a record's `config`.
    #[error("config: {0}")]
    Config(#[source] Box<OptionError>),
    /// A peer other than BFCL.
    #[error("unknown peer `{0}`; there is `bfcl`")]
    Peer(String),
}

impl Options {
    /// Settings, of which there are no others.
    pub fn read(settings: &Object) -> Result<Options, OptionError> {
        let mut options = Options::default();
        for (key, value) in settings.iter() {
            if !options.set(key, value)? {
                return Err(OptionError::Unknown(key.to_owned()));
            }
        }
        Ok(options)
    }

    /// What a record says, of its own or in its `config`.
    pub fn of_record(record: &Object) -> Result<Options, OptionError> {
        let mut options = Options::default();
        for key in ["category", "language", "underscore_to_dot"] {
            if let Some(value) = record.get(key) {
                options.set(key, value)?;
            }
        }
        match record.get("config") {
            None | Some(Json::Null) => Ok(options),
            Some(Json::Object(config)) => {
                Ok(options.or(&Options::read(config).map_err(|error| OptionError::Config(Box::new(error)))?))
            }
            Some(_) => Err(OptionError::NoObject),
        }
    }

    /// These, and where they say nothing the others.
    pub fn or(self, others: &Options) -> Options {
        Options {
            category: self.category.or(others.category),
            language: self.language.or(others.language),
            underscore_to_dot: self.underscore_to_dot.or(others.underscore_to_dot),
        }
    }

    /// Whether there is such a setting; null leaves it as it is.
    fn set(&mut self, key: &str, value: &Json) -> Result<bool, OptionError> {
        match (key, value) {
            ("category" | "language" | "underscore_to_dot", Json::Null) => {}
            ("category", Json::String(name)) => {
                self.category = Some((Assignment::of(name), Language::of(name)))
            }
            ("category", _) => return Err(OptionError::Category),
            ("language", _) => match value.as_str().and_then(Language::named) {
                Some(language) => self.language = Some(language),
                None => return Err(OptionError::Language),
            },
            ("underscore_to_dot", Json::Bool(value)) => self.underscore_to_dot = Some(*value),
            ("underscore_to_dot", _) => return Err(OptionError::UnderscoreToDot),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
