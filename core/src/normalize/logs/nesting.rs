//! Model calls that contain model calls: a framework's span around the provider's, `ai.generateText` around `doGenerate`.
//!
//! The outer one repeats what the inner ones say, unless an instrumentation lost calls on the way inwards: then the outer one is
//! judged, and what within it says less is not. Records name their parents and not their children, so an inner call tells its parent
//! by a fragment. Links that go round in a circle contain nothing: each call of the circle is judged.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::context::Context;
use super::entry::{Entry, Fragment};
use super::turn::Output;
use crate::domain::{Json, Object};
use crate::normalize::Reader;
use crate::normalize::calls::Answer;

/// How deep calls may be nested before that is taken for a circle.
const MAX_DEPTH: usize = 32;

/// How many calls within calls are looked at to find a circle.
const MAX_LOOKED_AT: usize = 256;

/// A model call, and what it is a part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) parent: Option<String>,
    /// The tools that its answer calls.
    pub(super) tools: BTreeSet<String>,
}

/// The tools that an answer calls; what cannot be read is a tool without a name.
pub(super) fn tools_in(output: Option<&Output>) -> BTreeSet<String> {
    let unread = || BTreeSet::from([String::new()]);
    match output {
        None => BTreeSet::new(),
        Some(Output::Broken(_)) => unread(),
        Some(Output::Message(json) | Output::Calls(json)) => match Reader::new(&[]).output(json) {
            Ok(Answer::Calls(calls)) => calls.into_iter().map(|call| call.name).collect(),
            Ok(Answer::Unreadable(_)) | Err(_) => unread(),
        },
    }
}

/// A trace, in which ids mean something.
pub(super) struct Trace<'a> {
    /// The log's format, whose ids are its own.
    pub(super) format: &'static str,
    pub(super) id: &'a str,
}

impl Trace<'_> {
    /// Tells the parent of a call that it contains a model call, and those within a call that calls tools which.
    pub(super) fn tell(&self, call: &Call) -> Vec<Entry> {
        let fragment = |key: String, id: &str| {
            let said = std::iter::once(id).chain(call.tools.iter().map(String::as_str)).map(Json::from);
            let object = Object::from_iter([(Fragment::SIGN.to_owned(), Json::Array(said.collect()))]);
            Entry::Fragment(Fragment { key, object })
        };
        let to_parent = call.parent.as_ref().map(|parent| fragment(self.key_within(parent), &call.id));
        let parent = call.parent.as_deref().unwrap_or_default();
        let to_inner = (!call.tools.is_empty()).then(|| fragment(self.key_of(&call.id), parent));
        to_parent.into_iter().chain(to_inner).collect()
    }

    /// Whether a call says no more than one that contains it, or than those that it contains.
    pub(super) fn repeats(&self, call: &Call, context: &Context) -> bool {
        if self.is_covered(&call.id, &call.tools, context) {
            return true;
        }
        let mut parent = call.parent.clone();
        for _ in 0..MAX_DEPTH {
            let Some(id) = parent.take() else { return false };
            let Some((above, tools)) = self.told(&self.key_of(&id), context).into_iter().next() else {
                return false;
            };
            let is_outer = call.tools.is_subset(&tools) && self.is_outer(&id, context);
            if is_outer && !self.is_covered(&id, &tools, context) {
                return true;
            }
            parent = Some(above).filter(|above| !above.is_empty());
        }
        false
    }

    /// Whether the model calls within the call `id` call all of its `tools`.
    fn is_covered(&self, id: &str, tools: &BTreeSet<String>, context: &Context) -> bool {
        self.is_outer(id, context) && is_covered(tools, id, |id| self.told(&self.key_within(id), context))
    }

    /// Whether the model call `id` contains another.
    fn is_outer(&self, id: &str, context: &Context) -> bool {
        let within = |id: &str| self.told(&self.key_within(id), context).into_iter().map(|(id, _)| id);
        let mut level: Vec<String> = within(id).collect();
        let is_outer = !level.is_empty();
        let mut looked_at = 0;
        for _ in 0..MAX_DEPTH {
            if level.is_empty() {
                return is_outer;
            }
            if level.iter().any(|inner| inner == id) {
                return false;
            }
            looked_at += level.len();
            if looked_at > MAX_LOOKED_AT {
                return is_outer;
            }
            level = level.iter().flat_map(|inner| within(inner)).collect();
        }
        false
    }

    /// Ids and tools that were told under a key.
    fn told(&self, key: &str, context: &Context) -> Vec<(String, BTreeSet<String>)> {
        let read = |object: Object| {
            let mut said = object.get(Fragment::SIGN)?.as_array()?.iter().filter_map(Json::as_str);
            Some((said.next()?.to_owned(), said.map(str::to_owned).collect()))
        };
        context.related.find(key).into_iter().filter_map(read).collect()
    }

    fn key_within(&self, id: &str) -> String {
        format!("{} inside {} {id}", self.format, self.id)
    }

    fn key_of(&self, id: &str) -> String {
        format!("{} tools {} {id}", self.format, self.id)
    }
}

/// Whether what is `within` the call `id`, level by level, calls all of these `tools`.
fn is_covered(
    tools: &BTreeSet<String>,
    id: &str,
    within: impl Fn(&str) -> Vec<(String, BTreeSet<String>)>,
) -> bool {
    let mut left = tools.clone();
    let (mut level, mut looked_at) = (vec![id.to_owned()], 0);
    while !left.is_empty() && !level.is_empty() && looked_at < MAX_LOOKED_AT {
        let next: Vec<(String, BTreeSet<String>)> = level.iter().flat_map(|id| within(id)).collect();
        looked_at += next.len().max(1);
        next.iter().flat_map(|(_, tools)| tools).for_each(|tool| {
            left.remove(tool);
        });
        level = next.into_iter().map(|(id, _)| id).collect();
    }
    left.is_empty()
}

/// The ids of calls that say no more than one that contains them, or than those that they contain, where all of a trace are known.
pub(super) fn repeated(calls: impl Iterator<Item = Call>) -> HashSet<String> {
    let calls: HashMap<String, Call> = calls.map(|call| (call.id.clone(), call)).collect();
    let outer = outer(&calls);
    let mut within: HashMap<&str, Vec<&Call>> = HashMap::new();
    for call in calls.values() {
        if let Some(parent) = &call.parent {
            within.entry(parent).or_default().push(call);
        }
    }
    let inner = |id: &str| -> Vec<(String, BTreeSet<String>)> {
        let inner = within.get(id).map_or(&[][..], Vec::as_slice);
        inner.iter().map(|call| (call.id.clone(), call.tools.clone())).collect()
    };
    let covered: HashSet<&str> = calls
        .values()
        .filter(|call| outer.contains(&call.id) && is_covered(&call.tools, &call.id, inner))
        .map(|call| call.id.as_str())
        .collect();
    let says_less = |call: &Call| {
        let above = |call: &&Call| calls.get(call.parent.as_ref()?);
        let mut all = std::iter::successors(above(&call), above).take(MAX_DEPTH);
        all.any(|above| {
            let holds_more = outer.contains(&above.id) && !covered.contains(above.id.as_str());
            holds_more && call.tools.is_subset(&above.tools)
        })
    };
    let repeated = calls.values().filter(|call| covered.contains(call.id.as_str()) || says_less(call));
    repeated.map(|call| call.id.clone()).collect()
}

/// The ids of what contains one of these model calls.
fn outer(calls: &HashMap<String, Call>) -> HashSet<String> {
    let parents: HashMap<&str, &str> =
        calls.values().filter_map(|call| Some((call.id.as_str(), call.parent.as_deref()?))).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut circles: HashSet<&str> = HashSet::new();
    for start in parents.keys() {
        let mut path: Vec<&str> = Vec::new();
        let mut at = *start;
        while seen.insert(at) {
            path.push(at);
            match parents.get(at) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        // A path that ends in itself goes round from there on.
        if let Some(from) = path.iter().position(|id| *id == at)
            && parents.contains_key(at)
        {
            circles.extend(&path[from..]);
        }
    }
    parents.values().filter(|parent| !circles.contains(**parent)).map(|parent| (*parent).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::logs::{RelatedRecords, Turns};
    use crate::normalize::{Normalizer, Options};

    /// The fragments of calls that were told.
    struct Told(Vec<Fragment>);

    impl RelatedRecords for Told {
        fn find(&self, key: &str) -> Vec<Object> {
            self.0.iter().filter(|told| told.key == key).map(|told| told.object.clone()).collect()
        }
    }

    /// `b<a:f` is the call `b` within `a`, which calls the tool `f`.
    fn call(written: &str) -> Call {
        let (links, tools) = written.split_once(':').unwrap_or((written, ""));
        let (id, parent) = links.split_once('<').unwrap_or((links, ""));
        Call {
            id: id.to_owned(),
            parent: (!parent.is_empty()).then(|| parent.to_owned()),
            tools: tools.split(',').filter(|tool| !tool.is_empty()).map(str::to_owned).collect(),
        }
    }

    #[test]
    fn both_ways_of_finding_agree_and_circles_contain_nothing() {
        for (calls, expected) in [
            ("", ""),
            ("a b<a", "a"),
            ("a b<a c<b", "a b"),
            ("a b<a c<a", "a"),
            ("a<a", ""),
            ("a<b b<a", ""),
            ("a<b b<c c<a", ""),
            ("a<b b<a c<a d<c", "c"),
            // What calls more than all within it is judged, and they are not.
            ("a:f b<a", "b"),
            ("a:f b<a:f", "a"),
            ("a:f,g b<a:f c<a:g", "a"),
            ("a:f,g b<a:f c<a", "b c"),
            ("a:f b<a:f c<a", "a"),
            ("a:f b<a c<b:f", "a b"),
            ("a:f b<a:g", ""),
            ("a:f b<a:g c<b:g", "b"),
            ("a<b:f b<a", ""),
        ] {
            let calls: Vec<Call> = calls.split_whitespace().map(call).collect();
            let known: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
            let mut found: Vec<String> = repeated(calls.iter().cloned()).into_iter().collect();
            found.sort();
            assert_eq!(found.join(" "), expected, "{calls:?}");
            let trace = Trace { format: "x", id: "t" };
            let told = calls.iter().flat_map(|call| trace.tell(call)).map(|told| match told {
                Entry::Fragment(fragment) => fragment,
                other => panic!("{other:?}"),
            });
            let told = Told(told.collect());
            let context = Context {
                agents: false,
                turns: Turns::All,
                normalizer: &Normalizer::new(Options::default()).unwrap().into(),
                related: &told,
                source: "",
            };
            let mut found: Vec<&str> = calls
                .iter()
                .filter(|call| trace.repeats(call, &context))
                .map(|call| call.id.as_str())
                .collect();
            found.sort();
            assert_eq!(found.join(" "), expected, "{known:?}, told");
        }
    }

    #[test]
    fn a_hundred_thousand_calls_in_each_other_take_no_more_than_their_share() {
        let inner = |at: usize| Call {
            id: (at + 1).to_string(),
            parent: Some(at.to_string()),
            tools: BTreeSet::from([(at % 7).to_string()]),
        };
        assert!(repeated((0..100_000).map(inner)).len() > 99_000);
    }
}
