//! Reads the words before a rail and those behind it.

use super::lexicon::{Class, Seen, agrees, class, gives_reason};
use super::names::Names;
use super::script::{Script, Sentence, is_decor};
use super::token::{Kind, Token, Veil};

/// What leads up to a rail.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// The token that the phrase begins with.
    pub start: usize,
    /// Words of the phrase.
    pub words: usize,
    /// What these words do; [`Class::Other`] if words that are not understood stand before it.
    pub seen: Seen,
    /// A colon or its like stands directly before the rail.
    pub separated: bool,
    /// A colon stands somewhere in the phrase.
    pub colon: bool,
    /// Another clause stands before it.
    pub clause: bool,
}

impl Before {
    pub fn has(&self, class: Class) -> bool {
        self.seen.has(class)
    }

    /// Nothing but decoration.
    pub fn is_bare(&self) -> bool {
        self.words == 0 && !self.has(Class::Other)
    }

    /// Nothing that takes from the rail that follows.
    pub fn is_plain(&self) -> bool {
        !self.seen.any(&[Class::Negation, Class::Hedge, Class::Condition, Class::Other])
    }

    /// The slot of a verdict, surely or perhaps.
    pub fn names_slot(&self) -> bool {
        self.seen.any(&[Class::Key, Class::WeakKey, Class::Outcome])
    }

    /// The slot is somebody else's: `the agent's answer`, `the tool's output`.
    fn is_borrowed(&self) -> bool {
        let slot = self.seen.any(&[Class::WeakKey, Class::Outcome]);
        let tool = self.has(Class::Tool) && slot && !self.has(Class::Final);
        (self.has(Class::Agent) || tool) && !self.has(Class::Subject)
    }

    /// The phrase gives a verdict: `Label:`, `My final verdict is`, `I classify this as`, `Overall:`.
    pub fn is_label(&self) -> bool {
        let (key, copula, judge) = (self.has(Class::Key), self.has(Class::Copula), self.has(Class::Judge));
        let object = self.seen.any(&[Class::Subject, Class::Pronoun]);
        let slot = self.names_slot() && (self.separated || self.colon);
        let ruling = key && copula && (judge || self.has(Class::Final));
        let answered = self.has(Class::WeakKey) && judge;
        let given =
            answered || self.has(Class::Verb) && (judge || copula && object) || key && judge && object;
        (slot || ruling || given || self.announces()) && !self.is_borrowed()
    }

    /// `Overall: …`, `Therefore, …`, `Wait, actually …`.
    fn announces(&self) -> bool {
        use Class::*;
        let only = !self.seen.any(&[Subject, Pronoun, Copula, Part, Ordinal, Verb]);
        only && self.words > 0 && self.is_firm()
    }

    /// It says to be the last word.
    pub fn is_firm(&self) -> bool {
        self.seen.any(&[Class::Final, Class::Conclusion, Class::Cue])
    }

    /// Nothing but the name of a verdict's slot: `Label`.
    pub fn is_key(&self) -> bool {
        use Class::*;
        let more = self.seen.any(&[Subject, Pronoun, Part, Ordinal, Judge, Verb, Modal]);
        self.has(Key) && !more && self.words <= 2 && self.is_plain()
    }

    /// The whole call is the subject of a sentence that the rail completes.
    pub fn is_statement(&self) -> bool {
        use Class::*;
        let subject = self.seen.any(&[Subject, Pronoun, Key, WeakKey]);
        let wish = self.has(To) && !self.has(Judge);
        let about = self.seen.any(&[Part, Outcome, Ordinal, Modal]) || self.is_borrowed();
        subject && self.has(Copula) && !wish && !about
    }

    fn is_whole(&self) -> bool {
        self.is_label() || self.is_statement()
    }

    /// Reads back from the rail at token `rail` to where its phrase begins.
    pub fn read(script: &Script, sentence: &Sentence, rail: usize, names: &Names) -> Before {
        let tokens = &script.tokens;
        let mut before = Before { start: rail, ..Before::default() };
        for at in (sentence.tokens.start..rail).rev() {
            let token = &tokens[at];
            let name = names.at(tokens, at).map(|(_, end)| end).filter(|end| *end <= rail);
            if name.is_some_and(|end| before.start == end && before.names_slot() && is_slot(&tokens[end])) {
                // `The correct label is …` names no rail.
                before.start = at;
                continue;
            }
            let another = name.is_some();
            if token.veil == Veil::Hidden || another || !before.take(tokens, sentence, at) {
                if !before.clause {
                    before.seen.note(Class::Other);
                }
                break;
            }
            before.start = at;
            if before.clause {
                break;
            }
        }
        if sentence.condition.is_some_and(|at| at < rail) {
            before.seen.note(Class::Condition);
        }
        if sentence.denial.is_some_and(|at| at < rail) {
            before.seen.note(Class::Negation);
        }
        before
    }

    /// Takes the token at `at` into the phrase; `false` if it does not belong there.
    fn take(&mut self, tokens: &[Token], sentence: &Sentence, at: usize) -> bool {
        let token = &tokens[at];
        match &token.kind {
            Kind::Mark(',') if self.is_whole() && !introduces(tokens, sentence, at) => {
                self.clause = true;
                // `Formally, …`: one word of which nobody knows what it does.
                let lead = &tokens[sentence.tokens.start.max(at.saturating_sub(16))..at];
                let mut words = lead.iter().filter(|token| token.is_word());
                if let (Some(word), None) = (words.next(), words.next())
                    && class(word.word()) == Class::Other
                {
                    self.seen.note(Class::Condition);
                }
                false
            }
            Kind::Mark(',') => {
                self.separated |= self.words == 0;
                true
            }
            Kind::Mark(mark) => {
                let separates = matches!(mark, ':' | '=' | '—' | '→' | '|') || *mark == '-' && token.spaced;
                self.separated |= self.words == 0 && separates;
                self.colon |= matches!(mark, ':' | '=');
                is_decor(*mark)
            }
            Kind::Word(word) => {
                let whole = self.is_whole();
                match class(word) {
                    Class::Contrast if whole => {
                        self.clause = true;
                        return false;
                    }
                    Class::Other | Class::Contrast => return false,
                    Class::Negation if &**word == "no" && tokens[at + 1].is(',') => {
                        self.seen.note(Class::Cue)
                    }
                    class => {
                        self.seen.note(class);
                        // `… is missing, so the call is`: what led to the conclusion is another clause.
                        self.clause |= whole && class == Class::Conclusion;
                    }
                }
                self.words += 1;
                true
            }
            _ => true,
        }
    }

    /// Takes `word` for a word of the phrase, whatever stands around it.
    pub fn heed(&mut self, word: &str) {
        self.seen.note(match class(word) {
            Class::Contrast => Class::Other,
            class => class,
        });
        self.words += 1;
    }
}

fn is_slot(token: &Token) -> bool {
    matches!(class(token.word()), Class::Key | Class::WeakKey | Class::Outcome)
}

/// Whether the words before the comma only lead in: `Actually, …`, `So, …`.
fn introduces(tokens: &[Token], sentence: &Sentence, comma: usize) -> bool {
    let words = tokens[sentence.tokens.start..comma].iter().rev().take_while(|token| !token.is(','));
    let mut classes = words.filter(|token| token.is_word()).take(3).map(|token| class(token.word()));
    classes.clone().count() < 3
        && classes.all(|class| matches!(class, Class::Cue | Class::Conclusion | Class::Final | Class::Filler))
}

/// What follows a rail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
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

impl After {
    /// Reads on from the token behind the rail; also says where decoration behind it ends.
    pub fn read(script: &Script, sentence: &Sentence, from: usize, names: &Names) -> (After, usize) {
        let tokens = &script.tokens;
        let mut pause = None;
        let mut end = from;
        for at in from..sentence.tokens.end {
            let token = &tokens[at];
            match &token.kind {
                _ if names.at(tokens, at).is_some() && !token.is_word() => return (After::More, end),
                Kind::Mark('/') if names_follow(script, sentence, at + 1, names) => {
                    return (After::Choice, end);
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
                    return (After::More, end);
                }
                Kind::Mark(mark @ (':' | ',' | '-' | '—' | '(' | '[' | '<' | '{' | '|')) => {
                    pause = pause.or(Some(*mark));
                }
                Kind::Mark('=' | '→' | '%' | '/' | '+' | '\\' | '&') if pause.is_none() => {
                    return (After::More, end);
                }
                Kind::Mark(mark) if is_decor(*mark) && pause.is_none() => end = at + 1,
                Kind::Mark(mark) if is_decor(*mark) => {}
                Kind::Mark(_) => return (After::More, end),
                Kind::Word(word) => return (After::word(script, sentence, at, word, pause, names), end),
                _ => {}
            }
        }
        let below = tokens[sentence.tokens.end..].iter().find(|token| !token.is_newline());
        let after = match (sentence.end, pause) {
            (Some('?'), _) => After::Question,
            (Some(_), _) => {
                end = (sentence.tokens.end + 1).min(tokens.len());
                After::End
            }
            (None, _) if below.is_some_and(|next| next.is('?')) => After::Question,
            (None, _) if below.is_some_and(|next| matches!(next.word(), "or" | "vs")) => After::Choice,
            (None, Some(':')) => After::Heading,
            // `correct,` goes on below.
            (None, Some(',')) if below.is_some() => After::More,
            (None, _) => After::End,
        };
        (after, end)
    }

    fn word(
        script: &Script,
        sentence: &Sentence,
        at: usize,
        word: &str,
        pause: Option<char>,
        names: &Names,
    ) -> After {
        if sentence.end == Some('?') {
            return After::Question;
        }
        let next = script.tokens.get(at + 1).filter(|_| at + 1 < sentence.tokens.end);
        let next = next.map_or("", |token| token.word());
        if word == "or" || word == "vs" || word == "versus" {
            return After::Choice;
        }
        if matches!(word, "and" | "not" | "nor") && names_follow(script, sentence, at + 1, names) {
            return After::Choice;
        }
        if pause.is_some() && names_follow(script, sentence, at, names) {
            return After::Choice;
        }
        // `correct: no` and `Correct: city` are fields of a report.
        if matches!(pause, Some(':' | '-' | '—' | '|')) && stands_alone(script, sentence, at) {
            return After::More;
        }
        let hedges = class(word) == Class::Hedge || word == "i" && matches!(next, "guess" | "suppose");
        if matches!(pause, Some(',' | '-' | '—')) && hedges {
            return After::More;
        }
        match class(word) {
            _ if word == "according" => {}
            Class::Condition => return After::Condition,
            Class::Contrast => return After::Contrast,
            _ if word == "provided" => return After::Condition,
            _ if matches!(word, "only" | "so") && matches!(next, "long" | "if" | "when") => {
                return After::Condition;
            }
            _ if word == "as" && matches!(next, "long" | "far") => return After::Condition,
            _ => {}
        }
        let joined = word == "and" && agrees(next) || word == "in" && next == "that";
        if pause.is_some() || gives_reason(word) || joined { After::Reason } else { After::More }
    }
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
