//! One span from any exporter: `{"context": {"span_id": "0x1a"}, "start_time": "…", "attributes": {…}, "events": […]}`.

use std::sync::Arc;

use jiff::Timestamp;

use super::{event, mlflow, otlp};
use crate::domain::{Json, Object, Origin};
use crate::normalize::logs::{about, value};

/// A span as far as it matters here.
#[derive(Debug, Default)]
pub(super) struct Span {
    id: Option<String>,
    /// What OpenInference says the span is.
    kind: Option<String>,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    pub(super) attributes: Object,
    /// Events in the form of [`event::of`].
    pub(super) events: Vec<Object>,
    /// What it says of the trace, the session, the user.
    about: Object,
    /// Whether the exporter says that it left attributes or events out.
    pub(super) cut: bool,
}

/// What was done within a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// A model answered.
    Model,
    /// Something that repeats what the spans of its models say.
    Agent,
    Other,
    /// Nothing says so; what else the span has must tell.
    Unsaid,
}

const START_KEYS: &[&str] = &["startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"];
const END_KEYS: &[&str] = &["endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"];
const DROPPED_KEYS: &[&str] =
    &["droppedAttributesCount", "dropped_attributes_count", "droppedEventsCount", "dropped_events_count"];

/// Attributes that name the model: the one that answered before the one that was asked.
const MODEL_KEYS: &[&str] = &[
    "gen_ai.response.model",
    "ai.response.model",
    "gen_ai.request.model",
    "llm.model_name",
    "ai.model.id",
    "llm.response.model",
    "llm.request.model",
];

/// OpenInference's kinds of spans in which no model answers.
const OTHER_KINDS: &[&str] =
    &["CHAIN", "TOOL", "AGENT", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT"];

/// Vercel's spans around the spans of their models.
const OUTER_OPERATIONS: &[&str] =
    &["ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"];

impl Span {
    pub(super) fn read(mut record: Object) -> Span {
        let instant = |keys: &[&str]| keys.iter().find_map(|key| value::instant(record.get(key)?));
        let (start, end) = (instant(START_KEYS), instant(END_KEYS));
        let dropped = |key: &&str| record.get(key).and_then(value::number).is_some_and(|count| count > 0.0);
        let cut = DROPPED_KEYS.iter().any(dropped);
        let id = id(&record);
        let kind = value::text(&record, &["span_kind"]);
        let events = match value::take(&mut record, "events") {
            Some(Json::Array(events)) => events,
            _ => Vec::new(),
        };
        let resource = value::take_object(&mut record, "resource");
        let resource = otlp::attributes(resource.and_then(|mut resource| resource.remove("attributes")));
        let beside = about::of_product(&[&record, &resource]);
        let attributes = match value::take(&mut record, "attributes") {
            Some(attributes) => otlp::attributes(Some(attributes)),
            None => columns(record),
        };
        // An attribute says it of this span, before all that is said around it.
        let mut about = beside;
        about::of_product(&[&attributes]).into_iter().for_each(|(column, value)| about.insert(column, value));
        let mut span = Span { id, kind, start, end, attributes, events: Vec::new(), about, cut };
        span.learn(events.into_iter().filter_map(event::of).collect());
        span
    }

    /// What is known of a span of which only log records are left.
    pub(super) fn of_logs(records: &[Object]) -> Span {
        Span { id: records.first().and_then(id), ..Span::default() }
    }

    /// Adds events. One that tells the whole of a call is like attributes that the span does not have itself.
    pub(super) fn learn(&mut self, events: Vec<Object>) {
        let (details, parts): (Vec<_>, Vec<_>) = events.into_iter().partition(event::is_details);
        self.events.extend(parts);
        if !details.is_empty() {
            let own = std::mem::take(&mut self.attributes);
            self.attributes = details.into_iter().flatten().chain(own).collect();
        }
    }

    /// An attribute by its dotted name; some exporters make objects of the dots.
    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        get(&self.attributes, name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str().filter(|text| !text.trim().is_empty())
    }

    pub(super) fn work(&self) -> Work {
        let operation = self.text("gen_ai.operation.name");
        if let Some(operation) = operation {
            return match operation {
                "chat" | "text_completion" | "generate_content" => Work::Model,
                "invoke_agent" => Work::Agent,
                _ => Work::Other,
            };
        }
        if let Some(kind) = self.text("openinference.span.kind").or(self.kind.as_deref()) {
            if kind.eq_ignore_ascii_case("LLM") {
                return Work::Model;
            }
            if OTHER_KINDS.iter().any(|other| other.eq_ignore_ascii_case(kind)) {
                return Work::Other;
            }
        }
        if let Some(operation) = self.text("ai.operationId").or_else(|| self.text("operation.name"))
            && operation.starts_with("ai.")
        {
            let operation = operation.split_whitespace().next().unwrap_or(operation);
            return match operation {
                _ if operation.ends_with(".doGenerate") || operation.ends_with(".doStream") => Work::Model,
                _ if OUTER_OPERATIONS.contains(&operation) => Work::Agent,
                _ => Work::Other,
            };
        }
        if let Some(work) = mlflow::work(&self.attributes) {
            return work;
        }
        match self.text("llm.request.type") {
            Some("chat" | "completion") => Work::Model,
            Some("embedding" | "rerank") => Work::Other,
            _ if self.get("traceloop.span.kind").is_some() => Work::Other,
            _ => Work::Unsaid,
        }
    }

    pub(super) fn origin(&self) -> Origin {
        Origin {
            source_id: self.id.clone(),
            model: MODEL_KEYS
                .iter()
                .find_map(|key| self.text(key))
                .map(str::to_owned)
                .or_else(|| mlflow::model(&self.attributes)),
            timestamp: self.start,
            latency_s: value::seconds_between(self.start, self.end),
            about: (!self.about.is_empty()).then(|| Arc::new(self.about.clone())),
            ..Origin::default()
        }
    }
}

/// An attribute by its dotted name, be it under that key or nested.
pub(super) fn get<'a>(attributes: &'a Object, name: &str) -> Option<&'a Json> {
    let direct = attributes.get(name);
    let nested = || value::at(attributes, &name.split('.').collect::<Vec<_>>());
    direct.or_else(nested).filter(|value| !value.is_null())
}

/// The attributes of a row that has a column for each, or that consists of nothing else.
fn columns(record: Object) -> Object {
    const PREFIX: &str = "attributes.";
    if !record.keys().any(|key| key.starts_with(PREFIX)) {
        return record;
    }
    let column = |(key, value): (String, Json)| Some((key.strip_prefix(PREFIX)?.to_owned(), value));
    record.into_iter().filter_map(column).collect()
}

/// Where in a trace a span stands.
pub(super) struct Place {
    pub(super) trace: String,
    pub(super) id: String,
    pub(super) parent: Option<String>,
}

impl Place {
    /// `None` where the record names no trace.
    pub(super) fn of(record: &Object) -> Option<Place> {
        let hex = |id: String| id.strip_prefix("0x").map_or_else(|| id.clone(), str::to_owned);
        let own = |keys: &[&str]| keys.iter().find_map(|key| value::text(record, &[key])).map(hex);
        let nested = |key: &str| match value::unfolded(record.get("context")?.clone()) {
            Json::Object(context) => value::text(&context, &[key]).map(hex),
            _ => None,
        };
        Some(Place {
            trace: own(&["traceId", "trace_id", "context.trace_id"]).or_else(|| nested("trace_id"))?,
            id: id(record)?,
            parent: own(&["parentSpanId", "parent_span_id", "parent_id", "parentId"])
                .filter(|id| !id.bytes().all(|byte| byte == b'0')),
        })
    }
}

/// The id of the span that a record is, or belongs to.
pub(super) fn id(record: &Object) -> Option<String> {
    let nested = || match value::unfolded(record.get("context")?.clone()) {
        Json::Object(context) => {
            value::text(&context, &["span_id"]).or_else(|| value::text(&context, &["spanId"]))
        }
        _ => None,
    };
    let direct = ["spanId", "span_id", "context.span_id"].iter().find_map(|key| value::text(record, &[key]));
    let id = direct.or_else(nested).or_else(|| value::text(record, &["id"]))?;
    let id = id.strip_prefix("0x").unwrap_or(&id);
    // What belongs to no span has an id of zeros.
    (!id.bytes().all(|byte| byte == b'0')).then(|| id.to_owned())
}
