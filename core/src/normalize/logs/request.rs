//! Request settings that matter for judging the answer: `"tool_choice": "none"`, `"previous_response_id": "resp_1"`.

use super::value;
use crate::domain::{Flag, Json, Object};

/// Where a request, or the response that repeats it, names what was said before and is kept by the provider.
const ELSEWHERE: &[&str] =
    &["previous_response_id", "previousResponseId", "previous_interaction_id", "conversation"];

/// Where a request says whether and what the model may call.
const CHOICES: &[&[&str]] = &[
    &["tool_choice"],
    &["toolChoice"],
    &["toolConfig", "toolChoice"],
    &["toolConfig", "functionCallingConfig"],
    &["tool_config", "function_calling_config"],
    &["config", "toolConfig", "functionCallingConfig"],
    &["config", "tool_config", "function_calling_config"],
];

/// Words that leave the choice to the model.
const FREE: &[&str] = &["", "auto", "validated", "mode_unspecified", "null", "not_given", "unset"];

/// What is to be remarked about a request.
pub(super) fn flags(request: &Object) -> Vec<Flag> {
    let elsewhere = ELSEWHERE.iter().any(|key| request.get(key).is_some_and(is_name));
    let limited = CHOICES.iter().filter_map(|path| value::at(request, path)).any(is_limit);
    let elsewhere = elsewhere.then_some(Flag::HistoryElsewhere);
    elsewhere.into_iter().chain(limited.then_some(Flag::ToolChoiceLimited)).collect()
}

/// A name, alone or in an object. A list under such a key is the conversation itself.
fn is_name(value: &Json) -> bool {
    let name = value.get("id").unwrap_or(value);
    name.as_str().is_some_and(|name| !name.trim().is_empty())
}

/// Whether a choice is not the model's own: it must call, must not, or may call some of the tools only.
fn is_limit(choice: &Json) -> bool {
    let is_free = |word: &str| FREE.contains(&word.to_ascii_lowercase().as_str());
    match choice {
        Json::String(word) => !is_free(word),
        Json::Object(choice) => {
            let names = ["allowedFunctionNames", "allowed_function_names"];
            let word = ["type", "mode"].iter().find_map(|key| choice.get(key)?.as_str());
            match word {
                Some(word) => !is_free(word) || value::has(choice, &names),
                // Amazon's choices are keys: `{"auto": {}}`, `{"tool": {"name": "f"}}`.
                None => choice.keys().any(|key| !is_free(key)),
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_free_or_limited_and_a_history_here_or_elsewhere() {
        use Flag::{HistoryElsewhere as Elsewhere, ToolChoiceLimited as Limited};
        for (request, wanted) in [
            (r#"{"tool_choice":"auto"}"#, None),
            (r#"{"tool_choice":null}"#, None),
            (r#"{"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}"#, None),
            (r#"{"tool_choice":"none"}"#, Some(Limited)),
            (r#"{"tool_choice":"required"}"#, Some(Limited)),
            (r#"{"tool_choice":{"type":"tool","name":"f"}}"#, Some(Limited)),
            (r#"{"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[]}}"#, Some(Limited)),
            (r#"{"toolConfig":{"tools":[],"toolChoice":{"auto":{}}}}"#, None),
            (r#"{"toolConfig":{"tools":[],"toolChoice":{"any":{}}}}"#, Some(Limited)),
            (r#"{"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}"#, None),
            (r#"{"config":{"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}}"#, Some(Limited)),
            (r#"{"previous_response_id":null,"conversation":null}"#, None),
            (r#"{"previous_response_id":"resp_1"}"#, Some(Elsewhere)),
            (r#"{"conversation":{"id":"conv_1"}}"#, Some(Elsewhere)),
            (r#"{"conversation":[{"role":"user","content":"q"}]}"#, None),
        ] {
            let Json::Object(object) = Json::parse(request).unwrap() else { panic!("{request}") };
            assert_eq!(flags(&object), Vec::from_iter(wanted), "{request}");
        }
    }
}
