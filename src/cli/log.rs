//! What a run does while it does it: on stderr with `-v`, in a file with `--log-file`. Only events of ours: what the libraries
//! below report may hold addresses with keys.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

static ON_SCREEN: AtomicBool = AtomicBool::new(false);

/// Begins to report: with `verbose` 1 what changes the course of a run, with more each request; to `file`, all of it.
///
/// # Errors
/// If the file cannot be opened.
pub fn start(verbose: u8, file: Option<&Path>) -> anyhow::Result<()> {
    if verbose == 0 && file.is_none() {
        return Ok(());
    }
    let ours = |level: LevelFilter| Targets::new().with_target("tooljudge", level);
    let level = if verbose > 1 { LevelFilter::DEBUG } else { LevelFilter::INFO };
    let screen = (verbose > 0).then(|| {
        let lines = layer().with_writer(std::io::stderr).with_target(false).with_ansi(false).without_time();
        lines.with_filter(ours(level))
    });
    let file = match file {
        None => None,
        Some(path) => {
            let open = File::options().create(true).append(true).open(path);
            let file = open.with_context(|| format!("--log-file {}", path.display()))?;
            Some(
                layer()
                    .with_writer(file)
                    .with_target(false)
                    .with_ansi(false)
                    .with_filter(ours(LevelFilter::DEBUG)),
            )
        }
    };
    ON_SCREEN.store(screen.is_some(), Ordering::Relaxed);
    tracing_subscriber::registry().with(screen).with(file).try_init().context("cannot begin to log")
}

/// Whether lines are reported on stderr, where a progress bar would stand in their way.
pub fn is_on_screen() -> bool {
    ON_SCREEN.load(Ordering::Relaxed)
}
