//! An agent behind an address: each request holds the case and its history, each response calls or an answer.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use secrecy::SecretString;

use super::{Farewell, Fault, OwnAgent, Talk};
use crate::drive::{Episode, Heard, protocol};
use crate::judge::{AgentServer, AgentServerError, Redactor, SetupError};

/// What the client's own limit on time adds to the agent's, which is to come first.
const SLACK: Duration = Duration::from_secs(5);

pub(super) struct ServerAgent(Arc<Server>);

struct Server {
    server: AgentServer,
    redactor: Redactor,
}

struct ServerTalk {
    server: Arc<Server>,
    id: String,
}

impl ServerAgent {
    pub(super) fn new(
        url: &str,
        timeout: Duration,
        secrets: &[SecretString],
    ) -> Result<ServerAgent, SetupError> {
        let server = AgentServer::new(url, timeout + SLACK)?;
        Ok(ServerAgent(Arc::new(Server { server, redactor: Redactor::of(secrets) })))
    }

    pub(super) fn public_url(&self) -> String {
        self.0.server.public_url()
    }

    /// What its episodes are kept under: what stands beside the place may choose another agent there, and may be a password.
    pub(super) fn identity(&self) -> String {
        format!("{} {}", self.0.server.public_url(), self.0.server.hidden_part())
    }

    pub(super) fn is_exposed(&self) -> bool {
        self.0.server.is_exposed()
    }
}

impl OwnAgent for ServerAgent {
    fn talk(&self, id: &str) -> Box<dyn Talk> {
        Box::new(ServerTalk { server: Arc::clone(&self.0), id: id.to_owned() })
    }

    fn finish(&self, _at_once: bool) -> BoxFuture<'_, ()> {
        async {}.boxed()
    }
}

impl Talk for ServerTalk {
    fn reply<'a>(&'a mut self, episode: &'a Episode) -> BoxFuture<'a, Result<Heard, Fault>> {
        let mut body = protocol::case(&self.id, episode);
        body.insert("history", protocol::history(episode));
        async move {
            let Server { server, redactor } = &*self.server;
            let masked =
                |text: String| String::from_utf8_lossy(&redactor.mask_line(text.into_bytes())).into_owned();
            let said = server.post(crate::domain::Json::Object(body).to_string()).await;
            let said = said.map(masked).map_err(|why| match why {
                AgentServerError::Unreachable(why) => Fault::unclear(masked(why)),
                AgentServerError::Failed(why) => Fault::agent(masked(why)),
                AgentServerError::Unreadable(why) => Fault::protocol(masked(why)),
            })?;
            let said = protocol::read(&said, episode).map_err(Fault::protocol)?;
            match said.case {
                Some(case) if case != self.id => Err(Fault::protocol(format!(
                    "it names the case `{}`, and was given `{}`",
                    protocol::excerpt(&case),
                    self.id
                ))),
                _ => Ok(said.heard),
            }
        }
        .boxed()
    }

    fn end(self: Box<Self>, _answered: bool) -> BoxFuture<'static, Farewell> {
        async { Farewell::default() }.boxed()
    }
}
