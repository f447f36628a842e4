//! Where the value of a boolean argument comes from.

use std::sync::LazyLock;

use super::evidence::Evidence;
use super::grounding::{Support, is_default};
use super::node::Node;
use crate::language::phrases;
use crate::reading::words::words;

/// Looks for what makes a parameter true or false.
pub(super) fn support(evidence: &Evidence, node: Option<&Node>, value: bool) -> Support {
    if node.is_some_and(|node| is_default(node, if value { " true " } else { " false " }, None)) {
        return Support::Default;
    }
    let Some(node) = node else { return Support::None };
    if let Some(wanted) = wanted(evidence, node) {
        return if wanted == value { Support::Normalised } else { Support::None };
    }
    // The parameter's own words are its cue: `include_breakfast` is true if breakfast is spoken of.
    let (named, _) = evidence.known_words(&node.name);
    let (described, of) = evidence.known_words(&node.description);
    let cue = named > 0 || described * 3 >= of.max(1);
    match (value, cue) {
        (true, true) => Support::Normalised,
        (false, false) => Support::Choice,
        (false, true) if NEGATIONS.iter().any(|word| evidence.has_phrase(word)) => Support::Normalised,
        (false, true) => Support::Choice,
        (true, false) => Support::None,
    }
}

static NEGATIONS: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.without));

/// What the request wants switched, where it speaks of that in one way only: on, or off.
fn wanted(evidence: &Evidence, node: &Node) -> Option<bool> {
    if !switches(node) {
        return None;
    }
    let has = |word: &str| evidence.question.contains(word);
    // `Turn the lamp off`: verb and word may stand apart.
    let verb =
        [" turn ", " turned ", " switch ", " switched ", " shut ", " put ", " set ", " keep ", " leave "]
            .iter()
            .any(|word| has(word));
    let off = (verb && has(" off "))
        || [" disable ", " disabled ", " deactivate ", " disarm "].iter().any(|word| has(word));
    let on = (verb && has(" on "))
        || [" enable ", " enabled ", " activate ", " arm "].iter().any(|word| has(word));
    // `Turn off the light on the porch` has both words, and only one is behind a verb.
    let directly = |to: &str| ["turn", "switch", "shut"].iter().any(|verb| has(&format!(" {verb} {to} ")));
    match (on, off) {
        (true, true) => match (directly("on"), directly("off")) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        },
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

/// Whether a parameter says whether something is on; one that is called after off says the opposite, or nobody knows.
fn switches(node: &Node) -> bool {
    let is_on = |word: &str| {
        matches!(
            word,
            "on" | "enable" | "enabled" | "active" | "activate" | "activated" | "power" | "powered"
        )
    };
    let is_off = |word: &str| matches!(word, "off" | "disable" | "disabled" | "inactive" | "mute" | "muted");
    let named = words(&node.name).any(is_on)
        || (words(&node.description).any(is_on) && words(&node.description).any(is_off));
    named && !words(&node.name).any(is_off)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::sample;
    use crate::reading::words::fold_identifier;

    #[test]
    fn requests_say_which_way() {
        for (question, name, expected) in [
            ("Turn on the kitchen light", "on", Some(true)),
            ("Turn off the kitchen light", "on", Some(false)),
            ("Please turn the light in the hall off.", "is_on", Some(false)),
            ("Turn off the light on the porch", "on", Some(false)),
            ("Disable notifications", "enabled", Some(false)),
            ("Enable notifications", "enabled", Some(true)),
            ("Disable notifications", "disabled", None),
            ("Is the shop on Main Street open?", "on", None),
            ("Set it for two off-peak hours", "hours", None),
        ] {
            let node = Node { name: fold_identifier(name), ..Node::default() };
            assert_eq!(
                wanted(&Evidence::new(&sample(question, Vec::new(), Vec::new())), &node),
                expected,
                "{question} {name}"
            );
        }
    }
}
