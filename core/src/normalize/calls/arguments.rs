//! The arguments of a call, object or text: `"{\"city\":\"Oslo\"}"`.

use super::{Absent, Reader, error};
use crate::domain::{Arguments, Flag, Json, Object, RowError, RowErrorCode, ToolDefinition};
use crate::normalize::ending::required;
use crate::normalize::pairs;
use crate::normalize::python_literal::{self, Dialect};

/// The keys that hold arguments; of several, the first that is not null.
pub(super) const KEYS: [&str; 10] = [
    "arguments",
    "args",
    "input",
    "tool_input",
    "parameters",
    "input_parameters",
    "inputParameters",
    "kwargs",
    "params",
    UNREAD,
];

/// What could not be read as input, in parts for user interfaces.
const UNREAD: &str = "rawInput";

/// Keys that hold arguments in logs that teams write themselves, as [`folded`]. Elsewhere they hold something else, so that they
/// count only where a call must be, and only with an object.
const FURTHER_KEYS: &[&str] = &[
    "argument",
    "arg",
    "inputs",
    "parameter",
    "param",
    "toolargs",
    "toolarguments",
    "toolinputs",
    "toolparameters",
    "toolparams",
    "functionargs",
    "functionarguments",
    "functionparameters",
    "functioninput",
    "callargs",
    "callarguments",
    "inputargs",
    "inputarguments",
    "actioninput",
    "actionargs",
    "argumentsjson",
    "argsjson",
    "inputjson",
    "jsonarguments",
    "rawarguments",
    "parsedarguments",
    "keywordarguments",
    "payload",
    "request",
    "requestbody",
    "options",
    "values",
    "data",
    "body",
];

/// Keys beside a tool's name that are known to hold no arguments, as [`folded`].
const OTHER_KEYS: &[&str] = &[
    "type",
    "id",
    "callid",
    "toolcallid",
    "tooluseid",
    "index",
    "status",
    "state",
    "description",
    "reasoning",
    "thought",
    "thoughtsignature",
    "signature",
    "output",
    "outputs",
    "result",
    "results",
    "response",
    "responses",
    "error",
    "errors",
    "errortext",
    "success",
    "latency",
    "duration",
    "timestamp",
    "starttime",
    "endtime",
    "createdat",
    "namespace",
    "server",
    "servername",
    "serverlabel",
    "parseerror",
    "extracontent",
    "caller",
    "cachecontrol",
    "log",
    "messagelog",
    "meta",
    "metadata",
    "title",
    "role",
    "providermetadata",
    "callprovidermetadata",
    "responsemetadata",
    "additionalkwargs",
    "providerexecuted",
    "preliminary",
    "dynamic",
    "tooltype",
];

/// Whether `object` has a key that holds arguments, be they null.
pub(super) fn has_any(object: &Object) -> bool {
    KEYS.iter().any(|key| object.contains_key(key)) || spelled_otherwise(object).is_some()
}

/// Whether `object` has a key that may hold arguments.
pub(super) fn may_have_any(object: &Object) -> bool {
    has_any(object) || under_further_key(object).is_some()
}

/// Whether anything beside the name under `name_key` may be the arguments, or hold them.
pub(super) fn may_be_beside(object: &Object, name_key: &str) -> bool {
    has_any(object) || object.iter().any(|(key, value)| key != name_key && !value.is_null() && !is_other(key))
}

fn is_other(key: &str) -> bool {
    OTHER_KEYS.contains(&folded(key).as_str())
}

/// The arguments in `object`, as logged.
pub(super) fn of(object: &Object) -> Option<&Json> {
    KEYS.iter().filter_map(|key| object.get(key)).find(|value| !value.is_null())
}

/// Two keys that hold arguments which differ: nobody can say which of them the tool got. Both must be arguments: what a tool knows for
/// its parameters, or, where nobody says what it takes, one all of whose keys the other has.
fn contradiction(object: &Object, tool: Option<&ToolDefinition>) -> Option<(&'static str, &'static str)> {
    let says = |key: &&'static str| object.get(key).is_some_and(|value| !value.is_null());
    let mut keys = KEYS.iter().copied().filter(|key| says(key));
    let first = keys.next()?;
    let is_none = match object.get(first)? {
        Json::Object(object) => object.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::String(text) => matches!(text.trim(), "" | "{}" | "null"),
        _ => false,
    };
    let holds = |key: &&'static str| {
        object.get(key).is_some_and(|value| match value {
            Json::Object(object) => !object.is_empty() && !super::bare::is_schema(value),
            Json::String(_) => is_object(value) && !matches!(value.as_str().map(str::trim), Some("{}")),
            _ => false,
        })
    };
    let whole = |key: &str| object.get(key).and_then(whole).filter(|found| !found.is_empty());
    let known = tool.filter(|tool| tool.parameters.get("properties").is_some_and(holds_any));
    let are_arguments = |one: &Object, other: &Object| match known {
        Some(tool) => [one, other].iter().all(|all| all.keys().all(|key| is_parameter(tool, key))),
        None => {
            let within = |one: &Object, other: &Object| one.keys().all(|key| other.contains_key(key));
            within(one, other) || within(other, one)
        }
    };
    let own = whole(first).filter(|own| !are_types(own));
    let differs = |key: &&'static str| match (&own, whole(key)) {
        // What could not be read as input, and the same as it was written, may differ.
        (Some(own), Some(other)) => {
            *key != UNREAD && !are_types(&other) && are_arguments(own, &other) && !same(own, &other)
        }
        _ => is_none,
    };
    let other = keys.find(|key| holds(key) && differs(key))?;
    Some((first, other))
}

/// An object, or the one that a text holds.
fn whole(value: &Json) -> Option<Object> {
    match value {
        Json::Object(object) => Some(object.clone()),
        Json::String(text) => {
            match Json::parse(text).ok().or_else(|| python_literal::whole(text, Dialect::Python))? {
                Json::Object(object) => Some(object),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether two objects say the same, whatever the order of their keys.
fn same(one: &Object, other: &Object) -> bool {
    fn are_equal(one: &Json, other: &Json) -> bool {
        match (one, other) {
            (Json::Object(one), Json::Object(other)) => same(one, other),
            (Json::Array(one), Json::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_equal(one, other))
            }
            (Json::Number(one), Json::Number(other)) => {
                one == other || one.as_str().parse::<f64>().ok() == other.as_str().parse::<f64>().ok()
            }
            (one, other) => one == other,
        }
    }
    let has = |(key, value): (&str, &Json)| other.get(key).is_some_and(|theirs| are_equal(value, theirs));
    one.len() == other.len() && one.iter().all(has)
}

/// Whether an object is a definition's parameters: of each it says the type.
fn are_types(object: &Object) -> bool {
    const TYPES: &[&str] = &[
        "string", "str", "integer", "int", "number", "float", "boolean", "bool", "object", "dict", "array",
        "list",
    ];
    let is_type = |value: &Json| match value {
        Json::String(name) => TYPES.contains(&name.to_ascii_lowercase().as_str()),
        value => value.get("type").is_some(),
    };
    super::bare::is_schema(&Json::Object(object.clone()))
        || !object.is_empty() && object.iter().all(|(_, value)| is_type(value))
}

/// The key in `object` under which the arguments of a call would be read, if one holds an object.
pub(in crate::normalize) fn place(object: &Object) -> Option<&str> {
    let holds = |value: &Json| value.as_object().is_some();
    let usual = KEYS.into_iter().find(|key| object.get(key).is_some_and(|value| !value.is_null()));
    match usual {
        Some(key) => object.get(key).is_some_and(holds).then_some(key),
        None => {
            let known = |key: &str| {
                let key = folded(key);
                KEYS.iter().any(|known| folded(known) == key) || FURTHER_KEYS.contains(&key.as_str())
            };
            object.iter().find(|(key, value)| holds(value) && known(key)).map(|(key, _)| key)
        }
    }
}

/// An object under one of [`KEYS`] in another spelling: `Arguments`, `tool-input`.
fn spelled_otherwise(object: &Object) -> Option<&Json> {
    under(object, |key| KEYS.iter().any(|known| folded(known) == key))
}

fn under_further_key(object: &Object) -> Option<&Json> {
    under(object, |key| FURTHER_KEYS.contains(&key))
}

fn under(object: &Object, known: impl Fn(&str) -> bool) -> Option<&Json> {
    object.iter().find(|(key, value)| is_object(value) && known(&folded(key))).map(|(_, value)| value)
}

/// Whether a value is an object, or the text of one, or a list of its entries.
fn is_object(value: &Json) -> bool {
    match value {
        Json::Object(_) => true,
        Json::String(text) => {
            text.trim_start().starts_with('{')
                && (matches!(Json::parse(text), Ok(Json::Object(_)))
                    || matches!(python_literal::whole(text, Dialect::Python), Some(Json::Object(_))))
        }
        Json::Array(items) => !items.is_empty() && pairs::object(items).is_some(),
        _ => false,
    }
}

/// A key without regard to letter case and to what joins its words.
fn folded(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

impl Reader<'_> {
    /// The arguments of the tool `name` in `object`, where its name stands under `name_key`. An error if another key may hold
    /// them: a call with arguments must never be judged as one without.
    pub(super) fn arguments_in(
        &mut self,
        object: &Object,
        name_key: &str,
        name: &str,
    ) -> Result<Arguments, RowError> {
        if KEYS.iter().any(|key| object.contains_key(key)) {
            if let Some((one, other)) = contradiction(object, self.definition(name)) {
                let why = format!("the arguments under `{one}` and under `{other}` differ; keep one of them");
                return Err(error(RowErrorCode::UnrecognisedToolCall, &why, object));
            }
            return Ok(self.arguments(of(object)));
        }
        let found = spelled_otherwise(object).or_else(|| under_further_key(object));
        if let Some(logged) = found {
            return Ok(self.arguments(Some(logged)));
        }
        let beside = || object.iter().filter(|(key, value)| *key != name_key && !value.is_null());
        if let Some(tool) = self.definition(name) {
            let flat: Object = beside()
                .filter(|(key, _)| is_parameter(tool, key))
                .map(|(key, value)| (key.to_owned(), value.clone()))
                .collect();
            let explained = |key: &str| flat.contains_key(key) || is_other(key);
            if !flat.is_empty() && beside().all(|(key, _)| explained(key)) {
                self.flags.insert(Flag::FlatArguments);
                return Ok(self.parsed(flat));
            }
        }
        let unknown = beside().find(|(key, _)| {
            !is_other(key) && !self.definition(name).is_some_and(|tool| is_parameter(tool, key))
        });
        match unknown {
            None => self.absent(object, name),
            Some((key, _)) => {
                // Whatever stands under a key of names may be taken for one, a whole request too.
                let (key, name) = (RowError::excerpt(key), RowError::excerpt(name));
                let why = format!(
                    "unknown key `{key}` beside the tool `{name}`; name the key of its arguments `arguments`"
                );
                Err(error(RowErrorCode::UnrecognisedToolCall, &why, object))
            }
        }
    }

    /// What it means that a call has no arguments in the log, not even empty ones: who logs less than what was said leaves them out,
    /// and nobody can say that such a call lacks something.
    fn absent(&mut self, object: &Object, name: &str) -> Result<Arguments, RowError> {
        let is_lost = self.absent == Absent::Unrecorded;
        let (needs_some, may_have_some) = match self.definition(name) {
            Some(tool) => {
                let has_some = tool.parameters.get("properties").is_some_and(holds_any);
                (!required(tool).is_empty(), has_some || is_lost && tool.has_unknown_parameters())
            }
            // A tool that is not on offer is wrong whatever it was called with.
            None => (is_lost && self.tools.is_empty(), is_lost),
        };
        if self.absent == Absent::Empty || !may_have_some {
            return Ok(Arguments::Parsed(Object::new()));
        }
        if needs_some {
            let why = "the log does not hold the arguments of a call; record them, or write `{}` where there were none";
            return Err(error(RowErrorCode::ArgumentsNotRecorded, why, object));
        }
        self.flags.insert(Flag::ArgumentsNotRecorded);
        Ok(Arguments::Parsed(Object::new()))
    }

    /// Reads arguments as logged. What is no JSON object is the model's fault, for the judge to see.
    pub(super) fn arguments(&mut self, value: Option<&Json>) -> Arguments {
        match value {
            None | Some(Json::Null) => Arguments::Parsed(Object::new()),
            Some(Json::Object(object)) => self.parsed(object.clone()),
            Some(Json::String(text)) => self.argument_text(text),
            // To typed files, and to PHP, an empty object is an empty list.
            Some(Json::Array(entries)) if let Some(object) = pairs::object(entries) => {
                if !entries.is_empty() {
                    self.flags.insert(Flag::ArgumentsAsPairs);
                }
                self.parsed(object)
            }
            Some(other) => self.malformed(other.to_string()),
        }
    }

    pub(super) fn argument_text(&mut self, text: &str) -> Arguments {
        if matches!(text.trim(), "" | "null") {
            return Arguments::Parsed(Object::new());
        }
        let (value, flag) = match Json::parse(text) {
            Ok(Json::String(inner)) => (Json::parse(&inner).ok(), Some(Flag::DoubleEncoded)),
            Ok(value) => (Some(value), None),
            Err(_) => (python_literal::whole(text, Dialect::Python), Some(Flag::PythonRepr)),
        };
        match value {
            Some(Json::Object(object)) => {
                self.flags.extend(flag);
                self.parsed(object)
            }
            _ => {
                self.flag_if_cut(text);
                self.malformed(text.to_owned())
            }
        }
    }

    pub(super) fn parsed(&mut self, object: Object) -> Arguments {
        if object.repeats_a_key() {
            self.flags.insert(Flag::DuplicateArgument);
        }
        Arguments::Parsed(object)
    }

    pub(super) fn malformed(&mut self, text: String) -> Arguments {
        self.flags.insert(Flag::MalformedArguments);
        Arguments::Malformed(text)
    }

    /// Logs cut long values at round lengths; a value that breaks off exactly there was probably whole.
    pub(super) fn flag_if_cut(&mut self, text: &str) {
        // Shorter limits are not in use, and short texts have round lengths by chance.
        const SHORTEST_LIMIT: usize = 128;
        let length = text.chars().count();
        let round = length.is_power_of_two() || length.is_multiple_of(1000);
        if length >= SHORTEST_LIMIT && round && text.trim_start().starts_with(['{', '[']) {
            self.flags.insert(Flag::MaybeTruncated);
        }
    }
}

fn holds_any(properties: &Json) -> bool {
    properties.as_object().is_some_and(|properties| !properties.is_empty())
}

/// Whether a key beside a tool's name is one of its parameters. An `id` is the call's, unless the tool must have one.
fn is_parameter(tool: &ToolDefinition, key: &str) -> bool {
    let required = || {
        let names = tool.parameters.get("required")?.as_array()?;
        Some(names.iter().any(|name| name.as_str() == Some(key)))
    };
    let properties = tool.parameters.get("properties").and_then(Json::as_object);
    properties.is_some_and(|properties| properties.contains_key(key))
        && (!matches!(key, "id" | "type") || required() == Some(true))
}
