//! Whether the right tools were called, and all of them: fit, leftovers, repetitions.

use std::sync::LazyLock;

use super::assess::{Assessor, Step};
use super::exclusions::rids;
use super::literals::Span;
use super::need::call_for;
use super::observation::{Literal, Observation};
use super::relevance::{fits, own_fit, share};
use super::schema::folded_of;
use super::score::Signal;
use super::toolbox::{Tool, stems};
use crate::domain::{Json, Role, Sample, ToolCall};
use crate::language::{self, phrases};
use crate::reading::numbers::Figures;
use crate::reading::words::{Stem, WordSet, fold, fold_identifier, words};

/// From this fit on, an idle tool is told of; the score takes every fit as it is.
const FITS: f64 = 0.3;
/// Where not calling turns from likely right to likely wrong.
const CALL_DUE: f64 = 0.53;
/// A lead that another tool's fit must have to be told.
const CLEARLY_BETTER: f64 = 0.25;
/// Below this fit, a called tool is told of.
const POOR_FIT: f64 = 0.3;
/// From this fit on, a later step is what the question asks for.
const PLAIN_FIT: f64 = 0.6;
/// Stands for a fit that cannot be told: across languages, or for a later step of an agent.
const UNTELLABLE_FIT: f64 = 0.4;
/// The least fit of a tool that is given all it requires.
const ASKED_FIT: f64 = 0.5;
/// Uncalled tools compared.
const MAX_TOOLS: usize = 64;

impl Assessor<'_> {
    /// Whether the called tools, or none, are what the question asks for.
    pub(super) fn choice_of_tools(&mut self, sample: &Sample, calls: &[ToolCall], step: Step) {
        let tools = &self.toolbox.tools;
        if calls.is_empty() {
            self.result.signals.set(Signal::NoCall, 1.0);
        }
        let Some(fits) =
            fits(self.toolbox, self.evidence).filter(|_| step != Step::UnderWay || !calls.is_empty())
        else {
            if calls.is_empty() {
                self.result.signals.set(Signal::NoCallButFit, UNTELLABLE_FIT);
            }
            return;
        };
        let called: Vec<(usize, usize)> = calls
            .iter()
            .enumerate()
            .filter_map(|(i, call)| self.toolbox.find(&call.name).map(|at| (i, at)))
            .collect();
        let score = |at: usize| fits[at].score();
        let worst = called.iter().copied().min_by(|a, b| score(a.1).total_cmp(&score(b.1)));
        let best = (0..tools.len())
            .filter(|at| !called.iter().any(|(_, own)| own == at))
            .max_by(|a, b| score(*a).total_cmp(&score(*b)));
        match (worst, best) {
            (None, Some(best)) if calls.is_empty() => {
                self.result.signals.set(Signal::NoCallButFit, score(best));
                let asked = (0..tools.len().min(MAX_TOOLS))
                    .map(|at| (call_for(&tools[at], &sample.question, self.evidence, fits[at]), at))
                    .max_by(|a, b| a.0.total_cmp(&b.0).then(score(a.1).total_cmp(&score(b.1))))
                    .filter(|(strength, _)| *strength > 0.0);
                if asked.is_some() {
                    self.result.signals.set(Signal::NoCallThoughAsked, 1.0);
                    self.result.signals.set(Signal::NoCallButFit, score(best).max(ASKED_FIT));
                }
                let asked = asked.map(|(_, at)| at);
                if let Some(at) = asked.or((score(best) > CALL_DUE).then_some(best)) {
                    self.push(Observation::CallDue { tool: tools[at].name.clone() });
                }
            }
            (Some((call, at)), best) => {
                let fit = fits[at];
                if step == Step::UnderWay {
                    // A later step need not look like the question; where it does, that speaks for it.
                    let lead = best.is_none_or(|best| score(at) > score(best));
                    let is_asked_for = lead && score(at) >= PLAIN_FIT && self.told > 0;
                    if !is_asked_for {
                        return;
                    }
                }
                let thin = 1.0 - self.told.min(3) as f64 / 3.0;
                let tool = tools[at].name.clone();
                let gain = best.map_or(0.0, |best| (score(best) - score(at)).max(0.0));
                // Where everything given was told, other words for the tool's business say little.
                let sound = self.told >= 2 && self.unsupported == 0.0 && gain <= CLEARLY_BETTER;
                self.result.signals.set(Signal::NameMisfit, 1.0 - fit.name);
                if sound {
                    self.result.signals.set(Signal::SoundMisfit, 1.0 - fit.text);
                } else {
                    self.result.signals.set(Signal::TextMisfit, 1.0 - fit.text);
                    self.result.signals.set(Signal::ThinMisfit, (1.0 - fit.text) * thin);
                }
                // Of several steps, another tool may have its turn later.
                let rival = if step == Step::Whole { best } else { None };
                if rival.is_some() {
                    self.result.signals.set(Signal::BetterTool, gain);
                }
                match rival {
                    Some(best) if gain > CLEARLY_BETTER => {
                        self.push(Observation::BetterTool { call, tool, other: tools[best].name.clone() });
                    }
                    _ if !sound && score(at) < POOR_FIT => self.push(Observation::PoorFit { call, tool }),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Whether a tool that was not called has something of its own to say to the question.
    pub(super) fn left_out_tool(&mut self, calls: &[ToolCall]) {
        let tools = &self.toolbox.tools;
        if calls.is_empty() {
            return;
        }
        let called: Vec<usize> = calls.iter().filter_map(|call| self.toolbox.find(&call.name)).collect();
        let own: Vec<&Tool> = called.iter().map(|at| &tools[*at]).collect();
        let left_out = (0..tools.len())
            .filter(|at| !called.contains(at))
            .take(MAX_TOOLS)
            .map(|at| (own_fit(&tools[at], &own, self.evidence), at))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((fit, at)) = left_out {
            self.result.signals.set(Signal::LeftOut, fit);
            if fit > FITS {
                self.push(Observation::LeftOut { tool: tools[at].name.clone() });
            }
        }
    }

    /// What of the question neither the calls nor the called tools speak of.
    pub(super) fn leftovers(&mut self, sample: &Sample, calls: &[ToolCall]) {
        if calls.is_empty() {
            return;
        }
        let called: Vec<&Tool> = calls
            .iter()
            .filter_map(|call| self.toolbox.find(&call.name))
            .map(|at| &self.toolbox.tools[at])
            .collect();
        let literals = &self.evidence.literals;
        let question = sample.question.as_str();
        let used: Vec<bool> = literals.iter().map(|span| self.is_used(span, question, &called)).collect();
        for (i, span) in literals.iter().enumerate().filter(|(i, _)| !used[*i]) {
            let left = i > 0 && used[i - 1] && literals[i - 1].joins(span, question);
            let right = i + 1 < used.len() && used[i + 1] && span.joins(&literals[i + 1], question);
            let signal = match span.kind {
                _ if left || right => Signal::UnusedSibling,
                Literal::Number => Signal::UnusedNumber,
                Literal::Quotation => Signal::UnusedQuotation,
                // A name may stand for anything: a brand, a title, an emphasis.
                Literal::Name => continue,
            };
            self.find(Observation::Unused { text: span.text.clone(), kind: span.kind }, signal, 1.0);
        }
        let unused = used.iter().filter(|used| !**used).count();
        if !literals.is_empty() {
            self.result.signals.set(Signal::UnusedShare, unused as f64 / literals.len() as f64);
        }
        let question = &self.evidence.question_stems;
        let explained = |stem: &Stem| {
            self.used.stems.contains(stem)
                || called.iter().any(|tool| tool.all_stems.binary_search(stem).is_ok())
        };
        let explained: Vec<Stem> = question.iter().copied().filter(explained).collect();
        self.result.signals.set(Signal::Unexplained, 1.0 - share(question, &explained));
    }

    fn is_used(&self, span: &Span, question: &str, called: &[&Tool]) -> bool {
        // What is to be kept out needs no use.
        if self.evidence.excludes(&span.folded, None) {
            return true;
        }
        if self.used.text.contains(&span.folded) || called.iter().any(|tool| tool.text.contains(&span.folded))
        {
            return true;
        }
        match span.value {
            // The day that it is was told, and is not asked for.
            Some(value) if self.evidence.times.is_today(value) && span.stands_behind_today(question) => true,
            Some(value) => {
                // Turned into a fraction or another unit, unless the converted number was itself told.
                let given = |number: f64| {
                    self.used.numbers.contains(number) && !self.evidence.figures.contains(number)
                };
                self.used.numbers.contains(value)
                    || self.used.numbers.contains(-value)
                    || self.evidence.figures.is_part_of(value, &self.used.numbers)
                    || self.used.times.uses(value)
                    || (self.used.times.has_dates() && self.evidence.times.spans(value))
                    || [100.0, 1e3, 60.0, 12.0]
                        .iter()
                        .any(|factor| given(value / factor) || given(value * factor))
            }
            None => {
                let stems = stems(&span.folded);
                !stems.is_empty()
                    && stems.iter().filter(|stem| self.used.stems.contains(stem)).count() * 2 >= stems.len()
            }
        }
    }

    /// Repetitions among the `calls` of a turn, and of earlier ones; with `only`, those that the call at this place makes.
    pub(super) fn duplicates(&mut self, sample: &Sample, calls: &[ToolCall], only: Option<usize>) {
        let question = &self.evidence.question;
        for (i, call) in calls.iter().enumerate().filter(|(i, _)| only.is_none_or(|only| only == *i)) {
            let earlier = calls[..i].iter().position(|other| other.is_equivalent(call));
            let repeats = || !question.contains(" again ") && was_made(sample, call);
            if earlier.is_none() && !repeats() {
                continue;
            }
            let again = AGAIN.iter().any(|word| question.contains(word));
            let place = if only.is_some() { 0 } else { i };
            // Who asks for it twice gets it twice; who asks for it again gets it once more.
            let asked = again && self.is_asked_for_again(calls, call);
            if let Some(of) = earlier.filter(|_| !asked && !self.is_asked_for_as_often(calls, call)) {
                match self.may_ask_for_as_many(&sample.question, calls, call) {
                    true => self.push(Observation::MaybeTwice { call: place, of }),
                    false => self.find(Observation::Duplicate { call: place, of }, Signal::Duplicate, 1.0),
                }
            } else if !again && repeats() {
                self.find(Observation::Repeat { call: place }, Signal::Duplicate, 1.0);
            }
        }
    }

    /// Whether what the question wants twice may be this call. Where the tool is called with other arguments too, it wants those
    /// (`and the same for Rome`), unless it says so beside a value that only this call has.
    fn is_asked_for_again(&self, calls: &[ToolCall], call: &ToolCall) -> bool {
        let Some(other) = calls.iter().find(|other| other.name == call.name && !other.is_equivalent(call))
        else {
            return true;
        };
        let (Some(own), Some(others)) = (call.parsed(), other.parsed()) else { return true };
        let question = &self.evidence.question;
        let near: Vec<&str> = AGAIN
            .iter()
            .flat_map(|word| question.match_indices(word.as_str()))
            .take(MAX_AGAIN)
            .map(|(at, word)| {
                let start = question.floor_char_boundary(at.saturating_sub(NEAR_AGAIN));
                &question
                    [start..question.ceil_char_boundary((at + word.len() + NEAR_AGAIN).min(question.len()))]
            })
            .collect();
        let only_own = own.iter().filter(|(name, value)| others.get(name) != Some(*value));
        only_own.map(|(_, value)| folded_of(value)).any(|value| near.iter().any(|text| text.contains(&value)))
    }

    /// Whether the question names as many as there are calls like this one: five dice are five rolls. Two is said of too much else,
    /// as of travellers; [`AGAIN`] knows its own words for that.
    fn is_asked_for_as_often(&self, calls: &[ToolCall], call: &ToolCall) -> bool {
        let alike = calls.iter().filter(|other| other.is_equivalent(call)).count();
        if alike < 3 {
            return false;
        }
        let digits = alike.to_string();
        let name = NUMBERS.get(alike).copied().unwrap_or(digits.as_str());
        words(&self.evidence.question).any(|word| word == digits || word == name)
    }

    /// Whether the question has a number of as many, which no argument holds, names an argument as often, or has a word of a second one:
    /// two dice may be two rolls, where a table for two is one table. Nobody deletes a thing twice.
    fn may_ask_for_as_many(&self, question: &str, calls: &[ToolCall], call: &ToolCall) -> bool {
        if rids(&fold_identifier(&call.name)) {
            return false;
        }
        let alike = calls.iter().filter(|other| other.is_equivalent(call)).count();
        let is_used = self.used.numbers.contains(alike as f64) || self.used.times.uses(alike as f64);
        let written = &question[..question.floor_char_boundary(MAX_COUNTED_BYTES)];
        let question = fold(written);
        let mut counts = Figures::default();
        counts.hear(self.evidence.figures.languages());
        counts.read(written, &question);
        let is_count = counts.iter().any(|figure| figure.value == alike as f64 && !figure.percent);
        let named = |value: &Json| {
            let own = folded_of(value);
            own.trim().len() > 1 && question.matches(own.as_str()).count() >= alike
        };
        is_count && !is_used
            || call.parsed().is_some_and(|own| own.values().any(named))
            || MORE.iter().any(|phrase| question.contains(phrase.as_str()))
    }

    pub(super) fn requests(&mut self, calls: &[ToolCall]) {
        let requests = words(&self.evidence.question).filter(|word| SEVERAL.has(word)).take(6).count() as f64;
        if calls.len() == 1 {
            self.result.signals.set(Signal::OneCallManyRequests, requests);
            if requests >= 2.0 {
                self.push(Observation::TooFewCalls { calls: 1 });
            }
        }
    }
}

/// Bytes around the word for a repetition in which its object stands, and how many such words are looked at.
const NEAR_AGAIN: usize = 40;
const MAX_AGAIN: usize = 8;

/// Whether the call was made since the user last spoke, and nothing since gives reason to make it again: no result that asks for
/// it, and no other call that may have changed what it tells.
fn was_made(sample: &Sample, call: &ToolCall) -> bool {
    let mut answered = false;
    for message in sample.before_turn().iter().rev().take(MAX_BACK) {
        match message.role {
            Role::User => return false,
            Role::Tool => {
                answered = true;
                // The log says that it failed, in whatever words.
                if message.is_error {
                    return false;
                }
                let text = beginning(&message.content).to_lowercase();
                if text.trim().is_empty() || UNFINISHED.iter().any(|sign| text.contains(sign)) {
                    return false;
                }
            }
            _ if message.tool_calls.iter().any(|made| made.is_equivalent(call)) => return answered,
            _ if message.tool_calls.iter().any(|made| !only_reads(&made.name)) => return false,
            _ => {}
        }
    }
    false
}

/// As much of a result as tells how the call went.
fn beginning(text: &str) -> &str {
    let end = (0..=text.len().min(MAX_RESULT_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// Bytes read of a result, and of a question that may count calls.
const MAX_RESULT_BYTES: usize = 4_000;
const MAX_COUNTED_BYTES: usize = 4_000;

/// Messages looked back on.
const MAX_BACK: usize = 64;

/// Whether a tool's name says that it only looks something up: `get_customer`, `orders.search`, `contacts_list`.
pub(super) fn only_reads(name: &str) -> bool {
    #[rustfmt::skip]
    const READS: &[&str] = &[
        "get", "list", "find", "search", "read", "fetch", "look", "lookup", "show", "query", "check", "view", "describe", "retrieve",
        "calculate", "compute", "convert", "count",
    ];
    /// Of those, words that are names of things where they stand neither first nor last: `shopping_list_item`.
    const NOUNS: &[&str] = &["list", "look", "show", "check", "view", "count", "read"];
    #[rustfmt::skip]
    const WRITES: &[&str] = &[
        "add", "append", "apply", "approve", "archive", "assign", "book", "buy", "call", "cancel", "change", "clear", "close", "commit",
        "confirm", "copy", "create", "delete", "deploy", "disable", "download", "drop", "edit", "enable", "execute", "fill", "import",
        "insert", "install", "invite", "issue", "lock", "log", "mark", "merge", "modify", "move", "open", "order", "pay", "place",
        "play", "post", "publish", "purchase", "push", "put", "register", "remove", "rename", "replace", "reserve", "reset", "restart",
        "run", "save", "schedule", "send", "set", "share", "start", "stop", "store", "submit", "subscribe", "switch", "sync",
        "transfer", "trigger", "turn", "unlock", "update", "upload", "upsert", "write",
    ];
    let folded = fold_identifier(name);
    let own: Vec<&str> = words(&folded).collect();
    let Some(last) = own.len().checked_sub(1) else { return false };
    let reads = |at: usize| READS.contains(&own[at]) && (at == 0 || at == last || !NOUNS.contains(&own[at]));
    reads(0) || (!own.iter().any(|word| WRITES.contains(word)) && (1..=last).any(reads))
}

/// What a result says where the same call may well be made again.
#[rustfmt::skip]
const UNFINISHED: &[&str] = &[
    "error", "fail", "timeout", "timed out", "time out", "exception", "retry", "try again", "unavailable", "pending", "running",
    "progress", "queued", "waiting", "processing", "not ready", "busy", "limit", "denied", "invalid", "not found", "refresh", "more",
    "next", "started", "loading", "partial", "truncated", "null", "none", "[]", "{}",
];

/// Phrases that ask for the same thing more than once, [folded](crate::reading::words::fold).
static AGAIN: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.again));

/// Phrases that speak of a second one, [folded](crate::reading::words::fold).
static MORE: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.more));

/// Names of numbers, from zero.
const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// Words by which a question asks for several things.
static SEVERAL: LazyLock<WordSet> = LazyLock::new(|| WordSet::of(language::words(|of| &of.request.several)));

#[cfg(test)]
mod tests {
    use super::only_reads;

    #[test]
    fn any_word_of_a_name_may_say_that_it_only_reads() {
        for (name, expected) in [
            ("get_customer", true),
            ("customer_get", true),
            ("orders.search", true),
            ("contactsList", true),
            ("search_index_update", true),
            ("index_search_update", false),
            ("shopping_list_item", false),
            ("send_mail", false),
            ("", false),
        ] {
            assert_eq!(only_reads(name), expected, "{name}");
        }
    }
}
