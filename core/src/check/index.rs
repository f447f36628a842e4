//! The words of tool definitions, weighed: what all tools of a set say tells them apart least.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::node::Node;
use super::toolbox::{Tool, stems};
use crate::reading::words::{Prehashed, Stem};

/// The stems of a parameter's words.
pub(super) struct Parameter {
    /// Of its name.
    pub name: Vec<Stem>,
    /// Of its description.
    pub own: Vec<Stem>,
}

impl Parameter {
    pub(super) fn new(node: &Node) -> Parameter {
        Parameter { name: stems(&node.name), own: stems(&node.description) }
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

type Postings = HashMap<Stem, Vec<(u32, u8)>, BuildHasherDefault<Prehashed>>;

/// Which tools have which words.
pub(super) struct Index {
    tools: usize,
    postings: Postings,
    /// The weights of all words of a tool: of its name, of name and description, of its parameters' names.
    totals: Vec<[f32; 3]>,
}

impl Index {
    pub(super) fn new(tools: &[Tool]) -> Index {
        let mut postings = Postings::default();
        for (at, tool) in tools.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let mut add = |stem: Stem, place: u8| {
                let list = postings.entry(stem).or_default();
                match list.last_mut() {
                    Some((last, places)) if *last == at => *places |= place,
                    _ => list.push((at, place)),
                }
            };
            tool.name_stems.iter().for_each(|stem| add(*stem, IN_NAME | IN_DESCRIPTION));
            tool.stems.iter().for_each(|stem| add(*stem, IN_DESCRIPTION));
            tool.parameters.iter().flat_map(|own| &own.name).for_each(|stem| add(*stem, IN_PARAMETERS));
            tool.all_stems.iter().for_each(|stem| add(*stem, 0));
        }
        let mut index = Index { tools: tools.len(), postings, totals: vec![[0.0; 3]; tools.len()] };
        for list in index.postings.values() {
            let weight = weight(index.tools, list.len());
            for (at, places) in list {
                let total = &mut index.totals[*at as usize];
                for (slot, place) in total.iter_mut().zip([IN_NAME, IN_DESCRIPTION, IN_PARAMETERS]) {
                    *slot += if places & place == 0 { 0.0 } else { weight };
                }
            }
        }
        index
    }

    /// How well each tool fits the distinct stems of a text.
    pub(super) fn fits(&self, text: &[Stem]) -> Vec<ToolFit> {
        let mut sums = vec![[0.0f32; 4]; self.tools];
        let mut whole = 0.0;
        for stem in text {
            let Some(list) = self.postings.get(stem) else {
                whole += weight(self.tools, 0);
                continue;
            };
            let weight = weight(self.tools, list.len());
            whole += weight;
            for (at, places) in list {
                let sum = &mut sums[*at as usize];
                for (slot, place) in sum.iter_mut().zip([IN_NAME, IN_DESCRIPTION, IN_PARAMETERS]) {
                    *slot += if places & place == 0 { 0.0 } else { weight };
                }
                sum[3] += weight;
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
fn weight(tools: usize, having: usize) -> f32 {
    (1.0 + tools as f32 / having.max(1) as f32).ln()
}
