//! The default rules: find every mention of a rail, weigh each by the rules, decide.

use std::borrow::Cow;

use crate::domain::Rails;

use super::ballot;
use super::cut;
use super::decide::{Decision, decide, is_shaken};
use super::echo;
use super::explanation;
use super::finale;
use super::formula;
use super::json::{self, Found, Says};
use super::mention::{Mention, mentions};
use super::names::Names;
use super::reasoning::{self, Unclosed};
use super::retraction::overrules;
use super::script::Script;
use super::spelling;
use super::token::tokens;
use super::{Extent, NoVerdict, Snapped};

pub(super) fn snap<'a>(
    text: &str,
    rails: &'a Rails,
    extent: Extent,
    explain: bool,
) -> Result<Snapped<'a>, NoVerdict> {
    let names = Names::of(rails);
    let whole = whole_json(text.trim(), &names);
    let answer = if whole.is_some() { Ok(text.into()) } else { reasoning::strip(text) };
    let no_verdict =
        |why, explanation: Option<String>| NoVerdict { why, explanation: explanation.filter(|_| explain) };
    let answer = answer.map_err(|Unclosed| no_verdict("unclosed thinking", None))?;
    let own = echo::strip(&answer);
    let answer = peel(&own);
    if answer.is_empty() {
        return Err(no_verdict("empty", None));
    }

    let found = match (whole, &own) {
        (Some(whole), Cow::Borrowed(_)) => vec![whole],
        _ => json::find(answer, &names),
    };
    let field = found.iter().find_map(|found| found.explanation.clone());
    let read = match verdict(answer, &names, &found) {
        Err(why @ ("no verdict" | "not a rail")) if found.is_empty() => {
            in_other_words(answer, rails, &names).ok_or(why)
        }
        read => read,
    };
    match read {
        Ok(Decision { rail, rule, at }) => {
            let reads = |head: &str| verdict(head, &names, &[]).ok().map(|read| read.rail);
            if extent == Extent::Cut && !cut::stands(answer, rail, &names, reads) {
                return Err(no_verdict("cut off", field.or_else(|| Some(answer.to_owned()))));
            }
            let Some(rail) = rails.get(rail) else { return Err(no_verdict("no verdict", None)) };
            let explanation = explain.then(|| field.or_else(|| explanation::beside(answer, at))).flatten();
            Ok(Snapped { rail, rule, explanation })
        }
        Err(why) => Err(no_verdict(why, field.or_else(|| Some(answer.to_owned())))),
    }
}

/// The verdict of a reply that names no rail, but says it in another language: `Der Aufruf ist korrekt.`
fn in_other_words(answer: &str, rails: &Rails, names: &Names) -> Option<Decision> {
    let others = Names::translated(rails)?;
    let tokens = tokens(answer);
    if names.are_in(&tokens) || !others.are_in(&tokens) {
        return None;
    }
    let Decision { rail, at, .. } = verdict(answer, &others, &[]).ok()?;
    Some(Decision { rail, rule: "translated", at })
}

fn verdict(answer: &str, names: &Names, found: &[Found]) -> Result<Decision, &'static str> {
    if let Some(rail) = names.exactly(answer) {
        return Ok(Decision { rail, rule: "exact", at: 0..answer.len() });
    }
    if let Some(rail) = passed(answer).and_then(|text| names.exactly(text)) {
        return Ok(Decision { rail, rule: "passed", at: 0..answer.len() });
    }
    if let [only] = found
        && only.at == (0..answer.len())
    {
        return match only.says {
            Says::Rail(rail) if overrules(&tokens(answer), rail, names) => Err("several verdicts"),
            Says::Rail(rail) => Ok(Decision { rail, rule: "json", at: only.at.clone() }),
            Says::Nothing => Err("no verdict"),
            Says::NoRail => Err("not a rail"),
            Says::Several => Err("several verdicts"),
            Says::Cut => Err("cut off"),
        };
    }
    if found.is_empty()
        && let Some(ballot) = ballot::read(answer, names)
    {
        return ballot.map(|rail| Decision { rail, rule: "ballot", at: 0..answer.len() });
    }
    let data: Vec<_> = found.iter().map(|found| found.at.clone()).collect();
    let script = Script::of(answer, names, &data);
    let mut all = mentions(&script, names);
    all.extend(found.iter().filter_map(|found| match found.says {
        Says::Rail(rail) => {
            let told_of = echo::is_told_of(answer, &found.at);
            let fails = !names.is_positive(rail);
            Some(Mention { fails, ..Mention::json(Some(rail), found.at.clone(), told_of) })
        }
        Says::Several | Says::Cut | Says::NoRail => Some(Mention::json(None, found.at.clone(), false)),
        Says::Nothing => None,
    }));
    let decided = decide(&all, &script).and_then(|decision| {
        // A JSON object holds its reasons inside.
        let inside = found.len() == 1 && found[0].at == decision.at;
        let from = if inside { decision.at.start } else { decision.at.end };
        let behind = script.tokens.partition_point(|token| token.at.start < from);
        let overruled =
            (inside || found.is_empty()) && overrules(&script.tokens[behind..], decision.rail, names);
        if overruled { Err("several verdicts") } else { Ok(decision) }
    });
    decided.or_else(|why| {
        // What the rules do not understand may still end with its verdict.
        let ends = found.is_empty()
            && matches!(
                why,
                "no verdict" | "doubtful" | "negated" | "only about a part" | "contradiction" | "taken back"
            );
        let end = ends
            .then(|| finale::read(&script, names))
            .flatten()
            .filter(|(rail, at)| !is_shaken(&script, at.end, names.is_positive(*rail)));
        let spelled = || {
            spelling::read(answer, names).map(|rail| Decision { rail, rule: "spelled", at: 0..answer.len() })
        };
        let formed = || {
            let rail = found.is_empty().then(|| formula::read(answer, names)).flatten()?;
            Some(Decision { rail, rule: "form", at: 0..answer.len() })
        };
        end.map(|(rail, at)| Decision { rail, rule: "finale", at })
            .or_else(spelled)
            .or_else(formed)
            .ok_or(why)
    })
}

/// What code hands over that is the whole reply: `return "correct"`, `submit(label="correct")  # a remark`.
fn passed(answer: &str) -> Option<&str> {
    const VERBS: [&str; 17] = [
        "return",
        "print",
        "submit",
        "answer",
        "respond",
        "finish",
        "final_answer",
        "verdict",
        "label",
        "classify",
        "output",
        "report",
        "judge",
        "submit_label",
        "submit_answer",
        "submit_verdict",
        "give_verdict",
    ];
    const KEYS: [&str; 9] =
        ["label", "answer", "verdict", "result", "value", "text", "output", "classification", "judgment"];
    let end = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (verb, rest) = answer.split_at(end(answer));
    let rest = rest.trim_start();
    if !VERBS.contains(&verb.to_ascii_lowercase().as_str()) {
        return None;
    }
    let rest = rest.strip_prefix('(').unwrap_or(rest).trim_start();
    let (key, value) = rest.split_at(end(rest));
    let rest = match value.trim_start().strip_prefix(['=', ':']) {
        Some(value) if KEYS.contains(&key) => value.trim_start(),
        _ => rest,
    };
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (value, rest) = rest[1..].split_once(quote)?;
    let rest = rest.trim_start().trim_start_matches([')', ';']).trim_start();
    (rest.is_empty() || !rest.contains('\n') && rest.starts_with(['#', '/'])).then_some(value)
}

/// The object or list that `text` is, but for what [`peel`] takes off.
fn whole_json(text: &str, names: &Names) -> Option<Found> {
    let text = peel(text);
    if let Some(found) = json::without_braces(text, names).or_else(|| json::in_markup(text, names)) {
        return Some(found);
    }
    let mut found = if text.starts_with(['{', '[']) { json::find(text, names) } else { Vec::new() };
    found.pop().filter(|only| found.is_empty() && only.at == (0..text.len()))
}

/// `text` without white space, fence or quotation marks around the whole of it.
fn peel(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let fenced = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
        let inner = match fenced {
            Some(inner) if !inner.contains("```") => match inner.split_once('\n') {
                Some((info, inner)) if !info.trim().contains(' ') => inner,
                _ => inner,
            },
            _ => {
                let pairs =
                    [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('«', '»'), ('「', '」')];
                let inner = pairs.iter().find_map(|(open, close)| {
                    let inner = text.strip_prefix(*open)?.strip_suffix(*close)?;
                    (!inner.contains([*open, *close])).then_some(inner)
                });
                match inner {
                    Some(inner) => inner,
                    None => return text,
                }
            }
        };
        text = inner.trim();
    }
}
