//! The cases of a run of agents: read from suites or tasks, chosen, and completed by what the command says.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::error::DriveError;
use crate::domain::{Json, did_you_mean};
use crate::drive::{Case, Expected, Loop, Suite, SuiteDefaults, SuiteFormat, langchain, read_suite};
use crate::environment::EnvironmentName;
use crate::run::settings::{AgentKind, DriveSettings, DriveSource};
use crate::score::OwnFunctions;

/// All suites that the settings name.
pub(super) fn suites(settings: &DriveSettings) -> Result<Vec<Suite>, DriveError> {
    let suites = match &settings.source {
        DriveSource::Suites(paths) => {
            paths.iter().map(|path| suite(path, settings)).collect::<Result<Vec<_>, _>>()?
        }
        DriveSource::Tasks(names) => names.iter().map(|name| task(*name)).collect::<Result<_, _>>()?,
        DriveSource::Task { name, examples: None } => vec![task(*name)?],
        DriveSource::Task { name, examples: Some(path) } => {
            let text = read(path, "examples")?;
            let wrong = |why: String| DriveError::Content { path: path.clone(), why };
            let examples = examples(&text).map_err(wrong)?;
            vec![langchain::suite_of(*name, &examples).map_err(|why| wrong(format!(" {why}")))?]
        }
    };
    let mut names = BTreeSet::new();
    match suites.iter().find(|suite| !names.insert(suite.name.as_str())) {
        Some(twice) => Err(DriveError::SameSuite(twice.name.clone())),
        None => Ok(suites),
    }
}

fn task(name: EnvironmentName) -> Result<Suite, DriveError> {
    langchain::task(name).map_err(|why| DriveError::Case {
        suite: name.as_str().to_owned(),
        case: String::new(),
        why: why.to_string(),
    })
}

/// What stands, in the instructions of the command, for a case's own.
const OWN_SYSTEM: &str = "{system}";

/// Puts other instructions in the place of a case's own.
pub(super) fn instruct(case: &mut Case, text: &str) {
    let text = text.replace(OWN_SYSTEM, case.system.as_deref().unwrap_or_default());
    case.system = (!text.is_empty()).then(|| Arc::from(text));
}

/// A list, or an object a line.
fn examples(text: &str) -> Result<Vec<Json>, String> {
    if text.trim_start().starts_with('[') {
        return match Json::parse(text) {
            Ok(Json::Array(items)) => Ok(items),
            Ok(_) => Err(" expected a list of examples".to_owned()),
            Err(why) => Err(format!(" {why}")),
        };
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| Json::parse(line).map_err(|why| format!("{}: {why}", at + 1))).collect()
}

fn suite(path: &Path, settings: &DriveSettings) -> Result<Suite, DriveError> {
    let text = read(path, "suite")?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let load = |name: &str| std::fs::read_to_string(folder.join(name)).map_err(|why| why.to_string());
    let defaults = match settings.follows {
        Loop::Article => SuiteDefaults::article(),
        Loop::Own | Loop::LangChain => SuiteDefaults::default(),
    };
    let defaults = match settings.max_steps {
        Some(most) => SuiteDefaults { max_steps: Some(most.get()), ..defaults },
        None => defaults,
    };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("suite");
    let format = SuiteFormat::of_name(name).ok_or_else(|| DriveError::File {
        what: "suite",
        path: path.to_owned(),
        why: "a suite's name ends in .toml, .yaml, .yml, .json, .jsonl or .ndjson".to_owned(),
    })?;
    read_suite(name, format, &text, defaults, &load).map_err(|why| {
        let line = why.line.map(|line| format!("{line}: ")).unwrap_or(" ".to_owned());
        DriveError::Content { path: path.to_owned(), why: format!("{line}{}", why.message) }
    })
}

/// The text of a file; `what` it is, for the error.
pub(super) fn read(path: &Path, what: &'static str) -> Result<String, DriveError> {
    std::fs::read_to_string(path).map_err(|why| DriveError::File {
        what,
        path: path.to_owned(),
        why: why.to_string(),
    })
}

/// The cases that are meant, of the suites that have some, and whether others are left out.
pub(super) fn chosen(
    mut suites: Vec<Suite>,
    settings: &DriveSettings,
) -> Result<(Vec<Suite>, bool), DriveError> {
    let nothing = |flag: &'static str, value: &String, what: &'static str, near: String| {
        DriveError::NothingChosen { flag, value: value.clone(), what, near }
    };
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let whole = all().count();
    for id in &settings.cases {
        if !all().any(|case| case.id == *id) {
            let near = did_you_mean(id, all().map(|case| case.id.as_str()));
            return Err(nothing("--case", id, "case", near));
        }
    }
    for category in &settings.categories {
        if !all().any(|case| case.category.as_deref() == Some(category)) {
            let near = did_you_mean(category, all().filter_map(|case| case.category.as_deref()));
            return Err(nothing("--category", category, "category", near));
        }
    }
    let is_chosen = |case: &Case| {
        (settings.cases.is_empty() || settings.cases.contains(&case.id))
            && (settings.categories.is_empty()
                || case.category.as_ref().is_some_and(|category| settings.categories.contains(category)))
    };
    let mut left = settings.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    for suite in &mut suites {
        suite.cases.retain(is_chosen);
        suite.cases.truncate(left);
        left -= suite.cases.len();
    }
    suites.retain(|suite| !suite.cases.is_empty());
    if suites.is_empty() {
        let told = |flag: &'static str| move |value: &String| format!("{flag} {value}");
        let flags = settings.cases.iter().map(told("--case"));
        let flags = flags.chain(settings.categories.iter().map(told("--category")));
        let flags = flags.chain(settings.limit.map(|limit| format!("--limit {limit}")));
        return Err(DriveError::NoCaseLeft(flags.collect::<Vec<_>>().join(", ")));
    }
    let is_cut = suites.iter().map(|suite| suite.cases.len()).sum::<usize>() < whole;
    Ok((suites, is_cut))
}

/// The threshold where neither the suite nor the command says one: whatever is wrong fails the case.
const THRESHOLD: u32 = 1;

/// Gives a case what the command says and the suite does not.
pub(super) fn complete(case: &mut Case, settings: &DriveSettings) {
    let is_own = settings.follows == Loop::Own;
    if let Expected::Test(test) = &mut case.expected {
        let is_usual = settings.scorer.as_deref().is_none_or(|scorer| scorer == "tool_evaluator");
        if is_own && is_usual && !test.contains_key("threshold") {
            let told = settings.scoring.get("threshold").cloned();
            test.insert("threshold", told.unwrap_or(Json::Number(u64::from(THRESHOLD).into())));
        }
    } else if let Some(most) = settings.max_steps.filter(|_| is_own) {
        case.bounds.max_steps = most.get();
    }
}

/// Writes into the cases which versions of functions their validators name.
pub(super) fn sign(suite: &mut Suite, functions: &OwnFunctions) -> Result<(), DriveError> {
    for case in &mut suite.cases {
        let Expected::Test(test) = &mut case.expected else { continue };
        functions.sign(test).map_err(|why| DriveError::Case {
            suite: suite.name.clone(),
            case: case.id.clone(),
            why,
        })?;
    }
    Ok(())
}

/// Refuses the loop of a peer for cases that it does not know.
pub(super) fn fits(settings: &DriveSettings, of_tasks: bool, suites: &[Suite]) -> Result<(), DriveError> {
    let follows = settings.follows;
    let own = settings.agents.iter().find(|agent| matches!(agent.kind, AgentKind::Own(_)));
    if let Some((peer, own)) = follows.peer().zip(own) {
        return Err(DriveError::OwnLoop { peer, agent: own.name.clone() });
    }
    let suite = || suites.first().map_or(String::new(), |suite| suite.name.clone());
    match (follows, of_tasks) {
        (Loop::LangChain, false) => {
            Err(DriveError::OtherLoop { peer: "langchain", what: "the tasks langchain:…", suite: suite() })
        }
        (Loop::Article, true) => {
            Err(DriveError::OtherLoop { peer: "article", what: "suites", suite: suite() })
        }
        _ => Ok(()),
    }
}

/// Whether a judge can grade the answers to a case.
pub(super) fn has_reference(case: &Case) -> bool {
    match &case.expected {
        Expected::Test(_) => case.reference.is_some(),
        Expected::Example { output_evaluation, example } => {
            *output_evaluation != "none"
                && example.get("reference").is_some_and(|reference| !reference.is_null())
        }
    }
}
