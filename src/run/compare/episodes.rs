//! Compares agents: episodes of `drive` runs, paired by suite, case, repeat and expectation.

use std::collections::HashMap;
use std::path::Path;

use super::CompareError;
use crate::bench::{Contender, Facts, Predictions, Rows};
use crate::domain::Status;
use crate::read::Table;
use crate::run::RunError;
use crate::run::drive::passes::{self, EpisodeResult, OfAgents};
use crate::run::input::hash;

/// Agents, and whether their episodes passed: a label that is `correct` where they did, of rows that are all right.
pub(super) struct Agents {
    pub names: Vec<String>,
    pub rows: Rows,
    pub contenders: Vec<Contender>,
}

/// Reads all tables, each with its path and name.
///
/// # Errors
/// If one holds no episodes or cannot be read, or there are not two agents.
pub(super) fn pair(tables: &[(&Path, String, Table)]) -> Result<Agents, RunError> {
    let mut agents: Vec<OfAgents> = Vec::new();
    for (path, _, table) in tables {
        let wrong = |why: String| CompareError::Episodes { table: path.to_path_buf(), why };
        if let Some(missing) = passes::missing(table) {
            let why =
                format!("it has no column `{missing}`: agents are compared by tables that `drive -o` wrote");
            return Err(wrong(why).into());
        }
        agents.push(passes::read(table, &|why| wrong(why).into())?);
    }
    let all: Vec<(usize, &String, &passes::Passes)> = agents
        .iter()
        .enumerate()
        .flat_map(|(table, of)| of.iter().map(move |(agent, passes)| (table, agent, passes)))
        .collect();
    if let ([] | [_], Some((path, ..))) = (&all[..], tables.first()) {
        return Err(CompareError::OneAgent(path.to_path_buf()).into());
    }
    let is_alone = |agent: &String| all.iter().filter(|(_, other, _)| *other == agent).count() == 1;
    let is_named = |name: &str| tables.iter().filter(|(_, other, _)| other == name).count() == 1;
    let path = |at: usize| tables.get(at).map_or(Path::new(""), |(path, ..)| path).display().to_string();
    let name = |(at, agent, _): &(usize, &String, &passes::Passes)| match is_alone(agent) {
        true => (*agent).clone(),
        false if is_named(&tables[*at].1) => format!("{agent} ({})", tables[*at].1),
        false => format!("{agent} ({})", path(*at)),
    };
    let mut rows = Rows::new(["passed"], []);
    let mut places: HashMap<(&String, &String, u32, u64), usize> = HashMap::new();
    for (suite, case, repeat, rules) in all.iter().flat_map(|(.., passes)| keys(passes)) {
        places.entry((suite, case, repeat, rules)).or_insert_with(|| {
            let number = rows.len() as u64;
            let cluster = hash(&[suite.as_bytes(), case.as_bytes()]);
            let (checked, identity) = (None, None);
            rows.push(Facts { number, golds: &[Some(true)], slices: &[], cluster, checked, identity });
            rows.len() - 1
        });
    }
    let contender = |(_, agent, passes): &(usize, &String, &passes::Passes)| {
        let mut predictions = Predictions::default();
        let mut labels = vec![None; rows.len()];
        for ((suite, case, repeat), EpisodeResult { passed, rules }) in *passes {
            if let Some(at) = places.get(&(suite, case, *repeat, *rules)) {
                labels[*at] = Some(*passed);
            }
        }
        labels.into_iter().for_each(|label| predictions.push(label, None, Status::Judged));
        Contender { judge: (*agent).clone(), repeats: vec![predictions], ..Contender::default() }
    };
    let (names, contenders) = (all.iter().map(name).collect(), all.iter().map(contender).collect());
    Ok(Agents { names, rows, contenders })
}

fn keys(passes: &passes::Passes) -> impl Iterator<Item = (&String, &String, u32, u64)> {
    passes.iter().map(|((suite, case, repeat), result)| (suite, case, *repeat, result.rules))
}
