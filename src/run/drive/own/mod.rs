//! Users' own agents, with their own loops: they get a case, call its tools, and answer.
//!
//! The trait [`OwnAgent`] separates how an agent is reached (a program, a server, a function in this process) from how its
//! episodes are driven. The loop that answers the calls records them: nothing depends on what an agent reports about itself.

mod function;
mod group;
mod log_tail;
mod pass;
mod program;
mod running;
mod server;
mod talk;

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::DriveError;
use crate::drive::{Ended, Episode, Heard};
use crate::run::RunError;
use crate::run::settings::{OwnKind, OwnSettings, SettingsError};
use function::FunctionAgent;
use program::ProgramAgent;
use server::ServerAgent;

pub(super) use pass::{OwnPass, drive_own};
use talk::OwnEpisodes;

/// An agent with a loop of its own.
pub(super) trait OwnAgent: Send + Sync {
    /// A conversation in the episode of this `id`. Nothing is started before it is to reply.
    fn talk(&self, id: &str) -> Box<dyn Talk>;

    /// What is said of an episode that took longer than the agent's time.
    fn late(&self, timeout: Duration) -> Fault {
        Fault::late(timeout, "--agent-timeout")
    }

    /// Lets go of what is kept for further conversations; `at_once` gives it no time.
    fn finish(&self, at_once: bool) -> BoxFuture<'_, ()>;
}

/// A conversation of one episode.
pub(super) trait Talk: Send {
    /// What the agent says next, when it has been told what is new in `episode`. Dropped, it need not be waited for.
    fn reply<'a>(&'a mut self, episode: &'a Episode) -> BoxFuture<'a, Result<Heard, Fault>>;

    /// What it did wrong between an answer and the user's next message, of which it has not been told: there it says nothing.
    fn unasked(&mut self) -> BoxFuture<'_, Option<Fault>> {
        async { None }.boxed()
    }

    /// Ends it. `answered` says whether the agent has come to its answer; else it is in the midst of something.
    fn end(self: Box<Self>, answered: bool) -> BoxFuture<'static, Farewell>;
}

/// Why an episode ends without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub ended: Ended,
    pub why: String,
}

impl Fault {
    fn protocol(why: impl Into<String>) -> Fault {
        Fault { ended: Ended::ProtocolError, why: why.into() }
    }

    fn agent(why: impl Into<String>) -> Fault {
        Fault { ended: Ended::AgentError, why: why.into() }
    }

    /// Nobody can tell whether it is the agent's.
    fn unclear(why: impl Into<String>) -> Fault {
        Fault { ended: Ended::Errored, why: why.into() }
    }

    /// `option` is what the time is set by.
    fn late(timeout: Duration, option: &str) -> Fault {
        let why = format!("no answer within {} s ({option})", timeout.as_secs_f64());
        Fault { ended: Ended::TimedOut, why }
    }
}

/// What is left of a conversation at its end.
#[derive(Debug, Default)]
pub(super) struct Farewell {
    /// The end of what the agent wrote on standard error, or the traceback of a function.
    pub log: Option<String>,
    /// What the log says last, where the fault does not say it already.
    pub last_words: Option<String>,
    /// What it did after its answer.
    pub fault: Option<Fault>,
}

/// An agent of the user's own, ready to be driven, and its episodes.
pub(super) struct Own {
    pub agent: Box<dyn OwnAgent>,
    /// What its episodes are kept under.
    pub identity: String,
    pub at_once: usize,
    pub timeout: Duration,
    pub episodes: OwnEpisodes,
}

impl Own {
    /// The agent that `settings` describe. Nothing is started or sent.
    ///
    /// # Errors
    /// If a server's address is none, or would be reached unencrypted on another host.
    pub(super) fn new(name: &str, settings: &OwnSettings) -> Result<Arc<Own>, RunError> {
        let OwnSettings { kind, at_once, timeout, secrets } = settings;
        let at_once = at_once.get() as usize;
        let (agent, identity): (Box<dyn OwnAgent>, String) = match kind {
            OwnKind::Program { command, keep } => {
                (Box::new(ProgramAgent::new(command, *keep, secrets)), format!("exec:{command}"))
            }
            OwnKind::Server { url, allow_http } => {
                let unusable = |why: crate::judge::SetupError| DriveError::Agent {
                    name: name.to_owned(),
                    why: why.to_string(),
                };
                let server = ServerAgent::new(url, *timeout, secrets).map_err(unusable)?;
                if server.is_exposed() && !allow_http {
                    return Err(SettingsError::Exposed(server.public_url()).into());
                }
                let identity = server.identity();
                (Box::new(server), identity)
            }
            OwnKind::Function(function) => {
                let agent = FunctionAgent::new(function.clone(), secrets);
                (Box::new(agent), format!("function:{}", function.name))
            }
        };
        Ok(Arc::new(Own { agent, identity, at_once, timeout: *timeout, episodes: OwnEpisodes::default() }))
    }
}
