//! Puts the messages of one server's logs in order, each once: two files may tell of one connection, a log may begin with its end.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use jiff::Timestamp;

use super::{CUT, MESSAGE, SERVER, SIDE, SOURCE, Side, TIME};
use crate::domain::{Json, Object};
use crate::normalize::logs::value;

/// How far apart, in seconds, the client's and the server's line of one message may be in one file, and in two.
const IN_ONE_FILE: f64 = 0.01;
const IN_TWO_FILES: f64 = 0.05;
/// Of how many of the messages of the shorter file, in a hundred, both must tell.
const SHARED: usize = 90;

/// One message, with what its log says of it.
pub(super) struct Logged {
    pub(super) message: Object,
    pub(super) time: Option<Timestamp>,
    pub(super) server: Option<String>,
    pub(super) side: Option<Side>,
    pub(super) is_cut: bool,
    source: usize,
    print: u64,
}

impl Logged {
    pub(super) fn method(&self) -> Option<&str> {
        self.message.get("method")?.as_str()
    }

    /// The id, as text; the number 1 and the text "1" are two ids.
    pub(super) fn id(&self) -> Option<String> {
        self.message.get("id").filter(|id| !id.is_null()).map(Json::to_string)
    }
}

/// Messages that are one log.
pub(super) struct Timeline {
    /// The file that holds it, or the first of those that do.
    pub(super) source: String,
    pub(super) messages: Vec<Logged>,
}

/// The logs that the fragments of one server are: files are one only if they tell of the same messages.
pub(super) fn timelines(fragments: Vec<Object>) -> Vec<Timeline> {
    let mut names: Vec<String> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut files: Vec<Vec<Logged>> = Vec::new();
    for mut fragment in fragments {
        let Some(Json::Object(message)) = fragment.remove(MESSAGE) else { continue };
        let name = value::name(&fragment, SOURCE).unwrap_or_default();
        let source = *places.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            files.push(Vec::new());
            names.len() - 1
        });
        let mut hasher = DefaultHasher::new();
        // Whoever logs a message may put its keys in an order of their own.
        let mut parts: Vec<(&str, String)> =
            message.iter().map(|(key, value)| (key, value.to_string())).collect();
        parts.sort_unstable();
        parts.hash(&mut hasher);
        files[source].push(Logged {
            time: fragment.get(TIME).and_then(value::instant),
            server: value::name(&fragment, SERVER),
            side: fragment.get(SIDE).and_then(Json::as_str).and_then(Side::said_by),
            is_cut: fragment.contains_key(CUT),
            source,
            print: hasher.finish(),
            message,
        });
    }
    for file in &mut files {
        if is_backwards(file) {
            file.reverse();
        }
    }
    let roots = joined(&files);
    let mut logs: Vec<Timeline> = Vec::new();
    let mut of_root: HashMap<usize, usize> = HashMap::new();
    for ((file, name), root) in files.into_iter().zip(names).zip(roots) {
        let at = *of_root.entry(root).or_insert_with(|| {
            logs.push(Timeline { source: name, messages: Vec::new() });
            logs.len() - 1
        });
        logs[at].messages.extend(file);
    }
    for log in &mut logs {
        let first = log.messages.first().map(|message| message.source);
        if log.messages.iter().any(|message| Some(message.source) != first) {
            log.messages.sort_by_key(|message| message.time);
        }
        once(&mut log.messages);
    }
    logs
}

/// Whether a log begins with its end: its times go down; without times, more answers follow what they answer if it is read from there.
fn is_backwards(messages: &[Logged]) -> bool {
    let times: Option<Vec<Timestamp>> = messages.iter().map(|message| message.time).collect();
    if let Some(times) = times {
        let falls = times.windows(2).all(|pair| pair[0] >= pair[1]);
        let rises = times.windows(2).all(|pair| pair[0] <= pair[1]);
        if falls != rises {
            return falls;
        }
    }
    answered(messages.iter().rev()) > answered(messages.iter())
}

/// How many answers follow what they answer.
fn answered<'a>(messages: impl Iterator<Item = &'a Logged>) -> usize {
    let mut asked: HashSet<String> = HashSet::new();
    let mut answered = 0;
    for (id, is_asked) in messages.filter_map(|message| Some((message.id()?, message.method().is_some()))) {
        if is_asked {
            asked.insert(id);
        } else if asked.remove(&id) {
            answered += 1;
        }
    }
    answered
}

/// Of each file, the first of those that it is one log with: two that tell of one message at nearly the same time.
fn joined(files: &[Vec<Logged>]) -> Vec<usize> {
    let mut roots: Vec<usize> = (0..files.len()).collect();
    let is_timed = |file: &Vec<Logged>| file.iter().all(|message| message.time.is_some());
    if files.len() < 2 || !files.iter().all(is_timed) {
        return roots;
    }
    fn root(roots: &[usize], mut at: usize) -> usize {
        while roots[at] != at {
            at = roots[at];
        }
        at
    }
    let with_ids = |file: &Vec<Logged>| file.iter().filter(|message| message.id().is_some()).count();
    let lengths: Vec<usize> = files.iter().map(with_ids).collect();
    let mut all: Vec<&Logged> = files.iter().flatten().filter(|message| message.id().is_some()).collect();
    all.sort_by_key(|message| message.time);
    let mut last: HashMap<u64, &Logged> = HashMap::new();
    let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for message in all {
        if let Some(before) = last.insert(message.print, message)
            && before.source != message.source
            && apart(before, message).is_some_and(|seconds| seconds <= IN_TWO_FILES)
        {
            let (one, other) = (before.source, message.source);
            *shared.entry((one.min(other), one.max(other))).or_default() += 1;
        }
    }
    for ((one, other), number) in shared {
        if number * 100 >= lengths[one].min(lengths[other]) * SHARED {
            let (one, other) = (root(&roots, one), root(&roots, other));
            roots[one.max(other)] = one.min(other);
        }
    }
    (0..files.len()).map(|at| root(&roots, at)).collect()
}

fn apart(one: &Logged, other: &Logged) -> Option<f64> {
    value::seconds_between(one.time, other.time).map(f64::abs)
}

/// Leaves out the second line of a message that its client and its server both logged. Ids are not given twice in a connection, so
/// that two lines in a moment are one message; a third is another's.
fn once(messages: &mut Vec<Logged>) {
    struct Kept {
        time: Option<Timestamp>,
        sources: Vec<usize>,
    }
    let mut kept: HashMap<u64, Kept> = HashMap::new();
    messages.retain(|message| {
        if message.id().is_none() {
            return true;
        }
        if let Some(before) = kept.get_mut(&message.print) {
            let is_elsewhere = !before.sources.contains(&message.source);
            let most = if is_elsewhere { IN_TWO_FILES } else { IN_ONE_FILE };
            // Without times, nobody knows.
            let is_near = value::seconds_between(before.time, message.time)
                .is_some_and(|seconds| seconds.abs() <= most);
            let copies = before.sources.iter().filter(|source| **source == message.source).count();
            if is_near && copies < 2 {
                before.sources.push(message.source);
                return false;
            }
        }
        kept.insert(message.print, Kept { time: message.time, sources: vec![message.source] });
        true
    });
}
