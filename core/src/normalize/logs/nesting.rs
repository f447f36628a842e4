//! Model calls that contain model calls: a framework's span around the provider's, `ai.generateText` around `doGenerate`.
//!
//! The outer call repeats the inner ones, unless an instrumentation lost calls on the way inwards: then the outer one is judged,
//! and inner calls that say less are not. An answer that the log cut never counts as saying more than another. Records name their
//! parents, not their children, so an inner call informs its parent with a fragment. Links in a circle contain nothing: each call
//! of the circle is judged.

use std::collections::{BTreeMap, HashMap, HashSet};

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

/// The tools that an answer calls, each as often as it does; `None` where the log cut the answer, and nobody knows.
pub(super) type Called = Option<BTreeMap<String, usize>>;

/// A model call, and what it is a part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) tools: Called,
}

/// The tool of a call that cannot be read.
const UNREAD: &str = "";

/// What an answer calls.
pub(super) fn tools_in(output: Option<&Output>) -> Called {
    let unread = || BTreeMap::from([(UNREAD.to_owned(), 1)]);
    match output {
        None => Some(BTreeMap::new()),
        Some(Output::Broken(_)) => None,
        Some(Output::Message(json) | Output::Calls(json)) => match Reader::new(&[]).output(json) {
            Ok(Answer::Calls(calls)) => Some(counted(calls.into_iter().map(|call| call.name))),
            Ok(Answer::Unreadable(_)) | Err(_) => Some(unread()),
        },
    }
}

fn counted(tools: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    tools.fold(BTreeMap::new(), |mut counts, tool| {
        *counts.entry(tool).or_default() += 1;
        counts
    })
}

/// How often an answer calls a tool, or any where it is not known which.
fn times(called: &Called, tool: &str) -> usize {
    let Some(counts) = called else { return 0 };
    match tool {
        UNREAD => counts.values().sum(),
        tool => counts.get(tool).copied().unwrap_or_default(),
    }
}

/// Whether an answer says no more than `other` around it, which is not cut, and all that are within that one say so together: of two
/// calls of a tool, one is not repeated by a single call around them.
fn says_no_more(call: &Called, other: &Called, within_other: impl FnOnce() -> Vec<Inner>) -> bool {
    let says = |(tool, number): (&String, &usize)| times(other, tool) >= *number;
    if other.is_none() || !call.iter().flatten().all(says) {
        return false;
    }
    let Some(call) = call.as_ref().filter(|call| !call.is_empty()) else { return true };
    let found = within_other();
    call.keys().all(|tool| times(other, tool) >= times_within(&found, tool))
}

/// A trace, in which ids mean something.
pub(super) struct Trace<'a> {
    /// The log's format, whose ids are its own.
    pub(super) format: &'static str,
    pub(super) id: &'a str,
}

impl Trace<'_> {
    /// Tells the parent of a call that it contains a model call, and those within a call what it calls and is a part of.
    pub(super) fn tell(&self, call: &Call) -> Vec<Entry> {
        let fragment = |key: String, id: &str| {
            let tools = call.tools.as_ref().map(|tools| {
                tools
                    .iter()
                    .flat_map(|(tool, number)| std::iter::repeat_n(Json::from(tool.as_str()), *number))
            });
            let said: Vec<Json> = std::iter::once(Json::from(id))
                .chain(tools.is_none().then_some(Json::Null))
                .chain(tools.into_iter().flatten())
                .collect();
            let object = Object::from_iter([(Fragment::SIGN.to_owned(), Json::Array(said))]);
            Entry::Fragment(Fragment { key, object })
        };
        let to_parent = call.parent.as_ref().map(|parent| fragment(self.key_within(parent), &call.id));
        let parent = call.parent.as_deref().unwrap_or_default();
        let to_inner = fragment(self.key_of(&call.id), parent);
        to_parent.into_iter().chain([to_inner]).collect()
    }

    /// Whether a call `id` contains a model call, or its parent is one.
    pub(super) fn is_linked(&self, id: &str, parent: Option<&str>, context: &Context) -> bool {
        let is_told = |key: String| !context.related.find(&key).is_empty();
        is_told(self.key_within(id)) || parent.is_some_and(|parent| is_told(self.key_of(parent)))
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
            let within = || look_within(&id, |id| self.told(&self.key_within(id), context), |_| false).0;
            let is_outer = says_no_more(&call.tools, &tools, within) && self.is_outer(&id, context);
            if is_outer && !self.is_covered(&id, &tools, context) {
                return true;
            }
            parent = Some(above).filter(|above| !above.is_empty());
        }
        false
    }

    /// Whether the model calls within the call `id` say all that it says.
    fn is_covered(&self, id: &str, tools: &Called, context: &Context) -> bool {
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
    fn told(&self, key: &str, context: &Context) -> Vec<(String, Called)> {
        let read = |object: Object| {
            let (id, tools) = object.get(Fragment::SIGN)?.as_array()?.split_first()?;
            let tools: Option<Vec<String>> =
                tools.iter().map(|tool| Some(tool.as_str()?.to_owned())).collect();
            Some((id.as_str()?.to_owned(), tools.map(|tools| counted(tools.into_iter()))))
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

/// A call within another: its id, the place of the one around it, and what it calls.
type Inner = (String, usize, Called);

/// Whether what is `within` the call `id`, level by level, says all that an answer with these `tools` says. What a call and those
/// within it say is counted once.
fn is_covered(tools: &Called, id: &str, within: impl Fn(&str) -> Vec<(String, Called)>) -> bool {
    let Some(tools) = tools else { return true };
    let says_all = |found: &[Inner]| {
        let has_answer = found.iter().any(|(_, _, called)| called.is_some());
        has_answer && tools.iter().all(|(tool, number)| times_within(found, tool) >= *number)
    };
    look_within(id, within, says_all).1
}

/// The call `id` and all that is `within` it, level by level, until it is enough; and whether it was.
fn look_within(
    id: &str,
    within: impl Fn(&str) -> Vec<(String, Called)>,
    is_enough: impl Fn(&[Inner]) -> bool,
) -> (Vec<Inner>, bool) {
    let mut found: Vec<Inner> = vec![(id.to_owned(), 0, None)];
    let mut level = 0..1;
    while !level.is_empty() && found.len() < MAX_LOOKED_AT {
        for at in level.clone() {
            let inner = within(&found[at].0).into_iter();
            found.extend(inner.map(|(id, called)| (id, at, called)));
        }
        level = level.end..found.len();
        if is_enough(&found) {
            return (found, true);
        }
    }
    (found, false)
}

/// How often a tool is called within the first of these calls.
fn times_within(found: &[Inner], tool: &str) -> usize {
    let mut sums = vec![0; found.len()];
    for (at, (_, around, called)) in found.iter().enumerate().skip(1).rev() {
        sums[*around] += times(called, tool).max(sums[at]);
    }
    sums[0]
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
    let inner = |id: &str| -> Vec<(String, Called)> {
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
            let within = || look_within(&above.id, inner, |_| false).0;
            holds_more && says_no_more(&call.tools, &above.tools, within)
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

    /// `b<a:f` is the call `b` within `a`, which calls the tool `f`; `b:?` calls one that cannot be read, and `b:!` was cut.
    fn call(written: &str) -> Call {
        let (links, tools) = written.split_once(':').unwrap_or((written, ""));
        let (id, parent) = links.split_once('<').unwrap_or((links, ""));
        let tools = tools.split(',').filter(|tool| !tool.is_empty());
        Call {
            id: id.to_owned(),
            parent: (!parent.is_empty()).then(|| parent.to_owned()),
            tools: (!written.ends_with('!')).then(|| counted(tools.map(|tool| tool.replace('?', UNREAD)))),
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
            ("a:f b<a c<b", "b c"),
            ("a:f b<a:g", ""),
            ("a:f b<a:g c<b:g", "b"),
            ("a<b:f b<a", ""),
            // A tool that is called twice is two calls.
            ("a:f,f b<a:f", "b"),
            ("a:f,f b<a:f c<a:f", "a"),
            ("a:f,f b<a:f,f", "a"),
            ("a:f,f b<a:f c<b:f", "b c"),
            ("a:f,f b<a:f,f c<b:f", "a c"),
            // What is within says it together.
            ("a:f,g b<a:f c<a:f", ""),
            ("a:f,f,g b<a:f c<a:f", "b c"),
            ("a:f,g b<a:f c<a:h", "b"),
            ("a:f,g b<a:f c<b:f d<a", "b c d"),
            // One that cannot be read is any.
            ("a:? b<a:f", "a"),
            ("a:? b<a", "b"),
            ("a:f b<a:?", "b"),
            // What the log cut says nothing.
            ("a:! b<a:f", "a"),
            ("a:! b<a", "a"),
            ("a:f b<a:!", "b"),
            ("a b<a:!", "b"),
            ("a:! b<a:!", "a"),
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
            tools: Some(BTreeMap::from([((at % 7).to_string(), 1)])),
        };
        assert!(repeated((0..100_000).map(inner)).len() > 99_000);
    }
}
