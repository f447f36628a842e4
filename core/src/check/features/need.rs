//! Whether a call was due although none was made: whether the user gave everything that the best tool requires.

use super::fit::Fits;
use super::question::Question;
use super::{Feature, Features, NONE};
use crate::check::assess::Assessor;
use crate::check::need::could_fill;
use crate::check::observation::Literal;
use crate::domain::{Json, Sample, ToolCall};

/// Required parameters looked at.
const MAX_REQUIRED: usize = 12;

pub(super) fn measure(
    features: &mut Features,
    assessor: &Assessor,
    sample: &Sample,
    question: &Question,
    fits: &Fits,
    calls: &[ToolCall],
) {
    let all = [
        Feature::need_fit,
        Feature::need_fit_all,
        Feature::need_required,
        Feature::need_filled,
        Feature::need_empty,
        Feature::need_numbers,
        Feature::need_texts,
        Feature::need_named,
        Feature::need_asks,
        Feature::need_some_filled,
    ];
    all.iter().for_each(|feature| features.set(*feature, NONE));
    if !calls.is_empty() || assessor.toolbox.tools.is_empty() {
        return;
    }
    if let Some(reply) = sample.after.response() {
        features.set(Feature::need_asks, f32::from(u8::from(reply.contains(['?', '？']))));
    }
    let toolbox = assessor.toolbox;
    let Fits { question: fits, all: whole } = fits;
    let score = |at: usize| fits[at].mix() + 0.5 * whole[at].mix();
    let Some(best) = (0..fits.len()).max_by(|a, b| score(*a).total_cmp(&score(*b)).then(b.cmp(a))) else {
        return;
    };
    features.set(Feature::need_fit, fits[best].mix());
    features.set(Feature::need_fit_all, whole[best].mix());
    let tool = &toolbox.tools[best];
    let required: Vec<usize> = (0..tool.root.properties.len())
        .filter(|at| tool.root.properties[*at].1.required)
        .take(MAX_REQUIRED)
        .collect();
    let node = |at: usize| &tool.root.properties[at].1;
    let filled =
        required.iter().filter(|at| could_fill(node(**at), question.text, assessor.evidence)).count();
    let count = required.len() as f32;
    features.set(Feature::need_required, count);
    features.set(Feature::need_filled, if required.is_empty() { 1.0 } else { filled as f32 / count });
    features.set(Feature::need_empty, count - filled as f32);
    let takes = |at: usize, value: &Json| !node(at).types.is_anything() && node(at).types.allow(value);
    let number = Json::Number(0_i64.into());
    let numbers = required.iter().filter(|at| takes(**at, &number)).count() as f32;
    let texts =
        required.iter().filter(|at| takes(**at, &Json::from("")) && node(**at).choices.is_empty()).count()
            as f32;
    let literals = &assessor.evidence.literals;
    let told = |is: fn(Literal) -> bool| literals.iter().filter(|span| is(span.kind)).count() as f32;
    features.set(Feature::need_numbers, (numbers - told(|kind| kind == Literal::Number)).max(-3.0));
    features.set(Feature::need_texts, (texts - told(|kind| kind != Literal::Number)).max(-3.0));
    let named = required.iter().map(|at| question.share(&tool.parameters[*at].name, 0.0)).sum::<f32>();
    features.set(Feature::need_named, if required.is_empty() { 1.0 } else { named / count });
    let could = |at: usize| {
        let tool = &toolbox.tools[at];
        tool.root
            .properties
            .iter()
            .filter(|(_, node)| node.required)
            .take(MAX_REQUIRED)
            .all(|(_, node)| could_fill(node, question.text, assessor.evidence))
    };
    let likely = (0..fits.len().min(64)).filter(|at| fits[*at].mix() > 0.6 * fits[best].mix());
    features.set(Feature::need_some_filled, likely.filter(|at| could(*at)).count().min(8) as f32);
}
