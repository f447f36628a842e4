//! Features of each argument: its declaration, where its value comes from, whose value it looks like.

use super::counts::leaves;
use super::fit::Fits;
use super::pool;
use super::question::Question;
use super::spelling::{self, Spelling};
use super::{Features, NONE, columns};
use crate::check::assess::{Assessor, Leaf};
use crate::check::evidence::Teller;
use crate::check::index::Parameter;
use crate::check::node::Node;
use crate::check::observation::step;
use crate::check::schema::folded_of;
use crate::check::toolbox::Tool;
use crate::domain::{Json, Number, ToolCall};
use crate::reading::words::{Stem, is_content, stem, words};

columns! {
    /// Features of one argument.
    ArgumentFeature, ARGUMENT_FEATURES, ARGUMENT_FEATURE_NAMES:
    declared required faulty leaves list list_listed twice_in_list choices choice_named rival_named default has_default optional_cue
    name_asked description_asked twice_in_call twice_in_turn calls_of_tool truth truth_named negated
    support support_mean number decimals small_number
    whole whole_any covered covered_any missing head tail_missing is_name trunc extended case_lost expression numbers_missing joined signs
    underscore words length empty described code state dated capitals
    from_question from_user from_result from_assistant from_system from_nowhere age
    near gap next rival mentions tool_fit ground
}

/// One argument.
#[derive(Debug, Clone)]
pub(in crate::check) struct Argument {
    pub(super) values: [f32; ARGUMENT_FEATURES],
}

impl Argument {
    fn set(&mut self, feature: ArgumentFeature, value: f32) {
        self.values[feature as usize] = value;
    }

    pub(super) fn get(&self, feature: ArgumentFeature) -> f32 {
        self.values[feature as usize]
    }
}

/// Arguments looked at, and leaves of each.
const MAX_ARGUMENTS: usize = 64;
const MAX_LEAVES: usize = 24;
/// Arguments whose places in the question are compared.
const MAX_PLACED: usize = 12;

/// What all arguments of a call share.
struct Site<'a> {
    tool: &'a Tool,
    call: usize,
    calls: &'a [ToolCall],
    tool_fit: f32,
}

pub(super) fn measure(
    features: &mut Features,
    assessor: &Assessor,
    question: &Question,
    fits: &Fits,
    calls: &[ToolCall],
) {
    let mut leaves = assessor.leaves.iter().peekable();
    let mut given = 0;
    let mut argument = 0;
    for (call, own) in calls.iter().enumerate() {
        let Some(arguments) = own.parsed() else { continue };
        given += arguments.len();
        let at = assessor.toolbox.find(&own.name);
        for (name, value) in arguments.iter() {
            let number = argument;
            argument += 1;
            let mut supports: Vec<&Leaf> = Vec::new();
            while let Some(leaf) = leaves.next_if(|leaf| leaf.argument <= number) {
                if leaf.argument == number {
                    supports.push(leaf);
                }
            }
            let (Some(at), true) = (at, features.arguments.len() < MAX_ARGUMENTS) else { continue };
            let tool = &assessor.toolbox.tools[at];
            let Ok(place) = tool.root.properties.binary_search_by(|(own, _)| own.as_str().cmp(name)) else {
                continue;
            };
            let site = Site { tool, call, calls, tool_fit: fits.question[at].mix() };
            let found = one(assessor, question, &site, place, value, &supports);
            features.arguments.push(found);
        }
    }
    pool::sum_up(features, calls.len(), given);
}

fn one(
    assessor: &Assessor,
    question: &Question,
    site: &Site,
    place: usize,
    value: &Json,
    supports: &[&Leaf],
) -> Argument {
    use ArgumentFeature as A;
    let (name, node) = &site.tool.root.properties[place];
    let parameter = &site.tool.parameters[place];
    let mut own = Argument { values: [0.0; ARGUMENT_FEATURES] };
    let mut parts = Vec::new();
    leaves(value, MAX_LEAVES, &mut parts);
    let folded: Vec<String> = parts.iter().map(|part| folded_of(part)).collect();
    own.set(A::declared, declared(node));
    own.set(A::required, f32::from(u8::from(node.required)));
    let mut faults = assessor.result.observations.iter().filter(|observation| observation.is_fault());
    let faulty = faults.any(|fault| {
        fault.place().filter(|at| at.call == site.call).is_some_and(|at| {
            let rest = at.path.strip_prefix(&step("", name));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    });
    own.set(A::faulty, f32::from(u8::from(faulty)));
    own.set(A::leaves, parts.len().min(12) as f32);
    let list = value.as_array();
    own.set(A::list, list.map_or(NONE, |items| items.len().min(20) as f32));
    own.set(
        A::list_listed,
        list.map_or(0.0, |items| items.len().min(20) as f32 - question.listed.min(12) as f32),
    );
    let twice = list.is_some_and(|items| {
        items
            .iter()
            .take(MAX_LEAVES)
            .enumerate()
            .any(|(i, item)| items[..i].iter().any(|before| before.is_equivalent(item)))
    });
    own.set(A::twice_in_list, f32::from(u8::from(twice)));
    choices(&mut own, question, node, &parts);
    own.set(
        A::has_default,
        f32::from(u8::from(node.default.is_some() || node.description.contains(" default "))),
    );
    let optional = [" optional ", " default ", " if provided ", " if specified ", " if not "];
    own.set(A::optional_cue, f32::from(u8::from(optional.iter().any(|cue| node.description.contains(cue)))));
    own.set(A::name_asked, question.share(&parameter.name, 0.0));
    own.set(A::description_asked, question.share(parameter.described(node), 0.0));
    neighbours(&mut own, site, name, value);
    truth(&mut own, question, parameter, &parts);
    support(&mut own, supports);
    numbers(&mut own, &parts);
    let text = texts(&mut own, assessor, question, node, &parts, &folded);
    told_by(&mut own, assessor, &parts, &folded);
    binding(&mut own, question, site, place, &parts, &folded);
    own.set(A::tool_fit, site.tool_fit);
    let support = own.get(A::support);
    let ground = if text < 0.0 {
        support
    } else if support < 0.5 {
        text.min(support.max(text * 0.9))
    } else {
        support
    };
    own.set(A::ground, ground);
    own
}

fn declared(node: &Node) -> f32 {
    let allows = |value: Json| node.types.allow(&value);
    if node.types.is_anything() {
        0.0
    } else if allows(Json::from("")) {
        1.0
    } else if allows(Json::Bool(true)) {
        4.0
    } else if allows(Json::Number(0_i64.into())) {
        if crate::domain::Number::from_f64(0.5).is_some_and(|half| allows(Json::Number(half))) {
            3.0
        } else {
            2.0
        }
    } else if allows(Json::Array(Vec::new())) {
        5.0
    } else {
        6.0
    }
}

/// Whether the request names the chosen value, or another of the allowed ones.
fn choices(own: &mut Argument, question: &Question, node: &Node, parts: &[&Json]) {
    use ArgumentFeature as A;
    let inner = node.items.as_deref().filter(|items| !items.choices.is_empty()).unwrap_or(node);
    own.set(A::choices, inner.choices.len().min(30) as f32);
    let (mut named, mut rival) = (0.0f32, 0.0f32);
    for choice in inner.choices.iter().take(60) {
        let stems: Vec<Stem> = words(&choice.folded).filter(|word| is_content(word)).map(stem).collect();
        let share = question.share(&stems, 0.0);
        if parts.iter().any(|part| part.is_equivalent(&choice.value)) {
            named = named.max(share);
        } else {
            rival = rival.max(share);
        }
    }
    own.set(A::choice_named, named);
    own.set(A::rival_named, rival);
}

/// Equal values beside it.
fn neighbours(own: &mut Argument, site: &Site, name: &str, value: &Json) {
    use ArgumentFeature as A;
    let telling = !matches!(value, Json::Bool(_) | Json::Null);
    let call = &site.calls[site.call];
    let twice = call.parsed().is_some_and(|all| {
        telling && all.iter().any(|(other, same)| other != name && same.is_equivalent(value))
    });
    own.set(A::twice_in_call, f32::from(u8::from(twice)));
    let siblings = || {
        let others = site.calls.iter().enumerate().filter(|(at, _)| *at != site.call).take(16);
        others.filter(|(_, other)| other.name == call.name).filter_map(|(_, other)| other.parsed()?.get(name))
    };
    own.set(A::twice_in_turn, f32::from(u8::from(siblings().any(|other| other.is_equivalent(value)))));
    own.set(A::calls_of_tool, siblings().count().min(8) as f32);
}

fn truth(own: &mut Argument, question: &Question, parameter: &Parameter, parts: &[&Json]) {
    use ArgumentFeature as A;
    let truth = parts.iter().find_map(|part| if let Json::Bool(truth) = part { Some(*truth) } else { None });
    own.set(A::truth, truth.map_or(NONE, |truth| f32::from(u8::from(truth))));
    own.set(A::truth_named, truth.map_or(NONE, |_| question.share(&parameter.name, 0.0)));
    own.set(A::negated, f32::from(u8::from(question.negated)));
}

fn support(own: &mut Argument, supports: &[&Leaf]) {
    use ArgumentFeature as A;
    let least = supports.iter().map(|leaf| leaf.support).fold(f32::INFINITY, f32::min);
    let sum: f32 = supports.iter().map(|leaf| leaf.support).sum();
    own.set(A::support, if least.is_finite() { least } else { 0.7 });
    own.set(A::support_mean, if supports.is_empty() { 0.7 } else { sum / supports.len() as f32 });
    own.set(A::default, f32::from(u8::from(supports.iter().any(|leaf| leaf.default))));
}

fn numbers(own: &mut Argument, parts: &[&Json]) {
    use ArgumentFeature as A;
    let numbers =
        || parts.iter().filter_map(|part| if let Json::Number(number) = part { Some(number) } else { None });
    own.set(A::number, numbers().count().min(12) as f32);
    let decimals = numbers().map(decimals);
    own.set(A::decimals, decimals.max().map_or(NONE, |places| places.min(8) as f32));
    let small = numbers().all(|number| number.as_f64().abs() <= 10.0) && numbers().next().is_some();
    own.set(A::small_number, f32::from(u8::from(small)));
}

/// Places behind the point. Some readers of tables make 0.036000000000000004 of 0.036.
fn decimals(number: &Number) -> usize {
    let places = |text: &str| text.split_once('.').map_or(0, |(_, places)| places.len());
    match places(&number.plain()) {
        many if many > 8 => {
            let rounded: f64 = format!("{:.11e}", number.as_f64()).parse().unwrap_or_default();
            places(&rounded.to_string())
        }
        few => few,
    }
}

/// What the texts of a value look like; gives back how well the least of them is told, below zero where there is none.
fn texts(
    own: &mut Argument,
    assessor: &Assessor,
    question: &Question,
    node: &Node,
    parts: &[&Json],
    folded: &[String],
) -> f32 {
    use ArgumentFeature as A;
    const LEAST: [A; 8] =
        [A::whole, A::whole_any, A::covered, A::covered_any, A::head, A::is_name, A::described, A::dated];
    let spellings: Vec<Spelling> = parts
        .iter()
        .zip(folded)
        .filter_map(|(part, folded)| Some((part.as_str()?, folded)))
        .map(|(text, folded)| spelling::read(text, folded, assessor.evidence, question, node))
        .collect();
    if spellings.is_empty() {
        own.values[A::whole as usize..=A::capitals as usize].fill(NONE);
        return NONE;
    }
    for (at, feature) in spelling::ORDER.iter().enumerate() {
        let values = spellings.iter().map(|spelling| spelling.values[at]);
        let pooled = if LEAST.contains(feature) {
            values.fold(f32::INFINITY, f32::min)
        } else {
            values.fold(f32::NEG_INFINITY, f32::max)
        };
        own.set(*feature, pooled);
    }
    spellings.iter().map(|spelling| spelling.ground).fold(f32::INFINITY, f32::min)
}

/// Whether a part of a value is one that somebody may have said.
fn is_told(part: &Json) -> bool {
    matches!(part, Json::String(_) | Json::Number(_))
}

/// Who told the value.
fn told_by(own: &mut Argument, assessor: &Assessor, parts: &[&Json], folded: &[String]) {
    use ArgumentFeature as A;
    let mut tellers = [0.0f32; 5];
    let (mut nowhere, mut of, mut age) = (0.0, 0.0f32, NONE);
    for (_, folded) in parts.iter().zip(folded).filter(|(part, _)| is_told(part)) {
        if folded.trim().is_empty() || folded.len() > 200 {
            continue;
        }
        of += 1.0;
        match assessor.evidence.told_by(folded) {
            Some((teller, messages)) => {
                tellers[teller as usize] += 1.0;
                age = age.max((messages as f32).ln_1p());
            }
            None => nowhere += 1.0,
        }
    }
    let of = of.max(1.0);
    for (feature, teller) in [
        (A::from_question, Teller::Question),
        (A::from_user, Teller::User),
        (A::from_result, Teller::Tool),
        (A::from_assistant, Teller::Assistant),
        (A::from_system, Teller::System),
    ] {
        own.set(feature, tellers[teller as usize] / of);
    }
    own.set(A::from_nowhere, nowhere / of);
    own.set(A::age, age);
}

/// Whether the value stands in the question where the parameter is named.
fn binding(
    own: &mut Argument,
    question: &Question,
    site: &Site,
    place: usize,
    parts: &[&Json],
    folded: &[String],
) {
    use ArgumentFeature as A;
    own.set(A::near, NONE);
    own.set(A::next, NONE);
    own.set(A::rival, NONE);
    let mut mentions: Vec<usize> = Vec::new();
    let mut numeric = false;
    for (part, folded) in parts.iter().zip(folded).take(4).filter(|(part, _)| is_told(part)) {
        let value: Vec<&str> = words(folded).take(12).collect();
        mentions.extend(question.mentions(&value));
        numeric |= matches!(part, Json::Number(_));
    }
    mentions.sort_unstable();
    mentions.dedup();
    own.set(A::mentions, mentions.len().min(6) as f32);
    if mentions.is_empty() {
        return;
    }
    let positions = |stems: &[Stem], without: &[Stem]| -> Vec<usize> {
        // Most names are not spoken of at all.
        if !stems.iter().any(|own| question.has(*own)) {
            return Vec::new();
        }
        let names = |own: &Stem| stems.contains(own) && !without.contains(own);
        question.stems.iter().enumerate().filter(|(_, own)| names(own)).map(|(at, _)| at).take(12).collect()
    };
    let distance = |a: &[usize], b: &[usize]| {
        a.iter().flat_map(|x| b.iter().map(|y| x.abs_diff(*y))).min().unwrap_or(99)
    };
    let parameters = &site.tool.parameters;
    let named = positions(&parameters[place].name, &[]);
    let near = distance(&mentions, &named);
    let others = parameters.iter().enumerate().filter(|(at, _)| *at != place).take(MAX_PLACED);
    let rival = others
        .map(|(_, other)| distance(&mentions, &positions(&other.name, &parameters[place].name)))
        .min()
        .unwrap_or(99);
    if !named.is_empty() {
        own.set(A::near, near.min(20) as f32);
    }
    if !named.is_empty() || rival < 99 {
        own.set(A::gap, (rival as f32 - near as f32).clamp(-20.0, 20.0));
    }
    if named.is_empty() {
        return;
    }
    let candidates: Vec<usize> = question
        .words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.starts_with(|c: char| c.is_ascii_digit()) == numeric)
        .filter(|(at, word)| numeric || (is_content(word) && !named.contains(at)))
        .map(|(at, _)| at)
        .take(60)
        .collect();
    let followers: Vec<usize> =
        named.iter().filter_map(|at| candidates.iter().copied().find(|candidate| candidate > at)).collect();
    if !followers.is_empty() {
        let is_next = followers.iter().any(|at| mentions.iter().any(|mention| mention.abs_diff(*at) <= 1));
        own.set(A::next, f32::from(u8::from(is_next)));
    }
    own.set(A::rival, f32::from(u8::from(distance(&candidates, &named) < near)));
}
