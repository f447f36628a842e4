//! The settings of tool correctness, by DeepEval's names.

use crate::domain::{Json, Object};
use crate::score::{SettingError, setting};

const KNOWN: &[&str] = &[
    "threshold",
    "evaluation_params",
    "strict_mode",
    "should_exact_match",
    "should_consider_ordering",
    "include_reason",
    "verbose_mode",
    "available_tools",
];

/// How calls are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// From which score on a case passes; `None` leaves that open.
    pub threshold: Option<f64>,
    /// Whether arguments count.
    pub input_parameters: bool,
    /// Whether the tools' outputs count.
    pub output: bool,
    /// Everything or nothing.
    pub strict_mode: bool,
    pub should_exact_match: bool,
    pub should_consider_ordering: bool,
    /// Of no effect in the peer.
    pub include_reason: bool,
    /// Whether what was compared is told, part by part.
    pub verbose_mode: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threshold: Some(0.5),
            input_parameters: false,
            output: false,
            strict_mode: false,
            should_exact_match: false,
            should_consider_ordering: false,
            include_reason: true,
            verbose_mode: false,
        }
    }
}

impl Options {
    /// These options, overridden by `settings`.
    pub fn with(mut self, settings: &Object) -> Result<Options, SettingError> {
        for (key, value) in settings.iter() {
            match key {
                "threshold" if value.is_null() => self.threshold = None,
                "threshold" => self.threshold = Some(setting::number(key, value)?),
                "evaluation_params" => self.evaluate(value)?,
                "strict_mode" => self.strict_mode = setting::boolean(key, value)?,
                "should_exact_match" => self.should_exact_match = setting::boolean(key, value)?,
                "should_consider_ordering" => self.should_consider_ordering = setting::boolean(key, value)?,
                "include_reason" => self.include_reason = setting::boolean(key, value)?,
                "verbose_mode" => self.verbose_mode = setting::boolean(key, value)?,
                // They are added to the cases.
                "available_tools" => are_tools(value)?,
                _ => return Err(setting::unknown(key, KNOWN)),
            }
        }
        Ok(self)
    }

    fn evaluate(&mut self, params: &Json) -> Result<(), SettingError> {
        (self.input_parameters, self.output) = (false, false);
        let allowed = "a list of `INPUT_PARAMETERS` and `OUTPUT`";
        let wrong = || setting::wrong("evaluation_params", allowed, params);
        for param in params.as_array().ok_or_else(wrong)? {
            match param.as_str() {
                Some("INPUT_PARAMETERS") => self.input_parameters = true,
                Some("OUTPUT") => self.output = true,
                _ => return Err(wrong()),
            }
        }
        Ok(())
    }

    /// The threshold that counts: strict mode asks for everything.
    pub(super) fn bar(&self) -> Option<f64> {
        if self.strict_mode { Some(1.0) } else { self.threshold }
    }
}

/// An error if a value does not list tools.
fn are_tools(value: &Json) -> Result<(), SettingError> {
    let is_tool = |tool: &Json| {
        let named = |tool: &Json| tool.get("name").is_some_and(|name| name.as_str().is_some());
        named(tool) || tool.get("function").is_some_and(named)
    };
    let is_list = value.is_null() || value.as_array().is_some_and(|tools| tools.iter().all(is_tool));
    let allowed = "a list of tools, objects with `name` and `description`";
    if is_list { Ok(()) } else { Err(setting::wrong("available_tools", allowed, value)) }
}
