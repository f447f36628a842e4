//! The write pass of a run: every row with the labels of all members of the panel.

use std::sync::Arc;

use anyhow::Context;

use super::Labelling;
use super::args::LabelArgs;
use super::plan::Plan;
use crate::bench::columns;
use crate::cli::Ending;
use crate::cli::display::Display;
use crate::cli::judging::Member;
use crate::run::{self, Covered, Progress, RateSeat, RateWatch, RunError, Summary, Watch};

impl Labelling {
    pub(super) async fn write(self, args: &LabelArgs, covered: &[Covered]) -> anyhow::Result<Ending> {
        let mut labellers =
            self.plan.panel.labellers(&args.judging.store, &self.plan.manifest.run, covered)?;
        let progress = Arc::new(Progress::default());
        let doing = if self.plan.panel.store.is_some() { "writing" } else { "judging" };
        let rows = self.plan.source.table.rows();
        let display = Display::start(self.printer, doing, rows, Arc::clone(&progress), || None);
        let worker = tokio::task::spawn_blocking(move || {
            let plan = &self.plan;
            let stopped = || self.stop.gently.is_cancelled() || self.stop.now.is_cancelled();
            let mut rates = plan.rates();
            let watch: &mut dyn Watch = match &mut rates {
                Some(rates) => rates,
                None => &mut (),
            };
            let destination = Some(&plan.destination);
            let outcome = run::write(&plan.source, &mut labellers, destination, watch, &progress, &stopped);
            let outcome = outcome.map(|(summaries, written)| (plan.rated(summaries, rates), written));
            (outcome, self)
        });
        let (outcome, labelling) = worker.await.context("the run broke down")?;
        drop(display);
        match outcome {
            Ok((summaries, written)) => {
                let manifest = labelling.finished_manifest(&summaries, written);
                if let Some(store) = &labelling.plan.panel.store {
                    store.manifest(manifest.to_string(), true).await.map_err(RunError::from)?;
                }
                labelling.conclude(&summaries, &manifest)
            }
            Err(RunError::Interrupted) => {
                let kept = if labelling.plan.panel.store.is_some() {
                    "no table was written, and every reply is kept"
                } else {
                    "nothing was written"
                };
                labelling.printer.talk(&format!("interrupted; {kept}"));
                Ok(Ending::Interrupted)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Plan {
    /// What gathers rates, where there is something to correct them by: a benchmark, or gold.
    fn rates(&self) -> Option<RateWatch> {
        let names: Vec<&str> = self.source.table.schema().names().collect();
        let seat = |member: &Member| RateSeat {
            positive: member.positive(),
            gold: columns::gold(member.task(), &names).map(str::to_owned),
            base_rate: member.base_rate(),
            words: member.words(),
        };
        let seats: Vec<RateSeat> = self.panel.members.iter().map(seat).collect();
        let wanted = !self.calibrated.is_empty() || seats.iter().any(|seat| seat.gold.is_some());
        wanted.then(|| RateWatch::new(seats))
    }

    /// `summaries` with the rates that were gathered.
    fn rated(&self, mut summaries: Vec<Summary>, rates: Option<RateWatch>) -> Vec<Summary> {
        let Some(RateWatch { labels, agreements, .. }) = rates else { return summaries };
        for (at, (summary, (labels, agreement))) in
            summaries.iter_mut().zip(labels.into_iter().zip(agreements)).enumerate()
        {
            summary.gold = agreement;
            let rate = labels.rate(self.calibrated.get(at));
            summary.rate = (!self.calibrated.is_empty() || rate.gold_rows > 0).then_some(rate);
        }
        summaries
    }
}
