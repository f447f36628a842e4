//! What a record of a log holds.

use super::turn::Turn;
use crate::domain::{Object, RowError};

/// What a record holds, one after another.
pub type Entries = Box<dyn Iterator<Item = Entry> + Send>;

/// Something in a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A turn that can be judged.
    Turn(Box<Turn>),
    /// A transcript begins, whose turns follow.
    Transcript(Tally),
    /// Nothing to judge, and no mistake either.
    Skipped(Skip),
    /// A turn of a transcript that is not to be judged, with this many calls.
    NotTaken(Skip, usize),
    /// A turn should be here, but cannot be read.
    Unreadable(RowError),
    /// A part of something in another record.
    Fragment(Fragment),
}

/// What is in a transcript, judged or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Turns of the assistant's.
    pub turns: usize,
    /// Calls that it makes in them.
    pub calls: usize,
    /// Whether it is an episode of a benchmark.
    pub is_episode: bool,
}

/// Why there is nothing to judge in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Skip {
    /// A chain, a tool's work, a retrieval: no model answered.
    NotAnLlmRun,
    /// A model was asked, but no answer was logged.
    NoOutput,
    /// The record is there, but there is nothing in it.
    Empty,
    /// An agent's span repeats what its model calls say.
    AgentSpan,
    /// A model that grades the agent's work was asked, not the agent's own.
    Scorer,
    /// The assistant says something and calls nothing; its calls are judged in other turns.
    TextTurn,
    /// Not the last turn of its transcript, where only the last is wanted.
    EarlierTurn,
    /// A turn of the question's, which was given to the agent that is judged.
    BeforeResponse,
    /// The assistant speaks before anybody asked anything.
    NothingAsked,
    /// The customer of a simulation calls tools of its own.
    SimulatedUser,
    /// Bookkeeping of the tool that wrote the log: settings, summaries, what another record says too.
    NotAMessage,
    /// The same record again, as files that are copies of each other have it.
    Repeated,
}

impl Skip {
    /// As counts and the column `reason` spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Skip::NotAnLlmRun => "not_an_llm_run",
            Skip::NoOutput => "no_output",
            Skip::Empty => "empty",
            Skip::AgentSpan => "agent_span",
            Skip::Scorer => "scorer",
            Skip::TextTurn => "text_turn",
            Skip::EarlierTurn => "earlier_turn",
            Skip::BeforeResponse => "before_response",
            Skip::NothingAsked => "nothing_asked",
            Skip::SimulatedUser => "simulated_user",
            Skip::NotAMessage => "not_a_message",
            Skip::Repeated => "repeated",
        }
    }
}

/// A part of something that another record holds: a question, an event, the end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Fragment {
    /// What the other record asks for; begins with the format's name, so that formats do not meet.
    pub key: String,
    /// What the record holds of it.
    pub object: Object,
}

impl Fragment {
    /// The only key of a fragment that says no more than that its record is there.
    pub(super) const SIGN: &'static str = "contains";

    /// Whether it says no more than that its record is there.
    pub fn is_sign(&self) -> bool {
        Fragment::says_no_more(&self.object)
    }

    /// The same of what a fragment holds.
    pub(super) fn says_no_more(object: &Object) -> bool {
        object.len() == 1 && object.contains_key(Fragment::SIGN)
    }
}

pub(super) fn none() -> Entries {
    Box::new(std::iter::empty())
}

/// What several transcripts hold, one after another.
pub(super) fn chained(all: impl Iterator<Item = Entries>) -> Entries {
    Box::new(all.collect::<Vec<_>>().into_iter().flatten())
}

pub(super) fn one(entry: Entry) -> Entries {
    Box::new(std::iter::once(entry))
}

pub(super) fn skipped(why: Skip) -> Entries {
    one(Entry::Skipped(why))
}

pub(super) fn unreadable(error: RowError) -> Entries {
    one(Entry::Unreadable(error))
}
