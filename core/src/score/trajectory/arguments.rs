//! When a step has the arguments that are expected of it.

use std::borrow::Cow;

use super::glob;
use super::step::Step;
use crate::domain::{Json, Object};
use crate::score::difference::{Differences, issue};
use crate::score::equality::{Equality, every_member};
use crate::score::functions::{self, Asking};
use crate::score::{Issue, IssueKind, OwnFunctions, ScoreError, SettingError, setting};

/// How much of the arguments counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentMode {
    Ignore,
    /// Where an expected step has arguments, they must be equal.
    Exact,
    /// No argument that is not expected.
    Subset,
    /// Every expected argument, and perhaps others.
    Superset,
    /// As [`ArgumentMode::Superset`], in objects within arguments as well.
    Partial,
}

impl ArgumentMode {
    fn read(key: &str, value: &Json) -> Result<ArgumentMode, SettingError> {
        let words = [
            ("ignore", ArgumentMode::Ignore),
            ("exact", ArgumentMode::Exact),
            ("subset", ArgumentMode::Subset),
            ("superset", ArgumentMode::Superset),
            ("partial", ArgumentMode::Partial),
        ];
        setting::one_of(key, value, &words)
    }
}

/// What counts of the arguments of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Mode(ArgumentMode),
    /// What stands at these paths, `a.b` for `b` within `a`.
    Paths(Vec<String>),
    /// Whatever the function of this name of the user's own says yes to.
    Function(String),
}

/// What counts of the arguments of all tools.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArgumentRules {
    /// `None`: as the form of the record suggests.
    pub mode: Option<ArgumentMode>,
    /// Tools with rules of their own.
    overrides: Vec<(String, Rule)>,
    /// Names of arguments, with wildcards, that do not count on either side.
    ignored: Vec<String>,
    /// Arguments that may be given though they are not expected, or left out though they are.
    defaults: Object,
}

impl ArgumentRules {
    pub(super) const KEYS: [&str; 4] =
        ["tool_args_match_mode", "tool_args_match_overrides", "ignore", "defaults"];

    /// Takes over one of the settings [`ArgumentRules::KEYS`].
    pub(super) fn set(&mut self, key: &str, value: &Json) -> Result<(), SettingError> {
        match key {
            "tool_args_match_mode" => self.mode = Some(ArgumentMode::read(key, value)?),
            "tool_args_match_overrides" => {
                let tools = value.as_object().ok_or_else(|| setting::wrong(key, "an object", value))?;
                self.overrides = tools
                    .iter()
                    .filter(|(_, rule)| rule.as_array().is_none_or(|paths| !paths.is_empty()))
                    .map(|(tool, rule)| Ok((tool.to_owned(), rule_of(&format!("{key}.{tool}"), rule)?)))
                    .collect::<Result<_, SettingError>>()?;
            }
            "ignore" => {
                let names = match value {
                    Json::String(name) => vec![name.as_str()],
                    other => setting::strings(key, other)?,
                };
                self.ignored = names.into_iter().map(str::to_owned).collect();
            }
            _ => {
                let defaults = value.as_object();
                let wrong = || setting::wrong(key, "an object with the default of each argument", value);
                self.defaults = defaults.ok_or_else(wrong)?.clone();
            }
        }
        Ok(())
    }

    /// # Errors
    /// If a tool's rule is a function that is not among `functions`.
    pub(super) fn check(&self, functions: &OwnFunctions) -> Result<(), SettingError> {
        self.overrides.iter().try_for_each(|(tool, rule)| match rule {
            Rule::Function(name) => functions.named(name).map(drop).map_err(|why| SettingError::Function {
                key: format!("{}.{tool}", ArgumentRules::KEYS[1]),
                why,
            }),
            Rule::Mode(_) | Rule::Paths(_) => Ok(()),
        })
    }

    /// Whether some arguments count.
    pub(super) fn compare_any(&self, default: ArgumentMode) -> bool {
        self.mode.unwrap_or(default) != ArgumentMode::Ignore
            || self.overrides.iter().any(|(_, rule)| *rule != Rule::Mode(ArgumentMode::Ignore))
    }

    /// A setting that is set although only `modes`, and overrides where there are such, are to be had.
    pub(super) fn beyond(&self, modes: &[ArgumentMode], overrides: bool) -> Option<&'static str> {
        let [mode, for_tools, ignore, defaults] = ArgumentRules::KEYS;
        let is_beyond = [
            (mode, self.mode.is_some_and(|mode| !modes.contains(&mode))),
            (for_tools, !overrides && !self.overrides.is_empty()),
            (ignore, !self.ignored.is_empty()),
            (defaults, !self.defaults.is_empty()),
        ];
        is_beyond.iter().find(|(_, is_beyond)| *is_beyond).map(|(key, _)| *key)
    }

    fn of(&self, tool: &str, default: ArgumentMode) -> Cow<'_, Rule> {
        match self.overrides.iter().find(|(name, _)| name == tool) {
            Some((_, rule)) => Cow::Borrowed(rule),
            None => Cow::Owned(Rule::Mode(self.mode.unwrap_or(default))),
        }
    }

    fn is_ignored(&self, key: &str) -> bool {
        let has_wildcards = |name: &str| name.contains(['*', '?']);
        self.ignored.iter().any(|name| name == key || has_wildcards(name) && glob::matches(name, key))
    }

    /// Arguments without those that do not count; a default is left out where the other side has no such argument.
    fn stripped<'a>(&self, arguments: &'a Json, other: &Json, equality: Equality) -> Cow<'a, Json> {
        let Some(object) = arguments.as_object() else { return Cow::Borrowed(arguments) };
        if self.ignored.is_empty() && self.defaults.is_empty() {
            return Cow::Borrowed(arguments);
        }
        let is_default = |key: &str, value: &Json| {
            self.defaults.get(key).is_some_and(|default| equality.values(default, value))
                && other.get(key).is_none()
        };
        let kept = object.iter().filter(|(key, value)| !self.is_ignored(key) && !is_default(key, value));
        Cow::Owned(Json::Object(kept.map(|(key, value)| (key.to_owned(), value.clone())).collect()))
    }
}

fn rule_of(key: &str, value: &Json) -> Result<Rule, SettingError> {
    if let Some(name) = functions::name(value) {
        return Ok(Rule::Function(name.to_owned()));
    }
    match value {
        Json::String(_) => ArgumentMode::read(key, value).map(Rule::Mode),
        Json::Array(_) => setting::strings(key, value)
            .map(|paths| Rule::Paths(paths.into_iter().map(str::to_owned).collect())),
        other => Err(setting::wrong(key, "a mode, a list of key paths or {\"function\": NAME}", other)),
    }
}

/// Compares the arguments of steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matching<'a> {
    pub rules: &'a ArgumentRules,
    /// What counts where the settings do not say.
    pub default: ArgumentMode,
    pub equality: Equality,
    /// Who asks functions of the user's own; without, they say no.
    pub asking: Option<&'a Asking<'a>>,
}

impl Matching<'_> {
    /// Whether a step is an expected one: the tool, and as much of its arguments as counts.
    pub(super) fn is_step(&self, expected: &Step, actual: &Step) -> bool {
        expected.tool == actual.tool && self.has_arguments(expected, actual)
    }

    fn has_arguments(&self, expected: &Step, actual: &Step) -> bool {
        let rule = self.rules.of(expected.tool, self.default);
        if *rule == Rule::Mode(ArgumentMode::Ignore) {
            return true;
        }
        // A step that is expected by name alone may have any arguments.
        let Some(wanted) = expected.arguments.as_deref() else { return true };
        let none = Json::Object(Object::new());
        let given = actual.arguments.as_deref().filter(|given| !given.is_null()).unwrap_or(&none);
        let wanted = if wanted.is_null() { &none } else { wanted };
        let stripped_given = self.rules.stripped(given, wanted, self.equality);
        let stripped_wanted = self.rules.stripped(wanted, given, self.equality);
        rule.holds(&stripped_given, &stripped_wanted, self)
    }

    /// Whether arguments of some expected step are looked at; `None` where none count.
    pub(super) fn compares_any(&self, expected: &[Step]) -> Option<bool> {
        let compares = || expected.iter().any(|step| step.arguments.is_some() && self.counts(step.tool));
        self.rules.compare_any(self.default).then(compares)
    }

    /// Whether the arguments of a tool's steps count.
    pub(super) fn counts(&self, tool: &str) -> bool {
        *self.rules.of(tool, self.default) != Rule::Mode(ArgumentMode::Ignore)
    }

    /// # Errors
    /// If arguments cannot be told that are compared: those of an expected step, or of one of the same tool.
    pub(super) fn check_clear(&self, expected: &[Step], actual: &[Step]) -> Result<(), ScoreError> {
        let is_compared = |step: &&Step| {
            expected.iter().any(|wanted| wanted.tool == step.tool && wanted.arguments.is_some())
        };
        let unclear = |step: &&Step| step.unclear.is_some() && self.counts(step.tool);
        let mut all =
            { expected.iter().filter(unclear) }.chain(actual.iter().filter(unclear).filter(is_compared));
        all.find_map(|step| step.unclear.clone()).map_or(Ok(()), Err)
    }

    /// Whether `given` is as `wanted` asks, by the rule for `tool` and nothing else: agentevals' own question.
    pub(super) fn holds(&self, tool: &str, given: &Json, wanted: &Json) -> bool {
        self.rules.of(tool, self.default).holds(given, wanted, self)
    }

    /// Adds what is wrong with the arguments of a step of the right tool.
    pub(super) fn differences(&self, expected: &Step, actual: &Step, issues: &mut Vec<Issue>) {
        let (tool, equality) = (expected.tool, self.equality);
        let shown = |step: &Step| step.arguments.as_deref().map_or_else(|| "none".to_owned(), setting::shown);
        let rule = self.rules.of(tool, self.default);
        let (Ok(wanted), Ok(given)) = (expected.members(), actual.members()) else {
            let message =
                format!("`{tool}` has the arguments {}, expected {}", shown(actual), shown(expected));
            issues.push(issue(IssueKind::WrongType, tool, None, message));
            return;
        };
        let json = |object: Option<&Object>| Json::Object(object.cloned().unwrap_or_default());
        let (wanted, given) = (json(wanted), json(given));
        let stripped_given = self.rules.stripped(&given, &wanted, equality);
        let stripped_wanted = self.rules.stripped(&wanted, &given, equality);
        let (given, wanted) = (stripped_given.as_object(), stripped_wanted.as_object());
        let before = issues.len();
        match &*rule {
            Rule::Paths(paths) => {
                for path in paths {
                    let (wanted, given) = (at(&stripped_wanted, path), at(&stripped_given, path));
                    if !same(wanted, given, equality) {
                        let pointer = format!("/{}", path.replace('.', "/"));
                        let shown =
                            |value: Option<&Json>| value.map_or_else(|| "nothing".to_owned(), setting::shown);
                        let message = format!(
                            "`{tool}` has {} at `{pointer}`, expected {}",
                            shown(given),
                            shown(wanted)
                        );
                        issues.push(issue(IssueKind::WrongValue, tool, Some(&pointer), message));
                    }
                }
            }
            Rule::Function(_) => {}
            Rule::Mode(mode) => {
                let extras_count = matches!(mode, ArgumentMode::Exact | ArgumentMode::Subset);
                Differences { tool, equality, extras_count, issues }.of_arguments(wanted, given);
                if *mode == ArgumentMode::Subset {
                    // What is missing at the top is no fault; within an argument it makes another value.
                    let is_top = |issue: &Issue| {
                        issue.path.as_deref().is_some_and(|path| !path.trim_start_matches('/').contains('/'))
                    };
                    let mut at = 0;
                    issues.retain(|issue| {
                        at += 1;
                        at <= before || issue.kind != IssueKind::MissingParameter || !is_top(issue)
                    });
                }
            }
        }
        if issues.len() == before {
            let message =
                format!("`{tool}` has the arguments {}, expected {}", shown(actual), shown(expected));
            issues.push(issue(IssueKind::WrongValue, tool, None, message));
        }
    }
}

impl Rule {
    fn holds(&self, given: &Json, wanted: &Json, matching: &Matching) -> bool {
        let equality = matching.equality;
        let equal = |a: &Json, b: &Json| equality.values(a, b);
        match (self, given, wanted) {
            (Rule::Mode(ArgumentMode::Ignore), ..) => true,
            (Rule::Mode(ArgumentMode::Subset), Json::Object(given), Json::Object(wanted)) => {
                every_member(given, wanted, equal)
            }
            (Rule::Mode(ArgumentMode::Superset), Json::Object(given), Json::Object(wanted)) => {
                every_member(wanted, given, equal)
            }
            (Rule::Mode(ArgumentMode::Partial), ..) => is_part(wanted, given, equality),
            (Rule::Mode(_), ..) => equal(wanted, given),
            (Rule::Paths(paths), ..) => {
                paths.iter().all(|path| same(at(wanted, path), at(given, path), equality))
            }
            (Rule::Function(name), ..) => {
                matching.asking.is_some_and(|asking| asking.holds(name, &[given, wanted]))
            }
        }
    }
}

/// Whether `given` has all that `wanted` has, at every depth; lists are as long.
fn is_part(wanted: &Json, given: &Json, equality: Equality) -> bool {
    match (wanted, given) {
        (Json::Object(wanted), Json::Object(given)) => {
            every_member(wanted, given, |wanted, given| is_part(wanted, given, equality))
        }
        (Json::Array(wanted), Json::Array(given)) => {
            wanted.len() == given.len()
                && wanted.iter().zip(given).all(|(wanted, given)| is_part(wanted, given, equality))
        }
        (wanted, given) => equality.values(wanted, given),
    }
}

/// What stands at a path of keys; null is nothing.
fn at<'a>(json: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('.').try_fold(json, |json, key| json.get(key)).filter(|value| !value.is_null())
}

fn same(a: Option<&Json>, b: Option<&Json>, equality: Equality) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => equality.values(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}
