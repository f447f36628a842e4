//! Figures against SciPy, scikit-learn, statsmodels and ppi-python; `reference.py` beside this file recorded what they say.

use serde_json::Value;
use tooljudge_core::stats::quantile::{
    beta_quantile, binomial_lower, chi_squared_upper, f_upper, normal_quantile, t_quantile, t_upper,
};
use tooljudge_core::stats::*;

fn recorded(part: &str) -> Value {
    let all: Value =
        serde_json::from_str(include_str!("../../../tests/cases/statistics/reference.json")).unwrap();
    all[part].clone()
}

fn rows(value: &Value) -> Vec<Value> {
    let rows = value.as_array().unwrap().clone();
    assert!(!rows.is_empty());
    rows
}

fn numbers(value: &Value) -> Vec<f64> {
    rows(value).iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Equal up to `within`, of the value where that is above 1.
#[track_caller]
fn near(found: f64, expected: &Value, within: f64) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= within * expected.abs().max(1.0), "{found} is not {expected}");
}

/// Equal up to `within` of the value, however small that is.
#[track_caller]
fn near_relative(found: f64, expected: f64, within: f64, what: &[f64]) {
    assert!((found - expected).abs() <= within * expected.abs(), "{what:?}: {found} is not {expected}");
}

/// A table from true positives, false negatives, false positives and true negatives.
fn table(cells: &Value) -> Confusion {
    let [tp, fal_n, fal_p, tn] = numbers(cells)[..] else { panic!("four cells") };
    Confusion {
        true_positive: tp as u64,
        false_negative: fal_n as u64,
        false_positive: fal_p as u64,
        true_negative: tn as u64,
        ..Confusion::default()
    }
}

#[test]
fn quantiles_are_scipys() {
    let recorded = recorded("quantiles");
    let check = |name: &str, within: f64, of: &dyn Fn(&[f64]) -> f64| {
        for case in rows(&recorded[name]) {
            let case = numbers(&case);
            let (expected, of_these) = case.split_last().unwrap();
            near_relative(of(of_these), *expected, within, of_these);
        }
    };
    check("normal", 1e-12, &|c| normal_quantile(c[0]));
    check("t", 1e-9, &|c| t_quantile(c[0], c[1]));
    check("beta", 1e-9, &|c| beta_quantile(c[0], c[1], c[2]));
    check("chi_squared", 1e-10, &|c| chi_squared_upper(c[0], c[1]));
    check("f", 1e-9, &|c| f_upper(c[0], c[1], c[2]));
    for case in rows(&recorded["t"]) {
        let case = numbers(&case);
        near_relative(t_upper(case[2], case[1]), 1.0 - case[0], 1e-9, &case);
    }
    for case in rows(&recorded["binomial"]) {
        let given = numbers(&case);
        near(binomial_lower(given[0] as u64, given[1] as u64, given[2]), &case[3], 1e-10);
    }
}

#[test]
fn measures_are_scikit_learns() {
    for case in rows(&recorded("tables")) {
        let found = table(&case["table"]);
        for measure in Measure::ALL {
            match (measure.of(&found), &case["figures"][measure.as_str()]) {
                (Some(found), expected @ Value::Number(_)) => near(found, expected, 1e-12),
                (None, Value::Null) => {}
                (found, expected) => panic!("{measure:?} of {case}: {found:?}, {expected}"),
            }
        }
    }
}

#[test]
fn scores_are_scikit_learns() {
    for case in rows(&recorded("scores")) {
        let golds = rows(&case["gold"]);
        let rated: Vec<Rated> = numbers(&case["scores"])
            .into_iter()
            .zip(golds)
            .enumerate()
            .map(|(at, (score, gold))| Rated { cluster: at as u32, score, gold: gold.as_bool().unwrap() })
            .collect();
        near(auc_estimate(&rated).unwrap().value, &case["auc"], 1e-12);
        near(brier(&rated).unwrap().value, &case["brier"], 1e-12);
        near(ece(&rated, 10).unwrap().value, &case["ece"], 1e-12);
        assert_eq!(reliability(&rated, 10).iter().map(|bin| bin.n).sum::<u64>(), rated.len() as u64);
    }
}

#[test]
fn wilsons_interval_is_statsmodels() {
    for case in rows(&recorded("wilson")) {
        let given = numbers(&case);
        let (low, high) = wilson(given[0] as u64, given[1] as u64).unwrap();
        near(low, &case[2], 1e-12);
        near(high, &case[3], 1e-12);
    }
}

#[test]
fn tests_of_significance_are_scipys_and_statsmodels() {
    for case in rows(&recorded("mcnemar")) {
        let count = |name: &str| case[name].as_u64().unwrap();
        near(mcnemar_exact(count("only_a"), count("only_b")), &case["p"], 1e-10);
    }
    for case in rows(&recorded("holm")) {
        for (found, expected) in holm(&numbers(&case["p"])).into_iter().zip(rows(&case["adjusted"])) {
            near(found, &expected, 1e-12);
        }
    }
    for case in rows(&recorded("flips")) {
        let cluster = |net: &f64| {
            let mut cluster = Paired::default();
            (0..net.abs() as u32).for_each(|_| cluster.add(true, Some(*net < 0.0), Some(*net > 0.0)));
            cluster
        };
        let clusters: Vec<Paired> = numbers(&case["net"]).iter().map(cluster).collect();
        let found = paired_test(&clusters);
        assert_eq!(found.method, PairedMethod::SignFlipExact);
        near(found.p, &case["p"], 1e-12);
    }
}

#[test]
fn repeats_are_statsmodels() {
    for case in rows(&recorded("repeats")) {
        let one = |labels: &Value| {
            let labels: Vec<Option<bool>> = rows(labels).iter().map(Value::as_bool).collect();
            let mut repeats = Repeats::default();
            repeats.add(&labels);
            repeats
        };
        let clusters: Vec<Repeats> = rows(&case["labels"]).iter().map(one).collect();
        near(flip_rate(&clusters).unwrap().value, &case["flips"], 1e-12);
        near(repeat_kappa(&clusters).unwrap().value, &case["kappa"], 1e-12);
    }
}

#[test]
fn power_is_about_that_of_the_exact_test() {
    for case in rows(&recorded("powers")) {
        let number = |name: &str| case[name].as_f64().unwrap();
        let design = Design { discordance: number("discordance"), design_effect: 1.0 };
        let found = design.power(number("rows") as u64, number("difference")).unwrap();
        let excess = found - number("power");
        assert!((-0.005..0.05).contains(&excess), "{case}: {found}");
    }
}

#[test]
fn the_prediction_powered_share_is_about_its_authors() {
    // Ours is drawn towards a judge that is sometimes wrong and its interval is not symmetric: equal for many rows only.
    let case = recorded("powered");
    let many = table(&case["table"]);
    let rows: [(bool, bool, u64); 4] = [
        (true, true, many.true_positive),
        (true, false, many.false_negative),
        (false, true, many.false_positive),
        (false, false, many.true_negative),
    ];
    let one = |gold: bool, label: bool| [(gold, Some(label))].into_iter().collect::<Confusion>();
    let labelled: Vec<Confusion> =
        rows.into_iter().flat_map(|(gold, label, n)| (0..n).map(move |_| one(gold, label))).collect();
    let passed = case["passed"].as_u64().unwrap();
    let others: Vec<(u64, u64)> =
        (0..case["others"].as_u64().unwrap()).map(|at| (u64::from(at < passed), 1)).collect();
    let found = prediction_powered_share(&others, &labelled).unwrap();
    near(found.value, &case["value"], 0.002);
    near(found.low, &case["low"], 0.004);
    near(found.high, &case["high"], 0.004);
}

/// Two or three rows without gold that happen to be labeled alike say little, and cannot move the share further than they themselves weigh.
#[test]
fn few_rows_without_gold_move_little() {
    let one = |gold: bool, label: bool| [(gold, Some(label))].into_iter().collect::<Confusion>();
    let labelled: Vec<Confusion> = (0..58).map(|at| one(at < 29, (at < 29) != (at % 7 == 0))).collect();
    for passed in [0, 1] {
        for count in [2, 3] {
            let others = vec![(passed, 1); count];
            let found = prediction_powered_share(&others, &labelled).unwrap();
            let rows = 58.0 + count as f64;
            let (least, most) = (29.0 / rows, (29.0 + count as f64) / rows);
            assert!(found.value >= least && found.value <= most, "{found:?} {least} {most}");
            assert!(found.low < 0.42 && found.high > 0.58, "{found:?}");
        }
    }
}

/// `weighted_kappa.py` beside this file recorded what scikit-learn says.
#[test]
fn weighted_kappa_is_scikit_learns() {
    let recorded: Value =
        serde_json::from_str(include_str!("../../../tests/cases/statistics/weighted_kappa.json")).unwrap();
    let mut undefined = 0;
    for case in rows(&recorded["cases"]) {
        let table: Vec<Vec<f64>> = rows(&case["table"]).iter().map(numbers).collect();
        let mut clusters = Vec::new();
        for (gold, row) in table.iter().enumerate() {
            for (label, count) in row.iter().enumerate() {
                for _ in 0..*count as u64 {
                    let mut cluster = GradePairs::default();
                    cluster.add(gold as u8, label as u8);
                    clusters.push(cluster);
                }
            }
        }
        let found = weighted_kappa(&clusters, table.len() as u8);
        match case["kappa"].is_null() {
            true => {
                assert_eq!(found, None);
                undefined += 1;
            }
            false => {
                let found = found.unwrap();
                near(found.value, &case["kappa"], 1e-12);
                assert!(found.low <= found.value && found.value <= found.high, "{found:?}");
                assert!(found.low >= -1.0 && found.high <= 1.0, "{found:?}");
            }
        }
    }
    assert!(undefined > 0, "tables of one grade are among them");
}
