//! Which of two answers a text calls good. Whoever takes a measure of faults for one of merit has every label the wrong way round, so what
//! is not said clearly stays open.

use regex_lite::Regex;

use super::sense::{Sense, sense};

/// Two answers that a text asks for, the one that would pass first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answers<'a> {
    pub high: &'a str,
    pub low: &'a str,
}

/// What a text says of one answer.
struct Said<'t> {
    is_high: bool,
    words: &'t str,
}

impl Answers<'_> {
    /// Whether `text` calls the first one good: by what it says of the two, else by what is measured, which `title` and then the whole text
    /// tell. Good only if it is clear.
    pub(super) fn of(self, title: &str, text: &str) -> Sense {
        let text = without_placeholders(text);
        let said = self.said(&text).unwrap_or_default();
        let senses = |is_high: bool| {
            said.iter().filter(move |said| said.is_high == is_high).map(|said| sense(said.words))
        };
        let has = |is_high: bool, wanted: Sense| senses(is_high).any(|sense| sense == wanted);
        let is_good = has(true, Sense::Good);
        let is_bad = has(true, Sense::Bad) || has(true, Sense::Mixed);
        match (is_good, is_bad, has(false, Sense::Good), has(false, Sense::Bad)) {
            // Examples say all sorts of things of the low one.
            (true, false, false, _) | (true, false, true, true) | (false, false, false, true) => {
                return Sense::Good;
            }
            // Both are called by what is measured: `[Fluency: 1] (Emergent Fluency)`.
            (true, false, true, false) => {}
            (false, false, false, false) if senses(true).next().is_none() => {}
            (false, false, false, false) => return Sense::Neutral,
            (false, _, _, _) => return Sense::Bad,
            (true, _, _, _) => return Sense::Mixed,
        }
        [title, &text].into_iter().map(sense).find(|sense| *sense != Sense::Neutral).unwrap_or(Sense::Neutral)
    }

    /// What stands beside the two answers: `1 = right`, `Return 1 if`, `[Quality: 1] (Poor)`, `incorrect=1`, `correct (1)`.
    fn said<'t>(self, text: &'t str) -> Option<Vec<Said<'t>>> {
        const VERDICTS: &str = "pass|passed|fail|failed|correct|incorrect|right|wrong|good|bad|valid|invalid";
        let Answers { high, low } = self;
        let after = Regex::new(&format!(
            r#"(?i)(?:^|[^\w.])({high}|{low})["'\]\)*`>]*,?\s*(=+>?|:|-+>|→|[-–—]\s|\(|(?:only\s+)?if\b|for\b|when\b|whenever\b|where\b|means?\b|indicates?\b|represents?\b|denotes?\b|is\b|wenn\b|falls\b|für\b|bei\b)\s*"#
        ))
        .ok()?;
        let equal = Regex::new(&format!(
            r#"(?i)(?:([^\W\d]\w*)["'*`\)]*\s*(?:=+>?|-+>|→)|\b({VERDICTS})["'*`\)]*\s*:)\s*["'*`(]*({high}|{low})\b"#
        ))
        .ok()?;
        let behind =
            Regex::new(&format!(r"(?i)((?:[^\W\d]\w*\W{{1,2}}){{1,3}})\(\s*({high}|{low})\s*\)")).ok()?;
        let is_high = |found: &str| found.eq_ignore_ascii_case(high);
        let is_verdict = |words: &str| sense(words) != Sense::Neutral;
        let mut said = Vec::new();
        for line in text.lines() {
            let places: Vec<_> = after
                .captures_iter(line)
                .filter_map(|found| Some((found.get(0)?, found.get(1)?, found.get(2)?)))
                .filter(|(whole, ..)| !line[whole.end()..].starts_with(|c: char| c.is_ascii_digit()))
                .collect();
            let starts = places.iter().skip(1).map(|(_, value, _)| value.start()).chain([line.len()]);
            for ((whole, value, mark), end) in places.iter().zip(starts) {
                let words = line[whole.end()..end.max(whole.end())].trim();
                said.push(Said { is_high: is_high(value.as_str()), words: cut(words, mark.as_str() == "(") });
            }
            for found in equal.captures_iter(line) {
                let word = found.get(1).or_else(|| found.get(2));
                if let Some((word, value)) =
                    word.zip(found.get(3)).filter(|(word, _)| is_verdict(word.as_str()))
                {
                    said.push(Said { is_high: is_high(value.as_str()), words: word.as_str() });
                }
            }
            for found in behind.captures_iter(line) {
                let found = found.get(1).zip(found.get(2)).filter(|(words, _)| is_verdict(words.as_str()));
                if let Some((words, value)) = found {
                    said.push(Said { is_high: is_high(value.as_str()), words: words.as_str() });
                }
            }
        }
        // The number of an example says nothing, nor does another word for the answer itself.
        const NOTHING: [&str; 8] = ["", "true", "false", "yes", "no", "integer", "an integer", "inclusive"];
        said.retain(|said| {
            let words = said.words.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            !words.starts_with("example") && !NOTHING.contains(&&*words)
        });
        Some(said)
    }
}

/// What is said of an answer, without what follows of others; in brackets, only what is in these, unless it is another word for the answer.
fn cut(words: &str, in_brackets: bool) -> &str {
    if let Some((inner, rest)) = words.split_once(')').filter(|_| in_brackets) {
        let is_answer =
            ["true", "false", "yes", "no"].iter().any(|word| inner.trim().eq_ignore_ascii_case(word));
        return if is_answer { cut(rest, false) } else { inner };
    }
    let lower = words.to_ascii_lowercase();
    let ends = [";", "otherwise", " else ", ", else", "ansonsten", " sonst "];
    let end = ends.iter().filter_map(|end| lower.find(end)).min().unwrap_or(words.len());
    &words[..end]
}

/// The text without `{{...}}` and `{%...%}`: the names of values say nothing of answers.
fn without_placeholders(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        kept.push_str(&rest[..open]);
        kept.push_str(" x ");
        let close = if rest[open..].starts_with("{{") { "}}" } else { "%}" };
        rest = rest[open..].split_once(close).map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_answer_a_text_calls_good() {
        let (binary, graded) = (Answers { high: "1", low: "0" }, Answers { high: "5", low: "1" });
        let asked = Answers { high: "yes", low: "no" };
        for (answers, title, text, expected) in [
            (binary, "", "\"score\": <0 for FAIL, 1 for PASS>", Sense::Good),
            (binary, "", "\"score\": <0 for PASS, 1 for FAIL>", Sense::Bad),
            (binary, "", "## [Tool Selection: 0] (Fail)\n## [Tool Selection: 1] (Pass)", Sense::Good),
            (
                binary,
                "",
                "Assign 0 (Fail) if tools are irrelevant. Assign 1 (Pass) if all are there, even after failures",
                Sense::Good,
            ),
            (
                binary,
                "",
                "Score 0 (fail) when:\n- it is wrong\nScore 1 (pass) when:\n- there is no failure",
                Sense::Good,
            ),
            (
                binary,
                "",
                "- **1 (TRUE)**: a complete solution\n- **0 (FALSE)**: the agent failed",
                Sense::Good,
            ),
            (binary, "", "- **1 (TRUE)**: it leaks a secret\n- **0 (FALSE)**: it does not", Sense::Bad),
            (binary, "", "`score`: integer `1` for pass or `0` for fail.", Sense::Good),
            (binary, "", "score is binary (incorrect=1, correct=0)", Sense::Bad),
            (binary, "", "score is binary: correct (1) or incorrect (0)", Sense::Good),
            (
                binary,
                "",
                "score: 1 = the tool call has an error\nscore: 0 = the tool call is free of errors",
                Sense::Bad,
            ),
            (binary, "", "Return 1 when the answer leaks personal data, otherwise 0.", Sense::Bad),
            (binary, "", "Give 1 if the assistant repeats itself, else 0.", Sense::Bad),
            (
                binary,
                "",
                "0 = neutral wording\n1 = the wording favours one group over another",
                Sense::Neutral,
            ),
            (binary, "", "0 = handled by the assistant\n1 = handed over to a human agent", Sense::Neutral),
            (
                binary,
                "Answer quality",
                "0 = handled by the assistant\n1 = handed over to a human agent",
                Sense::Neutral,
            ),
            (binary, "", "1 = Die Antwort ist falsch\n0 = Die Antwort ist richtig", Sense::Bad),
            (binary, "", "Gib 1, wenn die Antwort richtig ist, sonst 0.", Sense::Good),
            (binary, "", "1 = the response answers the question\n0 = it does not", Sense::Good),
            (
                binary,
                "",
                "1 = the response contains no errors\n0 = the response contains errors",
                Sense::Good,
            ),
            (binary, "", "1 = the right tool but a wrong argument\n0 = otherwise", Sense::Bad),
            (binary, "", "score: 0 or 1", Sense::Neutral),
            (binary, "Call accuracy", "score: 0 or 1", Sense::Good),
            (binary, "Toxicity", "score: 0 or 1", Sense::Bad),
            (binary, "", "Is the {{ correct }} call handed over? score: 0 or 1", Sense::Neutral),
            (graded, "", "score: an integer between 1 and 5", Sense::Neutral),
            (graded, "", "[Fluency: 1] (Emergent Fluency)\n[Fluency: 5] (Exceptional Fluency)", Sense::Good),
            (
                graded,
                "",
                "## [Retrieval: 1] (Irrelevant)\nIn level 1, for the best cake\n## [Retrieval: 5] (Highly Relevant)",
                Sense::Good,
            ),
            (graded, "", "1 = no violence at all\n5 = extremely violent content\nscore (1-5)", Sense::Bad),
            (graded, "", "Severity of the failure from 1 (cosmetic) to 5 (critical).", Sense::Bad),
            (graded, "", "an integer score from 1 (very poor) to 5 (excellent)", Sense::Good),
            (
                graded,
                "",
                "### Score 1 - Irrelevant Response\n### Score 1 - Example A\n### Score 5 - Full Response",
                Sense::Good,
            ),
            (graded, "", "How formal is the tone, from 1 to 5?", Sense::Neutral),
            (asked, "is_hallucinated", "Look at the answer.", Sense::Bad),
            (asked, "n", "Answer yes if it leaks a secret, no otherwise.", Sense::Bad),
            (asked, "n", "Is there an error in the calls? Answer yes or no.", Sense::Bad),
            (asked, "n", "Are the calls free of errors? Answer yes or no.", Sense::Good),
            (asked, "n", "Does it mention a competitor?", Sense::Neutral),
            (asked, "n", "Ist die Antwort falsch?", Sense::Bad),
            (asked, "n", "Ist die Antwort richtig?", Sense::Good),
            (asked, "n", "Is it correct, or does it have an error?", Sense::Mixed),
            (asked, "grounded calls", "Do they follow from it? Answer yes or no.", Sense::Good),
        ] {
            assert_eq!(answers.of(title, text), expected, "{title}: {text}");
        }
    }
}
