//! Flags to the settings of a scorer, under its peer's own names.

use anyhow::{Context, bail};

use super::args::SettingArgs;
use crate::domain::{Json, Number, Object};
use crate::score::{SCORERS, Scorer};

/// The scorer that is meant, and the peer whose numbers it is to give.
pub fn scorer(
    named: Option<&str>,
    compat: Option<&str>,
    first_case: Option<&Object>,
) -> anyhow::Result<&'static Scorer> {
    let all = || SCORERS.iter().map(|scorer| scorer.name).collect::<Vec<_>>().join(", ");
    let scorer = match (named, compat, first_case) {
        (Some(name), ..) => {
            let scorer = SCORERS.iter().find(|scorer| scorer.name == name);
            scorer.with_context(|| format!("--scorer: `{name}` is none of {}", all()))?
        }
        (None, Some(peer), _) => {
            let peers =
                || SCORERS.iter().flat_map(|scorer| scorer.peers).copied().collect::<Vec<_>>().join(", ");
            let scorer = SCORERS.iter().find(|scorer| scorer.peers.contains(&peer));
            scorer.with_context(|| format!("--compat: `{peer}` is none of {}", peers()))?
        }
        (None, None, Some(case)) => {
            let scorer = SCORERS.iter().find(|scorer| (scorer.matches)(case));
            scorer.with_context(|| {
                format!("the cases' keys give no scorer away; choose one with --scorer: {}", all())
            })?
        }
        (None, None, None) => bail!("there are no cases; name a scorer with --scorer: {}", all()),
    };
    match compat {
        Some(peer) if !scorer.peers.contains(&peer) => {
            bail!("{} cannot give the numbers of {peer}, only of {}", scorer.name, scorer.peers.join(", "))
        }
        _ => Ok(scorer),
    }
}

/// The settings that the flags give.
pub fn settings(args: &SettingArgs) -> anyhow::Result<Object> {
    let mut settings = Object::new();
    let float = |value: f64| Number::from_f64(value).map_or(Json::Null, Json::Number);
    let switch = |on: bool| on.then_some(Json::Bool(true));
    let choice = |value: Option<bool>| value.map(Json::Bool);
    let text = |value: &Option<String>| value.as_deref().map(Json::from);
    let words = args.evaluate.iter().map(|word| Json::from(word.to_uppercase())).collect::<Vec<_>>();
    for (key, value) in [
        ("threshold", args.threshold.map(float)),
        ("strict_mode", switch(args.strict)),
        ("evaluation_params", (!words.is_empty()).then_some(Json::Array(words))),
        ("should_consider_ordering", switch(args.consider_ordering)),
        ("should_exact_match", switch(args.exact_match)),
        ("ordered", switch(args.ordered)),
        ("requireAll", choice(args.require_all)),
        ("allowExtras", choice(args.allow_extras)),
        ("params", text(&args.params)),
        ("order_matters", choice(args.order_matters)),
        ("trajectory_match_mode", text(&args.match_mode)),
        ("tool_args_match_mode", text(&args.args)),
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
        let value = Json::parse(value).with_context(|| format!("--set {key}: `{value}` is no JSON"))?;
        settings.insert(key.as_str(), value);
    }
    Ok(settings)
}
