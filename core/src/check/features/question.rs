//! The last user message as tokens, and what kind of request its form suggests.

use std::sync::LazyLock;

use crate::check::evidence::Evidence;
use crate::check::observation::Literal;
use crate::domain::Sample;
use crate::reading::words::{Stem, WordSet, hash, words};

/// Words read: bounds the work on hostile rows.
const MAX_WORDS: usize = 1_500;

/// What is asked.
pub(in crate::check) struct Question<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<&'a str>,
    /// Of each word.
    pub(super) stems: Vec<Stem>,
    /// Distinct ones of all words, sorted.
    pub(super) sorted: Vec<Stem>,
    pub(super) sentences: usize,
    pub(super) marks: usize,
    pub(super) commas: usize,
    pub(super) ands: usize,
    pub(super) sequence: usize,
    pub(super) several: usize,
    pub(super) verbs: usize,
    pub(super) compare: usize,
    /// Items of the longest list.
    pub(super) listed: usize,
    pub(super) names: usize,
    pub(super) numbers: usize,
    pub(super) negated: bool,
}

static SEQUENCE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::of(
        "then also afterwards finally additionally next lastly moreover furthermore besides secondly thirdly"
            .split(' '),
    )
});
static SEVERAL: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::of("both each respectively two three four second third fourth".split(' ')));
static VERBS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::of(
        "what how who when where which find calculate get compute determine tell give show fetch book check search provide convert \
         estimate create add set send play list order update delete cancel schedule"
            .split_whitespace(),
    )
});
static COMPARE: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::of("same another other different again versus vs compare between".split(' ')));
static NEGATIONS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::of("not no without dont doesnt never exclude excluding disable skip avoid except".split(' '))
});

impl<'a> Question<'a> {
    pub(in crate::check) fn new(sample: &'a Sample, evidence: &'a Evidence) -> Question<'a> {
        let text = sample.question.as_str();
        let text =
            &text[..(0..=text.len().min(16 * 1024)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)];
        let words: Vec<&str> = words(&evidence.question).take(MAX_WORDS).collect();
        let stems = evidence.question_words[..words.len()].to_vec();
        let mut sorted = stems.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let hashes: Vec<u64> = words.iter().map(|word| hash(word)).collect();
        let of = |set: &WordSet| hashes.iter().filter(|hash| set.has_hashed(**hash)).count();
        let mut question = Question {
            text,
            sentences: 0,
            marks: 0,
            commas: 0,
            ands: words.iter().filter(|word| **word == "and").count(),
            sequence: of(&SEQUENCE),
            several: of(&SEVERAL),
            verbs: of(&VERBS),
            compare: of(&COMPARE),
            listed: 1,
            names: evidence.literals.iter().filter(|span| span.kind != Literal::Number).count(),
            numbers: evidence.literals.iter().filter(|span| span.kind == Literal::Number).count(),
            negated: of(&NEGATIONS) > 0,
            words,
            stems,
            sorted,
        };
        question.punctuation();
        question
    }

    /// Whether a word of that stem is in it.
    pub(super) fn has(&self, stem: Stem) -> bool {
        self.sorted.binary_search(&stem).is_ok()
    }

    /// The share of stems that it has; `none` of no stems.
    pub(super) fn share(&self, stems: &[Stem], none: f32) -> f32 {
        if stems.is_empty() {
            return none;
        }
        stems.iter().filter(|stem| self.has(**stem)).count() as f32 / stems.len() as f32
    }

    /// Where the words of a value stand.
    pub(super) fn mentions(&self, value: &[&str]) -> Vec<usize> {
        if value.is_empty() || value.len() > self.words.len() {
            return Vec::new();
        }
        let (first, letter) = (value[0], value[0].as_bytes()[0]);
        (0..=self.words.len() - value.len())
            .filter(|at| {
                self.words[*at].as_bytes()[0] == letter
                    && self.words[*at] == first
                    && self.words[*at..*at + value.len()] == *value
            })
            .take(6)
            .collect()
    }

    /// Marks, sentences, and lists of short items: `A, B and C`.
    fn punctuation(&mut self) {
        let mut items = 1;
        let mut length = 0;
        let mut longest = 1;
        for word in self.text.split_whitespace().take(MAX_WORDS) {
            let last = word.chars().next_back().unwrap_or(' ');
            let joint = matches!(word, "and" | "or" | "&");
            if joint {
                if length > 0 || items > 1 {
                    items += usize::from(length > 0);
                    length = 0;
                }
                longest = longest.max(items);
                continue;
            }
            length += 1;
            match last {
                '?' => self.marks += 1,
                ',' | ';' => self.commas += 1,
                _ => {}
            }
            self.sentences += usize::from(matches!(last, '.' | '?' | '!' | '。' | '？'));
            if matches!(last, ',' | ';') && length <= 5 {
                items += 1;
                length = 0;
            } else if length > 5 || matches!(last, '.' | '?' | '!' | ':') {
                longest = longest.max(items);
                items = 1;
                length = 0;
            }
        }
        self.listed = longest.max(items);
    }
}
