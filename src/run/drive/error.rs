//! Why agents cannot be driven.

use std::path::PathBuf;

/// What keeps a run of agents from beginning, or from going on.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum DriveError {
    /// A suite, script or other file that cannot be read.
    #[error("cannot read the {what} {}: {why}", path.display())]
    File { what: &'static str, path: PathBuf, why: String },
    /// A file with a mistake in it: `why` begins with the line, where it is known.
    #[error("{}:{why}", path.display())]
    Content { path: PathBuf, why: String },
    /// A case that cannot be driven.
    #[error("the case `{case}` of {suite}: {why}")]
    Case { suite: String, case: String, why: String },
    /// No agent was named.
    #[error(
        "no agent is named: add --agent PROVIDER:MODEL, or --agent script:FILE to try the suite without a model"
    )]
    NoAgent,
    /// One agent named twice.
    #[error("--agent {0} is given twice; to drive it several times use --repeats")]
    SameAgent(String),
    /// Two agents whose replies the store cannot tell apart.
    #[error(
        "{a} and {b} ask the same model at the same address with the same parameters, so that one would be given the other's replies \
         (headers and queries that are credentials do not tell them apart): drive them in two runs, each with a --store of its own"
    )]
    SameIdentity { a: String, b: String },
    /// A filter that leaves nothing.
    #[error("{flag} {value}: there is no such {what}{near}")]
    NothingChosen { flag: &'static str, value: String, what: &'static str, near: String },
    /// Filters that each leave something, and together nothing.
    #[error("no case is left to drive by {0}")]
    NoCaseLeft(String),
    /// Two suites of one name.
    #[error("two suites are named `{0}`: give one of them another `name`")]
    SameSuite(String),
    /// A peer's loop with cases of another kind.
    #[error("--compat {peer} follows the loop of {what}: it does not fit {suite}")]
    OtherLoop { peer: &'static str, what: &'static str, suite: String },
    /// A peer's loop with an agent that has one of its own.
    #[error(
        "--compat {peer} follows a loop around a model, and {agent} has a loop of its own: leave out --compat"
    )]
    OwnLoop { peer: &'static str, agent: String },
    /// An agent of the user's own that cannot be reached so.
    #[error("--agent {name}: {why}")]
    Agent { name: String, why: String },
    /// Files of the agent's code that are not there.
    #[error("--agent-files {pattern}: {why}")]
    AgentFiles { pattern: String, why: String },
    /// A scorer that cannot score the episodes.
    #[error("--scorer: {0}")]
    Scorer(String),
    /// A setting of the scorer that was demanded and has no effect: what is missing, or in the way.
    #[error("--set {setting}: it has no effect {missing}")]
    NoEffect { setting: &'static str, missing: &'static str },
    /// A grader that is no judge of answers.
    #[error("--grade: {0}")]
    Grade(String),
    /// A file of earlier episodes that cannot be compared with.
    #[error("--baseline {}: {why}", path.display())]
    Baseline { path: PathBuf, why: String },
    /// A history that no run can be added to.
    #[error("--history {}: {why}", path.display())]
    History { path: PathBuf, why: String },
    /// A case of the script that no suite has.
    #[error("{}: no case has the id `{case}`{near}", path.display())]
    ScriptCase { path: PathBuf, case: String, near: String },
    /// A reply in the store that its provider's format no longer explains.
    #[error(
        "a stored reply of the agent cannot be read; ask anew with --fresh, or use another store with --store FILE"
    )]
    StoredTurn,
}
