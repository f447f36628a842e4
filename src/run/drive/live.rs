//! Tells each step of an episode as it happens, in the log of the run: calls with their arguments, results, answers.

use tracing::{Level, enabled, info};

use super::own::Fault;
use super::plan::DrivePlan;
use super::replay::read_out;
use crate::domain::{Arguments, Json, Message, Role};
use crate::drive::{Ended, Episode, Script};
use crate::report::plain_within;

/// Columns of what was said that a line shows. Chosen: arguments of usual calls are seen whole.
const SHOWN: usize = 200;

/// What was told of an episode.
#[derive(Debug)]
pub(super) struct Live {
    /// The episode's name.
    name: String,
    /// How many messages were.
    told: usize,
}

/// The names of an agent's episodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// Those of the cases.
    cases: Vec<String>,
    /// What tells agents apart.
    agent: String,
}

impl Names {
    pub(super) fn new(plan: &DrivePlan, agent: &str) -> Names {
        let stages = plan.stages.iter().enumerate();
        let cases = stages.map(|(at, stage)| plan.case_name(plan.suite(at), &stage.case.id)).collect();
        Names { cases, agent: if plan.agents.len() > 1 { format!("@{agent}") } else { String::new() } }
    }

    /// The name of the `repeat`-th episode of the `case`-th case, counted from 0.
    pub(super) fn of(&self, case: usize, repeat: u32) -> String {
        let name = self.cases.get(case).map_or("", String::as_str);
        format!("{name}#{repeat}{}", self.agent)
    }
}

impl Live {
    pub(super) fn new(name: impl Into<String>, episode: &Episode) -> Live {
        Live { name: name.into(), told: episode.messages().len() }
    }

    /// Tells what is new, and how the episode ended if it did.
    pub(super) fn tell(&mut self, episode: &Episode) {
        if !enabled!(Level::INFO) {
            return;
        }
        // What the user says next it has not been told yet.
        let is_ahead = |message: &&Message| message.role == Role::User;
        let ahead = episode.messages().iter().rev().take_while(is_ahead).count();
        let now = (episode.messages().len() - ahead).max(self.told);
        let new = episode.messages()[self.told..now].iter();
        new.flat_map(|message| lines(episode, message)).for_each(|line| self.say(&line));
        self.told = now;
        if let Some(ended) = episode.ended().filter(|ended| *ended != Ended::Finished) {
            self.say(&ending(ended, episode.why().unwrap_or(ended.in_words())));
        }
    }

    /// Tells why it ended, where nothing that was said ended it.
    pub(super) fn failed(&self, fault: &Fault) {
        self.say(&ending(fault.ended, &fault.why));
    }

    fn say(&self, line: &str) {
        info!("{} {}", plain_within(&self.name, SHOWN), plain_within(line, SHOWN));
    }
}

/// Tells what the agent of this name does, whose replies are written down, if anybody listens.
pub(super) fn tell_script(plan: &DrivePlan, script: &Script, agent: &str) {
    if !enabled!(Level::INFO) {
        return;
    }
    let names = Names::new(plan, agent);
    for (at, stage) in plan.stages.iter().enumerate() {
        for repeat in 1..=plan.repeats() {
            let mut episode = Episode::new(stage, plan.settings.follows);
            let mut live = Live::new(names.of(at, repeat), &episode);
            read_out(script, &mut episode, repeat, |episode| live.tell(episode));
        }
    }
}

fn ending(ended: Ended, why: &str) -> String {
    format!("ended as {}: {why}", ended.as_str())
}

/// What a message says, a line for each thing.
fn lines(episode: &Episode, message: &Message) -> Vec<String> {
    let said = message.content.as_str();
    match message.role {
        Role::Assistant if message.tool_calls.is_empty() => vec![format!("answers {said}")],
        Role::Assistant => {
            let words = Some(format!("says {said}")).filter(|_| !said.trim().is_empty());
            let calls = message.tool_calls.iter().map(|call| {
                let arguments = match &call.arguments {
                    Arguments::Parsed(arguments) => Json::Object(arguments.clone()).to_string(),
                    Arguments::Malformed(text) => text.clone(),
                };
                format!("calls {} {arguments}", call.name)
            });
            words.into_iter().chain(calls).collect()
        }
        Role::Tool => {
            let id = message.tool_call_id.as_deref();
            let called = episode.calls().find(|call| call.id.as_deref() == id);
            let what = if message.is_error { "returns an error" } else { "returns" };
            vec![format!("{} {what} {said}", called.map_or("a tool", |call| call.name.as_str()))]
        }
        Role::User | Role::System => vec![format!("is told {said}")],
    }
}
