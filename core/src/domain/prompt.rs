//! What a judge model is asked.

use std::sync::Arc;

use super::Rails;

/// A rendered template: the text a judge reads and the form of the answer it may give.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub text: String,
    pub rails: Arc<Rails>,
    /// Whether the judge is asked to explain itself before it answers.
    pub explain: bool,
}
