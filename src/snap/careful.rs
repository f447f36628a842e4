//! The snapping of today: find every mention of a rail, weigh each by the rules, decide.

use std::borrow::Cow;

use crate::domain::Rails;

use super::decide::{Decision, decide};
use super::echo;
use super::explanation;
use super::json::{self, Found, Says};
use super::mention::{Mention, mentions};
use super::names::Names;
use super::script::Script;
use super::thought::{self, Unclosed};
use super::{NoVerdict, Snapped};

pub(super) fn snap<'a>(text: &str, rails: &'a Rails, explain: bool) -> Result<Snapped<'a>, NoVerdict> {
    let names = Names::of(rails);
    let whole = whole_json(text.trim(), &names);
    let answer = if whole.is_some() { Ok(text.into()) } else { thought::strip(text) };
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
    match verdict(answer, &names, &found) {
        Ok(Decision { rail, rule, at }) => {
            let Some(rail) = rails.get(rail) else { return Err(no_verdict("no verdict", None)) };
            let explanation = explain.then(|| field.or_else(|| explanation::beside(answer, at))).flatten();
            Ok(Snapped { rail, rule, explanation })
        }
        Err(why) => Err(no_verdict(why, field.or_else(|| Some(answer.to_owned())))),
    }
}

fn verdict(answer: &str, names: &Names, found: &[Found]) -> Result<Decision, &'static str> {
    if let Some(rail) = names.exactly(answer) {
        return Ok(Decision { rail, rule: "exact", at: 0..answer.len() });
    }
    if let [only] = found
        && only.at == (0..answer.len())
    {
        return match only.says {
            Says::Rail(rail) => Ok(Decision { rail, rule: "json", at: only.at.clone() }),
            Says::Nothing => Err("no verdict"),
            Says::NoRail => Err("not a rail"),
            Says::Several => Err("several verdicts"),
            Says::Cut => Err("cut off"),
        };
    }
    let data: Vec<_> = found.iter().map(|found| found.at.clone()).collect();
    let script = Script::of(answer, names, &data);
    let mut all = mentions(&script, names);
    all.extend(found.iter().filter_map(|found| match found.says {
        Says::Rail(rail) => {
            Some(Mention::json(Some(rail), found.at.clone(), echo::is_told_of(answer, &found.at)))
        }
        Says::Several | Says::Cut | Says::NoRail => Some(Mention::json(None, found.at.clone(), false)),
        Says::Nothing => None,
    }));
    decide(&all, &script)
}

/// The object or list that `text` is, but for what [`peel`] takes off.
fn whole_json(text: &str, names: &Names) -> Option<Found> {
    let text = peel(text);
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
