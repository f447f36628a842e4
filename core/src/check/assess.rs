//! Collects everything noticed about one sample: observations for people, and signals for the score.

use super::corrected::corrected;
use super::evidence::Evidence;
use super::features::{Feature, Features, features};
use super::grounding::{Support, is_excluded, is_negation, support};
use super::held::{Hold, held_back};
use super::look::is_telling;
use super::node::Node;
use super::observation::{Observation, Place, step};
use super::schema::{self, Dialect, plain_of, text_of};
use super::score::{Signal, Signals};
use super::states::States;
use super::toolbox::{Tool, Toolbox, speaks_of_code};
use super::used::Used;
use crate::domain::{CallTask, Json, Object, Role, Sample, ToolCall};
use crate::reading::words::{fold, fold_identifier, is_content, words};

/// The result of looking at a sample.
pub(super) struct Assessment {
    pub observations: Vec<Observation>,
    pub signals: Signals,
    /// Argument values looked at.
    pub values: usize,
    /// Those of them that were found in the conversation, and those that are the definition's default.
    pub supported: usize,
    pub defaults: usize,
    /// Whether the search for values was given up.
    pub exhausted: bool,
    /// Whether these calls follow others that the same question led to.
    pub under_way: bool,
    /// The sample as numbers, if they were asked for.
    pub features: Option<Features>,
}

impl Assessment {
    /// Whether a fault settles that the calls are wrong by a task.
    pub(super) fn is_settled(&self, task: CallTask) -> bool {
        self.observations.iter().any(|own| own.is_fault() && own.concerns(task))
    }

    /// Whether the calls do what the user does not want any more, which the trees have not learnt.
    pub(super) fn is_against_the_last_word(&self, task: CallTask) -> bool {
        let speaks = |own: &Observation| match own {
            // Whoever asks how may well want it done.
            Observation::HeldBack { how, .. } => *how != Hold::HowTo,
            own => matches!(own, Observation::Corrected { .. }),
        };
        self.observations.iter().any(|own| speaks(own) && own.concerns(task))
    }

    /// The sample as numbers; none where they were not asked for.
    pub(super) fn measured(&self) -> &[f32] {
        self.features.as_ref().map_or(&[], Features::values)
    }

    /// Whether a fact that was measured, and that can be told, speaks against the calls.
    pub(super) fn speaks_against(&self) -> bool {
        self.features.as_ref().is_some_and(|features| features.get(Feature::told_against) > 0.0)
    }

    /// Why there can be no verdict, unless a fault was found.
    pub(super) fn unsettled(&self, task: CallTask) -> Option<String> {
        let too_complex = |observation: &&Observation| matches!(observation, Observation::TooComplex { .. });
        let found =
            self.observations.iter().filter(|observation| observation.concerns(task)).find(too_complex);
        let exhausted = self.exhausted.then(|| {
            "row_too_complex: looking for all its values in the conversation would take too long".to_owned()
        });
        found.map(ToString::to_string).or(exhausted)
    }
}

/// Argument values looked at; more say nothing more and would cost time on hostile rows.
const MAX_VALUES: usize = 256;
/// Calls whose values and repetitions are looked at, likewise; all of them are held against their definitions.
const MAX_CALLS: usize = 64;
/// Observations kept.
const MAX_OBSERVATIONS: usize = 200;
/// From so many on, nothing more is looked for.
const ENOUGH_OBSERVATIONS: usize = 2_000;

pub(super) fn assess(sample: &Sample, calls: &[ToolCall], toolbox: &Toolbox, measured: bool) -> Assessment {
    let evidence = Evidence::new(sample);
    let mut assessor = Assessor {
        toolbox,
        dialect: dialect(toolbox, &evidence.question),
        evidence: &evidence,
        used: Used::default(),
        rivals: Vec::new(),
        total: 0,
        nulls: 0,
        breached: false,
        told: 0,
        unsupported: 0.0,
        leaves: Vec::new(),
        other_state: 0.0,
        argument: 0,
        result: Assessment {
            observations: Vec::new(),
            signals: Signals::default(),
            values: 0,
            supported: 0,
            defaults: 0,
            exhausted: false,
            under_way: false,
            features: None,
        },
    };
    assessor.calls(calls);
    let calls = &calls[..calls.len().min(MAX_CALLS)];
    match &sample.part {
        Some(part) => {
            assessor.duplicates(sample, &part.turn[..part.turn.len().min(MAX_CALLS)], Some(part.at))
        }
        None => assessor.duplicates(sample, calls, None),
    }
    assessor.swaps(calls);
    assessor.states(sample, calls);
    let place = if is_under_way(sample) {
        Step::UnderWay
    } else if used_tools(sample) || goes_on(sample) || sample.part.is_some() {
        Step::OneOfMany
    } else {
        Step::Whole
    };
    assessor.choice_of_tools(sample, calls, place);
    if place == Step::Whole {
        assessor.left_out_tool(calls);
        assessor.leftovers(sample, calls);
        assessor.requests(calls);
    }
    assessor.result.under_way = place == Step::UnderWay;
    if measured {
        assessor.result.features = Some(features(&assessor, sample, calls, place));
    }
    // Behind the features: what trees were fitted to does not know it.
    held_back(sample, calls).into_iter().for_each(|own| assessor.push(own));
    corrected(sample, calls, toolbox).into_iter().for_each(|own| assessor.push(own));
    if assessor.result.observations.len() > MAX_OBSERVATIONS {
        // Of every kind of fault one is kept, so that no task loses the one that settles it.
        let mut kinds: Vec<&str> = Vec::new();
        assessor.result.observations.sort_by_cached_key(|observation| {
            let first = !kinds.contains(&observation.kind());
            if first {
                kinds.push(observation.kind());
            }
            (!observation.is_fault(), !first)
        });
        assessor.result.observations.truncate(MAX_OBSERVATIONS);
    }
    assessor.result.exhausted = evidence.is_exhausted();
    if let Some(part) = &sample.part {
        // Observations name calls by their places in the turn.
        assessor.result.observations.iter_mut().for_each(|observation| observation.moves_to(part.at));
    }
    assessor.result
}

/// Which part of the agent's work the judged calls are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing was called before: they answer the question.
    Whole,
    /// The first calls since the user last spoke, of an agent that works in steps: they need not do everything.
    OneOfMany,
    /// The agent has already called something for this question: these calls need not look like it either.
    UnderWay,
}

/// Whether tools were used in the conversation.
fn used_tools(sample: &Sample) -> bool {
    sample.messages.iter().any(|message| message.role == Role::Tool || !message.tool_calls.is_empty())
}

/// Whether the agent is known to have called more before the user spoke again: a first step need not be all that was asked for.
fn goes_on(sample: &Sample) -> bool {
    sample.after.next.as_ref().is_some_and(|next| !next.tool_calls.is_empty())
}

/// Whether the agent made calls since the user last spoke.
fn is_under_way(sample: &Sample) -> bool {
    sample
        .before_turn()
        .iter()
        .rev()
        .take_while(|message| message.role != Role::User)
        .any(|message| message.role == Role::Tool || !message.tool_calls.is_empty())
}

/// Whether values are source text: only if code is spoken of in the folded `question` or the definitions.
pub(super) fn dialect(toolbox: &Toolbox, question: &str) -> Dialect {
    if toolbox.code || speaks_of_code(question) { Dialect::Source } else { Dialect::Json }
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
}

/// The call a value belongs to.
#[derive(Clone, Copy)]
struct Owner<'a> {
    call: usize,
    tool: &'a str,
    /// Whether an operator beside the value says that it is not wanted.
    negated: bool,
}

/// A value that was looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    /// The number of its argument among all arguments of all calls.
    pub argument: usize,
    /// How surely the conversation tells it; below 0 where something speaks against it.
    pub support: f32,
    /// Whether it is what the definition names if nothing is given.
    pub default: bool,
}

/// The state of looking at one sample.
pub(super) struct Assessor<'a> {
    pub(super) toolbox: &'a Toolbox,
    dialect: Dialect,
    pub(super) evidence: &'a Evidence,
    pub(super) used: Used,
    /// Allowed values given, each with another one that the conversation names.
    rivals: Vec<(Place, String, String)>,
    total: usize,
    nulls: usize,
    /// Whether arguments break their definition.
    breached: bool,
    /// Values that the conversation itself tells.
    pub(super) told: usize,
    pub(super) unsupported: f64,
    /// The values looked at, in order.
    pub(super) leaves: Vec<Leaf>,
    /// Whether a tool is for things of another state: 1, or 0.5 where the states are close.
    pub(super) other_state: f32,
    /// Arguments begun so far.
    argument: usize,
    pub(super) result: Assessment,
}

impl Assessor<'_> {
    fn calls(&mut self, calls: &[ToolCall]) {
        for (i, call) in calls.iter().enumerate() {
            let tool = self.toolbox.find(&call.name).map(|at| &self.toolbox.tools[at]);
            if self.result.observations.len() >= ENOUGH_OBSERVATIONS {
                // One breach of a schema among so many others still settles what the arguments are worth.
                if self.breached {
                    break;
                }
                match (tool, call.parsed()) {
                    (Some(tool), Some(arguments)) => self.against_schema(i, tool, arguments),
                    (_, None) => self.malformed(i),
                    _ => {}
                }
                continue;
            }
            if call.name.trim().is_empty() {
                self.find(Observation::NoName { call: i }, Signal::UnknownTool, 1.0);
            } else if tool.is_none() {
                self.find(
                    Observation::UnknownTool { call: i, name: call.name.clone() },
                    Signal::UnknownTool,
                    1.0,
                );
            }
            match call.parsed() {
                None => self.malformed(i),
                Some(arguments) => self.arguments(i, &call.name, tool, arguments),
            }
        }
        for (at, value, named) in std::mem::take(&mut self.rivals) {
            // The other one may be meant for another call or list entry.
            if self.used.text.contains(&fold_identifier(&named)) {
                self.result.signals.add(Signal::InferredChoice, 1.0, 3.0);
            } else {
                self.find(Observation::OtherChoice { at, value, named }, Signal::OtherChoice, 1.0);
            }
        }
        if self.total > 0 {
            self.result.signals.set(Signal::UnsupportedShare, self.unsupported / self.total as f64);
        }
        // What is null was not passed: it counts for the estimate, and is no value that anything supports.
        self.result.values = self.total - self.nulls;
        self.result.defaults = self.result.defaults.saturating_sub(self.nulls);
    }

    fn malformed(&mut self, call: usize) {
        self.breached = true;
        self.find(Observation::MalformedArguments { call }, Signal::Malformed, 1.0);
    }

    fn against_schema(&mut self, call: usize, tool: &Tool, arguments: &Object) {
        let from = self.result.observations.len();
        schema::check(tool, arguments, call, self.dialect, &mut self.result.observations);
        for observation in &self.result.observations[from..] {
            let signal = match observation {
                Observation::MissingParameter { .. } => Signal::Missing,
                Observation::UnknownParameter { .. } => Signal::UnknownParameter,
                Observation::WrongType { .. } => Signal::WrongType,
                Observation::LooseType { .. } => Signal::LooseType,
                Observation::NotAllowed { .. } => Signal::NotAllowed,
                Observation::BrokenRule { .. } => Signal::BrokenRule,
                _ => continue,
            };
            self.result.signals.add(signal, 1.0, 2.0);
            self.breached = true;
        }
    }

    fn arguments(&mut self, call: usize, called: &str, tool: Option<&Tool>, arguments: &Object) {
        if let Some(tool) = tool {
            self.against_schema(call, tool, arguments);
        }
        if call >= MAX_CALLS {
            return;
        }
        for (name, value) in arguments.iter() {
            let node = tool.and_then(|tool| tool.root.property(name));
            let optional = node.is_some_and(|node| !node.required);
            self.value(Owner { call, tool: called, negated: false }, step("", name), node, value, optional);
            self.argument += 1;
        }
    }

    fn value(&mut self, of: Owner, path: String, node: Option<&Node>, value: &Json, optional: bool) {
        if self.total >= MAX_VALUES {
            return;
        }
        match value {
            Json::Array(items) => {
                let inner = node.and_then(|node| node.items.as_deref());
                for (i, item) in items.iter().enumerate().take(MAX_VALUES) {
                    self.value(of, format!("{path}/{i}"), inner.or(node), item, optional);
                }
            }
            Json::Object(object) => {
                let negated = object.iter().take(MAX_VALUES).any(|(_, item)| is_negation(item));
                let of = Owner { negated: of.negated || negated, ..of };
                for (key, item) in object.iter().take(MAX_VALUES) {
                    let inner = node.and_then(|node| node.property(key));
                    self.used.add(key, &fold(key));
                    let optional = optional || inner.is_some_and(|node| !node.required);
                    self.value(of, step(&path, key), inner, item, optional);
                }
            }
            value => {
                self.total += 1;
                let text = plain_of(value);
                let folded = fold(&text);
                self.used.add(&text, &folded);
                let excluded = || is_excluded(self.evidence, of.tool, &path, node, value, &folded);
                let support = if !of.negated && excluded() {
                    Support::Excluded
                } else {
                    support(self.evidence, node, value, &folded)
                };
                self.nulls += usize::from(*value == Json::Null && support == Support::Default);
                self.weigh(Place { call: of.call, path }, value, &folded, optional, support);
            }
        }
    }

    fn weigh(&mut self, at: Place, value: &Json, folded: &str, optional: bool, support: Support) {
        let text = text_of(value);
        let long = text.len() > 60;
        if long {
            self.result.signals.add(Signal::LongText, 1.0, 2.0);
        }
        let mut missing = 0.0;
        self.leaves.push(Leaf {
            argument: self.argument,
            support: support.strength(),
            default: support == Support::Default,
        });
        // What is merely plausible is held against nobody, but nothing tells it either; nor does a word that stands everywhere.
        let found = matches!(support, Support::Literal | Support::Normalised | Support::Converted(_));
        let says_something =
            value.as_str().is_none_or(|_| words(folded).any(|word| is_content(word) || has_digit(word)));
        self.result.supported += usize::from(found && says_something);
        self.result.defaults += usize::from(support == Support::Default);
        match support {
            Support::Literal | Support::Normalised => {
                self.told += if is_telling(&text, &at.path) { 2 } else { 1 }
            }
            Support::Converted(own) => {
                self.told += 1;
                self.used.numbers.note(own);
            }
            Support::Default => {}
            Support::Choice => self.result.signals.add(Signal::InferredChoice, 1.0, 3.0),
            Support::Derived => {
                missing = 0.3;
                self.find(Observation::Derived { at, value: text.into_owned() }, Signal::Derived, 1.0);
            }
            Support::KeptPercent => {
                self.find(
                    Observation::KeptPercent { at, value: text.into_owned() },
                    Signal::KeptPercent,
                    1.0,
                );
            }
            Support::Partial(share) => {
                missing = 1.0 - share;
                let signal = if optional { Signal::PartlyOptional } else { Signal::PartlyGrounded };
                self.find(Observation::PartlyGrounded { at, value: text.into_owned() }, signal, 1.0 - share);
            }
            Support::Composed(share) => {
                self.find(
                    Observation::PartlyGrounded { at, value: text.into_owned() },
                    Signal::Composed,
                    1.0 - share,
                );
            }
            Support::WrongUnit => {
                missing = 1.0;
                self.find(Observation::WrongUnit { at, value: text.into_owned() }, Signal::WrongUnit, 1.0);
            }
            Support::Excluded => {
                missing = 1.0;
                self.find(Observation::Excluded { at, value: text.into_owned() }, Signal::Excluded, 1.0);
            }
            Support::WrongSign => {
                missing = 1.0;
                self.find(Observation::WrongSign { at, value: text.into_owned() }, Signal::WrongSign, 1.0);
            }
            Support::Described => {
                missing = 0.5;
                let signal = if optional { Signal::DescribedOptional } else { Signal::Described };
                self.find(Observation::CopiedExample { at, value: text.into_owned() }, signal, 1.0);
            }
            Support::OtherChoice(named) => self.rivals.push((at, text.into_owned(), named)),
            Support::Placeholder => {
                missing = 1.0;
                self.find(
                    Observation::Placeholder { at, value: text.into_owned() },
                    Signal::Placeholder,
                    1.0,
                );
            }
            Support::Empty => {
                self.find(Observation::EmptyValue { at }, Signal::EmptyValue, 1.0);
            }
            Support::None => {
                missing = 1.0;
                let signal = match value {
                    _ if optional => Signal::UngroundedOptional,
                    Json::Number(_) => Signal::UngroundedNumber,
                    Json::Bool(_) => Signal::UngroundedBoolean,
                    _ => Signal::UngroundedText,
                };
                self.find(Observation::Ungrounded { at, value: text.into_owned(), optional }, signal, 1.0);
            }
        }
        self.unsupported += missing;
    }

    /// Finds tools that were called for things in another state than theirs.
    fn states(&mut self, sample: &Sample, calls: &[ToolCall]) {
        let states = States::of(calls, sample.before_turn());
        for (at, call) in calls.iter().enumerate() {
            let Some(other) = states.other(call, self.toolbox) else { continue };
            self.other_state = self.other_state.max(if other.is_close { 0.5 } else { 1.0 });
            if !other.is_close {
                let found = Observation::OtherState {
                    call: at,
                    tool: call.name.clone(),
                    named: other.named,
                    seen: other.seen,
                };
                self.find(found, Signal::OtherState, 1.0);
            }
        }
    }

    pub(super) fn find(&mut self, observation: Observation, signal: Signal, strength: f64) {
        self.result.signals.add(signal, strength, 3.0);
        self.push(observation);
    }

    pub(super) fn push(&mut self, observation: Observation) {
        if self.result.observations.len() < MAX_OBSERVATIONS || observation.is_fault() {
            self.result.observations.push(observation);
        }
    }
}
