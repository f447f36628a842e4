//! Phrases with which a writer takes back what came before.

use super::class::Class;
use super::names::Names;
use super::token::Token;

/// How a sentence begins that takes the one before it back.
const OPENINGS: &str = "wait/hmm/oops/correction/reconsidering/hold on/on second/on reflection/on closer/upon reflection/upon second/upon closer/
upon further/upon review/scratch that/strike that/hang on/not so fast/then again/come to think/thinking about it/my bad/my mistake/
that was too/that was my/that's what/that is what/this would be/that would be/or/edit/update/revision/at least/let me reconsider/
let me re-evaluate/let me reevaluate/let me correct/let me recheck/let me re-check/let me rethink/i take that/i take it/i was wrong/
ah non/ah no/ach nein/oh nein/nein doch/pardon/perdón/perdona/disculpa/scusa/scusate/desculpa/désolé/désolée/attends/attendez/non attendez/warte/
moment/entschuldigung/espera/no espera/aspetta/no aspetta/wacht/nee wacht/chwila/zaraz/przepraszam/vänta/nej vänta/vent/förlåt/unnskyld/подожди/стоп/простите/
oder doch/oder nicht/ou pas/ou plutôt/o quizá/o no/o forse/of toch/albo jednak/eller/i retract/i withdraw/actually wait/no wait/but wait/one moment/one second";

/// Whether `sentence` begins in one of these ways, or with a `No` that stands for itself.
pub(super) fn retracts(sentence: &[Token]) -> bool {
    let words = || sentence.iter().filter(|token| token.is_word()).map(Token::word);
    let begins = |phrase: &str| {
        let mut said = words();
        phrase.split_whitespace().all(|word| said.next() == Some(word))
    };
    OPENINGS.split('/').map(str::trim).any(begins)
}

/// `No: the city …`, `No — the city …`
pub(super) fn denies(sentence: &[Token]) -> bool {
    let first = sentence.iter().position(Token::is_word);
    first.is_some_and(|at| {
        let next = sentence.get(at + 1);
        sentence[at].word() == "no"
            && next.is_some_and(|next| [':', '—', '-', '…'].iter().any(|mark| next.is(*mark)))
    })
}

/// Whether `tokens` give another rail than `rail`: `the label should be correct`, `that makes the call incorrect`.
pub(super) fn overrules(tokens: &[Token], rail: usize, names: &Names) -> bool {
    (0..tokens.len())
        .any(|at| names.at(tokens, at).is_some_and(|(other, _)| other != rail) && is_given(&tokens[..at]))
}

/// Whether `lead` gives whatever follows it as the verdict.
fn is_given(lead: &[Token]) -> bool {
    let adverb = |token: &&Token| {
        matches!(
            token.word(),
            "really" | "actually" | "rather" | "instead" | "clearly" | "indeed" | "a" | "an"
        )
    };
    let mut words = lead
        .iter()
        .rev()
        .take(24)
        .take_while(|token| !token.is('.') && !token.is_newline())
        .filter(|token| token.is_word())
        .filter(|token| !adverb(token));
    let key = |token: &Token| matches!(token.class, Class::Key | Class::WeakKey) || token.word() == "it";
    let mut next = || words.next().map_or("", Token::word);
    match next() {
        "is" | "be" => {}
        "call" | "it" | "invocation" => {
            let verb = next();
            let verb = if matches!(verb, "the" | "this" | "tool") { next() } else { verb };
            let verb = if matches!(verb, "the" | "this") { next() } else { verb };
            return matches!(verb, "makes" | "renders");
        }
        _ => return false,
    }
    match words.next() {
        // `therefore the call is …`
        Some(token) if matches!(token.word(), "call" | "invocation" | "it") => {
            let before = words.find(|token| !matches!(token.word(), "the" | "this" | "tool"));
            before.is_some_and(|token| token.class == Class::Conclusion)
        }
        Some(token) if matches!(token.word(), "should" | "must") => words.next().is_some_and(key),
        Some(token) => matches!(token.class, Class::Key),
        None => false,
    }
}
