//! Exports marks as a table of gold: what was marked, by whom, when and why.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::ReviewError;
use super::agreement::{Opinions, ReviewerAgreement, agreement};
use super::correction::{self, Corrections, Outcome};
use super::row_key::ADDED;
use super::table::{ReviewTable, RowNames};
use crate::bench::columns;
use crate::domain::{Json, gold_columns};
use crate::run::input::text;
use crate::run::settings::ReviewExportSettings;
use crate::run::{Control, RunError};
use crate::store::{Mark, MarkStore, Picked};
use crate::table::{Batch, Column, Kind, Record, Schema, cell};
use crate::write::{Finished, Output, Sink, write_manifest};

/// What became of marks.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewExportSummary {
    /// Rows that were written.
    pub rows: u64,
    /// Rows among them that a reviewer gave gold, and no other reviewer another.
    pub marked: u64,
    /// Rows of a list of drawn rows that keep the gold of the list, because no reviewer gave them any.
    pub kept: u64,
    /// Names of rows on which reviewers disagree: their ids, or else their numbers. They are written without gold.
    pub disagreements: Vec<String>,
    /// Rows with a corrected call by a reviewer.
    pub corrected: u64,
    /// Names of rows whose corrected calls differ, or on which reviewers disagree whether the call was right: they are written without.
    pub disputed_corrections: Vec<String>,
    /// Rows that are right by their marks and have a corrected call: it is left out.
    pub unused_corrections: u64,
    /// Rows that were drawn and have no gold, because nobody gave them any.
    pub unmarked: u64,
    /// Rows with marks that the table does not have; they were left out.
    pub strange: u64,
    /// Who marked.
    pub reviewers: Vec<String>,
    /// How far the reviewers agree, by column of gold; the adjudicator is not counted.
    pub agreement: Vec<ReviewerAgreement>,
    /// Rows on which reviewers disagree, and the adjudicator decided.
    pub adjudicated: u64,
    /// Rows on which the reviewers agree, and the adjudicator says otherwise; the adjudicator's labels stand.
    pub overruled: u64,
    /// The columns of gold.
    pub golds: u64,
    /// The table that was written.
    pub output: PathBuf,
}

/// What reviewers say of a row.
#[derive(Default)]
struct Said {
    /// By column of gold: the label, or nothing where they disagree.
    gold: BTreeMap<String, Option<String>>,
    /// By column of gold, the label of the adjudicator.
    decided: BTreeMap<String, String>,
    /// Who gave which label, the adjudicator left out.
    opinions: Opinions,
    notes: Vec<(String, String)>,
    corrections: Corrections,
    reviewers: Vec<String>,
    at: Option<String>,
    /// Each mark, as JSON.
    marks: Vec<Value>,
    /// The gold of the list of drawn rows that the row stands in, by its column.
    listed: BTreeMap<String, Json>,
    is_drawn: bool,
}

/// Writes the marked rows of a labelled table with their gold, and the rows that were drawn and not marked: `label --errata`, `bench`
/// and `train` read it. Gold is what reviewers say: a row on which they disagree has none, nor one that has only a note. A table that is
/// itself a list of drawn rows keeps all of them, and its own gold where no reviewer gave any.
///
/// # Errors
/// If the table or its marks cannot be read, no row is marked, or the output cannot be written.
pub fn review_export(
    settings: &ReviewExportSettings,
    control: &Control,
) -> Result<ReviewExportSummary, RunError> {
    let to = &settings.output;
    let path = to.path.clone().ok_or(ReviewError::NoOutput)?;
    let table = ReviewTable::open(&settings.inputs, settings.id.as_deref(), control.observer.as_ref())?;
    let place = table.marks(settings.marks.as_deref())?;
    let store = MarkStore::existing(&place)?;
    let inputs = table.source.table.inputs();
    let output = Output::new(path, to.format, inputs[0].format)?.with_formulas(to.formulas);
    let read: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).chain([place.as_path()]).collect();
    output.check(&read, table.source.table.folders(), to.force)?;
    let mut said: BTreeMap<usize, Said> = BTreeMap::new();
    let mut first = 0;
    let names = table.each(|batch, _| {
        listed(batch, first, &mut said)?;
        first += batch.len();
        Ok(())
    })?;
    names.tell_of_draws(&store, control.observer.as_ref())?;
    let latest = store.latest()?;
    // As names of reviewers are kept.
    let adjudicator = settings.adjudicator.as_deref().map(str::trim);
    let places = names.places();
    let mut strange: Vec<&str> = Vec::new();
    let mut is_marked = false;
    for mark in &latest {
        match places.get(mark.mark.row_key.as_str()) {
            Some(at) => {
                said.entry(*at).or_default().add(mark, adjudicator);
                is_marked = true;
            }
            None => strange.push(&mark.mark.row_key),
        }
    }
    strange.dedup();
    let picks = store.draws(&names.set)?;
    let draws = draws(&picks, &places);
    for (at, _) in draws.iter().filter(|(_, draw)| draw.round.is_some()) {
        said.entry(*at).or_default().is_drawn = true;
        is_marked = true;
    }
    if !is_marked {
        return Err(match strange.len() {
            0 => ReviewError::NothingMarked { path: place },
            rows => ReviewError::OtherTable { path: place, rows },
        }
        .into());
    }
    if let Some(name) = adjudicator
        && !latest.iter().any(|mark| mark.mark.reviewer == *name)
    {
        let known: BTreeSet<&str> = latest.iter().map(|mark| mark.mark.reviewer.as_str()).collect();
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(ReviewError::NoAdjudicator { name: name.to_owned(), known }.into());
    }
    let agreement = agreement(said.values().map(|said| &said.opinions));
    let decided: Vec<Decided> = said.values_mut().map(Said::decide).collect();
    let count = |is: fn(&Decided) -> bool| decided.iter().filter(|decided| is(decided)).count() as u64;
    let (adjudicated, overruled) = (count(|row| row.ended), count(|row| row.overruled));
    let corrected: BTreeMap<usize, Outcome> =
        said.iter().map(|(at, said)| (*at, said.corrected(&table))).collect();
    let finished = write(&table, &said, &corrected, &draws, &output)?;
    let name = |at: &usize| match &names.rows[*at].id {
        Some(id) => id.clone(),
        None => format!("row {}", at + 1),
    };
    let mut reviewers: Vec<String> = said.values().flat_map(|said| said.reviewers.iter().cloned()).collect();
    reviewers.sort();
    reviewers.dedup();
    let summary = ReviewExportSummary {
        rows: finished.rows,
        marked: said.values().filter(|said| said.is_labelled()).count() as u64,
        kept: said
            .values()
            .filter(|said| !said.is_labelled() && !said.is_disputed() && said.keeps_gold())
            .count() as u64,
        disagreements: said.iter().filter(|(_, said)| said.is_disputed()).map(|(at, _)| name(at)).collect(),
        corrected: corrected.values().filter(|one| matches!(one, Outcome::Calls(_))).count() as u64,
        disputed_corrections: corrected
            .iter()
            .filter(|(_, one)| **one == Outcome::Disputed)
            .map(|(at, _)| name(at))
            .collect(),
        unused_corrections: corrected.values().filter(|one| **one == Outcome::Unused).count() as u64,
        unmarked: said.values().filter(|said| said.waits()).count() as u64,
        strange: strange.len() as u64,
        reviewers,
        agreement,
        adjudicated,
        overruled,
        golds: table.golds().len() as u64,
        output: output.path.clone(),
    };
    if output.has_manifest() {
        write_manifest(&output.path, &summary.record(settings, &place, &names, finished.bytes))?;
    }
    Ok(summary)
}

impl Said {
    fn add(&mut self, mark: &Mark, adjudicator: Option<&str>) {
        let made = &mark.mark;
        let gold: Map<String, Value> = serde_json::from_str(&made.gold).unwrap_or_default();
        for (column, label) in &gold {
            let Some(label) = label.as_str() else { continue };
            if adjudicator == Some(&made.reviewer) {
                self.decided.insert(column.clone(), label.to_owned());
                continue;
            }
            self.opinions.add(column, &made.reviewer, label);
            let known = self.gold.entry(column.clone()).or_insert_with(|| Some(label.to_owned()));
            if known.as_deref() != Some(label) {
                *known = None;
            }
        }
        if !made.note.is_empty() {
            self.notes.push((made.reviewer.clone(), made.note.clone()));
        }
        let mut said = json!({"by": made.reviewer, "at": made.at, "gold": gold, "note": made.note});
        if let Some(calls) = &made.correction {
            self.corrections.add(calls, adjudicator == Some(&made.reviewer));
            said[correction::COLUMN] = json!(calls);
        }
        self.reviewers.push(made.reviewer.clone());
        self.at = self.at.take().max(Some(made.at.clone()));
        self.marks.push(said);
    }

    /// Lets the adjudicator's labels stand.
    fn decide(&mut self) -> Decided {
        let mut done = Decided::default();
        for (column, label) in std::mem::take(&mut self.decided) {
            match self.gold.insert(column, Some(label.clone())) {
                Some(None) => done.ended = true,
                Some(Some(agreed)) => done.overruled |= agreed != label,
                None => {}
            }
        }
        done
    }

    /// What becomes of the corrected calls.
    fn corrected(&self, table: &ReviewTable) -> Outcome {
        let of_calls = self.gold.iter().filter(|(column, _)| gold_columns::is_of_calls(column));
        let labels: Vec<Option<&String>> = of_calls.clone().map(|(_, label)| label.as_ref()).collect();
        let is_right = |(column, label): (&String, &Option<String>)| table.passes(column, label.as_ref()?);
        let right = !labels.is_empty() && of_calls.map(is_right).all(|right| right == Some(true));
        self.corrections.outcome(labels.contains(&None), right)
    }

    fn is_disputed(&self) -> bool {
        self.gold.values().any(Option::is_none)
    }

    fn is_labelled(&self) -> bool {
        self.gold.values().any(Option::is_some)
    }

    /// Whether gold of the list stays.
    fn keeps_gold(&self) -> bool {
        self.listed.keys().any(|gold| !self.gold.contains_key(gold))
    }

    /// Whether it was drawn, and nobody has said yet what is right.
    fn waits(&self) -> bool {
        self.is_drawn && self.gold.is_empty() && !self.keeps_gold()
    }

    /// Why: one reviewer's words, or those of several by their names.
    fn note(&self) -> Option<String> {
        match &self.notes[..] {
            [] => None,
            [(_, note)] if self.reviewers.len() == 1 => Some(note.clone()),
            notes => {
                Some(notes.iter().map(|(by, note)| format!("{by}: {note}")).collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

/// What an adjudicator did to a row.
#[derive(Default)]
struct Decided {
    /// Ended a disagreement.
    ended: bool,
    /// Said otherwise than the others, who agree.
    overruled: bool,
}

/// How a row was picked.
struct Draw<'a> {
    queue: &'a str,
    /// Where chance picked it: the round, how many it drew, and from how many.
    round: Option<(u64, u64, u64)>,
}

/// Takes down the rows of a batch that the table itself says were drawn, with the gold that they have there.
fn listed(batch: &Batch, first: usize, said: &mut BTreeMap<usize, Said>) -> Result<(), RunError> {
    let column = |name: &str| batch.schema.position(name).map(|_| batch.column(name)).transpose();
    let is_filled = |cells: &Vec<Option<Json>>, at: usize| text(cells[at].as_ref()).is_some();
    let draws = [columns::DRAW[0], columns::DRAW[4]].map(column);
    let draws = draws.into_iter().collect::<Result<Vec<_>, _>>()?;
    let draws: Vec<Vec<Option<Json>>> = draws.into_iter().flatten().collect();
    let golds = gold_columns::all().map(|gold| Ok(column(gold)?.map(|cells| (gold, cells))));
    let golds = golds.collect::<Result<Vec<_>, RunError>>()?;
    for at in (0..batch.len()).filter(|at| draws.iter().any(|cells| is_filled(cells, *at))) {
        let here = said.entry(first + at).or_default();
        here.is_drawn = true;
        for (gold, cells) in golds.iter().flatten().filter(|(_, cells)| is_filled(cells, at)) {
            here.listed.insert((*gold).to_owned(), cells[at].clone().unwrap_or(Json::Null));
        }
    }
    Ok(())
}

/// How rows were picked, by their places; what chance picked stays so, whatever was chosen later.
fn draws<'a>(picks: &'a [Picked], places: &HashMap<&str, usize>) -> BTreeMap<usize, Draw<'a>> {
    let mut draws = BTreeMap::new();
    let at = |pick: &Picked| -> Vec<usize> {
        pick.rows.iter().filter_map(|row| places.get(row.as_str())).copied().collect()
    };
    for (pick, round) in picks.iter().filter(|pick| pick.queue == "random").zip(1..) {
        for at in at(pick) {
            let round = Some((round, pick.rows.len() as u64, pick.of));
            draws.insert(at, Draw { queue: &pick.queue, round });
        }
    }
    for pick in picks.iter().filter(|pick| pick.queue != "random") {
        for at in at(pick) {
            draws.entry(at).or_insert(Draw { queue: &pick.queue, round: None });
        }
    }
    draws
}

/// Writes the rows that something is said of, in order, without the judges' labels.
fn write(
    table: &ReviewTable,
    said: &BTreeMap<usize, Said>,
    corrected: &BTreeMap<usize, Outcome>,
    draws: &BTreeMap<usize, Draw<'_>>,
    output: &Output,
) -> Result<Finished, RunError> {
    let schema = table.source.table.schema();
    // A table that was drawn elsewhere says so itself.
    let is_drawn = columns::has_draws(schema.names());
    let mut golds = table.golds();
    let is_given = |gold: &&str| {
        said.values().any(|said| said.gold.contains_key(*gold) || said.listed.contains_key(*gold))
    };
    golds.extend(gold_columns::all().filter(is_given));
    let mut own = Vec::new();
    golds.retain(|gold| {
        !own.contains(gold) && {
            own.push(*gold);
            true
        }
    });
    let mut left_out = table.of_judges();
    left_out.extend(ADDED.iter().chain(&golds).map(|name| (*name).to_owned()));
    // What the input says of right and wrong in other columns would be read before the marks.
    left_out.extend(gold_columns::all().map(str::to_owned));
    // Where nobody typed any, a column of the input stays as it is.
    let has_corrections = corrected.values().any(|one| *one != Outcome::Nothing);
    if has_corrections {
        left_out.push(correction::COLUMN.to_owned());
    }
    let left_out: Vec<&str> = left_out.iter().map(String::as_str).collect();
    let plain = |name: &str| Column { name: name.to_owned(), kind: Kind::Text };
    let words = |name: &str| Column { name: name.to_owned(), kind: Kind::Words };
    let [note, reviewers, at, marks] = ADDED;
    let mut added: Vec<Column> = golds.iter().map(|gold| plain(gold)).collect();
    if has_corrections {
        added.push(plain(correction::COLUMN));
    }
    added.extend([
        words(note),
        words(reviewers),
        plain(at),
        Column { name: marks.to_owned(), kind: Kind::Json },
    ]);
    if !is_drawn {
        let kinds = [Kind::Text, Kind::Int, Kind::Int, Kind::Int, Kind::Float];
        added.extend(
            columns::DRAW.iter().zip(kinds).map(|(name, kind)| Column { name: (*name).to_owned(), kind }),
        );
    }
    let added = Schema::of(added);
    let (mut kept, mut records, mut first) = (Vec::new(), Vec::new(), 0);
    for batch in table.source.table.batches(None) {
        let batch = batch?;
        let here: Vec<usize> = (first..first + batch.len()).collect();
        first += batch.len();
        let keep: Vec<bool> = here.iter().map(|at| said.contains_key(at)).collect();
        if !keep.contains(&true) {
            continue;
        }
        let own = match schema.position(correction::COLUMN) {
            Some(_) if has_corrections => Some(batch.column(correction::COLUMN)?),
            _ => None,
        };
        for (inside, at) in here.iter().enumerate() {
            let Some(said) = said.get(at) else { continue };
            let calls = has_corrections.then(|| match corrected.get(at) {
                Some(Outcome::Calls(calls)) => Some(calls.clone()),
                Some(Outcome::Unused | Outcome::Disputed) => None,
                _ => own.as_ref().and_then(|cells| text(cells[inside].as_ref())),
            });
            records.push(record(said, &golds, calls, draws.get(at), is_drawn));
        }
        kept.push(batch.retain(&keep)?);
    }
    let order: Vec<usize> = (0..records.len()).collect();
    let batch = Batch::arranged(kept, &order)?.without(&left_out).append(&added, records)?;
    let mut sink = Sink::open(output, &batch.schema)?;
    sink.write(batch)?;
    Ok(sink.finish()?)
}

/// The cells that are added to a row; a table that `is_drawn` says itself how.
fn record(
    said: &Said,
    golds: &[&str],
    corrected: Option<Option<String>>,
    draw: Option<&Draw<'_>>,
    is_drawn: bool,
) -> Record {
    let gold = |gold: &&str| match said.gold.get(*gold) {
        Some(label) => cell::text(label.as_deref()),
        None => said.listed.get(*gold).cloned().unwrap_or(Json::Null),
    };
    let mut cells: Vec<Json> = golds.iter().map(gold).collect();
    cells.extend(corrected.map(|calls| cell::text(calls.as_deref())));
    let reviewers = (!said.reviewers.is_empty()).then(|| said.reviewers.join(", "));
    cells.extend([
        cell::text(said.note().as_deref()),
        cell::text(reviewers.as_deref()),
        cell::text(said.at.as_deref()),
    ]);
    let marks = Json::parse(&Value::Array(said.marks.clone()).to_string()).unwrap_or(Json::Null);
    cells.push(marks);
    if !is_drawn {
        let round = draw.and_then(|draw| draw.round);
        cells.push(cell::text(draw.map(|draw| draw.queue)));
        cells.extend([
            cell::int(round.map(|(round, ..)| round)),
            cell::int(round.map(|(_, drawn, _)| drawn)),
            cell::int(round.map(|(.., of)| of)),
            cell::float(round.map(|(_, drawn, of)| drawn as f64 / of as f64)),
        ]);
    }
    Record { cells: cells.into_iter().map(Some).collect(), item: None }
}

impl ReviewExportSummary {
    fn record(&self, settings: &ReviewExportSettings, marks: &Path, names: &RowNames, bytes: u64) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": settings.inputs,
            "marks": marks.display().to_string(),
            "adjudicator": settings.adjudicator,
            "table": names.table,
            "exported": self.to_json(),
            "output": { "path": self.output.display().to_string(), "rows": self.rows, "bytes": bytes },
        })
    }

    /// For `--json`.
    pub(crate) fn to_json(&self) -> Value {
        let ReviewExportSummary {
            rows,
            marked,
            kept,
            disagreements,
            corrected,
            disputed_corrections,
            unused_corrections,
            unmarked,
            strange,
            reviewers,
            agreement,
            adjudicated,
            overruled,
            golds: _,
            output,
        } = self;
        let agreement: Vec<Value> = agreement.iter().map(ReviewerAgreement::to_json).collect();
        json!({
            "rows": rows,
            "marked": marked,
            "kept": kept,
            "disagreements": disagreements,
            "corrected": corrected,
            "disputed_corrections": disputed_corrections,
            "unused_corrections": unused_corrections,
            "unmarked": unmarked,
            "strange": strange,
            "reviewers": reviewers,
            "agreement": agreement,
            "adjudicated": adjudicated,
            "overruled": overruled,
            "output": output.display().to_string(),
        })
    }
}
