//! A test case of DeepEval: the calls, the expected calls, and a judge's score for the choice of tools.

use crate::domain::{Json, Object};
use crate::score::forms::Form;
use crate::score::{ScoreError, setting};

/// How its calls are written.
pub(super) const FORM: Form = Form {
    lists: &["tools_called", "expected_tools"],
    name: "name",
    arguments: &["input_parameters", "inputParameters"],
    as_peer: false,
};
/// The same of the calls alone.
pub(in crate::score) const OF_CALLED: Form = Form { lists: &["tools_called"], ..FORM };

/// A test case, borrowed from its record.
#[derive(Debug, Clone, PartialEq)]
pub struct Case<'a> {
    pub expected: Vec<Call<'a>>,
    pub called: Vec<Call<'a>>,
    /// Whether tools were listed for a judge to choose from; an empty list counts as none.
    pub has_available_tools: bool,
    /// The judge's recorded answer.
    pub selection: Option<Selection<'a>>,
}

/// A call or an expected call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call<'a> {
    pub name: &'a str,
    pub kind: ToolType,
    pub description: Option<&'a str>,
    pub reasoning: Option<&'a str>,
    /// `None` for null and for absent.
    pub parameters: Option<&'a Object>,
    /// `None` for null and for absent.
    pub output: Option<&'a Json>,
}

/// What kind of tool a call goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolType {
    Function,
    Mcp,
}

impl ToolType {
    pub fn as_str(self) -> &'static str {
        match self {
            ToolType::Function => "FUNCTION",
            ToolType::Mcp => "MCP",
        }
    }
}

/// A judge's answer to whether the right tools were chosen from those available.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Selection<'a> {
    pub score: f64,
    pub reason: &'a str,
}

impl<'a> Case<'a> {
    /// Reads a case; an error names the key and what it should hold.
    pub fn read(record: &'a Object) -> Result<Case<'a>, ScoreError> {
        let available = present(record, "available_tools").map(|tools| list("available_tools", tools));
        Ok(Case {
            called: calls(record, "tools_called")?,
            expected: calls(record, "expected_tools")?,
            has_available_tools: available.transpose()?.is_some_and(|tools| !tools.is_empty()),
            selection: present(record, "selection").map(selection).transpose()?,
        })
    }
}

/// The calls under `key`; an error of the peer's kind where there are none.
pub(in crate::score) fn calls<'a>(record: &'a Object, key: &str) -> Result<Vec<Call<'a>>, ScoreError> {
    let Some(calls) = present(record, key) else {
        return Err(ScoreError {
            kind: "MissingTestCaseParamsError",
            message: format!("'{key}' cannot be None for the 'Tool Correctness' metric"),
        });
    };
    list(key, calls)?.iter().enumerate().map(|(at, call)| Call::read(call, key, at)).collect()
}

impl<'a> Call<'a> {
    fn read(json: &'a Json, list: &str, at: usize) -> Result<Call<'a>, ScoreError> {
        let mut call = Call {
            name: "",
            kind: ToolType::Function,
            description: None,
            reasoning: None,
            parameters: None,
            output: None,
        };
        let wrong = |key: &str, allowed, value| {
            ScoreError::invalid(setting::wrong(&format!("{list}[{at}]{key}"), allowed, value))
        };
        let object = json.as_object().ok_or_else(|| wrong("", "an object", json))?;
        let mut has_name = false;
        for (key, value) in object.iter() {
            let text = || match value {
                Json::Null => Ok(None),
                Json::String(text) => Ok(Some(text.as_str())),
                _ => Err(wrong(&format!(".{key}"), "text", value)),
            };
            match key {
                "name" => {
                    call.name = value.as_str().ok_or_else(|| wrong(".name", "text", value))?;
                    has_name = true;
                }
                "type" => {
                    call.kind = match value.as_str() {
                        Some("FUNCTION") => ToolType::Function,
                        Some("MCP") => ToolType::Mcp,
                        _ => return Err(wrong(".type", "`FUNCTION` or `MCP`", value)),
                    };
                }
                "description" => call.description = text()?,
                "reasoning" => call.reasoning = text()?,
                "input_parameters" | "inputParameters" => {
                    call.parameters = match value {
                        Json::Null => None,
                        Json::Object(parameters) => Some(parameters),
                        _ => return Err(wrong(&format!(".{key}"), "an object or null", value)),
                    };
                }
                "output" => call.output = Some(value).filter(|output| !output.is_null()),
                _ => {}
            }
        }
        if !has_name {
            return Err(ScoreError::invalid(format!("`{list}[{at}]` has no `name`")));
        }
        Ok(call)
    }

    /// Whether it goes to the same tool of the same kind.
    pub(super) fn is_same_tool(&self, other: &Call) -> bool {
        self.kind == other.kind && self.name == other.name
    }
}

fn selection(json: &Json) -> Result<Selection<'_>, ScoreError> {
    let score = json.get("score").ok_or_else(|| ScoreError::invalid("`selection` has no `score`"))?;
    let score = setting::number("selection.score", score).map_err(ScoreError::invalid)?;
    Ok(Selection { score, reason: json.get("reason").and_then(Json::as_str).unwrap_or_default() })
}

fn present<'a>(record: &'a Object, key: &str) -> Option<&'a Json> {
    record.get(key).filter(|value| !value.is_null())
}

fn list<'a>(key: &str, value: &'a Json) -> Result<&'a [Json], ScoreError> {
    value.as_array().ok_or_else(|| ScoreError::invalid(setting::wrong(key, "a list", value)))
}
