//! Chooses the scorer.

use super::ScoringError;
use super::row::EXPECTED;
use crate::domain::Object;
use crate::score::{SCORERS, Scorer};

/// The scorer that is meant, where it or its peer is named, or else by the keys of the first case.
pub(super) fn scorer(
    named: Option<&str>,
    compat: Option<&str>,
    first_case: Option<&Object>,
) -> Result<&'static Scorer, ScoringError> {
    let all = || SCORERS.iter().map(|scorer| scorer.name).collect::<Vec<_>>().join(", ");
    let find = |is_meant: &dyn Fn(&Scorer) -> bool| SCORERS.iter().find(|scorer| is_meant(scorer));
    let scorer = match (named, compat, first_case) {
        (Some(name), ..) => find(&|scorer| scorer.name == name)
            .ok_or_else(|| ScoringError::NoScorer { name: name.to_owned(), all: all() })?,
        (None, Some(peer), _) => {
            let peers = || {
                let mut peers: Vec<&str> = Vec::new();
                for peer in SCORERS.iter().flat_map(|scorer| scorer.peers) {
                    if !peers.contains(peer) {
                        peers.push(peer);
                    }
                }
                peers.join(", ")
            };
            // A peer has several metrics, whose cases differ.
            let has = |scorer: &Scorer| scorer.peers.contains(&peer);
            let matches = |scorer: &Scorer| first_case.is_some_and(|case| (scorer.matches)(case));
            find(&|scorer| has(scorer) && matches(scorer))
                .or_else(|| find(&has))
                .ok_or_else(|| ScoringError::NoPeer { peer: peer.to_owned(), all: peers() })?
        }
        (None, None, Some(case)) => {
            let unknown = || ScoringError::UnknownCases { found: found(case), all: all() };
            find(&|scorer| (scorer.matches)(case)).ok_or_else(unknown)?
        }
        (None, None, None) => return Err(ScoringError::NoCases(all())),
    };
    match compat {
        Some(peer) if !scorer.peers.contains(&peer) => Err(ScoringError::NotThatPeer {
            scorer: scorer.name,
            peer: peer.to_owned(),
            peers: scorer.peers.join(", "),
        }),
        _ => Ok(scorer),
    }
}

/// Which of the columns that most scorers read a case has.
fn found(case: &Object) -> String {
    let has_calls = ["tool_call", "tool_calls"].iter().any(|key| case.contains_key(key));
    let columns = match (has_calls, case.contains_key(EXPECTED)) {
        (true, true) => {
            return "several scorers read calls with expected ones, and `tool_call` is the usual one"
                .to_owned();
        }
        (true, false) => "column `expected_tool_calls` with the right calls",
        (false, true) => "column `tool_call` with the calls",
        (false, false) => "column `tool_call` with the calls, nor `expected_tool_calls` with the right ones",
    };
    format!("there is no {columns} (--column names others)")
}
