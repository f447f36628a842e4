//! What an endpoint turned out not to take, and what is sent instead.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// A deviation from the request as asked for. Learnt from refusals, never guessed from a model's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Adaptation {
    /// No JSON schema: the rail is asked for in words only.
    TextRail,
    WithoutTemperature,
    /// The length limit goes by its newer name, `max_completion_tokens`.
    MaxCompletionTokens,
    WithoutMaxTokens,
}

impl Adaptation {
    pub const ALL: [Adaptation; 4] = [
        Adaptation::TextRail,
        Adaptation::WithoutTemperature,
        Adaptation::MaxCompletionTokens,
        Adaptation::WithoutMaxTokens,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Adaptation::TextRail => "rail:text",
            Adaptation::WithoutTemperature => "without:temperature",
            Adaptation::MaxCompletionTokens => "renamed:max_completion_tokens",
            Adaptation::WithoutMaxTokens => "without:max_tokens",
        }
    }

    pub fn named(name: &str) -> Option<Adaptation> {
        Adaptation::ALL.into_iter().find(|adaptation| adaptation.as_str() == name)
    }
}

/// What is known of one endpoint and model, shared by all requests to it.
#[derive(Debug, Default)]
pub(super) struct Adaptations(RwLock<BTreeSet<Adaptation>>);

impl Adaptations {
    pub(super) fn new(known: &[Adaptation]) -> Adaptations {
        Adaptations(RwLock::new(known.iter().copied().collect()))
    }

    pub(super) fn current(&self) -> BTreeSet<Adaptation> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn learn(&self, adaptation: Adaptation) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(adaptation);
    }
}
