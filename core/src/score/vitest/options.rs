//! The settings of the tool-call scorer, by vitest-evals' names.

use crate::domain::{Json, Object};
use crate::score::{SettingError, functions, setting};

const KNOWN: &[&str] = &["ordered", "requireAll", "allowExtras", "params", "fuzzyOptions", "threshold"];
const KNOWN_FUZZY: &[&str] =
    &["substring", "caseInsensitive", "ignoreArrayOrder", "numericTolerance", "coerceTypes"];

/// How calls are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Whether calls must come in the expected order.
    pub ordered: bool,
    /// Whether everything expected must be called for any score at all.
    pub require_all: bool,
    /// Whether calls that nobody expected are fine.
    pub allow_extras: bool,
    pub params: Params,
    /// The name of the function of [`Params::Function`].
    pub function: Option<String>,
    pub fuzzy: FuzzyOptions,
    /// From which score on a case passes; `None` leaves that open.
    pub threshold: Option<f64>,
}

/// When arguments match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Params {
    /// When they are equal.
    Strict,
    /// When they are about equal.
    Fuzzy,
    Custom(Custom),
    /// When a function of the user's own says so.
    Function,
}

/// Named functions that stand for a user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Custom {
    Always,
    Never,
    /// When every expected key is there.
    KeysSubset,
    /// When both are of one JSON type.
    SameJsonType,
}

/// What about-equal forgives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FuzzyOptions {
    pub substring: bool,
    pub case_insensitive: bool,
    pub ignore_array_order: bool,
    /// Relative to the expected number, and absolute.
    pub numeric_tolerance: f64,
    pub coerce_types: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            ordered: false,
            require_all: true,
            allow_extras: true,
            params: Params::Strict,
            function: None,
            fuzzy: FuzzyOptions {
                substring: true,
                case_insensitive: true,
                ignore_array_order: true,
                numeric_tolerance: 0.001,
                coerce_types: false,
            },
            threshold: Some(1.0),
        }
    }
}

impl Options {
    /// These options, overridden by `settings`.
    pub fn with(mut self, settings: &Object) -> Result<Options, SettingError> {
        for (key, value) in settings.iter() {
            match key {
                "ordered" => self.ordered = setting::boolean(key, value)?,
                "requireAll" => self.require_all = setting::boolean(key, value)?,
                "allowExtras" => self.allow_extras = setting::boolean(key, value)?,
                "params" => {
                    self.function = functions::name(value).map(str::to_owned);
                    self.params = if self.function.is_some() { Params::Function } else { params(value)? };
                }
                "fuzzyOptions" => self.fuzzy = self.fuzzy.with(value)?,
                "threshold" if value.is_null() => self.threshold = None,
                "threshold" => self.threshold = Some(setting::number(key, value)?),
                _ => return Err(setting::unknown(key, KNOWN)),
            }
        }
        Ok(self)
    }
}

fn params(value: &Json) -> Result<Params, SettingError> {
    match (value.as_str(), value.as_object()) {
        (Some("strict"), _) => Ok(Params::Strict),
        (Some("fuzzy"), _) => Ok(Params::Fuzzy),
        (_, Some(custom)) if custom.len() == 1 && custom.contains_key("custom") => setting::one_of(
            "params.custom",
            custom.get("custom").unwrap_or(&Json::Null),
            &[
                ("always", Custom::Always),
                ("never", Custom::Never),
                ("keys_subset", Custom::KeysSubset),
                ("same_json_type", Custom::SameJsonType),
            ],
        )
        .map(Params::Custom),
        _ => {
            let allowed = "`strict`, `fuzzy`, {\"custom\": NAME} or {\"function\": NAME}";
            Err(setting::wrong("params", allowed, value))
        }
    }
}

impl FuzzyOptions {
    fn with(mut self, settings: &Json) -> Result<FuzzyOptions, SettingError> {
        let settings =
            settings.as_object().ok_or_else(|| setting::wrong("fuzzyOptions", "an object", settings))?;
        for (key, value) in settings.iter() {
            match key {
                "substring" => self.substring = setting::boolean(key, value)?,
                "caseInsensitive" => self.case_insensitive = setting::boolean(key, value)?,
                "ignoreArrayOrder" => self.ignore_array_order = setting::boolean(key, value)?,
                "numericTolerance" => {
                    self.numeric_tolerance = setting::number(key, value)?;
                    if self.numeric_tolerance < 0.0 {
                        return Err(setting::wrong(key, "a number of 0 or more", value));
                    }
                }
                "coerceTypes" => self.coerce_types = setting::boolean(key, value)?,
                _ => return Err(setting::unknown(key, KNOWN_FUZZY)),
            }
        }
        Ok(self)
    }
}
