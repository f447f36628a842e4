//! Logs what a run does: to stderr with `-v`, to a file with `--log-file`, to a host that listens. Only our own events are
//! logged, because those of libraries may contain addresses with keys.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::DefaultGuard;
use tracing::{Level, Metadata};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{MakeWriter, layer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::host::Said;

static ON_SCREEN: AtomicBool = AtomicBool::new(false);

/// Begins to report: with `verbose` 1 what changes the course of a run, with more each request; to `file`, all of it.
///
/// # Errors
/// If the file cannot be opened.
pub fn start(verbose: u8, file: Option<&Path>) -> anyhow::Result<()> {
    if verbose == 0 && file.is_none() {
        return Ok(());
    }
    let screen = (verbose > 0).then(|| {
        let lines = layer().with_writer(std::io::stderr).with_target(false).with_ansi(false).without_time();
        lines.with_filter(ours(level(verbose)))
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

/// Reports on this thread to whoever `hears`, for as long as the guard lives; as much as for [`start`].
pub fn begin_for_host(verbose: u8, hears: Arc<dyn Fn(Said) + Send + Sync>) -> Option<DefaultGuard> {
    (verbose > 0).then(|| {
        let lines = layer().with_writer(Ear(hears)).with_target(false).with_level(false).with_ansi(false);
        let lines = lines.without_time().with_filter(ours(level(verbose)));
        tracing_subscriber::registry().with(lines).set_default()
    })
}

/// Hears lines.
struct Ear(Arc<dyn Fn(Said) + Send + Sync>);

/// One line, which is said when it ends.
struct Line<'a> {
    text: Vec<u8>,
    is_detail: bool,
    hears: &'a (dyn Fn(Said) + Send + Sync),
}

impl<'a> MakeWriter<'a> for Ear {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { text: Vec::new(), is_detail: false, hears: &*self.0 }
    }

    fn make_writer_for(&'a self, meta: &Metadata<'_>) -> Line<'a> {
        Line { text: Vec::new(), is_detail: *meta.level() > Level::INFO, hears: &*self.0 }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        self.text.extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.text).trim_end().to_owned();
        (self.hears)(if self.is_detail { Said::Detail(text) } else { Said::Event(text) });
    }
}

fn ours(level: LevelFilter) -> Targets {
    Targets::new().with_target("tooljudge", level)
}

fn level(verbose: u8) -> LevelFilter {
    if verbose > 1 { LevelFilter::DEBUG } else { LevelFilter::INFO }
}

/// Whether lines are reported on stderr, where a progress bar would stand in their way.
pub fn is_on_screen() -> bool {
    ON_SCREEN.load(Ordering::Relaxed)
}
