//! What the parts of one run have in common, by which `merge` checks that they belong together.

use std::collections::BTreeMap;
use std::io::Error;
use std::path::Path;

use serde_json::{Value, json};

use crate::run::Manifest;
use crate::run::input::{SHARD_ROW, Shard};
use crate::run::panel::Panel;
use crate::run::settings::{JudgeKind, JudgeSettings, LabelSettings, SettingsError, Take};
use crate::run::{Destination, Source};
use crate::write::{Formulas, Output, OutputFormat, WhenEmpty, hash_of_file, is_stream};

/// Of a run that labels a part of the rows: the part, and hashes of all else that shapes its output.
pub(super) struct ShardIdentity {
    shard: Shard,
    input: String,
    options: String,
    /// A hash of each option, so that two parts that differ can say in what.
    each_option: BTreeMap<String, String>,
    /// Headers and queries of the judges, where they may choose who answers.
    routes: String,
    prices: String,
    /// The columns that are written, which rows of JSON Lines need not all have.
    columns: Vec<String>,
    /// Whether formulas are escaped, which also quotes every text.
    escaped: bool,
}

impl ShardIdentity {
    /// `None` of a run that labels all rows.
    pub(super) fn new(
        settings: &LabelSettings,
        source: &Source,
        destination: &Destination,
        panel: &Panel,
        manifest: &Manifest,
    ) -> Result<Option<ShardIdentity>, SettingsError> {
        let output = &destination.output;
        let Some(shard) = settings.shard else { return Ok(None) };
        if source.table.inputs().iter().any(|input| input.is_in_memory() || is_stream(&input.path)) {
            return Err(SettingsError::ShardOfStream);
        }
        if !output.has_manifest() {
            return Err(SettingsError::ShardWithoutFile);
        }
        if source.table.schema().position(SHARD_ROW).is_some() {
            return Err(SettingsError::ShardColumn);
        }
        let unreadable = |path: &Path, why: &Error| SettingsError::ShardInput {
            path: path.to_owned(),
            why: why.to_string(),
        };
        let mut input = blake3::Hasher::new();
        for file in source.table.inputs() {
            let path = &file.path;
            input.update(hash_of_file(path).map_err(|why| unreadable(path, &why))?.as_bytes());
            // Columns out of its name and folders.
            input.update(json!(file.constants()).to_string().as_bytes());
        }
        let options = options(settings, output, manifest).map_err(|(path, why)| unreadable(&path, &why))?;
        let each_option = { options.as_object().into_iter().flatten() }
            .map(|(name, value)| {
                (name.clone(), blake3::hash(value.to_string().as_bytes()).to_hex()[..16].to_owned())
            })
            .collect();
        let options = blake3::hash(options.to_string().as_bytes());
        let input = input.finalize().to_hex().to_string();
        let escaped = output.format.formulas == Formulas::Escaped;
        let columns = destination.schema(source.table.schema()).names().map(str::to_owned).collect();
        let options = options.to_hex().to_string();
        let (routes, prices) = (routes(panel), prices(settings));
        Ok(Some(ShardIdentity { shard, input, options, each_option, routes, prices, columns, escaped }))
    }

    /// What the manifest says of it once the table is at `path`.
    pub(super) fn record(&self, path: &Path) -> Result<Value, Error> {
        let ShardIdentity { shard, input, options, each_option, routes, prices, columns, escaped } = self;
        let table = hash_of_file(path)?;
        Ok(json!({
            "index": shard.index,
            "count": shard.count,
            "input": input,
            "options": options,
            "each_option": each_option,
            "routes": routes,
            "prices": prices,
            "columns": columns,
            "escaped": escaped,
            "table": table,
        }))
    }
}

/// The routes of all judges, as one hash: two parts were asked in the same way if it is the same.
fn routes(panel: &Panel) -> String {
    let routes: Vec<Option<&str>> = { panel.members.iter() }
        .map(|member| member.judge_task().and_then(|judge_task| judge_task.judge.identity().route.as_deref()))
        .collect();
    blake3::hash(json!(routes).to_string().as_bytes()).to_hex().to_string()
}

/// What the judges' tokens cost, likewise: the column of costs rests on it.
fn prices(settings: &LabelSettings) -> String {
    let price = |judge: &JudgeSettings| match &judge.kind {
        JudgeKind::Model(model) => model.price(),
        JudgeKind::Builtin | JudgeKind::Trained(_) | JudgeKind::Function(_) => None,
    };
    let prices: Vec<_> = settings.panel.judges.iter().map(price).collect();
    blake3::hash(format!("{prices:?}").as_bytes()).to_hex().to_string()
}

/// All that shapes the rows of the output beside the input: who judges and how, what is read and written.
fn options(
    settings: &LabelSettings,
    output: &Output,
    manifest: &Manifest,
) -> Result<Value, (std::path::PathBuf, Error)> {
    let LabelSettings { input, shard, panel, prefix, overwrite, keep, drop, partial, .. } = settings;
    let mut members = json!(manifest.panel);
    for member in members.as_array_mut().into_iter().flatten() {
        // What an endpoint turned out to support differs from run to run, and a key's address is no part of what is asked.
        for judge in ["/judge", "/first"] {
            if let Some(judge) = member.pointer_mut(judge).and_then(Value::as_object_mut) {
                judge.remove("adaptations");
            }
        }
    }
    let tools = input.tools.as_ref().map(|path| hash_of_file(path).map_err(|why| (path.clone(), why)));
    let take = match input.take {
        Take::All => Value::Null,
        take => json!(format!("{take:?}")),
    };
    let columns = input.columns.iter().map(|(slot, column)| format!("{slot:?}={column}"));
    let columns: Vec<String> =
        columns.chain(panel.variables.iter().map(|(name, column)| format!("{name}={column}"))).collect();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "panel": members,
        "snap": format!("{:?}", panel.rules),
        "decide": format!("{:?}", panel.decide),
        "base_rate": format!("{:?}", panel.base_rate),
        "explain": panel.explain,
        "findings": panel.findings,
        "prefix": prefix,
        "overwrite": overwrite,
        "keep": keep,
        "drop": drop,
        "partial": partial,
        // What becomes of a table without rows is no matter of those that have some.
        "format": format!("{:?}", OutputFormat { when_empty: WhenEmpty::Replace, ..output.format }),
        "from": format!("{:?}", input.from.map(|kind| format!("{kind:?}"))),
        "columns": columns,
        "tools": tools.transpose()?,
        "where": input.filters,
        "take": take,
        "null_call": format!("{:?}", input.null_call),
        "require_definitions": input.require_definitions,
        "include_server_tools": input.include_server_tools,
        "agents": input.agents,
        "turns": format!("{:?}", input.turns),
        "count": shard.map(|shard| shard.count),
    }))
}
