//! Features that an endpoint turned out not to support, and their replacements.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use super::adaptation_probe::AdaptationProbe;

/// A deviation from the intended request. Learned from refusals, never guessed from a model's name.
///
/// The rail forms are in the order in which they are tried, after the provider's own way to force a rail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Adaptation {
    /// The rail goes by vLLM's older names, `guided_choice` and `guided_json`.
    GuidedRail,
    /// The rail is a JSON schema in `response_format`.
    ResponseFormatRail,
    /// The rail is the argument of a tool that must be called.
    ToolRail,
    /// The prompt only asks for the rail in words.
    TextRail,
    /// The same, with our own words at the end of the prompt: the endpoint takes a request for a rail and ignores it.
    InstructedRail,
    /// Token probabilities are not requested, so there is no confidence.
    WithoutLogprobs,
    /// No temperature is set: the endpoint takes its own only.
    WithoutTemperature,
    /// The length limit goes by its newer name, `max_completion_tokens`.
    MaxCompletionTokens,
    /// Answers are not limited: the endpoint takes no limit. No ceiling on cost can hold then.
    WithoutMaxTokens,
    /// The model thinks before it answers: where the limit on answers is ours, it is raised.
    RoomToThink,
    /// Thoughts of earlier turns are not sent back, and encrypted ones not requested: the endpoint accepts none.
    WithoutReasoning,
    /// Calls of logged conversations say that they have no signature: the endpoint wants one with each.
    UnsignedCalls,
}

/// How requests are adapted at one moment.
pub(super) type AdaptationSet = BTreeSet<Adaptation>;

impl Adaptation {
    pub(crate) const ALL: [Adaptation; 12] = [
        Adaptation::GuidedRail,
        Adaptation::ResponseFormatRail,
        Adaptation::ToolRail,
        Adaptation::TextRail,
        Adaptation::InstructedRail,
        Adaptation::WithoutLogprobs,
        Adaptation::WithoutTemperature,
        Adaptation::MaxCompletionTokens,
        Adaptation::WithoutMaxTokens,
        Adaptation::RoomToThink,
        Adaptation::WithoutReasoning,
        Adaptation::UnsignedCalls,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Adaptation::GuidedRail => "rail:guided",
            Adaptation::ResponseFormatRail => "rail:response_format",
            Adaptation::ToolRail => "rail:tool",
            Adaptation::TextRail => "rail:text",
            Adaptation::InstructedRail => "rail:instructed",
            Adaptation::WithoutLogprobs => "without:logprobs",
            Adaptation::WithoutTemperature => "without:temperature",
            Adaptation::MaxCompletionTokens => "renamed:max_completion_tokens",
            Adaptation::WithoutMaxTokens => "without:max_tokens",
            Adaptation::RoomToThink => "raised:max_tokens",
            Adaptation::WithoutReasoning => "without:reasoning",
            Adaptation::UnsignedCalls => "marked:unsigned_calls",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Adaptation> {
        Adaptation::ALL.into_iter().find(|adaptation| adaptation.as_str() == name)
    }

    /// The form of rail among these `names`, as replies keep them; `None` is the provider's own.
    pub(crate) fn rail_of(names: &[String]) -> Option<Adaptation> {
        rail(&names.iter().filter_map(|name| Adaptation::named(name)).collect())
    }

    /// Whether requests for verdicts are sent otherwise because of it.
    pub(super) fn is_of_verdicts(self) -> bool {
        !matches!(self, Adaptation::WithoutReasoning | Adaptation::UnsignedCalls)
    }

    /// Whether requests for turns are sent otherwise because of it: these hold no rail, and ask for no probabilities.
    pub(super) fn is_of_turns(self) -> bool {
        !self.is_rail() && self != Adaptation::WithoutLogprobs
    }

    fn is_rail(self) -> bool {
        self <= Adaptation::InstructedRail
    }
}

/// The rail form of a request with this adaptation; `None` is the provider's own.
pub(super) fn rail(adapted: &AdaptationSet) -> Option<Adaptation> {
    adapted.iter().copied().filter(|adaptation| adaptation.is_rail()).max()
}

/// Whether a request adapted so has the endpoint force the rail.
pub(super) fn is_forced(adapted: &AdaptationSet) -> bool {
    !matches!(rail(adapted), Some(Adaptation::TextRail | Adaptation::InstructedRail))
}

/// Of the `forms` that a provider has beside its own, the one to try after a request adapted so was refused.
pub(super) fn next_rail(forms: &[Adaptation], adapted: &AdaptationSet) -> Option<Adaptation> {
    let current = rail(adapted);
    forms.iter().copied().find(|form| current.is_none_or(|current| *form > current))
}

/// What is known of one endpoint and model, shared by all requests to it.
#[derive(Debug, Default)]
pub(super) struct Adaptations(RwLock<AdaptationSet>);

impl Adaptations {
    pub(super) fn new(known: &[Adaptation]) -> Adaptations {
        let mut adapted = AdaptationSet::new();
        for adaptation in known {
            add(&mut adapted, *adaptation);
        }
        Adaptations(RwLock::new(adapted))
    }

    pub(super) fn current(&self) -> AdaptationSet {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Goes on in another form of rail.
    pub(super) fn adopt(&self, form: Adaptation) {
        add(&mut self.0.write().unwrap_or_else(PoisonError::into_inner), form);
    }

    /// Keeps what an answer has proved: the parts that its question went without were what the endpoint refused.
    pub(super) fn learn(&self, probe: &AdaptationProbe, forms: &[Adaptation]) {
        if probe.is_idle() {
            return;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(refused) = probe.refused_as_a_whole()
            // Otherwise others have found more out meanwhile.
            && *refused == *known
        {
            // Which part was it? The next question goes without one of them, and if it is refused too, it was the other.
            let asks_probabilities = probe.plain().contains(&Adaptation::WithoutLogprobs)
                && !refused.contains(&Adaptation::WithoutLogprobs);
            match next_rail(forms, refused) {
                Some(next) if !asks_probabilities => {
                    known.remove(&Adaptation::WithoutLogprobs);
                    add(&mut known, next);
                }
                _ => drop(known.insert(Adaptation::WithoutLogprobs)),
            }
        }
        for adaptation in probe.named() {
            add(&mut known, *adaptation);
        }
    }
}

/// Of several rail forms, the last one tried is the one that is taken.
pub(super) fn add(adapted: &mut AdaptationSet, adaptation: Adaptation) {
    if adaptation.is_rail() {
        if rail(adapted) >= Some(adaptation) {
            return;
        }
        adapted.retain(|known| !known.is_rail());
    }
    adapted.insert(adaptation);
}
