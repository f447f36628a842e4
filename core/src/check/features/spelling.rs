//! How a text among the arguments is spelled, compared with its spelling in the conversation.

use super::argument::ArgumentFeature as A;
use super::question::Question;
use crate::check::evidence::Evidence;
use crate::check::node::Node;
use crate::check::observation::Literal;
use crate::reading::dates::Times;
use crate::reading::words::{Stem, fold, is_content, stem, words};

/// The features told of a text, in the order of [`Spelling::values`].
pub(super) const ORDER: [A; 24] = [
    A::whole,
    A::whole_any,
    A::covered,
    A::covered_any,
    A::missing,
    A::head,
    A::tail_missing,
    A::is_name,
    A::trunc,
    A::extended,
    A::case_lost,
    A::expression,
    A::numbers_missing,
    A::joined,
    A::signs,
    A::underscore,
    A::words,
    A::length,
    A::empty,
    A::described,
    A::code,
    A::state,
    A::dated,
    A::capitals,
];

/// A text's features.
pub(super) struct Spelling {
    pub(super) values: [f32; ORDER.len()],
    /// How well the conversation tells it, from 0 to 1.
    pub(super) ground: f32,
}

/// Of longer texts, so much is read.
const MAX_WORDS: usize = 200;

/// Reads a text; `folded` is that text [folded](fold).
pub(super) fn read(
    text: &str,
    folded: &str,
    evidence: &Evidence,
    question: &Question,
    node: &Node,
) -> Spelling {
    let truth = |is: bool| f32::from(u8::from(is));
    let known: Vec<(&str, Stem)> = words(folded).take(MAX_WORDS).map(|word| (word, stem(word))).collect();
    let content: Vec<Stem> = known
        .iter()
        .filter(|(word, _)| is_content(word) || word.as_bytes()[0].is_ascii_digit())
        .map(|(_, stem)| *stem)
        .collect();
    let count = content.len().max(1) as f32;
    let covered = content.iter().filter(|stem| question.has(**stem)).count() as f32 / count;
    let covered_any = content.iter().filter(|stem| evidence.knows(**stem)).count() as f32;
    let blank = folded.trim().is_empty();
    let whole = !blank && evidence.question.contains(folded);
    let whole_any = whole || (!blank && evidence.has_phrase(folded));
    let (head, tail) = match text.split_once(',') {
        Some((head, tail)) if !head.trim().is_empty() => {
            (truth(evidence.has_phrase(&fold(head))), truth(!evidence.has_phrase(&fold(tail))))
        }
        _ => (0.0, 0.0),
    };
    let inner = folded.trim();
    let names = || evidence.literals.iter().filter(|span| span.kind != Literal::Number);
    let is_name = names().any(|span| span.folded.trim() == inner);
    let trunc = !blank && !is_name && names().any(|span| span.folded.contains(folded));
    let extended = names()
        .any(|span| span.folded.len() > 5 && span.folded.trim() != inner && folded.contains(&span.folded));
    let case_lost = whole && !question.text.contains(text.trim());
    let expression = text.contains(['^', '*', '+', '(', '=']) || text.contains("lambda");
    let missing_numbers = known
        .iter()
        .filter(|(word, _)| word.as_bytes()[0].is_ascii_digit())
        .filter(|(word, stem)| {
            !evidence.knows(*stem) && word.parse::<f64>().is_ok_and(|value| !evidence.figures.contains(value))
        })
        .count();
    let signs = text.chars().filter(|c| "{}[]<>\\=\"()".contains(*c)).count();
    let asks =
        |cues: &[&str]| cues.iter().any(|cue| node.description.contains(cue) || node.name.contains(cue));
    let upper = !text.is_empty() && text.len() <= 6 && text.bytes().all(|b| b.is_ascii_uppercase());
    let code = match asks(&[" symbol ", " ticker ", " code ", " abbreviation ", " iso ", " acronym ", " id "])
    {
        false => 0.0,
        true if upper || text.bytes().any(|b| b.is_ascii_digit()) => 1.0,
        true => -1.0,
    };
    let state = match asks(&[
        " city state ",
        " city and state ",
        " city or state ",
        " san francisco ca ",
        " new york ny ",
    ]) {
        false => 0.0,
        true if text.contains(',') => 1.0,
        true => -1.0,
    };
    let mut times = Times::default();
    if text.len() <= 40 {
        times.read(text, folded);
    }
    let dated = if times.has_dates() {
        truth(
            evidence.times.explain(&times).is_some_and(|how| how != crate::reading::dates::TimeMatch::Other),
        )
    } else {
        -1.0
    };
    let coverage = covered_any / count;
    let ground = if blank {
        0.0
    } else if whole {
        1.0
    } else if whole_any {
        0.95
    } else {
        (0.9 * coverage).max(0.7 * head)
    };
    Spelling {
        values: [
            truth(whole),
            truth(whole_any),
            covered,
            coverage,
            (count - covered_any).min(20.0),
            head,
            tail,
            truth(is_name),
            truth(trunc),
            truth(extended),
            truth(case_lost),
            truth(expression),
            missing_numbers.min(10) as f32,
            truth(folded.contains(" and ") || text.contains(['&', ';'])),
            signs.min(20) as f32,
            truth(text.contains('_') && !question.text.contains('_')),
            known.len().min(30) as f32,
            (text.chars().count() as f32).ln_1p(),
            truth(blank),
            truth(!blank && node.description.contains(folded)),
            code,
            state,
            dated,
            truth(upper),
        ],
        ground,
    }
}
