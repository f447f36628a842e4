//! Forests and calibrations to JSON and back; damaged files are refused.
//!
//! ```json
//! {"columns":2,"base":-0.5,"trees":[{"n":[[0,0.5,-1,1],[1,2.5,-2,-3]],"v":[-0.2,0.1,0.4],"m":[0.02,0.3]}]}
//! ```
//!
//! `n` holds the tests of a tree, each `[column, threshold, left, right]`: a feature at the threshold or below goes left. A child
//! of 0 or more is a test of this tree, which comes after its parent; -1 is the first leaf, -2 the second. `v` holds the leaves,
//! `m` the mean of the leaves below each test. Calibrations are `{"isotonic":[[log-odds,probability],...]}` or
//! `{"platt":[slope,intercept]}`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::calibration::Calibration;
use super::digits::single;
use super::examples::Examples;
use super::forest::Forest;
use super::isotonic::Isotonic;
use super::platt::Platt;
use super::tree::{Child, Node, Tree};

/// Why JSON is no forest, or no calibration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct DamagedText {
    /// Where: `forest`, `tree 3` (from 0), `calibration`.
    pub place: String,
    /// What is wrong there.
    pub why: String,
}

/// A tree as read, nothing checked but ranges of integers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeText {
    n: Vec<(u16, f32, Child, Child)>,
    v: Vec<f32>,
    m: Vec<f32>,
}

impl Forest {
    /// The forest as JSON, each number with the fewest digits that give it again.
    pub fn to_json(&self) -> Value {
        let trees = self.each_tree().map(|tree| {
            let test = |node: &Node| json!([node.column, single(node.threshold), node.left, node.right]);
            let numbers = |numbers: &[f32]| numbers.iter().map(|number| single(*number)).collect::<Value>();
            let tests: Value = tree.nodes.iter().map(test).collect();
            json!({"n": tests, "v": numbers(&tree.leaves), "m": numbers(&tree.means)})
        });
        json!({"columns": self.columns(), "base": self.base(), "trees": trees.collect::<Value>()})
    }

    /// Reads what [`to_json`](Forest::to_json) wrote.
    ///
    /// # Errors
    /// When it is anything else: a key too many or too few, an index out of range, a test that is nobody's child or that of two, a number
    /// that is not finite, too many trees.
    pub fn from_json(json: &Value) -> Result<Forest, DamagedText> {
        let damaged = |why: &str| DamagedText { place: "forest".to_owned(), why: why.to_owned() };
        let object = json.as_object().ok_or_else(|| damaged("not an object"))?;
        if let Some(key) = object.keys().find(|key| !["columns", "base", "trees"].contains(&key.as_str())) {
            return Err(damaged(&format!("unknown key `{key}`")));
        }
        let columns = object.get("columns").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let columns = columns.filter(|columns| *columns <= Examples::MOST_COLUMNS);
        let columns = columns.ok_or_else(|| damaged("`columns` is not a number of columns"))?;
        let base = object.get("base").and_then(Value::as_f64).filter(|base| base.is_finite());
        let base = base.ok_or_else(|| damaged("`base` is not a number"))?;
        let trees = object.get("trees").and_then(Value::as_array);
        let trees = trees.ok_or_else(|| damaged("`trees` is not a list"))?;
        if trees.len() > Forest::MOST_TREES {
            return Err(damaged("there are too many trees"));
        }
        let mut forest = Forest::empty(base, columns);
        for (at, tree) in trees.iter().enumerate() {
            let damaged = |why| DamagedText { place: format!("tree {at}"), why };
            let text = TreeText::deserialize(tree).map_err(|error| damaged(error.to_string()))?;
            let node = |(column, threshold, left, right)| Node { threshold, column, left, right };
            let tree = Tree { nodes: text.n.into_iter().map(node).collect(), leaves: text.v, means: text.m };
            match tree.fault(columns) {
                Some(why) => return Err(damaged(why)),
                None => forest.push(&tree),
            }
        }
        Ok(forest)
    }
}

impl Calibration {
    /// The calibration as JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Calibration::Isotonic(isotonic) => json!({"isotonic": isotonic.knots()}),
            Calibration::Platt(platt) => json!({"platt": [platt.slope(), platt.intercept()]}),
        }
    }

    /// Reads what [`to_json`](Calibration::to_json) wrote.
    ///
    /// # Errors
    /// When it is anything else: not one of the two kinds, knots out of order or range or too many, a slope that is not above 0.
    pub fn from_json(json: &Value) -> Result<Calibration, DamagedText> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "snake_case")]
        enum Text {
            Isotonic(Vec<(f64, f64)>),
            Platt(f64, f64),
        }
        let damaged = |why: &str| DamagedText { place: "calibration".to_owned(), why: why.to_owned() };
        match Text::deserialize(json).map_err(|error| damaged(&error.to_string()))? {
            Text::Isotonic(knots) => Isotonic::through(knots)
                .map(Calibration::Isotonic)
                .ok_or_else(|| damaged("knots are missing, too many, out of order or out of range")),
            Text::Platt(slope, intercept) => {
                Platt::line(slope, intercept).map(Calibration::Platt).ok_or_else(|| {
                    damaged("the slope is not a finite number above 0, or the intercept not finite")
                })
            }
        }
    }
}
