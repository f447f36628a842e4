//! The scoring job: cases in, scores out.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::asking::{self, Answers};
use super::page::{self, ScorePage};
use super::pass::{ScoredTable, Scoring};
use super::row::{EXPECTED, case, is_case};
use super::texts::Texts;
use super::{ScoringError, Tally, bfcl_files, choice, columns, transcripts};
use crate::domain::{Json, Object, Slot};
use crate::normalize::{Normalizer, Options};
use crate::read::{Selection, Table, Take, Understanding};
use crate::run::junit::{self, CaseOutcome, Suite};
use crate::run::session::apart;
use crate::run::settings::ScoreSettings;
use crate::run::{Control, MemberSummary, Pass, RunError, runtime};
use crate::score::{SCORERS, Score, ScoreError};
use crate::table::Format;
use crate::write::{self, Output, ScoreColumns};

/// What the cases came to.
#[derive(Debug)]
pub struct ScoreSummary {
    /// The scorer, with the peer whose numbers it gives.
    pub scorer: String,
    /// What it compares, in words.
    pub compares: String,
    /// Cases, scores, failures and their reasons.
    pub tally: Tally,
    /// What the judge that was asked came to, its tokens and cost among it.
    pub judge: Option<MemberSummary>,
    /// Where the cases were written with their scores.
    pub output: Option<PathBuf>,
}

/// Scores every case of a table: what was called against what should have been.
///
/// # Errors
/// If the settings cannot hold, or a file cannot be read or written; [`RunError::Unfinished`] if the run was stopped. No table
/// appears then. An empty suite is not an error.
///
/// ```
/// use tooljudge::run::score_blocking;
/// use tooljudge::run::settings::ScoreSettings;
///
/// # let folder = tempfile::tempdir()?;
/// # let cases = folder.path().join("cases.jsonl");
/// std::fs::write(&cases, r#"{"tool_call": {"name": "weather", "arguments": {"city": "Oslo"}},
///     "expected_tool_calls": [{"name": "weather", "arguments": {"city": "Oslo"}}]}"#.replace('\n', ""))?;
/// let scorer = Some("tool_correctness".to_owned());
/// let summary = score_blocking(ScoreSettings { scorer, ..ScoreSettings::new([cases.display().to_string()]) })?;
/// assert_eq!((summary.tally.cases, summary.tally.passed), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn score(settings: ScoreSettings, control: &Control) -> Result<ScoreSummary, RunError> {
    let joined = settings.bfcl.as_ref().map(bfcl_files::cases).transpose()?;
    let table = open(&settings, joined.as_ref().map(|file| file.path().display().to_string()))?;
    let compat = settings.compat.as_deref();
    columns::check(&settings.columns, table.schema())?;
    let first = first_case(&table, &settings.columns)?;
    let is_cut = !settings.filters.is_empty() || settings.take != Take::All;
    let scorer = choice::scorer(settings.scorer.as_deref(), compat, first.as_ref())?;
    let mut ready = (scorer.ready)(&settings.options, compat).map_err(ScoringError::Options)?;
    ready.give(&settings.functions).map_err(ScoringError::Options)?;
    let own = first.as_ref().is_some_and(|case| case.contains_key("config"));
    // A case's own settings may be those that give it an effect.
    let has_own = own || table.schema().position("config").is_some();
    let idle = ready.idle().into_iter().filter(|_| !has_own);
    if let Some((setting, missing)) =
        { idle }.find(|(setting, _)| settings.demanded.iter().any(|demanded| demanded == setting))
    {
        return Err(ScoringError::NoEffect { setting, missing }.into());
    }
    let compares =
        ready.compares(first.as_ref()) + if own { ", unless a case's `config` says otherwise" } else { "" };
    let is_part = |case: &Object| transcripts::expects(case) && !case.contains_key(EXPECTED);
    if is_cut && scorer.expects && first.as_ref().is_some_and(is_part) {
        return Err(ScoringError::CutTranscripts.into());
    }
    if let Some(case) =
        first.filter(|case| compat.is_none() && !is_case(scorer, case) && is_invalid(ready.as_ref(), case))
    {
        let keys = case.keys().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        return Err(ScoringError::OtherCases { scorer: scorer.name, keys }.into());
    }
    // Before a judge is paid.
    let output = output(&settings, &table)?;
    if let Some(junit) = &settings.junit {
        write::check_text(junit, settings.output.force)?;
    }
    if let Some(report) = &settings.report {
        page::check(report, settings.output.force)?;
    }
    let (answers, judge) = match (&settings.panel, &scorer.inquiry) {
        (None, _) => (Answers::default(), None),
        (Some(panel), Some(inquiry)) => {
            asking::answers(&table, (inquiry, ready.as_ref()), &settings.columns, panel, control).await?
        }
        (Some(_), None) => {
            let takes = SCORERS.iter().filter(|scorer| scorer.inquiry.is_some()).map(|scorer| scorer.name);
            let all = takes.collect::<Vec<_>>().join(", ");
            return Err(ScoringError::NothingToAsk { scorer: scorer.name, all }.into());
        }
    };
    let name = match compat {
        Some(peer) => format!("{} (as {peer})", scorer.name),
        None => scorer.name.to_owned(),
    };
    control.observer.begins();
    let pass = Pass::new("scoring", table.rows());
    let progress = Arc::clone(&pass.progress);
    let shown = control.observer.pass(pass);
    let named = settings.columns.clone();
    let columns = ScoreColumns::new(&settings.prefix, ready.figures());
    let replaced = match &output {
        Some(_) => columns.clashes(table.schema(), settings.overwrite)?,
        None => Vec::new(),
    };
    let normalizer = Normalizer::new(Options::default()).map_err(ScoringError::Row)?;
    let listing = settings.junit.is_some();
    let (texts, observer) = (Texts::of(table.schema(), &named), Arc::clone(&control.observer));
    let as_peer = compat.is_some();
    let mut page = match &settings.report {
        Some(path) => Some(ScorePage::new(path, &name, table.schema())?),
        None => None,
    };
    let read: Vec<PathBuf> = match joined.is_some() {
        true => settings.bfcl.iter().map(|files| files.results.clone()).collect(),
        false => table.inputs().iter().map(|input| input.path.clone()).collect(),
    };
    let scored = apart(&control.stop, move |stopped| {
        let scoring = Scoring {
            table: &table,
            scorer,
            ready,
            as_peer,
            normalizer,
            columns: named,
            answers,
            listing,
            texts,
        };
        let destination = output.as_ref().map(|output| ScoredTable { output, columns, replaced });
        let (tally, finished) = scoring.run(destination.as_ref(), page.as_mut(), &progress, stopped)?;
        scoring.texts.tell(observer.as_ref());
        Ok((tally, output.zip(finished), page))
    });
    let scored = scored.await;
    drop((shown, joined));
    let (tally, written, page) = scored.map_err(|error| error.if_interrupted("nothing was written"))?;
    if let Some((output, finished)) = written.as_ref().filter(|(output, _)| output.has_manifest()) {
        let path = &output.path;
        let manifest = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": settings.inputs,
            "scorer": scorer.name,
            "compat": settings.compat,
            "settings": options_record(&settings.options),
            "compares": compares,
            "summary": tally.to_json(),
            "judge": judge.as_ref().map(asked),
            "output": { "path": path.display().to_string(), "rows": finished.rows, "bytes": finished.bytes },
        });
        write::write_manifest(path, &manifest)?;
    }
    if let Some(file) = &settings.junit {
        write::write_text(file, &junit::render(&[suite(&tally, &name)]))?;
    }
    if let Some(page) = page {
        page.write(&read, &compares, control.observer.as_ref())?;
    }
    let output = written.map(|(output, _)| output.path);
    Ok(ScoreSummary { scorer: name, compares, tally, judge, output })
}

/// Who was asked, and what that came to.
pub(crate) fn asked(judge: &MemberSummary) -> Value {
    json!({ "name": judge.judge, "template": judge.template, "summary": judge.summary.to_json() })
}

/// [`score()`] for programs that are not asynchronous.
///
/// # Errors
/// As there, and if no runtime can be started.
///
/// # Panics
/// Within an asynchronous runtime: await [`score()`] there.
pub fn score_blocking(settings: ScoreSettings) -> Result<ScoreSummary, RunError> {
    runtime()?.block_on(score(settings, &Control::default()))
}

fn is_invalid(ready: &dyn Score, case: &Object) -> bool {
    matches!(ready.score(case), Err(error) if error == ScoreError::invalid(error.message.clone()))
}

/// The options as a manifest keeps them.
fn options_record(options: &Object) -> Value {
    serde_json::from_str(&Json::Object(options.clone()).to_string()).unwrap_or_default()
}

fn open(settings: &ScoreSettings, joined: Option<String>) -> Result<Table, RunError> {
    let (inputs, tables) = match joined {
        Some(joined) => (vec![joined], &[][..]),
        None => (settings.inputs.clone(), &settings.tables[..]),
    };
    let selection = Selection { filters: settings.filters.clone(), take: settings.take };
    Ok(Table::open_with(&inputs, tables, Understanding { format: settings.from, logs: None }, selection)?)
}

fn first_case(table: &Table, columns: &[(Slot, String)]) -> Result<Option<Object>, RunError> {
    let Some(batch) = table.batches(None).next().transpose()? else { return Ok(None) };
    let schema = Arc::clone(&batch.schema);
    let first = batch.head(1).into_records()?.into_iter().next();
    Ok(first.map(|record| case(table, &schema, record.cells, columns)))
}

fn output(settings: &ScoreSettings, table: &Table) -> Result<Option<Output>, RunError> {
    let to = &settings.output;
    if let Some(collected) = &to.collected {
        return Ok(Some(Output::in_memory(collected)));
    }
    let Some(path) = &to.path else { return Ok(None) };
    let inputs: Vec<_> = table.inputs().iter().map(|input| input.path.as_path()).collect();
    let format = table.inputs().first().map_or(Format::Jsonl, |input| input.format);
    let output = Output::new(path.clone(), to.format, format)?.with_formulas(to.formulas);
    output.check(&inputs, table.folders(), to.force)?;
    Ok(Some(output))
}

/// All listed cases; an error is a failure.
fn suite(tally: &Tally, scorer: &str) -> Suite {
    let outcome = |why: &Option<String>| why.clone().map_or(CaseOutcome::Passed, CaseOutcome::Failed);
    let cases = tally.listed.iter().flatten().map(|(name, why)| (name.clone(), outcome(why)));
    Suite { name: scorer.to_owned(), cases: cases.collect() }
}
