//! `--dry-run`: the prompts, and the expected tokens and cost.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::summary_table::dollars;
use crate::cli::printer::Printer;
use crate::judge::Price;
use crate::report::{Column, Table, counted, wrapped};
use crate::run::Forecast;

/// Prints the forecasts and their prompts.
pub fn show(forecasts: &[Forecast], as_json: bool, printer: Printer<'_>) {
    if as_json {
        return printer.data(&format!("{:#}", Value::from_iter(forecasts.iter().map(to_json))));
    }
    for forecast in forecasts {
        for (at, prompt) in forecast.prompts.iter().enumerate() {
            let title = format!("{}, {}, prompt {}", forecast.judge, forecast.template, at + 1);
            // A prompt is shown as it is sent.
            printer.data(&format!("--- {title} ---\n{}\n", prompt.trim_end()));
        }
    }
    if forecasts.is_empty() {
        printer.data("the built-in judge sends no requests: no prompts, no cost");
    } else {
        let width = printer.width_of_data();
        printer.data(&table(forecasts).text(width));
        for line in remarks(forecasts) {
            printer.data(&wrapped(&line, "", width));
        }
        let prices = match Price::as_of() {
            Some(day) if forecasts.iter().any(|forecast| forecast.cost_usd.is_some()) => {
                format!("; list prices of {day}, or your own")
            }
            _ => String::new(),
        };
        let estimates =
            format!("\nEstimates: four bytes a token, reasoning not counted{prices}. Nobody was asked.");
        printer.data(&wrapped(&estimates, "", width));
    }
}

/// What rows are like that nobody is asked about, and what is unusual about the others: once where all members see the same rows.
fn remarks(forecasts: &[Forecast]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for forecast in forecasts {
        let whose = match forecasts.len() {
            1 => String::new(),
            _ => format!("{} ({}): ", forecast.judge, forecast.template),
        };
        let invalid = forecast.first_invalid.as_ref().map(|(row, error)| {
            format!(
                "\n{} of {} cannot be read (invalid_row) and are not sent. The first is row {row}: {}: {}",
                forecast.invalid,
                counted(forecast.rows, "row"),
                error.code.as_str(),
                error.message
            )
        });
        let settled = forecast.settled.as_ref().map(|(first, settled)| {
            format!(
                "\n{whose}{first} settles {settled} of {} by itself: they are not sent",
                counted(forecast.rows, "row")
            )
        });
        let flags: Vec<String> =
            forecast.flags.iter().map(|(flag, rows)| format!("{rows} {}", flag.as_str())).collect();
        let flags = (!flags.is_empty()).then(|| format!("\nflags of rows: {}", flags.join(", ")));
        for line in invalid.into_iter().chain(settled).chain(flags) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

fn table(forecasts: &[Forecast]) -> Table {
    let header =
        ["judge", "template", "rows", "questions", "answered\nalready", "tokens in", "tokens out", "cost"];
    let column = |at| if at < 2 { Column::Name } else { Column::Figure };
    let mut table = Table::new((0..header.len()).map(column));
    table.add_row(header);
    for forecast in forecasts {
        table.add_row([
            forecast.judge.clone(),
            forecast.template.clone(),
            forecast.rows.to_string(),
            forecast.questions.to_string(),
            forecast.answered.to_string(),
            forecast.prompt_tokens.to_string(),
            forecast.completion_tokens.to_string(),
            forecast.cost_usd.map_or_else(|| "unknown price".to_owned(), dollars),
        ]);
    }
    table
}

fn to_json(forecast: &Forecast) -> Value {
    json!({
        "judge": forecast.judge,
        "template": forecast.template,
        "rows": forecast.rows,
        "invalid_rows": forecast.invalid,
        "first_invalid": forecast.first_invalid.as_ref().map(|(row, error)| json!({
            "row": row,
            "code": error.code.as_str(),
            "message": error.message,
        })),
        "flags": forecast.flags.iter().map(|(flag, rows)| (flag.as_str(), *rows)).collect::<BTreeMap<_, _>>(),
        "settled": forecast.settled.as_ref().map(|(judge, rows)| json!({"judge": judge, "rows": rows})),
        "questions": forecast.questions,
        "answered": forecast.answered,
        "prompt_tokens": forecast.prompt_tokens,
        "completion_tokens": forecast.completion_tokens,
        "cost_usd": forecast.cost_usd,
        "prompts": forecast.prompts,
    })
}
