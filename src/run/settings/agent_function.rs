//! An agent that is a function in this process, such as a user's own in Python: it gets a case, calls its tools, and answers.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// An agent that is a function.
#[derive(Clone)]
pub struct AgentFunction {
    /// Its name in the column `agent`.
    pub name: String,
    /// Takes a conversation and returns at once; the agent answers in it later, from any thread.
    pub begin: Arc<dyn Fn(Conversation) + Send + Sync>,
}

impl fmt::Debug for AgentFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentFunction").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The agent's side of the conversation of one episode. If it is dropped before the answer, the agent counts as failed.
#[derive(Debug)]
pub struct Conversation {
    case: String,
    says: UnboundedSender<Speech>,
    hears: Mutex<Receiver<String>>,
}

/// A message from the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::run) enum Speech {
    /// An object of the protocol.
    Said(String),
    /// It failed: the reason, and details such as a traceback.
    Failed { why: String, log: String },
    /// The case could not begin, for a reason outside of the agent.
    NotBegun(String),
}

/// The other side.
#[derive(Debug)]
pub(in crate::run) struct Line {
    pub speech: UnboundedReceiver<Speech>,
    pub news: Sender<String>,
}

impl Conversation {
    /// Both sides of a conversation about a `case`.
    pub(in crate::run) fn new(case: String) -> (Conversation, Line) {
        let (says, speech) = unbounded_channel();
        let (news, hears) = channel();
        (Conversation { case, says, hears: Mutex::new(hears) }, Line { speech, news })
    }

    /// The object `case`, as a program receives it.
    pub fn case(&self) -> &str {
        &self.case
    }

    /// Sends an object of the protocol (`call`, `calls` or `answer`), and waits for the response: a list of the objects that a
    /// program would receive. `None` if the case is over: then nothing counts any more. Threads are served one at a time.
    pub fn say(&self, object: String) -> Option<String> {
        // Before it speaks, so that each thread hears what it asked for.
        let hears = self.hears.lock().unwrap_or_else(PoisonError::into_inner);
        self.says.send(Speech::Said(object)).ok()?;
        hears.recv().ok()
    }

    /// Ends the case with a fault of the agent: the reason, and details such as a traceback.
    pub fn fail(&self, why: String, log: String) {
        // Nobody listens where the case is over.
        let _ = self.says.send(Speech::Failed { why, log });
    }

    /// Ends the case before it began, for a reason outside of the agent.
    pub fn cancel(&self, why: String) {
        let _ = self.says.send(Speech::NotBegun(why));
    }

    /// Whether the case is over, for example because its time is up.
    pub fn is_over(&self) -> bool {
        self.says.is_closed()
    }
}
