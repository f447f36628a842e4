//! Turns flags into the options of a scorer, under its peer's own names.

use anyhow::Context;

use super::args::SettingArgs;
use crate::cli::flags::flag;
use crate::cli::layers::Origins;
use crate::domain::{Json, Number, Object};
use crate::run::ScoringError;
use crate::score::SettingError;

/// Options of scorers that are flags under another name: theirs, and the flag's key.
const RENAMED: [(&str, &str); 11] = [
    ("strict_mode", "strict"),
    ("evaluation_params", "evaluate"),
    ("should_consider_ordering", "consider_ordering"),
    ("should_exact_match", "exact_match"),
    ("requireAll", "require_all"),
    ("allowExtras", "allow_extras"),
    ("params.custom", "params"),
    ("fuzzyOptions", "tolerance"),
    ("numericTolerance", "tolerance"),
    ("trajectory_match_mode", "match"),
    ("tool_args_match_mode", "args"),
];

/// What is wrong with an option, under the name by which it was given: its flag, `--set`, or its place in the settings file.
pub fn as_typed(why: &ScoringError, others: &[(String, String)], origins: &Origins) -> Option<String> {
    let (setting, text) = match why {
        ScoringError::NoEffect { setting, missing } => (*setting, format!("it has no effect {missing}")),
        ScoringError::Options(SettingError::Value { key, allowed, value }) => {
            (key.as_str(), format!("it must be {allowed}, and not {value}"))
        }
        ScoringError::Options(SettingError::Unknown { key, known }) => {
            (key.as_str(), format!("this scorer has no such setting; its settings are: {known}"))
        }
        ScoringError::Options(SettingError::Function { key, why }) => (key.as_str(), why.clone()),
        _ => return None,
    };
    let renamed = RENAMED.iter().find(|(theirs, _)| *theirs == setting).map(|(_, key)| *key);
    let key = renamed.unwrap_or(setting);
    let of = |name: &str| name == setting || name == "fuzzyOptions" && key == "tolerance";
    if origins.given.is_on(key) && !origins.given.is_on("set") {
        return Some(format!("{}: {text}", flag(key)));
    }
    let named = match others.iter().find(|(name, _)| of(name)) {
        Some((name, _)) => origins.place("set").unwrap_or_else(|| format!("--set {name}")),
        None => origins.place(key).or_else(|| origins.given.is_on(key).then(|| flag(key)))?,
    };
    Some(format!("{named}: {text}"))
}

/// The options that the flags give: what was `typed` counts more than what else is in `args`, however it was said.
pub fn options(typed: &SettingArgs, args: &SettingArgs) -> anyhow::Result<Object> {
    let mut settings = of_one_layer(args)?;
    of_one_layer(typed)?.into_iter().for_each(|(key, value)| join(&mut settings, key, value));
    Ok(settings)
}

/// Sets `key`; of two objects, the members of both stay.
fn join(settings: &mut Object, key: String, value: Json) {
    match (settings.get_mut(&key), value) {
        (Some(Json::Object(own)), Json::Object(more)) => {
            more.into_iter().for_each(|(key, value)| own.insert(key, value));
        }
        (_, value) => {
            settings.insert(key, value);
        }
    }
}

/// Where a setting has a flag of its own and is set by name too, the name counts.
pub fn of_one_layer(args: &SettingArgs) -> anyhow::Result<Object> {
    let mut settings = Object::new();
    let float = |value: f64| Number::from_f64(value).map_or(Json::Null, Json::Number);
    let switch = |on: bool| on.then_some(Json::Bool(true));
    let choice = |value: Option<bool>| value.map(Json::Bool);
    let text = |value: &Option<String>| value.as_deref().map(Json::from);
    let list = |words: &[String]| {
        let words: Vec<Json> = words.iter().map(|word| Json::from(word.as_str())).collect();
        (!words.is_empty()).then_some(Json::Array(words))
    };
    let words = args.evaluate.iter().map(|word| Json::from(word.to_uppercase())).collect::<Vec<_>>();
    for (key, value) in [
        ("threshold", args.threshold.map(float)),
        ("strict_mode", switch(args.strict)),
        ("evaluation_params", (!words.is_empty()).then_some(Json::Array(words))),
        ("should_consider_ordering", switch(args.consider_ordering)),
        ("should_exact_match", switch(args.exact_match)),
        ("allowed_tools", list(&args.allowed_tools)),
        ("denied_tools", list(&args.denied_tools)),
        ("ordered", switch(args.ordered)),
        ("requireAll", choice(args.require_all)),
        ("allowExtras", choice(args.allow_extras)),
        ("params", text(&args.params)),
        ("order_matters", choice(args.order_matters)),
        ("trajectory_match_mode", text(&args.match_mode)),
        ("tool_args_match_mode", text(&args.args)),
        ("metric", text(&args.metric)),
    ] {
        if let Some(value) = value {
            settings.insert(key, value);
        }
    }
    if let Some(tolerance) = args.tolerance {
        settings.insert(
            "fuzzyOptions",
            Json::Object(Object::from_iter([("numericTolerance".to_owned(), float(tolerance))])),
        );
    }
    for (key, value) in &args.others {
        let value =
            Json::parse(value).with_context(|| format!("--set {key}: `{value}` is not valid JSON"))?;
        join(&mut settings, key.clone(), value);
    }
    Ok(settings)
}
