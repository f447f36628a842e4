//! Builds transcripts from records that name their parent: a tree if somebody went back and started again.
//!
//! Every path from a root to a leaf is a transcript. The common part of two paths is judged in the first of them; in the other it
//! is context. Parallel calls are not branches: their results belong to the answer that made the calls.

use std::collections::HashMap;
use std::sync::Arc;

use super::context::Context;
use super::entry::{Entries, Entry, Skip};
use super::transcript::{Copies, Opening, Transcript};
use crate::domain::{Flag, Json, Object, RowError, RowErrorCode};

/// A line of a log.
pub(super) struct Line {
    pub(super) id: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) said: Said,
}

/// What a line says.
pub(super) enum Said {
    /// A part of the assistant's answer `id`.
    Answer { id: Option<String>, model: Option<String>, stop: Option<String>, blocks: Vec<Json> },
    /// Messages of somebody else's, or what tools returned.
    Messages(Vec<Object>),
    /// Nothing: the line is only a link.
    Nothing,
}

/// A session's lines, as they come.
pub(super) struct Thread {
    id: String,
    nodes: Vec<Node>,
    /// The line of each id, and what it is a part of.
    lines: HashMap<String, Place>,
    /// The answers by their ids, and by the ids of their calls.
    answers: HashMap<String, usize>,
    callers: HashMap<String, usize>,
    repeated: usize,
    last: Option<usize>,
    /// How many nodes at the beginning are another session's, where their turns are judged.
    others: usize,
}

/// An answer with what its calls returned, or another's message.
#[derive(Default)]
struct Node {
    elements: Vec<Json>,
    model: Option<String>,
    is_answer: bool,
    /// The id of its first line.
    line: Option<String>,
    link: Link,
}

/// What a line or an answer comes after.
#[derive(Debug, Clone, Default, PartialEq)]
enum Link {
    #[default]
    Root,
    Line(String),
    Node(usize),
}

/// Where a line is.
#[derive(Debug, Clone)]
enum Place {
    Node(usize),
    /// A line that says nothing, and what stands before it in the file.
    Link(Link, Option<usize>),
}

impl Thread {
    pub(super) fn new(id: String) -> Thread {
        Thread {
            id,
            nodes: Vec::new(),
            lines: HashMap::new(),
            answers: HashMap::new(),
            callers: HashMap::new(),
            repeated: 0,
            last: None,
            others: 0,
        }
    }

    /// Says that all lines so far are other sessions'.
    pub(super) fn begin_own(&mut self) {
        (self.others, self.repeated, self.last) = (self.nodes.len(), 0, None);
    }

    /// Adds the next line of the file.
    pub(super) fn add(&mut self, line: Line) {
        let Line { mut id, parent, said } = line;
        match id.as_ref().and_then(|id| self.lines.get(id)) {
            Some(place) if self.holds(place, &said) => {
                self.repeated += 1;
                return;
            }
            // Another line with the same id: whoever names it means the first.
            Some(_) => id = None,
            None => {}
        }
        let link = parent.map_or(Link::Root, Link::Line);
        let place = match said {
            Said::Nothing => Place::Link(link, self.last),
            Said::Answer { id: answer, model, stop, blocks } => {
                let node = self.answer(answer, model, blocks, &id, link);
                if let (Some(stop), Some(Json::Object(message))) =
                    (stop, self.nodes[node].elements.first_mut())
                {
                    message.insert("stop_reason", stop);
                }
                Place::Node(node)
            }
            Said::Messages(messages) => Place::Node(self.messages(messages, &id, link)),
        };
        if let Place::Node(node) = place {
            self.last = Some(node);
        }
        if let Some(id) = id {
            self.lines.insert(id, place);
        }
    }

    /// Whether a line says nothing that is not at its place already.
    fn holds(&self, place: &Place, said: &Said) -> bool {
        let Place::Node(node) = place else { return matches!(said, Said::Nothing) };
        let elements = &self.nodes[*node].elements;
        let is_there = |block: &Json| {
            elements.iter().any(|element| {
                let content = element.get("content").and_then(Json::as_array);
                content.is_some_and(|blocks| blocks.contains(block))
            })
        };
        match said {
            Said::Nothing => true,
            Said::Answer { blocks, .. } => blocks.iter().all(is_there),
            Said::Messages(messages) => messages.iter().all(|message| match message.get("content") {
                Some(Json::Array(blocks)) => blocks.iter().all(is_there),
                _ => elements.iter().any(|element| element.as_object() == Some(message)),
            }),
        }
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn answer(
        &mut self,
        answer: Option<String>,
        model: Option<String>,
        blocks: Vec<Json>,
        line: &Option<String>,
        link: Link,
    ) -> usize {
        let known = answer.as_ref().and_then(|id| self.answers.get(id).copied());
        let node = known.unwrap_or_else(|| {
            let elements = vec![super::value::message("assistant", Json::Array(Vec::new()))];
            self.push(Node { elements, model, is_answer: true, line: line.clone(), link })
        });
        if let Some(id) = answer {
            self.answers.insert(id, node);
        }
        for block in &blocks {
            if let Some(id) = block.get("id").and_then(Json::as_str) {
                self.callers.insert(id.to_owned(), node);
            }
        }
        if let Some(Json::Object(message)) = self.nodes[node].elements.first_mut()
            && let Some(Json::Array(content)) = message.get_mut("content")
        {
            content.extend(blocks);
        }
        node
    }

    /// Results go to the answer that asked for them, the rest are messages of their own.
    fn messages(&mut self, messages: Vec<Object>, line: &Option<String>, link: Link) -> usize {
        let (mut owner, mut elements) = (None, Vec::new());
        for mut message in messages {
            if let Some(Json::Array(blocks)) = message.get_mut("content") {
                let (mut rest, mut returned) = (Vec::new(), false);
                for block in std::mem::take(blocks) {
                    let call = block.get("tool_use_id").and_then(Json::as_str);
                    match call.and_then(|id| self.callers.get(id).copied()) {
                        Some(node) => {
                            let result = super::value::message("user", Json::Array(vec![block]));
                            self.nodes[node].elements.push(result);
                            (owner, returned) = (Some(node), true);
                        }
                        None => rest.push(block),
                    }
                }
                if returned && rest.is_empty() {
                    continue;
                }
                *blocks = rest;
            }
            elements.push(Json::Object(message));
        }
        if let (Some(node), true) = (owner, elements.is_empty()) {
            return node;
        }
        let link = owner.map_or(link, Link::Node);
        self.push(Node { elements, line: line.clone(), link, ..Node::default() })
    }

    /// The node that comes before each, none of them before itself; and the ids of lines whose links run in a circle.
    fn parents(&self) -> (Vec<Option<usize>>, Vec<bool>, Vec<String>) {
        let mut guessed = vec![false; self.nodes.len()];
        let mut circles = Vec::new();
        let mut parents: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        // Where the lines that only link lead to: thousands may lead to the same.
        let mut known: HashMap<&str, (Option<usize>, bool)> = HashMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let mut link = &node.link;
            let mut before = at.checked_sub(1);
            let mut passed: Vec<&str> = Vec::new();
            let (parent, is_guess) = loop {
                let id = match link {
                    Link::Root => break (None, false),
                    Link::Node(node) => break (Some(*node), false),
                    Link::Line(id) => id.as_str(),
                };
                match self.lines.get(id) {
                    Some(Place::Node(node)) => break (Some(*node), false),
                    None => break (before, true),
                    Some(Place::Link(next, last)) => {
                        if let Some(found) = known.get(id) {
                            if passed.contains(&id) {
                                circles.push(id.to_owned());
                            }
                            break *found;
                        }
                        // Known as a root while it is passed: who comes here again runs in a circle.
                        known.insert(id, (None, false));
                        passed.push(id);
                        (link, before) = (next, *last);
                    }
                }
            };
            for id in passed {
                known.insert(id, (parent, is_guess));
            }
            guessed[at] = is_guess;
            parents.push(parent);
        }
        // Who comes to itself by going back is the first of its circle from now on.
        let mut state = vec![0_usize; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut at = start;
            while state[at] == 0 {
                state[at] = start + 1;
                match parents[at] {
                    Some(parent) if state[parent] == start + 1 => {
                        circles.push(self.nodes[parent].line.clone().unwrap_or_default());
                        parents[parent] = None;
                        break;
                    }
                    Some(parent) => at = parent,
                    None => break,
                }
            }
        }
        (parents, guessed, circles)
    }

    /// The turns of all branches, in the order in which the branches end.
    pub(super) fn entries(mut self, context: &Context) -> Entries {
        let (parents, guessed, circles) = self.parents();
        let mut is_leaf = vec![true; self.nodes.len()];
        for parent in parents.iter().flatten() {
            is_leaf[*parent] = false;
        }
        let leaves: Vec<usize> = (self.others..self.nodes.len()).filter(|at| is_leaf[*at]).collect();
        let id = self.id.clone();
        let errors = circles.into_iter().map(move |line| {
            let why = format!(
                "session {}: the links of line {} run in a circle; what came before its first line is not known",
                RowError::excerpt(&id),
                RowError::excerpt(&line)
            );
            Entry::Unreadable(RowError::new(RowErrorCode::UnrecognisedRecord, why))
        });
        let repeated = std::iter::repeat_n(Entry::Skipped(Skip::Repeated), self.repeated);
        let only = leaves.len() == 1;
        let mut seen: Vec<bool> = (0..self.nodes.len()).map(|at| at < self.others).collect();
        let (turns, normalizer) = (context.turns, Arc::clone(context.normalizer));
        let source = context.source.to_owned();
        let branches = leaves.into_iter().enumerate().flat_map(move |(number, leaf)| {
            let mut path: Vec<usize> = std::iter::successors(Some(leaf), |at| parents[*at]).collect();
            path.reverse();
            let fresh = path.partition_point(|at| seen[*at]);
            let own = &path[fresh..];
            own.iter().for_each(|at| seen[*at] = true);
            if !own.iter().any(|at| self.nodes[*at].is_answer) {
                return super::entry::skipped(Skip::NoOutput);
            }
            let shared = path[..fresh].iter().map(|at| self.nodes[*at].elements.len()).sum();
            let models: Vec<&String> = own.iter().filter_map(|at| self.nodes[*at].model.as_ref()).collect();
            let model = models.first().filter(|first| models.iter().all(|model| model == *first));
            let model = model.map(|model| (*model).clone());
            let line = own.first().and_then(|at| self.nodes[*at].line.as_ref());
            let id = match (number, line) {
                (1.., Some(line)) => format!("{}/{line}", self.id),
                _ => self.id.clone(),
            };
            let flags = path.iter().any(|at| guessed[*at]).then_some(Flag::MissingParent);
            let elements = path.iter().flat_map(|at| match only {
                true => std::mem::take(&mut self.nodes[*at].elements),
                false => self.nodes[*at].elements.clone(),
            });
            let elements = elements.collect();
            let flags = flags.into_iter().collect();
            Transcript {
                id: Some(id),
                elements,
                opening: Opening::Elsewhere(shared),
                copies: Copies::Forked,
                model,
                flags,
                ..Transcript::default()
            }
            .turns(turns, &normalizer, &source)
        });
        Box::new(repeated.chain(errors).chain(branches))
    }
}
