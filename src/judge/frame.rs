//! Request bodies: but for the prompt's text they are all the same, and what is the same is put together once.

use std::sync::{Arc, PoisonError, RwLock};

use super::adaptation::Adapted;
use super::wire::{Wire, bare};
use crate::domain::{Prompt, Rails};

/// Stands where the text goes while a frame is made.
pub(super) const PLACE: &str = "the text of a prompt goes here: tooljudge 4f1d9c02";

/// The frames that one judge's requests were put into so far.
#[derive(Default)]
pub(super) struct Frames(RwLock<Vec<Frame>>);

struct Frame {
    /// What bodies depend on beside the text.
    rails: Arc<Rails>,
    explain: bool,
    bare: bool,
    adapted: Adapted,
    /// What stands before and behind the text; absent where the user's own fields leave no place for it.
    around: Option<(String, String)>,
}

impl Frames {
    /// The body that asks `prompt`.
    pub(super) fn body(&self, wire: &dyn Wire, prompt: &Prompt, adapted: &Adapted) -> Vec<u8> {
        if !wire.differs_in_text_only() {
            return whole(wire, prompt, adapted).into_bytes();
        }
        let bare = bare(prompt);
        let fits = |frame: &&Frame| {
            (Arc::ptr_eq(&frame.rails, &prompt.rails) || frame.rails == prompt.rails)
                && (frame.explain, frame.bare) == (prompt.explain, bare)
                && frame.adapted == *adapted
        };
        let filled = |frame: &Frame| match &frame.around {
            Some((before, behind)) => fill(before, &prompt.text, behind),
            None => whole(wire, prompt, adapted).into_bytes(),
        };
        if let Some(frame) = self.0.read().unwrap_or_else(PoisonError::into_inner).iter().find(fits) {
            return filled(frame);
        }
        let frame = Frame {
            rails: Arc::clone(&prompt.rails),
            explain: prompt.explain,
            bare,
            adapted: adapted.clone(),
            around: around(wire, prompt, adapted),
        };
        let body = filled(&frame);
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(frame);
        body
    }
}

/// The same, put together for this prompt alone.
pub(super) fn whole(wire: &dyn Wire, prompt: &Prompt, adapted: &Adapted) -> String {
    wire.parameters().finish(wire.body(prompt, adapted))
}

/// The body that asks `prompt`, without its text.
fn around(wire: &dyn Wire, prompt: &Prompt, adapted: &Adapted) -> Option<(String, String)> {
    let mut text = PLACE.to_owned();
    if !prompt.explain && !bare(prompt) {
        text.push_str(" \"label\"");
    }
    let place = serde_json::to_string(&text).ok()?;
    let body = whole(wire, &Prompt { text, ..prompt.clone() }, adapted);
    let (before, behind) = body.split_once(&place)?;
    (!behind.contains(PLACE)).then(|| (before.to_owned(), behind.to_owned()))
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
