//! Searches for a request that the endpoint accepts, with one question.

use super::Adaptation;
use super::adaptation::{AdaptationSet, add};

/// What a question tries beyond what is known of the endpoint. Nothing of it counts as known before an answer came: a
/// refusal may have quoted the row instead of naming the culprit.
#[derive(Debug, Default)]
pub(super) struct AdaptationProbe {
    /// What refusals named.
    named: AdaptationSet,
    doubt: Option<Doubt>,
    plain: &'static [Adaptation],
}

/// A refusal that named nothing.
#[derive(Debug)]
struct Doubt {
    /// The request that was refused.
    sent: AdaptationSet,
    code: String,
    message: String,
}

impl AdaptationProbe {
    /// `plain`: how the plainest request deviates, without a forced rail and without probabilities.
    pub(super) fn new(plain: &'static [Adaptation]) -> AdaptationProbe {
        AdaptationProbe { plain, ..AdaptationProbe::default() }
    }

    /// `known`, and what this question tries.
    pub(super) fn adapt(&self, mut known: AdaptationSet) -> AdaptationSet {
        let plain = if self.doubt.is_some() { self.plain } else { &[] };
        for adaptation in self.named.iter().chain(plain) {
            add(&mut known, *adaptation);
        }
        known
    }

    /// Tries `adaptation` next, unless that is what was `sent`.
    pub(super) fn refused(&mut self, adaptation: Adaptation, sent: &AdaptationSet) -> bool {
        let new = !sent.contains(&adaptation);
        if new {
            add(&mut self.named, adaptation);
        }
        new
    }

    /// Tries the plainest request next, to find out whether the form was the cause.
    ///
    /// # Errors
    /// The first refusal, if that is what was `sent`.
    pub(super) fn refused_without_reason(
        &mut self,
        sent: AdaptationSet,
        code: String,
        message: String,
    ) -> Result<(), (String, String)> {
        if let Some(doubt) = self.doubt.take() {
            return Err((doubt.code, doubt.message));
        }
        if self.plain.iter().all(|adaptation| sent.contains(adaptation)) {
            return Err((code, message));
        }
        self.doubt = Some(Doubt { sent, code, message });
        Ok(())
    }

    /// Whether an answer to a request adapted so proves that the endpoint takes the forms we ask for.
    pub(super) fn proves_form(&self, adapted: &AdaptationSet) -> bool {
        self.doubt.is_none() && !self.plain.iter().all(|adaptation| adapted.contains(adaptation))
    }

    /// Whether nothing was refused so far.
    pub(super) fn is_idle(&self) -> bool {
        self.named.is_empty() && self.doubt.is_none()
    }

    pub(super) fn named(&self) -> &AdaptationSet {
        &self.named
    }

    pub(super) fn plain(&self) -> &[Adaptation] {
        self.plain
    }

    pub(super) fn refused_as_a_whole(&self) -> Option<&AdaptationSet> {
        self.doubt.as_ref().map(|doubt| &doubt.sent)
    }
}
