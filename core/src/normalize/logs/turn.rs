//! One judged turn, as a log holds it.

use std::ops::Range;
use std::sync::Arc;

use super::entry::{Entries, Entry, one};
use crate::domain::{Cell, Flag, Json, Origin, Place};
use crate::normalize::ending::Ending;
use crate::normalize::question::History;

/// One judged turn as a log holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What was said before.
    pub before: Before,
    /// What the model answered.
    pub output: Output,
    /// How the answer ended, where the log says so beside the answer.
    pub ending: Option<Ending>,
    /// The tools on offer; [`Cell::Missing`] where the log has none.
    pub tools: Cell,
    /// Where in the log it stands.
    pub origin: Origin,
    /// What was unusual about reading it.
    pub flags: Vec<Flag>,
    /// Which of several ways of writing the log's format was met: `openinference` in an OTLP file.
    pub dialect: Option<&'static str>,
}

/// What was said before a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Before {
    /// Messages, in any form that a question may have.
    Messages(Vec<Json>),
    /// The turn is one of a transcript, which has been read.
    Transcript(Step),
}

/// One turn of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub(super) history: Arc<History>,
    /// The elements that are the turn.
    pub(super) elements: Range<usize>,
    pub(super) place: Place,
    pub(super) print: Print,
    /// Whether nobody asks anything in such a log.
    pub(super) is_unasked: bool,
}

/// What tells transcripts apart that have the same id, and copies of a turn from the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Print {
    /// Stands for all that the transcript says.
    pub transcript: u64,
    /// Stands for the file.
    pub source: u64,
    /// Stands for all up to the end of the turn, where sessions are copied into others, and the ids of the turn's
    /// calls show that this is no second session that went the same way.
    pub copied: Option<u64>,
    /// The same with what came next, where something did: copies do not differ in it.
    pub next: Option<u64>,
    /// The same with the answer that followed, where the assistant called nothing more.
    pub answered: Option<u64>,
    /// Where only a whole conversation is logged again: what stands for each of the transcript's beginnings, the whole the last.
    pub beginnings: Option<Arc<[u64]>>,
    /// How many calls the turn makes.
    pub calls: usize,
}

/// What the assistant answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// A message, a whole response, its parts, or text: calls may stand among prose, also as a model's own marks.
    Message(Json),
    /// Calls and nothing else, in any shape of a tool-call cell. A text may be prose: of it only what names a tool beside
    /// its arguments counts, and what is call syntax as a whole.
    Calls(Json),
    /// An answer in a structure that cannot be read, mostly because the log cut it. It may be judged as text.
    Broken(String),
}

impl Turn {
    /// How many bytes of a transcript come before it; it shares them until it is a row.
    pub fn bytes_before(&self) -> usize {
        match &self.before {
            Before::Messages(_) => 0,
            Before::Transcript(step) => step.history.length(step.elements.start),
        }
    }

    /// The id of the transcript that it is a turn of, where there is one, and what tells it apart.
    pub fn print(&self) -> Option<(Option<&str>, &Print)> {
        match &self.before {
            Before::Messages(_) => None,
            Before::Transcript(step) => Some((step.place.transcript_id.as_deref(), &step.print)),
        }
    }

    /// The place in a transcript, where it is the turn of one.
    pub fn place(&self) -> Option<&Place> {
        match &self.before {
            Before::Messages(_) => None,
            Before::Transcript(step) => Some(&step.place),
        }
    }

    /// Says that its transcript is the `number`th of several that differ and have one id. All but the first are named anew.
    pub fn number(&mut self, number: usize) {
        self.flags.push(Flag::RepeatedTranscriptId);
        let Before::Transcript(Step { place, .. }) = &mut self.before else { return };
        let Some(id) = place.transcript_id.take() else { return };
        let name: Arc<str> = if number < 2 { Arc::clone(&id) } else { format!("{id}~{number}").into() };
        if let Some(source_id) = &mut self.origin.source_id
            && let Some(turn) = source_id.strip_prefix(&*id)
        {
            *source_id = format!("{name}{turn}");
        }
        place.transcript_id = Some(name);
    }

    /// A turn that answers `messages` with the message, response, parts or text `output`.
    pub(super) fn answering(messages: Vec<Json>, output: Json) -> Turn {
        Turn {
            before: Before::Messages(messages),
            output: Output::Message(output),
            ending: None,
            tools: Cell::Missing,
            origin: Origin::default(),
            flags: Vec::new(),
            dialect: None,
        }
    }

    /// The same as the only thing in its record.
    pub(super) fn alone(self) -> Entries {
        one(Entry::Turn(Box::new(self)))
    }
}
