//! The request parameters of a judge, such as temperature and the limit on answers.

use serde_json::{Map, Value, json};

use super::Adaptation;
use super::adaptation::AdaptationSet;
use crate::domain::{AnswerForm, Prompt};

/// The default limit on answers of servers where a rambling model would fill its window: for a label, for a label with its
/// explanation, for one with a list of findings, and for a model that reasons before it answers.
const LABEL: u32 = 512;
const EXPLAINED: u32 = 1024;
const FINDINGS: u32 = 2048;
const THOUGHT: u32 = 8192;
/// For a turn of an agent, whose calls are longer than any verdict.
const TURN: u32 = 2048;

/// Fields of the provider's own that limit answers.
const LIMITS: &[&str] =
    &["max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict", "n_predict"];

/// The settings of a judge model. Absent ones are not sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters {
    /// Sampling temperature, from 0. Default: the provider's.
    pub temperature: Option<f64>,
    /// Upper limit of the answer, in tokens.
    pub max_tokens: Option<u32>,
    /// Whether answers have a limit of ours where `max_tokens` gives none. Replies are kept without regard to it.
    pub capped: bool,
    /// The size of Ollama's context window, in tokens; sized to each prompt where it is absent.
    pub num_ctx: Option<u32>,
    /// Fields of the provider's own, merged into every request body last: objects are merged into objects, null takes a
    /// field out. A gateway may want secrets in them.
    pub body: Map<String, Value>,
}

impl Parameters {
    /// A canonical text, for fingerprints. It contains the provider's own fields, so do not show it.
    pub(crate) fn to_json(&self) -> String {
        let mut object = self.known();
        if !self.body.is_empty() {
            object.insert("body".to_owned(), sorted(&Value::Object(self.body.clone())));
        }
        Value::Object(object).to_string()
    }

    /// The form in records of runs. The provider's own fields become a hash (eight digits of BLAKE3's), enough to see whether
    /// they are the same.
    pub(crate) fn to_record(&self) -> Value {
        let mut object = self.known();
        if !self.body.is_empty() {
            let body = sorted(&Value::Object(self.body.clone())).to_string();
            let hash = blake3::hash(body.as_bytes()).to_hex();
            object.insert("body_hash".to_owned(), json!(hash[..8]));
        }
        Value::Object(object)
    }

    /// The most tokens of an answer to `prompt`, as a request adapted so states it.
    pub(super) fn limit(&self, prompt: &Prompt, adapted: &AdaptationSet) -> Option<u32> {
        let ours = || match prompt.form {
            _ if adapted.contains(&Adaptation::RoomToThink) => THOUGHT,
            AnswerForm { findings: true, .. } => FINDINGS,
            AnswerForm { explain: true, .. } => EXPLAINED,
            AnswerForm::LABEL => LABEL,
        };
        self.has_limit(adapted).then(|| self.max_tokens.unwrap_or_else(ours))
    }

    /// The most tokens of a turn, likewise.
    pub(super) fn turn_limit(&self, adapted: &AdaptationSet) -> Option<u32> {
        let ours = if adapted.contains(&Adaptation::RoomToThink) { THOUGHT } else { TURN };
        self.has_limit(adapted).then(|| self.max_tokens.unwrap_or(ours))
    }

    /// Whether a request adapted so states one.
    pub(super) fn has_limit(&self, adapted: &AdaptationSet) -> bool {
        (self.max_tokens.is_some() || self.is_capped()) && !adapted.contains(&Adaptation::WithoutMaxTokens)
    }

    /// Whether answers have a default limit.
    pub(crate) fn is_capped(&self) -> bool {
        self.capped
            && self.max_tokens.is_none()
            && (self.body.is_empty() || !self.own_names().iter().any(|name| LIMITS.contains(name)))
    }

    /// The settings that are not a provider's own.
    fn known(&self) -> Map<String, Value> {
        let mut object = Map::new();
        if let Some(temperature) = self.temperature {
            object.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(max_tokens) = self.max_tokens {
            object.insert("max_tokens".to_owned(), json!(max_tokens));
        }
        if let Some(num_ctx) = self.num_ctx {
            object.insert("num_ctx".to_owned(), json!(num_ctx));
        }
        object
    }

    /// `body`, with the provider's own fields.
    pub(super) fn finish(&self, mut body: Value) -> String {
        merge(&mut body, &self.body);
        // Faster than `Display`, and fails as little.
        serde_json::to_string(&body).unwrap_or_else(|_| body.to_string())
    }

    /// The names of the provider's own fields, the nested ones included.
    pub(super) fn own_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut open = vec![&self.body];
        while let Some(object) = open.pop() {
            for (name, value) in object {
                names.push(name.as_str());
                open.extend(value.as_object());
            }
        }
        names
    }
}

/// JSON merge patch (RFC 7396).
fn merge(target: &mut Value, patch: &Map<String, Value>) {
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(target) = target.as_object_mut() else { return };
    for (name, value) in patch {
        match value {
            Value::Null => drop(target.shift_remove(name)),
            Value::Object(patch) => merge(target.entry(name.as_str()).or_insert(Value::Null), patch),
            other => drop(target.insert(name.clone(), other.clone())),
        }
    }
}

/// Equal settings in another order are equal settings.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut names: Vec<&String> = object.keys().collect();
            names.sort();
            names.into_iter().map(|name| (name.clone(), sorted(&object[name]))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(body: Value) -> Parameters {
        Parameters {
            temperature: Some(0.0),
            body: body.as_object().unwrap().clone(),
            ..Parameters::default()
        }
    }

    #[test]
    fn the_text_is_canonical() {
        let one = with(json!({"b": {"y": 1, "x": [{"q": 1, "p": 2}]}, "a": true}));
        let other = with(json!({"a": true, "b": {"x": [{"p": 2, "q": 1}], "y": 1}}));
        assert_eq!(one.to_json(), other.to_json());
        assert_eq!(one.to_json(), r#"{"temperature":0.0,"body":{"a":true,"b":{"x":[{"p":2,"q":1}],"y":1}}}"#);
        let plain = Parameters { temperature: Some(0.5), max_tokens: Some(9), ..Parameters::default() };
        assert_eq!(plain.to_json(), r#"{"temperature":0.5,"max_tokens":9}"#);
        // A limit of ours is none that was requested: replies that were paid for before it are still found.
        let capped = Parameters { capped: true, ..Parameters::default() };
        assert_eq!((capped.to_json(), capped.to_record()), ("{}".to_owned(), json!({})));
    }

    #[test]
    fn records_tell_own_fields_apart_and_do_not_show_them() {
        let record = |body: Value| with(body).to_record();
        let one = record(json!({"metadata": {"token": "secret", "a": 1}}));
        assert_eq!(one, record(json!({"metadata": {"a": 1, "token": "secret"}})));
        assert_ne!(one, record(json!({"metadata": {"token": "other", "a": 1}})));
        assert_eq!(one["temperature"], 0.0);
        assert_eq!(one["body_hash"].as_str().map(str::len), Some(8));
        assert!(!one.to_string().contains("secret") && one.get("body").is_none(), "{one}");
        assert_eq!(record(json!({})), json!({"temperature": 0.0}));
    }

    #[test]
    fn own_fields_come_last_and_can_take_ours_out() {
        let own =
            with(json!({"options": {"seed": 7}, "temperature": null, "seed": 1, "stop": {"a": {"b": null}}}));
        let body = json!({"model": "m", "temperature": 0.0, "options": {"num_ctx": 8}, "seed": 2});
        assert_eq!(
            own.finish(body),
            r#"{"model":"m","options":{"num_ctx":8,"seed":7},"seed":1,"stop":{"a":{}}}"#
        );
        let mut names = own.own_names();
        names.sort_unstable();
        assert_eq!(names, ["a", "b", "options", "seed", "seed", "stop", "temperature"]);
    }
}
