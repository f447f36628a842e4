//! How well the called tools fit the request, compared with those that were not called.

use super::question::Question;
use super::{Feature, Features, NONE};
use crate::check::assess::Assessor;
use crate::check::index::ToolFit;
use crate::domain::ToolCall;

/// How well each tool fits.
pub(super) struct Fits {
    /// The last user message.
    pub(super) question: Vec<ToolFit>,
    /// All that was said.
    pub(super) all: Vec<ToolFit>,
}

impl Fits {
    pub(super) fn new(assessor: &Assessor, question: &Question) -> Fits {
        let index = &assessor.toolbox.index;
        let own = index.fits(&question.sorted);
        let all = if assessor.evidence.is_one_message() {
            own.clone()
        } else {
            index.fits(&assessor.evidence.all_stems())
        };
        Fits { question: own, all }
    }
}

pub(super) fn measure(features: &mut Features, assessor: &Assessor, fits: &Fits, calls: &[ToolCall]) {
    let toolbox = assessor.toolbox;
    let Fits { question: fits, all } = fits;
    let called: Vec<usize> = calls.iter().filter_map(|call| toolbox.find(&call.name)).collect();
    let least =
        |of: fn(&ToolFit) -> f32| called.iter().map(|at| of(&fits[*at])).fold(f32::INFINITY, f32::min);
    let finite = |value: f32| if value.is_finite() { value } else { NONE };
    features.set(Feature::fit_name, finite(least(|fit| fit.name)));
    features.set(Feature::fit_described, finite(least(|fit| fit.described)));
    features.set(Feature::fit_parameters, finite(least(|fit| fit.parameters)));
    features.set(Feature::fit_question, finite(least(|fit| fit.question)));
    features.set(Feature::fit_mix, finite(least(ToolFit::mix)));
    let most = |of: &dyn Fn(&ToolFit) -> f32, without: Option<usize>| {
        let others = fits.iter().enumerate().filter(|(at, _)| Some(*at) != without);
        others.map(|(_, fit)| of(fit)).fold(0.0, f32::max)
    };
    let mix = |fit: &ToolFit| fit.mix();
    let name = |fit: &ToolFit| fit.name;
    let lead = called.iter().map(|at| fits[*at].mix() - most(&mix, Some(*at))).fold(f32::INFINITY, f32::min);
    let name_lead =
        called.iter().map(|at| fits[*at].name - most(&name, Some(*at))).fold(f32::INFINITY, f32::min);
    features.set(Feature::fit_lead, if lead.is_finite() { lead } else { 0.0 });
    features.set(Feature::fit_name_lead, if name_lead.is_finite() { name_lead } else { 0.0 });
    let rank = called.iter().map(|at| fits.iter().filter(|fit| fit.mix() > fits[*at].mix()).count()).max();
    features.set(Feature::fit_rank, rank.map_or(NONE, |rank| rank.min(20) as f32));
    let unused = || fits.iter().enumerate().filter(|(at, _)| !called.contains(at)).map(|(_, fit)| fit);
    let unused_mix = unused().map(ToolFit::mix).fold(0.0, f32::max);
    features.set(Feature::fit_unused, unused_mix);
    features.set(Feature::fit_unused_name, unused().map(|fit| fit.name).fold(0.0, f32::max));
    features.set(Feature::fit_excess, unused_mix - finite(least(ToolFit::mix)));
    features.set(Feature::fit_tools, (fits.len() as f32).ln_1p());
    let best = most(&mix, None);
    features
        .set(Feature::fit_telling, fits.iter().filter(|fit| fit.mix() > 0.6 * best).count().min(20) as f32);
    let all_least =
        |of: fn(&ToolFit) -> f32| called.iter().map(|at| of(&all[*at])).fold(f32::INFINITY, f32::min);
    features.set(Feature::fit_all_name, finite(all_least(|fit| fit.name)));
    features.set(Feature::fit_all_mix, finite(all_least(ToolFit::mix)));
}
