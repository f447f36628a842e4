//! The first requests of a run of agents, and their expected cost.

use std::cell::RefCell;
use std::collections::HashSet;

use super::plan::DrivePlan;
use super::replay::Replay;
use crate::drive::{Ended, Episode};
use crate::run::RunError;

/// What one agent would be asked. How many turns an episode takes is known once it is driven: the figures are of the next turn of each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DriveForecast {
    /// As the column `agent` names it.
    pub agent: String,
    /// Cases, times repeats.
    pub episodes: u64,
    /// Episodes that the replies in the store lead to their end.
    pub ended: u64,
    /// Replies in the store that are used.
    pub stored: u64,
    /// Next turns of the other episodes, equal ones once.
    pub asks: u64,
    /// Tokens of these turns' prompts, about: four bytes a token.
    pub prompt_tokens: u64,
    /// Tokens of their replies, about.
    pub completion_tokens: u64,
    /// What these turns cost, in US dollars; absent without a price.
    pub cost_usd: Option<f64>,
    /// The most turns that the episodes can take.
    pub most_turns: u64,
    /// The first of them, as JSON.
    pub dialogues: Vec<String>,
}

pub(super) fn forecasts(plan: &DrivePlan, shown: usize) -> Result<Vec<DriveForecast>, RunError> {
    let reader = plan.store.as_ref().map(|store| store.reader()).transpose()?;
    let (mut forecasts, met) = (Vec::new(), RefCell::default());
    for agent in &plan.agents {
        let replay = Replay {
            agent,
            reader: reader.as_ref(),
            run: &plan.run,
            version: &plan.version.name,
            fresh: plan.settings.store.fresh,
            follows: plan.settings.follows,
            lacking: Ended::NotAsked,
            met: &met,
            given: RefCell::default(),
        };
        let price = agent.model().and_then(|model| model.price());
        let mut forecast = DriveForecast {
            agent: agent.name.clone(),
            cost_usd: match (agent.model(), agent.own()) {
                (None, None) => Some(0.0),
                (_, Some(_)) => None,
                (Some(_), None) => price.map(|_| 0.0),
            },
            ..DriveForecast::default()
        };
        let mut seen = HashSet::new();
        for (case, stage) in plan.stages.iter().enumerate() {
            for repeat in 1..=plan.repeats() {
                forecast.episodes += 1;
                forecast.most_turns += u64::from(stage.case.bounds.max_steps);
                let played = replay.play(case, stage, repeat)?;
                forecast.stored += played.episode.turns().len() as u64;
                if played.episode.ended() != Some(Ended::NotAsked) {
                    forecast.ended += 1;
                    continue;
                }
                let dialogue = played.episode.dialogue();
                if forecast.dialogues.len() < shown {
                    forecast.dialogues.push(format!("{:#}", pretty(&played.episode)));
                }
                let Some(model) = agent.model() else {
                    forecast.asks += u64::from(agent.own().is_some());
                    continue;
                };
                if !seen.insert(super::agent::hasher(model, &plan.version.name).turn(dialogue, repeat - 1)) {
                    continue;
                }
                forecast.asks += 1;
                let usage = model.expected_turn_usage(dialogue).unwrap_or_default();
                forecast.prompt_tokens += usage.prompt_tokens.unwrap_or(0);
                forecast.completion_tokens += usage.completion_tokens.unwrap_or(0);
                forecast.cost_usd =
                    forecast.cost_usd.zip(price.and_then(|price| price.cost(&usage))).map(|(a, b)| a + b);
            }
        }
        forecasts.push(forecast);
    }
    Ok(forecasts)
}

fn pretty(episode: &Episode) -> serde_json::Value {
    serde_json::from_str(&episode.dialogue().to_json().to_string()).unwrap_or_default()
}
