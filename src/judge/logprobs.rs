//! Converts token probabilities to the probability of each rail.

use serde::Deserialize;

use crate::domain::{RailProbability, Rails};

/// Below this share of the probability, the rails that were seen say too little about the rest, unless nothing else could be
/// answered.
const ENOUGH: f64 = 0.5;

/// A generated token, and what could have stood in its place.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Token {
    #[serde(flatten)]
    pub chosen: Candidate,
    #[serde(default, rename = "top_logprobs")]
    pub alternatives: Vec<Candidate>,
}

/// A token and the natural logarithm of its probability.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Candidate {
    pub token: String,
    #[serde(default, alias = "logProbability")]
    pub logprob: Option<f64>,
    /// The token's own bytes, where it is a part of a character.
    #[serde(default)]
    pub bytes: Option<Vec<u8>>,
}

impl Candidate {
    fn text(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.token.as_bytes())
    }

    fn probability(&self) -> f64 {
        self.logprob.filter(|logprob| !logprob.is_nan()).map_or(0.0, |logprob| logprob.min(0.0).exp())
    }
}

/// How probable each rail was as the label, by the alternatives at the label's own tokens.
///
/// Looks for the place where the label begins (in JSON the value of the last `"label"`, else the word that the answer
/// consists of or begins with) and adds up all spellings of a rail there: with a space or a quote before it, in any
/// letter case, or only its beginning, where no other rail begins so. A beginning that several rails share is followed
/// along the generated tokens; elsewhere it is left out. The sum is brought to 1 over the rails that were seen.
///
/// Empty where the answer is none of the rails, or the rails seen make up less than half of the probability. Where the
/// endpoint `forced` the rail, less will do: some servers give the probabilities from before they forced it, and spread them
/// over whatever the model would rather have said. A rail that is not seen then counts as much as it may have had.
pub(super) fn rail_probabilities(tokens: &[Token], rails: &Rails, forced: bool) -> Vec<RailProbability> {
    let mut whole = Vec::new();
    let mut starts = Vec::with_capacity(tokens.len());
    for token in tokens {
        starts.push(whole.len());
        whole.extend_from_slice(token.chosen.text());
    }
    let labels: Vec<Vec<u8>> = rails.labels().map(|label| folded(label.trim().as_bytes())).collect();
    let Some(value) = value_in_json(&whole, &labels).or_else(|| value_in_words(&whole, &labels)) else {
        return Vec::new();
    };
    let first = starts.partition_point(|start| *start <= value) - 1;
    let mut masses = masses(&tokens[first..], &whole[starts[first]..value], &labels);
    let mut sum: f64 = masses.iter().sum();
    if sum.is_nan() || sum <= 0.0 || sum < ENOUGH && !forced {
        return Vec::new();
    }
    if sum < ENOUGH {
        let unseen = unseen(&tokens[first]);
        masses.iter_mut().filter(|mass| **mass == 0.0).for_each(|mass| *mass = unseen);
        sum = masses.iter().sum();
    }
    let seen = rails.labels().zip(masses).filter(|(_, mass)| *mass > 0.0);
    seen.map(|(label, mass)| RailProbability { label: label.to_owned(), probability: (mass / sum).min(1.0) })
        .collect()
}

/// The most that what is not listed beside `token` can have had.
fn unseen(token: &Token) -> f64 {
    let listed = token.alternatives.iter().map(Candidate::probability);
    listed.fold(token.chosen.probability(), f64::min)
}

/// The probability of each label, from the token in which it begins; `head` is what that token holds before it.
fn masses(tokens: &[Token], head: &[u8], labels: &[Vec<u8>]) -> Vec<f64> {
    let mut masses = vec![0.0; labels.len()];
    let mut so_far = Vec::new();
    // What is left to be told apart: several rails begin with what was generated so far.
    let mut undecided = 1.0;
    for (at, token) in tokens.iter().enumerate() {
        let spelled = |candidate: &Candidate| match at {
            0 => opening(candidate.text(), head, labels),
            _ => folded(&[so_far.as_slice(), candidate.text()].concat()),
        };
        let chosen = token.chosen.text();
        let listed = token.alternatives.iter().any(|other| other.text() == chosen);
        let mut shared = 0.0;
        for candidate in token.alternatives.iter().chain((!listed).then_some(&token.chosen)) {
            match belongs(&spelled(candidate), labels) {
                Belongs::To(rail) => masses[rail] += undecided * candidate.probability(),
                Belongs::ToSeveral if candidate.text() == chosen => shared += candidate.probability(),
                Belongs::ToSeveral | Belongs::ToNone => {}
            }
        }
        so_far = spelled(&token.chosen);
        undecided *= shared;
        if undecided == 0.0 {
            return masses;
        }
    }
    if let Some(rail) = labels.iter().position(|label| *label == so_far) {
        masses[rail] += undecided;
    }
    masses
}

/// What a candidate for the first token makes of the label, whichever space, quote or markup it has before it.
fn opening(candidate: &[u8], head: &[u8], labels: &[Vec<u8>]) -> Vec<u8> {
    let rest = candidate.strip_prefix(head).unwrap_or(candidate);
    let spelled = folded(rest);
    match belongs(&spelled, labels) {
        Belongs::ToNone => folded(without_marks(rest)),
        _ => spelled,
    }
}

/// Which rail a beginning belongs to.
enum Belongs {
    To(usize),
    ToSeveral,
    ToNone,
}

fn belongs(spelled: &[u8], labels: &[Vec<u8>]) -> Belongs {
    if spelled.is_empty() {
        return Belongs::ToNone;
    }
    let fits = |label: &[u8]| {
        label.starts_with(spelled) || spelled.strip_prefix(label).is_some_and(|rest| !continues(rest))
    };
    let mut fitting = labels.iter().enumerate().filter(|(_, label)| fits(label)).map(|(rail, _)| rail);
    match (fitting.next(), fitting.next()) {
        (Some(rail), None) => Belongs::To(rail),
        (Some(_), Some(_)) => Belongs::ToSeveral,
        (None, _) => Belongs::ToNone,
    }
}

/// Where the value of the last `"label"` begins, if it is one of the labels.
fn value_in_json(whole: &[u8], labels: &[Vec<u8>]) -> Option<usize> {
    const KEY: &[u8] = b"\"label\"";
    let is_key = |at: usize| whole[at..].starts_with(KEY) && (at == 0 || whole[at - 1] != b'\\');
    let key = (0..whole.len()).rev().find(|at| is_key(*at))?;
    let after = whole[key + KEY.len()..].trim_ascii_start().strip_prefix(b":")?;
    let value = after.trim_ascii_start().strip_prefix(b"\"")?;
    let end = value.iter().position(|byte| *byte == b'"').unwrap_or(value.len());
    labels.contains(&folded(value[..end].trim_ascii())).then(|| whole.len() - value.trim_ascii_start().len())
}

/// Where the label begins in an answer of words: at its beginning, followed by the end of a sentence or line, or as all
/// that follows a colon. Anywhere else a rail's word may mean something else.
fn value_in_words(whole: &[u8], labels: &[Vec<u8>]) -> Option<usize> {
    let whole_text = std::str::from_utf8(whole).ok()?;
    let begins = |text: &str, ends: &dyn Fn(&str) -> bool| {
        let value = without_marks(text.as_bytes());
        let found = labels.iter().any(|label| {
            let spelled = value.get(..label.len()).map(folded);
            let rest = value.get(label.len()..).and_then(|rest| std::str::from_utf8(rest).ok());
            spelled.as_ref() == Some(label) && rest.is_some_and(ends)
        });
        found.then(|| whole.len() - value.len())
    };
    let sentence_ends = |rest: &str| {
        let rest = rest.trim_start_matches(['"', '\'', '`', '*', '_']);
        rest.is_empty() || rest.starts_with(['.', '!', '\n', '\r'])
    };
    let all_ends = |rest: &str| !rest.contains(char::is_alphanumeric);
    begins(whole_text, &sentence_ends).or_else(|| begins(whole_text.split_once(':')?.1, &all_ends))
}

/// `text` from its first letter, digit or byte beyond ASCII on.
fn without_marks(text: &[u8]) -> &[u8] {
    let mark = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_punctuation();
    &text[text.iter().position(|byte| !mark(byte)).unwrap_or(text.len())..]
}

/// Whether a word goes on with `rest`.
fn continues(rest: &[u8]) -> bool {
    rest.first()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || !byte.is_ascii())
}

/// In small letters, if it is text at all: tokens may hold parts of characters.
fn folded(text: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(text) {
        Ok(text) => text.to_lowercase().into_bytes(),
        Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::domain::Rail;

    #[derive(Deserialize)]
    struct Case {
        about: String,
        /// Each a text, the best tokens in its place, and its own probability.
        tokens: Vec<Vec<serde_json::Value>>,
        #[serde(default = "usual")]
        rails: Vec<String>,
        expect: BTreeMap<String, f64>,
        /// Whether the endpoint forced the rail.
        #[serde(default)]
        forced: bool,
    }

    fn usual() -> Vec<String> {
        ["correct", "incorrect"].map(str::to_owned).to_vec()
    }

    fn rails(labels: &[String]) -> Rails {
        let rails = labels.iter().map(|label| Rail { label: label.clone(), score: 0.0 }).collect();
        Rails::new(rails, &labels[0]).unwrap()
    }

    fn candidate(text: &str, probability: f64) -> Candidate {
        Candidate { token: text.to_owned(), logprob: Some(probability.ln()), bytes: None }
    }

    fn token(case: &[serde_json::Value]) -> Token {
        let text = case[0].as_str().unwrap();
        let best = case.get(1).and_then(|best| best.as_object());
        let alternatives: Vec<Candidate> =
            best.into_iter().flatten().map(|(text, p)| candidate(text, p.as_f64().unwrap())).collect();
        let own = case.get(2).and_then(|p| p.as_f64()).unwrap_or(1.0);
        Token { chosen: candidate(text, own), alternatives }
    }

    fn found(tokens: &[Token], rails: &Rails, forced: bool) -> BTreeMap<String, f64> {
        rail_probabilities(tokens, rails, forced)
            .into_iter()
            .map(|rail| (rail.label, rail.probability))
            .collect()
    }

    /// Every case, and the same in bytes, as some servers list tokens.
    #[test]
    fn cases() {
        let mut count = 0;
        for line in include_str!("../../tests/cases/logprobs.jsonl").lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            let rails = rails(&case.rails);
            let mut tokens: Vec<Token> = case.tokens.iter().map(|case| token(case)).collect();
            for form in ["text", "bytes"] {
                let found = found(&tokens, &rails, case.forced);
                let alike = found.len() == case.expect.len()
                    && case
                        .expect
                        .iter()
                        .all(|(label, p)| (found.get(label).unwrap_or(&-1.0) - p).abs() < 1e-6);
                assert!(alike, "{} ({form}): {found:?}", case.about);
                for token in &mut tokens {
                    for candidate in token.alternatives.iter_mut().chain([&mut token.chosen]) {
                        candidate.bytes = Some(std::mem::take(&mut candidate.token).into_bytes());
                    }
                }
            }
            count += 1;
        }
        assert!(count > 25);
    }

    proptest::proptest! {
        #[test]
        fn probabilities_are_probabilities(
            noise in proptest::collection::vec("(\\{|\"label\"|:| |\"|correct|in|cor|rect|c|losed|\\}|\\.|é|\\\\)", 0..8),
            label in proptest::option::of(proptest::sample::select(vec!["correct", "c|losed", "in|correct", "correct|_partly"])),
            alternatives in proptest::collection::vec(("( |\"|c|in|correct|incorrect|closed|Correct|x|é)?(\")?", -12.0_f64..1.0), 0..7),
            odd in proptest::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -9999.0]),
            turn in 0_usize..7,
            forced: bool,
        ) {
            let rails = rails(&["correct", "incorrect", "closed", "correct_partly"].map(str::to_owned));
            let texts: Vec<String> = match label {
                Some(label) => ["{\"label\":\""].into_iter().chain(label.split('|')).chain(["\"}"]).map(str::to_owned).collect(),
                None => noise,
            };
            let mut best: Vec<Candidate> = alternatives
                .iter()
                .map(|(text, logprob)| Candidate { token: text.clone(), logprob: Some(*logprob), bytes: None })
                .collect();
            best.push(Candidate { token: "incorrect".into(), logprob: Some(odd), bytes: None });
            let tokens = |best: &[Candidate]| -> Vec<Token> {
                let chosen = |text: &String| Candidate { token: text.clone(), logprob: Some(-0.1), bytes: None };
                texts.iter().map(|text| Token { chosen: chosen(text), alternatives: best.to_vec() }).collect()
            };
            let got = found(&tokens(&best), &rails, forced);
            let sum: f64 = got.values().sum();
            proptest::prop_assert!(got.values().all(|p| (0.0..=1.0).contains(p)));
            proptest::prop_assert!(got.is_empty() || (sum - 1.0).abs() < 1e-9, "{got:?}");
            let length = best.len();
            best.rotate_left(turn % length);
            let turned = found(&tokens(&best), &rails, forced);
            proptest::prop_assert_eq!(got.len(), turned.len());
            proptest::prop_assert!(got.iter().all(|(label, p)| (turned[label] - p).abs() < 1e-9));
        }
    }
}
