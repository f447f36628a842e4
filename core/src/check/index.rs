//! Weights of the words in tool definitions: words that all tools of a set share weigh least.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use super::node::Node;
use super::toolbox::{Tool, stems};
use crate::reading::words::{Prehashed, Stem};

/// The stems of a parameter's words.
pub(super) struct Parameter {
    /// Of its name.
    pub name: Vec<Stem>,
    /// Of its description, once they are asked for: most tools of a set are never called.
    own: OnceLock<Vec<Stem>>,
}

impl Parameter {
    pub(super) fn new(node: &Node) -> Parameter {
        Parameter { name: stems(&node.name), own: OnceLock::new() }
    }

    /// Of its description; `node` is that of the parameter.
    pub(super) fn described(&self, node: &Node) -> &[Stem] {
        self.own.get_or_init(|| stems(&node.description))
    }
}

/// How well a tool fits a text, by shared words, each weighed by how few tools have it: 0 to 1 each.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ToolFit {
    /// Of the name's words, those that the text has.
    pub name: f32,
    /// Of the name's and the description's.
    pub described: f32,
    /// Of the parameters' names.
    pub parameters: f32,
    /// Of the text's words, those that the definition has.
    pub question: f32,
}

impl ToolFit {
    /// From 0 to 3.
    pub(super) fn mix(&self) -> f32 {
        self.name + self.described + self.question
    }
}

/// Where in a definition a word stands.
const IN_NAME: u8 = 1;
const IN_DESCRIPTION: u8 = 2;
const IN_PARAMETERS: u8 = 4;

/// A tool that has a word.
struct Posting {
    tool: u32,
    places: u8,
    /// Where in the list of all stands the tool before it that has the word.
    before: Option<u32>,
}

impl Posting {
    /// Adds the weight of its word to the sums of the places where it stands: of name, of name and description, of parameters' names.
    fn weigh(&self, sums: &mut [f32; 3], weight: f32) {
        for (sum, place) in sums.iter_mut().zip([IN_NAME, IN_DESCRIPTION, IN_PARAMETERS]) {
            *sum += if self.places & place == 0 { 0.0 } else { weight };
        }
    }
}

/// A word's last posting, and how many it has.
struct Shared {
    last: u32,
    count: u32,
}

/// Which tools have which words.
pub(super) struct Index {
    tools: usize,
    shared: HashMap<Stem, Shared, BuildHasherDefault<Prehashed>>,
    postings: Vec<Posting>,
    /// The weights of all words of a tool: of its name, of name and description, of its parameters' names.
    totals: Vec<[f32; 3]>,
}

impl Index {
    pub(super) fn new(tools: &[Tool]) -> Index {
        let totals = vec![[0.0; 3]; tools.len()];
        let mut index =
            Index { tools: tools.len(), shared: HashMap::default(), postings: Vec::new(), totals };
        for (at, tool) in tools.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let mut add = |stem: &Stem, places: u8| index.add(*stem, at, places);
            tool.name_stems.iter().for_each(|stem| add(stem, IN_NAME | IN_DESCRIPTION));
            tool.stems.iter().for_each(|stem| add(stem, IN_DESCRIPTION));
            tool.parameters.iter().flat_map(|own| &own.name).for_each(|stem| add(stem, IN_PARAMETERS));
            tool.all_stems.iter().for_each(|stem| add(stem, 0));
        }
        let mut totals = std::mem::take(&mut index.totals);
        for shared in index.shared.values() {
            let weight = weight(index.tools, shared.count);
            index.of(shared).for_each(|own| own.weigh(&mut totals[own.tool as usize], weight));
        }
        Index { totals, ..index }
    }

    /// Notes that a word of a tool stands in these places; the tools come in order.
    fn add(&mut self, stem: Stem, tool: u32, places: u8) {
        let next = self.postings.len() as u32;
        match self.shared.entry(stem) {
            Entry::Occupied(mut own) => {
                let own = own.get_mut();
                let last = &mut self.postings[own.last as usize];
                if last.tool == tool {
                    last.places |= places;
                    return;
                }
                self.postings.push(Posting { tool, places, before: Some(own.last) });
                *own = Shared { last: next, count: own.count + 1 };
            }
            Entry::Vacant(own) => {
                own.insert(Shared { last: next, count: 1 });
                self.postings.push(Posting { tool, places, before: None });
            }
        }
    }

    /// The tools that have a word.
    fn of(&self, shared: &Shared) -> impl Iterator<Item = &Posting> {
        let posting = |at: u32| &self.postings[at as usize];
        std::iter::successors(Some(posting(shared.last)), move |own| own.before.map(posting))
    }

    /// How well each tool fits the distinct stems of a text.
    pub(super) fn fits(&self, text: &[Stem]) -> Vec<ToolFit> {
        let mut sums = vec![[0.0f32; 4]; self.tools];
        let mut whole = 0.0;
        for stem in text {
            let Some(shared) = self.shared.get(stem) else {
                whole += weight(self.tools, 0);
                continue;
            };
            let weight = weight(self.tools, shared.count);
            whole += weight;
            for own in self.of(shared) {
                let [places @ .., any] = &mut sums[own.tool as usize];
                own.weigh(places, weight);
                *any += weight;
            }
        }
        let share = |part: f32, of: f32| if of > 0.0 { (part / of).min(1.0) } else { 0.0 };
        sums.iter()
            .zip(&self.totals)
            .map(|(sum, total)| ToolFit {
                name: share(sum[0], total[0]),
                described: share(sum[1], total[1]),
                parameters: share(sum[2], total[2]),
                question: share(sum[3], whole),
            })
            .collect()
    }
}

/// Inverse document frequency of a word that so many of the tools have.
fn weight(tools: usize, having: u32) -> f32 {
    (1.0 + tools as f32 / having.max(1) as f32).ln()
}
