//! A fitted forest: the sum of its trees' outputs is the log-odds of "yes".

use super::tree::{Child, Node, Tree, leaf_of};

/// Trees whose sum is a margin. Laid out for walking: every step takes the same work, and a leaf leads to itself, so that a tree is
/// done after as many steps as its depth, wherever a row ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    base: f64,
    columns: usize,
    trees: Vec<Root>,
    /// Of each tree its nodes, and then its leaves.
    steps: Vec<Step>,
    /// Of each step: the mean of a node, or what a leaf adds.
    values: Vec<f32>,
}

/// Where a tree begins.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Root {
    first: usize,
    /// Tests on the longest way to a leaf.
    depth: usize,
}

/// A test, and the places in the tree that it leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    threshold: f32,
    column: u16,
    left: u16,
    right: u16,
}

impl Step {
    fn leaf(at: u16) -> Step {
        Step { threshold: 0.0, column: 0, left: at, right: at }
    }

    /// Where a row goes from here.
    fn next(&self, row: &[f32]) -> usize {
        usize::from(if row[usize::from(self.column)] <= self.threshold { self.left } else { self.right })
    }
}

/// Trees walked side by side: none has to wait for another.
const ABREAST: usize = 8;

impl Forest {
    /// Trees at most.
    pub const MOST_TREES: usize = 10_000;

    /// Without trees: the margin of every row (of `columns` features) is `base`, which should be finite.
    pub fn empty(base: f64, columns: usize) -> Forest {
        Forest { base, columns, trees: Vec::new(), steps: Vec::new(), values: Vec::new() }
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
        for trees in self.trees.chunks(ABREAST) {
            let mut places = [0; ABREAST];
            places.iter_mut().zip(trees).for_each(|(place, tree)| *place = tree.first);
            for _ in 0..trees.iter().map(|tree| tree.depth).max().unwrap_or(0) {
                for (place, tree) in places.iter_mut().zip(trees) {
                    *place = tree.first + self.steps[*place].next(row);
                }
            }
            for place in &places[..trees.len()] {
                sum += f64::from(self.values[*place]);
            }
        }
        sum
    }

    /// The log-odds of the mean example: what [`contributions`](Forest::contributions) start from.
    pub fn expected(&self) -> f64 {
        self.base + self.trees.iter().map(|tree| f64::from(self.values[tree.first])).sum::<f64>()
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
        for tree in &self.trees {
            let mut at = tree.first;
            for _ in 0..tree.depth {
                let step = &self.steps[at];
                let next = tree.first + step.next(row);
                // A leaf that leads to itself credits nothing.
                credited[usize::from(step.column)] +=
                    f64::from(self.values[next]) - f64::from(self.values[at]);
                at = next;
            }
        }
        credited.into_iter().enumerate().filter(|(_, credit)| *credit != 0.0).collect()
    }

    /// One tree more. It must be free of [faults](Tree::fault).
    pub(super) fn push(&mut self, tree: &Tree) {
        let nodes = tree.nodes.len();
        let place = |child: Child| usize::try_from(child).unwrap_or_else(|_| nodes + leaf_of(child));
        let mut depths = vec![0; nodes + tree.leaves.len()];
        for (at, node) in tree.nodes.iter().enumerate() {
            for child in [node.left, node.right] {
                depths[place(child)] = depths[at] + 1;
            }
        }
        self.trees.push(Root { first: self.steps.len(), depth: depths.into_iter().max().unwrap_or(0) });
        self.steps.extend(tree.nodes.iter().map(|node| {
            let [left, right] = [node.left, node.right].map(|child| place(child) as u16);
            Step { threshold: node.threshold, column: node.column, left, right }
        }));
        self.steps.extend((nodes..nodes + tree.leaves.len()).map(|at| Step::leaf(at as u16)));
        self.values.extend(tree.means.iter().chain(&tree.leaves));
    }

    /// The trees one by one.
    pub(super) fn each_tree(&self) -> impl Iterator<Item = Tree> {
        let ends = self.trees.iter().skip(1).map(|tree| tree.first).chain([self.steps.len()]);
        self.trees.iter().zip(ends).map(|(tree, end)| {
            // There is one leaf more than there are nodes.
            let nodes = (end - tree.first) / 2;
            let child = |place: u16| match usize::from(place).checked_sub(nodes) {
                Some(leaf) => Tree::leaf(leaf),
                None => place as Child,
            };
            let node = |step: &Step| {
                let (left, right) = (child(step.left), child(step.right));
                Node { threshold: step.threshold, column: step.column, left, right }
            };
            let leaves = tree.first + nodes;
            Tree {
                nodes: self.steps[tree.first..leaves].iter().map(node).collect(),
                leaves: self.values[leaves..end].to_vec(),
                means: self.values[tree.first..leaves].to_vec(),
            }
        })
    }
}
