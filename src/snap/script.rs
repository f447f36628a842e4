//! A reply laid out for reading: lines, and in them sentences.

use std::ops::Range;

use super::lexicon::{Class, class, is_thought};
use super::names::Names;
use super::token::{Kind, Slot, Token, Veil, tokens};
use super::veil;

/// A reply's tokens, lines and sentences.
pub(super) struct Script {
    pub tokens: Vec<Token>,
    pub lines: Vec<Line>,
    /// Those that say something, in order.
    pub sentences: Vec<Sentence>,
}

/// A line that says something.
pub(super) struct Line {
    /// Without bullet or number.
    pub tokens: Range<usize>,
    pub lead: Lead,
    pub role: Role,
}

/// How a line begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    Plain,
    Bullet,
    Number,
}

/// What a line is to the one below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Text,
    /// `## Verdict`: the line below holds it.
    Key,
    /// `### The date`, `Is the date right?`: the line below is about a part.
    Header,
}

/// Words up to a full stop, a line end or the edge of a slot.
#[derive(Debug)]
pub(super) struct Sentence {
    pub tokens: Range<usize>,
    /// Index into [`Script::lines`].
    pub line: usize,
    /// The mark that ends it, if one does.
    pub end: Option<char>,
    pub slot: Option<Slot>,
    /// The first word that makes what follows conditional.
    pub condition: Option<usize>,
    /// The first negated verb of saying.
    pub denial: Option<usize>,
}

impl Script {
    /// `data` are places of `text` that are not prose.
    pub fn of(text: &str, names: &Names, data: &[Range<usize>]) -> Script {
        let mut tokens = tokens(text);
        veil::cover(&mut tokens, names, data);
        let mut script = Script { lines: Vec::new(), sentences: Vec::new(), tokens };
        let lines: Vec<Range<usize>> = veil::lines(&script.tokens).collect();
        // A slot may stay open over empty lines.
        let mut slot = None;
        for line in lines {
            let line = script.line(line, names);
            if line.tokens.clone().any(|at| says_something(&script.tokens[at])) {
                script.cut(line.tokens.clone(), &mut slot);
                script.lines.push(line);
            }
        }
        script
    }

    fn line(&self, mut range: Range<usize>, names: &Names) -> Line {
        let tokens = &self.tokens;
        let mut lead = Lead::Plain;
        let mut heading = false;
        while let Some(at) = range.clone().next() {
            match &tokens[at].kind {
                Kind::Mark('#') => heading = true,
                Kind::Mark('*' | '-' | '+' | '•' | '·' | '●' | '○' | '▪' | '◦' | '—' | '|')
                    if tokens.get(at + 1).is_some_and(|next| next.spaced) =>
                {
                    lead = Lead::Bullet;
                }
                Kind::Mark('|') => lead = Lead::Bullet,
                Kind::Mark('>') => {}
                _ => break,
            }
            range.start += 1;
        }
        if let Some(end) = enumerator(tokens, &range) {
            range.start = end;
            lead = Lead::Number;
        }
        let role = self.role(range.clone(), heading, names);
        Line { tokens: range, lead, role }
    }

    fn role(&self, range: Range<usize>, heading: bool, names: &Names) -> Role {
        let tokens = &self.tokens[range.clone()];
        let words = || tokens.iter().filter(|token| token.is_word());
        let key = |token: &Token| matches!(class(token.word()), Class::Key | Class::WeakKey | Class::Final);
        let glue = |token: &Token| {
            key(token)
                || matches!(
                    class(token.word()),
                    Class::Filler | Class::Subject | Class::Pronoun | Class::Copula
                )
        };
        let marks = |c: char| {
            tokens.iter().rev().find(|token| !token.is('*') && !token.is('_')).is_some_and(|t| t.is(c))
        };
        let bold =
            tokens.len() > 4 && tokens[..2].iter().chain(&tokens[tokens.len() - 2..]).all(|t| t.is('*'));
        let titled = heading || bold || marks(':') || marks('?');
        if words().any(key) && words().all(glue) && (titled || words().count() <= 3) && !marks('?') {
            return Role::Key;
        }
        let rail =
            range.clone().find(|at| self.tokens[*at].is_word()).and_then(|at| names.at(&self.tokens, at));
        if titled && rail.is_none() { Role::Header } else { Role::Text }
    }

    /// Cuts a line into sentences.
    fn cut(&mut self, range: Range<usize>, slot: &mut Option<Slot>) {
        let line = self.lines.len();
        let mut start = range.start;
        for at in range.clone() {
            let end = match self.tokens[at].kind {
                Kind::Open(_) | Kind::Close => None,
                Kind::Mark(mark) if self.ends_sentence(at, mark, range.end) => Some(mark),
                _ => continue,
            };
            self.push(start..at, line, end, *slot);
            match self.tokens[at].kind {
                Kind::Open(opened) => *slot = Some(opened),
                Kind::Close => *slot = None,
                _ => {}
            }
            start = at + 1;
        }
        self.push(start..range.end, line, None, *slot);
    }

    fn ends_sentence(&self, at: usize, mark: char, end: usize) -> bool {
        if !matches!(mark, '.' | '!' | '?' | '…' | ';') {
            return false;
        }
        match self.tokens.get(at + 1).filter(|_| at + 1 < end) {
            // `!correct` and `?x` are no ends, `correct.The` is one.
            Some(next) => next.spaced || !next.is_word() || mark == '.' || mark == '…',
            None => true,
        }
    }

    fn push(&mut self, tokens: Range<usize>, line: usize, end: Option<char>, slot: Option<Slot>) {
        if !self.tokens[tokens.clone()].iter().any(says_something) {
            // `…?!` after a sentence belongs to it.
            if let (Some(end), Some(last)) = (end, self.sentences.last_mut())
                && last.line == line
                && last.end != Some('?')
            {
                last.end = Some(end);
            }
            return;
        }
        let classes = || tokens.clone().map(|at| (at, class(self.tokens[at].word())));
        let condition = classes().find(|(_, class)| *class == Class::Condition).map(|(at, _)| at);
        let denial = classes().find(|(at, class)| {
            *class == Class::Negation
                && self.tokens[at + 1..tokens.end].iter().take(3).any(|token| is_thought(token.word()))
        });
        let denial = denial.map(|(at, _)| at);
        self.sentences.push(Sentence { tokens, line, end, slot, condition, denial });
    }
}

fn says_something(token: &Token) -> bool {
    match token.kind {
        Kind::Word(_) => true,
        // A rail may be a symbol; a quotation is something said.
        Kind::Mark(mark) => token.veil == Veil::Hidden || !(mark.is_ascii() || is_decor(mark)) || mark == '+',
        _ => false,
    }
}

/// Marks that may stand around a rail without changing it.
pub(super) fn is_decor(mark: char) -> bool {
    match mark {
        '*' | '_' | '#' | '>' | '<' | '-' | '|' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}'
        | '=' | ':' | ' ' | '$' | '\\' | '—' | '•' | '·' | '→' | '…' => true,
        '≠' | '¬' | '∉' | '∄' | '⊘' | '¿' | '±' | '≉' => false,
        mark => !mark.is_ascii() && !mark.is_alphanumeric(),
    }
}

/// `1.`, `2)`, `(3)`, `a)` before more of the line: the token after it.
fn enumerator(tokens: &[Token], line: &Range<usize>) -> Option<usize> {
    let open = usize::from(tokens.get(line.start)?.is('('));
    let name = line.start + open;
    let word = tokens.get(name).filter(|_| name < line.end)?.word();
    let mark = tokens.get(name + 1).filter(|_| name + 1 < line.end)?;
    let short = !word.is_empty() && (word.chars().all(char::is_numeric) || word.chars().count() == 1);
    let closed = mark.is(')') || (mark.is('.') && open == 0);
    let more = name + 2 < line.end && (tokens[name + 2].spaced || mark.is(')'));
    (short && closed && more).then_some(name + 2)
}
