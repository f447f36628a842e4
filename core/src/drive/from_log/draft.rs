//! The suite under construction: cases that the suite reader accepts, each once and with a unique id.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::CaseMode;
use super::left_out::{LeftOut, LeftOutCount};
use super::redact::Redaction;
use crate::domain::{Entry, Json, Message, Object, Role, ToolDefinition};
use crate::drive::{Case, Stage, SuiteDefaults, SuiteFormat, read_suite};

/// A case that nobody has checked yet.
pub(super) struct CaseDraft {
    /// All but its id and its tools.
    pub case: Object,
    pub tools: Vec<ToolDefinition>,
    /// What it begins with, where that is `messages`.
    pub messages: Vec<Message>,
}

/// A suite made of a log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoggedSuite {
    /// The suite file, as JSON lines; empty where there is no case.
    pub text: String,
    /// Cases in it.
    pub cases: u64,
    /// Those of them that forbid wrong calls.
    pub bans: u64,
    /// Those whose tools take any arguments, since the definitions do not allow some that were logged, or what `redact` put in their place.
    pub unvalidated: u64,
    /// Those whose definitions of tools hold what was to be redacted: an agent is offered its tools as they are.
    pub unredacted: u64,
    /// Patterns to redact that matched nothing of what became cases: which ones, from 1.
    pub idle_patterns: Vec<usize>,
    /// Arguments to ignore that no call of the log has, nor a definition: which ones, from 1.
    pub idle_pointers: Vec<usize>,
    /// Rows or conversations that are equal to a case above in messages, tools and what is expected.
    pub duplicates: u64,
    /// What became no case.
    pub left_out: BTreeMap<LeftOut, LeftOutCount>,
}

/// A case that was taken.
#[derive(Debug)]
struct Taken {
    id: String,
    case: Object,
    tools: Json,
}

#[derive(Debug)]
pub(super) struct Draft {
    mode: CaseMode,
    taken: Vec<Taken>,
    ids: HashSet<String>,
    hashes: HashSet<[u8; 32]>,
    suite: LoggedSuite,
}

/// Letters of a hash that an id is made of.
const HASH_LETTERS: usize = 12;

impl Draft {
    pub fn new(mode: CaseMode) -> Draft {
        let (ids, hashes) = Default::default();
        Draft { mode, taken: Vec::new(), ids, hashes, suite: LoggedSuite::default() }
    }

    pub fn leave_out(&mut self, why: LeftOut, example: &str) {
        let left_out = self.suite.left_out.entry(why).or_default();
        left_out.count += 1;
        if left_out.example.is_none() && !example.is_empty() {
            left_out.example = Some(example.to_owned());
        }
    }

    /// Takes a case, under its own `id` if it has one.
    pub fn add(&mut self, id: Option<String>, case: Result<CaseDraft, LeftOut>) {
        let draft = match case {
            Ok(draft) => draft,
            Err(why) => return self.leave_out(why, ""),
        };
        let tools = Json::Array(draft.tools.iter().map(ToolDefinition::to_json).collect());
        let hash = blake3::hash(format!("{}\n{tools}", Json::Object(draft.case.clone())).as_bytes());
        if self.hashes.contains(hash.as_bytes()) {
            self.suite.duplicates += 1;
            return;
        }
        let short = &hash.to_hex()[..HASH_LETTERS];
        let id = match id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()) {
            Some(id) if !self.ids.contains(&id) => id,
            Some(id) => format!("{id}~{short}"),
            None => short.to_owned(),
        };
        let taken = Taken { id, case: draft.case.clone(), tools };
        if let Err((why, example)) = self.check(&taken, &draft) {
            return self.leave_out(why, &example);
        }
        self.suite.bans += u64::from(taken.case.contains_key("not_calls"));
        self.suite.unvalidated += u64::from(taken.case.get("validate") == Some(&Json::Bool(false)));
        self.suite.cases += 1;
        self.hashes.insert(*hash.as_bytes());
        self.ids.insert(taken.id.clone());
        self.taken.push(taken);
    }

    /// An error unless the case reads back, can be driven, and says what the log says.
    fn check(&self, taken: &Taken, draft: &CaseDraft) -> Result<(), (LeftOut, String)> {
        let text = format!("{}\n{}\n", self.header("check", None), taken.line(true));
        let no_files = |_: &str| Err("a suite from a log names no files".to_owned());
        let suite = read_suite("check", SuiteFormat::Jsonl, &text, SuiteDefaults::default(), &no_files)
            .map_err(|error| {
                let is_about_tools = error.message.contains("`tools`:");
                let why = if is_about_tools { LeftOut::UnusableDefinitions } else { LeftOut::Refused };
                (why, error.message)
            })?;
        if suite.cases.iter().any(|case| !says(case, draft)) {
            return Err((LeftOut::Changed, String::new()));
        }
        Stage::all(suite.cases)
            .map(drop)
            .map_err(|(_, error)| (LeftOut::UnusableDefinitions, error.to_string()))
    }

    /// The first line.
    fn header(&self, name: &str, tools: Option<&Json>) -> Json {
        let (mut suite, mut defaults, mut header) = (Object::new(), Object::new(), Object::new());
        suite.insert("name", name);
        if let Some(tools) = tools {
            suite.insert("tools", tools.clone());
        }
        match self.mode {
            CaseMode::Turn => defaults.insert("execute", Json::Bool(false)),
            CaseMode::Episode => defaults.insert("unmatched", "stop"),
        }
        // A reviewed call comes again as it was, or it does not.
        defaults.insert("threshold", Json::Number(1_i64.into()));
        header.insert("suite", Json::Object(suite));
        header.insert("defaults", Json::Object(defaults));
        Json::Object(header)
    }

    pub fn finish(mut self, name: &str, redaction: &Redaction) -> LoggedSuite {
        let mut found: HashMap<String, bool> = HashMap::new();
        for taken in &self.taken {
            let tools = taken.tools.to_string();
            let finds = found.entry(tools).or_insert_with_key(|tools| redaction.finds(tools));
            self.suite.unredacted += u64::from(*finds);
        }
        let Some(first) = self.taken.first() else { return self.suite };
        let shared = self.taken.iter().all(|taken| taken.tools == first.tools).then(|| first.tools.clone());
        let name = if name.trim().is_empty() { "from-log" } else { name };
        let mut text = format!("{}\n", self.header(name, shared.as_ref()));
        for taken in &self.taken {
            text.push_str(&taken.line(shared.is_none()).to_string());
            text.push('\n');
        }
        self.suite.text = text;
        self.suite
    }
}

impl Taken {
    fn line(&self, with_tools: bool) -> Json {
        let mut line = Object::new();
        line.insert("id", self.id.as_str());
        for (key, value) in self.case.iter() {
            line.insert(key, value.clone());
        }
        if with_tools {
            line.insert("tools", self.tools.clone());
        }
        Json::Object(line)
    }
}

/// Whether a case that was read back is the one that was meant: a text may look like a call, or a definition like another one.
fn says(case: &Case, draft: &CaseDraft) -> bool {
    let (mut users, mut calls, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for entry in &case.start {
        match entry {
            Entry::User(text) => users.push(text.as_str()),
            Entry::Assistant { calls: made, .. } => {
                calls.extend(made.iter().map(|call| (call.name.as_str(), &call.arguments)));
            }
            Entry::Results(returned) => results.extend(returned),
            Entry::Reply { .. } => {}
        }
    }
    let of = |role| draft.messages.iter().filter(move |message| message.role == role);
    let is_same_start = draft.messages.is_empty()
        || users.into_iter().eq(of(Role::User).map(|message| message.content.as_str()))
            && calls.into_iter().eq(draft
                .messages
                .iter()
                .flat_map(|message| &message.tool_calls)
                .map(|call| (call.name.as_str(), &call.arguments)))
            // They may stand in another order than those of the log.
            && results.len() == of(Role::Tool).count()
            && of(Role::Tool).all(|message| {
                results.iter().any(|result| {
                    result.content == message.content && result.is_error == message.is_error
                })
            });
    is_same_start && *case.tools == *draft.tools
}

/// A whole number as JSON.
pub(super) fn number(count: usize) -> Json {
    Json::Number((count as u64).into())
}
