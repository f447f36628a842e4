//! The page of labelled rows: collects rows as they are labelled, and writes the page after the last.

mod index;
mod page;
mod row;
mod sample;
mod scored;
mod spool;
mod talks;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use crate::bench::columns;
use crate::domain::{Calls, Definitions, Finding, Item, Rails, Sample, Verdict};
use crate::run::input::text;
use crate::run::{Member, Panel, Row, RunError, Source, Watch};
use crate::table::{Batch, Schema};
use crate::write::{Labelled, WriteError};

use index::{Codes, MemberCodes, Values, Vocabulary};
use row::Facts;
use sample::{Bounds, Counts};
pub use scored::{Expected, ScoredCase};
use spool::{Span, Spool};
use talks::Talks;

/// What a page may be at most.
#[derive(Debug, Clone, Copy)]
struct Limits {
    rows: usize,
    bytes: u64,
}

/// A browser shows the first rows of such a page within two seconds.
const LIMITS: Limits = Limits { rows: 100_000, bytes: 58_000_000 };
/// The most columns of the input beside what is judged.
const MOST_COLUMNS: usize = 60;
/// Confidence below which a label that passes is unsure.
const SURE: f64 = 0.6;

/// Columns of a log that the page shows otherwise, or that say only where a row stood in its file.
const OF_LOGS: [&str; 7] =
    ["question", "messages", "tool_call", "tool_definitions", "flags", "record", "item"];

/// Takes rows down for the page.
pub struct ReportWatch {
    path: PathBuf,
    members: Vec<Shown>,
    /// The column that names rows.
    id: Option<String>,
    /// The columns that go along.
    columns: Vec<String>,
    /// The columns of questions and calls, for rows that cannot be read.
    unread: [Option<String>; 2],
    spool: Spool,
    talks: Talks,
    toolboxes: Toolboxes,
    vocabulary: Vocabulary,
    rows: Vec<Entry>,
    bounds: Bounds,
    limits: Limits,
    /// Rows so far, kept or not.
    all: Counts,
    /// Of all rows: marks belong to these rows, whoever judged them.
    key: blake3::Hasher,
    /// Says why a row has no label.
    reason: fn(&Verdict) -> Option<String>,
}

/// A judge as the page shows it.
pub struct Shown {
    pub judge: String,
    /// The one that looked before it.
    pub first: Option<String>,
    pub template: String,
    pub task: Option<&'static str>,
    pub rails: Arc<Rails>,
    /// The column that gold for it is best put in.
    pub gold: &'static str,
}

/// What is remembered of a row until the page is written.
struct Entry {
    codes: Codes,
    span: Span,
    /// Its conversation, and how many of its messages came before the row's turn.
    talk: Option<(u32, u32)>,
    toolbox: Option<u32>,
    /// Whether it passes and is sure, which says what is shown first.
    passes: bool,
    order: (u8, i64),
}

/// Definitions, each set once.
#[derive(Default)]
struct Toolboxes {
    known: HashMap<[u8; 32], u32>,
    spans: Vec<Span>,
    /// The last one: rows of a log have the same text.
    last: Option<(Arc<str>, u32)>,
}

impl ReportWatch {
    /// Takes down what `panel` says of the rows of `source`, for a page at `path`; without the columns that are `left_out`.
    pub fn new(
        path: &Path,
        panel: &Panel,
        source: &Source,
        left_out: &[&str],
    ) -> Result<ReportWatch, RunError> {
        let shown = |member: &Member| Shown {
            judge: member.name(),
            first: member.first().map(|first| first.name.clone()),
            template: member.criterion.clone(),
            task: member.task().map(crate::domain::Task::as_str),
            rails: member.rails(),
            gold: columns::gold_name(member.task()),
        };
        let members = panel.members.iter().map(shown).collect();
        let watch = ReportWatch::of(path, members, source, left_out, None)?;
        Ok(ReportWatch { reason: row::reason, ..watch })
    }

    /// The same of judges that labelled the rows before. The column `id` names rows, or one of the usual names.
    pub fn of(
        path: &Path,
        members: Vec<Shown>,
        source: &Source,
        left_out: &[&str],
        id: Option<&str>,
    ) -> Result<ReportWatch, RunError> {
        let schema = source.table.schema();
        let own = &source.columns;
        let mut taken: Vec<&str> = left_out.to_vec();
        let slots = [&own.question, &own.tool_call, &own.tool_definitions, &own.raw];
        taken.extend(slots.into_iter().flatten().chain(&own.messages).map(String::as_str));
        if source.table.logs().is_some() {
            taken.extend(OF_LOGS);
        }
        let watch = ReportWatch::over(path, members, schema, &taken)?;
        let id = id.map(str::to_owned).or(watch.id);
        Ok(ReportWatch { id, unread: [own.question.clone(), own.tool_call.clone()], ..watch })
    }

    /// A page of rows of a table with these columns, of which those `taken` do not go along.
    fn over(
        path: &Path,
        members: Vec<Shown>,
        schema: &Schema,
        taken: &[&str],
    ) -> Result<ReportWatch, RunError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let spool = Spool::new(folder).map_err(|error| WriteError::io(path, &error))?;
        let is_other = |name: &&str| !taken.contains(name);
        // How rows were drawn and marked goes back into gold.csv, wherever it stands.
        let is_kept = |(at, name): &(usize, &str)| {
            *at < MOST_COLUMNS || columns::DRAW.contains(name) || crate::domain::gold_columns::is_gold(name)
        };
        let others = schema.names().filter(is_other).enumerate().filter(is_kept);
        let columns: Vec<String> = others.map(|(_, name)| name.to_owned()).collect();
        let there = |name: &&str| schema.position(name).is_some();
        let vocabulary = Vocabulary {
            columns: columns.iter().map(|_| Values::default()).collect(),
            ..Vocabulary::default()
        };
        Ok(ReportWatch {
            path: path.to_owned(),
            members,
            id: columns::NAMES.into_iter().find(there).map(str::to_owned),
            columns,
            unread: [None, None],
            spool,
            talks: Talks::default(),
            toolboxes: Toolboxes::default(),
            vocabulary,
            rows: Vec::new(),
            bounds: Bounds::all(),
            limits: LIMITS,
            all: [0; 2],
            key: blake3::Hasher::new(),
            reason: row::code,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The columns that go along.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    fn take(&mut self, item: &Item, facts: Facts, labels: &[&Labelled]) -> std::io::Result<()> {
        let number = self.all[0] + self.all[1] + 1;
        self.hash(item, &facts);
        let (order, passes) = order(labels, &self.members);
        self.all[usize::from(passes)] += 1;
        if !self.bounds.keep(number, passes) {
            return Ok(());
        }
        let codes = self.codes(number, item, &facts, labels);
        let (talk, toolbox) = match item {
            Ok(sample) => (self.talks.place(&sample.messages, &mut self.spool)?, self.toolbox(sample)?),
            Err(_) => (None, None),
        };
        let verdicts = labels.iter().zip(&self.members).map(|(labelled, member)| {
            row::verdict(labelled, member.first.as_deref().filter(|_| labelled.is_of_first))
        });
        let json = row::row(item, facts, verdicts.collect());
        let span = self.spool.put(&json.to_string())?;
        self.rows.push(Entry { codes, span, talk, toolbox, passes, order });
        if self.rows.len() > self.limits.rows {
            self.thin(self.limits.rows as u64 / 2);
        }
        Ok(())
    }

    /// Leaves about `most` rows.
    fn thin(&mut self, most: u64) {
        let bounds = self.bounds.closer(self.here(), most);
        self.rows.retain(|row| bounds.keep(row.codes.row, row.passes));
        self.bounds = bounds;
    }

    fn here(&self) -> Counts {
        let passing = self.rows.iter().filter(|row| row.passes).count() as u64;
        [self.rows.len() as u64 - passing, passing]
    }

    fn hash(&mut self, item: &Item, facts: &Facts) {
        let mut part = |text: Option<&str>| {
            self.key.update(&(text.map_or(0, str::len) as u64).to_le_bytes());
            self.key.update(text.unwrap_or_default().as_bytes());
        };
        part(facts.id.as_deref());
        match item {
            Ok(sample) => {
                part(Some(&sample.raw.question));
                part(sample.raw.tool_call.as_deref());
            }
            Err(error) => part(Some(&error.message)),
        }
    }

    fn codes(&mut self, row: u64, item: &Item, facts: &Facts, labels: &[&Labelled]) -> Codes {
        let (words, reason) = (&mut self.vocabulary, self.reason);
        let member = |labelled: &&Labelled| {
            let verdict = &labelled.verdict;
            MemberCodes {
                label: verdict.label().map(|label| words.labels.code(label)),
                status: words.statuses.code(verdict.status().as_str()),
                reason: reason(verdict).map(|reason| words.reasons.code(&reason)),
                confidence: verdict.confidence.map(|share| (share.clamp(0.0, 1.0) * 1e4).round() as u32),
            }
        };
        let members = labels.iter().map(member).collect();
        let calls = match item {
            Ok(Sample { calls: Calls::Parsed(calls), .. }) => &calls[..],
            _ => &[],
        };
        let findings: Vec<&Finding> = labels
            .iter()
            .flat_map(|labelled| labelled.verdict.findings.iter())
            .flat_map(|findings| &findings.list)
            .collect();
        let arguments = findings.iter().filter_map(|finding| finding.argument.as_deref()).map(first_step);
        let values = words.columns.iter_mut().zip(&facts.cells);
        Codes {
            row,
            members,
            columns: values.map(|(values, cell)| values.code(cell.as_deref())).collect(),
            tools: words.tools.codes(calls.iter().map(|call| call.name.as_str())),
            arguments: words.arguments.codes(arguments),
            kinds: words.kinds.codes(findings.iter().map(|finding| finding.kind.as_str())),
        }
    }

    fn toolbox(&mut self, sample: &Sample) -> std::io::Result<Option<u32>> {
        let Some(raw) = &sample.raw.tool_definitions else { return Ok(None) };
        let boxes = &mut self.toolboxes;
        if let Some((_, code)) = boxes.last.as_ref().filter(|(last, _)| Arc::ptr_eq(last, raw)) {
            return Ok(Some(*code));
        }
        let hash = *blake3::hash(raw.as_bytes()).as_bytes();
        let code = match boxes.known.get(&hash) {
            Some(code) => *code,
            None => {
                let tools = match &sample.definitions {
                    Definitions::Known(tools) => Some(&tools[..]),
                    Definitions::FreeText | Definitions::Unknown => None,
                };
                let code = boxes.spans.len() as u32;
                boxes.spans.push(self.spool.put(&row::definitions(tools, raw).to_string())?);
                boxes.known.insert(hash, code);
                code
            }
        };
        boxes.last = Some((Arc::clone(raw), code));
        Ok(Some(code))
    }
}

impl Watch for ReportWatch {
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        let column = |name: &String| batch.column(name);
        let ids = self.id.as_ref().map(column).transpose()?;
        let cells = self.columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
        let unread = match rows.iter().any(|row| row.item().is_err()) {
            true => self.unread.each_ref().map(|name| name.as_ref().map(column)),
            false => [None, None],
        };
        let [questions, calls] = unread;
        let (questions, calls) = (questions.transpose()?, calls.transpose()?);
        for (at, row) in rows.iter().enumerate() {
            let cell = |cells: &Vec<Option<crate::domain::Json>>| text(cells[at].as_ref());
            let facts = Facts {
                id: ids.as_ref().and_then(cell),
                cells: cells.iter().map(cell).collect(),
                unread: (questions.as_ref().and_then(cell), calls.as_ref().and_then(cell)),
            };
            let labels: Vec<&Labelled> = labels.iter().map(|labels| &labels[at]).collect();
            let taken = self.take(row.item(), facts, &labels);
            taken.map_err(|error| WriteError::io(&self.path, &error))?;
        }
        Ok(())
    }
}

/// The argument that a JSON pointer leads into.
fn first_step(pointer: &str) -> &str {
    pointer.strip_prefix('/').unwrap_or(pointer).split('/').next().unwrap_or_default()
}

/// What is looked at first: what is wrong, the surest first; what has no label; then what passes, the least sure first. And whether
/// the row passes for sure.
fn order(labels: &[&Labelled], members: &[Shown]) -> ((u8, i64), bool) {
    let of = |(labelled, member): (&&Labelled, &Shown)| {
        let verdict = &labelled.verdict;
        let sure = verdict.confidence.unwrap_or(1.0);
        let parts = |share: f64| (share * 1e4) as i64;
        match verdict.label() {
            Some(label) if !member.rails.passes_label(label) => (0, -parts(sure)),
            None => (1, parts(verdict.p_correct.unwrap_or(0.5))),
            Some(_) => (2, parts(sure)),
        }
    };
    let order = labels.iter().zip(members).map(of).min().unwrap_or((1, 0));
    (order, order.0 == 2 && order.1 >= (SURE * 1e4) as i64)
}

impl Shown {
    fn to_json(&self) -> serde_json::Value {
        let labels: Vec<&str> = self.rails.labels().collect();
        let passing: Vec<&&str> = labels.iter().filter(|label| self.rails.passes_label(label)).collect();
        json!({
            "judge": self.judge,
            "template": self.template,
            "task": self.task,
            "gold": self.gold,
            "labels": labels,
            "passing": passing,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::check::Decide;
    use crate::run::label::plan::Plan;
    use crate::run::panel::Purpose;
    use crate::run::settings::LabelSettings;
    use crate::run::{AskOutcome, Control, runtime};

    /// What a page of `rows`, every fourth of them wrong, says of itself, and its length.
    fn page_of(rows: usize, limits: Limits) -> (Value, usize) {
        let folder = tempfile::tempdir().unwrap();
        let (calls, page) = (folder.path().join("calls.jsonl"), folder.path().join("page.html"));
        let row = |at: usize| {
            let arguments =
                if at.is_multiple_of(4) { json!({}) } else { json!({"city": format!("Oslo {at}")}) };
            let call = json!([{"name": "get_weather", "arguments": arguments}]);
            let schema =
                json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
            let tools =
                json!([{"name": "get_weather", "description": "Weather of a city", "parameters": schema}]);
            json!({"question": format!("Weather in Oslo {at}?"), "tool_call": call, "tool_definitions": tools}).to_string()
        };
        std::fs::write(&calls, (0..rows).map(row).collect::<Vec<_>>().join("\n")).unwrap();
        let mut settings = LabelSettings::new([calls.display().to_string()]);
        settings.panel.decide = Decide::Always;
        settings.report = Some(page.clone());
        let plan = Plan::new(settings, &Purpose::Label, &Control::default()).unwrap();
        let mut report = plan.reporting().unwrap().unwrap();
        report.limits = limits;
        let labellers = plan.session.labellers(&[AskOutcome::All]).unwrap();
        let written = plan.session.write("judging", &plan.source, labellers, None, report);
        let (_, _, report) = runtime().unwrap().block_on(written).unwrap();
        report.write("calls.jsonl", &json!({})).unwrap();
        let page = std::fs::read_to_string(&page).unwrap();
        let (_, rest) = page.split_once(r#"id="about">"#).unwrap();
        let (about, _) = rest.split_once("</script>").unwrap();
        (serde_json::from_str(about).unwrap(), page.len())
    }

    #[test]
    fn a_page_that_would_be_too_large_holds_a_sample_and_says_so() {
        let here = |about: &Value, at: usize| about["sample"][at]["here"].as_u64().unwrap();
        let (about, whole) = page_of(240, LIMITS);
        assert_eq!((here(&about, 0), here(&about, 1)), (60, 180));
        let (about, _) = page_of(240, Limits { rows: 160, ..LIMITS });
        assert_eq!((&about["rows"], &about["sample"][1]["all"]), (&json!(240), &json!(180)));
        assert_eq!(here(&about, 0), 60, "the wrong ones are all there");
        assert!((20..140).contains(&here(&about, 1)), "{about}");
        let front_end = page_of(1, LIMITS).1;
        let bytes = (front_end + (whole - front_end) * 2 / 3) as u64;
        let (about, size) = page_of(240, Limits { bytes, ..LIMITS });
        assert!(size as u64 <= bytes, "{size} of {bytes}");
        assert!((30..=60).contains(&here(&about, 0)) && (10..180).contains(&here(&about, 1)), "{about}");
    }
}
