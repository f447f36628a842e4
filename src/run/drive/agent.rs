//! The agents that are driven.

use std::sync::Arc;

use super::DriveError;
use super::own::Own;
use crate::domain::Reply;
use crate::drive::{Heard, Script};
use crate::judge::Remote;
use crate::store::AskHasher;

/// An agent, ready to be driven.
#[derive(Clone)]
pub(super) struct Agent {
    /// As the column `agent` names it.
    pub name: String,
    pub kind: AgentReady,
}

/// Which agent it is.
#[derive(Clone)]
pub(super) enum AgentReady {
    Model(Arc<Remote>),
    Script(Arc<Script>),
    Own(Arc<Own>),
}

impl Agent {
    /// The model, if it is one.
    pub(super) fn model(&self) -> Option<&Arc<Remote>> {
        match &self.kind {
            AgentReady::Model(model) => Some(model),
            AgentReady::Script(_) | AgentReady::Own(_) => None,
        }
    }

    /// The user's own agent, if it is one.
    pub(super) fn own(&self) -> Option<&Arc<Own>> {
        match &self.kind {
            AgentReady::Own(own) => Some(own),
            AgentReady::Model(_) | AgentReady::Script(_) => None,
        }
    }
}

/// Names the replies of a model of this version in the store.
pub(super) fn hasher(model: &Remote, version: &str) -> AskHasher {
    let identity = model.identity();
    AskHasher::new(&identity.stored_endpoint(), &identity.model, &identity.parameters).of_version(version)
}

/// A stored reply as an episode hears it.
pub(super) fn heard(model: &Remote, reply: &Reply) -> Result<Heard, DriveError> {
    let turn = model.turn(&reply.text).ok_or(DriveError::StoredTurn)?;
    Ok(Heard { message: Arc::from(reply.text.as_str()), stop: reply.stop, turn })
}
