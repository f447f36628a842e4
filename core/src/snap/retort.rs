//! Sentences that decide a rail in other ways: they refute it, answer it, prefer it, or find nothing of it.

use std::ops::Range;

use super::class::Class;
use super::ending::Named;
use super::names::Names;
use super::polarity::{Tongue, attributes, denies, leaves_open, offers};
use super::predicate::predicate;
use super::script::{Script, Sentence};
use super::subject::whole_or_idle;
use super::token::{Excluded, Token};

/// `The claim that it is incorrect does not hold.`
pub(super) fn refuted(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
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
    let claims = before[..that].iter().any(noun) && before[..that].len() <= 4;
    let falls = matches!(
        &after[..],
        ["does" | "did" | "do", "not", "hold" | "stand" | "convince" | "survive", ..]
            | [
                "doesn't" | "didn't" | "don't" | "cannot" | "can't" | "won't",
                "hold" | "stand" | "convince" | "survive",
                ..,
            ]
            | ["is", "wrong" | "false" | "mistaken" | "unfounded" | "baseless" | "untenable"]
    );
    (plain && claims && falls && after.len() <= 6).then(|| names.opposite(rail.rail)).flatten()
}

/// `There is nothing incorrect about this call.`
pub(super) fn nothing(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
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
pub(super) fn not_by(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
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
pub(super) fn never_for(script: &Script, sentence: &Sentence, rail: &Named, names: &Names) -> Option<usize> {
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
pub(super) fn preferred(script: &Script, sentence: &Sentence, rail: &Named) -> Option<usize> {
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
pub(super) fn reply_to_question(
    script: &Script,
    last: &Sentence,
    names: &Names,
) -> Option<(usize, Range<usize>)> {
    let index = script.sentences.len().checked_sub(2)?;
    let question = &script.sentences[index];
    let tokens = &script.tokens[..question.tokens.end];
    let start = question.tokens.clone().find(|at| tokens[*at].is_word())?;
    let (rail, end) = names.at(tokens, start)?;
    let bare = question.end == Some('?') && !tokens[end..].iter().any(Token::is_word);
    if !bare || index != 0 || tokens[start].excluded != Excluded::None {
        return None;
    }
    let words: Vec<&Token> =
        script.tokens[last.tokens.clone()].iter().filter(|token| token.is_word()).collect();
    let texts: Vec<&str> = words.iter().map(|token| token.word()).collect();
    let open = words.iter().any(|token| {
        leaves_open(token, Tongue::English) || matches!(token.class, Class::Unclear | Class::Partial)
    });
    let no = matches!(
        &texts[..],
        ["i", "don't", "think" | "believe", "so", ..]
            | ["i", "do", "not", "think" | "believe", "so", ..]
            | ["not", "at", "all"]
            | ["not", "in" | "by" | "for" | "remotely", ..]
            | ["never"]
            | ["no", "way"]
            | ["certainly" | "definitely" | "surely", "not"]
    );
    let hedged = open && !matches!(words.first().map(|token| token.class), Some(Class::Negation));
    let rail = (no && !hedged && texts.len() <= 7).then(|| names.opposite(rail)).flatten()?;
    Some((rail, script.tokens[start].at.start..script.tokens[end - 1].at.end))
}
