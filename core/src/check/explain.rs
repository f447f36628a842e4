//! Puts the verdict into words.

use super::assess::Assessment;
use super::observation::Observation;
use super::score::Signal;
use crate::domain::CallTask;

/// Observations told; more would only tire the reader.
const MAX_LISTED: usize = 8;

/// Reasons told where no finding settles the verdict.
const MAX_REASONS: usize = 2;

/// One sentence: the observations that matter for the task, or what was checked when there are none. Where none of them settles that
/// the calls are wrong, `reasons` say what did, the gravest first.
pub(super) fn explain(
    assessment: &Assessment,
    calls: usize,
    correct: bool,
    task: CallTask,
    reasons: &[String],
) -> String {
    let mut relevant: Vec<&Observation> =
        assessment.observations.iter().filter(|observation| observation.concerns(task)).collect();
    // What settles it comes first, then what nearly does.
    relevant.sort_by_key(|observation| (!observation.is_fault(), !observation.is_grave()));
    let settled = relevant.first().is_some_and(|observation| observation.is_fault());
    let (subject, looks, is) = match calls {
        0 => ("calling nothing", "looks", "is"),
        1 => ("the call", "looks", "is"),
        _ => ("the calls", "look", "are"),
    };
    let mut text = match (correct, relevant.is_empty()) {
        (true, true) => format!("Nothing speaks against {subject}: "),
        // What is listed speaks against it.
        (true, false) => format!("On the whole, {subject} {looks} right, although "),
        (false, _) if settled => format!("Whatever else, {subject} {is} wrong: "),
        (false, _) => format!("On the whole, {subject} {looks} wrong: "),
    };
    if relevant.is_empty() {
        text.push_str(&match (calls, task) {
            _ if !correct && reasons.is_empty() => {
                "it is close, and nothing speaks for it more than against it".to_owned()
            }
            _ if !correct => String::new(),
            (0, _) => "nothing was called, and no tool clearly fits the question".to_owned(),
            (_, CallTask::ToolSelection) => "the called tools are on offer and fit the question".to_owned(),
            _ => values(assessment),
        });
    }
    for (i, observation) in relevant.iter().take(MAX_LISTED).enumerate() {
        if i > 0 {
            text.push_str("; ");
        }
        text.push_str(&observation.to_string());
    }
    if relevant.len() > MAX_LISTED {
        text.push_str(&format!("; and {} more", relevant.len() - MAX_LISTED));
    }
    let grave = relevant.first().is_some_and(|observation| observation.is_fault() || observation.is_grave());
    if !correct && !grave && !reasons.is_empty() {
        let joined = match relevant.is_empty() {
            true => ", and ",
            false => {
                text.push_str("; what weighs most is that ");
                ", and that "
            }
        };
        text.push_str(&reasons[..reasons.len().min(MAX_REASONS)].join(joined));
    }
    text.push('.');
    text
}

/// What is known of the values of calls that nothing speaks against.
fn values(assessment: &Assessment) -> String {
    let mut text = format!(
        "the arguments fit their definition, and {} of {} values were found in the conversation",
        assessment.supported, assessment.values
    );
    match assessment.defaults {
        0 => {}
        1 => text.push_str(", 1 is the default"),
        count => text.push_str(&format!(", {count} are defaults")),
    }
    text
}

/// What a signal says, for people.
pub(super) fn reason(signal: Signal) -> &'static str {
    match signal {
        Signal::UnknownTool => "a tool is called that is not on offer",
        Signal::Malformed => "arguments are not a JSON object",
        Signal::Missing => "a required parameter is missing",
        Signal::UnknownParameter => "a parameter is not in the definition",
        Signal::WrongType | Signal::LooseType => "a value has the wrong type",
        Signal::NotAllowed => "a value is not one of those allowed",
        Signal::BrokenRule => "a value breaks a rule of its schema",
        Signal::UngroundedText | Signal::UngroundedNumber | Signal::UngroundedBoolean => {
            "nothing in the conversation supports a required value"
        }
        Signal::UngroundedOptional => "nothing in the conversation supports an optional value",
        Signal::PartlyGrounded | Signal::PartlyOptional => "a value is only partly in the conversation",
        Signal::Composed => "a written text has words that the conversation lacks",
        Signal::Derived => "a value is not in the conversation itself",
        Signal::Described | Signal::DescribedOptional => "a value is only named in the definition",
        Signal::Placeholder => "a value is a placeholder",
        Signal::OtherChoice => "the conversation names another of the allowed values",
        Signal::KeptPercent => "a percentage was kept as it stands",
        Signal::WrongUnit => "a number is in another unit than asked for",
        Signal::WrongSign => "nothing in the conversation supports a number's sign",
        Signal::Swapped => "two values stand in each other's place",
        Signal::Excluded => "a value was named only to keep it out",
        Signal::EmptyValue => "a required value is empty",
        Signal::InferredChoice => "values were inferred that nobody named",
        Signal::UnsupportedShare => "too few of the values are found in the conversation",
        Signal::LongText => "a value is a long text, of which little can be checked",
        Signal::UnusedNumber => "a number of the question is not used",
        Signal::UnusedQuotation => "a quotation of the question is not used",
        Signal::UnusedSibling => "only some of what the question lists together is used",
        Signal::UnusedShare => "much of what the question names is not used",
        Signal::Duplicate => "a call is made again without reason",
        Signal::NameMisfit => "the name of the called tool has little in common with the question",
        Signal::TextMisfit | Signal::ThinMisfit | Signal::SoundMisfit => {
            "the description of the called tool has little in common with the question"
        }
        Signal::BetterTool => "another tool fits the question better",
        Signal::LeftOut => "a tool that fits the question is not called",
        Signal::Unexplained => {
            "much of the question is in neither the calls nor the definitions of their tools"
        }
        Signal::OneCallManyRequests => "the question seems to ask for several things, and one call was made",
        Signal::OtherState => "a tool is for things in another state than this one",
        Signal::NoCall => "nothing was called",
        Signal::NoCallButFit => "nothing was called, though a tool may fit the question",
        Signal::NoCallThoughAsked => "nothing was called, though the question asks for what a tool does",
    }
}
