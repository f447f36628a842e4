//! Replies that are whole of one of a few forms around one rail: the choice repeated before the answer, a second thought, a contrast, a
//! list of one, a sentence with a rail in another language. Every word of the reply belongs to the form, or it is none.

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
    if let Some(rail) = framed(answer, names) {
        return Some(rail);
    }
    let pieces = pieces(answer, names)?;
    [listed, offered, contrasted, reconsidered, strictly].iter().find_map(|form| form(&pieces, names))
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
}

use Piece::{Arrow, Asks, Colon, Or, Rail, Word};

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
            Kind::Newline
            | Kind::Mark('.' | ',' | ';' | '"' | '\'' | '*' | '(' | ')' | '[' | ']' | '—' | '…' | '!') => {
            }
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
    pieces
        .iter()
        .all(|piece| matches!(piece, Word(word) if words.contains(&word.as_str())) || *piece == Colon)
}

fn has(pieces: &[Piece], words: &[&str]) -> bool {
    pieces.iter().any(|piece| matches!(piece, Word(word) if words.contains(&word.as_str())))
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
fn listed(pieces: &[Piece], _: &Names) -> Option<usize> {
    match pieces {
        [Word(first), Rail(rail)] if first == "1" => Some(*rail),
        _ => None,
    }
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
    let [(one, a), (other, b), (last, chosen)] = rails(pieces)[..] else { return None };
    let is_joined = match &pieces[one + 1..other] {
        [Or] => true,
        [Word(or)] => or == "or",
        _ => false,
    };
    let is_answered = matches!(pieces[other + 1..last], [Colon | Arrow | Asks] | [Asks, Colon]);
    let is_all = a != b && names.spellings().count() == 2 && last + 1 == pieces.len();
    (is_joined && is_answered && is_all && are(&pieces[..one], &ASKED)).then_some(chosen)
}

/// Words that a sentence may have around its rail and say nothing else.
const SAYS: [&str; 24] = [
    "this",
    "that",
    "it",
    "the",
    "call",
    "tool",
    "label",
    "verdict",
    "answer",
    "is",
    "was",
    "so",
    "therefore",
    "thus",
    "overall",
    "final",
    "i",
    "say",
    "would",
    "judge",
    "it's",
    "that's",
    "a",
    "an",
];
const RATHER: [&[&str]; 5] =
    [&["rather", "than"], &["instead", "of"], &["as", "opposed", "to"], &["not"], &["and", "not"]];

/// `This is incorrect rather than correct.`
fn contrasted(pieces: &[Piece], _: &Names) -> Option<usize> {
    let [(first, a), (second, b)] = rails(pieces)[..] else { return None };
    if a == b || second + 1 != pieces.len() {
        return None;
    }
    let is_rather = |pieces: &[Piece]| {
        RATHER.iter().any(|rather| {
            pieces.len() == rather.len()
                && pieces.iter().zip(*rather).all(|(piece, word)| matches!(piece, Word(own) if own == word))
        })
    };
    if are(&pieces[..first], &SAYS) && is_rather(&pieces[first + 1..second]) {
        return Some(a);
    }
    // `not A: B` may be a list of what is not; the other words cannot.
    let is_before = first > 1 && is_rather(&pieces[..first]);
    (is_before && are(&pieces[first + 1..second], &SAYS)).then_some(b)
}

const FIRST: [&str; 24] = [
    "at",
    "first",
    "glance",
    "sight",
    "look",
    "initially",
    "impression",
    "my",
    "i",
    "thought",
    "looked",
    "looks",
    "seemed",
    "seems",
    "it",
    "was",
    "is",
    "this",
    "the",
    "call",
    "tool",
    "to",
    "be",
    "as",
];
const THEN: [&str; 34] = [
    "on",
    "upon",
    "closer",
    "look",
    "inspection",
    "examination",
    "reading",
    "reflection",
    "second",
    "thought",
    "thoughts",
    "but",
    "wait",
    "no",
    "actually",
    "scratch",
    "that",
    "correction",
    "sorry",
    "make",
    "it",
    "is",
    "it's",
    "this",
    "call",
    "tool",
    "the",
    "final",
    "finally",
    "so",
    "i",
    "mean",
    "however",
    "hold",
];
/// What takes back by itself.
const BACK: [&str; 6] = ["wait", "actually", "scratch", "correction", "sorry", "mean"];
/// What does where the first rail is said to be a first impression.
const CLOSER: [&str; 6] = ["closer", "but", "reflection", "final", "finally", "however"];

/// `At first glance correct. On closer look: incorrect.`, `correct, scratch that, incorrect`, `correct → incorrect`
fn reconsidered(pieces: &[Piece], _: &Names) -> Option<usize> {
    let [(first, a), (second, b)] = rails(pieces)[..] else { return None };
    if a == b || second + 1 != pieces.len() {
        return None;
    }
    let (lead, between) = (&pieces[..first], &pieces[first + 1..second]);
    if let ([], [Arrow]) = (lead, between) {
        return Some(b);
    }
    let is_first = has(lead, &["first", "initially"]);
    let turns = has(between, &BACK) || is_first && has(between, &CLOSER);
    (turns && (is_first || lead.is_empty()) && are(lead, &FIRST) && are(between, &THEN)).then_some(b)
}

/// `Strictly speaking: incorrect`: what is strictly wrong is wrong; what is strictly right may be wrong in practice.
fn strictly(pieces: &[Piece], names: &Names) -> Option<usize> {
    let [(at, rail)] = rails(pieces)[..] else { return None };
    let (lead, behind) = pieces.split_at(at);
    let Some((Word(how), lead)) = lead.split_first() else { return None };
    let lead = match how.as_str() {
        "strictly" => lead.strip_prefix(&[Word("speaking".to_owned())]).unwrap_or(lead),
        "technically" => lead,
        _ => return None,
    };
    let reasons = match &behind[1..] {
        [] => true,
        [Word(why), rest @ ..] => {
            matches!(why.as_str(), "since" | "because" | "as")
                && !has(
                    rest,
                    &["but", "however", "though", "although", "yet", "still", "not", "unless", "if"],
                )
                && rest.iter().all(|piece| matches!(piece, Word(_)))
        }
        _ => false,
    };
    (reasons && are(lead, &SAYS) && !names.is_positive(rail) && names.opposite(rail).is_some())
        .then_some(rail)
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
            Some(rail) => names.opposite(rail),
            None => ends.iter().find_map(|end| named(inner.strip_suffix(*end)?)),
        }
    })
}
