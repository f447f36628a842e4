//! How the sentences around a mention change its meaning.

use super::class::Class;
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
            | "selon"
            | "laut"
            | "según"
            | "segundo"
            | "secondo"
            | "volgens"
            | "według"
            | "enligt"
            | "ifølge"
            | "zufolge"
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

/// How the sentence behind a question answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub yes: bool,
    /// It goes on with a fault or a denial, which fits no success.
    pub faulted: bool,
}

/// The answer behind the question at `index`: `Yes, …` or `No.`, with nothing but reasons behind it.
pub(super) fn answer(script: &Script, index: usize) -> Option<Answer> {
    let next = script.sentences.get(index + 1)?;
    let end = script.sentences.get(index + 2).unwrap_or(next).tokens.end;
    let mut tokens = script.tokens[next.tokens.start..end].iter().skip_while(|token| !token.is_word());
    let yes = match tokens.next()?.word() {
        "yes" | "yep" | "indeed" => true,
        "no" | "nope" => false,
        _ => return None,
    };
    // `No idea` answers nothing.
    let ends = tokens.clone().next().is_none_or(|token| !token.is_word());
    let mut words = tokens.clone().filter(|token| token.is_word());
    let hedged = words.any(|token| {
        matches!(
            token.class,
            Class::Hedge | Class::Condition | Class::Contrast | Class::Partial | Class::Unclear
        ) || excepts(token)
            || matches!(
                token.word(),
                "unless"
                    | "provided"
                    | "assuming"
                    | "though"
                    | "although"
                    | "partly"
                    | "glance"
                    | "sight"
                    | "only"
                    | "so"
            )
    });
    let faulted = tokens.filter(|token| token.is_word()).any(|token| {
        token.class == Class::Negation
            || matches!(
                token.word(),
                "no" | "not"
                    | "wrong"
                    | "missing"
                    | "misses"
                    | "lacks"
                    | "invented"
                    | "failed"
                    | "fails"
                    | "forgot"
                    | "should"
                    | "omitted"
                    | "mistake"
                    | "error"
            )
    });
    (ends && !hedged).then_some(Answer { yes, faulted })
}

/// Whether a word takes something out of what is said: `except the city`, `salvo la ciudad`.
pub(super) fn excepts(token: &Token) -> bool {
    matches!(
        token.word(),
        "except"
            | "excepting"
            | "apart"
            | "aside"
            | "barring"
            | "außer"
            | "ausgenommen"
            | "abgesehen"
            | "sauf"
            | "excepté"
            | "hormis"
            | "salvo"
            | "excepto"
            | "exceto"
            | "tranne"
            | "eccetto"
            | "behalve"
            | "uitgezonderd"
            | "utom"
            | "förutom"
            | "oprócz"
            | "кроме"
            | "除了"
            | "除"
            | "以外"
            | "kecuali"
            | "hariç"
    )
}
