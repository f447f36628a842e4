//! What the sentences around a mention make of it.

use super::lexicon::Class;
use super::names::Names;
use super::script::{Script, Sentence};
use super::token::Token;

/// Whether a word tells that somebody says or thinks something.
pub(super) fn reports(token: &Token) -> bool {
    matches!(
        token.word(),
        "say"
            | "says"
            | "said"
            | "think"
            | "thinks"
            | "thought"
            | "believe"
            | "believes"
            | "believed"
            | "claim"
            | "claims"
            | "claimed"
            | "state"
            | "states"
            | "sagt"
            | "sagte"
            | "meint"
            | "glaubt"
            | "behauptet"
            | "schreibt"
            | "dit"
            | "pense"
            | "dice"
            | "cree"
            | "diz"
            | "acha"
            | "pensa"
            | "zegt"
            | "vindt"
            | "mówi"
            | "twierdzi"
            | "говорит"
            | "считает"
            | "说"
            | "stated"
            | "assume"
            | "assumes"
            | "assumed"
            | "wrote"
            | "writes"
            | "suggests"
            | "told"
            | "tells"
            | "argue"
            | "argues"
            | "argued"
            | "insists"
            | "statement"
    )
}

/// Whether a sentence asks for the verdict on the whole call, so that what follows it answers: `Was the call correct?`, `correct or incorrect?`
pub(super) fn asks_about_whole(script: &Script, sentence: &Sentence, names: &Names) -> bool {
    /// A longer question asks for more.
    const REACH: usize = 64;
    if sentence.end != Some('?') || sentence.tokens.len() > REACH {
        return false;
    }
    let tokens = &script.tokens[..sentence.tokens.end];
    let rails: Vec<usize> =
        sentence.tokens.clone().filter_map(|at| names.at(tokens, at)).map(|(rail, _)| rail).collect();
    if rails.iter().any(|rail| *rail != rails[0]) {
        return true;
    }
    let known = |token: &Token| {
        matches!(
            token.class,
            Class::Filler
                | Class::Tool
                | Class::Agent
                | Class::Subject
                | Class::Copula
                | Class::Silent
                | Class::Pronoun
        ) || matches!(token.word(), "right" | "wrong" | "ok" | "okay" | "so")
    };
    let words =
        || sentence.tokens.clone().filter(|at| tokens[*at].is_word() && names.at(tokens, *at).is_none());
    words().any(|at| tokens[at].class == Class::Subject) && words().all(|at| known(&tokens[at]))
}

/// How the sentence behind a question begins: `Yes, …` or `No.`
pub(super) fn answer(script: &Script, next: Option<&Sentence>) -> Option<bool> {
    let mut tokens = script.tokens[next?.tokens.clone()].iter().skip_while(|token| !token.is_word());
    let said = match tokens.next()?.word() {
        "yes" | "yep" | "indeed" => true,
        "no" | "nope" => false,
        _ => return None,
    };
    // `No idea` and `Yes, partly` answer nothing.
    let ends = tokens.clone().next().is_none_or(|token| !token.is_word());
    let hedged = tokens.find(|token| token.is_word()).is_some_and(|token| token.class == Class::Hedge);
    (ends && !hedged).then_some(said)
}
