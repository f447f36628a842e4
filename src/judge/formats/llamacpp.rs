//! The llama.cpp server's way of forcing a rail, beside chat completions: a grammar.
//!
//! ```text
//! "grammar": "root ::= \"correct\" | \"incorrect\""
//! ```
//!
//! It refuses a request that holds two constraints, so there is never a schema beside the grammar.

use serde_json::{Map, Value, json};

use crate::domain::{AnswerForm, FindingKind, Findings, Prompt};
use crate::judge::Adaptation;
use crate::judge::provider_format::bare;

pub(super) const FORMS: &[Adaptation] = &[Adaptation::ResponseFormatRail, Adaptation::TextRail];

pub(super) const GRAMMAR: &[&str] = &["grammar"];

/// A JSON string without control characters.
const STRING: &str = r#"string ::= "\"" ( [^"\\\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" hex hex hex hex ) )* "\""
hex ::= [0-9a-fA-F]"#;

/// The grammar of an answer, in GBNF; none where `own`, the user's fields, constrain the answer already.
pub(super) fn grammar(prompt: &Prompt, own: &Map<String, Value>) -> Option<(&'static str, Value)> {
    if ["grammar", "json_schema", "response_format"].iter().any(|name| own.contains_key(*name)) {
        return None;
    }
    let quoted = |label: &str| if bare(prompt) { label.to_owned() } else { json!(label).to_string() };
    let label = prompt.rails.labels().map(|label| literal(&quoted(label))).collect::<Vec<_>>().join(" | ");
    let grammar = if bare(prompt) {
        format!("root ::= {label}")
    } else {
        let AnswerForm { explain, findings } = prompt.form;
        let mut root = String::new();
        let mut rules = format!("label ::= {label}\nspace ::= \" \"?");
        let mut field = |name: &str, rule: &str| {
            let opening = if root.is_empty() { "{" } else { ", " };
            root.push_str(&format!("{} space {rule} ", literal(&format!("{opening}{}:", json!(name)))));
        };
        if explain {
            field("explanation", "string");
        }
        if findings {
            field(Findings::FIELD, "findings");
        }
        field("label", "label");
        if explain || findings {
            rules.push_str(&format!("\n{STRING}"));
        }
        if findings {
            rules.push_str(&format!("\n{}", findings_rules()));
        }
        format!("root ::= {root}\"}}\"\n{rules}")
    };
    Some(("grammar", json!(grammar)))
}

/// The rules of a list of findings.
fn findings_rules() -> String {
    let kinds = FindingKind::ALL.map(|kind| literal(&json!(kind.as_str()).to_string())).join(" | ");
    format!(
        "findings ::= \"[\" space ( finding ( \",\" space finding )* )? \"]\"\n\
         finding ::= {} space number {} space string {} space kind {} space string \"}}\"\n\
         kind ::= {kinds}\nnumber ::= [0-9] [0-9]? [0-9]? [0-9]?",
        literal(r#"{"call":"#),
        literal(r#", "argument":"#),
        literal(r#", "kind":"#),
        literal(r#", "quote":"#),
    )
}

/// `text` as a literal of the grammar.
fn literal(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_escaped() {
        assert_eq!(literal("a\"b\\c\n"), r#""a\"b\\c\n""#);
    }
}
