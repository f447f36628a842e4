//! One tree: feature tests at the nodes, numbers at the leaves.

use super::digits::rounded;

/// Digits that are kept of leaves and of means.
const LEAF_DIGITS: usize = 4;
const MEAN_DIGITS: usize = 3;

/// A test: a feature at the threshold or below goes left, every other (also what is no number) right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Node {
    pub threshold: f32,
    pub column: u16,
    pub left: Child,
    pub right: Child,
}

/// What comes after a test: from 0 on a node of the tree, below 0 a leaf, -1 the first.
pub(super) type Child = i16;

/// A tree with at least one test. Node 0 is its root, and the children of a node come after it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// What a row that ends here adds to the log-odds.
    pub leaves: Vec<f32>,
    /// Of each node the mean of the leaves below, by the weight of the examples that it was grown from.
    pub means: Vec<f32>,
}

impl Tree {
    /// Leaves that children can name.
    pub(super) const MOST_LEAVES: usize = 4096;

    /// The number of a leaf as a child.
    pub(super) fn leaf(at: usize) -> Child {
        -1 - at as Child
    }

    /// A tree of nodes as grown, leaves not yet rounded, and the weight of the examples in each leaf.
    pub(super) fn new(nodes: Vec<Node>, leaves: &[f64], weights: &[f64]) -> Tree {
        let leaves: Vec<f32> = leaves.iter().map(|leaf| rounded(*leaf, LEAF_DIGITS) as f32).collect();
        let mut sums = vec![(0.0, 0.0); nodes.len()];
        // From the last to the first: children come after their parents.
        for (at, node) in nodes.iter().enumerate().rev() {
            let sum = |child: Child| match usize::try_from(child) {
                Ok(node) => sums[node],
                Err(_) => {
                    let leaf = leaf_of(child);
                    (f64::from(leaves[leaf]) * weights[leaf], weights[leaf])
                }
            };
            let (left, right): ((f64, f64), (f64, f64)) = (sum(node.left), sum(node.right));
            sums[at] = (left.0 + right.0, left.1 + right.1);
        }
        let means = sums.iter().map(|(sum, weight)| rounded(sum / weight, MEAN_DIGITS) as f32).collect();
        Tree { nodes, leaves, means }
    }

    /// What is wrong with it, if anything is: an index out of range, a child that does not come after its parent or has two of them, a
    /// number that is not finite.
    pub(super) fn fault(&self, columns: usize) -> Option<String> {
        let nodes = self.nodes.len();
        if nodes == 0 || self.leaves.len() > Tree::MOST_LEAVES {
            return Some(format!("{nodes} nodes, where 1 to {} are possible", Tree::MOST_LEAVES - 1));
        }
        if self.leaves.len() != nodes + 1 || self.means.len() != nodes {
            let (leaves, means) = (self.leaves.len(), self.means.len());
            return Some(format!("{leaves} leaves and {means} means for {nodes} nodes"));
        }
        if let Some(at) = self.leaves.iter().chain(&self.means).position(|number| !number.is_finite()) {
            return Some(format!("number {at} of leaves and means is not finite"));
        }
        let (mut has_parent, mut leaf_has_parent) = (vec![false; nodes], vec![false; nodes + 1]);
        for (at, node) in self.nodes.iter().enumerate() {
            if usize::from(node.column) >= columns {
                return Some(format!("node {at} tests column {} of {columns}", node.column));
            }
            if !node.threshold.is_finite() {
                return Some(format!("the threshold of node {at} is not finite"));
            }
            for child in [node.left, node.right] {
                let taken = match usize::try_from(child) {
                    Ok(child) if child <= at => {
                        return Some(format!("child {child} of node {at} does not come after it"));
                    }
                    Ok(child) => has_parent.get_mut(child),
                    Err(_) => leaf_has_parent.get_mut(leaf_of(child)),
                };
                match taken {
                    None => return Some(format!("node {at} has no child {child}")),
                    Some(true) => return Some(format!("child {child} of node {at} has two parents")),
                    Some(taken) => *taken = true,
                }
            }
        }
        None
    }
}

/// Which leaf a child below 0 is.
pub(super) fn leaf_of(child: Child) -> usize {
    usize::from((-1 - child).unsigned_abs())
}
