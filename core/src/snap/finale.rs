//! Reads the end of a reply: if its last sentence ends on a rail, that is the verdict, whatever words lead up to it.
//!
//! This is for replies in which the rules found no verdict. It needs no lexicon of leads; it knows the few words that deny, leave
//! open or quote, and the words for parts of a call.

use std::ops::Range;

use super::class::Class;
use super::contrast::contrasted;
use super::decide::turns_round;
use super::ending::{Behind, Named, behind};
use super::language::{begins_conclusion, restricts};
use super::lexicon::is_stress;
use super::names::Names;
use super::polarity::{Tongue, attributes, denies, leaves_open, offers};
use super::predicate::{abroad, predicate, tongue};
use super::retort::{never_for, not_by, nothing, preferred, refuted, reply_to_question};
use super::script::{Lead, Role, Script, Sentence};
use super::title::{clause_stands, discourse, leads, leads_abroad, only_part};
use super::token::{Excluded, Kind, Token, hidden};

/// A longer sentence is no verdict.
const REACH: usize = 400;

/// The rail that a reply ends with, and its place in bytes of the reply.
pub(super) fn read(script: &Script, names: &Names) -> Option<(usize, Range<usize>)> {
    let last = script.sentences.last()?;
    if last.tokens.len() > REACH || last.slot.is_some() {
        return None;
    }
    let named = named(script, last, names);
    let Some(end) = named.last() else {
        return reply_to_question(script, last, names).or_else(|| only(script, names));
    };
    if last.end == Some('?') || script.tokens[end.tokens.start].excluded != Excluded::None {
        return None;
    }
    let lead = &script.tokens[last.tokens.start..end.tokens.start];
    let turned = || {
        matches!(plain_words(lead)[..], ["it's"] | ["it", "is"] | ["that's"] | ["so", "it's"])
            && turns_round(script)
    };
    let rail = match &named[..] {
        [_] if turned() && behind(script, last, end) == Some(Behind::Nothing) => {
            return (!listed(script, last)).then(|| (end.rail, place(script, end)));
        }
        [_] => alone(script, last, end, names)?,
        [one, _] if one.rail != end.rail => contrasted(script, last, one, end)?,
        // `The city is correct, the date is correct, so correct.`
        all if all.iter().all(|one| one.rail == end.rail)
            && !lead.iter().any(|token| denies(token, Tongue::Other)) =>
        {
            alone(script, last, end, names).filter(|_| firm(lead))?
        }
        _ => return None,
    };
    let unopposed = firm(lead) || !opposed(script, 0..last.tokens.start, rail, names);
    (unopposed && !listed(script, last)).then(|| (rail, place(script, end)))
}

fn plain_words(tokens: &[Token]) -> Vec<&str> {
    tokens.iter().filter(|token| token.is_word()).map(Token::word).collect()
}

fn place(script: &Script, named: &Named) -> Range<usize> {
    script.tokens[named.tokens.start].at.start..script.tokens[named.tokens.end - 1].at.end
}

/// It is one entry of a list, or shows what a verdict looks like.
fn listed(script: &Script, sentence: &Sentence) -> bool {
    script.lines[sentence.line].lead != Lead::Plain
        || sentence.line > 0 && script.lines[sentence.line - 1].role == Role::Example
}

/// The predicate of the only sentence that names a rail, where the rest of the reply explains it.
pub(super) fn only(script: &Script, names: &Names) -> Option<(usize, Range<usize>)> {
    let naming =
        |sentence: &Sentence| sentence.tokens.clone().any(|at| names.at(&script.tokens, at).is_some());
    let mut naming = script.sentences.iter().filter(|sentence| naming(sentence));
    let sentence = naming.next().filter(|_| naming.next().is_none())?;
    let [rail] = &named(script, sentence, names)[..] else { return None };
    let own = script.tokens[rail.tokens.start].excluded == Excluded::None && sentence.slot.is_none();
    let plain = sentence.end != Some('?') && !listed(script, sentence) && sentence.tokens.len() <= REACH;
    let lead = &script.tokens[sentence.tokens.start..rail.tokens.start];
    if !own || !plain || is_bare(lead) {
        return None;
    }
    alone(script, sentence, rail, names).map(|said| (said, place(script, rail)))
}

/// Nothing but a title stands before the rail: `City: correct`.
fn is_bare(lead: &[Token]) -> bool {
    let words = lead.iter().rev().take_while(|token| !separates(token)).filter(|token| token.is_word());
    words.clone().all(|token| {
        is_stress(token.word())
            || token.word() == "still"
            || matches!(token.class, Class::Conclusion | Class::Final | Class::Cue | Class::Silent)
    })
}

/// `Where does that leave us?`, `And the verdict?`: a question that leads to the end, and asks of no part.
fn asks_for_end(question: &[Token], names: &Names) -> bool {
    let words = || question.iter().filter(|token| token.is_word());
    let leads = words().any(|token| {
        matches!(token.class, Class::Key | Class::Final | Class::Conclusion)
            || matches!(token.word(), "where" | "what" | "upshot" | "line" | "result")
    });
    let about =
        words().any(|token| matches!(token.word(), "about" | "if") || token.class == Class::Condition);
    let rail = (0..question.len()).any(|at| names.at(question, at).is_some());
    leads && !about && !rail && !only_part(question) && words().count() < 9
}

fn sentence_before(script: &Script) -> Option<&Sentence> {
    script.sentences.len().checked_sub(2).map(|index| &script.sentences[index])
}

pub(super) fn named(script: &Script, sentence: &Sentence, names: &Names) -> Vec<Named> {
    let tokens = &script.tokens[..sentence.tokens.end];
    let mut named = Vec::new();
    let mut at = sentence.tokens.start;
    while at < tokens.len() {
        match names.at(tokens, at).filter(|_| tokens[at].excluded != Excluded::Hidden) {
            // `No errors` and `no wait` say no `no`.
            Some((_, end)) if tokens[at].class == Class::Silent || says_other(tokens, at, end) => at = end,
            Some((rail, end)) => {
                named.push(Named { rail, tokens: at..end });
                at = end;
            }
            None => at += 1,
        }
    }
    named
}

/// Whether a rail that is an everyday word stands before more of its clause: `no errors`, `pass the salt`, `a tool`.
fn says_other(tokens: &[Token], at: usize, end: usize) -> bool {
    let everyday =
        matches!(tokens[at].word(), "no" | "yes" | "pass" | "good" | "bad" | "right" | "a" | "i" | "match");
    everyday && tokens.get(end).is_some_and(Token::is_word)
}

/// Whether an earlier sentence names another rail in the writer's own words.
fn opposed(script: &Script, tokens: Range<usize>, rail: usize, names: &Names) -> bool {
    let until = &script.tokens[..tokens.end];
    tokens.into_iter().any(|at| {
        until[at].excluded != Excluded::Hidden
            && names.at(until, at).is_some_and(|(other, end)| other != rail && !says_other(until, at, end))
    })
}

/// Whether words draw a conclusion or take back what was said.
fn firm(lead: &[Token]) -> bool {
    lead.iter().any(|token| {
        matches!(token.class, Class::Conclusion | Class::Final | Class::Cue | Class::Key)
            || matches!(
                token.word(),
                "now" | "change" | "changed" | "changing" | "switch" | "revise" | "instead" | "rereading"
            )
    })
}

/// The last sentence names one rail.
pub(super) fn alone(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
    let lead = &script.tokens[sentence.tokens.start..rail.tokens.start];
    if let Some(refuted) = refuted(script, sentence, rail, names) {
        return Some(refuted);
    }
    let all = nothing(script, sentence, rail, names)
        .or_else(|| not_by(script, sentence, rail, names))
        .or_else(|| never_for(script, sentence, rail, names))
        .or_else(|| preferred(script, sentence, rail));
    if all.is_some() {
        return all;
    }
    let behind = behind(script, sentence, rail)?;
    let denied_behind = behind == Behind::Denial;
    let tongue = tongue(around(script, sentence, rail));
    let open = |tokens: &[Token]| tokens.iter().any(|token| leaves_open(token, tongue));
    // `un(correct)`, `(in)correct`
    let glued = lead.last().is_some_and(|token| {
        matches!(token.word(), "un" | "in" | "non" | "anti" | "semi")
            || !script.tokens[rail.tokens.start].spaced && (token.is('(') || token.is(')'))
    });
    if glued {
        return None;
    }
    let words = lead.iter().filter(|token| token.is_word()).count();
    let asked = sentence_before(script).is_some_and(|before| before.end == Some('?'));
    let concluding = sentence_before(script)
        .is_some_and(|before| asks_for_end(&script.tokens[before.tokens.clone()], names));
    if words == 0 && (behind == Behind::Fillers && !asked || behind == Behind::Nothing && concluding) {
        return Some(rail.rail);
    }
    if words == 0
        || hidden(lead) && words == lead.iter().filter(|token| token.excluded == Excluded::Hidden).count()
    {
        return None;
    }
    let stop = lead.iter().rposition(separates);
    let clause = &lead[stop.map_or(0, |at| at + 1)..];
    if is_bare(lead) && !denied_behind {
        if behind == Behind::Reason {
            return None;
        }
        let Some(stop) = stop else { return firm(lead).then_some(rail.rail) };
        let before = &lead[..stop];
        let start = before.iter().rposition(|token| token.is(',') || token.is(':') || token.is('—'));
        let title = &before[start.map_or(0, |at| at + 1)..];
        // `If the currency is euros: correct.`
        let denied_only = title.iter().filter(|token| token.is_word()).all(|token| denies(token, tongue))
            && title.iter().any(Token::is_word);
        if denied_only || parenthetic(title, start.is_some(), before) {
            return None;
        }
        if open(before) || before.first().is_some_and(|token| matches!(token.word(), "were" | "had" | "when"))
        {
            return None;
        }
        let leads = match lead[stop].kind {
            Kind::Mark(',') => clause_stands(title) || start.is_some() || discourse(title),
            _ => leads(title, start.is_some()),
        };
        let own = title.iter().all(|token| token.excluded != Excluded::Hidden)
            || title.iter().filter(|t| t.is_word()).count() > 4;
        let foreign = tongue == Tongue::Other;
        let follows = sentence.line > 0 || sentence.tokens.start > 0;
        let fits = if foreign { leads_abroad(title, start.is_some() || follows) } else { leads };
        // A part that is wrong makes the call wrong: `La data è sbagliata: incorrect.`
        let wrong = foreign
            && !names.is_positive(rail.rail)
            && title.iter().filter(|token| token.is_word()).count() >= 4;
        let long = title.iter().filter(|token| token.is_word()).count() >= 8 && clause_stands(title);
        return (own && fits && (long || wrong || !only_part(title))).then_some(rail.rail);
    }
    // `cannot possibly be` denies all the more.
    let possible =
        |at: usize| clause[at].word() == "possibly" && at > 0 && denies(&clause[at - 1], Tongue::English);
    let unsure = (0..clause.len()).any(|at| leaves_open(&clause[at], tongue) && !possible(at));
    if unsure
        || clause.iter().any(attributes)
        || lead.iter().any(|token| offers(token, tongue))
        || open_start(lead, tongue)
    {
        return None;
    }
    // `The user says, the call is incorrect.`
    let told = stop.and_then(|at| {
        lead[..at].iter().rev().filter(|token| token.is_word()).take(2).find(|token| attributes(token))
    });
    if told.is_some() {
        return None;
    }
    let aside = stop.map_or(&[][..], |at| &lead[..at]);
    let concludes = clause.iter().any(begins_conclusion);
    let comma = stop.is_some_and(|at| lead[at].is(','));
    if tongue == Tongue::Other && comma && !concludes && restricts(aside) {
        return None;
    }
    let said = match tongue {
        Tongue::Other => abroad(clause, lead, &script.tokens),
        Tongue::English => predicate(clause),
    }?;
    match said != denied_behind {
        true => Some(rail.rail),
        false => names.opposite(rail.rail),
    }
}

/// `It is not, I think, correct.`: what stands between the commas is an aside in a clause that goes on.
fn parenthetic(title: &[Token], more: bool, before: &[Token]) -> bool {
    let aside = title.iter().filter(|token| token.is_word()).count() <= 3;
    let comma = before.iter().rposition(|token| token.is(','));
    let last = comma.and_then(|at| before[..at].iter().rfind(|token| token.is_word()));
    more && aside
        && last.is_some_and(|token| {
            denies(token, Tongue::Other) || matches!(token.class, Class::Copula | Class::Negation)
        })
}

/// The words in front of the rail, those of the sentence before among them.
fn around<'a>(script: &'a Script, sentence: &Sentence, rail: &Named) -> &'a [Token] {
    const NEARBY: usize = 60;
    let words = script.tokens[sentence.tokens.start..rail.tokens.start]
        .iter()
        .filter(|token| token.is_word())
        .count();
    let start = if words > 3 { sentence.tokens.start } else { sentence.tokens.start.saturating_sub(NEARBY) };
    &script.tokens[start..rail.tokens.start]
}

fn separates(token: &Token) -> bool {
    match token.kind {
        Kind::Mark('-' | '=') => token.spaced,
        Kind::Mark(':' | '—' | '→' | ',') => true,
        _ => false,
    }
}

/// A clause before makes the last one depend on it.
fn open_start(lead: &[Token], tongue: Tongue) -> bool {
    let first = lead.iter().find(|token| token.is_word());
    first.is_some_and(|token| matches!(token.word(), "were" | "had" | "when") || leaves_open(token, tongue))
        || lead.iter().any(|token| token.class == Class::Condition && leaves_open(token, tongue))
}
