//! What a reply that the length limit cut off plainly says.
//!
//! Any verdict can be overturned by what was cut off, so that only those count which a judge gives first or calls final: a closed
//! field of a JSON object, a first sentence that is the verdict or begins with it, and `Final answer: correct.`, the latter two
//! with nothing but reasons behind them. What is read here is flagged as read before the cut.

use super::json::{promises, promises_so_far};
use super::lexicon::{Class, gives_reason};
use super::names::Names;
use super::token::{Token, tokens};

/// Fewer words behind a verdict tell nothing of how the reply goes on.
const REASONS: usize = 4;

/// Whether `rail` stands in `answer`, of which the end is missing. `reads` gives the verdict of a whole reply.
pub(super) fn stands(
    answer: &str,
    rail: usize,
    names: &Names,
    reads: impl Fn(&str) -> Option<usize>,
) -> bool {
    let text = answer.trim_start();
    let object =
        text.strip_prefix("```").and_then(|text| text.split_once('\n')).map_or(text, |(_, text)| text);
    match object.trim_start().strip_prefix('{') {
        Some(fields) => field(fields, names) == Some(rail),
        None => stated(text, rail, names, reads),
    }
}

/// The rail of the only verdict's field of an object, closed and at its top.
fn field(text: &str, names: &Names) -> Option<usize> {
    let mut rest = text.trim_start();
    let mut said = None;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Some(key) = rest.strip_prefix('"') else {
            let closed =
                rest.strip_prefix('}').is_some_and(|rest| rest.trim_matches(['`', '\n', ' ']).is_empty());
            return said.filter(|_| closed || rest.is_empty());
        };
        let Some((key, behind)) = string(key) else {
            return said.filter(|_| !promises_so_far(key, names));
        };
        let Some(value) = behind.trim_start().strip_prefix(':').map(str::trim_start) else {
            return said.filter(|_| behind.trim().is_empty() && !promises(&key, names));
        };
        if promises(&key, names) {
            let (value, behind) = string(value.strip_prefix('"')?)?;
            if said.is_some() || !behind.trim_start().starts_with([',', '}']) {
                return None;
            }
            said = Some(names.exactly(value.trim())?);
            rest = behind;
        } else if let Some(value) = value.strip_prefix('"') {
            match string(value) {
                Some((_, behind)) => rest = behind,
                None => return said,
            }
        } else {
            // A list or an object may hold verdicts of its own.
            let end = value.find([',', '}', '{', '[', '"']).unwrap_or(value.len());
            if value[end..].starts_with(['{', '[', '"']) {
                return None;
            }
            rest = &value[end..];
        }
    }
}

/// A string behind its opening quotation mark, and what follows its closing one.
fn string(text: &str) -> Option<(String, &str)> {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some((text[..end].to_owned(), &text[end + 1..]))
}

/// Whether the text opens with `rail`, or gives it as its final verdict, and takes nothing of it back so far.
fn stated(text: &str, rail: usize, names: &Names, reads: impl Fn(&str) -> Option<usize>) -> bool {
    opens(text, rail, names, reads) || concludes(text, rail, names)
}

/// Whether the first sentence is the verdict, or begins with it and gives its reason.
fn opens(text: &str, rail: usize, names: &Names, reads: impl Fn(&str) -> Option<usize>) -> bool {
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
    let labelled = tokens[..at].iter().any(|token| matches!(token.class, Class::Key | Class::WeakKey));
    let open =
        |token: &Token| token.is('{') || token.is('[') || matches!(token.word(), "first" | "initially");
    // `A. The first of the two` names no rail.
    bare.chars().count() > 1
        && !tokens[..at].iter().any(open)
        && sentence_end(&head[..tokens[at].at.start]).is_none()
        && breaks_off(rest)
        && reads(head) == Some(rail)
        && explains(after_repeats(rest, bare), Reasons { success: names.is_positive(rail), labelled }, names)
}

/// Whether a verdict that `rest` follows is complete: its sentence ends, or a reason begins.
fn breaks_off(rest: &str) -> bool {
    const DASHES: [&str; 4] = ["- ", "– ", "— ", "("];
    let same_line = rest.trim_start_matches([' ', '\t']);
    match same_line.chars().next() {
        Some('.' | '!' | '。' | '！' | ',' | ';' | '，' | '\n') => true,
        // A line that ends with it heads a list.
        Some(':') => !same_line[1..].trim_start_matches([' ', '*']).starts_with('\n'),
        _ => {
            let word = same_line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
            DASHES.iter().any(|dash| same_line.starts_with(dash))
                || gives_reason(&word.to_lowercase())
                || word == "and" && same_line[3..].trim_start().starts_with("here")
        }
    }
}

/// What follows the same verdict, said again and again; no more is told by that than by saying it once.
fn after_repeats<'a>(rest: &'a str, verdict: &str) -> Repeated<'a> {
    let last = verdict.rsplit(char::is_whitespace).next().unwrap_or(verdict);
    let mut text = rest.trim_start_matches(DECOR);
    let mut often = false;
    while let Some(more) = [verdict, last].iter().find_map(|said| text.strip_prefix(said)) {
        text = more.trim_start_matches(DECOR);
        often = true;
    }
    Repeated { text, often }
}

struct Repeated<'a> {
    text: &'a str,
    often: bool,
}

/// Whether a `Final answer: correct.` stands in the text, with nothing but plain reasons behind.
fn concludes(text: &str, rail: usize, names: &Names) -> bool {
    let mut from = 0;
    while let Some(end) = sentence_end(&text[from..]).map(|end| from + end) {
        let sentence = text[from..end].trim();
        if let Some(said) = final_verdict(sentence, names) {
            let reasons = Reasons { success: names.is_positive(rail), labelled: true };
            return said == rail && explains(after_repeats(&text[end..], sentence), reasons, names);
        }
        from = end;
    }
    false
}

/// Where the first sentence or line of `text` ends; a full stop inside a word or number ends none.
fn sentence_end(text: &str) -> Option<usize> {
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
const DECOR: [char; 14] = ['*', '"', '`', '_', ' ', '\n', '\t', '\'', '“', '”', '.', '!', '#', '。'];

/// What closes a verdict that stands in marks.
const CLOSERS: [char; 8] = ['*', '"', '`', '_', '\'', '”', ']', ')'];

/// The rail of `Final answer: correct.`
fn final_verdict(sentence: &str, names: &Names) -> Option<usize> {
    const LABEL: [&str; 6] = ["label", "verdict", "answer", "grade", "judgment", "judgement"];
    let (key, value) = sentence.trim_matches(DECOR).split_once(':')?;
    let key = key.trim_matches(DECOR).to_lowercase();
    let own = key.strip_prefix("my ").unwrap_or(&key).strip_prefix("final ")?;
    LABEL.contains(&own).then(|| names.exactly(value.trim_matches(DECOR)))?
}

/// What the reasons behind a verdict may say without taking it back.
#[derive(Debug, Clone, Copy)]
struct Reasons {
    /// Of a success a fault is no reason.
    success: bool,
    /// It was called the verdict: what speaks for and against it is weighed already.
    labelled: bool,
}

/// Whether nothing but reasons follow, and some of them: no second thought, no second look, and behind a success no fault.
fn explains(
    Repeated { text, often }: Repeated,
    Reasons { success, labelled }: Reasons,
    names: &Names,
) -> bool {
    let tokens = tokens(text);
    let words: Vec<&Token> = tokens.iter().filter(|token| token.is_word()).collect();
    let doubts = |at: usize| {
        let opens = at == 0 || tokens[at - 1].is_newline() || ".!?:".contains(|mark| tokens[at - 1].is(mark));
        match tokens[at].class {
            Class::Cue => true,
            Class::Contrast => opens || success && !labelled,
            _ if opens && matches!(tokens[at].word(), "update" | "edit" | "revision") => true,
            Class::Condition | Class::Hedge | Class::Negation | Class::Partial | Class::Unclear => {
                success && !labelled
            }
            _ => success && !labelled && is_fault(tokens[at].word()),
        }
    };
    let other_rail = || (0..tokens.len()).any(|at| names.at(&tokens, at).is_some());
    words.len() >= if often { 0 } else { REASONS }
        && !looks_again(&words)
        && !(0..tokens.len()).any(doubts)
        && !(success && (other_rail() || !labelled && text.contains('?')))
        && !text.trim_end().to_lowercase().ends_with("let")
        && !text.trim_end().ends_with("Let me")
}

/// `Let me check`, `I should look`, `on second thought`.
fn looks_again(words: &[&Token]) -> bool {
    const ELABORATES: [&str; 9] =
        ["elaborate", "explain", "justify", "give", "list", "lay", "summarise", "summarize", "walk"];
    const STRESS: [&str; 5] = ["also", "now", "briefly", "just", "further"];
    const MUST: [&str; 11] =
        ["need", "should", "must", "want", "have", "was", "made", "might", "missed", "withdraw", "retract"];
    let word = |at: usize| words.get(at).map_or("", |token| token.word());
    (0..words.len()).any(|at| match word(at) {
        "let" => {
            let verb = at + 2 + usize::from(STRESS.contains(&word(at + 2)));
            verb < words.len() && !ELABORATES.contains(&word(verb))
        }
        "let's" | "reconsider" | "recheck" | "re-check" | "double" | "double-check" | "oh" | "otherwise" => {
            true
        }
        "second" => matches!(word(at + 1), "thought" | "thoughts" | "look" | "glance"),
        "look" | "looking" | "check" | "checking" => matches!(word(at + 1), "again" | "closer" | "once"),
        "i" => MUST.contains(&word(at + 1)),
        _ => false,
    })
}

fn is_fault(word: &str) -> bool {
    matches!(
        word,
        "wrong"
            | "missing"
            | "misses"
            | "lacks"
            | "instead"
            | "should"
            | "fails"
            | "failed"
            | "forgot"
            | "invented"
            | "ignores"
            | "mistake"
            | "only"
    )
}
