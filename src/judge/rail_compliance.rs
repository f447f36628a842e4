//! Detects endpoints that accept a request for a forced label and ignore it.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::Adaptation;
use crate::domain::{Prompt, Rails, Stop};

/// Answers that must all have passed over the rail before it counts as ignored.
pub const ENOUGH: u32 = 8;

/// What one answer shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// It has the requested form.
    Kept,
    /// No forced answer looks like this.
    Ignored,
    /// It may be either.
    Unclear,
}

/// What an answer shows that was forced into a rail of `prompt`.
pub(super) fn sign(text: &str, stop: Stop, prompt: &Prompt) -> Sign {
    let text = text.trim();
    // A model that thinks first may be forced afterwards only.
    if text.is_empty() || matches!(stop, Stop::Refused | Stop::Filtered) || is_thinking(text) {
        return Sign::Unclear;
    }
    if is_in_form(text, &prompt.rails) {
        return Sign::Kept;
    }
    // An object with a label of its own was made after the form, by whomever.
    if serde_json::from_str::<Value>(text).is_ok_and(|answer| answer.get("label").is_some()) {
        return Sign::Unclear;
    }
    let begun = text.starts_with('{') || prompt.rails.labels().any(|label| label.starts_with(text));
    match stop {
        Stop::Truncated if begun => Sign::Unclear,
        Stop::Truncated => Sign::Ignored,
        // A verdict can be read out of it all the same.
        _ if mentioned(text, &prompt.rails) == 1 => Sign::Unclear,
        _ => Sign::Ignored,
    }
}

/// Whether `text` is a label of `rails`, alone or as the `label` of a JSON object.
pub(super) fn is_in_form(text: &str, rails: &Rails) -> bool {
    let in_json = || {
        let answer: Value = serde_json::from_str(text).unwrap_or_default();
        answer["label"].as_str().is_some_and(|label| rails.find(label).is_some())
    };
    rails.find(text).is_some() || in_json()
}

/// Whether `text` is the beginning of a model's thoughts.
pub(super) fn is_thinking(text: &str) -> bool {
    text.trim_start().starts_with("<think")
}

/// How many of the labels `text` mentions as words of their own.
fn mentioned(text: &str, rails: &Rails) -> usize {
    let text = text.to_lowercase();
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let mentions = |label: &str| {
        let label = label.to_lowercase();
        text.match_indices(&label)
            .any(|(at, _)| !text[..at].ends_with(inner) && !text[at + label.len()..].starts_with(inner))
    };
    rails.labels().filter(|label| mentions(label)).count()
}

/// What the answers so far showed of one form of rail.
#[derive(Debug, Default)]
pub(super) struct RailCompliance(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    form: Option<Adaptation>,
    kept: u32,
    ignored: u32,
}

impl RailCompliance {
    /// Notes the form of an answer that was requested in `form`. Returns, once, whether it is now clear that this form is
    /// ignored.
    pub(super) fn note(&self, form: Option<Adaptation>, sign: Sign) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.form != form {
            *counts = Counts { form, ..Counts::default() };
        }
        match sign {
            Sign::Kept => counts.kept += 1,
            Sign::Ignored => counts.ignored += 1,
            Sign::Unclear => return false,
        }
        sign == Sign::Ignored && counts.kept == 0 && counts.ignored == ENOUGH
    }
}

/// The words that ask for the rail once more, at the end of a prompt.
pub(super) fn instruction(prompt: &Prompt) -> String {
    let labels: Vec<String> = prompt.rails.labels().map(|label| Value::from(label).to_string()).collect();
    let labels = labels.join(" or ");
    if prompt.form.findings {
        // The prompt itself says what is in them.
        format!(
            "\n\nAnswer with one line of JSON and nothing else, which holds {}\"findings\" as described above and \"label\", which is \
             {labels}.",
            if prompt.form.explain { "\"explanation\", " } else { "" }
        )
    } else if prompt.form.explain {
        format!(
            "\n\nAnswer with one line of JSON and nothing else: first \"explanation\", a sentence or two, then \"label\", which is \
             {labels}."
        )
    } else {
        format!(
            "\n\nAnswer with one line of JSON and nothing else: it holds only \"label\", which is {labels}."
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::AnswerForm;

    #[test]
    fn what_an_answer_shows() {
        let prompt =
            Prompt { text: String::new(), rails: Arc::new(Rails::correctness()), form: AnswerForm::LABEL };
        for (text, stop, expected) in [
            ("correct", Stop::Finished, Sign::Kept),
            (r#"{"label": "incorrect"}"#, Stop::Finished, Sign::Kept),
            (r#"{"label": "inc"#, Stop::Truncated, Sign::Unclear),
            ("incor", Stop::Truncated, Sign::Unclear),
            ("Let me look at the tools first. The user", Stop::Truncated, Sign::Ignored),
            ("<think>The user", Stop::Truncated, Sign::Unclear),
            ("", Stop::Truncated, Sign::Unclear),
            ("The call is incorrect.", Stop::Finished, Sign::Unclear),
            ("It may be correct or incorrect.", Stop::Finished, Sign::Ignored),
            ("I am a language model.", Stop::Finished, Sign::Ignored),
            (r#"{"verdict": 1}"#, Stop::Finished, Sign::Ignored),
            (r#"{"label": "maybe"}"#, Stop::Finished, Sign::Unclear),
            ("I will not.", Stop::Refused, Sign::Unclear),
        ] {
            assert_eq!(sign(text, stop, &prompt), expected, "{text}");
        }
    }

    #[test]
    fn one_answer_in_form_speaks_for_all() {
        let told = |signs: &[Sign]| {
            let rail_compliance = RailCompliance::default();
            signs.iter().filter(|sign| rail_compliance.note(None, **sign)).count()
        };
        assert_eq!(told(&[Sign::Ignored; 7]), 0);
        assert_eq!(told(&[Sign::Ignored; 20]), 1);
        assert_eq!(told(&[&[Sign::Kept], &[Sign::Ignored; 20][..]].concat()), 0);
        assert_eq!(told(&[&[Sign::Unclear; 9], &[Sign::Ignored; 8][..]].concat()), 1);
        let rail_compliance = RailCompliance::default();
        assert!((0..7).all(|_| !rail_compliance.note(None, Sign::Ignored)));
        assert!(
            !rail_compliance.note(Some(Adaptation::ToolRail), Sign::Ignored),
            "another form is another matter"
        );
    }
}
