//! The tables of episodes and turns.

use serde_json::json;

use super::replay::{Played, Spent};
use crate::domain::{Json, Object};
use crate::drive::Ended;
use crate::drive::record::{self, definitions, expected_calls, question, tool_calls, transcript, turns};
use crate::score::{ScoreError, Scored};
use crate::table::{Batch, Column, Kind, Record, Rows, Schema, cell};
use crate::write::ScoreColumns;

/// Where an episode stands among others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The episode's name: `case#repeat`, and as much as tells suites and agents apart.
    pub id: &'a str,
    pub suite: &'a str,
    pub agent: &'a str,
    pub repeat: u32,
}

/// The columns of the table of episodes.
pub(super) struct EpisodeTable {
    schema: Schema,
    scores: ScoreColumns,
    gold: bool,
    /// Whether an agent can have a log.
    logs: bool,
    /// The keys that the scorer reads.
    keys: &'static [&'static str],
}

const ABOUT: [(&str, Kind); 16] = [
    ("id", Kind::Text),
    ("suite", Kind::Text),
    ("case", Kind::Text),
    ("category", Kind::Text),
    ("repeat", Kind::Int),
    ("agent", Kind::Text),
    ("ended", Kind::Text),
    ("steps", Kind::Int),
    ("question", Kind::Text),
    ("transcript", Kind::Json),
    ("tool_definitions", Kind::Json),
    ("tool_call", Kind::Json),
    ("expected_tool_calls", Kind::Json),
    ("state", Kind::Text),
    ("latency_ms", Kind::Int),
    ("usage", Kind::Json),
];
/// What is known to be right: of the calls, and of the whole trajectory, where `bench` looks for each.
const GOLD: [&str; 2] = ["gold", "trajectory_label"];
/// What an agent of the user's own wrote on standard error.
const LOG: &str = "agent_log";
const OF_TESTS: &[&str] = &["response", "test", "tool_calls"];
const OF_TASKS: &[&str] = &["response", "run", "example", "output_evaluation", "llm_reply"];

impl EpisodeTable {
    pub(super) fn new(
        of_tasks: bool,
        (gold, logs): (bool, bool),
        figures: &'static [&'static str],
    ) -> EpisodeTable {
        let keys = if of_tasks { OF_TASKS } else { OF_TESTS };
        let scores = ScoreColumns::new("", figures);
        let column = |name: &str, kind: Kind| Column { name: name.to_owned(), kind };
        let keys_of_scorer = keys.iter().map(|name| match *name {
            "response" | "llm_reply" => column(name, Kind::Words),
            "output_evaluation" => column(name, Kind::Text),
            name => column(name, Kind::Json),
        });
        let about = ABOUT.map(|(name, kind)| column(name, kind)).into_iter();
        let gold_column = GOLD.into_iter().filter(|_| gold).map(|name| column(name, Kind::Text));
        let log = logs.then(|| column(LOG, Kind::Words));
        let columns = about.chain(log).chain(gold_column).chain(keys_of_scorer);
        let schema = Schema::of(columns.chain(scores.schema().columns.iter().cloned()).collect());
        EpisodeTable { schema, scores, gold, logs, keys }
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The row of an episode. `case` is what its scorer read; an episode without a score has none, so that nobody gives it one.
    pub(super) fn row(
        &self,
        place: Place<'_>,
        played: &Played,
        case: Option<&Object>,
        scored: &Result<Scored, ScoreError>,
    ) -> Record {
        let Played { episode, spent, log, .. } = played;
        let of = &episode.stage().case;
        let ended = episode.ended().unwrap_or(Ended::NotAsked);
        let about: [Json; 16] = [
            Json::from(place.id),
            Json::from(place.suite),
            Json::from(of.id.as_str()),
            cell::text(of.category.as_deref()),
            cell::int(Some(place.repeat.into())),
            Json::from(place.agent),
            Json::from(ended.as_str()),
            cell::int(Some(episode.turns().len() as u64)),
            Json::from(question(episode)),
            transcript(episode),
            definitions(episode),
            tool_calls(episode),
            expected_calls(&of.expected),
            cell::text(episode.state()),
            cell::int(Some(latency_ms(played))),
            usage(spent),
        ];
        let passed = scored.as_ref().ok().and_then(|scored| scored.passed);
        let gold = match passed {
            Some(true) => Json::from("correct"),
            Some(false) => Json::from("incorrect"),
            None => Json::Null,
        };
        let gold = GOLD.into_iter().filter(|_| self.gold).map(|_| gold.clone());
        let key = |name: &&str| match (case, *name) {
            (_, "response") => episode.response().clone(),
            (Some(case), name) => case.get(name).cloned().unwrap_or(Json::Null),
            (None, _) => Json::Null,
        };
        let log = self.logs.then(|| cell::text(log.as_deref()));
        let cells = about.into_iter().chain(log).chain(gold).chain(self.keys.iter().map(key)).map(Some);
        let scores = self.scores.record(Some(scored)).cells;
        Record { cells: cells.chain(scores).collect(), item: None }
    }

    pub(super) fn batch(&self, records: Vec<Record>) -> Batch {
        Batch { schema: self.schema.clone().into(), rows: Rows::Records(records) }
    }
}

/// How long the episode took: its replies as they were measured, and its tools as its mocks say.
pub(super) fn latency_ms(played: &Played) -> u64 {
    played.spent.latency_ms.saturating_add(played.episode.tool_ms())
}

/// Tokens, cost, requests, and how many replies an earlier run had paid for; null where no model was asked.
fn usage(spent: &Spent) -> Json {
    let Some(paid) = spent.paid else { return Json::Null };
    let usage = json!({
        "prompt_tokens": paid.usage.prompt_tokens,
        "cached_tokens": paid.usage.cached_tokens,
        "completion_tokens": paid.usage.completion_tokens,
        "cost_usd": paid.cost_usd,
        "attempts": paid.attempts,
        "cached": spent.cached,
    });
    Json::parse(&usage.to_string()).unwrap_or(Json::Null)
}

const OF_TURNS: [(&str, Kind); 18] = [
    ("source_id", Kind::Text),
    ("question", Kind::Text),
    ("messages", Kind::Json),
    ("tool_call", Kind::Json),
    ("tool_definitions", Kind::Json),
    ("transcript_id", Kind::Text),
    ("turn", Kind::Int),
    ("turns", Kind::Int),
    ("tool_results", Kind::Json),
    ("next_message", Kind::Json),
    ("final_answer", Kind::Words),
    ("suite", Kind::Text),
    ("case", Kind::Text),
    ("category", Kind::Text),
    ("repeat", Kind::Int),
    ("agent", Kind::Text),
    ("ended", Kind::Text),
    ("episode_reward", Kind::Float),
];

/// The columns of the table of turns: what `convert` makes of a transcript, and which episode it is.
pub(super) fn turn_schema() -> Schema {
    Schema::of(OF_TURNS.map(|(name, kind)| Column { name: name.to_owned(), kind }).to_vec())
}

/// The rows of an episode's turns. That the episode passed is told of it, and is no gold of a turn.
pub(super) fn turn_rows(place: Place<'_>, played: &Played, passed: Option<bool>) -> Vec<Record> {
    let episode = &played.episode;
    let of = &episode.stage().case;
    let tools = definitions(episode);
    let row = |turn: record::TurnView<'_>| {
        let cells: [Json; 18] = [
            Json::from(format!("{}/{}", place.id, turn.number)),
            Json::from(turn.question()),
            turn.messages(),
            broken_off(&turn, episode.ended()).unwrap_or_else(|| turn.tool_call()),
            tools.clone(),
            Json::from(place.id),
            cell::int(Some(turn.number as u64)),
            cell::int(Some(turn.of as u64)),
            turn.tool_results(),
            turn.next_message(),
            turn.final_answer(),
            Json::from(place.suite),
            Json::from(of.id.as_str()),
            cell::text(of.category.as_deref()),
            cell::int(Some(place.repeat.into())),
            Json::from(place.agent),
            Json::from(episode.ended().unwrap_or(Ended::NotAsked).as_str()),
            cell::float(passed.map(|passed| f64::from(u8::from(passed)))),
        ];
        Record { cells: cells.map(Some).to_vec(), item: None }
    };
    turns(episode).map(row).collect()
}

/// The last answer of an episode that did not decide to call nothing: it was cut, or not given. Its end is told as providers do, so that
/// nobody takes it for such a decision.
fn broken_off(turn: &record::TurnView<'_>, ended: Option<Ended>) -> Option<Json> {
    let word = match ended? {
        Ended::Truncated => "length",
        Ended::Refused => "refusal",
        Ended::Filtered => "content_filter",
        _ => return None,
    };
    let is_last = turn.number == turn.of && turn.tool_call() == Json::Null;
    is_last.then(|| {
        let members = [("role", "assistant"), ("finish_reason", word)];
        Json::Object(members.into_iter().map(|(key, word)| (key.to_owned(), Json::from(word))).collect())
    })
}

pub(super) fn turn_batch(records: Vec<Record>) -> Batch {
    Batch { schema: turn_schema().into(), rows: Rows::Records(records) }
}
