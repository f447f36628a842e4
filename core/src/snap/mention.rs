//! Every mention of a rail in a reply, with everything that decides its meaning.

use std::ops::Range;

use super::class::Class;
use super::context::{answer, asks_about_whole, reports};
use super::names::Names;
use super::phrase::LeftContext;
use super::right_context::RightContext;
use super::script::{Lead, Line, Role, Script, Sentence};
use super::token::{Excluded, Kind, Slot, Token, is_decor};

/// A place that names a rail.
pub(super) struct Mention {
    /// `None` where a verdict's slot holds something else.
    pub rail: Option<usize>,
    /// The words of the verdict, in bytes of the reply.
    pub at: Range<usize>,
    pub seat: Seat,
    pub before: LeftContext,
    pub after: RightContext,
    /// It is in the first sentence of the reply.
    pub first: bool,
    /// It is in the second one.
    pub second: bool,
    /// It is in the last one.
    pub last: bool,
    /// Its rail is not the one that means success.
    pub fails: bool,
    /// It is in the first sentence of its line, and in the last one.
    pub opens_line: bool,
    pub closes_line: bool,
    pub lead: Lead,
    /// What the line above is to its line.
    pub above: Role,
    /// The sentence before it, on any line, is a question.
    pub asked: bool,
    /// The reply may not say this itself.
    pub doubtful: bool,
    /// It stands in a fenced block or a quoted paragraph, whatever its seat.
    pub set_apart: bool,
    /// It shows what a verdict looks like.
    pub example: bool,
    /// It is a heading above a list.
    pub titles: bool,
    /// Its sentence goes on to name another rail.
    pub rival: Option<Rival>,
    /// A mark of failure stands by the rail that means success, or an empty box before any.
    pub crossed: bool,
    /// The words behind it put it down as the verdict.
    pub named: bool,
    /// No other rail is named anywhere in the prose.
    pub sole: bool,
    /// Its rail is the opposite of the one that its words deny.
    pub flipped: bool,
    /// The sentence before it tells what somebody says or thinks.
    pub reported: bool,
    /// It is asked for, and the next sentence begins with yes or no.
    pub answered: Option<bool>,
    /// The sentence before it asks whether the whole call is right.
    pub about_whole: bool,
}

/// Another rail further on in the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rival {
    /// Nothing but numbers and letters of a list in between.
    Near,
    Far,
}

/// Where a mention stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seat {
    Prose,
    /// A fenced block or a quoted paragraph.
    Block,
    Json,
    Slot(Slot),
}

impl Mention {
    /// A verdict out of JSON, which may only be `told_of`.
    pub fn json(rail: Option<usize>, at: Range<usize>, told_of: bool) -> Mention {
        Mention {
            rail,
            at,
            seat: Seat::Json,
            before: LeftContext::default(),
            after: RightContext::End,
            first: false,
            second: false,
            last: false,
            fails: false,
            opens_line: true,
            closes_line: true,
            lead: Lead::Plain,
            above: Role::Text,
            asked: false,
            doubtful: told_of,
            set_apart: false,
            example: false,
            titles: false,
            rival: None,
            crossed: false,
            named: false,
            sole: true,
            flipped: false,
            reported: false,
            answered: None,
            about_whole: false,
        }
    }
}

/// All mentions outside JSON, in order.
pub(super) fn mentions(script: &Script, names: &Names) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for (index, sentence) in script.sentences.iter().enumerate() {
        let before = mentions.len();
        // Words in front of each mention but the first, those apart that only number things.
        let (mut between, mut words) = (Vec::new(), 0);
        let mut at = sentence.tokens.start;
        while at < sentence.tokens.end {
            let hidden = script.tokens[at].excluded == Excluded::Hidden;
            let named = names.at(&script.tokens[..sentence.tokens.end], at).filter(|_| !hidden);
            // `No problem` says no `no`.
            let idiom = |end: usize| {
                script.tokens[at].class == Class::Silent
                    && script.tokens[..sentence.tokens.end]
                        .get(end)
                        .is_some_and(|next| next.class == Class::Silent)
            };
            match named.filter(|(_, end)| !idiom(*end)) {
                Some((rail, end)) => {
                    if mentions.len() > before {
                        between.push(words);
                    }
                    mentions.push(mention(script, names, index, rail, at..end));
                    (at, words) = (end, 0);
                }
                None => {
                    words += usize::from(hidden || is_wordy(script.tokens[at].word()));
                    at += 1;
                }
            }
        }
        crowd(&mut mentions[before..], &between);
        if mentions.len() == before {
            mentions.extend(unanswered(script, index));
        }
    }
    let mut rails = mentions.iter().filter_map(|mention| mention.rail);
    let one = rails.next();
    let sole = rails.all(|rail| Some(rail) == one);
    mentions.iter_mut().for_each(|mention| mention.sole = sole);
    mentions
}

/// Tells the mentions of one sentence of the ones behind them, unless those are denied or parts of something longer.
fn crowd(mentions: &mut [Mention], words: &[usize]) {
    for index in 1..mentions.len() {
        let (this, next) = (&mentions[index - 1], &mentions[index]);
        let near = words[index - 1] == 0 && next.rail != this.rail && next.after != RightContext::More;
        mentions[index - 1].rival = near.then_some(Rival::Near);
    }
    // One denial turned into a verdict beside another that was not: both are doubtful.
    if mentions.iter().any(|mention| mention.before.has(Class::Negation)) {
        mentions
            .iter_mut()
            .filter(|mention| mention.flipped)
            .for_each(|mention| mention.rival = Some(Rival::Far));
    }
    let mut behind: Option<Option<usize>> = None;
    for mention in mentions.iter_mut().rev() {
        // One other rail is enough; `Some(None)` stands for several.
        let other = behind.is_some_and(|rail| rail.is_none() || rail != mention.rail);
        mention.rival = mention.rival.or(other.then_some(Rival::Far));
        if !mention.before.has(Class::Negation) && mention.after != RightContext::More {
            behind = match behind {
                Some(rail) if rail != mention.rail => Some(None),
                _ => Some(mention.rail),
            };
        }
    }
}

fn mention(script: &Script, names: &Names, index: usize, rail: usize, tokens: Range<usize>) -> Mention {
    let sentence = &script.sentences[index];
    let mut before = LeftContext::read(script, sentence, tokens.start, names);
    let (mut after, end) = RightContext::read(script, sentence, tokens.end, names);
    if after == RightContext::More
        && (before.has(Class::Copula) || before.has(Class::Negation))
        && RightContext::names_call(script, sentence, tokens.end)
    {
        after = RightContext::Reason;
        before.seen.note(Class::Subject);
        // `No correct call here.` denies what `no correct` alone leaves open.
        before.loose &= before.start > sentence.tokens.start || before.words > 2;
    }
    let named = RightContext::is_named(script, sentence, tokens.end);
    let denied = RightContext::denies(script, sentence, tokens.end);
    let named_rail = rail;
    let mut rail = rail;
    let spoken = script.tokens[tokens.start].excluded != Excluded::Perhaps;
    let answer = answer(script, index).filter(|_| after == RightContext::Question);
    let mut said = answer.map(|answer| answer.yes);
    match names.opposite(rail) {
        Some(_) if after == RightContext::Question && before.has(Class::Negation) => said = None,
        // `It's not incorrect because of the city` may be so for another reason.
        Some(_)
            if before.has(Class::Negation)
                && !names.is_positive(rail)
                && matches!(
                    script.tokens[..sentence.tokens.end].get(tokens.end).map_or("", Token::word),
                    "because" | "due" | "merely" | "simply" | "only" | "just"
                ) =>
        {
            before.heed(Class::Unclear);
        }
        Some(opposite) if spoken && !denied && before.denies(names.is_positive(rail)) => {
            rail = opposite;
            before.affirm();
        }
        Some(opposite) if spoken && after == RightContext::Question && said == Some(false) => {
            rail = opposite;
            said = Some(true);
        }
        Some(opposite) if spoken && denied && !before.has(Class::Negation) => rail = opposite,
        _ if denied => before.heed(Class::Unclear),
        _ => {}
    }
    // `Was it correct? Yes. The city is missing.`
    if answer.is_some_and(|answer| answer.faulted) && names.is_positive(rail) {
        said = None;
    }
    let cross =
        |at: usize| matches!(script.tokens[at].kind, Kind::Mark('❌' | '✗' | '✘' | '✖' | '🚫' | '⛔' | '👎'));
    let no_word = |at: &usize| !script.tokens[*at].is_word() && !script.tokens[*at].is_newline();
    let behind = (tokens.end..script.tokens.len()).take_while(no_word).take(8);
    let mark = |at: Option<usize>, marks: &[char]| {
        at.is_some_and(|at| marks.iter().any(|mark| script.tokens[at].is(*mark)))
    };
    let before_it = |steps: usize| tokens.start.checked_sub(steps).filter(|at| *at >= sentence.tokens.start);
    let unchecked = mark(before_it(1), &['☐', '○', '◯', '□'])
        || mark(before_it(1), &[']', ')']) && mark(before_it(2), &['[', '(']);
    let crossed =
        unchecked || names.is_positive(rail) && (before.start..tokens.start).chain(behind).any(cross);
    let token = |at: usize| script.tokens.get(at).map_or("", |token| token.word());
    // `as correct as it is useless`
    let compared = tokens.start > 0 && token(tokens.start - 1) == "as" && token(tokens.end) == "as";
    let after = if compared { RightContext::More } else { after };
    let doubtful = script.tokens[tokens.start].excluded == Excluded::Perhaps;
    let at = span(script, sentence, before.start..end);
    let flipped = rail != named_rail;
    let previous = index.checked_sub(1).and_then(|index| script.sentences.get(index));
    Mention {
        crossed,
        doubtful,
        named,
        flipped,
        fails: !names.is_positive(rail),
        answered: said.filter(|_| {
            let mut words =
                script.tokens[tokens.end..sentence.tokens.end].iter().filter(|token| token.is_word());
            // `Was it correct to ask …?` may be about a part: one that is wrong makes the call wrong, and none makes it right.
            words.next().is_none_or(|word| {
                let opinion =
                    |word: &Token| matches!(word.word(), "say" | "assume" | "think" | "infer" | "conclude");
                word.word() == "to" && !names.is_positive(rail) && !words.next().is_some_and(opinion)
            })
        }),
        about_whole: previous.is_some_and(|previous| asks_about_whole(script, previous, names)),
        ..place(script, index, Some(rail), at, before, after, tokens.start)
    }
}

/// More than a number or one letter.
fn is_wordy(word: &str) -> bool {
    word.chars().nth(1).is_some() && !word.chars().all(|c| c.is_numeric() || matches!(c, '.' | ','))
}

/// Whether a sentence is nothing but the beginning of an aside: `e.g.`
fn abbreviates(script: &Script, sentence: Option<&Sentence>) -> bool {
    let last = sentence.and_then(|sentence| script.tokens[sentence.tokens.clone()].last());
    last.is_some_and(|token| matches!(token.word(), "e.g" | "i.e" | "eg" | "ie"))
}

/// The verdict's words in bytes of the reply, with the slot around them.
fn span(script: &Script, sentence: &Sentence, tokens: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = tokens;
    if sentence.slot.is_some() && start == sentence.tokens.start {
        start = start.saturating_sub(1);
        let blank = |token: &&Token| token.kind == Kind::Close || token.is(' ');
        end += script.tokens[end..].iter().take_while(blank).count();
    }
    script.tokens[start].at.start..script.tokens[end - 1].at.end
}

fn place(
    script: &Script,
    index: usize,
    rail: Option<usize>,
    at: Range<usize>,
    before: LeftContext,
    after: RightContext,
    token: usize,
) -> Mention {
    let sentence = &script.sentences[index];
    let same_line = |other: Option<&Sentence>| other.is_some_and(|other| other.line == sentence.line);
    let previous = index.checked_sub(1).and_then(|index| script.sentences.get(index));
    let line: &Line = &script.lines[sentence.line];
    let above = sentence.line.checked_sub(1).map_or(Role::Text, |above| script.lines[above].role);
    let seat = match (sentence.slot, script.tokens[token].excluded) {
        (Some(slot), _) => Seat::Slot(slot),
        (None, Excluded::Block) => Seat::Block,
        (None, _) => Seat::Prose,
    };
    Mention {
        rail,
        at,
        seat,
        before,
        after,
        first: index == 0,
        second: index == 1,
        fails: false,
        last: index + 1 == script.sentences.len(),
        opens_line: !same_line(previous),
        closes_line: !same_line(script.sentences.get(index + 1)),
        lead: line.lead,
        above,
        asked: previous.is_some_and(|previous| previous.end == Some('?')),
        doubtful: false,
        set_apart: script.tokens[token].excluded == Excluded::Block,
        titles: line.heading
            && script.lines.get(sentence.line + 1).is_some_and(|below| below.lead != Lead::Plain),
        example: above == Role::Example && !same_line(previous) || abbreviates(script, previous),
        rival: None,
        crossed: false,
        named: false,
        sole: false,
        flipped: false,
        reported: previous
            .is_some_and(|previous| script.tokens[previous.tokens.clone()].iter().take(256).any(reports)),
        answered: None,
        about_whole: false,
    }
}

/// A verdict's slot that holds something short which is no rail: `Verdict: unsure`.
fn unanswered(script: &Script, index: usize) -> Option<Mention> {
    const SHORT: usize = 4;
    let sentence = &script.sentences[index];
    let tokens = &script.tokens[sentence.tokens.clone()];
    let mut before = LeftContext { start: sentence.tokens.start, ..LeftContext::default() };
    let slot = sentence.slot.is_some();
    let content = if slot {
        0
    } else {
        let colon = tokens.iter().take(12).position(|token| token.is(':'))?;
        for token in tokens[..colon].iter().filter(|token| token.is_word()) {
            before.heed(token.class);
        }
        colon + 1
    };
    let content = content + tokens[content..].iter().take_while(|token| decorates(&token.kind)).count();
    let words = tokens[content..].iter().filter(|token| token.is_word()).count();
    let named = before.has(Class::Key) && !before.has(Class::Other);
    if !(slot || named) || words == 0 || words > SHORT || tokens[content].excluded != Excluded::None {
        return None;
    }
    before.separated = true;
    let token = sentence.tokens.start + content;
    let at = script.tokens[token].at.clone();
    Some(place(script, index, None, at, before, RightContext::End, token))
}

fn decorates(kind: &Kind) -> bool {
    matches!(kind, Kind::Mark(mark) if is_decor(*mark))
}
