//! Which of two answers a text calls good. Whoever takes a measure of faults for one of merit has every label the wrong way round, so what
//! is not said clearly stays open.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::sense::{Reading, Sense, is_of, read, sense};
use super::vocabulary::{PLACES, TOP};

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
    /// Whether it says that this is not the answer: `never return 0`.
    is_denial: bool,
}

/// Words that turn an answer round, or a scale: `Then invert your answer`, `a higher score is worse`.
static TURNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const ANSWER: &str = r"(?:answer|label|result|verdict|score|output|rating|reply|response)s?";
    Regex::new(&format!(
        r"(?i)\b(?:invert|revers|negat|swap|flip)\w*\W+(?:\w+\W+){{0,3}}{ANSWER}\b|\b(?:answer|reply|respond|return|output|say|give)\b[^.\n]{{0,40}}\b(?:opposite|contrary|reverse|inverse)\b|\bother way (?:a)?round\b|\bother way\s*(?:[.!;\n]|$)|\b(?:first|second|positive|negative) {ANSWER} (?:marks?|means?|is for|stands for)\b|\b(?:lower|smaller)\b[^.]*\bbetter\b|\b(?:higher|larger|greater)\b[^.\n]*\bworse\b|\bless\b[^.\n]{{0,10}}\bbetter\b|\bmore\b[^.\n]{{0,10}}\bworse\b"
    ))
    .ok()
});

impl Answers<'_> {
    /// Whether `text` calls the first one good: by what it says of the two, else by what is measured, which `title` and then the questions
    /// of the text tell. Good only if there is no doubt.
    pub(super) fn of(self, title: &str, text: &str) -> Sense {
        let text = without_placeholders(text);
        let said = self.said(&text).unwrap_or_default();
        if said.iter().any(|said| said.is_denial) || self.is_turned(&text) {
            return Sense::Mixed;
        }
        let readings = |is_high: bool| -> Vec<Reading> {
            said.iter().filter(|said| said.is_high == is_high).map(|said| read(said.words)).collect()
        };
        let (high, low) = (readings(true), readings(false));
        let has = |readings: &[Reading], wanted: Sense| readings.iter().any(|said| said.sense == wanted);
        let is_good = has(&high, Sense::Good);
        let is_bad = high.iter().any(|said| said.blames);
        // What is denied, but is neither praise nor blame, can be anything.
        let is_open = high.iter().any(|said| !said.is_closed);
        let is_beyond_doubt = high.iter().any(|said| said.sense == Sense::Good && said.is_plain);
        match (is_good, is_bad, has(&low, Sense::Good), has(&low, Sense::Bad)) {
            // Examples say all sorts of things of the low one.
            (true, false, false, true) => Sense::Good,
            (true, false, true, true) if !is_open => Sense::Good,
            // The other one is a fault. `0 = not resolved` may be a reason to hand over, which is 1.
            (false, false, false, true)
                if !is_open && low.iter().any(|said| said.sense == Sense::Bad && said.names_fault) =>
            {
                Sense::Good
            }
            // Only one of the two is described: its word of praise may be what was missed, or what was spoilt.
            (true, false, false, false) if is_beyond_doubt && !is_open => Sense::Good,
            // Both are called by what is measured: `[Fluency: 1] (Emergent Fluency)`.
            (true, false, true, false) if !is_open => {
                let named = read(title);
                let is_top = |is_high| said.iter().any(|said| said.is_high == is_high && has_top(said.words));
                match named.sense {
                    Sense::Good if named.is_plain => Sense::Good,
                    Sense::Neutral if is_beyond_doubt && is_top(true) && !is_top(false) => Sense::Good,
                    Sense::Bad => Sense::Bad,
                    _ => Sense::Mixed,
                }
            }
            (false, false, false, false) if said.is_empty() && !self.hides_one(&text) => {
                measured(title, &text)
            }
            (_, false, _, _) if !has(&high, Sense::Mixed) => Sense::Neutral,
            (false, _, _, _) => Sense::Bad,
            (true, _, _, _) => Sense::Mixed,
        }
    }

    /// Whether the text has yes mean the number that would fail, or no the one that would pass, or less be more, or has its answer turned
    /// round.
    fn is_turned(self, text: &str) -> bool {
        let Answers { high, low } = self;
        if TURNS.as_ref().is_some_and(|turns| turns.is_match(text)) {
            return true;
        }
        if !low.chars().all(|c| c.is_ascii_digit()) {
            return false;
        }
        const YES: &str = "(?:yes|true|ja)";
        const NO: &str = "(?:no|false|nein)";
        const MEANS: &str =
            r"\W{0,3}(?:=|:|->|→|\bis\b|\bmeans\b|\bfor\b|\bcounts as\b|\bscores\b|\bgets\b)\W{0,3}";
        // `1 if no error is found` is another no.
        const IF: &str = r"\W{0,3}(?:=|:|->|→|\bis\b|\bmeans\b|\bfor\b|\bif\b|\bwhen\b)\W{0,3}";
        const END: &str = r#"\b["'`*]{0,2}\s*(?:[,.;)|]|\n|$|\band\b|\bor\b|\botherwise\b)"#;
        let turned = format!(
            r"(?im)\b{YES}{MEANS}{low}\b|\b{NO}{MEANS}{high}\b|\b{low}{IF}{YES}{END}|\b{high}{IF}{NO}{END}"
        );
        Regex::new(&turned).is_ok_and(|turned| turned.is_match(text))
    }

    /// Whether a sentence is about one of the answers in words that are not understood: `If so, answer no`.
    fn hides_one(self, text: &str) -> bool {
        text.split(['.', '!', '?', '\n', ';']).any(|sentence| {
            let words: Vec<&str> =
                sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
            let has = |wanted: &str| words.iter().any(|word| word.eq_ignore_ascii_case(wanted));
            // The number of a point says nothing: `1. The call`, `1) the call`.
            let is_point =
                sentence.trim_start().split_once(')').is_some_and(|(start, _)| words.first() == Some(&start));
            words.len() > 1 && !is_point && has(self.high) != has(self.low)
        })
    }

    /// What stands beside the two answers: `1 = right`, `Return 1 if`, `[Quality: 1] (Poor)`, `incorrect=1`, `correct (1)`.
    fn said<'t>(self, text: &'t str) -> Option<Vec<Said<'t>>> {
        const VERDICTS: &str = "pass|passed|fail|failed|correct|incorrect|right|wrong|good|bad|valid|invalid";
        let Answers { high, low } = self;
        let is_graded = high == "5";
        // Scales can be of stars, in words.
        let value = match is_graded {
            true => format!("(?:{high}|five){{STARS}}|(?:{low}|one){{STARS}}|{high}|{low}")
                .replace("{STARS}", r"\s+(?:stars?|points?)\b"),
            false => format!("{high}|{low}"),
        };
        let after = Regex::new(&format!(
            r#"(?i)(?:^|[^\w.])({value})["'\]\)*`>]*,?\s*(=+>?|:|-+>|→|[-–—]\s|\(|(?:only\s+)?if\b|for\b|when\b|whenever\b|where\b|means?\b|indicates?\b|represents?\b|denotes?\b|is\b|wenn\b|falls\b|für\b|bei\b)\s*"#
        ))
        .ok()?;
        let equal = Regex::new(&format!(
            r#"(?i)(?:([^\W\d]\w*)["'*`\)]*\s*(?:=+>?|-+>|→)|\b({VERDICTS})["'*`\)]*\s*:)\s*["'*`(]*({high}|{low})\b"#
        ))
        .ok()?;
        let behind =
            Regex::new(&format!(r"(?i)((?:[^\W\d]\w*\W{{1,2}}){{1,3}})\(\s*({high}|{low})\s*\)")).ok()?;
        let is_high = |found: &str| {
            let found = found.to_lowercase();
            found.starts_with(&high.to_lowercase()) || is_graded && found.starts_with("five")
        };
        let is_verdict = |words: &str| sense(words) != Sense::Neutral;
        let mut said = Vec::new();
        for line in text.lines() {
            let places: Vec<_> = after
                .captures_iter(line)
                .filter_map(|found| Some((found.get(0)?, found.get(1)?, found.get(2)?)))
                .filter(|(whole, ..)| !line[whole.end()..].starts_with(|c: char| c.is_ascii_digit()))
                .filter(|(_, value, _)| !is_place(&line[..value.start()]))
                .collect();
            let starts = places.iter().skip(1).map(|(_, value, _)| value.start()).chain([line.len()]);
            for ((whole, value, mark), end) in places.iter().zip(starts) {
                let words = line[whole.end()..end.max(whole.end())].trim();
                let is_high = is_high(value.as_str());
                said.push(Said { is_high, words: cut(words, low, mark.as_str() == "("), is_denial: false });
                // `Do not return 1 if it is right`.
                let before = clause_before(&line[..value.start()]);
                if !read(before).is_closed {
                    said.push(Said { is_high, words: before, is_denial: true });
                }
            }
            let named =
                equal.captures_iter(line).map(|found| (found.get(1).or_else(|| found.get(2)), found.get(3)));
            let behind = behind.captures_iter(line).map(|found| (found.get(1), found.get(2)));
            for (words, value) in named.chain(behind) {
                let found = words.zip(value).filter(|(words, _)| is_verdict(words.as_str()));
                if let Some((words, value)) = found {
                    // All that leads up to it counts: `not correct = 1`.
                    let start = words.end() - clause_before(&line[..words.end()]).len();
                    let words = &line[start.min(words.start())..words.end()];
                    said.push(Said { is_high: is_high(value.as_str()), words, is_denial: false });
                }
            }
        }
        // The number of an example says nothing, nor does another word for the answer itself.
        const NOTHING: [&str; 8] = ["", "true", "false", "yes", "no", "integer", "an integer", "inclusive"];
        said.retain(|said| {
            let words = said.words.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            !words.starts_with("example") && !NOTHING.contains(&&*words)
        });
        if is_graded {
            said.extend(rows(text, &is_high));
        }
        Some(said)
    }
}

/// What is measured, by the name of the judge and by what its text asks.
fn measured(title: &str, text: &str) -> Sense {
    let named = read(title);
    let asked = || asked(text).map(read);
    if let Some(against) = asked().find(|asked| matches!(asked.sense, Sense::Bad | Sense::Mixed)) {
        return if named.sense == Sense::Good { Sense::Mixed } else { against.sense };
    }
    if matches!(named.sense, Sense::Bad | Sense::Mixed) {
        return named.sense;
    }
    // `Is it correct? Answer with the opposite.`
    let lower = text.to_lowercase();
    if ["invert", "revers", "opposite", "flag it"].iter().any(|word| lower.contains(word)) {
        return Sense::Mixed;
    }
    let whole = read(text);
    let is_asked = asked().next().is_some();
    let is_sure = match is_asked {
        true => asked().all(|asked| asked.is_plain),
        // The text says nothing of its own.
        false => whole.is_plain && whole.sense == Sense::Neutral,
    };
    let is_praise =
        named.sense == Sense::Good && named.is_plain || asked().any(|asked| asked.sense == Sense::Good);
    match whole.sense {
        _ if is_sure && is_praise => Sense::Good,
        // A word of praise somewhere is no reason.
        Sense::Good => Sense::Neutral,
        other => other,
    }
}

/// After these, `if` begins a question: `Evaluate if the call is right`.
const ASKING: [&str; 11] = [
    "evaluate",
    "determine",
    "check",
    "assess",
    "judge",
    "decide",
    "verify",
    "see",
    "analyze",
    "analyse",
    "examine",
];

/// The sentences of a text that ask something.
fn asked(text: &str) -> impl Iterator<Item = &str> {
    let sentences = text.split_inclusive(['.', '!', '?', '\n', ';']);
    sentences.filter(|sentence| {
        let lower = sentence.to_lowercase();
        sentence.ends_with('?')
            || lower.contains("whether")
            || lower.contains(" ob ")
            || ASKING.iter().any(|word| lower.contains(&format!("{word} if ")))
    })
}

/// What stands in the rows of a table of scores, or of a list of nothing but grades.
fn rows<'t>(text: &'t str, is_high: &dyn Fn(&str) -> bool) -> Vec<Said<'t>> {
    let mut of_table = Vec::new();
    let mut of_list: Vec<(&str, &str)> = Vec::new();
    let mut is_of_scores = false;
    for line in text.lines().map(str::trim) {
        if let Some(row) = line.strip_prefix('|') {
            let (first, rest) = row.split_once('|').unwrap_or((row, ""));
            let first = first.trim_matches(|c: char| !c.is_alphanumeric());
            if matches!(first, "1" | "5") && is_of_scores {
                of_table.push(Said { is_high: is_high(first), words: rest, is_denial: false });
            } else if first.chars().any(char::is_alphabetic) {
                let first = first.to_lowercase();
                is_of_scores = ["score", "rating", "grade", "level", "points", "stars"]
                    .iter()
                    .any(|name| first.starts_with(name));
            }
        } else {
            is_of_scores = false;
        }
        if let Some((number, rest)) = line.split_once(". ").filter(|(number, _)| number.len() == 1) {
            of_list.push((number, rest));
        }
    }
    // A list of five rules is numbered alike, and says more of each.
    let is_short = |words: &str| words.split_whitespace().count() <= 3 && read(words).is_plain;
    let ends = of_list.iter().filter(|(number, words)| matches!(*number, "1" | "5") && is_short(words));
    let ends: Vec<Said<'t>> =
        ends.map(|(number, words)| Said { is_high: is_high(number), words, is_denial: false }).collect();
    if of_list.iter().map(|(number, _)| *number).eq(["1", "2", "3", "4", "5"])
        && ends.iter().all(|end| read(end.words).sense == if end.is_high { Sense::Good } else { Sense::Bad })
        && ends.len() == 2
    {
        of_table.extend(ends);
    }
    of_table
}

/// Whether `words` name the highest degree.
fn has_top(words: &str) -> bool {
    words.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| is_of(word, TOP))
}

/// Whether a number after `before` is that of a step or the like.
fn is_place(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '#', '*']);
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    is_of(&word.to_lowercase(), PLACES)
}

/// The end of `before`, from the last mark that ends a clause.
fn clause_before(before: &str) -> &str {
    let start =
        before.rfind([',', ';', '.', ':', '|', '(', ')', '/', '[', ']', '{', '}', '"', '<', '>', '?', '!']);
    &before[start.map_or(0, |at| at + 1)..]
}

/// What is said of an answer, without what follows of others; in brackets, only what is in these, unless it is another word for the answer.
fn cut<'w>(words: &'w str, low: &str, in_brackets: bool) -> &'w str {
    if let Some((inner, rest)) = words.split_once(')').filter(|_| in_brackets) {
        let is_answer =
            ["true", "false", "yes", "no"].iter().any(|word| inner.trim().eq_ignore_ascii_case(word));
        return if is_answer { cut(rest, low, false) } else { inner };
    }
    let lower = words.to_ascii_lowercase();
    let ends = [";", "otherwise", " else ", ", else", "ansonsten", " sonst "];
    let Some(end) = ends.iter().filter_map(|end| lower.find(end)).min() else { return words };
    // `grounded, no otherwise`.
    let kept = words[..end].trim_end_matches(|c: char| !c.is_alphanumeric());
    let before = kept.len().checked_sub(low.len()).and_then(|at| Some((kept.get(..at)?, kept.get(at..)?)));
    match before {
        Some((before, last))
            if last.eq_ignore_ascii_case(low) && !before.ends_with(char::is_alphanumeric) =>
        {
            let before = before.trim_end_matches(|c: char| !c.is_alphanumeric());
            before.strip_suffix(" and").unwrap_or(before)
        }
        _ => &words[..end],
    }
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
            (asked, "n", "Evaluate if the response is accurate and complete.", Sense::Good),
            (asked, "n", "Determine if the response has an error.", Sense::Bad),
            (asked, "n", "Return yes if the calls are correct, no otherwise.", Sense::Good),
            (asked, "n", "Return yes if the calls are wrong, and no otherwise.", Sense::Bad),
            (binary, "n", "Is the call correct? yes = 0, no = 1.", Sense::Mixed),
            (binary, "n", "Is the tool call accurate? NO=1 YES=0.", Sense::Mixed),
            (binary, "n", "Is the call correct? yes = 1, no = 0.", Sense::Good),
            (binary, "n", "Never return 0 if the call is wrong; return 1.", Sense::Mixed),
            (binary, "Accuracy", "A lower score is better. score: 0 or 1", Sense::Mixed),
            (asked, "n", "Is the call correct? Invert your answer.", Sense::Mixed),
            (asked, "n", "Is the call correct? Answer with the opposite.", Sense::Mixed),
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

    /// A judge of faults in words of praise, taken for one of merit, has every label the wrong way round: what a text does not say beyond
    /// doubt is asked for.
    #[test]
    fn what_is_in_doubt_is_not_good() {
        #[derive(serde::Deserialize)]
        struct Case {
            high: String,
            low: String,
            title: String,
            text: String,
            is_good: bool,
        }
        for line in include_str!("../../../tests/cases/judge_texts.jsonl").lines() {
            let Case { high, low, title, text, is_good } = serde_json::from_str(line).unwrap();
            let found = Answers { high: &high, low: &low }.of(&title, &text);
            assert_eq!(found == Sense::Good, is_good, "{found:?} {line}");
        }
    }
}
