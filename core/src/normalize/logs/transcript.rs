//! Splits a transcript into turns: a list of messages, calls and results in order, with each turn of the assistant in the context
//! of what came before it.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;

use super::context::{Context, Turns};
use super::entry::{Entries, Entry, Skip, Tally, skipped, unreadable};
use super::found_tools::Stages;
use super::sample::Made;
use super::turn::{Before, Output, Print, Step, Turn};
pub(super) use crate::domain::Episode;
use crate::domain::{Cell, Flag, Json, Origin, Place, ToolDefinition};
use crate::normalize::Normalizer;
use crate::normalize::question::{self, History};

/// What a record holds of a whole conversation.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) id: Option<String>,
    /// Messages, calls and results in any vendor's form.
    pub(super) elements: Vec<Json>,
    /// With which of them it begins that are not to be judged here.
    pub(super) opening: Opening,
    pub(super) copies: Copies,
    /// Whose conversation it is, by names that no other conversation has: another's is no copy, though it may say the same.
    pub(super) conversation: Vec<String>,
    /// The tools on offer in all of its turns.
    pub(super) tools: Cell,
    /// The model that answered in all of its turns.
    pub(super) model: Option<String>,
    /// When it was logged, where the record says no more than that.
    pub(super) timestamp: Option<Timestamp>,
    /// What became of the whole, where it was an episode of a benchmark.
    pub(super) episode: Episode,
    /// Calls in it that are nobody's to judge: why, and how many together.
    pub(super) not_taken: Vec<(Skip, usize)>,
    pub(super) flags: Vec<Flag>,
    /// Whether the log holds calls only, and no user's words.
    pub(super) is_unasked: bool,
    pub(super) dialect: Option<&'static str>,
}

/// How transcripts of a kind come to be in a log more than once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Copies {
    /// They do not, or nothing tells a copy from another transcript.
    #[default]
    Never,
    /// Where a session is resumed or forked, its beginning is copied with the ids of its calls, which no two sessions share.
    Forked,
    /// The whole conversation is logged again with every request. Frameworks may count the calls of each conversation from 0, so that
    /// two that differ anywhere are two.
    Again,
}

/// The elements at the beginning of a transcript that came before what is judged, and why.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Opening {
    /// Every turn may be judged.
    #[default]
    None,
    /// So many are another transcript's of the same input, where their turns are judged and counted.
    Elsewhere(usize),
    /// So many repeat what is judged in an earlier record, or is not in the input: their turns are counted here.
    Repeated(usize),
    /// So many were given to the agent that is judged, which said none of them.
    Given(usize),
}

impl Opening {
    fn holds(self, turn: &Range<usize>) -> bool {
        match self {
            Opening::None => false,
            Opening::Elsewhere(elements) | Opening::Repeated(elements) => turn.start < elements,
            Opening::Given(elements) => turn.end <= elements,
        }
    }

    fn why(self) -> Skip {
        match self {
            Opening::Given(_) => Skip::BeforeResponse,
            _ => Skip::Repeated,
        }
    }
}

impl Transcript {
    /// The turns that are to be judged, and what is to be said of the others.
    pub(super) fn entries(self, context: &Context) -> Entries {
        self.turns(context.turns, context.normalizer, context.source)
    }

    /// The same, for readers that give out one transcript after another.
    pub(super) fn turns(mut self, wanted: Turns, normalizer: &Normalizer, source: &str) -> Entries {
        if let Some(ordered) = question::in_order(&self.elements) {
            self.elements = ordered;
        }
        let history = match History::read(&self.elements) {
            Ok(history) => Arc::new(history),
            Err(error) => return unreadable(error),
        };
        let turns = history.turns(&self.elements);
        let offers = Stages::of(std::mem::take(&mut self.tools), self.elements.iter(), question::called);
        let known: Vec<_> = offers.all().map(|tools| normalizer.definitions(tools)).collect();
        let made = |turn: &Range<usize>| self.made(turn, normalizer, &known[offers.at(turn.end)]);
        let made: Vec<Made> = turns.iter().map(made).collect();
        let opening = turns.iter().take_while(|turn| self.opening.holds(turn)).count();
        let elsewhere = if matches!(self.opening, Opening::Elsewhere(_)) { opening } else { 0 };
        let not_taken = std::mem::take(&mut self.not_taken);
        let others: usize = not_taken.iter().map(|(_, calls)| calls).sum();
        let tally = Tally {
            turns: turns.len() - elsewhere,
            calls: made[elsewhere..].iter().map(|made| made.calls()).sum::<usize>() + others,
            is_episode: !self.episode.is_empty(),
        };
        if tally.turns == 0 {
            return skipped(Skip::NoOutput);
        }
        let calls_something = made[opening..].iter().any(|made| *made != Made::Calls(0));
        let last = turns.len() - 1;
        let why_opening = self.opening.why();
        let why_not = move |at: usize, made: &Made, is_asked: bool| {
            let says_only = *made == Made::Calls(0);
            match wanted {
                _ if at < opening => Some(why_opening),
                Turns::Calls if says_only && (calls_something || at < last) => Some(Skip::TextTurn),
                Turns::Last if at < last => Some(Skip::EarlierTurn),
                Turns::All if says_only && !is_asked => Some(Skip::NothingAsked),
                _ => None,
            }
        };
        // What is said after a turn's calls have returned answers for it.
        let ends =
            turns.iter().zip(&made).skip(1).map(|(turn, made)| (*made == Made::Calls(0)).then_some(turn.end));
        let answered: Vec<Option<usize>> = ends.chain([None]).collect();
        let mut steps = Steps::new(self, offers, Arc::clone(&history), answered, source);
        let entry = move |(at, (elements, made)): (usize, (Range<usize>, Made))| match why_not(
            at,
            &made,
            history.is_asked(elements.start),
        ) {
            Some(why) => Entry::NotTaken(why, made.calls()),
            None => Entry::Turn(Box::new(steps.turn(at, elements, made.calls()))),
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

/// The turns of a transcript, as they are given out.
struct Steps {
    transcript: Transcript,
    offers: Stages,
    id: Option<Arc<str>>,
    episode: Option<Arc<Episode>>,
    history: Arc<History>,
    /// Where the answer of each turn ends, if it is the next thing that the assistant said.
    answered: Vec<Option<usize>>,
    /// What stands for each beginning of the transcript.
    prints: Arc<[u64]>,
    /// Stands for its file.
    source: u64,
}

impl Steps {
    fn new(
        mut transcript: Transcript,
        offers: Stages,
        history: Arc<History>,
        answered: Vec<Option<usize>>,
        source: &str,
    ) -> Steps {
        let mut hasher = DefaultHasher::new();
        hasher.write(source.as_bytes());
        Steps {
            prints: prints(&transcript, offers.until(0)).into(),
            source: hasher.finish(),
            id: transcript.id.take().map(Arc::from),
            episode: (!transcript.episode.is_empty())
                .then(|| Arc::new(std::mem::take(&mut transcript.episode))),
            transcript,
            offers,
            history,
            answered,
        }
    }

    /// The turn at a place, counted from 0, whose `elements` are taken out: each is given out once.
    fn turn(&mut self, at: usize, elements: Range<usize>, calls: usize) -> Turn {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let turns = u32::try_from(self.answered.len()).unwrap_or(u32::MAX);
        let source_id = self.id.as_ref().map(|id| match turns {
            1 => id.to_string(),
            _ => format!("{id}@{number}"),
        });
        let mut flags = self.transcript.flags.clone();
        if self.history.lacks_results(&elements) {
            flags.push(Flag::MissingResult);
        }
        if self.history.repeats_ids(&elements) {
            flags.push(Flag::RepeatedCallId);
        }
        let copies = self.transcript.copies;
        let is_told = copies != Copies::Never && self.history.is_known_by_ids(&elements);
        let answered = self.answered.get(at).copied().flatten();
        let print = Print {
            transcript: self.prints.last().copied().unwrap_or_default(),
            source: self.source,
            copied: self.prints.get(elements.end).copied().filter(|_| is_told),
            next: self.prints.get(elements.end + 1).copied(),
            answered: answered.and_then(|end| self.prints.get(end)).copied(),
            beginnings: (is_told && copies == Copies::Again).then(|| Arc::clone(&self.prints)),
            calls,
        };
        let place =
            Place { transcript_id: self.id.clone(), turn: number, turns, episode: self.episode.clone() };
        Turn {
            tools: self.offers.until(elements.end).clone(),
            output: Output::Message(self.take(elements.clone())),
            ending: None,
            before: Before::Transcript(Step {
                history: Arc::clone(&self.history),
                elements,
                place,
                print,
                is_unasked: self.transcript.is_unasked,
            }),
            origin: Origin {
                source_id,
                model: self.transcript.model.clone(),
                timestamp: self.transcript.timestamp,
                ..Origin::default()
            },
            flags,
            dialect: self.transcript.dialect,
        }
    }

    /// The elements as one: what an assistant said in several is a list.
    fn take(&mut self, elements: Range<usize>) -> Json {
        let taken = self.transcript.elements[elements].iter_mut();
        let mut taken: Vec<Json> = taken.map(|element| std::mem::replace(element, Json::Null)).collect();
        match taken.len() {
            1 => taken.swap_remove(0),
            _ => Json::Array(taken),
        }
    }
}

/// What stands for each beginning of a transcript, the empty one first.
fn prints(transcript: &Transcript, tools: &Cell) -> Vec<u64> {
    struct Text(DefaultHasher);
    impl Write for Text {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.write(text.as_bytes());
            Ok(())
        }
    }
    let mut text = Text(DefaultHasher::new());
    // The same words with other tools on offer are another chat.
    let _ = writeln!(text, "{tools:?}");
    // So are they from another model; a session that is forked may go on with one.
    if transcript.copies == Copies::Again {
        let _ = writeln!(text, "{:?}{:?}", transcript.model, transcript.conversation);
    }
    let mut prints = vec![text.0.finish()];
    for element in &transcript.elements {
        // A hasher fails never.
        let _ = writeln!(text, "{element}");
        prints.push(text.0.finish());
    }
    prints
}
