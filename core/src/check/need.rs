//! Whether an uncalled tool could have been called: the question contains everything that it requires.

use super::asked_unit::asked_by;
use super::evidence::Evidence;
use super::node::Node;
use super::observation::Literal;
use super::relevance::Fit;
use super::toolbox::Tool;
use crate::domain::Json;
use crate::reading::words::words;

/// How a required parameter could be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Filling {
    /// By something of its type.
    Plain,
    /// By something that hardly fits any other parameter: a path, an address, an amount in its unit, an allowed
    /// value.
    Sure,
}

/// From this fit on, values that could fill any parameter are enough.
const SOME_FIT: f64 = 0.35;
/// Parameters looked at; a tool that requires more is not called in passing.
const MAX_REQUIRED: usize = 8;

/// How strongly the question asks for the tool, from 0 to 1, by giving it everything it requires.
pub(super) fn call_for(tool: &Tool, question: &str, evidence: &Evidence, fit: Fit) -> f64 {
    let required: Vec<&Node> =
        tool.root.properties.iter().map(|(_, node)| node).filter(|node| node.required).collect();
    if required.is_empty() || required.len() > MAX_REQUIRED {
        return 0.0;
    }
    let fillings: Option<Vec<Filling>> =
        required.iter().map(|node| filling(node, question, evidence)).collect();
    match fillings {
        Some(fillings) if fillings.contains(&Filling::Sure) => 1.0,
        Some(_) if fit.score() >= SOME_FIT => 0.5,
        _ => 0.0,
    }
}

/// Whether something in the conversation could be what the parameter asks for.
pub(super) fn could_fill(node: &Node, question: &str, evidence: &Evidence) -> bool {
    filling(node, question, evidence).is_some()
}

fn filling(node: &Node, question: &str, evidence: &Evidence) -> Option<Filling> {
    let node = node.items.as_deref().filter(|items| !items.choices.is_empty()).unwrap_or(node);
    if !node.choices.is_empty() {
        let named = node.choices.iter().any(|choice| {
            let (known, of) = evidence.known_words(&choice.folded);
            choice.folded.len() > 4 && of > 0 && known == of
        });
        return named.then_some(Filling::Sure);
    }
    if evidence.figures.iter().any(|figure| figure.unit.is_some())
        && let Some(asked) = asked_by(node)
        && evidence.figures.iter().any(|figure| figure.unit.is_some_and(|unit| unit.is_like(asked)))
    {
        return Some(Filling::Sure);
    }
    let is_called = |names: &[&str]| words(&node.name).any(|word| names.contains(&word));
    let has_token = |test: fn(&str) -> bool| {
        let edges = |c: char| !c.is_alphanumeric() && c != '/';
        question.split_whitespace().take(2_000).any(|token| test(token.trim_matches(edges)))
    };
    if is_called(&["path", "file", "filename", "filepath", "directory", "folder"]) {
        return has_token(is_path).then_some(Filling::Sure);
    }
    if is_called(&["url", "uri", "link", "website"]) {
        return has_token(is_url).then_some(Filling::Sure);
    }
    if is_called(&["email", "mail", "recipients"]) {
        return has_token(is_address).then_some(Filling::Sure);
    }
    if is_called(&["date", "time", "day", "when"]) {
        let told = evidence.times.is_exact() || evidence.times.is_relative();
        return told.then_some(Filling::Plain);
    }
    let takes = |value: Json| !node.types.is_anything() && node.types.allow(&value);
    if takes(Json::Bool(true)) {
        return Some(Filling::Plain);
    }
    if takes(Json::Number(0_i64.into())) {
        return evidence.figures.iter().next().map(|_| Filling::Plain);
    }
    let named = evidence.literals.iter().any(|span| matches!(span.kind, Literal::Name | Literal::Quotation));
    named.then_some(Filling::Plain)
}

fn is_path(token: &str) -> bool {
    let name = token.rsplit('/').next().unwrap_or(token);
    let extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.starts_with(|c: char| c.is_ascii_lowercase())
            && extension.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    !token.contains("://") && !token.contains('@') && (extension || token.matches('/').count() > 1)
}

fn is_url(token: &str) -> bool {
    token.contains("://") || token.starts_with("www.")
}

fn is_address(token: &str) -> bool {
    token.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_addresses_are_seen() {
        for (token, path) in [
            ("src/main.rs", true),
            ("notes.txt", true),
            ("/etc/hosts", true),
            ("and/or", false),
            ("3.5", false),
            ("https://a.example/x.html", false),
            ("ana@post.example", false),
        ] {
            assert_eq!(is_path(token), path, "{token}");
        }
        assert!(is_url("https://a.example") && is_address("ana@post.example") && !is_address("@ana"));
    }
}
