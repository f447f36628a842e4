//! All supported log formats, and the detection of a record's format.

use super::format::LogFormat;
use super::{
    acebench, adk, agents_sdk, atif, autogen, azure, batch, bfcl, claude_code, codex, deepeval, inspect,
    items, langchain_steps, langfuse, langsmith, litellm, mcp, message_rows, messages, openhands, opik, otel,
    pairs, promptfoo, ragas, sharegpt, smolagents, stored, strands, swe_agent, tau, value, weave, when2call,
};
use crate::domain::{Json, Object};

/// All logs that are understood, in the order in which a record is tried; the first that fits decides.
pub const FORMATS: &[LogFormat] = &[
    otel::OTLP,
    mcp::JSONRPC,
    claude_code::SESSION,
    codex::ROLLOUT,
    codex::EXEC,
    agents_sdk::TRACE,
    agents_sdk::RUN_STATE,
    atif::ATIF,
    adk::SESSION,
    adk::EVAL,
    autogen::AUTOGEN,
    smolagents::MEMORY,
    swe_agent::TRAJECTORY,
    openhands::EVENTS,
    strands::SESSION,
    otel::MLFLOW,
    inspect::INSPECT,
    otel::SPAN,
    otel::DATAFRAME,
    otel::ATTRIBUTES,
    langsmith::RUN,
    opik::OPIK,
    langfuse::OBSERVATION,
    weave::WEAVE,
    litellm::LITELLM,
    batch::BATCH,
    pairs::PROVIDER_PAIR,
    promptfoo::PROMPTFOO,
    deepeval::DEEPEVAL,
    ragas::RAGAS,
    azure::AZURE,
    items::ITEMS,
    acebench::RESULT,
    acebench::QUESTION,
    acebench::POSSIBLE_ANSWER,
    when2call::WHEN2CALL,
    bfcl::RESULT,
    bfcl::QUESTION,
    bfcl::POSSIBLE_ANSWER,
    stored::STORED,
    langchain_steps::LANGCHAIN_STEPS,
    tau::TAU_BENCH,
    tau::TAU2_BENCH,
    sharegpt::SHAREGPT,
    messages::LANGCHAIN,
    messages::VERCEL,
    messages::OPENAI,
    message_rows::MESSAGE_ROWS,
];

/// Formats of traces, and where the records of each have ids of their own, which no other record has. An id elsewhere may be a response's,
/// a question's that several models answer, or the same in all answers of a server for tests.
const TRACES: &[(LogFormat, &[&str])] = &[
    (otel::OTLP, &["resourceSpans"]),
    (otel::SPAN, &["spanId", "span_id", "context"]),
    (otel::DATAFRAME, &["context.span_id"]),
    (langsmith::RUN, &["id", "run_id"]),
    (langfuse::OBSERVATION, &["id"]),
    (opik::OPIK, &["id"]),
    (weave::WEAVE, &["id"]),
];

impl LogFormat {
    /// Whether a record of this format has an id of its own, by which it can be told that another is the same once more.
    pub fn has_own_ids(&self, record: &Object) -> bool {
        let keys = TRACES.iter().find(|(format, _)| format == self).map_or(&[][..], |(_, keys)| *keys);
        keys.iter().any(|key| match record.get(key) {
            Some(Json::String(id)) => !id.trim().is_empty(),
            Some(spans @ Json::Array(_)) => spans.to_string().contains("\"spanId\":"),
            Some(context) => context.get("span_id").is_some_and(|id| id.as_str().is_some()),
            None => false,
        })
    }

    /// The format that users call `name`, or begin to, as long as it is clear which one they mean.
    pub fn named(name: &str) -> Option<&'static LogFormat> {
        let mut begun = FORMATS.iter().filter(|format| format.name.starts_with(name));
        let exact = FORMATS.iter().find(|format| format.name == name);
        exact.or_else(|| begun.next().filter(|_| begun.next().is_none()))
    }
}

/// The format of a record, if it is one of a log and no row of a table.
pub fn detect(record: &Object) -> Option<&'static LogFormat> {
    let format = FORMATS.iter().find(|format| (format.matches)(record))?;
    // Langfuse's exports have a column of calls themselves, and Azure's rows may repeat those of the response.
    let own = [&langfuse::OBSERVATION, &azure::AZURE].contains(&format);
    (own || !value::is_row(record)).then_some(format)
}

/// Whether a record among those of a log is a chat that nobody has answered yet, so that there is nothing to judge in it.
pub fn is_unanswered(record: &Object) -> bool {
    messages::is_unanswered(record)
}

/// The format of a record of a file that is said to be of the format `named`. Questions lie beside many results and are no
/// results.
pub fn detect_or(named: Option<&'static LogFormat>, record: &Object) -> Option<&'static LogFormat> {
    match named {
        Some(_) if (bfcl::QUESTION.matches)(record) => Some(&bfcl::QUESTION),
        Some(format) => Some(format),
        None => detect(record),
    }
}
