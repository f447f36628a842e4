//! Reads the end of a reply: where its last sentence comes to rest on a rail, that is the verdict, whatever words lead up to it.
//!
//! This is for replies of which the rules understood no verdict. It needs no lexicon of leads; it knows the few words that deny,
//! leave open or quote, and what is only a part of a call.

use std::ops::Range;

use super::foreign;
use super::lexicon::{Class, gives_reason, is_stress};
use super::names::Names;
use super::polarity::{Tongue, attributes, denies, is_english, is_negation_abroad, leaves_open, offers};
use super::script::{Lead, Role, Script, Sentence, is_decor};
use super::token::{Kind, Token, Veil};

/// A longer sentence is no verdict.
const REACH: usize = 400;

/// A rail of the last sentence.
#[derive(Debug, Clone)]
struct Named {
    rail: usize,
    tokens: Range<usize>,
}

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
    if last.end == Some('?') || script.tokens[end.tokens.start].veil != Veil::None {
        return None;
    }
    let lead = &script.tokens[last.tokens.start..end.tokens.start];
    let rail = match &named[..] {
        [_] => alone(script, last, end, names)?,
        [one, _] if one.rail != end.rail => contrasted(script, last, one, end, names)?,
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

fn place(script: &Script, named: &Named) -> Range<usize> {
    script.tokens[named.tokens.start].at.start..script.tokens[named.tokens.end - 1].at.end
}

/// It is one entry of a list, or shows what a verdict looks like.
fn listed(script: &Script, sentence: &Sentence) -> bool {
    script.lines[sentence.line].lead != Lead::Plain
        || sentence.line > 0 && script.lines[sentence.line - 1].role == Role::Example
}

/// The predicate of the only sentence that names a rail, where the rest of the reply explains it.
fn only(script: &Script, names: &Names) -> Option<(usize, Range<usize>)> {
    let naming =
        |sentence: &Sentence| sentence.tokens.clone().any(|at| names.at(&script.tokens, at).is_some());
    let mut naming = script.sentences.iter().filter(|sentence| naming(sentence));
    let sentence = naming.next().filter(|_| naming.next().is_none())?;
    let [rail] = &named(script, sentence, names)[..] else { return None };
    let own = script.tokens[rail.tokens.start].veil == Veil::None && sentence.slot.is_none();
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
            || matches!(token.class, Class::Conclusion | Class::Final | Class::Cue | Class::Silent)
    })
}

fn sentence_before(script: &Script) -> Option<&Sentence> {
    script.sentences.len().checked_sub(2).map(|index| &script.sentences[index])
}

fn named(script: &Script, sentence: &Sentence, names: &Names) -> Vec<Named> {
    let tokens = &script.tokens[..sentence.tokens.end];
    let mut named = Vec::new();
    let mut at = sentence.tokens.start;
    while at < tokens.len() {
        match names.at(tokens, at).filter(|_| tokens[at].veil != Veil::Hidden) {
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
        until[at].veil != Veil::Hidden
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

/// What stands behind a rail that ends its clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    Nothing,
    Fillers,
    Reason,
    /// A word that denies it, as in some languages.
    Denial,
}

fn behind(script: &Script, sentence: &Sentence, rail: &Named) -> Option<Behind> {
    let (mut behind, mut paused, mut colon) = (Behind::Nothing, false, false);
    for token in &script.tokens[rail.tokens.end..sentence.tokens.end] {
        paused |= token.is(',') || token.is('—') || token.is('(');
        colon |= token.is(':') || token.is('—');
        match &token.kind {
            Kind::Mark(mark) if (is_decor(*mark) || *mark == ',') && !matches!(mark, '=' | '→' | '|') => {}
            Kind::Word(word) if foreign::denies_behind(word) => behind = Behind::Denial,
            Kind::Word(word) if token.class == Class::Silent || foreign::ends(word) => {}
            Kind::Word(word) if paused && gives_reason(word) || colon => return Some(Behind::Reason),
            Kind::Word(word)
                if matches!(
                    &**word,
                    "then" | "overall" | "too" | "here" | "anyway" | "indeed" | "again" | "now"
                ) =>
            {
                behind = Behind::Fillers;
            }
            _ => return None,
        }
    }
    Some(behind)
}

/// The last sentence names one rail.
fn alone(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
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
    if words == 0 && behind == Behind::Fillers && !asked {
        return Some(rail.rail);
    }
    if words == 0 || hidden(lead) && words == lead.iter().filter(|token| token.veil == Veil::Hidden).count() {
        return None;
    }
    let stop = lead.iter().rposition(|token| separates(token));
    let clause = &lead[stop.map_or(0, |at| at + 1)..];
    if is_bare(lead) && !denied_behind {
        if behind == Behind::Reason {
            return None;
        }
        let stop = stop?;
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
        let own = title.iter().all(|token| token.veil != Veil::Hidden)
            || title.iter().filter(|t| t.is_word()).count() > 4;
        let foreign = tongue == Tongue::Other;
        let follows = sentence.line > 0 || sentence.tokens.start > 0;
        let fits = if foreign { leads_abroad(title, start.is_some() || follows) } else { leads };
        let long = title.iter().filter(|token| token.is_word()).count() >= 8 && clause_stands(title);
        return (own && fits && (long || !only_part(title))).then_some(rail.rail);
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
    let said = match tongue {
        Tongue::Other => abroad(clause, lead),
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

fn hidden(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.veil == Veil::Hidden)
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

/// Whether a title before a colon or dash leads to a verdict, rather than naming what the rail is said of.
fn leads(title: &[Token], more: bool) -> bool {
    let words: Vec<&Token> = title.iter().filter(|token| token.is_word()).collect();
    let Some(last) = words.last() else { return true };
    // `The agent answered: …`, `reply with: …`
    let tail = &words[words.len().saturating_sub(2)..];
    let spoken = words.iter().position(|token| attributes(token)).is_some_and(|at| {
        !words[..at].iter().all(|token| {
            matches!(token.word(), "enough" | "as" | "i" | "i've" | "we" | "already" | "being" | "all")
        })
    });
    let given = matches!(
        last.word(),
        "with" | "to" | "is" | "was" | "as" | "of" | "be" | "word" | "words" | "example"
    );
    let told = tail.iter().any(|token| attributes(token) && words.len() > 2);
    if spoken && (told || words.len() < 6)
        || given
            && !words.iter().any(|token| {
                matches!(token.class, Class::Key | Class::WeakKey | Class::Final | Class::Conclusion)
            })
        || matches!(words[0].word(), "after" | "once" | "until" | "before")
            && words.iter().any(|token| token.word() == "user")
        || told && spoken
    {
        return false;
    }
    discourse(title) || clause_stands(title) || more && words.len() > 3
}

/// Words of a talker, not of a table: first person, prepositions and other small words at its beginning.
fn discourse(title: &[Token]) -> bool {
    let words: Vec<&Token> = title.iter().filter(|token| token.is_word()).collect();
    let Some(first) = words.first() else { return false };
    if words.iter().any(|token| attributes(token) && !matches!(token.word(), "said")) {
        return false;
    }
    let opens = matches!(
        first.word(),
        "in" | "on"
            | "after"
            | "for"
            | "to"
            | "with"
            | "without"
            | "from"
            | "by"
            | "at"
            | "all"
            | "enough"
            | "nothing"
            | "no"
            | "zero"
            | "none"
            | "not"
            | "so"
            | "then"
            | "okay"
            | "ok"
            | "alright"
            | "well"
            | "right"
            | "now"
            | "and"
            | "anyway"
            | "altogether"
            | "overall"
            | "long"
            | "said"
            | "here"
            | "my"
            | "i"
            | "i'd"
            | "we"
            | "once"
            | "simply"
            | "putting"
            | "having"
            | "taking"
            | "summing"
            | "weighing"
            | "considering"
            | "everything"
            | "every"
            | "yes"
            | "yeah"
            | "sure"
            | "fine"
            | "hence"
            | "thus"
            | "bottom"
            | "case"
            | "net"
            | "end"
            | "upshot"
            | "again"
            | "finally"
            | "0"
            | "oh"
            | "ah"
            | "alas"
            | "hm"
            | "sadly"
            | "as"
    ) || denies(first, Tongue::English)
        || matches!(first.class, Class::Conclusion | Class::Final | Class::Cue | Class::Key | Class::Silent);
    let closes = words.last().is_some_and(|last| {
        matches!(last.word(), "goes" | "then" | "said" | "closed" | "line" | "short" | "word")
    });
    opens || closes && words.len() <= 4
}

/// A whole clause with a verb.
fn clause_stands(title: &[Token]) -> bool {
    let words: Vec<&str> = title.iter().filter(|token| token.is_word()).map(|token| token.word()).collect();
    let verb = |word: &&str| {
        matches!(
            *word,
            "is" | "was"
                | "are"
                | "were"
                | "has"
                | "had"
                | "did"
                | "does"
                | "have"
                | "do"
                | "fits"
                | "fit"
                | "gave"
                | "got"
                | "sent"
                | "went"
                | "took"
                | "match"
                | "made"
                | "left"
        ) || word.ends_with("n't")
            || word.len() > 4 && (word.ends_with("ed") || word.ends_with("es"))
            || *word == "matches"
    };
    words.len() >= 4 && words[1..].iter().any(verb)
}

/// A lead in another language: anything that names no part, if it comes behind more text or is known to lead.
fn leads_abroad(title: &[Token], follows: bool) -> bool {
    let mut words = title.iter().filter(|token| token.is_word());
    let short = words.clone().next().is_some_and(|token| {
        matches!(
            token.word(),
            "kort" | "kurz" | "anders" | "autrement" | "dicho" | "detto" | "bref" | "krótko"
        )
    });
    if words.clone().any(attributes) && !short {
        return false;
    }
    let known = words.clone().any(|token| {
        matches!(token.class, Class::Conclusion | Class::Final | Class::Key | Class::WeakKey | Class::Outcome)
    });
    known || follows || words.nth(2).is_some()
}

/// What it is about is a part of the call.
fn only_part(clause: &[Token]) -> bool {
    let words = || clause.iter().filter(|token| token.is_word());
    // `With respect to the tool: …` speaks of the tool, `No missing fields: …` of the call.
    let part = |token: &Token| matches!(token.class, Class::Part | Class::Tool) || is_part(token.word());
    let absent = words()
        .next()
        .is_some_and(|token| denies(token, Tongue::Other) || matches!(token.word(), "zero" | "0"));
    if !absent
        && !clause_stands(clause)
        && !words().any(|token| token.class == Class::Subject)
        && words().any(part)
    {
        return true;
    }
    // `Verdict of the user in turn 3`
    let of = clause.windows(3).any(|three| {
        three[0].word() == "of"
            && matches!(three[2].word(), "user" | "customer" | "tool" | "reviewer" | "system" | "client")
    });
    if of
        || words().any(|token| {
            matches!(token.word(), "user's" | "customer's" | "client's" | "tool's" | "best" | "worst")
        })
    {
        return true;
    }
    if words().any(|token| {
        matches!(
            token.word(),
            "all"
                | "every"
                | "everything"
                | "both"
                | "alle"
                | "tous"
                | "toutes"
                | "todos"
                | "todas"
                | "tutti"
        )
    }) {
        return false;
    }
    let head = words().find(|token| {
        !matches!(
            token.class,
            Class::Filler | Class::Copula | Class::Conclusion | Class::Final | Class::Silent | Class::Agent
        ) && !is_article(token.word())
    });
    head.is_some_and(|token| {
        matches!(token.class, Class::Part | Class::Ordinal | Class::Tool) || is_part(token.word())
    }) && !words().any(|token| token.class == Class::Subject)
        || words()
            .any(|token| token.class == Class::Ordinal && !token.word().starts_with(|c: char| c.is_numeric()))
        || words().any(|token| token.class == Class::Part) && words().count() < 4
}

/// Who may hold another opinion.
fn is_person(word: &str) -> bool {
    matches!(
        word,
        "用户"
            | "用戶"
            | "客户"
            | "ユーザー"
            | "사용자"
            | "пользователь"
            | "клиент"
            | "nutzer"
            | "benutzer"
            | "kunde"
            | "client"
            | "cliente"
            | "usuario"
            | "utente"
            | "utilisateur"
            | "gebruiker"
            | "klant"
            | "użytkownik"
            | "klient"
            | "användaren"
            | "brukeren"
            | "käyttäjä"
    )
}

fn is_article(word: &str) -> bool {
    matches!(
        word,
        "la" | "le"
            | "les"
            | "der"
            | "die"
            | "das"
            | "el"
            | "il"
            | "lo"
            | "los"
            | "las"
            | "de"
            | "het"
            | "o"
            | "a"
            | "os"
            | "as"
            | "den"
            | "det"
    )
}

/// What calls are made of, in everyday words.
fn is_part(word: &str) -> bool {
    matches!(
        word,
        "city"
            | "date"
            | "dates"
            | "time"
            | "amount"
            | "unit"
            | "units"
            | "recipient"
            | "address"
            | "email"
            | "id"
            | "ids"
            | "number"
            | "tool"
            | "function"
            | "destination"
            | "currency"
            | "language"
            | "query"
            | "subject"
            | "body"
            | "title"
            | "price"
            | "total"
            | "field"
            | "fields"
            | "key"
            | "keys"
            | "input"
            | "inputs"
            | "spelling"
            | "zone"
            | "origin"
            | "quantity"
            | "status"
            | "file"
            | "path"
            | "schema"
            | "form"
            | "note"
            | "message"
            | "url"
            | "result"
            | "option"
            | "options"
            | "label"
            | "labels"
            | "user"
            | "stadt"
            | "ville"
            | "datum"
            | "ciudad"
            | "fecha"
            | "fecha_de"
            | "città"
            | "data"
            | "cidade"
            | "stad"
            | "miasto"
            | "город"
            | "дата"
    )
}

/// The words of the lead are of another language.
fn tongue(lead: &[Token]) -> Tongue {
    let words = || lead.iter().filter(|token| token.is_word() && token.veil == Veil::None);
    let abroad = |token: &Token| {
        is_negation_abroad(token)
            || token.word().chars().any(|c| c.is_alphabetic() && !c.is_ascii())
            || foreign::knows(token.word())
    };
    if !words().any(is_english) && words().any(abroad) { Tongue::Other } else { Tongue::English }
}

/// Whether an English clause says the rail at its end (`true`) or denies it; `None` if it is not surely about the whole call.
fn predicate(clause: &[Token]) -> Option<bool> {
    let words: Vec<&Token> =
        clause.iter().filter(|token| token.is_word() && !is_stress(token.word())).collect();
    let texts: Vec<&str> = words.iter().map(|token| token.word()).collect();
    if hidden(clause) && words.iter().all(|token| token.veil == Veil::Hidden) {
        return None;
    }
    let denials = words.iter().filter(|token| denies(token, Tongue::English)).count();
    let unclear = words.iter().any(|token| token.class == Class::Unclear);
    let thinks = texts.iter().any(|word| {
        matches!(
            *word,
            "say"
                | "saying"
                | "claim"
                | "know"
                | "sure"
                | "clear"
                | "certain"
                | "mean"
                | "convinced"
                | "would"
                | "should"
                | "told"
                | "because"
        )
    });
    let some = texts.iter().take(3).any(|word| {
        matches!(
            *word,
            "some"
                | "most"
                | "several"
                | "few"
                | "half"
                | "many"
                | "two"
                | "three"
                | "any"
                | "everyone"
                | "someone"
        )
    });
    if unclear || thinks || some || denials > 1 || texts == ["no"] {
        return None;
    }
    // `could not be more correct`, `rarely a clearer case of incorrect`
    // `I now go with correct`
    let rules = words.iter().any(|token| token.class == Class::Verb)
        && words.iter().any(|token| token.class == Class::Judge);
    let ruled = words
        .iter()
        .rev()
        .find(|token| token.class != Class::Silent)
        .is_some_and(|token| token.class == Class::Verb);
    if let [.., "option" | "choice" | "candidate" | "response" | "prefer" | "winner"]
    | [.., "winner" | "choice" | "pick", "is"] = &texts[..]
    {
        let small = texts.len() <= 5 && denials == 0 && whole_or_idle(&words[..words.len() - 1]);
        return small.then_some(true);
    }
    if rules
        && ruled
        && denials == 0
        && !texts.iter().any(|word| matches!(*word, "can" | "could" | "may" | "might" | "to"))
    {
        return Some(true);
    }
    let compares = texts.iter().any(|word| {
        matches!(*word, "more" | "clearer" | "plainer" | "better" | "purer" | "stronger" | "easier")
    });
    if compares {
        let close = texts.last().is_some_and(|word| matches!(*word, "more" | "of" | "for" | "clearer"));
        return (denials == 1 && close && whole_or_idle(&words)).then_some(true);
    }
    let last = *texts.last()?;
    let opposite = last == "of" && texts.contains(&"opposite");
    let makes = texts.iter().any(|word| matches!(*word, "makes" | "made" | "make" | "renders"))
        && matches!(last, "it" | "this" | "that" | "call" | "action" | "invocation");
    if makes && denials == 0 && whole_or_idle(&words) {
        return Some(true);
    }
    let inverted = texts.len() > 1
        && matches!(texts[texts.len() - 2], "is" | "was")
        && matches!(last, "this" | "it" | "that" | "call");
    // `I deem the call correct`
    let ruled = words.iter().rposition(|token| token.class == Class::Judge).is_some_and(|at| {
        let mut tail = words[at + 1..].iter();
        tail.next().is_some_and(|token| token.class == Class::Verb)
            && tail.clone().any(|token| matches!(token.class, Class::Subject | Class::Pronoun))
            && tail.all(|token| {
                matches!(
                    token.class,
                    Class::Subject | Class::Pronoun | Class::Filler | Class::Tool | Class::Agent
                )
            })
    });
    if ruled && denials == 0 {
        return Some(true);
    }
    let everything =
        denials == 1 && texts.iter().any(|word| matches!(*word, "everything" | "all" | "every" | "always"));
    if everything {
        return None;
    }
    let linked = opposite
        || inverted && denials == 1
        || matches!(last, "called" | "considered" | "deemed" | "labelled") && denials == 1
        || matches!(last, "is" | "was" | "be" | "been" | "as" | "being" | "are" | "were" | "to")
        || last.ends_with("n't")
        || denies(words.last()?, Tongue::English);
    let object = ["call", "calling", "consider", "deem", "judge", "find"]
        .iter()
        .any(|verb| texts.contains(verb))
        && matches!(last, "this" | "it" | "that" | "call" | "correct" | "action" | "behaviour" | "behavior");
    if !(linked || object && denials == 1) {
        return None;
    }
    if denials == 0
        && texts.iter().any(|word| matches!(*word, "can" | "could" | "may" | "might" | "would" | "to"))
        && !is_gerund(texts[0])
    {
        return None;
    }
    // The head of the clause is the call as a whole.
    (denials == 0 && is_whole(&words) || denials == 1 && whole_or_idle(&words) && reaches(&words))
        .then_some(denials == 0)
}

/// Whether the denial reaches the end of the clause.
fn reaches(words: &[&Token]) -> bool {
    /// A denial farther away may deny something else.
    const NEAR: usize = 7;
    let Some(at) = words.iter().rposition(|token| denies(token, Tongue::English)) else { return false };
    // `The call with the id that nobody checked is`
    let inner = words[..at].iter().skip(1).any(|token| {
        matches!(
            token.word(),
            "that" | "which" | "who" | "because" | "although" | "while" | "where" | "if" | "with"
        )
    });
    let goes_on = words[at + 1..].iter().any(|token| {
        matches!(
            token.word(),
            "which" | "who" | "because" | "although" | "while" | "where" | "but" | "user" | "tool"
        )
    });
    !inner && !goes_on && words.len() - at - 1 <= NEAR
}

fn is_gerund(word: &str) -> bool {
    word.len() > 5
        && word.ends_with("ing")
        && !matches!(word, "everything" | "anything" | "nothing" | "something" | "spelling")
}

/// Whether the subject of a clause is the whole call, or what the agent did.
fn is_whole(words: &[&Token]) -> bool {
    if words
        .iter()
        .any(|token| token.class == Class::Ordinal && !token.word().starts_with(|c: char| c.is_numeric()))
    {
        return false;
    }
    let mut heads = words.iter().filter(|token| {
        !matches!(
            token.class,
            Class::Filler | Class::Conclusion | Class::Final | Class::Silent | Class::Agent | Class::Cue
        ) && !matches!(
            token.word(),
            "tool" | "function" | "agent" | "assistant" | "model" | "and" | "agent's" | "assistant's"
        )
    });
    let Some(head) = heads.next() else { return false };
    match head.word() {
        "what" => {
            words.iter().any(|token| matches!(token.word(), "agent" | "assistant" | "model" | "it"))
                && words.iter().any(|token| matches!(token.word(), "did" | "does" | "do" | "done"))
        }
        word if is_gerund(word) => true,
        "everything" | "all" => {
            words.iter().any(|token| matches!(token.class, Class::Subject | Class::Pronoun))
        }
        "way" | "action" | "actions" | "decision" | "behaviour" | "behavior" | "move" | "approach"
        | "step" | "handling" | "conduct" => true,
        _ => head.class == Class::Subject,
    }
}

/// Nothing is spoken of but the call, if anything.
fn whole_or_idle(words: &[&Token]) -> bool {
    !words.iter().any(|token| {
        matches!(token.class, Class::Part | Class::Ordinal | Class::Outcome)
            || is_part(token.word())
            || attributes(token) && !matches!(token.word(), "called" | "labelled" | "labeled" | "marked")
    })
}

/// Whether a clause in another language says the rail at its end or denies it.
fn abroad(clause: &[Token], lead: &[Token]) -> Option<bool> {
    let mut clause = clause;
    if clause.iter().all(|token| !token.is_word()) {
        clause = lead;
    }
    let words: Vec<&Token> =
        clause.iter().filter(|token| token.is_word() && token.veil == Veil::None).collect();
    let denials = words.iter().filter(|token| denies(token, Tongue::Other)).count();
    // `n'est pas` denies once; a denial in front of other words may deny these.
    let near = words.iter().rev().take(4).filter(|token| denies(token, Tongue::Other)).count();
    let part = words.iter().any(|token| {
        token.class == Class::Part
            || is_part(token.word())
            || token.class == Class::Ordinal
            || attributes(token)
    });
    let unclear = words.iter().any(|token| matches!(token.class, Class::Unclear | Class::Partial));
    match (denials, near) {
        _ if part || unclear || words.is_empty() || words.iter().any(|token| is_person(token.word())) => None,
        (0, _) => Some(true),
        (1, 1) => Some(false),
        _ => None,
    }
}

/// `not A but B`: two rails, one of them denied.
fn contrasted(
    script: &Script,
    sentence: &Sentence,
    one: &Named,
    end: &Named,
    names: &Names,
) -> Option<usize> {
    let tokens = &script.tokens;
    let (lead, between) =
        (&tokens[sentence.tokens.start..one.tokens.start], &tokens[one.tokens.end..end.tokens.start]);
    let denied_behind = behind(script, sentence, end)? == Behind::Denial;
    let tongue = tongue(&tokens[sentence.tokens.start..end.tokens.start]);
    let all = || lead.iter().chain(between);
    // `changed from A to B`
    let word = |token: Option<&Token>| token.map_or(String::new(), |token| token.word().to_owned());
    let before = word(lead.iter().rfind(|token| token.is_word()));
    let joins: Vec<&str> = between.iter().filter(|token| token.is_word()).map(|token| token.word()).collect();
    let changed = lead.iter().any(|token| {
        matches!(
            token.word(),
            "changed" | "changing" | "change" | "update" | "updated" | "revised" | "switching" | "switched"
        )
    });
    let stop = between.iter().rposition(|token| token.is(','));
    let clause = &between[stop.map_or(0, |at| at + 1)..];
    let decided =
        clause.iter().any(|token| matches!(token.class, Class::Cue | Class::Conclusion | Class::Final))
            && clause.iter().filter(|token| token.is_word()).count() > 2
            && !clause.iter().any(|token| denies(token, tongue) || leaves_open(token, tongue));
    if before == "from" && joins == ["to"] && changed || decided && stop.is_some() {
        return Some(end.rail);
    }
    if all().any(|token| {
        leaves_open(token, tongue) || offers(token, tongue) && !denies(token, tongue) || attributes(token)
    }) || all()
        .any(|token| token.class == Class::Ordinal || token.class == Class::Part || is_part(token.word()))
        || tokens[one.tokens.start].veil != Veil::None
        || all().any(|token| token.class == Class::Unclear)
    {
        return None;
    }
    let near = lead
        .iter()
        .rev()
        .filter(|token| token.is_word())
        .take(3)
        .filter(|token| denies(token, tongue))
        .count();
    let behind_one = between
        .iter()
        .find(|token| token.is_word())
        .is_some_and(|token| token.word().starts_with("ではなく") || foreign::denies_behind(token.word()));
    let first_denied = near == 1 || near == 0 && behind_one;
    let second_denied = between
        .iter()
        .skip(usize::from(behind_one))
        .filter(|token| token.is_word() && denies(token, tongue))
        .count()
        - usize::from(behind_one && between.iter().skip(1).any(|token| token.word() == "ではなく"));
    let nor = |token: &Token| {
        matches!(
            token.word(),
            "ni" | "weder"
                | "noch"
                | "nor"
                | "neither"
                | "ani"
                | "ни"
                | "eikä"
                | "sem"
                | "nici"
                | "ούτε"
                | "varken"
        )
    };
    if all().any(nor) || denied_behind {
        return None;
    }
    let _ = names;
    match (first_denied, second_denied) {
        (true, 0) if joins.len() <= 4 => Some(end.rail),
        // A verdict that is taken back: `incorrect, no wait, correct`
        (false, _) if cues(between) && lead.iter().all(|token| !token.is_word()) => Some(end.rail),
        _ => None,
    }
}

/// Nothing but words of a second thought.
fn cues(between: &[Token]) -> bool {
    let mut words = between.iter().filter(|token| token.is_word());
    words.clone().any(|token| token.class == Class::Cue || token.word() == "hold" || token.word() == "hang")
        && words.all(|token| {
            matches!(token.class, Class::Cue | Class::Silent)
                || matches!(token.word(), "no" | "hold" | "hang" | "on" | "a" | "second" | "moment")
        })
}

/// `The claim that it is incorrect does not hold.`
fn refuted(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
    let words = |range: Range<usize>| {
        script.tokens[range].iter().filter(|token| token.is_word()).map(Token::word).collect::<Vec<_>>()
    };
    let before = words(sentence.tokens.start..rail.tokens.start);
    let after = words(rail.tokens.end..sentence.tokens.end);
    let noun = |word: &&str| {
        matches!(
            *word,
            "claim"
                | "suspicion"
                | "idea"
                | "view"
                | "notion"
                | "objection"
                | "assertion"
                | "impression"
                | "argument"
                | "belief"
                | "thesis"
        )
    };
    let that = before.iter().position(|word| *word == "that")?;
    let plain =
        before[that..].iter().all(|word| !matches!(*word, "not" | "never" | "no") && !word.ends_with("n't"));
    let claims = before[..that].iter().any(|word| noun(word)) && before[..that].len() <= 4;
    let falls = match &after[..] {
        ["does" | "did" | "do", "not", "hold" | "stand" | "convince" | "survive", ..] => true,
        [
            "doesn't" | "didn't" | "don't" | "cannot" | "can't" | "won't",
            "hold" | "stand" | "convince" | "survive",
            ..,
        ] => true,
        ["is", "wrong" | "false" | "mistaken" | "unfounded" | "baseless" | "untenable"] => true,
        _ => false,
    };
    (plain && claims && falls && after.len() <= 6).then(|| names.opposite(rail.rail)).flatten()
}

/// `There is nothing incorrect about this call.`
fn nothing(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
    let words = |range: Range<usize>| script.tokens[range].iter().filter(|token| token.is_word());
    let before: Vec<&str> = words(sentence.tokens.start..rail.tokens.start).map(Token::word).collect();
    let starts = matches!(
        &before[..],
        ["nothing"]
            | ["there", "is" | "was", "nothing"]
            | ["there's", "nothing"]
            | ["i", "see" | "find" | "found", "nothing"]
    );
    let after: Vec<&Token> = words(rail.tokens.end..sentence.tokens.end).collect();
    let about = match &after[..] {
        [] => true,
        [first, rest @ ..] => {
            matches!(first.word(), "about" | "in" | "with" | "here") && rest.len() < 12 && whole_or_idle(rest)
        }
    };
    // Nothing of the kind is in it: of the two only what is good cannot be half there.
    let clear = starts && about && !names.is_positive(rail.rail);
    clear.then(|| names.opposite(rail.rail)).flatten()
}

/// `It isn't supported by the passage.`: of three rails, too, the one that says just this, if who fails to support it is named.
fn not_by(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
    let words =
        |range: Range<usize>| script.tokens[range].iter().filter(|token| token.is_word()).collect::<Vec<_>>();
    let before = words(sentence.tokens.start..rail.tokens.start);
    let after = words(rail.tokens.end..sentence.tokens.end);
    let denied = before.last().is_some_and(|token| token.class == Class::Negation)
        && before.iter().filter(|token| denies(token, Tongue::English)).count() == 1
        && !before.iter().any(|token| {
            leaves_open(token, Tongue::English)
                || attributes(token) && !matches!(token.word(), "claim" | "statement")
        });
    let by = after.first().is_some_and(|token| token.word() == "by") && after.len() < 10
        || matches!(
            after.iter().map(|token| token.word()).collect::<Vec<_>>()[..],
            ["at", "all"] | ["in", "any", "way"] | ["anywhere"]
        );
    let plain = !after.iter().any(|token| {
        leaves_open(token, Tongue::English)
            || matches!(token.word(), "itself" | "alone" | "only" | "but" | "all" | "every")
    });
    let all = after.iter().any(|token| token.word() == "all")
        && after.first().is_some_and(|token| token.word() == "at");
    (denied && by && (plain || all)).then(|| names.negated(rail.rail)).flatten()
}

/// `It is not correct to share the file.`, `This call is never appropriate in front of a minor.`
fn never_for(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
    const OPINIONS: [&str; 9] =
        ["say", "assume", "think", "claim", "conclude", "call", "label", "state", "infer"];
    let words =
        |range: Range<usize>| script.tokens[range].iter().filter(|token| token.is_word()).collect::<Vec<_>>();
    let before = words(sentence.tokens.start..rail.tokens.start);
    let after = words(rail.tokens.end..sentence.tokens.end);
    let goes_on =
        after.first().is_some_and(|token| matches!(token.word(), "to" | "in" | "for" | "with" | "when"));
    let opinion = after.iter().any(|token| OPINIONS.contains(&token.word()));
    let open = before.iter().chain(&after).any(|token| {
        leaves_open(token, Tongue::English)
            || offers(token, Tongue::English)
            || token.class == Class::Contrast
    });
    let about = before
        .iter()
        .any(|token| matches!(token.class, Class::Subject | Class::Pronoun | Class::PronounCopula));
    let fits = goes_on && !opinion && !open && about && names.is_positive(rail.rail);
    let clause: Vec<Token> = before.iter().map(|token| (*token).clone()).collect();
    (fits && predicate(&clause) == Some(false)).then(|| names.opposite(rail.rail)).flatten()
}

/// `B wins.`, `Answer A is better.`
fn preferred(script: &Script, sentence: &Sentence, rail: &Named) -> Option<usize> {
    let words = |range: Range<usize>| {
        script.tokens[range]
            .iter()
            .filter(|token| token.is_word())
            .map(Token::word)
            .take(9)
            .collect::<Vec<_>>()
    };
    let named = matches!(
        &words(sentence.tokens.start..rail.tokens.start)[..],
        [] | ["so" | "therefore" | "overall" | "option" | "answer" | "response" | "candidate"]
    );
    let wins = matches!(
        &words(rail.tokens.end..sentence.tokens.end)[..],
        ["wins"]
            | ["is" | "was", "better" | "preferable" | "best"]
            | ["is" | "was", "the", "winner" | "best" | "better"]
    );
    (named && wins).then_some(rail.rail)
}

/// `Correct? I don't think so.`
fn reply_to_question(script: &Script, last: &Sentence, names: &Names) -> Option<(usize, Range<usize>)> {
    let index = script.sentences.len().checked_sub(2)?;
    let question = &script.sentences[index];
    let tokens = &script.tokens[..question.tokens.end];
    let start = question.tokens.clone().find(|at| tokens[*at].is_word())?;
    let (rail, end) = names.at(tokens, start)?;
    let bare = question.end == Some('?') && !tokens[end..].iter().any(Token::is_word);
    if !bare || index != 0 || tokens[start].veil != Veil::None {
        return None;
    }
    let words: Vec<&Token> =
        script.tokens[last.tokens.clone()].iter().filter(|token| token.is_word()).collect();
    let texts: Vec<&str> = words.iter().map(|token| token.word()).collect();
    let open = words.iter().any(|token| {
        leaves_open(token, Tongue::English) || matches!(token.class, Class::Unclear | Class::Partial)
    });
    let no = match &texts[..] {
        ["i", "don't", "think" | "believe", "so", ..] | ["i", "do", "not", "think" | "believe", "so", ..] => {
            true
        }
        ["not", "at", "all"]
        | ["not", "in" | "by" | "for" | "remotely", ..]
        | ["never"]
        | ["no", "way"]
        | ["certainly" | "definitely" | "surely", "not"] => true,
        _ => false,
    };
    let hedged = open && !matches!(words.first().map(|token| token.class), Some(Class::Negation));
    let rail = (no && !hedged && texts.len() <= 7).then(|| names.opposite(rail)).flatten()?;
    Some((rail, script.tokens[start].at.start..script.tokens[end - 1].at.end))
}
