//! Recognizes replies that consist entirely of one of a few forms around one rail: the choice repeated before the answer, a
//! second thought, a contrast, a list of one, a sentence with a rail in another language. Every word of the reply must belong to
//! the form.

use super::fold::folded;
use super::names::Names;
use super::token::{Kind, tokens};

/// Longer replies say more than a form holds.
const MAX_BYTES: usize = 400;

/// The rail that the whole of `answer` comes to.
pub(super) fn read(answer: &str, names: &Names) -> Option<usize> {
    if answer.len() > MAX_BYTES {
        return None;
    }
    if let Some(rail) = framed(answer, names).or_else(|| listed(answer, names)) {
        return Some(rail);
    }
    let pieces = pieces(answer, names)?;
    [offered, contrasted, reconsidered, strictly].iter().find_map(|form| form(&pieces, names))
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Rail(usize),
    Word(String),
    Arrow,
    /// Between the members of a choice: `/`, `|`.
    Or,
    Asks,
    Colon,
    /// A quotation mark or a bracket: what it holds may be somebody else's word.
    Wrap,
}

use Piece::{Arrow, Asks, Colon, Or, Rail, Word, Wrap};

/// The words of a reply without its plain punctuation; `None` with marks that may turn a word round.
fn pieces(answer: &str, names: &Names) -> Option<Vec<Piece>> {
    let tokens = tokens(answer);
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some((rail, end)) = names.at(&tokens, at) {
            pieces.push(Rail(rail));
            at = end;
            continue;
        }
        at += 1;
        match &token.kind {
            Kind::Word(word) => pieces.push(Word(word.to_string())),
            Kind::Newline | Kind::Mark('.' | ',' | ';' | '*' | '—' | '…' | '!') => {}
            Kind::Mark('"' | '\'' | '(' | ')' | '[' | ']') => pieces.push(Wrap),
            Kind::Mark('/' | '|') => pieces.push(Or),
            Kind::Mark(':') => pieces.push(Colon),
            Kind::Mark('?') => pieces.push(Asks),
            Kind::Mark('→') if token.spaced => pieces.push(Arrow),
            Kind::Mark('-' | '=')
                if token.spaced && tokens.get(at).is_some_and(|next| next.is('>') && !next.spaced) =>
            {
                at += 1;
                pieces.push(Arrow);
            }
            _ => return None,
        }
    }
    Some(pieces)
}

fn are(pieces: &[Piece], words: &[&str]) -> bool {
    let is_one = |piece: &Piece| matches!(piece, Word(word) if words.contains(&word.as_str()));
    pieces.iter().all(|piece| is_one(piece) || *piece == Colon)
}

/// The words of these pieces, if there is nothing else but colons.
fn said(pieces: &[Piece]) -> Option<String> {
    let word = |piece: &Piece| match piece {
        Word(word) => Some(Some(word.clone())),
        Colon => Some(None),
        _ => None,
    };
    let words: Option<Vec<Option<String>>> = pieces.iter().map(word).collect();
    Some(words?.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Where the rails stand.
fn rails(pieces: &[Piece]) -> Vec<(usize, usize)> {
    let rail = |(at, piece): (usize, &Piece)| match piece {
        Rail(rail) => Some((at, *rail)),
        _ => None,
    };
    pieces.iter().enumerate().filter_map(rail).collect()
}

/// `1. incorrect`
fn listed(answer: &str, names: &Names) -> Option<usize> {
    let rest = answer.trim_start().strip_prefix('1')?.strip_prefix(['.', ')'])?;
    names.exactly(rest.strip_prefix(' ')?.trim_end_matches('.'))
}

/// Words that ask for a choice or say what is chosen of.
const ASKED: [&str; 24] = [
    "label",
    "answer",
    "verdict",
    "classification",
    "with",
    "respond",
    "choose",
    "one",
    "of",
    "either",
    "the",
    "is",
    "was",
    "call",
    "tool",
    "this",
    "it",
    "output",
    "your",
    "must",
    "be",
    "should",
    "final",
    "single",
];

/// `Label (correct/incorrect): incorrect`
fn offered(pieces: &[Piece], names: &Names) -> Option<usize> {
    let pieces: Vec<Piece> = pieces.iter().filter(|piece| **piece != Wrap).cloned().collect();
    let [(one, a), (other, b), (last, chosen)] = rails(&pieces)[..] else { return None };
    let is_joined = match &pieces[one + 1..other] {
        [Or] => true,
        [Word(or)] => or == "or",
        _ => false,
    };
    let is_answered = matches!(pieces[other + 1..last], [Colon | Arrow | Asks] | [Asks, Colon]);
    let is_all = a != b && names.spellings().count() == 2 && last + 1 == pieces.len();
    (is_joined && is_answered && is_all && are(&pieces[..one], &ASKED)).then_some(chosen)
}

/// What a sentence may begin with that says a rail of the call.
const SAYS: [&str; 16] = [
    "",
    "this is",
    "that is",
    "it is",
    "it's",
    "this call is",
    "the call is",
    "the tool call is",
    "the label is",
    "the verdict is",
    "the answer is",
    "so it is",
    "so the call is",
    "therefore it is",
    "therefore the call is",
    "overall the call is",
];

/// `This is incorrect rather than correct.`
fn contrasted(pieces: &[Piece], _: &Names) -> Option<usize> {
    let [(first, a), (second, b)] = rails(pieces)[..] else { return None };
    let is_whole = a != b && second + 1 == pieces.len() && SAYS.contains(&said(&pieces[..first])?.as_str());
    let rather = said(&pieces[first + 1..second])?;
    (is_whole && matches!(rather.as_str(), "rather than" | "not" | "and not" | "as opposed to")).then_some(a)
}

/// A first impression, up to its rail.
const FIRST: [&str; 14] = [
    "at first glance",
    "at first glance it is",
    "at first glance it looks",
    "at first glance the call is",
    "at first glance the call looks",
    "at first sight",
    "at first",
    "at first it looks",
    "at first it looked",
    "initially",
    "initially i thought",
    "initially i thought it was",
    "my first impression was",
    "first impression",
];
/// What follows it, up to the verdict.
const CLOSER: [&str; 18] = [
    "on closer look",
    "on closer inspection",
    "on closer inspection it is",
    "on closer inspection the call is",
    "on closer examination",
    "on closer reading",
    "on a closer look",
    "upon closer inspection",
    "but on closer inspection it is",
    "on reflection",
    "on second thought",
    "on second thoughts",
    "but it is",
    "but the call is",
    "but actually it is",
    "but in fact it is",
    "final",
    "final verdict",
];
/// What takes back a verdict that stands alone.
const BACK: [&str; 8] = [
    "wait no",
    "no wait",
    "scratch that",
    "no scratch that",
    "correction",
    "on second thought",
    "on second thoughts",
    "on closer inspection",
];

/// `At first glance correct. On closer look: incorrect.`, `correct, scratch that, incorrect`, `correct → incorrect`
fn reconsidered(pieces: &[Piece], names: &Names) -> Option<usize> {
    let [(first, a), (second, b)] = rails(pieces)[..] else { return None };
    if a == b || second + 1 != pieces.len() {
        return None;
    }
    let (lead, between) = (&pieces[..first], &pieces[first + 1..second]);
    if let ([], [Arrow]) = (lead, between) {
        // From wrong to right is how a mistake is mended; of numbers, whatever goes up or down.
        return (names.negated(a) == Some(b)).then_some(b);
    }
    let (lead, between) = (said(lead)?, said(between)?);
    let turns = match lead.as_str() {
        "" => BACK.contains(&between.as_str()),
        lead => FIRST.contains(&lead) && CLOSER.contains(&between.as_str()),
    };
    turns.then_some(b)
}

/// `Strictly speaking: incorrect`: what is strictly wrong is wrong; what is strictly right may be wrong in practice.
fn strictly(pieces: &[Piece], names: &Names) -> Option<usize> {
    let [(at, rail)] = rails(pieces)[..] else { return None };
    let lead = said(&pieces[..at])?;
    let lead = lead.strip_prefix("strictly speaking")?.trim_start();
    let is_whole = at + 1 == pieces.len() && SAYS.contains(&lead);
    let denies = names.opposite(rail).is_some_and(|other| names.negated(other) == Some(rail));
    (is_whole && denies).then_some(rail)
}

/// How a sentence begins and ends that says nothing but a rail, in writing without spaces; last, the ends that deny it.
const FRAMES: [(&[&str], &[&str], &[&str]); 3] = [
    (
        &["정답은", "답은", "답:", "판정은", "판정:", "결론은", "라벨은", "레이블은", "결과는"],
        &["입니다", "이다", "임", "예요", "이에요", ""],
        &["가 아닙니다", "이 아닙니다", "가 아니다", "이 아니다"],
    ),
    (
        &["結果は", "判定は", "答えは", "結論は", "ラベルは", "正解は"],
        &["です", "だ", "である", ""],
        &["ではありません", "ではない", "じゃない"],
    ),
    (&["คำตอบคือ", "ผลลัพธ์คือ", "คำตัดสินคือ"], &["ครับ", "ค่ะ", ""], &[]),
];

fn framed(answer: &str, names: &Names) -> Option<usize> {
    let text = folded(answer);
    let text = text.trim_end_matches(['.', '!', ' ']);
    let named = |inner: &str| names.exactly(inner.trim_matches(['"', '\'', '*', '`', ' ', ':']));
    FRAMES.iter().find_map(|(begins, ends, denies)| {
        let inner = begins.iter().find_map(|begin| text.strip_prefix(*begin))?;
        let denied = denies.iter().find_map(|end| named(inner.strip_suffix(*end)?));
        match denied {
            Some(rail) => names.negated(rail),
            None => ends.iter().find_map(|end| named(inner.strip_suffix(*end)?)),
        }
    })
}
