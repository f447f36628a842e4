//! Small words that negate a clause or leave it open, in many languages.
//!
//! Every language has only a few of them, so its file can list them all, under `[verdict]`; the rest of a clause may then consist
//! of unlisted words.

use std::collections::HashSet;

use super::class::Class;
use super::context::reports;
use super::token::{Excluded, Token};
use super::words::Words;

static NEGATIONS: Words = Words::listed(|of| &of.denies);
static ALTERNATIVES: Words = Words::listed(|of| &of.offers);
static OPEN: Words = Words::listed(|of| &of.leaves_open);

/// What a clause is written in: many short words mean something else in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    English,
    Other,
}

/// Whether a word denies.
pub(super) fn denies(token: &Token, tongue: Tongue) -> bool {
    matches!(token.class, Class::Negation | Class::Partial | Class::Unclear)
        || tongue == Tongue::Other
            && token.is_word()
            && token.class != Class::Silent
            && NEGATIONS.has(token.word())
        || matches!(
            token.word(),
            "nobody"
                | "opposite"
                | "noone"
                | "neither"
                | "rarely"
                | "seldom"
                | "fail"
                | "fails"
                | "lacks"
                | "refuse"
        )
}

/// Whether a word denies, and in a language other than English.
pub(super) fn is_negation_abroad(token: &Token) -> bool {
    denies(token, Tongue::Other)
        && NEGATIONS.has(token.word())
        && !matches!(
            token.word(),
            "no" | "non" | "nor" | "neither" | "point" | "si" | "nu" | "jo" | "ez" | "en" | "not"
        )
}

/// Words that deny in one language and say something else in others, each with words that show the one and the others. A word that
/// several of these languages have, such as `de`, shows none.
const AMBIGUOUS: &[(&str, &str, &str)] = &[
    (
        "en",
        FINNISH,
        "la lo el los las que de es una le les est et un une dans pour het een dus van och att det cet cette is",
    ),
    (
        "nu",
        "este apelul apel că să și deci pentru agentul agentului utilizatorul corect nici data cea cel celui prin urmare codul orașul
        orașului lipsește fost sunt aceea țară",
        "het een dus och att det är ich klopt alles aanroep stad anropet is dan",
    ),
    ("ez", "eta deia dago zuzena erabiltzaileak egin baina beraz hiria", "az és hívás tehát megfelel eszköz ügynök felhasználó helyes"),
    ("si", "wito sahihi kwa mtumiaji hii huu zana kama jina mji ya", "lo el il che una le que es est llamada chiamata"),
    (
        "ni",
        "klic klica uporabnik orodje pravilen mesto torej zato",
        "och att det är ett los una kwa wito mtumiaji",
    ),
    ("jo", "është thirrja përdoruesi mjeti për dhe qyteti", "el que una és det og som ikke oli"),
    (
        "tak",
        "panggilan pengguna alat betul boleh ini itu yang bandar jadi salah",
        "jest się że nie więc tedy nástroj volání wywołanie tím proto takže",
    ),
    ("pole", "kasutaja kutse kutset õige tööriist agendi linn seega vale", "jest się że nie więc wywołanie volání"),
    (
        "pas",
        "n'est ne l'appel appel l'utilisateur l'agent est les des une dans c'est cet cette je du outil ville",
        "het een dat dus van wordt niet aanroep dan nu is klopt eerst tweede",
    ),
    ("ej", "och att det är som anropet användaren verktyget datumet staden alltså", "jest się że"),
    ("hindi", "ang ng mga tawag tama ito iyon kaya", "the is of and language query"),
    (
        "ne",
        "pas plus jamais que je n'est klic klica poziv alat volání nástroj hívás eszköz kvietimas",
        "che di il una gli sono della strumento chiamata l'agente l'utente risulta conclude deduce",
    ),
    (
        "no",
        "el los las es una llamada il che chiamata és crida ciutat hecha fecha falta",
        "não é uma dos foi são chamada isso usuário jest się że wywołanie",
    ),
];
const FINNISH: &str = "että ei ole tämä tätä pidä pitäisi voi kutsu kutsua kutsun käyttäjä työkalu luokittelisi sanoisi oikea oikein ja joten
    kaupunki väärä tiedä varma";

/// What a word does in a reply that is not in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Denial {
    Yes,
    No,
    /// It denies in one of the languages that the reply may be in.
    Unsure,
}

/// Whether a word denies in the language of `reply`, which is not English.
pub(super) fn denial(token: &Token, reply: &[Token]) -> Denial {
    /// One word may be a name or a loan.
    const SURE: usize = 2;
    if !denies(token, Tongue::Other) {
        return Denial::No;
    }
    let Some((word, home, elsewhere)) = AMBIGUOUS.iter().find(|(word, ..)| *word == token.word()) else {
        return Denial::Yes;
    };
    let own = |token: &&Token| token.is_word() && token.excluded == Excluded::None;
    let shown = |words: &str| {
        let words: HashSet<&str> = words.split_whitespace().collect();
        reply
            .iter()
            .filter(own)
            .map(Token::word)
            .filter(|word| words.contains(word))
            .collect::<HashSet<_>>()
            .len()
    };
    let french = *word == "pas" && reply.iter().filter(own).any(is_elided);
    match (shown(home) + usize::from(french), shown(elsewhere)) {
        (1.., ..SURE) => Denial::Yes,
        (0, SURE..) => Denial::No,
        _ => Denial::Unsure,
    }
}

/// `l'appel`, `d'accord`, `n'est`: words that lost a vowel, as in French.
fn is_elided(token: &Token) -> bool {
    ["l'", "d'", "n'", "c'", "j'", "qu'", "s'", "l’", "d’", "n’", "c’", "j’", "qu’", "s’"]
        .iter()
        .any(|start| token.word().starts_with(start))
}

/// `ne` and `n'est`, which deny together with `pas`, or else with a word that says how far.
pub(super) fn begins_denial(word: &str) -> bool {
    word == "ne" || word.starts_with("n'") || word.starts_with("n’")
}

/// The second word of a French denial.
pub(super) fn ends_denial(word: &str) -> bool {
    matches!(word, "pas" | "point" | "aucunement" | "nullement")
}

/// Whether a word joins what may be instead.
pub(super) fn offers(token: &Token, tongue: Tongue) -> bool {
    matches!(token.word(), "or" | "nor" | "neither" | "either")
        || tongue == Tongue::Other && token.is_word() && ALTERNATIVES.has(token.word())
}

/// Whether a word leaves open whether its clause holds.
pub(super) fn leaves_open(token: &Token, tongue: Tongue) -> bool {
    // `when four were wanted` sets no condition.
    let tells = matches!(token.word(), "when" | "were" | "had" | "once" | "according");
    token.class == Class::Hedge && !matches!(token.word(), "can" | "could" | "may" | "kind" | "half")
        || token.class == Class::Condition && !tells
        || tongue == Tongue::Other && token.is_word() && OPEN.has(token.word())
        || matches!(
            token.word(),
            "standpoint"
                | "angle"
                | "technical"
                | "formal"
                | "doubtful"
                | "unsure"
                | "uncertain"
                | "lean"
                | "leaning"
                | "tend"
                | "guess"
                | "wonder"
                | "suspect"
        )
}

/// Whether a word tells what somebody else says, holds or asks for.
pub(super) fn attributes(token: &Token) -> bool {
    reports(token)
        || matches!(
            token.word(),
            "contains"
                | "contained"
                | "holds"
                | "held"
                | "reads"
                | "returned"
                | "returns"
                | "returning"
                | "answered"
                | "answers"
                | "replied"
                | "replies"
                | "reply"
                | "respond"
                | "responds"
                | "responded"
                | "output"
                | "outputs"
                | "print"
                | "write"
                | "answer"
                | "demands"
                | "requires"
                | "expects"
                | "expected"
                | "sets"
                | "set"
                | "asks"
                | "asked"
                | "quote"
                | "quotes"
                | "quoted"
                | "labels"
                | "labelled"
                | "labeled"
                | "marked"
                | "marks"
                | "tagged"
                | "called"
                | "named"
                | "entitled"
                | "saying"
                | "stating"
                | "claiming"
                | "hopes"
                | "hoped"
                | "wants"
                | "wished"
                | "wishes"
                | "insist"
                | "insisted"
                | "dijo"
                | "disse"
                | "dicho"
                | "sa"
                | "sade"
                | "säger"
                | "zei"
                | "powiedział"
                | "заявил"
                | "notes"
                | "noted"
                | "schrieb"
                | "schreibt"
                | "sagte"
                | "meinte"
                | "fragt"
                | "fragte"
                | "écrit"
                | "demande"
                | "escribió"
                | "preguntó"
                | "skrev"
                | "scrisse"
                | "schreef"
                | "vroeg"
                | "napisał"
                | "написал"
                | "сказал"
                | "спросил"
        )
}

/// Whether a word is English and could be of few other languages.
pub(super) fn is_english(token: &Token) -> bool {
    matches!(
        token.word(),
        "the"
            | "and"
            | "this"
            | "that"
            | "it"
            | "it's"
            | "has"
            | "have"
            | "with"
            | "not"
            | "are"
            | "be"
            | "been"
            | "you"
            | "we"
            | "nothing"
            | "what"
            | "which"
            | "isn't"
            | "doesn't"
            | "can't"
            | "there"
            | "here"
            | "these"
            | "its"
            | "from"
            | "agent's"
    )
}
