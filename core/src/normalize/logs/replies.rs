//! Logs with a record for each model call: which of the answers are rows.
//!
//! A record holds the conversation up to its answer, so that the answer is the last turn of all that the record holds. Which turns of
//! a transcript are rows is decided in the same way: otherwise what an agent says after its calls, which is hardly ever wrong, would
//! count or not by how the agent is logged. What came after an answer is not in its record.

use super::context::{Context, Turns};
use super::entry::{Entries, Entry, Skip};
use super::format::LogFormat;
use super::turn::{Before, Output, Turn};
use super::{langfuse, langsmith, litellm, opik, otel, weave};
use crate::domain::Calls;
use crate::normalize::{Normalizer, question};

/// Formats in which an agent's own model calls are logged, one after another. Batches, pairs of requests and responses, and results of
/// benchmarks may hold questions that somebody chose: there each answer counts.
const MODEL_CALLS: &[LogFormat] = &[
    otel::OTLP,
    otel::MLFLOW,
    otel::SPAN,
    otel::DATAFRAME,
    otel::ATTRIBUTES,
    langsmith::RUN,
    langfuse::OBSERVATION,
    opik::OPIK,
    weave::WEAVE,
    litellm::LITELLM,
];

/// What `entries` of such a log give where `context` asks for turns with calls. Whether the record `has_gold`, somebody has judged its
/// answer, which is a row then.
pub(super) fn wanted(format: &LogFormat, entries: Entries, context: &Context, has_gold: bool) -> Entries {
    if context.turns != Turns::Calls || has_gold || !MODEL_CALLS.contains(format) {
        return entries;
    }
    let normalizer = std::sync::Arc::clone(context.normalizer);
    Box::new(entries.map(move |entry| match entry {
        Entry::Turn(turn) if says_only(&turn, &normalizer) => Entry::Skipped(Skip::TextTurn),
        other => other,
    }))
}

/// Whether a turn surely calls nothing, while something was called before it. What cannot be read stays, and is reported.
fn says_only(turn: &Turn, normalizer: &Normalizer) -> bool {
    let (Before::Messages(messages), Output::Message(answer)) = (&turn.before, &turn.output) else {
        return false;
    };
    let made = normalizer.calls_in(answer, &normalizer.definitions(&turn.tools));
    turn.origin.gold.is_none()
        && Turns::Calls.leaves_out(made, true, || question::calls_something(messages))
        && normalizer
            .turn(turn.clone())
            .is_ok_and(|sample| matches!(&sample.calls, Calls::Parsed(calls) if calls.is_empty()))
}
