//! Whether a call only repeats a successful one although nothing has changed since.

use super::failure::{Ending, ending, may_have_failed};
use super::{Fault, Ruling};
use crate::check::{Observation, observations};
use crate::domain::{Calls, Lack, Message, Role, Sample, ToolCall, ToolResult};
use crate::reading::words::{fold_identifier, words};

/// How names of tools begin that only look.
const LOOKS: &[&str] = &[
    "get",
    "list",
    "search",
    "find",
    "lookup",
    "look",
    "read",
    "fetch",
    "query",
    "check",
    "show",
    "view",
    "retrieve",
    "describe",
    "calculate",
    "compute",
    "think",
    "count",
    "convert",
    "compare",
    "estimate",
];

pub(super) fn rule(sample: &Sample) -> Ruling {
    let Calls::Parsed(calls) = &sample.calls else {
        return Ruling::Missing("no call could be read from the tool call's text".to_owned());
    };
    if calls.is_empty() {
        return Ruling::Missing("nothing was called".to_owned());
    }
    let first = sample.part.as_ref().map_or(0, |part| part.at);
    let twice = observations(sample)
        .into_iter()
        .find(|observation| matches!(observation, Observation::Duplicate { .. }));
    let is_read = |observation: &Observation| {
        let at = observation.call().and_then(|at| at.checked_sub(first));
        at.and_then(|at| calls.get(at)).is_some_and(|call| {
            let ids: Vec<_> = calls.iter().filter(|own| own.is_equivalent(call)).map(|own| &own.id).collect();
            let results = &sample.after.results;
            let mut own = results.iter().filter(|result| ids.contains(&&result.tool_call_id));
            let first = own.next();
            let alike = own.all(|result| Some(&result.content) == first.map(|first| &first.content));
            only_looks(&call.name) && !is_told_anew(&call.name) && alike
        })
    };
    if let Some(observation) = twice.as_ref().filter(|observation| !is_read(observation)) {
        let why = format!(
            "{observation}; it may change something or find something else, and may have been meant twice"
        );
        return Ruling::Open(Lack::Choice, why);
    }
    if let Some(observation) = twice {
        let why = format!("One call is made twice in the turn: {observation}.");
        return Ruling::Fails(Fault {
            why,
            call: observation.call().map(|at| at - first),
            quotes: Vec::new(),
        });
    }
    match calls.iter().position(|call| is_known(sample, call)) {
        Some(at) => Ruling::Fails(Fault {
            why: format!(
                "Call {} repeats an earlier call of `{}` with the same arguments, which worked, and nothing has changed since.",
                first + at + 1,
                calls[at].name
            ),
            call: Some(at),
            quotes: Vec::new(),
        }),
        None => Ruling::Open(
            Lack::Choice,
            "no call repeats one that worked since the user last spoke; whether it was needed otherwise takes a model".to_owned(),
        ),
    }
}

/// Whether the conversation already holds what the call will return: the same call worked, and since then neither the user said
/// anything nor a tool may have changed anything.
fn is_known(sample: &Sample, call: &ToolCall) -> bool {
    let messages = &sample.messages;
    let same = |own: &ToolCall| own.is_equivalent(call);
    let changes = |message: &Message| {
        message.role == Role::User
            || message.tool_calls.iter().any(|other| !same(other) && !only_looks(&other.name))
    };
    // What changes something may be meant twice: two rooms, two transfers.
    if !only_looks(&call.name) || is_told_anew(&call.name) {
        return false;
    }
    let since = messages.iter().rposition(changes).map_or(0, |at| at + 1);
    let made =
        messages.iter().enumerate().skip(since).filter(|(_, message)| message.tool_calls.iter().any(same));
    let worked = |(at, message): (usize, &Message)| {
        let id = message.tool_calls.iter().find(|own| same(own)).and_then(|own| own.id.as_ref());
        let results = || messages[at + 1..].iter().take_while(|message| message.role == Role::Tool);
        let own = results().find(|result| id.is_some() && result.tool_call_id.as_ref() == id);
        let result = own.or_else(|| results().next().filter(|_| message.tool_calls.len() == 1));
        result.is_some_and(|result| has_worked(result) && came_back_alike(sample, call, result))
    };
    made.into_iter().any(worked)
}

/// Whether the call, as far as is known, gave back what it had given before: a look that finds something else was not needless.
fn came_back_alike(sample: &Sample, call: &ToolCall, before: &Message) -> bool {
    let results = &sample.after.results;
    let own = results.iter().find(|result| call.id.is_some() && result.tool_call_id == call.id);
    let own = own.or_else(|| results.first().filter(|_| results.len() == 1));
    own.is_none_or(|result| result.content.trim() == before.content.trim())
}

fn has_worked(message: &Message) -> bool {
    let result =
        ToolResult { tool_call_id: None, content: message.content.clone(), is_error: message.is_error };
    let said = result.content.to_lowercase();
    matches!(ending(&result), Ending::Worked)
        && !may_have_failed(&result)
        && !WAITING.iter().any(|word| said.contains(word))
}

/// What results say of something that will be otherwise when it is looked at again.
const WAITING: &[&str] = &[
    "pending",
    "running",
    "in progress",
    "in_progress",
    "queued",
    "processing",
    "waiting",
    "not ready",
    "loading",
    "starting",
];

/// Whether a tool of that name is asked again because its answer changes by itself.
fn is_told_anew(name: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "status", "poll", "wait", "progress", "health", "monitor", "tail", "random", "roll", "now", "time", "current", "latest", "next",
        "refresh", "screenshot", "snapshot", "sleep",
    ];
    words(&fold_identifier(name)).any(|word| WORDS.contains(&word))
}

/// Verbs of looking in other languages, wherever they stand in a name: `kunde_suchen`. None of them is a word of another language's names.
#[rustfmt::skip]
const LOOKS_ELSEWHERE: &[&str] = &[
    "suchen", "sucht", "abrufen", "anzeigen", "auflisten", "lire", "chercher", "obtenir", "afficher", "lister", "consulter", "rechercher",
    "buscar", "consultar", "obtener", "listar", "leer", "pesquisar", "obter", "cercare", "leggere", "mostra", "elenca", "zoeken",
    "ophalen", "szukaj", "wyszukaj", "pobierz", "hitta", "hamta",
];
/// Words of names of tools that do more than look: `check_in`, `find_and_replace`, `get_or_create`.
#[rustfmt::skip]
const DOES_MORE: &[&str] = &[
    "in", "out", "and", "or", "update", "delete", "replace", "create", "add", "remove", "cancel", "send", "clear", "write", "put", "apply",
    "submit", "approve", "reset",
];

/// Whether a tool of that name changes nothing.
fn only_looks(name: &str) -> bool {
    let own = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
    let own = own.strip_prefix("mcp__").map_or(own, |rest| rest.rsplit("__").next().unwrap_or(rest));
    let end = own.char_indices().skip(1).find(|(_, c)| !c.is_lowercase()).map_or(own.len(), |(at, _)| at);
    let folded = fold_identifier(own);
    let looks = LOOKS.contains(&own[..end].to_ascii_lowercase().as_str())
        || words(&folded).any(|word| LOOKS_ELSEWHERE.contains(&word));
    looks && !words(&folded).any(|word| DOES_MORE.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_who_only_looks() {
        for name in ["get_order", "searchFlights", "find", "mcp__db__query", "api.list_users", "ListFiles"] {
            assert!(only_looks(name), "{name}");
        }
        for name in ["cancel_order", "getaway_booking", "set", "update_list", "checkout"] {
            assert!(!only_looks(name), "{name}");
        }
    }
}
