//! A reply split into lines and sentences.

use std::ops::Range;

use super::class::Class;
use super::excluded;
use super::idiom;
use super::lexicon::is_thought;
use super::names::Names;
use super::ticks;
use super::token::{Excluded, Kind, Slot, Token, tokens};

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
    /// It begins with `#`.
    pub heading: bool,
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
    /// `### The date`, `Is the date right?`, `The call is not`: what the line below says belongs to it.
    Header,
    /// `The format is:`
    Example,
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
    /// The first negation that leaves open what holds: `can't say that`.
    pub denial: Option<usize>,
}

impl Script {
    /// `data` are places of `text` that are not prose.
    pub fn of(text: &str, names: &Names, data: &[Range<usize>]) -> Script {
        let mut tokens = tokens(text);
        idiom::join(&mut tokens);
        ticks::settle(&mut tokens, names);
        excluded::mark(&mut tokens, names, data);
        let mut script = Script { lines: Vec::new(), sentences: Vec::new(), tokens };
        let lines: Vec<Range<usize>> = excluded::lines(&script.tokens).collect();
        // A slot may stay open over empty lines.
        let mut slot = None;
        for line in lines {
            let line = script.line(line, names);
            if line.tokens.clone().any(|at| says_something(&script.tokens[at], names)) {
                script.cut(line.tokens.clone(), &mut slot, names);
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
        Line { tokens: range, lead, role, heading }
    }

    fn role(&self, range: Range<usize>, heading: bool, names: &Names) -> Role {
        let tokens = &self.tokens[range.clone()];
        let words = || tokens.iter().filter(|token| token.is_word() && token.excluded != Excluded::Hidden);
        let example =
            |word: &str| matches!(word, "example" | "examples" | "format" | "template" | "sample" | "e.g");
        if words().any(|token| example(token.word())) {
            return Role::Example;
        }
        let key = |token: &Token| {
            matches!(token.class, Class::Key | Class::WeakKey | Class::Outcome | Class::Final)
        };
        let glue = |token: &Token| {
            key(token)
                || matches!(
                    token.class,
                    Class::Filler | Class::Tool | Class::To | Class::Subject | Class::Pronoun | Class::Copula
                )
        };
        let marks = |c: char| {
            tokens.iter().rev().find(|token| !token.is('*') && !token.is('_')).is_some_and(|t| t.is(c))
        };
        let bold =
            tokens.len() > 4 && tokens[..2].iter().chain(&tokens[tokens.len() - 2..]).all(|t| t.is('*'));
        let titled = heading || bold || marks(':') || marks('?');
        let names_rail = range.clone().any(|at| names.at(&self.tokens, at).is_some());
        if !names_rail
            && words().any(key)
            && words().all(glue)
            && (titled || words().count() <= 3)
            && !marks('?')
        {
            return Role::Key;
        }
        if marks(':') && self.asks_for_verdict(range.clone()) {
            return Role::Key;
        }
        if self.runs_on(range.clone()) {
            return Role::Header;
        }
        let rail =
            range.clone().find(|at| self.tokens[*at].is_word()).and_then(|at| names.at(&self.tokens, at));
        if titled && rail.is_none() { Role::Header } else { Role::Text }
    }

    /// `Since the date is missing, the answer is:`
    fn asks_for_verdict(&self, range: Range<usize>) -> bool {
        let clause = self.tokens[range].iter().rev().take_while(|token| !token.is(',') && !token.is('.'));
        let mut keys = 0;
        for word in clause.filter(|token| token.is_word()) {
            match word.class {
                Class::Key | Class::WeakKey | Class::Outcome | Class::Final => keys += 1,
                Class::Conclusion => break,
                Class::Filler | Class::Tool | Class::To | Class::Subject | Class::Pronoun | Class::Copula => {
                }
                _ => return false,
            }
        }
        keys > 0
    }

    /// The line breaks in the middle of a sentence.
    fn runs_on(&self, range: Range<usize>) -> bool {
        let last = self.tokens[range].iter().rfind(|token| !token.is('*') && !token.is('_'));
        if last.is_some_and(|token| matches!(token.word(), "or" | "nor" | "vs")) {
            return true;
        }
        let class = last.filter(|token| token.is_word()).map(|token| token.class);
        matches!(
            class,
            Some(
                Class::Negation
                    | Class::Hedge
                    | Class::Condition
                    | Class::Contrast
                    | Class::Copula
                    | Class::Modal
                    | Class::Filler
                    | Class::To
            )
        )
    }

    /// Cuts a line into sentences.
    fn cut(&mut self, range: Range<usize>, slot: &mut Option<Slot>, names: &Names) {
        let line = self.lines.len();
        let mut start = range.start;
        for at in range.clone() {
            let end = match self.tokens[at].kind {
                Kind::Open(_) | Kind::Close => None,
                Kind::Mark(mark) if self.ends_sentence(at, mark, range.end) => Some(mark),
                _ => continue,
            };
            self.push(start..at, line, end, *slot, names);
            match self.tokens[at].kind {
                Kind::Open(opened) => *slot = Some(opened),
                Kind::Close => *slot = None,
                _ => {}
            }
            start = at + 1;
        }
        self.push(start..range.end, line, None, *slot, names);
    }

    fn ends_sentence(&self, at: usize, mark: char, end: usize) -> bool {
        if !matches!(mark, '.' | '!' | '?' | '…' | ';') {
            return false;
        }
        match self.tokens.get(at + 1).filter(|_| at + 1 < end) {
            // `!correct` and `?x` are no ends, `correct.The` is one.
            Some(next) => {
                let opens = next.is_word() || ['(', '[', '{', '<', '='].iter().any(|mark| next.is(*mark));
                next.spaced || !opens || mark == '.' || mark == '…'
            }
            None => true,
        }
    }

    fn push(
        &mut self,
        tokens: Range<usize>,
        line: usize,
        end: Option<char>,
        slot: Option<Slot>,
        names: &Names,
    ) {
        if !self.tokens[tokens.clone()].iter().any(|token| says_something(token, names)) {
            // `…?!` after a sentence belongs to it.
            if let (Some(end), Some(last)) = (end, self.sentences.last_mut())
                && last.line == line
                && last.end != Some('?')
            {
                last.end = Some(end);
            }
            return;
        }
        let classes = || tokens.clone().map(|at| (at, self.tokens[at].class));
        let condition = classes().find(|(_, class)| *class == Class::Condition).map(|(at, _)| at);
        let denial = classes().find(|(at, class)| {
            *class == Class::Negation
                && self.tokens[at + 1..tokens.end].iter().take(3).any(|token| is_thought(token.word()))
        });
        let denial = denial.map(|(at, _)| at);
        self.sentences.push(Sentence { tokens, line, end, slot, condition, denial });
    }
}

fn says_something(token: &Token, names: &Names) -> bool {
    match token.kind {
        Kind::Word(_) => true,
        // A quotation is something said.
        Kind::Mark(mark) => token.excluded == Excluded::Hidden || names.has_mark(mark),
        _ => false,
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
