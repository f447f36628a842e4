//! A fitted forest: the sum of what its trees say is the log-odds of "yes".

use super::tree::{Child, Node, Tree, leaf_of};

/// Trees whose sum is a margin. Laid out for reading: one array of nodes, one of leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    base: f64,
    columns: usize,
    /// Where each tree begins: its first node and its first leaf.
    trees: Vec<(u32, u32)>,
    nodes: Vec<Node>,
    leaves: Vec<f32>,
    /// Of each node.
    means: Vec<f32>,
}

impl Forest {
    /// Trees at most.
    pub const MOST_TREES: usize = 10_000;

    /// Without trees: the margin of every row (of `columns` features) is `base`, which should be finite.
    pub fn empty(base: f64, columns: usize) -> Forest {
        let (trees, nodes, leaves, means) = Default::default();
        Forest { base, columns, trees, nodes, leaves, means }
    }

    /// The log-odds before any tree.
    pub fn base(&self) -> f64 {
        self.base
    }

    /// Features of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many trees there are.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// The log-odds that the answer is yes. A feature that is not a number counts as greater than any threshold.
    ///
    /// # Panics
    /// When `row` has fewer than [`columns`](Forest::columns) features.
    pub fn margin(&self, row: &[f32]) -> f64 {
        let row = &row[..self.columns];
        let mut sum = self.base;
        for (nodes, leaves) in &self.trees {
            let nodes = &self.nodes[*nodes as usize..];
            let mut child = 0;
            while let Ok(at) = usize::try_from(child) {
                child = step(&nodes[at], row);
            }
            sum += f64::from(self.leaves[*leaves as usize + leaf_of(child)]);
        }
        sum
    }

    /// The log-odds of the mean example: what [`contributions`](Forest::contributions) start from.
    pub fn expected(&self) -> f64 {
        self.base + self.trees.iter().map(|(root, _)| f64::from(self.means[*root as usize])).sum::<f64>()
    }

    /// What each feature adds to or takes from the log-odds of this row: columns in order, without those that change nothing. With
    /// [`expected`](Forest::expected) they sum up to [`margin`](Forest::margin), but for rounding.
    ///
    /// On the way from root to leaf, the mean of the leaves within reach changes with each test; the change is credited to the feature
    /// tested (A. Saabas, "Interpreting random forests", 2014; A. Palczewska and others, "Interpreting random forest classification
    /// models using a feature contribution method", 2014). Of features that act together, the one tested last gets the most.
    ///
    /// # Panics
    /// As [`margin`](Forest::margin).
    pub fn contributions(&self, row: &[f32]) -> Vec<(usize, f64)> {
        let row = &row[..self.columns];
        let mut credited = vec![0.0; self.columns];
        for (first, leaves) in &self.trees {
            let (first, leaves) = (*first as usize, *leaves as usize);
            let (mut child, mut mean) = (0, self.means[first]);
            while let Ok(at) = usize::try_from(child) {
                let node = &self.nodes[first + at];
                child = step(node, row);
                let next = match usize::try_from(child) {
                    Ok(next) => self.means[first + next],
                    Err(_) => self.leaves[leaves + leaf_of(child)],
                };
                credited[usize::from(node.column)] += f64::from(next) - f64::from(mean);
                mean = next;
            }
        }
        credited.into_iter().enumerate().filter(|(_, credit)| *credit != 0.0).collect()
    }

    /// One tree more. It must be free of [faults](Tree::fault).
    pub(super) fn push(&mut self, tree: &Tree) {
        self.trees.push((self.nodes.len() as u32, self.leaves.len() as u32));
        self.nodes.extend(&tree.nodes);
        self.leaves.extend(&tree.leaves);
        self.means.extend(&tree.means);
    }

    /// The trees one by one.
    pub(super) fn each_tree(&self) -> impl Iterator<Item = Tree> {
        let ends = self.trees.iter().skip(1).copied();
        let ends = ends.chain([(self.nodes.len() as u32, self.leaves.len() as u32)]);
        self.trees.iter().zip(ends).map(|((node, leaf), (last_node, last_leaf))| {
            let nodes = *node as usize..last_node as usize;
            Tree {
                nodes: self.nodes[nodes.clone()].to_vec(),
                leaves: self.leaves[*leaf as usize..last_leaf as usize].to_vec(),
                means: self.means[nodes].to_vec(),
            }
        })
    }
}

/// Where a row goes from a node.
fn step(node: &Node, row: &[f32]) -> Child {
    if row[usize::from(node.column)] <= node.threshold { node.left } else { node.right }
}
