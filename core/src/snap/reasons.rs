//! What follows a verdict in a truncated reply: plain reasons, or something that the missing part may take back.

use super::class::Class;
use super::exception;
use super::fault;
use super::language::{self, Spoken};
use super::lexicon;
use super::names::Names;
use super::retraction::{denies, overrules, retracts};
use super::token::{Kind, Token, tokens};
use super::words::Words;

/// Fewer words behind a verdict tell nothing of how the reply goes on.
const REASONS: usize = 4;

/// English words with which a sentence begins that only gives reasons.
static OPENERS: Words = Words::new(
    "the this it its all both every each no none nothing because since explanation reason reasons reasoning rationale
    justification analysis user user's agent agent's assistant assistant's call calls a an they their there it's specifically first
    second third firstly secondly thirdly lastly according let also additionally furthermore moreover therefore thus hence in which given here's here details why summary",
);

/// The same where the verdict was called one.
static LABELLED: Words = Words::new("while what comment comments note among long short by with for");

/// Words in which a reason for a failure speaks for the call.
static AGAINST: Words = Words::new(
    "opposite impression tempting tempted might may right optional fine okay ok acceptable allowed closer reading rereading
    look before previous earlier nothing seemed seems appears if unless",
);

/// The same where nothing is denied and no fault is named.
static AGREES: Words =
    Words::new("matches match matching fits fit exactly indeed correctly properly complete clean good well");

/// What follows a verdict, and whether the same verdict was said several times before it.
pub(super) struct Repeated<'a> {
    pub text: &'a str,
    pub often: bool,
}

/// What the reasons behind a verdict may say without taking it back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reasons {
    pub rail: usize,
    /// It was called the verdict: what speaks for and against it is weighed already.
    pub labelled: bool,
    /// It stands alone on its line.
    pub alone: bool,
}

/// Whether a word begins a plain reason in English.
pub(super) fn opens_reason(word: &str) -> bool {
    OPENERS.has(word) || word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether nothing but reasons follow, and some of them: no second thought, no second look, and behind a success no fault.
pub(super) fn explains(
    Repeated { text, often }: Repeated,
    Reasons { rail, labelled, alone }: Reasons,
    names: &Names,
) -> bool {
    let success = names.is_positive(rail);
    let tokens = tokens(text);
    let words: Vec<&Token> = tokens.iter().filter(|token| token.is_word()).collect();
    if often && words.len() < REASONS {
        return !turns(text, rail, names)
            && !words.iter().any(|token| matches!(token.class, Class::Cue | Class::Contrast));
    }
    let spoken = language::of(text, &tokens);
    let plain = match spoken {
        // `…, as the city is missing`
        Spoken::English if text.starts_with("as ") => {
            sentences(&tokens).skip(1).all(|sentence| opens_plainly(sentence, labelled))
        }
        Spoken::English => sentences(&tokens).all(|sentence| opens_plainly(sentence, labelled)),
        Spoken::Listed => {
            sentences(&tokens).all(opens_abroad)
                && !words
                    .iter()
                    .any(|token| token.class == Class::Contrast || success && fault::is_foreign(token.word()))
        }
        Spoken::Unknown => false,
    };
    // `the only tool`
    let sole =
        |at: usize| tokens[at].word() == "only" && at > 0 && matches!(tokens[at - 1].word(), "the" | "its");
    let doubts = |at: usize| {
        let word = tokens[at].word();
        let opens = at == 0 || tokens[at - 1].is_newline() || ".!?:".contains(|mark| tokens[at - 1].is(mark));
        match tokens[at].class {
            Class::Cue => true,
            Class::Contrast => opens || success && !labelled,
            Class::Condition | Class::Hedge | Class::Negation | Class::Partial | Class::Unclear => {
                success && !labelled
            }
            _ => success && !labelled && tokens[at].is_word() && fault::is_english(word) && !sole(at),
        }
    };
    // A failure has a fault to tell of; in English the words that speak for the call are known better.
    let because = words.first().is_some_and(|token| lexicon::gives_reason(token.word()));
    let tells = || {
        words.iter().any(|token| {
            matches!(token.class, Class::Negation | Class::Contrast)
                || fault::is_english(token.word())
                || fault::is_foreign(token.word())
        })
    };
    let against =
        || words.iter().any(|token| AGAINST.has(token.word()) || language::is_nothing(token.word()));
    // `Incorrect - the agent …`
    let direct = text.starts_with(['-', '–', '—', ':']);
    let failure = success
        || labelled
        || because
        || (alone
            || direct
            || spoken == Spoken::English && !words.iter().any(|token| AGREES.has(token.word()))
            || tells())
            && !against();
    let other_rail = || (0..tokens.len()).any(|at| names.at(&tokens, at).is_some());
    words.len() >= REASONS
        && plain
        && failure
        && !looks_again(&words)
        && !(0..tokens.len()).any(doubts)
        && !(success && (other_rail() || !labelled && text.contains('?')))
        && !turns(text, rail, names)
        && !(success && sentences(&tokens).any(exception::among))
        && !text.trim_end().to_lowercase().ends_with("let")
        && !text.trim_end().ends_with("Let me")
}

/// Whether `text`, which explains a verdict, turns round and gives up that verdict.
pub(super) fn turns(text: &str, rail: usize, names: &Names) -> bool {
    let text = text.replace("\\n", "\n");
    let tokens = tokens(&text);
    let words: Vec<&Token> = tokens.iter().filter(|token| token.is_word()).collect();
    overrules(&tokens, rail, names)
        || looks_again(&words)
        || language::reconsiders(&text)
        || sentences(&tokens).any(|sentence| retracts(sentence) || denies(sentence))
        || heads_line(&tokens, rail, names)
}

/// Another rail heads a sentence: `Incorrect: … Correct: …` defines both.
fn heads_line(tokens: &[Token], rail: usize, names: &Names) -> bool {
    sentences(tokens).any(|sentence| {
        let first = sentence.iter().position(Token::is_word);
        first.and_then(|at| names.at(sentence, at)).is_some_and(|(other, _)| other != rail)
    })
}

/// The sentences of `tokens`, by their marks and lines.
fn sentences(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    let ends = |token: &Token| {
        token.is_newline() || matches!(token.kind, Kind::Mark('.' | '!' | '?' | '。' | '！' | ';'))
    };
    tokens.split(ends).filter(|sentence| sentence.iter().any(Token::is_word))
}

/// `El agente …`; writing without spaces has no first word.
fn opens_abroad(sentence: &[Token]) -> bool {
    sentence.iter().find(|token| token.is_word()).is_none_or(|first| {
        let unspaced = first.word().contains(|c: char| ('\u{3000}'..='\u{9fff}').contains(&c));
        unspaced || language::opens(first.word()) || lexicon::gives_reason(first.word())
    })
}

/// `The city matches …`, `` `city` is …``
fn opens_plainly(sentence: &[Token], labelled: bool) -> bool {
    let Some(at) = sentence.iter().position(Token::is_word) else { return true };
    let word = sentence[at].word();
    let quoted = at > 0 && sentence[at - 1].is('`');
    // `No: the city …`, `No — wait`
    let broken = word == "no" && !sentence.get(at + 1).is_some_and(Token::is_word);
    (quoted || labelled && LABELLED.has(word) || word.contains('_') || opens_reason(word)) && !broken
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
