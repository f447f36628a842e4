//! Arguments that the calls leave out although the request may ask for them.

use super::question::Question;
use super::{Feature, Features, NONE};
use crate::check::assess::Assessor;
use crate::domain::{Json, ToolCall};
use crate::reading::words::{Stem, is_content, stem, words};

/// Calls and parameters looked at.
const MAX_CALLS: usize = 8;
const MAX_PARAMETERS: usize = 40;

pub(super) fn measure(features: &mut Features, assessor: &Assessor, question: &Question, calls: &[ToolCall]) {
    let mut count = 0;
    let mut named = 0;
    let mut required = 0;
    for feature in [Feature::out_name, Feature::out_described, Feature::out_enum] {
        features.set(feature, NONE);
    }
    let left = features.get(Feature::use_numbers_left);
    for call in calls.iter().take(MAX_CALLS) {
        let (Some(at), Some(arguments)) = (assessor.toolbox.find(&call.name), call.parsed()) else {
            continue;
        };
        let tool = &assessor.toolbox.tools[at];
        for ((name, node), parameter) in
            tool.root.properties.iter().zip(&tool.parameters).take(MAX_PARAMETERS)
        {
            if arguments.contains_key(name) {
                continue;
            }
            count += 1;
            required += usize::from(node.required);
            let by_name = question.share(&parameter.name, NONE);
            named += usize::from(by_name >= 1.0);
            features.raise(Feature::out_name, by_name);
            features.raise(Feature::out_described, question.share(parameter.described(node), NONE));
            let choice = |folded: &str| {
                let stems: Vec<Stem> = words(folded).filter(|word| is_content(word)).map(stem).collect();
                question.share(&stems, 0.0)
            };
            let default = node.default.as_ref();
            let enumerated = node.choices.iter().filter(|own| default != Some(&own.value)).take(40);
            features.raise(Feature::out_enum, enumerated.map(|own| choice(&own.folded)).fold(NONE, f32::max));
            let numeric = !node.types.is_anything() && node.types.allow(&Json::Number(0_i64.into()));
            if numeric {
                features.raise(Feature::out_number, left.min(3.0));
            }
            let timed = words(&node.name)
                .any(|word| matches!(word, "date" | "time" | "day" | "month" | "year" | "when"));
            let times = &assessor.evidence.times;
            if timed && (times.has_dates() || times.is_relative()) && !assessor.used.times.has_dates() {
                features.set(Feature::out_date, 1.0);
            }
        }
    }
    features.set(Feature::out_count, (count as f32).ln_1p());
    features.set(Feature::out_named, named.min(5) as f32);
    features.set(Feature::out_required, required.min(5) as f32);
}
