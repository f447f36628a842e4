//! The question to a judge about the answer of a run of LangChain Benchmarks.

use super::benchmark::{Grading, outputs};
use crate::domain::{Json, Object, Task};
use crate::score::inquiry::{Answer, Inquiry, row};

pub(super) const INQUIRY: Inquiry =
    Inquiry { task: Task::AnswerCorrectness, five_grades: false, row: asked, fill: answered };

/// The row of a case whose answer is to be graded and has not been.
fn asked(record: &Object) -> Option<Object> {
    let graded =
        record.get("output_evaluation").map(Grading::read)?.is_ok_and(|grading| grading != Grading::None);
    if !graded || record.get("llm_reply").is_some_and(|reply| !reply.is_null()) {
        return None;
    }
    let part = |key: &str, keys: &[&str]| Some(outputs(record.get(key)?.as_object()?, keys));
    let run = part("run", &["intermediate_steps", "actual_steps"])?;
    let example = part("example", &["expected_steps"])?;
    let reference = example.get("reference")?.clone();
    let question = ["question", "input"].iter().find_map(|key| {
        let within = |at: &str| {
            record
                .get(at)
                .and_then(|part| part.get("inputs").and_then(|inputs| inputs.get(key)).or(part.get(key)))
        };
        record.get(key).or_else(|| within("example")).or_else(|| within("run"))
    });
    Some(row([
        ("question", question.cloned()),
        ("response", run.get("output").cloned()),
        ("reference", Some(reference)),
    ]))
}

/// In the word that the peer's graders reply with.
fn answered(record: &mut Object, answer: &Answer) {
    record.insert("llm_reply", Json::from(if answer.passes { "CORRECT" } else { "INCORRECT" }));
}
