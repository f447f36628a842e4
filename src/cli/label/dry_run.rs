//! `--dry-run`: the prompts as they would be sent, and what sending them would take.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};

use super::summary_table::dollars;
use crate::cli::Ending;
use crate::cli::judging::{Member, Panel};
use crate::cli::printer::Printer;
use crate::domain::{Flag, RowError};
use crate::judge::{Price, Remote};
use crate::report::counted;
use crate::run::{RunError, Samples, Seat};
use crate::store::{Found, Reader};

/// What one judge with one template would be asked.
#[derive(Default)]
struct Forecast {
    rows: u64,
    /// Rows that cannot be read: nobody is asked about them.
    invalid: u64,
    /// The first of them, counted from 1, and what is wrong with it.
    first_invalid: Option<(u64, RowError)>,
    /// How many rows have each remark of normalizing.
    flags: BTreeMap<Flag, u64>,
    /// Questions that differ, each vote counted.
    questions: u64,
    /// Of these, those whose reply is in the store.
    answered: u64,
    /// Of the others.
    prompt_tokens: u64,
    completion_tokens: u64,
    /// US dollars; absent without a price.
    cost_usd: Option<f64>,
    prompts: Vec<String>,
}

/// Prints the first `shown` prompts of every model judge and the forecast, given what each member of the panel is asked about. Calls
/// nobody and writes nothing.
pub fn run(
    panel: &Panel,
    samples: &[Arc<dyn Samples>],
    shown: usize,
    as_json: bool,
    printer: Printer,
) -> anyhow::Result<Ending> {
    let mut forecasts = Vec::new();
    for (member, samples) in panel.members.iter().zip(samples) {
        let Some(seat) = member.seat() else { continue };
        let store = panel.store.as_ref().map(|store| store.reader()).transpose().map_err(RunError::from)?;
        forecasts.push((member, forecast(samples.as_ref(), seat, store.as_ref(), shown)?));
    }
    if as_json {
        printer
            .data(&format!("{:#}", Value::from_iter(forecasts.iter().map(|(member, f)| to_json(member, f)))));
        return Ok(Ending::Done);
    }
    for (member, forecast) in &forecasts {
        for (at, prompt) in forecast.prompts.iter().enumerate() {
            let title = format!("{}, {}, prompt {}", member.judge, member.criterion, at + 1);
            printer.data(&format!("--- {title} ---\n{}\n", prompt.trim_end()));
        }
    }
    if forecasts.is_empty() {
        printer.data("the built-in judge asks nobody: no prompts, no cost");
    } else {
        let table = table(&forecasts).to_string();
        printer.data(&table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"));
        for line in remarks(&forecasts) {
            printer.data(&line);
        }
        let prices = match Price::as_of() {
            Some(day) if forecasts.iter().any(|(_, forecast)| forecast.cost_usd.is_some()) => {
                format!("; list prices of {day}, or your own")
            }
            _ => String::new(),
        };
        printer.data(&format!(
            "\nEstimates: four bytes a token, reasoning not counted{prices}. Nobody was asked."
        ));
    }
    Ok(Ending::Done)
}

fn forecast(
    samples: &dyn Samples,
    seat: &Seat<Remote>,
    store: Option<&Reader>,
    shown: usize,
) -> Result<Forecast, RunError> {
    let hasher = seat.hasher();
    let price = seat.judge.price();
    let mut forecast = Forecast { cost_usd: price.map(|_| 0.0), ..Forecast::default() };
    let mut seen = HashSet::new();
    for batch in samples.batches() {
        for row in batch? {
            forecast.rows += 1;
            let sample = match row.into_item() {
                Ok(sample) => sample,
                Err(error) => {
                    forecast.invalid += 1;
                    forecast.first_invalid.get_or_insert((forecast.rows, error));
                    continue;
                }
            };
            for flag in &sample.flags {
                *forecast.flags.entry(*flag).or_default() += 1;
            }
            for question in seat.questions(&hasher, &sample)? {
                if !seen.insert(question.fingerprint) {
                    continue;
                }
                if forecast.prompts.len() < shown {
                    forecast.prompts.push(question.prompt.text.clone());
                }
                forecast.questions += 1;
                if let Some(store) = store
                    && let Found::Reply { .. } = store.get(question.fingerprint)?
                {
                    forecast.answered += 1;
                    continue;
                }
                let usage = seat.judge.expected_usage(&question.prompt);
                forecast.prompt_tokens += usage.prompt_tokens.unwrap_or(0);
                forecast.completion_tokens += usage.completion_tokens.unwrap_or(0);
                // One prompt may be too long for a price that holds for others.
                forecast.cost_usd =
                    forecast.cost_usd.zip(price.and_then(|price| price.cost(&usage))).map(|(a, b)| a + b);
            }
        }
    }
    Ok(forecast)
}

/// What rows are like that nobody is asked about, and what is unusual about the others: once where all members see the same rows.
fn remarks(forecasts: &[(&Member, Forecast)]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (_, forecast) in forecasts {
        let invalid = forecast.first_invalid.as_ref().map(|(row, error)| {
            format!(
                "\n{} of {} cannot be read (invalid_row): nobody is asked about them. The first is row {row}: {}: {}",
                forecast.invalid,
                counted(forecast.rows, "row"),
                error.code.as_str(),
                error.message
            )
        });
        let flags: Vec<String> =
            forecast.flags.iter().map(|(flag, rows)| format!("{rows} {}", flag.as_str())).collect();
        let flags = (!flags.is_empty()).then(|| format!("\nflags of rows: {}", flags.join(", ")));
        for line in invalid.into_iter().chain(flags) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

fn table(forecasts: &[(&Member, Forecast)]) -> Table {
    let mut table = Table::new();
    let header =
        ["judge", "template", "rows", "questions", "answered already", "tokens in", "tokens out", "cost"];
    table.load_style(presets::NOTHING).set_header(header);
    for (member, forecast) in forecasts {
        table.add_row([
            member.judge.clone(),
            member.criterion.clone(),
            forecast.rows.to_string(),
            forecast.questions.to_string(),
            forecast.answered.to_string(),
            forecast.prompt_tokens.to_string(),
            forecast.completion_tokens.to_string(),
            forecast.cost_usd.map_or_else(|| "unknown price".to_owned(), dollars),
        ]);
    }
    for column in 2..header.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn to_json(member: &Member, forecast: &Forecast) -> Value {
    json!({
        "judge": member.judge,
        "template": member.criterion,
        "rows": forecast.rows,
        "invalid_rows": forecast.invalid,
        "first_invalid": forecast.first_invalid.as_ref().map(|(row, error)| json!({
            "row": row,
            "code": error.code.as_str(),
            "message": error.message,
        })),
        "flags": forecast.flags.iter().map(|(flag, rows)| (flag.as_str(), *rows)).collect::<BTreeMap<_, _>>(),
        "questions": forecast.questions,
        "answered": forecast.answered,
        "prompt_tokens": forecast.prompt_tokens,
        "completion_tokens": forecast.completion_tokens,
        "cost_usd": forecast.cost_usd,
        "prompts": forecast.prompts,
    })
}
