//! The peers of the trajectory scorer, and which settings each has.

use super::arguments::ArgumentMode;
use super::options::{Metric, Options};
use crate::domain::Json;
use crate::score::{SettingError, setting};

pub(super) const PEERS: &[&str] = &["langchain", "agentevals", "ragas", "adk", "azure"];

/// Whose exact numbers are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    LangChain,
    AgentEvals,
    Ragas,
    Adk,
    Azure,
}

impl Peer {
    pub(super) fn named(name: &str) -> Result<Peer, SettingError> {
        let peers = [Peer::LangChain, Peer::AgentEvals, Peer::Ragas, Peer::Adk, Peer::Azure];
        let named = PEERS.iter().zip(peers).find(|(known, _)| **known == name);
        named.map(|(_, peer)| peer).ok_or_else(|| setting::unknown_peer(name, PEERS))
    }
}

/// Refuses settings that would have no effect: a figure or a way of comparing arguments that a peer does not have.
pub(super) fn check(options: &Options, peer: Option<Peer>) -> Result<(), SettingError> {
    let allowed = match (peer, options.metric) {
        (None, Metric::ToolCallAccuracy) => {
            "a figure of ours; `tool_call_accuracy` is that of `--compat ragas`, and `--scorer tool_correctness --evaluate \
             input_parameters` gives credit for a part of the arguments"
        }
        (None, _) | (_, Metric::Match) => "",
        (Some(Peer::Ragas), Metric::F1 | Metric::ToolCallAccuracy) => "",
        (Some(Peer::Ragas), _) => "`tool_call_accuracy` or `tool_call_f1`",
        (Some(_), _) => "left out, since this peer has no such figure",
    };
    if !allowed.is_empty() {
        return Err(setting::wrong("metric", allowed, &Json::from(options.metric.as_str())));
    }
    let (modes, overrides): (&[ArgumentMode], bool) = match peer {
        None | Some(Peer::LangChain) => return Ok(()),
        Some(Peer::AgentEvals) => {
            let modes =
                &[ArgumentMode::Ignore, ArgumentMode::Exact, ArgumentMode::Subset, ArgumentMode::Superset];
            (modes, true)
        }
        Some(Peer::Adk) => (&[ArgumentMode::Ignore, ArgumentMode::Exact], false),
        Some(Peer::Ragas | Peer::Azure) => (&[], false),
    };
    match options.arguments.beyond(modes, overrides) {
        Some(key) => Err(SettingError::Unknown {
            key: key.to_owned(),
            known: "those of the peer, which compares arguments in its own way".to_owned(),
        }),
        None => Ok(()),
    }
}
