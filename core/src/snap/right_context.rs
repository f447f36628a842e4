//! Reads the words after a rail.

use super::class::Class;
use super::context::reports;
use super::exception;
use super::foreign;
use super::language;
use super::lexicon::{agrees, gives_reason};
use super::names::Names;
use super::script::{Script, Sentence};
use super::subject::is_part;
use super::token::{Kind, Token, is_decor};

/// What follows a rail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RightContext {
    End,
    /// `:` and nothing more on the line.
    Heading,
    Reason,
    /// `, but …`
    Contrast,
    /// `if …`
    Condition,
    /// Another rail on equal terms: `correct or incorrect`.
    Choice,
    Question,
    /// The rail belongs to something longer.
    More,
}

impl RightContext {
    /// Reads on from the token behind the rail; also says where decoration behind it ends.
    pub fn read(script: &Script, sentence: &Sentence, from: usize, names: &Names) -> (RightContext, usize) {
        let tokens = &script.tokens;
        // The rail that ends where this begins.
        let success = (0..from)
            .rev()
            .take(6)
            .filter_map(|at| names.at(tokens, at))
            .any(|(rail, end)| end == from && names.is_positive(rail));
        let mut pause = None;
        let mut end = from;
        for at in from..sentence.tokens.end {
            let token = &tokens[at];
            match &token.kind {
                _ if names.at(tokens, at).is_some() && !token.is_word() => return (RightContext::More, end),
                Kind::Mark('/') if names_follow(script, sentence, at + 1, names) => {
                    return (RightContext::Choice, end);
                }
                Kind::Mark('-')
                    if !token.spaced
                        && tokens.get(at + 1).is_some_and(|next| !next.spaced)
                        && pause.is_none() =>
                {
                    // `correct--because` pauses, `correct-ish` never gets here.
                    pause = Some('-');
                }
                // `'correct': …` is a field or a definition.
                Kind::Mark(':') if at > from && (tokens[at - 1].is('"') || tokens[at - 1].is('\'')) => {
                    return (RightContext::More, end);
                }
                Kind::Mark(mark @ (':' | ',' | '-' | '—' | '(' | '[' | '<' | '{' | '|')) => {
                    pause = pause.or(Some(*mark));
                }
                Kind::Mark('=' | '→' | '%' | '/' | '+' | '\\' | '&') if pause.is_none() => {
                    return (RightContext::More, end);
                }
                Kind::Mark(mark) if is_decor(*mark) && pause.is_none() => end = at + 1,
                Kind::Mark(mark) if is_decor(*mark) => {}
                Kind::Mark(_) => return (RightContext::More, end),
                Kind::Word(_)
                    if token.class == Class::Silent || pause.is_none() && foreign::ends(token.word()) =>
                {
                    end = at + 1;
                }
                Kind::Word(word) => {
                    return (RightContext::word(script, sentence, at, word, pause, names, success), end);
                }
                _ => {}
            }
        }
        let below = tokens[sentence.tokens.end..].iter().find(|token| !token.is_newline());
        let after = match (sentence.end, pause) {
            (Some('?'), _) => RightContext::Question,
            (Some(_), _) => {
                end = (sentence.tokens.end + 1).min(tokens.len());
                RightContext::End
            }
            (None, _) if below.is_some_and(|next| next.is('?')) => RightContext::Question,
            (None, _) if below.is_some_and(|next| matches!(next.word(), "or" | "vs")) => RightContext::Choice,
            (None, Some(':')) => RightContext::Heading,
            // `correct,` goes on below.
            (None, Some(',')) if below.is_some() => RightContext::More,
            (None, _) => RightContext::End,
        };
        (after, end)
    }

    /// Whether behind the rail comes the name of what it is said of, and nothing more: `a correct tool call`.
    pub fn names_call(script: &Script, sentence: &Sentence, from: usize) -> bool {
        let behind = &script.tokens[from..sentence.tokens.end];
        let part_of = |token: &&Token| {
            matches!(token.class, Class::Subject | Class::Tool | Class::Silent)
                || matches!(token.word(), "here" | "for" | "this" | "the" | "by" | "agent" | "from")
        };
        let words = behind.iter().take(12).take_while(part_of).count();
        let stops =
            behind.get(words).is_none_or(|token| [',', ':', '—', '('].iter().any(|mark| token.is(*mark)))
                || behind.get(words).is_some_and(|token| gives_reason(token.word()));
        behind[..words].iter().any(|token| token.class == Class::Subject) && stops
    }

    /// Whether the rail is put down as the verdict behind it: `… is the label`, `… as my final answer`.
    pub fn is_named(script: &Script, sentence: &Sentence, from: usize) -> bool {
        let behind = script.tokens[from..sentence.tokens.end].iter();
        let mut words = behind.filter(|token| token.is_word());
        let Some(verb) = words.next() else { return false };
        let mut own = false;
        let slot = words.by_ref().take(4).find(|token| {
            own |= token.word() == "my";
            !matches!(token.class, Class::Filler | Class::Final)
        });
        let slot = slot.is_some_and(|token| matches!(token.class, Class::Key | Class::WeakKey));
        // `… is the label for calls that …` tells of labels, and gives none.
        let rest = [words.next(), words.next()].map(|token| token.map_or("", Token::word));
        let ends = matches!(
            rest,
            ["", _] | ["here" | "because" | "since" | "given", _] | ["that" | "which", "applies" | "fits"]
        );
        slot && ends && (verb.word() == "is" || verb.word() == "as" && own)
    }

    /// Whether the words behind the rail deny it, as they do in some languages: `correct değil`.
    pub fn denies(script: &Script, sentence: &Sentence, from: usize) -> bool {
        let behind = &script.tokens[from..sentence.tokens.end];
        let words = behind
            .iter()
            .take_while(|token| token.is_word() || token.is('"') || token.is('*') || token.is('`'));
        words.filter(|token| token.is_word()).take(3).any(|token| foreign::denies_behind(token.word()))
    }

    fn word(
        script: &Script,
        sentence: &Sentence,
        at: usize,
        word: &str,
        pause: Option<char>,
        names: &Names,
        success: bool,
    ) -> RightContext {
        if sentence.end == Some('?') {
            return RightContext::Question;
        }
        let next = script.tokens.get(at + 1).filter(|_| at + 1 < sentence.tokens.end);
        let next = next.map_or("", |token| token.word());
        if word == "or" || word == "vs" || word == "versus" {
            return RightContext::Choice;
        }
        if matches!(word, "and" | "not" | "nor") && names_follow(script, sentence, at + 1, names) {
            return RightContext::Choice;
        }
        if pause.is_some() && names_follow(script, sentence, at, names) {
            return RightContext::Choice;
        }
        // `correct: no` and `Correct: city` are fields of a report.
        if matches!(pause, Some(':' | '-' | '—' | '|')) && stands_alone(script, sentence, at) {
            return RightContext::More;
        }
        // `Неверно, что …`: it is a clause that the rail is said of.
        // `correct, then again …` goes on to take it back.
        if matches!(word, "then" | "что" | "dass" | "daß" | "że" | "att") {
            return RightContext::More;
        }
        let here = script.tokens[at].class;
        let hedges = here == Class::Hedge || word == "i" && matches!(next, "guess" | "suppose");
        if matches!(pause, Some(',' | '-' | '—')) && hedges {
            return RightContext::More;
        }
        // `Incorrect, no wait, correct`
        if pause.is_some() && (matches!(word, "wait" | "hmm" | "scratch") || word == "no" && next == "wait") {
            return RightContext::More;
        }
        match here {
            _ if exception::among(&script.tokens[at..sentence.tokens.end]) => return RightContext::Contrast,
            // `Correct (tool choice)`
            _ if pause.is_some() && names_part(&script.tokens[at..sentence.tokens.end]) => {
                return RightContext::More;
            }
            // `"Correct," the user says`
            _ if pause == Some(',') && is_quoted(&script.tokens[..sentence.tokens.end], at) => {
                return RightContext::More;
            }
            // `Correct, wenngleich …`: words of which nobody knows what they take away.
            _ if pause.is_some()
                && success
                && !language::may_explain(&script.tokens[at..sentence.tokens.end]) =>
            {
                return RightContext::More;
            }
            // `Correct; the date, alas, is not.`
            _ if pause.is_some() && ends_denied(&script.tokens[at..sentence.tokens.end]) => {
                return RightContext::More;
            }
            // `Correct, as a label, is for calls that …`
            _ if is_noun(&script.tokens[at..sentence.tokens.end]) => return RightContext::More,
            _ if word == "according" => {}
            Class::Condition => return RightContext::Condition,
            Class::Contrast => return RightContext::Contrast,
            _ if word == "provided" => return RightContext::Condition,
            _ if matches!(word, "only" | "so") && matches!(next, "long" | "if" | "when") => {
                return RightContext::Condition;
            }
            _ if word == "as" && matches!(next, "long" | "far") => return RightContext::Condition,
            _ => {}
        }
        let joined = word == "and" && agrees(next) || word == "in" && next == "that";
        if pause.is_some() || gives_reason(word) || joined {
            RightContext::Reason
        } else {
            RightContext::More
        }
    }
}

/// Nothing but the name of a part, up to a bracket or the end.
fn names_part(behind: &[Token]) -> bool {
    let end = behind
        .iter()
        .take(12)
        .position(|token| token.is(')') || token.is(']'))
        .unwrap_or(behind.len().min(12));
    let words: Vec<&Token> = behind[..end].iter().filter(|token| token.is_word()).collect();
    let part = |token: &&Token| matches!(token.class, Class::Part | Class::Tool) || is_part(token.word());
    words.len() <= 4
        && words.iter().any(part)
        && words.iter().all(|token| part(token) || token.class == Class::Filler)
}

/// The words behind the rail end with a denial.
fn ends_denied(behind: &[Token]) -> bool {
    let last = behind.iter().rfind(|token| token.is_word());
    last.is_some_and(|token| token.word() == "not" || token.word().ends_with("n't"))
}

/// A comma and a closing quotation mark stand before `at`, and somebody who says it behind.
fn is_quoted(tokens: &[Token], at: usize) -> bool {
    let quote = tokens[..at].iter().rev().take(2).any(|token| token.is('"'));
    quote && tokens[at..].iter().filter(|token| token.is_word()).take(4).any(reports)
}

/// Whether the clause behind the rail makes a noun of it, or tells who said it: `Correct, by definition, is …`, `"Correct", said the user.`
fn is_noun(behind: &[Token]) -> bool {
    let words = |tokens: &[Token]| {
        tokens
            .iter()
            .filter(|token| token.is_word())
            .take(6)
            .map(|token| token.word().to_owned())
            .collect::<Vec<_>>()
    };
    let comma = behind.iter().take(16).position(|token| token.is(','));
    let aside = words(&behind[..comma.unwrap_or(behind.len())]);
    let verb = |word: &String| {
        matches!(
            &**word,
            "is" | "was" | "means" | "mean" | "would" | "applies" | "stands" | "refers" | "should"
        )
    };
    let goes_on = comma.is_some_and(|at| aside.len() <= 4 && words(&behind[at..]).first().is_some_and(verb));
    let here = aside.len() > 1 && aside[0] == "here" && verb(&aside[1]);
    let said = behind.iter().filter(|token| token.is_word()).take(4).enumerate().any(|(at, token)| {
        reports(token)
            && (at == 0
                || aside[0] == "as"
                || aside[..at.min(aside.len())]
                    .iter()
                    .any(|word| matches!(&**word, "might" | "could" | "would" | "may")))
    });
    goes_on || here || said
}

/// Whether the word at `at` is a whole entry of a list or field.
fn stands_alone(script: &Script, sentence: &Sentence, at: usize) -> bool {
    const REACH: usize = 16;
    let rest = &script.tokens[at + 1..sentence.tokens.end];
    rest.first().is_some_and(|next| next.is(',')) || !rest.iter().take(REACH).any(Token::is_word)
}

/// Whether a rail, decorated or not, and nothing longer stands at `from`.
fn names_follow(script: &Script, sentence: &Sentence, from: usize, names: &Names) -> bool {
    let tokens = &script.tokens[..sentence.tokens.end];
    let Some(at) =
        (from..tokens.len()).find(|at| !matches!(tokens[*at].kind, Kind::Mark(mark) if is_decor(mark)))
    else {
        return false;
    };
    let Some((_, end)) = names.at(tokens, at) else { return false };
    tokens.get(end).is_none_or(|next| !next.is_word() || matches!(next.word(), "or" | "and" | "nor"))
}
