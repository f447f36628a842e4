//! An agent that is a function in this process: objects are exchanged between threads.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use secrecy::SecretString;

use super::log_tail::{cut, one_line};
use super::running::LONGEST;
use super::{Farewell, Fault, OwnAgent, Talk};
use crate::domain::Json;
use crate::drive::{Episode, Heard, protocol};
use crate::judge::Redactor;
use crate::run::settings::{AgentFunction, Conversation, Line, Speech};

pub(super) struct FunctionAgent(Arc<Shared>);

struct Shared {
    function: AgentFunction,
    redactor: Redactor,
}

struct FunctionTalk {
    shared: Arc<Shared>,
    id: String,
    line: Option<Line>,
    /// How many messages it has been told.
    told: usize,
    log: Option<String>,
}

impl FunctionAgent {
    pub(super) fn new(function: AgentFunction, secrets: &[SecretString]) -> FunctionAgent {
        FunctionAgent(Arc::new(Shared { function, redactor: Redactor::of(secrets) }))
    }
}

impl OwnAgent for FunctionAgent {
    fn talk(&self, id: &str) -> Box<dyn Talk> {
        let shared = Arc::clone(&self.0);
        Box::new(FunctionTalk { shared, id: id.to_owned(), line: None, told: 0, log: None })
    }

    fn late(&self, timeout: Duration) -> Fault {
        // Who gives a function knows no command line.
        Fault::late(timeout, "agent_timeout")
    }

    fn finish(&self, _at_once: bool) -> BoxFuture<'_, ()> {
        async {}.boxed()
    }
}

impl Shared {
    fn masked(&self, text: String) -> String {
        String::from_utf8_lossy(&self.redactor.mask_line(text.into_bytes())).into_owned()
    }
}

impl Talk for FunctionTalk {
    fn reply<'a>(&'a mut self, episode: &'a Episode) -> BoxFuture<'a, Result<Heard, Fault>> {
        async move {
            self.tell(episode);
            let speech = match self.line.as_mut() {
                Some(line) => line.speech.recv().await,
                None => None,
            };
            match speech {
                Some(Speech::Said(text)) if text.len() > LONGEST => {
                    Err(Fault::protocol(format!("it said more than {} MB at once", LONGEST >> 20)))
                }
                Some(Speech::Said(text)) => {
                    let said = protocol::read(&self.shared.masked(text), episode);
                    said.map(|said| said.heard).map_err(Fault::protocol)
                }
                Some(Speech::Failed { why, log }) => {
                    let bytes = self.shared.redactor.apply(log.into_bytes());
                    self.log = Some(cut(String::from_utf8_lossy(&bytes).into_owned()));
                    Err(Fault::agent(one_line(&self.shared.masked(why))))
                }
                Some(Speech::NotBegun(why)) => Err(Fault::unclear(one_line(&self.shared.masked(why)))),
                None => Err(Fault::agent("the function ended without an answer")),
            }
        }
        .boxed()
    }

    fn end(self: Box<Self>, _answered: bool) -> BoxFuture<'static, Farewell> {
        // Its line goes with it: nothing that the function says counts from now on.
        let log = self.log.filter(|log| !log.trim().is_empty());
        async { Farewell { log, ..Farewell::default() } }.boxed()
    }
}

impl FunctionTalk {
    /// Tells the function what is new: first the case.
    fn tell(&mut self, episode: &Episode) {
        match &self.line {
            None => {
                let case = Json::Object(protocol::case(&self.id, episode)).to_string();
                let (conversation, line) = Conversation::new(case);
                self.line = Some(line);
                (self.shared.function.begin)(conversation);
            }
            Some(line) => {
                let news = protocol::news(episode, self.told).map(Json::Object).collect();
                // Where nobody hears it any more, nothing will be said either.
                let _ = line.news.send(Json::Array(news).to_string());
            }
        }
        self.told = episode.messages().len();
    }
}
