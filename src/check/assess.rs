//! Everything noticed about one sample, as findings for people and signals for the score.

use std::collections::HashSet;

use super::evidence::Evidence;
use super::finding::{Finding, Literal, Place, step};
use super::grounding::{Support, support};
use super::literals::Span;
use super::node::Node;
use super::numbers::Figures;
use super::relevance::{Fit, fits, own_fit, share};
use super::schema::{self, Dialect, text_of};
use super::score::{Signal, Signals};
use super::toolbox::{Tool, Toolbox, stems};
use super::words::{Stem, fold, words};
use crate::domain::{Json, Object, Role, Sample, ToolCall};

/// The result of looking at a sample.
pub(super) struct Assessment {
    pub findings: Vec<Finding>,
    pub signals: Signals,
    /// Argument values looked at, and those the conversation or the definition supports.
    pub values: usize,
    pub supported: usize,
}

/// Argument values looked at; more say nothing more and would cost time on hostile rows.
const MOST_VALUES: usize = 256;
/// Calls looked at, likewise.
const MOST_CALLS: usize = 64;
/// Findings kept.
const MOST_FINDINGS: usize = 200;

pub(super) fn assess(sample: &Sample, calls: &[ToolCall], toolbox: &Toolbox) -> Assessment {
    let evidence = Evidence::new(sample);
    let mut assessor = Assessor {
        toolbox,
        dialect: dialect(sample, toolbox, &evidence),
        evidence: &evidence,
        fits: fits(toolbox, &evidence),
        used: Used::default(),
        total: 0,
        unsupported: 0.0,
        result: Assessment { findings: Vec::new(), signals: Signals::default(), values: 0, supported: 0 },
    };
    let calls = &calls[..calls.len().min(MOST_CALLS)];
    assessor.calls(calls);
    assessor.choice_of_tools(calls);
    assessor.duplicates(calls);
    // An agent that has already called something for this question may have done, or do later, what these calls leave out.
    if !is_under_way(sample) {
        assessor.left_out_tool(calls);
        assessor.leftovers(sample, calls);
        assessor.requests(calls);
    }
    assessor.result.findings.truncate(MOST_FINDINGS);
    assessor.result
}

/// Whether the agent made calls since the user last spoke.
fn is_under_way(sample: &Sample) -> bool {
    sample
        .messages
        .iter()
        .rev()
        .take_while(|message| message.role != Role::User)
        .any(|message| message.role == Role::Tool || !message.tool_calls.is_empty())
}

/// Whether values are source text: only if code is spoken of.
fn dialect(_sample: &Sample, toolbox: &Toolbox, evidence: &Evidence) -> Dialect {
    const LANGUAGES: &[&str] = &[" java ", " javascript ", " typescript ", " java script "];
    let spoken = |text: &str| LANGUAGES.iter().any(|language| text.contains(language));
    if spoken(&evidence.text) || toolbox.tools.iter().take(50).any(|tool| spoken(&tool.text)) {
        Dialect::Source
    } else {
        Dialect::Json
    }
}

/// What the calls make use of.
#[derive(Default)]
struct Used {
    text: String,
    stems: HashSet<Stem>,
    numbers: Figures,
}

impl Used {
    fn add(&mut self, text: &str) {
        let folded = fold(text);
        self.numbers.read(text, &folded);
        self.stems.extend(stems(&folded));
        self.text.push_str(&folded);
        self.text.push('|');
    }
}

struct Assessor<'a> {
    toolbox: &'a Toolbox,
    dialect: Dialect,
    evidence: &'a Evidence,
    fits: Vec<Fit>,
    used: Used,
    total: usize,
    unsupported: f64,
    result: Assessment,
}

impl Assessor<'_> {
    fn calls(&mut self, calls: &[ToolCall]) {
        for (i, call) in calls.iter().enumerate() {
            let tool = self.toolbox.find(&call.name).map(|at| &self.toolbox.tools[at]);
            if tool.is_none() {
                self.find(
                    Finding::UnknownTool { call: i, name: call.name.clone() },
                    Signal::UnknownTool,
                    1.0,
                );
            }
            match call.parsed() {
                None => self.find(Finding::MalformedArguments { call: i }, Signal::Malformed, 1.0),
                Some(arguments) => self.arguments(i, tool, arguments),
            }
        }
        if self.total > 0 {
            self.result.signals.set(Signal::UnsupportedShare, self.unsupported / self.total as f64);
        }
        self.result.values = self.total;
    }

    fn arguments(&mut self, call: usize, tool: Option<&Tool>, arguments: &Object) {
        if let Some(tool) = tool {
            let from = self.result.findings.len();
            schema::check(tool, arguments, call, self.dialect, &mut self.result.findings);
            for finding in &self.result.findings[from..] {
                let signal = match finding {
                    Finding::MissingParameter { .. } => Signal::Missing,
                    Finding::UnknownParameter { .. } => Signal::UnknownParameter,
                    Finding::WrongType { .. } => Signal::WrongType,
                    Finding::LooseType { .. } => Signal::LooseType,
                    Finding::NotAllowed { .. } => Signal::NotAllowed,
                    Finding::BrokenRule { .. } => Signal::BrokenRule,
                    _ => continue,
                };
                self.result.signals.add(signal, 1.0, 3.0);
            }
        }
        for (name, value) in arguments.iter() {
            let node = tool.and_then(|tool| tool.root.property(name));
            let optional = node.is_some_and(|node| !node.required);
            self.value(call, step("", name), node, value, optional);
        }
    }

    fn value(&mut self, call: usize, path: String, node: Option<&Node>, value: &Json, optional: bool) {
        if self.total >= MOST_VALUES {
            return;
        }
        match value {
            Json::Array(items) => {
                let inner = node.and_then(|node| node.items.as_deref());
                for (i, item) in items.iter().enumerate().take(MOST_VALUES) {
                    self.value(call, format!("{path}/{i}"), inner.or(node), item, optional);
                }
            }
            Json::Object(object) => {
                for (key, item) in object.iter().take(MOST_VALUES) {
                    let inner = node.and_then(|node| node.property(key));
                    self.used.add(key);
                    let optional = optional || inner.is_some_and(|node| !node.required);
                    self.value(call, step(&path, key), inner, item, optional);
                }
            }
            value => {
                self.total += 1;
                self.used.add(&text_of(value));
                let support = support(self.evidence, node, value);
                self.weigh(Place { call, path }, node, value, optional, support);
            }
        }
    }

    fn weigh(&mut self, at: Place, node: Option<&Node>, value: &Json, optional: bool, support: Support) {
        let text = text_of(value);
        let long = text.len() > 60;
        if long {
            self.result.signals.add(Signal::LongText, 1.0, 2.0);
        }
        let mut missing = 0.0;
        match support {
            Support::Literal => {}
            Support::Normalised => {}
            Support::Default if optional => self.result.signals.add(Signal::ExplicitDefault, 1.0, 3.0),
            Support::Default => {}
            Support::Choice => self.result.signals.add(Signal::InferredChoice, 1.0, 3.0),
            Support::Derived => {
                missing = 0.3;
                self.find(Finding::Derived { at, value: text }, Signal::Derived, 1.0);
            }
            Support::KeptPercent => {
                self.find(Finding::KeptPercent { at, value: text }, Signal::KeptPercent, 1.0);
            }
            Support::Partial(share) => {
                missing = 1.0 - share;
                let signal = if optional { Signal::PartlyOptional } else { Signal::PartlyGrounded };
                self.find(Finding::PartlyGrounded { at, value: text }, signal, 1.0 - share);
            }
            Support::Described => {
                missing = 0.5;
                let signal = if optional { Signal::DescribedOptional } else { Signal::Described };
                self.find(Finding::CopiedExample { at, value: text }, signal, 1.0);
            }
            Support::OtherChoice(named) => {
                missing = 0.5;
                self.find(Finding::OtherChoice { at, value: text, named }, Signal::OtherChoice, 1.0);
            }
            Support::Placeholder => {
                missing = 1.0;
                self.find(Finding::Placeholder { at, value: text }, Signal::Placeholder, 1.0);
            }
            Support::None => {
                missing = 1.0;
                let signal = match value {
                    _ if optional => Signal::UngroundedOptional,
                    Json::Number(_) => Signal::UngroundedNumber,
                    Json::Bool(_) => Signal::UngroundedBoolean,
                    _ => Signal::UngroundedText,
                };
                self.find(Finding::Ungrounded { at, value: text, optional }, signal, 1.0);
            }
        }
        self.unsupported += missing;
        self.result.supported += usize::from(missing == 0.0);
    }

    fn choice_of_tools(&mut self, calls: &[ToolCall]) {
        let tools = &self.toolbox.tools;
        let called: Vec<usize> = calls.iter().filter_map(|call| self.toolbox.find(&call.name)).collect();
        let worst = calls
            .iter()
            .enumerate()
            .filter_map(|(i, call)| self.toolbox.find(&call.name).map(|at| (i, at)))
            .min_by(|a, b| self.fits[a.1].score().total_cmp(&self.fits[b.1].score()));
        let uncalled: Vec<usize> = (0..tools.len()).filter(|at| !called.contains(at)).collect();
        let best =
            uncalled.iter().copied().max_by(|a, b| self.fits[*a].score().total_cmp(&self.fits[*b].score()));
        if calls.is_empty() {
            self.result.signals.set(Signal::NoCall, 1.0);
            if let Some(best) = best {
                let fit = self.fits[best].score();
                self.result.signals.set(Signal::NoCallButFit, fit);
                if fit > 0.48 {
                    self.result.findings.push(Finding::CallDue { tool: tools[best].name.clone() });
                }
            }
            return;
        }
        if let Some((call, at)) = worst {
            let fit = self.fits[at];
            self.result.signals.set(Signal::NameMisfit, 1.0 - fit.name);
            self.result.signals.set(Signal::TextMisfit, 1.0 - fit.text);
            let tool = tools[at].name.clone();
            if fit.score() < 0.2 {
                self.result.findings.push(Finding::PoorFit { call, tool: tool.clone() });
            }
            if let Some(best) = best {
                let gain = (self.fits[best].score() - fit.score()).max(0.0);
                self.result.signals.set(Signal::BetterTool, gain);
                if gain > 0.25 {
                    self.result.findings.push(Finding::BetterTool {
                        call,
                        tool,
                        other: tools[best].name.clone(),
                    });
                }
            }
        }
    }

    fn left_out_tool(&mut self, calls: &[ToolCall]) {
        let tools = &self.toolbox.tools;
        if calls.is_empty() {
            return;
        }
        let called: Vec<usize> = calls.iter().filter_map(|call| self.toolbox.find(&call.name)).collect();
        let own: Vec<&Tool> = called.iter().map(|at| &tools[*at]).collect();
        let left_out = (0..tools.len())
            .filter(|at| !called.contains(at))
            .take(MOST_CALLS)
            .map(|at| (own_fit(&tools[at], &own, self.evidence), at))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((fit, at)) = left_out {
            self.result.signals.set(Signal::LeftOut, fit);
            if fit > 0.4 {
                self.result.findings.push(Finding::LeftOut { tool: tools[at].name.clone() });
            }
        }
    }

    /// What of the question neither the calls nor the called tools speak of.
    fn leftovers(&mut self, sample: &Sample, calls: &[ToolCall]) {
        if calls.is_empty() {
            return;
        }
        let called: Vec<&Tool> = calls
            .iter()
            .filter_map(|call| self.toolbox.find(&call.name))
            .map(|at| &self.toolbox.tools[at])
            .collect();
        let literals = &self.evidence.literals;
        let used: Vec<bool> = literals.iter().map(|span| self.is_used(span, &called)).collect();
        let question = sample.question.as_str();
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
            self.find(Finding::Unused { text: span.text.clone(), kind: span.kind }, signal, 1.0);
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

    fn is_used(&self, span: &Span, called: &[&Tool]) -> bool {
        if self.used.text.contains(&span.folded) || called.iter().any(|tool| tool.text.contains(&span.folded))
        {
            return true;
        }
        match span.value {
            Some(value) => {
                self.used.numbers.explain(value).is_some() || self.used.numbers.contains(value / 100.0)
            }
            None => {
                let stems = stems(&span.folded);
                !stems.is_empty()
                    && stems.iter().filter(|stem| self.used.stems.contains(stem)).count() * 2 >= stems.len()
            }
        }
    }

    fn duplicates(&mut self, calls: &[ToolCall]) {
        for (i, call) in calls.iter().enumerate() {
            if let Some(of) = calls[..i]
                .iter()
                .position(|other| other.name == call.name && other.arguments == call.arguments)
            {
                self.find(Finding::Duplicate { call: i, of }, Signal::Duplicate, 1.0);
            }
        }
    }

    fn requests(&mut self, calls: &[ToolCall]) {
        let requests =
            words(&self.evidence.question).filter(|word| SEVERAL.contains(word)).take(6).count() as f64;
        if calls.len() == 1 {
            self.result.signals.set(Signal::OneCallManyRequests, requests);
            if requests >= 3.0 {
                self.result.findings.push(Finding::TooFewCalls { calls: 1 });
            }
        }
    }

    fn find(&mut self, finding: Finding, signal: Signal, strength: f64) {
        self.result.signals.add(signal, strength, 3.0);
        if self.result.findings.len() < MOST_FINDINGS {
            self.result.findings.push(finding);
        }
    }
}

/// Words by which a question asks for several things.
#[rustfmt::skip]
const SEVERAL: &[&str] = &[
    "and", "both", "each", "respectively", "also", "then", "second", "secondly", "third", "finally",
    "lastly", "additionally", "another", "und", "y", "et", "e", "auch", "ademas",
];
