//! The data behind the page: takes and keeps marks, and reports new ones.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::correction::{self, Corrected, Fault, Turn};
use super::table::{ReviewTable, RowNames};
use crate::domain::gold_columns;
use crate::normalize::Normalizer;
use crate::run::Observer;
use crate::store::{Kept, Mark, MarkStore, MarksError, NewMark, Picked};

/// Characters of a note.
const NOTE: usize = 10_000;
/// The queue of rows that chance alone picks.
const RANDOM: &str = "random";
/// Rows that are picked at once.
const PICKED: usize = 10_000;

/// The marks of a table, as one reviewer makes and sees them.
pub(super) struct Desk {
    store: MarkStore,
    names: RowNames,
    /// The number of each row, from 1, by its key.
    numbers: HashMap<String, u64>,
    reviewer: String,
    /// Whether what others say is kept back.
    blind: bool,
    /// The labels that can be given, by the column of gold that they go into.
    labels: BTreeMap<&'static str, Vec<String>>,
    /// Those among them that let calls pass.
    passing: HashSet<(&'static str, String)>,
    /// The calls of each row.
    turns: Vec<Turn>,
    /// Reads calls that are typed in.
    normalizer: Arc<Normalizer>,
}

/// What a page asks for.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum Asked {
    /// To mark a row whose reviewer had seen that `version` of their own mark.
    Mark {
        table: String,
        since: u64,
        row: u64,
        version: u64,
        gold: Map<String, Value>,
        note: String,
        /// The calls that should have been made, as they are typed; empty for none.
        #[serde(default)]
        correction: String,
    },
    /// To take a change back.
    Undo { table: String, since: u64, change: u64 },
    /// To remember rows that were picked when as many picks had been `seen`.
    Draw { table: String, since: u64, queue: String, rows: Vec<u64>, of: u64, seen: u64 },
}

/// What a page is told: done or not, and what was marked since.
#[derive(Debug)]
pub(super) enum Told {
    Done(Value),
    /// Somebody was faster. What they did is in the answer.
    Conflict(Value),
    /// It makes no sense.
    Wrong(String),
    /// The corrected call cannot be kept.
    Faulty(Vec<Fault>),
}

/// A mark that a page asks for and does not get.
enum Refused {
    Wrong(String),
    Faulty(Vec<Fault>),
    Failed(MarksError),
}

impl From<MarksError> for Refused {
    fn from(error: MarksError) -> Refused {
        Refused::Failed(error)
    }
}

impl Desk {
    pub fn new(
        store: MarkStore,
        table: &ReviewTable,
        (names, turns): (RowNames, Vec<Turn>),
        reviewer: String,
        blind: bool,
    ) -> Desk {
        let numbers = names.rows.iter().zip(1..).map(|(name, number)| (name.key.clone(), number)).collect();
        let mut labels: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        let mut passing = HashSet::new();
        for judge in &table.judges {
            labels.entry(judge.gold()).or_default().extend(judge.labels().map(str::to_owned));
            let passes = judge.labels().filter(|label| judge.passes(label));
            passing.extend(passes.map(|label| (judge.gold(), label.to_owned())));
        }
        let normalizer = Arc::clone(&table.source.normalizer);
        Desk { store, names, numbers, reviewer, blind, labels, passing, turns, normalizer }
    }

    pub fn store(&self) -> &MarkStore {
        &self.store
    }

    /// Rows of the file of marks that have marks, and those of them that are not in this table.
    pub fn marked(&self) -> Result<(usize, usize), MarksError> {
        let rows: HashSet<String> = self.store.latest()?.into_iter().map(|mark| mark.mark.row_key).collect();
        let strange = rows.iter().filter(|row| !self.numbers.contains_key(*row)).count();
        Ok((rows.len(), strange))
    }

    /// Tells of draws that count no more.
    pub fn tell_of_draws(&self, observer: &dyn Observer) -> Result<(), MarksError> {
        self.names.tell_of_draws(&self.store, observer)
    }

    /// What was marked after the mark with the id `since`, and what is picked.
    pub fn since(&self, since: u64) -> Result<Value, MarksError> {
        let marks = self.store.since(since)?;
        let seq = marks.last().map_or(since, |mark| mark.id);
        let shown: Vec<Value> = marks.iter().filter_map(|mark| self.shown(mark)).collect();
        let picks = self.store.draws(&self.names.set)?;
        let numbers = |pick: &Picked| {
            pick.rows.iter().filter_map(|row| self.numbers.get(row)).copied().collect::<Vec<u64>>()
        };
        let picks: Vec<Value> = picks
            .iter()
            .filter(|pick| !self.blind || pick.queue == RANDOM)
            .map(|pick| json!({"queue": pick.queue, "rows": numbers(pick), "of": pick.of}))
            .collect();
        let last = self.store.last_change(&self.reviewer, |key| self.numbers.contains_key(key))?;
        let last = last.map(|last| json!({"change": last.id, "row": self.numbers.get(&last.mark.row_key)}));
        Ok(json!({"seq": seq, "marks": shown, "draws": picks, "last": last}))
    }

    fn shown(&self, mark: &Mark) -> Option<Value> {
        let row = self.numbers.get(&mark.mark.row_key)?;
        let NewMark { reviewer, gold, note, correction, at, .. } = &mark.mark;
        if self.blind && *reviewer != self.reviewer {
            return None;
        }
        let gold: Value = serde_json::from_str(gold).unwrap_or(Value::Null);
        let mut shown = json!({
            "row": row, "by": reviewer, "gold": gold, "note": note, "version": mark.version, "at": at,
        });
        if let Some(calls) = correction {
            shown["correction"] = json!({ "text": calls, "calls": correction::shown(calls) });
        }
        Some(shown)
    }

    /// Does what is asked for; when this returns, it is on the disk.
    pub fn take(&mut self, asked: Asked) -> Result<Told, MarksError> {
        let (Asked::Mark { table, since, .. }
        | Asked::Undo { table, since, .. }
        | Asked::Draw { table, since, .. }) = &asked;
        if *table != self.names.table {
            return Ok(Told::Wrong(
                "this page shows another table than the server; load it again".to_owned(),
            ));
        }
        // Times of one length can be compared as texts.
        let (since, at) = (*since, format!("{:.6}", Timestamp::now()));
        let mut unchecked = Vec::new();
        let kept = match asked {
            Asked::Mark { row, version, gold, note, correction, .. } => {
                match self.mark(row, &gold, note, &correction, at) {
                    Ok((mark, why)) => {
                        unchecked = why;
                        is_kept(&self.store.add(&mark, version)?)
                    }
                    Err(Refused::Wrong(why)) => return Ok(Told::Wrong(why)),
                    Err(Refused::Faulty(faults)) => return Ok(Told::Faulty(faults)),
                    Err(Refused::Failed(error)) => return Err(error),
                }
            }
            Asked::Undo { change, .. } => {
                let numbers = &self.numbers;
                is_kept(&self.store.undo(&self.reviewer, change, &at, |key| numbers.contains_key(key))?)
            }
            Asked::Draw { queue, rows, of, seen, .. } => {
                let before = self.store.draws(&self.names.set)?;
                let picked = match self.picked(queue, &rows, of, &before) {
                    // What others drew meanwhile may be why.
                    Err(_) if before.len() as u64 != seen => return Ok(Told::Conflict(self.since(since)?)),
                    Err(why) => return Ok(Told::Wrong(why)),
                    Ok(picked) => picked,
                };
                let (store, set) = (&mut self.store, &self.names.set);
                is_kept(&store.add_draw(set, &self.reviewer, &at, &picked, seen)?)
            }
        };
        let mut now = self.since(since)?;
        if !unchecked.is_empty() {
            now["unchecked"] = json!(unchecked);
        }
        Ok(if kept { Told::Done(now) } else { Told::Conflict(now) })
    }

    /// The mark that a page asks for, if there is such a row and such a label, and why its corrected call was not checked.
    fn mark(
        &self,
        row: u64,
        gold: &Map<String, Value>,
        note: String,
        correction: &str,
        at: String,
    ) -> Result<(NewMark, Vec<String>), Refused> {
        let place = usize::try_from(row).ok().and_then(|row| row.checked_sub(1));
        let found = place.and_then(|place| Some((self.names.rows.get(place)?, self.turns.get(place)?)));
        let (name, turn) = found.ok_or_else(|| Refused::Wrong(format!("there is no row {row}")))?;
        if note.chars().count() > NOTE {
            return Err(Refused::Wrong(format!("the note is longer than {NOTE} characters")));
        }
        for (column, label) in gold {
            // Marks of other tasks on the same row, by a page of another judge, go along.
            let is_known = match (self.labels.get(column.as_str()), label.as_str()) {
                (Some(labels), Some(label)) => labels.iter().any(|known| known == label),
                (None, Some(_)) => gold_columns::is_gold(column),
                (_, None) => false,
            };
            if !is_known {
                return Err(Refused::Wrong(format!("`{column}` cannot be marked {label}")));
            }
        }
        let (row_key, row_id) = (name.key.clone(), name.id.clone());
        let corrected = self.corrected(&row_key, turn, correction, gold)?;
        let (correction, unchecked) =
            corrected.map_or((None, Vec::new()), |one| (Some(one.text), one.unchecked));
        let (reviewer, gold) = (self.reviewer.clone(), Value::Object(gold.clone()).to_string());
        Ok((NewMark { reviewer, row_key, row_id, gold, note, correction, at }, unchecked))
    }

    /// The corrected call of a mark, checked unless it is the one that the reviewer gave before.
    fn corrected(
        &self,
        row_key: &str,
        turn: &Turn,
        typed: &str,
        gold: &Map<String, Value>,
    ) -> Result<Option<Corrected>, Refused> {
        if typed.trim().is_empty() {
            return Ok(None);
        }
        let before = self.store.last_of(&self.reviewer, row_key)?.and_then(|mark| mark.mark.correction);
        if let Some(text) = before.filter(|before| before == typed) {
            return Ok(Some(Corrected { text, unchecked: Vec::new() }));
        }
        let corrected = turn.corrected(typed, &self.normalizer).map_err(Refused::Faulty)?;
        let of_calls = gold.iter().filter(|(column, _)| gold_columns::is_of_calls(column));
        let passes = |(column, label): (&String, &Value)| {
            let label = label.as_str().unwrap_or_default();
            self.passing.iter().any(|(known, passing)| known == column && passing == label)
        };
        let passing: Vec<bool> = of_calls.map(passes).collect();
        if !passing.is_empty() && passing.iter().all(|passes| *passes) {
            return Err(Refused::Faulty(vec![Fault::of_all(
                "the row is marked as right, and a corrected call says that it is not: take that mark back first",
            )]));
        }
        Ok(Some(corrected))
    }

    /// The rows that were picked, if they can have been picked so: the share of right calls rests on it.
    fn picked(&self, queue: String, rows: &[u64], of: u64, before: &[Picked]) -> Result<Picked, String> {
        let key = |row: &u64| {
            let name = self.names.rows.get(usize::try_from(*row).ok()?.checked_sub(1)?)?;
            Some(name.key.clone())
        };
        let all = self.names.rows.len() as u64;
        let keys: Option<Vec<String>> = rows.iter().map(key).collect();
        let once: HashSet<&u64> = rows.iter().collect();
        let (Some(keys), true) = (keys, !rows.is_empty() && rows.len() <= PICKED && once.len() == rows.len())
        else {
            return Err("the rows that were picked are not different rows of this table".to_owned());
        };
        match queue.as_str() {
            "unsure" if self.blind => {
                return Err("who marks blindly does not know which rows judges are unsure of".to_owned());
            }
            "unsure" => {}
            RANDOM => {
                let drawn = before.iter().filter(|pick| pick.queue == RANDOM).flat_map(|pick| &pick.rows);
                let drawn: HashSet<&String> = drawn.collect();
                if of != all - drawn.len() as u64 || keys.iter().any(|key| drawn.contains(key)) {
                    return Err("the rows were not drawn from those that no earlier round drew".to_owned());
                }
            }
            other => return Err(format!("there is no queue `{other}`")),
        }
        Ok(Picked { queue, rows: keys, of })
    }
}

fn is_kept<T>(outcome: &Kept<T>) -> bool {
    matches!(outcome, Kept::Kept(_))
}
