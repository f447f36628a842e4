//! Matches the same rows in several labelled tables.

use std::collections::HashMap;

use crate::bench::{Contender, Facts, NotALabel, Predictions, Rows, Words};
use crate::domain::{Json, Status, Task};
use crate::read::Table;
use crate::run::RunError;
use crate::run::input::text;
use crate::run::input::{Clusters, hash};
use crate::table::{Batch, Schema};

/// A labelled table, what it is called, and the judges in it that are meant.
pub struct LabelledTable {
    pub name: String,
    pub table: Table,
    pub judges: Vec<JudgeColumns>,
}

/// Where a judge's labels stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeColumns {
    /// What its columns' names begin with.
    pub prefix: String,
    pub judge: String,
    pub template: Option<String>,
}

/// Which columns say what.
pub struct Pairing {
    pub gold: String,
    /// Names the rows; without it, rows are the same that have the same question, call and definitions.
    pub id: Option<String>,
    /// Rows with one value of it belong together; without it, rows of one question.
    pub cluster: Option<String>,
    /// What labels and gold mean.
    pub words: Words,
}

/// Rows of the first table with the labels of all.
pub struct Paired {
    pub rows: Rows,
    pub contenders: Vec<Contender>,
    /// For each table: rows of it that the first does not have, and rows to which it gives another gold.
    pub strangers: Vec<u64>,
    pub other_gold: Vec<u64>,
}

impl Paired {
    /// Whether any label or gold says that a row is right.
    pub fn says_right(&self) -> bool {
        let labels =
            self.contenders.iter().flat_map(|contender| &contender.repeats).flat_map(|all| &all.labels);
        let golds = self.rows.golds.iter().flat_map(|gold| &gold.right);
        labels.chain(golds).any(|right| *right == Some(true))
    }
}

/// The ends of the names of columns that a judge writes.
const LABEL: &str = "label";
const STATUS: &str = "status";
const P_CORRECT: &str = "p_correct";
const JUDGE: &str = "judge";
const TEMPLATE: &str = "template";

impl JudgeColumns {
    /// The task that was judged, where its template says.
    pub fn task(&self) -> Option<Task> {
        self.template.as_deref()?.parse().ok()
    }
}

/// The judges whose labels are in `table`, called after it where it does not say who they are. Of judges that were asked several
/// times, the first time counts.
///
/// # Errors
/// When the table cannot be read.
pub fn judges(name: &str, table: &Table) -> Result<Vec<JudgeColumns>, RunError> {
    let prefixes = prefixes(table.schema());
    let first = table.batches(None).next().transpose()?;
    let said = |prefix: &str, what: &str| -> Result<Option<String>, RunError> {
        let column = format!("{prefix}{what}");
        let Some(batch) = first.as_ref().filter(|batch| batch.schema.position(&column).is_some()) else {
            return Ok(None);
        };
        let mut names: Vec<String> = Vec::new();
        for found in batch.column(&column)?.iter().filter_map(|cell| text(cell.as_ref())) {
            if !names.contains(&found) && names.len() < 2 {
                names.push(found);
            }
        }
        // Of two judges, the built-in one looked first.
        names.sort_by_key(|name| !name.starts_with("builtin"));
        Ok((!names.is_empty()).then(|| names.join(", then ")))
    };
    let judge = |prefix: &String| {
        let named = prefix.trim_end_matches('_');
        let otherwise = if named.is_empty() { name } else { named };
        Ok(JudgeColumns {
            prefix: prefix.clone(),
            judge: said(prefix, JUDGE)?.unwrap_or_else(|| otherwise.to_owned()),
            template: said(prefix, TEMPLATE)?,
        })
    };
    prefixes.iter().filter(|prefix| !is_repetition(prefix, &prefixes)).map(judge).collect()
}

/// What the names of each judge's columns begin with.
fn prefixes(schema: &Schema) -> Vec<String> {
    schema
        .names()
        .filter_map(|name| name.strip_suffix(LABEL))
        .filter(|prefix| schema.position(&format!("{prefix}{STATUS}")).is_some())
        .map(str::to_owned)
        .collect()
}

/// Whether a judge's columns are those of a second, third, … time that it was asked: `r2_` after another judge's prefix.
fn is_repetition(prefix: &str, prefixes: &[String]) -> bool {
    let Some((before, number)) = prefix.strip_suffix('_').and_then(|name| name.rsplit_once('r')) else {
        return false;
    };
    number.parse::<u32>().is_ok() && prefixes.iter().any(|other| other == before)
}

/// Reads all tables; the gold is that of the first.
///
/// # Errors
/// When a table cannot be read, or a label or gold in it is none.
pub fn pair(tables: &[LabelledTable], pairing: &Pairing) -> Result<Paired, RunError> {
    let mut paired = Paired {
        rows: Rows::new([pairing.gold.as_str()], []),
        contenders: Vec::new(),
        strangers: Vec::new(),
        other_gold: Vec::new(),
    };
    let mut places: HashMap<([u8; 16], u32), usize> = HashMap::new();
    for (at, labelled) in tables.iter().enumerate() {
        let first = paired.contenders.len();
        let nobody = Predictions {
            labels: vec![None; paired.rows.len()],
            probabilities: vec![f32::NAN; paired.rows.len()],
            ..Predictions::default()
        };
        paired.contenders.extend(labelled.judges.iter().map(|columns| Contender {
            judge: columns.judge.clone(),
            template: columns.template.clone().unwrap_or_default(),
            task: columns.task(),
            repeats: vec![nobody.clone()],
            ..Contender::default()
        }));
        let mut met: HashMap<[u8; 16], u32> = HashMap::new();
        let (mut strangers, mut other_gold, mut number) = (0, 0, 0);
        for batch in labelled.table.batches(None) {
            let batch = batch?;
            let reader = Reader { table: &labelled.name, first: number, pairing, batch: &batch };
            let keys = keys(&batch, pairing)?;
            let golds = match at == 0 || batch.schema.position(&pairing.gold).is_some() {
                true => reader.words(&pairing.gold)?,
                false => vec![None; batch.len()],
            };
            let clusters = Clusters::of(&batch, pairing.cluster.as_deref().filter(|_| at == 0))?;
            let mut row_places = Vec::with_capacity(batch.len());
            for (row, key) in keys.into_iter().enumerate() {
                // The second of two rows of one name is the second in the other table as well.
                let times = met.entry(key.row).or_default();
                let name = (key.row, *times);
                *times += 1;
                if at == 0 {
                    let facts = Facts {
                        number,
                        golds: &[golds[row]],
                        slices: &[],
                        cluster: clusters.cluster(row, key.question.as_deref(), number),
                        checked: None,
                        identity: None,
                    };
                    places.insert(name, paired.rows.len());
                    row_places.push(Some(paired.rows.len()));
                    paired.rows.push(facts);
                } else {
                    let place = places.get(&name).copied();
                    strangers += u64::from(place.is_none());
                    let known = place.and_then(|place| paired.rows.golds[0].right[place]);
                    other_gold += u64::from(known.zip(golds[row]).is_some_and(|(a, b)| a != b));
                    row_places.push(place);
                }
                number += 1;
            }
            for (columns, contender) in labelled.judges.iter().zip(&mut paired.contenders[first..]) {
                let labels = reader.words(&format!("{}{LABEL}", columns.prefix))?;
                let probabilities = reader.probabilities(&format!("{}{P_CORRECT}", columns.prefix))?;
                cast(contender, &labels, &probabilities, &row_places);
            }
        }
        paired.strangers.push(strangers);
        paired.other_gold.push(other_gold);
    }
    Ok(paired)
}

fn cast(
    contender: &mut Contender,
    labels: &[Option<bool>],
    probabilities: &[Option<f64>],
    places: &[Option<usize>],
) {
    let Some(predictions) = contender.repeats.first_mut() else { return };
    for ((label, probability), place) in labels.iter().zip(probabilities).zip(places) {
        match place {
            Some(place) if *place < predictions.labels.len() => {
                predictions.labels[*place] = *label;
                predictions.probabilities[*place] = probability.map_or(f32::NAN, |share| share as f32);
            }
            Some(_) => predictions.push(*label, *probability, Status::Judged),
            None => {}
        }
    }
}

/// A batch of a table whose rows have been counted up to it.
struct Reader<'a> {
    table: &'a str,
    first: u64,
    pairing: &'a Pairing,
    batch: &'a Batch,
}

impl Reader<'_> {
    /// The probabilities in `column`, as far as they are some; none where there is no such column, as in tables of older versions.
    fn probabilities(&self, column: &str) -> Result<Vec<Option<f64>>, RunError> {
        if self.batch.schema.position(column).is_none() {
            return Ok(vec![None; self.batch.len()]);
        }
        let share = |cell: &Option<Json>| {
            let share: f64 = text(cell.as_ref())?.parse().ok()?;
            (0.0..=1.0).contains(&share).then_some(share)
        };
        Ok(self.batch.column(column)?.iter().map(share).collect())
    }

    /// What the cells of `column` say.
    fn words(&self, column: &str) -> Result<Vec<Option<bool>>, RunError> {
        let cells = self.batch.column(column)?;
        let words = &self.pairing.words;
        let read = |(row, cell): (u64, &Option<Json>)| {
            words.read(cell.as_ref()).map_err(|NotALabel(text)| RunError::StrangeLabel {
                table: self.table.to_owned(),
                row: row + 1,
                column: column.to_owned(),
                text: text.chars().filter(|char| !char.is_control()).take(40).collect(),
                words: words.list(),
            })
        };
        (self.first..).zip(&cells).map(read).collect()
    }
}

/// What a row is known by.
struct Key {
    row: [u8; 16],
    question: Option<String>,
}

fn keys(batch: &Batch, pairing: &Pairing) -> Result<Vec<Key>, RunError> {
    let names: Vec<String> = batch.schema.names().map(str::to_owned).collect();
    let found = crate::normalize::columns::resolve(&names, &[], true);
    let column = |name: &String| batch.column(name);
    let (rows, questions) = match (&pairing.id, found) {
        (Some(id), found) => {
            let question = found.ok().and_then(|found| found.question);
            (vec![column(id)?], question.as_ref().map(column).transpose()?)
        }
        (None, found) => {
            let found = found?;
            let names = [&found.question, &found.tool_call, &found.tool_definitions];
            let rows: Vec<_> = names.into_iter().flatten().map(column).collect::<Result<_, _>>()?;
            let questions = rows.first().cloned();
            (rows, questions)
        }
    };
    let key = |row: usize| {
        let parts: Vec<String> =
            rows.iter().map(|cells| text(cells[row].as_ref()).unwrap_or_default()).collect();
        let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
        let question = questions.as_ref().and_then(|cells| text(cells[row].as_ref()));
        Key { row: hash(&parts), question }
    };
    Ok((0..batch.len()).map(key).collect())
}
