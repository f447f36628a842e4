//! Grows one tree: always splits the leaf with the largest gain.

use super::bins::Bins;
use super::histogram::{Derivatives, Histogram, Sums};
use super::split::{Bounds, Rules, Split};
use super::tree::{Child, Node, Tree};

/// What the trees of one forest have in common.
#[derive(Debug)]
pub(super) struct Grower<'a> {
    pub bins: &'a Bins,
    pub rules: Rules<'a>,
    /// Leaves and levels of a tree at most.
    pub leaves: usize,
    pub depth: usize,
    /// What share of its best step a leaf takes.
    pub rate: f64,
    /// Of each row.
    pub weights: &'a [f64],
}

/// A tree, and where it parts binned rows.
#[derive(Debug)]
pub(super) struct Grown {
    pub tree: Tree,
    /// Of each node the last bin that goes left.
    cuts: Vec<u8>,
}

/// A leaf that may be split.
#[derive(Debug)]
struct Leaf {
    rows: Vec<u32>,
    sums: Sums,
    bounds: Bounds,
    depth: usize,
    /// The node above, and whether it is left of it; none above the root.
    parent: Option<(usize, bool)>,
    histogram: Option<Histogram>,
    best: Option<Split>,
}

impl Grower<'_> {
    /// A tree on some rows that tests some columns only; `None` when nothing is gained by any test.
    pub(super) fn grow(
        &self,
        derivatives: &[Derivatives],
        rows: Vec<u32>,
        columns: &[usize],
    ) -> Option<Grown> {
        let (mut nodes, mut cuts): (Vec<Node>, Vec<u8>) = (Vec::new(), Vec::new());
        let histogram = Histogram::new(self.bins, columns, &rows, derivatives);
        let sums = Sums::of(&rows, derivatives);
        let root =
            Leaf { rows, sums, bounds: Bounds::NONE, depth: 0, parent: None, histogram: None, best: None };
        let mut leaves = vec![self.examined(root, histogram, columns)];
        while leaves.len() < self.leaves {
            let Some((at, split)) = next(&leaves) else { break };
            let column = columns[split.place];
            let (node, last) = (nodes.len(), leaves.len() + 1 == self.leaves);
            if let Some((parent, is_left)) = leaves[at].parent {
                let above: &mut Node = &mut nodes[parent];
                *if is_left { &mut above.left } else { &mut above.right } = node as Child;
            }
            nodes.push(Node {
                threshold: self.bins.thresholds(column)[usize::from(split.bin)],
                column: column as u16,
                left: Tree::leaf(at),
                right: Tree::leaf(leaves.len()),
            });
            cuts.push(split.bin);
            let (mut left, mut right, histogram) = self.part(&mut leaves[at], split, column, node);
            if !last
                && left.depth < self.depth
                && let Some(all) = histogram
            {
                // Only the smaller half is counted.
                let left_is_smaller = left.rows.len() <= right.rows.len();
                let smaller = if left_is_smaller { &left.rows } else { &right.rows };
                let counted = Histogram::new(self.bins, columns, smaller, derivatives);
                let rest = all.without(&counted);
                let (of_left, of_right) = if left_is_smaller { (counted, rest) } else { (rest, counted) };
                left = self.examined(left, of_left, columns);
                right = self.examined(right, of_right, columns);
            }
            leaves[at] = left;
            leaves.push(right);
        }
        if nodes.is_empty() {
            return None;
        }
        let values = leaves.iter().map(|leaf| self.rate * self.rules.value(&leaf.sums, leaf.bounds));
        let weight = |leaf: &Leaf| leaf.rows.iter().map(|row| self.weights[*row as usize]).sum::<f64>();
        let weights: Vec<f64> = leaves.iter().map(weight).collect();
        Some(Grown { tree: Tree::new(nodes, &values.collect::<Vec<_>>(), &weights), cuts })
    }

    /// A leaf with its histogram and its best split.
    fn examined(&self, leaf: Leaf, histogram: Histogram, columns: &[usize]) -> Leaf {
        let best = self.rules.best(&histogram, (self.bins, columns), &leaf.sums, leaf.bounds);
        // What is not split further needs no memory.
        Leaf { histogram: best.is_some().then_some(histogram), best, ..leaf }
    }

    /// The two halves of a leaf, whose rows stay in order, and the histogram that it had.
    fn part(
        &self,
        leaf: &mut Leaf,
        split: Split,
        column: usize,
        node: usize,
    ) -> (Leaf, Leaf, Option<Histogram>) {
        let codes = self.bins.codes(column);
        let rows = std::mem::take(&mut leaf.rows);
        let (left, right) = rows.into_iter().partition(|row| codes[*row as usize] <= split.bin);
        let values = [&split.left, &split.right].map(|half| self.rules.value(half, leaf.bounds));
        let direction = self.rules.direction(column);
        let (of_left, of_right) = leaf.bounds.halves(direction, (values[0] + values[1]) / 2.0);
        let half = |rows, sums, bounds, is_left| Leaf {
            rows,
            sums,
            bounds,
            depth: leaf.depth + 1,
            parent: Some((node, is_left)),
            histogram: None,
            best: None,
        };
        let histogram = leaf.histogram.take();
        (half(left, split.left, of_left, true), half(right, split.right, of_right, false), histogram)
    }
}

/// The leaf to be split next: that with the largest gain, of equals the first.
fn next(leaves: &[Leaf]) -> Option<(usize, Split)> {
    let splits = leaves.iter().enumerate().filter_map(|(at, leaf)| Some((at, leaf.best?)));
    splits.reduce(|best, other| if other.1.gain > best.1.gain { other } else { best })
}

impl Grown {
    /// What the tree says of a binned row.
    pub(super) fn value(&self, bins: &Bins, row: usize) -> f64 {
        let mut child = 0;
        while let Ok(at) = usize::try_from(child) {
            let node = &self.tree.nodes[at];
            let goes_left = bins.codes(usize::from(node.column))[row] <= self.cuts[at];
            child = if goes_left { node.left } else { node.right };
        }
        f64::from(self.tree.leaves[super::tree::leaf_of(child)])
    }
}
