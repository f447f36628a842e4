//! Reads the words before a rail and those behind it.

use super::lexicon::{Class, agrees, class, gives_reason};
use super::names::Names;
use super::script::{Script, Sentence, is_decor};
use super::token::{Kind, Veil};

/// What leads up to a rail.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// The token that the phrase begins with.
    pub start: usize,
    /// Words of the phrase.
    pub words: usize,
    pub key: bool,
    pub weak_key: bool,
    pub last_word: bool,
    /// A colon or its like stands directly before the rail.
    pub separated: bool,
    pub copula: bool,
    pub verb: bool,
    pub judge: bool,
    pub subject: bool,
    pub pronoun: bool,
    pub part: bool,
    pub ordinal: bool,
    pub modal: bool,
    pub concludes: bool,
    pub cue: bool,
    pub negated: bool,
    pub hedged: bool,
    pub conditional: bool,
    /// Words that are not understood stand before it.
    pub foreign: bool,
}

impl Before {
    /// Nothing but decoration.
    pub fn is_bare(&self) -> bool {
        self.words == 0 && !self.foreign
    }

    /// Nothing that takes from the rail that follows.
    pub fn is_plain(&self) -> bool {
        !(self.negated || self.hedged || self.conditional || self.foreign)
    }

    /// A verdict's slot is named.
    pub fn is_label(&self) -> bool {
        let key = self.key || self.weak_key;
        let named = key && self.separated || self.key && self.copula && (self.last_word || self.judge);
        let given = self.verb && (self.judge || self.copula) || self.key && self.judge && self.copula;
        named || given || self.announces()
    }

    /// `Overall: …`, `Therefore, …`, `Wait, actually …`.
    fn announces(&self) -> bool {
        let only = !(self.subject || self.pronoun || self.copula || self.part || self.ordinal || self.verb);
        only && self.words > 0 && (self.last_word || self.concludes || self.cue)
    }

    /// The whole call is the subject of a sentence that the rail completes.
    pub fn is_statement(&self) -> bool {
        let subject = self.subject || self.pronoun || self.key || self.weak_key;
        subject && self.copula && !self.part && !self.ordinal && !self.modal
    }

    fn is_whole(&self) -> bool {
        self.is_label() || self.is_statement()
    }

    pub fn read(script: &Script, sentence: &Sentence, rail: usize, names: &Names) -> Before {
        let tokens = &script.tokens;
        let mut before = Before { start: rail, ..Before::default() };
        for at in (sentence.tokens.start..rail).rev() {
            let token = &tokens[at];
            if token.veil == Veil::Hidden {
                before.foreign = true;
                break;
            }
            match &token.kind {
                Kind::Mark(',') if before.is_whole() => break,
                Kind::Mark(',') => before.separated |= before.words == 0,
                Kind::Mark(mark) => {
                    let separates =
                        matches!(mark, ':' | '=' | '—' | '→' | '|') || *mark == '-' && token.spaced;
                    before.separated |= before.words == 0 && separates;
                    if !is_decor(*mark) {
                        before.foreign = true;
                        break;
                    }
                }
                Kind::Word(word) => {
                    if names.at(tokens, at).is_some_and(|(_, end)| end <= rail) {
                        before.foreign = true;
                        break;
                    }
                    let whole = before.is_whole();
                    match class(word) {
                        Class::Contrast if whole => break,
                        Class::Other | Class::Contrast => {
                            before.foreign = true;
                            break;
                        }
                        Class::Conclusion if whole => {
                            before.concludes = true;
                            before.start = at;
                            break;
                        }
                        Class::Negation if &**word == "no" && tokens[at + 1].is(',') => before.cue = true,
                        class => before.note(class),
                    }
                    before.words += 1;
                }
                _ => {}
            }
            before.start = at;
        }
        before.conditional |= sentence.condition.is_some_and(|at| at < rail);
        before.negated |= sentence.denial.is_some_and(|at| at < rail);
        before
    }

    /// Takes `word` for a word of the phrase, whatever stands around it.
    pub fn heed(&mut self, word: &str) {
        let class = class(word);
        self.foreign |= matches!(class, Class::Other | Class::Contrast);
        self.words += 1;
        self.note(class);
    }

    fn note(&mut self, class: Class) {
        match class {
            Class::Key => self.key = true,
            Class::WeakKey => self.weak_key = true,
            Class::Final => self.last_word = true,
            Class::Subject => self.subject = true,
            Class::Pronoun => self.pronoun = true,
            Class::PronounCopula => (self.pronoun, self.copula) = (true, true),
            Class::Part => self.part = true,
            Class::Ordinal => self.ordinal = true,
            Class::Copula => self.copula = true,
            Class::Modal => self.modal = true,
            Class::Verb => self.verb = true,
            Class::Judge => self.judge = true,
            Class::Conclusion => self.concludes = true,
            Class::Cue => self.cue = true,
            Class::Negation => self.negated = true,
            Class::Hedge => self.hedged = true,
            Class::Condition => self.conditional = true,
            Class::Contrast | Class::Filler | Class::Other => {}
        }
    }
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
                Kind::Mark(mark @ (':' | ',' | '-' | '—' | '(' | '[' | '<' | '{' | '|')) => {
                    pause = pause.or(Some(*mark));
                }
                Kind::Mark('=' | '→' | '%' | '/' | '+' | '\\' | '&') if pause.is_none() => {
                    return (After::More, end);
                }
                Kind::Mark(mark) if is_decor(*mark) => {
                    if pause.is_none() {
                        end = at + 1;
                    }
                }
                Kind::Mark(_) => return (After::More, end),
                Kind::Word(word) => return (After::word(script, sentence, at, word, pause, names), end),
                _ => {}
            }
        }
        let after = match (sentence.end, pause) {
            (Some('?'), _) => After::Question,
            (Some(_), _) => {
                end = (sentence.tokens.end + 1).min(tokens.len());
                After::End
            }
            (None, Some(':')) => After::Heading,
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
        match class(word) {
            Class::Condition => return After::Condition,
            Class::Contrast => return After::Contrast,
            _ if matches!(word, "only" | "so") && matches!(next, "long" | "if" | "when") => {
                return After::Condition;
            }
            _ if word == "as" && matches!(next, "long" | "far") => return After::Condition,
            _ => {}
        }
        let joined = word == "and" && agrees(next);
        if pause.is_some() || gives_reason(word) || joined { After::Reason } else { After::More }
    }
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
