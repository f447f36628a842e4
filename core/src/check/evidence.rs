//! The conversation, indexed once, to look up whether it supports a value.

use std::cell::{Cell, OnceCell};
use std::sync::LazyLock;

use memchr::memmem;

use super::currency;
use super::exclusions::{Exclusion, exclusions};
use super::literals::{Span, literals};
use super::toolbox::{distinct, stems};
use crate::domain::{Role, Sample};
use crate::language;
use crate::reading::codes::{self, Hint};
use crate::reading::dates::Times;
use crate::reading::numbers::Figures;
use crate::reading::spoken::Languages;
use crate::reading::words::{
    Stem, StemSet, WordSet, fold, is_content, is_english, is_hangul, is_particle, stem, words,
};
use crate::reading::{self, aliases};

/// The conversation before the judged turn.
pub(super) struct Evidence {
    /// Folded; messages are kept apart by ` | `.
    pub text: String,
    /// Whether it was too long to be read as a whole: what does not stand here may stand in the rest.
    pub is_cut: bool,
    /// The same without spaces, for names written together here and apart there.
    squeezed: String,
    stems: StemSet,
    /// First letters of the words, in order, for abbreviations.
    initials: String,
    /// The same of words that begin with a capital; others part them.
    capitals: String,
    /// What was named to keep it out.
    excluded: Vec<Exclusion>,
    /// Signs of currencies in it.
    pub(super) currencies: Vec<char>,
    /// Stems of short words all in capitals: `IT` may be a country where `it` is none.
    codes: StemSet,
    pub figures: Figures,
    pub times: Times,
    /// Names, numbers and quotations of the last user message, in order.
    pub literals: Vec<Span>,
    /// The last user message, folded.
    pub question: String,
    /// The stem of each of its words.
    pub question_words: Vec<Stem>,
    /// Whether it is in English.
    pub english: bool,
    /// Distinct stems of the last user message's content words, sorted.
    pub question_stems: Vec<Stem>,
    /// Where in the text each message ends, and who said it; the question is first, then the newest.
    tellers: Vec<(usize, Teller)>,
    /// Bytes searched so far.
    searched: Cell<usize>,
    /// The messages themselves, the question first, and the things that they name: read once somebody asks.
    said: Vec<String>,
    things: OnceCell<codes::Text>,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Teller {
    /// The user, in the last message.
    Question,
    /// The user, before.
    User,
    /// A tool, in a result.
    Tool,
    /// The assistant.
    Assistant,
    /// The system text.
    System,
}

impl Teller {
    fn of(role: Role) -> Teller {
        match role {
            Role::User => Teller::User,
            Role::Tool => Teller::Tool,
            Role::System => Teller::System,
            Role::Assistant => Teller::Assistant,
        }
    }
}

/// Bytes read of a question, and of everything before it: bounds the work on hostile rows.
const MAX_QUESTION_BYTES: usize = 64 * 1024;
const MAX_HISTORY_BYTES: usize = 64 * 1024;

/// Bytes searched for one sample: many values, each of many choices, in a long conversation.
const MAX_SEARCHED_BYTES: usize = 256 << 20;

/// Bytes of a message that tell its language.
const MAX_HEARD: usize = 400;

/// Letters of a code such as that of a country.
const MAX_CODE_LENGTH: usize = 3;

/// A shorter last message, such as `yes, please`, only makes sense with what was said before.
const FEW_WORDS: usize = 3;

impl Evidence {
    pub(super) fn new(sample: &Sample) -> Evidence {
        let question = head(&sample.question, MAX_QUESTION_BYTES);
        let mut evidence = Evidence {
            text: String::with_capacity(question.len() + 16),
            is_cut: question.len() < sample.question.len(),
            squeezed: String::with_capacity(question.len()),
            stems: StemSet::default(),
            initials: String::new(),
            capitals: String::new(),
            excluded: Vec::new(),
            currencies: Vec::new(),
            codes: StemSet::default(),
            figures: Figures::default(),
            times: Times::default(),
            literals: Vec::new(),
            question: String::new(),
            question_words: Vec::new(),
            english: false,
            question_stems: Vec::new(),
            tellers: Vec::new(),
            searched: Cell::new(0),
            said: Vec::new(),
            things: OnceCell::new(),
        };
        // A short answer is in the language of what it answers.
        let is_read = |text: &str| text == sample.question && text.len() <= MAX_HEARD;
        for message in sample.messages.iter().rev().take(3).filter(|own| !is_read(&own.content)) {
            evidence.figures.hear(Languages::of(&fold(head(&message.content, MAX_HEARD))));
        }
        evidence.excluded = exclusions(question);
        (evidence.question, evidence.question_words) = evidence.read(question);
        evidence.english = is_english(&evidence.question);
        evidence.tellers.push((evidence.text.len(), Teller::Question));
        let pairs = words(&evidence.question).zip(&evidence.question_words);
        evidence.question_stems = distinct(pairs.filter(|(word, _)| is_content(word)).map(|(_, stem)| *stem));
        evidence.literals = literals(question, &evidence.figures);
        // The newest of the rest counts most: where all is too long, the oldest is left out. What an assistant said counts
        // because the user saw it and went on from it.
        let mut left = MAX_HISTORY_BYTES;
        let mut earlier: Vec<&str> = Vec::new();
        let mut later: Option<String> = None;
        let history = sample.messages.iter().rev().filter(|message| message.content != sample.question);
        for message in history {
            let text = head(&message.content, left);
            evidence.is_cut |= text.len() < message.content.len();
            left -= text.len();
            if message.role == Role::User && earlier.len() < 4 {
                earlier.push(text);
            }
            if matches!(message.role, Role::User | Role::System) {
                let mut excluded = exclusions(text);
                // What a user forbade, a user may allow.
                let later = later.as_ref().unwrap_or(&evidence.question);
                excluded.retain(|own| message.role == Role::System || !own.is_taken_back_by(later));
                evidence.excluded.extend(excluded);
            }
            let (folded, _) = evidence.read(text);
            evidence.tellers.push((evidence.text.len(), Teller::of(message.role)));
            if message.role == Role::User {
                later = Some(folded);
            }
            if left == 0 {
                evidence.is_cut = true;
                break;
            }
        }
        if evidence.question_stems.len() < FEW_WORDS {
            earlier.push(question);
            evidence.question_stems = stems(&fold(&earlier.join("\n")));
        }
        evidence
    }

    /// Adds one message; gives it back folded, with the stem of each word.
    fn read(&mut self, text: &str) -> (String, Vec<Stem>) {
        let folded = fold(text);
        self.said.push(text.to_owned());
        reading::read(text, &folded, &mut self.figures, &mut self.times);
        self.currencies.extend(currency::signs(text));
        let stems: Vec<Stem> = words(&folded).map(stem).collect();
        self.stems.extend(&stems);
        for word in words(&folded) {
            self.squeezed.push_str(word);
            self.initials.push(word.chars().next().unwrap_or_default());
        }
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let capital = word.chars().next().filter(|c| c.is_uppercase());
            if !NAME_LINKS.has(word) {
                self.capitals.push(capital.map_or('|', |c| c.to_ascii_lowercase()));
            }
            if capital.is_some()
                && word.len() <= MAX_CODE_LENGTH
                && word.bytes().all(|b| b.is_ascii_uppercase())
            {
                self.codes.insert(stem(&word.to_ascii_lowercase()));
            }
        }
        self.squeezed.push('|');
        self.initials.push('|');
        self.capitals.push('|');
        if !self.text.is_empty() {
            self.text.push('|');
        }
        self.text.push_str(&folded);
        (folded, stems)
    }

    /// Whether the folded phrase stands in the conversation word for word.
    pub(super) fn has_phrase(&self, folded: &str) -> bool {
        self.searched.set(self.searched.get().saturating_add(self.text.len()));
        !self.is_exhausted() && has(&self.text, folded)
    }

    /// Who said a folded phrase last, and how many messages before the question.
    pub(super) fn told_by(&self, folded: &str) -> Option<(Teller, usize)> {
        self.searched.set(self.searched.get().saturating_add(self.text.len()));
        let at = if self.is_exhausted() { None } else { find(&self.text, folded) }?;
        let message = self.tellers.partition_point(|(end, _)| *end <= at);
        self.tellers.get(message).map(|(_, teller)| (*teller, message))
    }

    /// Whether a word of that stem was said.
    pub(super) fn knows(&self, stem: Stem) -> bool {
        self.stems.contains(&stem)
    }

    /// The question as it was written.
    pub(super) fn asked(&self) -> &str {
        self.said.first().map_or("", String::as_str)
    }

    /// Whether nothing was said but the question.
    pub(super) fn is_one_message(&self) -> bool {
        self.tellers.len() == 1
    }

    /// The distinct stems of all that was said.
    pub(super) fn all_stems(&self) -> Vec<Stem> {
        let mut stems: Vec<Stem> = self.stems.iter().copied().collect();
        stems.sort_unstable();
        stems
    }

    /// Whether anything was named to keep it out.
    pub(super) fn excludes_anything(&self) -> bool {
        !self.excluded.is_empty()
    }

    /// Whether a folded phrase stands there only to be kept out, if a tool is given, of calls of the tool of that folded name.
    pub(super) fn excludes(&self, folded: &str, tool: Option<&str>) -> bool {
        let against = |own: &&Exclusion| tool.is_none_or(|tool| own.is_against(tool));
        let named = self.excluded.iter().filter(against).map(|own| own.words.matches(folded).count());
        let named: usize = named.sum();
        folded.len() > 2 && named > 0 && named >= self.text.matches(folded).count()
    }

    /// Whether so much was looked for that the rest was not: what is missing then says nothing.
    pub(super) fn is_exhausted(&self) -> bool {
        self.searched.get() > MAX_SEARCHED_BYTES
    }

    /// Whether the conversation names the thing that a value names, by another name or a code.
    pub(super) fn names_thing(&self, value: &str, hint: Hint) -> bool {
        codes::same_thing(value, self.things(), hint).is_some()
    }

    /// The words by which the conversation names the thing that a value names.
    pub(super) fn name_of_thing(&self, value: &str, hint: Hint) -> Option<&str> {
        codes::same_thing(value, self.things(), hint).map(|found| found.words)
    }

    fn things(&self) -> &codes::Text {
        self.things.get_or_init(|| codes::Text::of(self.said.iter().map(String::as_str)))
    }

    /// Whether letters and digits without spaces between them stand there, with whatever spaces.
    pub(super) fn is_spelled(&self, squeezed: &str) -> bool {
        self.searched.set(self.searched.get().saturating_add(self.squeezed.len()));
        self.is_exhausted() || memmem::find(self.squeezed.as_bytes(), squeezed.as_bytes()).is_some()
    }

    /// Whether the folded phrase stands there with other spaces, endings or under another name.
    pub(super) fn has_meaning(&self, folded: &str, original: &str) -> bool {
        let squeezed: String = folded.chars().filter(|c| *c != ' ').collect();
        if squeezed.len() >= 5 && self.squeezed.contains(&squeezed) {
            return true;
        }
        let letters = original.trim();
        if (2..=5).contains(&letters.len()) && letters.bytes().all(|b| b.is_ascii_uppercase()) {
            // Two or three words somewhere begin with any letters; names do not.
            let initials = if letters.len() < 4 { &self.capitals } else { &self.initials };
            if initials.contains(&letters.to_ascii_lowercase()) {
                return true;
            }
        }
        self.has_alias(folded.trim())
    }

    /// Whether a folded word or phrase stands there under another name.
    fn has_alias(&self, folded: &str) -> bool {
        aliases::of(folded).any(|alias| {
            (!aliases::is_common_word(alias) || self.has_code(alias))
                && self.has_phrase(&format!(" {alias} "))
        })
    }

    /// Whether a folded word stands there all in capitals.
    pub(super) fn has_code(&self, word: &str) -> bool {
        self.codes.contains(&stem(word))
    }

    /// Of the content words of a folded text, how many the conversation knows, and how many there are.
    pub(super) fn known_words(&self, folded: &str) -> (usize, usize) {
        let content = || {
            words(folded).take(400).filter(|word| {
                !CODE_WORDS.has(word) && (is_content(word) || word.starts_with(|c: char| c.is_numeric()))
            })
        };
        let known = |word: &&str| self.stems.contains(&stem(word)) || self.has_alias(word);
        (content().filter(known).count(), content().count())
    }
}

/// Words of code around the words that count.
static CODE_WORDS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::of("lambda return def new math select where var const true false arrays aslist".split(' '))
});

/// Small words that stand inside of names, as in `Bank of America`.
static NAME_LINKS: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::of(language::words(|of| &of.text.name_links)));

/// Whether a folded phrase stands in a folded text.
fn has(text: &str, folded: &str) -> bool {
    if ends_in_hangul(folded) { find_korean(text, folded).is_some() } else { text.contains(folded) }
}

/// Where a folded phrase stands in a folded text.
fn find(text: &str, folded: &str) -> Option<usize> {
    match ends_in_hangul(folded) {
        true => find_korean(text, folded),
        false => memmem::find(text.as_bytes(), folded.as_bytes()),
    }
}

fn ends_in_hangul(folded: &str) -> bool {
    folded.trim_end().chars().next_back().is_some_and(is_hangul)
}

/// Korean writes small words together with the word before them: `유로` stands in `유로를`, and not in `유로파`.
fn find_korean(text: &str, folded: &str) -> Option<usize> {
    let inner = folded.trim_end();
    let ends = |at: &usize| {
        let rest = &text[at + inner.len()..];
        let tail = &rest[..rest.find(' ').unwrap_or(rest.len())];
        tail.is_empty() || (inner.trim_start().chars().nth(1).is_some() && is_particle(tail))
    };
    text.match_indices(inner).map(|(at, _)| at).find(ends)
}

/// The start of a text, cut between characters.
fn head(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}
