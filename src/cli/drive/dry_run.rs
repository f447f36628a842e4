//! `--dry-run`: the first request to each agent, and the expected cost.

use serde_json::{Value, json};

use crate::cli::label::summary_table::dollars;
use crate::cli::printer::Printer;
use crate::report::{Column, Table, wrapped};
use crate::run::DriveForecast;

pub fn show(forecasts: &[DriveForecast], as_json: bool, printer: Printer<'_>) {
    if as_json {
        return printer.data(&format!("{:#}", Value::from_iter(forecasts.iter().map(to_json))));
    }
    for forecast in forecasts {
        for (at, dialogue) in forecast.dialogues.iter().enumerate() {
            // As it is kept: each provider is sent the same in its own form.
            printer.data(&format!("--- {}, dialogue {} ---\n{dialogue}\n", forecast.agent, at + 1));
        }
    }
    let width = printer.width_of_data();
    let header = [
        "agent",
        "episodes",
        "ended\nalready",
        "next turns",
        "tokens in",
        "tokens out",
        "cost",
        "turns\nat most",
    ];
    let column = |at| if at == 0 { Column::Name } else { Column::Figure };
    let mut table = Table::new((0..header.len()).map(column));
    table.add_row(header);
    for forecast in forecasts {
        table.add_row([
            forecast.agent.clone(),
            forecast.episodes.to_string(),
            forecast.ended.to_string(),
            forecast.asks.to_string(),
            forecast.prompt_tokens.to_string(),
            forecast.completion_tokens.to_string(),
            forecast.cost_usd.map_or_else(|| "unknown price".to_owned(), dollars),
            forecast.most_turns.to_string(),
        ]);
    }
    printer.data(&table.text(width));
    let said = "\nEstimates of the next turn of each episode: four bytes a token, reasoning not counted. How many turns follow is known \
                when they are driven. Nobody was asked.";
    printer.data(&wrapped(said, "", width));
}

fn to_json(forecast: &DriveForecast) -> Value {
    json!({
        "agent": forecast.agent,
        "episodes": forecast.episodes,
        "ended": forecast.ended,
        "stored": forecast.stored,
        "next_turns": forecast.asks,
        "prompt_tokens": forecast.prompt_tokens,
        "completion_tokens": forecast.completion_tokens,
        "cost_usd": forecast.cost_usd,
        "most_turns": forecast.most_turns,
        "dialogues": forecast.dialogues,
    })
}
