//! What a judge model is asked.

use super::Rails;

/// A rendered template: the text a judge reads and the answers it may give.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub text: String,
    pub rails: Rails,
    /// Whether the judge is asked to explain itself before it answers.
    pub explain: bool,
}
