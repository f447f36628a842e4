//! A transcript to its turns: a list of messages, calls and results in order, each turn of the assistant's seen with what came
//! before it.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::context::{Context, Turns};
use super::entry::{Entries, Entry, Skip, Tally, skipped, unreadable};
use super::sample::Made;
use super::turn::{Before, Output, Print, Step, Turn};
pub(super) use crate::domain::Episode;
use crate::domain::{Cell, Flag, Json, Origin, Place, ToolDefinition};
use crate::normalize::Normalizer;
use crate::normalize::question::History;

/// What a record holds of a whole conversation.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) id: Option<String>,
    /// Messages, calls and results in any vendor's form.
    pub(super) elements: Vec<Json>,
    /// How many of the elements, from the first, are the beginning that it shares with another transcript: turns there are that
    /// one's, and here only what came before.
    pub(super) shared: usize,
    /// Whether that other transcript is not in the input, so that its calls are counted here.
    pub(super) copied: bool,
    /// Whether sessions of its kind are copied into others, from the beginning on, where they are resumed or forked.
    pub(super) resumable: bool,
    /// The element from which turns are taken; what is before it was not said by the agent that is judged.
    pub(super) first: usize,
    /// The tools on offer in all of its turns.
    pub(super) tools: Cell,
    /// The model that answered in all of its turns.
    pub(super) model: Option<String>,
    /// What became of the whole, where it was an episode of a benchmark.
    pub(super) episode: Episode,
    /// Calls in it that are nobody's to judge: why, and how many together.
    pub(super) not_taken: Vec<(Skip, usize)>,
    pub(super) flags: Vec<Flag>,
    pub(super) dialect: Option<&'static str>,
}

impl Transcript {
    /// The turns that are to be judged, and what is to be said of the others.
    pub(super) fn entries(self, context: &Context) -> Entries {
        self.turns(context.turns, context.normalizer)
    }

    /// The same, for readers that give out one transcript after another.
    pub(super) fn turns(self, wanted: Turns, normalizer: &Normalizer) -> Entries {
        let history = match History::read(&self.elements) {
            Ok(history) => Arc::new(history),
            Err(error) => return unreadable(error),
        };
        let turns = history.turns(&self.elements);
        let known = normalizer.definitions(&self.tools);
        let made: Vec<Made> = turns.iter().map(|turn| self.made(turn, normalizer, &known)).collect();
        let before = turns.iter().take_while(|turn| turn.start < self.shared).count();
        let total = turns.len();
        let elsewhere = if self.copied { 0 } else { before };
        let others: usize = self.not_taken.iter().map(|(_, calls)| calls).sum();
        let calls = |made: &[Made]| made.iter().map(|made| made.calls()).sum::<usize>();
        let asked = turns.iter().take_while(|turn| turn.end <= self.first).count();
        let calls_something = made[before.max(asked)..].iter().any(|made| *made != Made::Calls(0));
        let is_episode = !self.episode.is_empty();
        let tally = Tally { turns: total - elsewhere, calls: calls(&made[elsewhere..]) + others, is_episode };
        if tally.turns == 0 {
            return skipped(Skip::NoOutput);
        }
        let last = total - 1;
        let prints = prints(&self.elements);
        let (resumable, whole) = (self.resumable, prints.last().copied().unwrap_or_default());
        let Transcript { id, mut elements, tools, model, episode, not_taken, flags, dialect, .. } = self;
        let episode = (!episode.is_empty()).then(|| Arc::new(episode));
        let id: Option<Arc<str>> = id.map(Arc::from);
        let entry = move |(at, (range, made)): (usize, (Range<usize>, Made))| {
            let says_only = made == Made::Calls(0);
            let why = match wanted {
                _ if at < before => Some(Skip::Repeated),
                _ if at < asked => Some(Skip::BeforeResponse),
                Turns::Calls if says_only && (calls_something || at < last) => Some(Skip::TextTurn),
                Turns::Last if at < last => Some(Skip::EarlierTurn),
                Turns::All if says_only && !history.is_asked(range.start) => Some(Skip::NothingAsked),
                _ => None,
            };
            if let Some(why) = why {
                return Entry::NotTaken(why, made.calls());
            }
            let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
            let turns = u32::try_from(total).unwrap_or(u32::MAX);
            let source_id = id.as_ref().map(|id| match total {
                1 => id.to_string(),
                _ => format!("{id}@{number}"),
            });
            let mut answer =
                elements[range.clone()].iter_mut().map(|element| std::mem::replace(element, Json::Null));
            let output = match (answer.next(), answer.len()) {
                (Some(only), 0) => only,
                (first, _) => Json::Array(first.into_iter().chain(answer).collect()),
            };
            let mut flags = flags.clone();
            if history.lacks_results(&range) {
                flags.push(Flag::MissingResult);
            }
            if history.repeats_ids(&range) {
                flags.push(Flag::RepeatedCallId);
            }
            let copied =
                prints.get(range.end).copied().filter(|_| resumable && history.is_known_by_ids(&range));
            let print = Print { transcript: whole, copied, calls: made.calls() };
            let place = Place { transcript_id: id.clone(), turn: number, turns, episode: episode.clone() };
            Entry::Turn(Box::new(Turn {
                before: Before::Transcript(Step {
                    history: Arc::clone(&history),
                    elements: range,
                    place,
                    print,
                }),
                output: Output::Message(output),
                tools: tools.clone(),
                origin: Origin { source_id, model: model.clone(), ..Origin::default() },
                flags,
                dialect,
            }))
        };
        let turns = turns.into_iter().zip(made).enumerate().skip(elsewhere).map(entry);
        let others = not_taken.into_iter().map(|(why, calls)| Entry::NotTaken(why, calls));
        Box::new(std::iter::once(Entry::Transcript(tally)).chain(turns).chain(others))
    }

    /// What a turn calls, given the `tools` on offer.
    fn made(&self, turn: &Range<usize>, normalizer: &Normalizer, tools: &[ToolDefinition]) -> Made {
        match &self.elements[turn.clone()] {
            [only] => normalizer.calls_in(only, tools),
            several => normalizer.calls_in(&Json::Array(several.to_vec()), tools),
        }
    }
}

/// What stands for each beginning of a transcript, the empty one first.
fn prints(elements: &[Json]) -> Vec<u64> {
    struct Text(DefaultHasher);
    impl Write for Text {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.write(text.as_bytes());
            Ok(())
        }
    }
    let mut text = Text(DefaultHasher::new());
    let mut prints = vec![text.0.finish()];
    for element in elements {
        // A hasher fails never.
        let _ = writeln!(text, "{element}");
        prints.push(text.0.finish());
    }
    prints
}
