//! Tests of forests on toy data, and properties that must hold for any data.

use proptest::prelude::*;
use serde_json::Value;

use super::{Calibration, Examples, FitError, Forest, Growth};
use crate::domain::Random;

/// Small enough for a debug build.
const SMALL: Growth = Growth {
    trees: 30,
    leaves: 8,
    depth: 4,
    min_rows: 5,
    learning_rate: 0.2,
    row_share: 0.8,
    column_share: 0.8,
    l2: 1.0,
    seed: 1,
};

/// All examples and columns for each tree.
const WHOLE: Growth = Growth { row_share: 1.0, column_share: 1.0, ..SMALL };

/// Examples of weight 1 with features from -1 to 1, and labels by chance from log-odds.
fn toy(rows: usize, columns: usize, seed: u64, log_odds: impl Fn(&[f32]) -> f64) -> Examples {
    let mut random = Random::new(seed);
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let row: Vec<f32> = (0..columns).map(|_| (2.0 * random.unit() - 1.0) as f32).collect();
        labels.push(random.chance(1.0 / (1.0 + (-log_odds(&row)).exp())));
        features.extend(row);
    }
    Examples::new(features, columns, labels, vec![1.0; rows], (0..rows as u64).collect()).unwrap()
}

fn all(examples: &Examples) -> Vec<u32> {
    (0..examples.len() as u32).collect()
}

fn fit(examples: &Examples, growth: &Growth, monotone: &[i8]) -> Forest {
    Forest::fit(examples, &all(examples), growth, monotone).unwrap()
}

/// The share of pairs of a "yes" and a "no" whose margins are in order.
fn ordered(forest: &Forest, examples: &Examples) -> f64 {
    let margins: Vec<f64> = (0..examples.len()).map(|row| forest.margin(examples.row(row))).collect();
    let of = |label| {
        let rows = margins.iter().zip(examples.labels());
        rows.filter(move |(_, own)| **own == label).map(|(margin, _)| *margin).collect::<Vec<f64>>()
    };
    let (yes, no) = (of(true), of(false));
    let won = yes.iter().flat_map(|yes| no.iter().map(move |no| f64::from(u8::from(yes > no))));
    won.sum::<f64>() / (yes.len() * no.len()) as f64
}

/// What each toy asks for, and the least area under the curve on new examples.
type Toy = (&'static str, fn(&[f32]) -> f64, f64);

const TOYS: &[Toy] = &[
    ("line", |x| 6.0 * f64::from(x[0] + x[1]), 0.94),
    ("xor", |x| if (x[0] > 0.0) == (x[1] > 0.0) { 4.0 } else { -4.0 }, 0.95),
    ("ring", |x| 20.0 * (0.5 - f64::from(x[0] * x[0] + x[2] * x[2])), 0.94),
    ("step", |x| if x[3] > 0.7 { 3.0 } else { -3.0 }, 0.82),
];

#[test]
fn toys_are_learned() {
    for (name, log_odds, least) in TOYS {
        let (seen, new) = (toy(3000, 4, 1, log_odds), toy(1000, 4, 2, log_odds));
        for growth in [SMALL, WHOLE] {
            let forest = fit(&seen, &growth, &[]);
            let found = ordered(&forest, &new);
            assert!(found > *least, "{name}: {found}");
            let says = forest.margin(&[f32::NAN; 4]);
            assert!(says.is_finite());
        }
    }
}

#[test]
fn the_seed_decides() {
    let examples = toy(500, 4, 3, |x| f64::from(3.0 * x[0]));
    let text = |seed| fit(&examples, &Growth { seed, ..SMALL }, &[]).to_json().to_string();
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn a_weight_of_two_is_two_examples() {
    let one = toy(600, 3, 4, |x| f64::from(2.0 * x[0] - x[1]));
    let doubled: Vec<bool> = (0..one.len()).map(|row| row % 3 == 0).collect();
    let weights = doubled.iter().map(|twice| if *twice { 2.0 } else { 1.0 }).collect();
    let features: Vec<f32> = (0..one.len()).flat_map(|row| one.row(row).to_vec()).collect();
    let weighted = Examples::new(features, 3, one.labels().to_vec(), weights, one.groups().to_vec()).unwrap();
    let twice: Vec<u32> =
        all(&one).into_iter().flat_map(|row| vec![row; 1 + usize::from(doubled[row as usize])]).collect();
    let growth = Growth { min_rows: 1, ..WHOLE };
    let (a, b) = (fit(&weighted, &growth, &[]), Forest::fit(&one, &twice, &growth, &[]).unwrap());
    for row in 0..one.len() {
        let (a, b) = (a.margin(one.row(row)), b.margin(one.row(row)));
        assert!((a - b).abs() < 1e-2, "{a} is not {b}");
    }
}

#[test]
fn a_start_is_corrected() {
    let examples = toy(2000, 2, 5, |x| f64::from(3.0 * x[0] + 3.0 * x[1]));
    // The start knows one feature; the forest must find the other alone.
    let start: Vec<f64> = (0..examples.len()).map(|row| f64::from(3.0 * examples.row(row)[0])).collect();
    let forest = Forest::fit_from(&examples, &all(&examples), &WHOLE, &[], &start).unwrap();
    assert_eq!(forest.base(), 0.0);
    let slope = |low: [f32; 2], high: [f32; 2]| forest.margin(&high) - forest.margin(&low);
    assert!(slope([0.0, -0.8], [0.0, 0.8]) > 2.0);
    assert!(slope([-0.8, 0.0], [0.8, 0.0]).abs() < 1.5);
    let same = Forest::fit_from(&examples, &all(&examples), &WHOLE, &[], &start[1..]);
    assert_eq!(same, Err(FitError::Start(2000)));
}

#[test]
fn what_cannot_be_fitted() {
    let examples = toy(20, 2, 6, |_| 0.0);
    let error = |rows: &[u32], growth: &Growth, monotone: &[i8]| {
        Forest::fit(&examples, rows, growth, monotone).map_err(|error| error.to_string()).err()
    };
    for (rows, growth, monotone, expected) in [
        (&[0_u32, 19][..], SMALL, &[0_i8, 1][..], None),
        (&[], SMALL, &[], Some("there are no examples to learn from")),
        (&[20], SMALL, &[], Some("there is no example 20")),
        (&[0], SMALL, &[1], Some("`monotone` must be empty, or -1, 0 or 1 for each of the 2 columns")),
        (&[0], SMALL, &[1, 2], Some("`monotone` must be empty, or -1, 0 or 1 for each of the 2 columns")),
        (&[0], Growth { leaves: 1, ..SMALL }, &[], Some("leaves must be from 2 to 4096, not 1")),
        (&[0], Growth { trees: 10_001, ..SMALL }, &[], Some("trees must be up to 10,000, not 10001")),
        (&[0], Growth { l2: f64::NAN, ..SMALL }, &[], Some("l2 must be a number from 0, not NaN")),
        (&[0], Growth { row_share: 0.0, ..SMALL }, &[], Some("row_share must be above 0, up to 1, not 0")),
    ] {
        assert_eq!(error(rows, &growth, monotone).as_deref(), expected);
    }
}

#[test]
fn one_answer_or_one_value_gives_no_trees() {
    let labels = |label| vec![label; 50];
    let make =
        |features: Vec<f32>, labels| Examples::new(features, 1, labels, vec![1.0; 50], vec![0; 50]).unwrap();
    let grows: Vec<f32> = (0..50).map(|at| at as f32).collect();
    for (examples, base) in [
        (make(grows.clone(), labels(true)), 15.0),
        (make(grows, labels(false)), -15.0),
        (make(vec![1.0; 50], (0..50).map(|at| at % 2 == 0).collect()), 0.0),
    ] {
        let forest = fit(&examples, &SMALL, &[]);
        assert_eq!((forest.trees(), forest.base(), forest.margin(&[3.0])), (0, base, base));
        assert_eq!((forest.expected(), forest.contributions(&[3.0])), (base, Vec::new()));
    }
}

#[test]
fn what_is_no_forest() {
    let tree = |tree: &str| format!(r#"{{"columns":2,"base":0.5,"trees":[{tree}]}}"#);
    let good = r#"{"n":[[0,0.5,-1,1],[1,2.5,-2,-3]],"v":[-0.2,0.1,0.4],"m":[0.02,0.3]}"#;
    let changed = |from: &str, to: &str| tree(&good.replace(from, to));
    for (text, expected) in [
        (tree(good), ""),
        (tree(""), ""),
        ("[]".to_owned(), "forest: not an object"),
        (r#"{"columns":2,"base":0,"trees":[],"x":1}"#.to_owned(), "forest: unknown key `x`"),
        (r#"{"columns":-2,"base":0,"trees":[]}"#.to_owned(), "forest: `columns` is not a number of columns"),
        (r#"{"columns":2,"base":"0","trees":[]}"#.to_owned(), "forest: `base` is not a number"),
        (r#"{"columns":2,"base":0,"trees":{}}"#.to_owned(), "forest: `trees` is not a list"),
        (tree("{}"), "tree 0: missing field `n`"),
        (changed("\"m\"", "\"M\""), "tree 0: unknown field `M`"),
        (changed("[0,0.5", "[2,0.5"), "tree 0: node 0 tests column 2 of 2"),
        (changed("[0,0.5", "[70000,0.5"), "tree 0: invalid value: integer `70000`, expected u16"),
        (changed("2.5", "1e39"), "tree 0: the threshold of node 1 is not finite"),
        (changed("0.4]", "1e39]"), "tree 0: number 2 of leaves and means is not finite"),
        (changed("0.4]", "null]"), "tree 0: invalid type: null, expected f32"),
        (changed("-1,1]", "-1,0]"), "tree 0: child 0 of node 0 does not come after it"),
        (changed("-1,1]", "-1,2]"), "tree 0: node 0 has no child 2"),
        (changed("-2,-3]", "-2,-4]"), "tree 0: node 1 has no child -4"),
        (changed("-2,-3]", "-2,-32768]"), "tree 0: node 1 has no child -32768"),
        (changed("-2,-3]", "-2,-2]"), "tree 0: child -2 of node 1 has two parents"),
        (changed("-2,-3]", "-2,1]"), "tree 0: child 1 of node 1 does not come after it"),
        (changed(",0.3]", "]"), "tree 0: 3 leaves and 1 means for 2 nodes"),
        (tree(r#"{"n":[],"v":[1],"m":[]}"#), "tree 0: 0 nodes, where 1 to 4095 are possible"),
    ] {
        let found = Forest::from_json(&serde_json::from_str(&text).unwrap());
        match found {
            Ok(forest) => assert_eq!((expected, forest.to_json().to_string()), ("", text)),
            Err(error) => assert!(
                !expected.is_empty() && error.to_string().starts_with(expected),
                "{text}: {error} is not {expected}"
            ),
        }
    }
}

#[test]
fn calibrations_as_text() {
    for (text, is_one) in [
        (r#"{"isotonic":[[-1.5,0.1],[0.25,0.7]]}"#, true),
        (r#"{"isotonic":[[-1.5,0.1]]}"#, true),
        (r#"{"platt":[1.5,-0.25]}"#, true),
        (r#"{"isotonic":[]}"#, false),
        (r#"{"isotonic":[[1.5,0.1],[0.25,0.7]]}"#, false),
        (r#"{"isotonic":[[0.0,0.8],[0.25,0.7]]}"#, false),
        (r#"{"isotonic":[[0.0,0.8],[0.25,1.7]]}"#, false),
        (r#"{"platt":[0.0,1.0]}"#, false),
        (r#"{"platt":[-1.0,1.0]}"#, false),
        (r#"{"platt":[1.0]}"#, false),
        (r#"{"platt":[1.0,0.0],"isotonic":[[0.0,0.5]]}"#, false),
        (r#"{"beta":[1.0,0.0]}"#, false),
        ("3", false),
    ] {
        let found = Calibration::from_json(&serde_json::from_str(text).unwrap());
        assert_eq!(
            found.as_ref().map(|found| found.to_json().to_string()).ok(),
            is_one.then(|| text.to_owned())
        );
        if let Err(error) = found {
            assert!(error.to_string().starts_with("calibration: "), "{error}");
        }
    }
}

/// Settings of all kinds, on data where each tree is grown in no time.
fn growths() -> impl Strategy<Value = Growth> {
    let shares = (0.3..1.0f64, 0.3..1.0f64, any::<bool>());
    (2_usize..12, 1_usize..6, 1_usize..10, 0.05..1.0f64, shares, 0.0..3.0f64, any::<u64>()).prop_map(
        |(leaves, depth, min_rows, learning_rate, (row_share, column_share, whole), l2, seed)| Growth {
            trees: 8,
            leaves,
            depth,
            min_rows,
            learning_rate,
            row_share: if whole { 1.0 } else { row_share },
            column_share: if whole { 1.0 } else { column_share },
            l2,
            seed,
        },
    )
}

/// Features of few values, so that many are equal, with labels that have little to do with them.
fn tables() -> impl Strategy<Value = Examples> {
    (10_usize..120).prop_flat_map(|rows| {
        let features = prop::collection::vec((-6_i8..6).prop_map(|n| f32::from(n) / 3.0), 3 * rows);
        let labels = prop::collection::vec(any::<bool>(), rows);
        let weights = prop::collection::vec(0.2..4.0f64, rows);
        (features, labels, weights).prop_map(|(features, labels, weights)| {
            let groups = vec![0; labels.len()];
            Examples::new(features, 3, labels, weights, groups).unwrap()
        })
    })
}

/// The JSON with one value replaced, taken out or moved, decided by `random`.
fn damage(json: &mut Value, random: &mut Random) {
    let mut pick = |count: usize| (random.unit() * count as f64) as usize;
    match json {
        Value::Array(items) if !items.is_empty() && pick(8) > 0 => {
            let (at, other) = (pick(items.len()), pick(items.len()));
            match pick(6) {
                0 => drop(items.remove(at)),
                1 => items.swap(at, other),
                2 => items.push(items[at].clone()),
                _ => damage(&mut items[at], random),
            }
        }
        Value::Object(object) if !object.is_empty() && pick(8) > 0 => {
            let at = pick(object.len());
            if let Some(value) = object.values_mut().nth(at) {
                damage(value, random);
            }
        }
        other => {
            let texts = ["null", "-1", "0", "1", "-2", "3", "65535", "-32768", "1e300", "\"x\"", "[]", "{}"];
            *other = serde_json::from_str(texts[pick(texts.len())]).unwrap();
        }
    }
}

proptest! {
    #[test]
    fn monotone_columns_are(
        examples in tables(),
        growth in growths(),
        monotone in prop::collection::vec(-1_i8..=1, 3),
        rows in prop::collection::vec((prop::array::uniform3(-3.0..3.0f32), 0_usize..3, 0.0..3.0f32), 40),
    ) {
        let forest = fit(&examples, &growth, &monotone);
        for (row, column, more) in rows {
            let mut further = row;
            further[column] += more;
            let change = forest.margin(&further) - forest.margin(&row);
            prop_assert!(change * f64::from(monotone[column]) >= 0.0, "{row:?} {column} {more}: {change}");
        }
    }

    #[test]
    fn texts_give_the_forest_again(examples in tables(), growth in growths()) {
        let forest = fit(&examples, &growth, &[]);
        let text = forest.to_json().to_string();
        let read = Forest::from_json(&serde_json::from_str(&text).unwrap()).unwrap();
        prop_assert_eq!(&read, &forest);
        prop_assert_eq!(read.to_json().to_string(), text);
        for row in 0..examples.len() {
            let row = examples.row(row);
            let credits: f64 = forest.contributions(row).iter().map(|(_, credit)| credit).sum();
            prop_assert!((forest.expected() + credits - forest.margin(row)).abs() < 1e-9);
        }
    }

    #[test]
    fn damaged_texts_are_refused_or_harmless(seed in any::<u64>(), changes in 1_usize..4) {
        let examples = toy(100, 3, 9, |x| f64::from(4.0 * x[0]));
        let mut json = fit(&examples, &Growth { trees: 3, ..SMALL }, &[]).to_json();
        let mut random = Random::new(seed);
        for _ in 0..changes {
            damage(&mut json, &mut random);
        }
        if let Ok(forest) = Forest::from_json(&json) {
            let row = vec![0.5; forest.columns()];
            prop_assert!(forest.margin(&row).is_finite());
            forest.contributions(&row);
        }
        let _ = Calibration::from_json(&json);
    }
}
