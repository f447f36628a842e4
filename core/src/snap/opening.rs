//! A truncated reply that begins with its verdict: the first sentence is it, or begins with it and gives a plain reason.

use super::class::Class;
use super::context::reports;
use super::foreign;
use super::harmless::is_harmless;
use super::names::Names;
use super::polarity::is_english;
use super::reasons::{Reasons, Repeated, explains, opens_reason};
use super::token::{Token, tokens};
use super::words::Words;

/// Whether the first sentence is the verdict, or begins with it and gives its reason.
pub(super) fn opens(text: &str, rail: usize, names: &Names, reads: impl Fn(&str) -> Option<usize>) -> bool {
    let tokens = tokens(text);
    let Some((at, behind)) =
        (0..tokens.len()).find_map(|at| names.at(&tokens, at).map(|(_, behind)| (at, behind)))
    else {
        return false;
    };
    let end = tokens[behind - 1].at.end;
    let end = end + text[end..].len() - text[end..].trim_start_matches(CLOSERS).len();
    let (head, rest) = text.split_at(end);
    let bare = head.trim_matches(DECOR);
    let success = names.is_positive(rail);
    let everyday = EVERYDAY.has(tokens[behind - 1].word());
    let labelled = tokens[..at].iter().any(|token| matches!(token.class, Class::Key | Class::WeakKey));
    let open =
        |token: &Token| token.is('{') || token.is('[') || matches!(token.word(), "first" | "initially");
    let alone = tokens[..at].iter().all(|token| !token.is_word())
        && rest.trim_start_matches([' ', '.', '!']).starts_with('\n');
    // `A. The first of the two` names no rail.
    bare.chars().count() > 1
        && !tokens[..at].iter().any(open)
        && sentence_end(&head[..tokens[at].at.start]).is_none()
        && (!everyday || labelled || alone)
        && plain(&tokens[..at])
        && breaks_off(rest, success, labelled)
        && reads(head) == Some(rail)
        && explains(after_repeats(rest, bare), Reasons { rail, labelled, alone }, names)
}

/// Rails that are everyday words, with which a sentence may begin that gives no verdict.
static EVERYDAY: Words = Words::new(
    "right wrong good bad yes no true false pass fail accept reject match mismatch ok okay sure fine",
);

/// English words of a head that says a verdict of the whole call: `Therefore the call is`, `My final verdict:`.
static HEAD: Words = Words::new(
    "final overall my our the label verdict judgment judgement decision classification conclusion answer grade result call
    calls tool function invocation agent's is was be as to this that it it's that's its i i'd we would classify classified label labeled
    labelled rate rated mark judge judged consider considered deem deemed so therefore thus hence yes no not isn't a an whole entire
    clearly simply indeed",
);

/// Whether the words of `head` say nothing of a part, of a condition, or of somebody else's opinion.
fn plain(head: &[Token]) -> bool {
    let words: Vec<&Token> = head.iter().filter(|token| token.is_word()).collect();
    let listed = |token: &&Token| HEAD.has(token.word());
    let abroad =
        |token: &&Token| (is_harmless(token) || token.class == Class::Negation) && !is_english(token);
    let tools = (0..words.len()).all(|at| {
        !matches!(words[at].word(), "tool" | "function")
            || words.get(at + 1).is_some_and(|next| next.class == Class::Subject)
    });
    // `I would answer …` tells of a rule, unless it says of what.
    let judge = words.iter().any(|token| matches!(token.word(), "i" | "i'd" | "we" | "would"));
    let object = words.iter().any(|token| matches!(token.class, Class::Subject | Class::Pronoun));
    tools && (!judge || object) && (words.iter().all(listed) || words.iter().all(abroad))
}

/// Whether a verdict that `rest` follows is complete: its sentence ends, or a plain reason begins.
fn breaks_off(rest: &str, success: bool, labelled: bool) -> bool {
    let same_line = rest.trim_start_matches([' ', '\t']);
    let Some(first) = same_line.chars().next() else { return false };
    let behind = same_line[first.len_utf8()..].trim_start_matches([' ', '*', '-', '–', '—']);
    match first {
        '.' | '!' | '。' | '！' | '\n' => true,
        // A line that ends with it heads a list.
        ':' => !behind.starts_with('\n'),
        ',' | ';' | '，' => {
            gives_clause(behind)
                || behind.starts_with("and here")
                || labelled && behind.starts_with("given that ")
        }
        '-' | '–' | '—' => gives_clause(behind) || !success && begins_plainly(behind),
        _ => gives_clause(same_line) || same_line.starts_with("and here is"),
    }
}

/// Whether a clause follows that gives a reason: `because the city matches`, and not `as to the tool` or `as the user says`.
fn gives_clause(text: &str) -> bool {
    let tokens = tokens(text);
    let words: Vec<&Token> = tokens.iter().filter(|token| token.is_word()).take(6).collect();
    let [first, second, ..] = &words[..] else { return false };
    let english = matches!(first.word(), "because" | "since" | "as")
        && (opens_reason(second.word()) || second.word() == "it" || second.word().contains('_'));
    let abroad = !matches!(first.word(), "as" | "so") && foreign::gives_reason(first.word());
    let opinion = first.word() == "as"
        && words[1..].iter().any(|token| {
            reports(token)
                || matches!(token.word(), "notes" | "noted" | "has" | "puts" | "happens" | "sees" | "see")
        });
    (english || abroad) && !opinion
}

/// `the agent …`
fn begins_plainly(text: &str) -> bool {
    let tokens = tokens(text);
    let mut words = tokens.iter().filter(|token| token.is_word());
    words.next().is_some_and(|token| matches!(token.word(), "the" | "it" | "this"))
}

/// What follows the same verdict, said again and again; no more is told by that than by saying it once.
pub(super) fn after_repeats<'a>(rest: &'a str, verdict: &str) -> Repeated<'a> {
    let last = verdict.rsplit(char::is_whitespace).next().unwrap_or(verdict);
    let mut text = rest.trim_start_matches(DECOR);
    let mut often = false;
    while let Some(more) = [verdict, last].iter().find_map(|said| text.strip_prefix(said)) {
        text = more.trim_start_matches(DECOR);
        often = true;
    }
    Repeated { text, often }
}

/// Where the first sentence or line of `text` ends; a full stop inside a word or number ends none.
pub(super) fn sentence_end(text: &str) -> Option<usize> {
    let mut word = false;
    for (at, c) in text.char_indices() {
        let behind = &text[at + c.len_utf8()..];
        word |= c.is_alphanumeric();
        match c {
            '\n' if word => return Some(at + 1),
            '。' | '！' => return Some(at + c.len_utf8()),
            '.' | '!' | '?'
                if behind.trim_start_matches(['*', '"', '`', '_']).starts_with(char::is_whitespace) =>
            {
                return Some(at + 1);
            }
            _ => {}
        }
    }
    None
}

/// What stands around a verdict and says nothing.
pub(super) const DECOR: [char; 14] =
    ['*', '"', '`', '_', ' ', '\n', '\t', '\'', '“', '”', '.', '!', '#', '。'];

/// What closes a verdict that stands in marks.
const CLOSERS: [char; 8] = ['*', '"', '`', '_', '\'', '”', ']', ')'];
