//! `store`: what a reply store holds, pruning, merging.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::Ending;
use super::host::Host;
use super::printer::Printer;
use super::store_place::store_place;
use crate::report::{Column, Table, counted, plain, wrapped};
use crate::store::{
    Archive, Contents, Dropped, LearntAdaptation, Merged, Pruning, PurseContents, ReplyKind, StorePlace,
    Wasted,
};

/// No reply is older than this, in days.
const OLDEST_DAYS: i64 = 36_500;

/// Manage the store of replies (the cache).
#[derive(Debug, Args)]
pub struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,

    /// The reply store: a file, or postgres://USER@HOST/DATABASE (password in PGPASSWORD)
    #[arg(long, global = true, value_name = "FILE", default_value = ".tooljudge/replies.sqlite")]
    store: PathBuf,

    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum StoreCommand {
    /// Show what the store holds, and verify the checksum of every reply
    Stat,
    /// Delete the replies that meet all conditions, and free their disk space
    Prune(PruneArgs),
    /// Copy the replies of other stores into this one, which is created if need be; on a conflict, this store's reply stays unless it is
    /// damaged
    Merge {
        /// Stores to copy from
        #[arg(required = true, value_name = "FROM")]
        from: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
struct PruneArgs {
    /// Replies older than this: 30d, 12h, 90m; at most 36500d
    #[arg(long, value_name = "AGE")]
    older_than: Option<String>,

    /// Replies of this model, as `store stat` names it
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// Replies paid for by this run, as its manifest names it
    #[arg(long, value_name = "RUN")]
    run: Option<String>,

    /// Replies of this kind: verdicts of judges, or turns of agents
    #[arg(long, value_name = "KIND", value_parser = ReplyKind::ALL.map(ReplyKind::as_str))]
    kind: Option<String>,

    /// Delete the stored prompts, and keep the replies
    #[arg(long, conflicts_with_all = ["older_than", "model", "run", "kind"])]
    prompts: bool,

    /// Forget which request features endpoints do not support, and keep the replies; the next run probes the endpoints again
    #[arg(long, conflicts_with_all = ["older_than", "model", "run", "kind", "prompts"])]
    adaptations: bool,

    /// Dry run: only count what would be deleted
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &StoreArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(false);
    let place = store_place(&args.store, host)?;
    if let StoreCommand::Merge { from } = &args.command {
        let from = from.iter().map(|given| store_place(given, host)).collect::<Result<Vec<_>, _>>()?;
        return merge(&from, &place, args.json, printer);
    }
    let archive = Archive::open(&place)?;
    match &args.command {
        StoreCommand::Stat => {
            let contents = archive.contents()?;
            printer.data(&if args.json {
                as_json(&contents)
            } else {
                as_text(&place, &contents, printer.width_of_data())
            });
        }
        StoreCommand::Prune(prune) => {
            let Pruned { what, dropped: Dropped { count, not_shrunk } } = pruned(&archive, prune)?;
            let verb = match (prune.dry_run, what) {
                (true, _) => "would go",
                (false, "adaptations") => "forgotten",
                (false, _) => "dropped",
            };
            printer.data(&if args.json {
                format!("{:#}", serde_json::json!({ what: count, "dry_run": prune.dry_run }))
            } else {
                format!("{count} {what} {verb}")
            });
            if let Some(why) = not_shrunk {
                printer.warn(&format!(
                    "{count} {what} {verb}, but the file could not be made smaller: {why}. Mend that and run the same command again \
                     to make it smaller"
                ));
            }
        }
        StoreCommand::Merge { .. } => {}
    }
    Ok(Ending::Done)
}

/// Copies the replies of the stores `from` into the one at `into`, which is made if there is none.
fn merge(from: &[StorePlace], into: &StorePlace, json: bool, printer: Printer<'_>) -> anyhow::Result<Ending> {
    if let Some(place) = from.iter().find(|place| place.is_same(into)) {
        bail!("{place} cannot be merged into itself");
    }
    // A source that is missing leaves no empty store behind.
    let sources = from.iter().map(Archive::open).collect::<Result<Vec<_>, _>>()?;
    let mut archive = Archive::open_or_create(into)?;
    let mut all = Vec::new();
    for (place, source) in from.iter().zip(&sources) {
        let merged = archive.merge(source)?;
        let place = place.to_string();
        if json {
            let Merged { added, known, damaged, mended } = merged;
            all.push(json!({ "from": place, "added": added, "known": known, "damaged": damaged, "mended": mended }));
            continue;
        }
        let mended = match merged.mended {
            0 => String::new(),
            mended => format!(", {mended} damaged ones here replaced"),
        };
        let damaged = match merged.damaged {
            0 => String::new(),
            damaged => format!(", {damaged} damaged ones left behind"),
        };
        let (added, known) = (merged.added, merged.known);
        printer.data(&format!("{place}: {added} replies taken over, {known} known already{mended}{damaged}"));
    }
    if json {
        printer.data(&format!("{:#}", json!(all)));
    }
    Ok(Ending::Done)
}

/// How many of what went, or would go.
struct Pruned {
    what: &'static str,
    dropped: Dropped,
}

/// A number of things that take no room which could be given back.
fn counted_only(count: u64) -> Dropped {
    Dropped { count, not_shrunk: None }
}

fn pruned(archive: &Archive, args: &PruneArgs) -> anyhow::Result<Pruned> {
    if args.prompts {
        let dropped = match args.dry_run {
            true => counted_only(archive.contents()?.prompts),
            false => archive.forget_prompts()?,
        };
        return Ok(Pruned { what: "prompts", dropped });
    }
    if args.adaptations {
        let count = if args.dry_run {
            archive.contents()?.adaptations.len() as u64
        } else {
            archive.forget_adaptations()?
        };
        return Ok(Pruned { what: "adaptations", dropped: counted_only(count) });
    }
    let before = match &args.older_than {
        Some(age) => Some((Timestamp::now() - self::age(age)?).to_string()),
        None => None,
    };
    let kind = args.kind.as_deref().and_then(ReplyKind::named);
    let pruning = Pruning { before, model: args.model.clone(), run: args.run.clone(), kind };
    if pruning == Pruning::default() {
        bail!(
            "give a condition for the replies to delete: --older-than, --model, --run or --kind (or --prompts or --adaptations to drop only those)"
        );
    }
    Ok(Pruned { what: "replies", dropped: archive.prune(&pruning, args.dry_run)? })
}

/// `30d`, `12h`, `90m`.
fn age(text: &str) -> anyhow::Result<SignedDuration> {
    let unit = text.chars().last().unwrap_or_default();
    let hours = match unit {
        'd' => 24 * 60 * 60,
        'h' => 60 * 60,
        'm' => 60,
        _ => 0,
    };
    let number = text.strip_suffix(unit).and_then(|number| number.parse::<u32>().ok()).filter(|_| hours > 0);
    let number =
        number.with_context(|| format!("--older-than {text}: expected an age such as 30d, 12h or 90m"))?;
    let age = SignedDuration::from_secs(i64::from(number) * hours);
    if age > SignedDuration::from_hours(24 * OLDEST_DAYS) {
        bail!("--older-than {text}: an age is at most {OLDEST_DAYS}d (100 years)");
    }
    Ok(age)
}

fn as_text(place: &StorePlace, contents: &Contents, width: usize) -> String {
    let mut lines = vec![
        format!("{place}, {:.1} MB", contents.bytes as f64 / 1e6),
        String::new(),
        match &contents.span {
            Some((first, last)) => {
                let turns = match contents.turns {
                    0 => String::new(),
                    turns => format!(", of which {turns} are turns of agents"),
                };
                format!("replies   {} ({} to {}){turns}", contents.replies, day(first), day(last))
            }
            None => "replies   0".to_owned(),
        },
        format!("damaged   {}", contents.damaged),
        format!("failures  {}", contents.failures),
        format!("runs      {} ({} without a finished table)", contents.runs, contents.unfinished),
        format!("asking    {}", contents.claims),
        format!("prompts   {}", contents.prompts),
    ];
    let Wasted { questions, prompt_tokens, completion_tokens, cost_usd, unpriced } = contents.wasted;
    if questions > 0 {
        lines.push(format!(
            "unused    answers to {} that ended without a reply: {prompt_tokens} tokens in, {completion_tokens} out, cost {}",
            counted(questions, "question"),
            cost(cost_usd, unpriced, questions, 6)
        ));
    }
    // What is held is no longer free for others, and may never have been spent: the run that took it says so at its end.
    lines.extend(contents.purses.iter().map(|PurseContents { purse, taken_usd, spent_usd, lost_usd }| {
        let held = taken_usd - spent_usd - lost_usd;
        let beside =
            [(held, "held by runs"), (*lost_usd, "counted as spent, taken by runs that were killed")];
        // Sums of fractions may differ by less than is shown.
        let beside = beside.iter().filter(|(amount, _)| *amount >= 5e-7);
        let beside: String = beside.map(|(amount, by)| format!(", ${amount:.6} {by}")).collect();
        format!("purse     {}: ${spent_usd:.6} spent{beside}", plain(purse))
    }));
    let mut parts = vec![wrapped(&lines.join("\n"), "          ", width)];
    if !contents.models.is_empty() {
        parts.push(models(contents).text(width));
    }
    if !contents.adaptations.is_empty() {
        let adapted = contents.adaptations.iter();
        let adapted = adapted.map(|LearntAdaptation { endpoint, model, adaptation, .. }| {
            format!("{model} at {endpoint}: {adaptation}")
        });
        parts.push(wrapped(&adapted.collect::<Vec<_>>().join("\n"), "  ", width));
    }
    parts.join("\n\n")
}

/// What `all` cost, of which `unpriced` have no known price, to so many `places`.
fn cost(usd: f64, unpriced: u64, all: u64, places: usize) -> String {
    match unpriced {
        0 => format!("${usd:.places$}"),
        _ if unpriced == all => "unknown".to_owned(),
        _ => format!("${usd:.places$} + {unpriced} unknown"),
    }
}

fn models(contents: &Contents) -> Table {
    use Column::{Figure, Name};
    let mut table = Table::new([Name, Figure, Figure, Figure, Figure]);
    table.add_row(["model", "replies", "tokens in", "out", "cost"]);
    for model in &contents.models {
        table.add_row([
            model.model.clone().unwrap_or_else(|| "(unnamed)".to_owned()),
            model.replies.to_string(),
            model.prompt_tokens.to_string(),
            model.completion_tokens.to_string(),
            cost(model.cost_usd, model.unpriced, model.replies, 4),
        ]);
    }
    table
}

fn day(timestamp: &str) -> &str {
    timestamp.get(..10).unwrap_or(timestamp)
}

fn as_json(contents: &Contents) -> String {
    let models: Vec<_> = contents
        .models
        .iter()
        .map(|model| {
            serde_json::json!({
                "model": model.model,
                "replies": model.replies,
                "prompt_tokens": model.prompt_tokens,
                "completion_tokens": model.completion_tokens,
                "cost_usd": (model.unpriced == 0).then_some(model.cost_usd),
                "unpriced": model.unpriced,
            })
        })
        .collect();
    let adaptations: Vec<_> = contents
        .adaptations
        .iter()
        .map(|learnt| json!({"endpoint": learnt.endpoint, "model": learnt.model, "adaptation": learnt.adaptation}))
        .collect();
    let purses: Vec<_> = { contents.purses.iter() }
        .map(|PurseContents { purse, taken_usd, spent_usd, lost_usd }| {
            json!({ "purse": purse, "taken_usd": taken_usd, "spent_usd": spent_usd, "lost_usd": lost_usd })
        })
        .collect();
    let value = serde_json::json!({
        "bytes": contents.bytes,
        "replies": contents.replies,
        "turns": contents.turns,
        "damaged": contents.damaged,
        "failures": contents.failures,
        "unused": {
            "questions": contents.wasted.questions,
            "prompt_tokens": contents.wasted.prompt_tokens,
            "completion_tokens": contents.wasted.completion_tokens,
            "cost_usd": (contents.wasted.unpriced == 0).then_some(contents.wasted.cost_usd),
            "unpriced": contents.wasted.unpriced,
        },
        "claims": contents.claims,
        "runs": contents.runs,
        "unfinished": contents.unfinished,
        "prompts": contents.prompts,
        "first": contents.span.as_ref().map(|(first, _)| first),
        "last": contents.span.as_ref().map(|(_, last)| last),
        "models": models,
        "purses": purses,
        "adaptations": adaptations,
    });
    format!("{value:#}")
}
