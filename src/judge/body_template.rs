//! Caches the constant part of request bodies; only the prompt text differs.

use std::sync::{Arc, PoisonError, RwLock};

use super::adaptation::AdaptationSet;
use super::provider_format::{ProviderFormat, bare};
use crate::domain::{AnswerForm, Prompt, Rails};

/// Stands where the text goes while a frame is made.
pub(super) const PLACEHOLDER: &str = "the text of a prompt goes here: tooljudge 4f1d9c02";

/// The frames that one judge's requests were put into so far.
#[derive(Default)]
pub(super) struct BodyTemplates(RwLock<Vec<BodyTemplate>>);

struct BodyTemplate {
    /// What bodies depend on beside the text.
    rails: Arc<Rails>,
    form: AnswerForm,
    bare: bool,
    adapted: AdaptationSet,
    /// The parts before and after the text; absent if the user's own fields leave no place for it.
    around: Option<(String, String)>,
}

impl BodyTemplates {
    /// The body of the request for `prompt`.
    pub(super) fn body(
        &self,
        format: &dyn ProviderFormat,
        prompt: &Prompt,
        adapted: &AdaptationSet,
    ) -> Vec<u8> {
        if !format.differs_in_text_only() {
            return whole(format, prompt, adapted).into_bytes();
        }
        let bare = bare(prompt);
        let fits = |body_template: &&BodyTemplate| {
            (Arc::ptr_eq(&body_template.rails, &prompt.rails) || body_template.rails == prompt.rails)
                && (body_template.form, body_template.bare) == (prompt.form, bare)
                && body_template.adapted == *adapted
        };
        let filled = |body_template: &BodyTemplate| match &body_template.around {
            Some((before, behind)) => fill(before, &prompt.text, behind),
            None => whole(format, prompt, adapted).into_bytes(),
        };
        if let Some(body_template) = self.0.read().unwrap_or_else(PoisonError::into_inner).iter().find(fits) {
            return filled(body_template);
        }
        let body_template = BodyTemplate {
            rails: Arc::clone(&prompt.rails),
            form: prompt.form,
            bare,
            adapted: adapted.clone(),
            around: around(format, prompt, adapted),
        };
        let body = filled(&body_template);
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(body_template);
        body
    }
}

/// The same, put together for this prompt alone.
pub(super) fn whole(format: &dyn ProviderFormat, prompt: &Prompt, adapted: &AdaptationSet) -> String {
    format.parameters().finish(format.body(prompt, adapted))
}

/// The body of the request for `prompt`, without its text.
fn around(format: &dyn ProviderFormat, prompt: &Prompt, adapted: &AdaptationSet) -> Option<(String, String)> {
    let mut text = PLACEHOLDER.to_owned();
    if prompt.form.is_label() && !bare(prompt) {
        text.push_str(" \"label\"");
    }
    let place = serde_json::to_string(&text).ok()?;
    let body = whole(format, &Prompt { text, ..prompt.clone() }, adapted);
    let (before, behind) = body.split_once(&place)?;
    (!behind.contains(PLACEHOLDER)).then(|| (before.to_owned(), behind.to_owned()))
}

fn fill(before: &str, text: &str, behind: &str) -> Vec<u8> {
    // Line breaks and quotation marks take two bytes each.
    let mut body = Vec::with_capacity(before.len() + text.len() + text.len() / 8 + behind.len());
    body.extend_from_slice(before.as_bytes());
    // Text can always be written to memory.
    let _ = serde_json::to_writer(&mut body, text);
    body.extend_from_slice(behind.as_bytes());
    body
}
