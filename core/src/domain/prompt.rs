//! The prompt for a judge model.

use std::sync::Arc;

use super::Rails;

/// A rendered template: the text a judge reads and the form of the answer it may give.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// All that the judge reads of the row and the criterion.
    pub text: String,
    /// The labels that the answer may give.
    pub rails: Arc<Rails>,
    /// What the answer holds beside a label.
    pub form: AnswerForm,
}

/// What an answer holds beside its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnswerForm {
    /// An explanation, before the label.
    pub explain: bool,
    /// A list of findings, before the label.
    pub findings: bool,
}

impl AnswerForm {
    /// A label and nothing else.
    pub const LABEL: AnswerForm = AnswerForm { explain: false, findings: false };
    /// An explanation, then a label.
    pub const EXPLAINED: AnswerForm = AnswerForm { explain: true, findings: false };

    /// A label, with an explanation before it or without.
    pub fn explained(explain: bool) -> AnswerForm {
        AnswerForm { explain, findings: false }
    }

    /// Whether the answer is a label and nothing else.
    pub fn is_label(self) -> bool {
        self == AnswerForm::LABEL
    }
}
