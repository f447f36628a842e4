//! Turns reviewed turns of a log into the cases of a suite file: what was right must stay right, and what was wrong must not come
//! back.
//!
//! ```text
//! LoggedTurn … ─ FromLog::add ─▶ a case each (turns), or one for each conversation (episodes) ─ FromLog::finish ─▶ JSON lines
//! ```
//!
//! Every case is parsed by the reader of suite files before it is kept. Cases that this reader refuses, or reads differently from
//! the log, are left out and counted: a suite that fails because of itself says nothing about an agent.

mod chains;
mod draft;
mod episode;
mod expectation;
mod ignore;
mod left_out;
mod pieces;
mod redact;
mod turn;

use std::collections::BTreeSet;

use crate::domain::{Calls, Definitions, Sample, ToolCall};
use draft::Draft;

pub use draft::LoggedSuite;
pub use ignore::{BadPointer, Ignored};
pub use left_out::{LeftOut, LeftOutCount};
pub use redact::{BadPattern, Redaction};

/// What a case is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CaseMode {
    /// One turn: the agent is asked for the one reply that was reviewed, and nothing is executed.
    #[default]
    Turn,
    /// One conversation: the agent plays all of it, and recorded results answer its calls.
    Episode,
}

/// What of the reviewed calls is expected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExpectedParts {
    /// The tools only.
    Names,
    /// The tools and their arguments.
    #[default]
    Arguments,
    /// Nothing: only wrong calls count, which must not be repeated, and the answer of an episode.
    Nothing,
}

/// How cases are made.
#[derive(Debug, Clone, Default)]
pub struct FromLogOptions {
    /// What a case is made of.
    pub mode: CaseMode,
    /// What of the reviewed calls is expected.
    pub expect: ExpectedParts,
    /// Arguments that differ from run to run.
    pub ignored: Ignored,
    /// Texts that must not be written.
    pub redaction: Redaction,
}

/// What the review says of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Review {
    /// There is no review at all: the log counts as right.
    Unlabelled,
    /// The calls are right; so is calling nothing, where nothing was called.
    Correct,
    /// The calls are wrong.
    Incorrect {
        /// What should have been called, if somebody has said so.
        corrected: Option<Calls>,
        /// Which of the calls are wrong, in order, where each was reviewed by itself.
        wrong: Option<Vec<bool>>,
    },
    /// This row was not reviewed, though others were.
    Missing,
    /// The label says neither.
    Unclear,
}

/// A turn of a log, with its review.
#[derive(Debug, Clone)]
pub struct LoggedTurn {
    /// The turn.
    pub sample: Sample,
    /// What is said of it.
    pub review: Review,
    /// Its id in the log.
    pub id: Option<String>,
    /// The conversation that it belongs to: the id of a transcript, a session or a trace.
    pub group: Option<String>,
    /// Which turn of that conversation it is.
    pub turn: Option<u64>,
}

impl LoggedTurn {
    /// The id of its case, where the log has one.
    fn case_id(&self) -> Option<String> {
        let of_place = || match (&self.group, self.turn) {
            (Some(group), Some(turn)) => Some(format!("{group}@{turn}")),
            _ => None,
        };
        self.id.clone().or_else(of_place)
    }

    /// The calls of the turn.
    fn calls(&self) -> Result<&[ToolCall], LeftOut> {
        match &self.sample.calls {
            Calls::Parsed(calls) => Ok(calls),
            Calls::Unparsed => Err(LeftOut::UnreadableCall),
        }
    }
}

/// Makes a suite of logged turns.
#[derive(Debug)]
pub struct FromLog {
    options: FromLogOptions,
    draft: Draft,
    /// Conversations are put together at the end: their turns may come in any order. Where something is hidden, all of the log is seen
    /// first: what stands for a number must be none of it.
    waiting: Vec<LoggedTurn>,
    /// Of the arguments to ignore, those that are in the log.
    ignored: BTreeSet<usize>,
}

impl FromLog {
    /// A suite without cases.
    pub fn new(options: FromLogOptions) -> FromLog {
        FromLog { draft: Draft::new(options.mode), options, waiting: Vec::new(), ignored: BTreeSet::new() }
    }

    /// Adds a turn.
    pub fn add(&mut self, logged: LoggedTurn) {
        self.meet_ignored(&logged);
        if self.options.redaction.hides_some() {
            self.options.redaction.spare(&format!("{logged:?}"));
            return self.waiting.push(logged);
        }
        match self.options.mode {
            CaseMode::Turn => self.add_turn(&logged),
            CaseMode::Episode => self.waiting.push(logged),
        }
    }

    /// Remembers which of the arguments to ignore a turn has.
    fn meet_ignored(&mut self, logged: &LoggedTurn) {
        let ignored = &self.options.ignored;
        if ignored.is_empty() {
            return;
        }
        let own = logged.calls().unwrap_or_default();
        let corrected = match &logged.review {
            Review::Incorrect { corrected: Some(Calls::Parsed(calls)), .. } => &calls[..],
            _ => &[],
        };
        let earlier = logged.sample.messages.iter().flat_map(|message| &message.tool_calls);
        for arguments in own.iter().chain(corrected).chain(earlier).filter_map(ToolCall::parsed) {
            ignored.add_met(arguments, &mut self.ignored);
        }
        if let Definitions::Known(tools) = &logged.sample.definitions {
            for tool in tools.iter() {
                ignored.add_declared(&tool.parameters, &mut self.ignored);
            }
        }
    }

    fn add_turn(&mut self, logged: &LoggedTurn) {
        let id = logged.case_id().map(|id| self.options.redaction.text(&id));
        let case = turn::case(logged, &self.options);
        self.draft.add(id, case);
    }

    /// Counts a row that no turn can be read from, and says why.
    pub fn add_unreadable(&mut self, why: &str) {
        self.draft.leave_out(LeftOut::UnreadableRow, why);
    }

    /// The suite's text; none once `stopped` says so, which is asked before each turn or conversation that waits.
    pub fn finish(mut self, name: &str, stopped: &dyn Fn() -> bool) -> Option<LoggedSuite> {
        let waiting = std::mem::take(&mut self.waiting);
        if self.options.mode == CaseMode::Turn {
            for logged in &waiting {
                if stopped() {
                    return None;
                }
                self.add_turn(logged);
            }
            return Some(self.finished(name));
        }
        for chain in chains::of(&waiting) {
            if stopped() {
                return None;
            }
            let logged = chain.last();
            let id = logged.group.clone().or_else(|| logged.id.clone());
            let case = episode::case(&chain, &self.options);
            self.draft.add(id.map(|id| self.options.redaction.text(&id)), case);
        }
        Some(self.finished(name))
    }

    fn finished(self, name: &str) -> LoggedSuite {
        let FromLog { options, draft, ignored, .. } = self;
        let suite = draft.finish(name, &options.redaction);
        let idle_pointers = options.ignored.idle(&ignored);
        LoggedSuite { idle_patterns: options.redaction.idle(), idle_pointers, ..suite }
    }
}
