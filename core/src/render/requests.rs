//! What is asked for at the end of a prompt whose wording does not ask for it itself.

use crate::domain::{FindingKind, Rails};

/// What a wording that knows no explanations lacks. It comes last, since it takes back what the wording says of the answer.
pub(super) fn for_explanation(rails: &Rails) -> String {
    format!(
        "\n\nWhatever was said above about the form of the answer, reply with one JSON object and nothing else. First \
         \"explanation\": at most three sentences that name what decides the case. Then \"label\": {}.",
        rails.labels().map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join(" or ")
    )
}

/// What a wording lacks whose tool asked for the labels in another way, or for more than a label.
pub(super) fn for_label(rails: &Rails) -> String {
    format!(
        "\n\nWhatever was said above about the form of the answer, reply with one of these labels and nothing else: {}.",
        rails.labels().map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join(" or ")
    )
}

/// What every wording lacks of a list of findings.
pub(super) fn for_findings(rails: &Rails, explain: bool) -> String {
    let kinds: Vec<String> =
        FindingKind::ALL.iter().map(|kind| format!("- {}: {}\n", kind.as_str(), kind.meaning())).collect();
    let labels = rails.labels().map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join(" or ");
    let explanation = match explain {
        true => "First \"explanation\": at most three sentences that name what decides the case. Then",
        false => "First",
    };
    format!(
        "\n\nWhatever was said above about the form of the answer, reply with one JSON object and nothing else. {explanation} \
         \"findings\": a list with one object for each thing that is wrong, and an empty list if nothing is. Each object has \
         \"call\": the number of the call, counted from 1, or 0 if no call is at fault; \"argument\": a JSON pointer to the \
         argument, such as \"/city\", or \"\" if no argument is at fault; \"kind\": one of the words below; \"quote\": a few words, \
         copied exactly from what you were shown, that prove it. Then \"label\": {labels}.\n\nThe kinds of findings:\n{}",
        kinds.concat().trim_end(),
    )
}
