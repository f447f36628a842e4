//! Separates text that a tool inserts into user messages (`<system-reminder>…</system-reminder>`) from the user's own words.

use crate::domain::{Json, Object};

/// How a piece begins that the tool put in, and how it ends. One that begins as a tag has its end and stands on lines of its own, anywhere;
/// any other stands at the beginning of a text. A tag among the words of a line, or without an end, is the user's, who speaks of it.
pub(super) type Mark = (&'static str, &'static str);

/// A user's message as two: what was put in as the system's, what is left as the user's. A message of one kind stays one.
pub(super) fn parted(mut message: Object, marks: &[Mark]) -> Vec<Object> {
    let (mut inserted, mut own) = (Vec::new(), Vec::new());
    match message.get("content") {
        Some(Json::String(text)) => {
            let (put_in, said) = split(text, marks);
            inserted.extend(put_in);
            own.extend(said.map(Json::from));
        }
        Some(Json::Array(blocks)) => {
            for block in blocks {
                let Some(text) = block.get("text").and_then(Json::as_str) else {
                    own.push(block.clone());
                    continue;
                };
                let (put_in, said) = split(text, marks);
                inserted.extend(put_in);
                own.extend(said.map(|said| with_text(block, said)));
            }
        }
        _ => {}
    }
    if inserted.is_empty() {
        return vec![message];
    }
    if own.is_empty() {
        message.insert("role", "system");
        return vec![message];
    }
    let Json::Object(notes) = super::value::message("system", inserted.join("\n")) else {
        return vec![message];
    };
    let content = match message.get("content") {
        Some(Json::String(_)) => own.remove(0),
        _ => Json::Array(own),
    };
    message.insert("content", content);
    vec![notes, message]
}

fn with_text(block: &Json, text: String) -> Json {
    let mut block = block.as_object().cloned().unwrap_or_default();
    block.insert("text", text);
    Json::Object(block)
}

/// The pieces of a text that were put in, and the user's own words; a text without any such piece stays as it is.
fn split(text: &str, marks: &[Mark]) -> (Vec<String>, Option<String>) {
    let (mut inserted, mut own, mut rest) = (Vec::new(), String::new(), text);
    while let Some((start, end)) = piece(rest, own.trim().is_empty(), marks) {
        own.push_str(&rest[..start]);
        inserted.push(rest[start..end].trim().to_owned());
        rest = &rest[end..];
    }
    if inserted.is_empty() {
        return (inserted, Some(text.to_owned()));
    }
    own.push_str(rest);
    let own = own.trim();
    (inserted, (!own.is_empty()).then(|| own.to_owned()))
}

/// Where the first piece that was put in begins and ends. One that is known to have no end takes all of the text.
fn piece(text: &str, at_beginning: bool, marks: &[Mark]) -> Option<(usize, usize)> {
    let begun = text.len() - text.trim_start().len();
    let end = |start: usize, close: &str| Some(start + text[start..].find(close)? + close.len());
    let found = marks.iter().filter_map(|(open, close)| {
        let is_tag = open.starts_with('<') && !close.is_empty();
        if !is_tag {
            let is_there = at_beginning && text[begun..].starts_with(open);
            let end = || if close.is_empty() { Some(text.len()) } else { end(begun, close) };
            return is_there.then(end)?.map(|end| (begun, end));
        }
        let mut pieces = text.match_indices(open).map_while(|(start, _)| Some((start, end(start, close)?)));
        pieces.find(|(start, end)| {
            // Before the tag of a piece, the user may have begun a line with it.
            let is_last = !text[*start..*end].contains(&format!("\n{open}"));
            is_last && stands_apart(text, *start, *end, marks)
        })
    });
    found.min()
}

/// Whether a piece of a text is no part of a line with other words.
fn stands_apart(text: &str, start: usize, end: usize, marks: &[Mark]) -> bool {
    let before = text[..start].trim_end_matches([' ', '\t']);
    let after = text[end..].trim_start_matches([' ', '\t', '\r']);
    let begins_line = before.is_empty() || before.ends_with('\n');
    let ends_line = after.is_empty() || after.starts_with('\n');
    begins_line && (ends_line || marks.iter().any(|(open, _)| after.starts_with(open)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_taken_out_and_words_stay() {
        const MARKS: &[Mark] = &[("<r>", "</r>"), ("Caveat: these", ""), ("# Rules", "</RULES>")];
        for (text, inserted, own) in [
            ("Delete it", "", Some("Delete it")),
            (" Delete it ", "", Some(" Delete it ")),
            ("<r>a</r>", "<r>a</r>", None),
            ("<r>a</r>\nDelete it", "<r>a</r>", Some("Delete it")),
            ("Delete it\n<r>a</r>\n\nnow\n<r>b\nc</r>", "<r>a</r>|<r>b\nc</r>", Some("Delete it\n\n\nnow")),
            ("Delete it\n<r>a</r> <r>b</r>", "<r>a</r>|<r>b</r>", Some("Delete it")),
            // The user speaks of it.
            ("What does <r>a</r> do?", "", Some("What does <r>a</r> do?")),
            ("I saw this:\n<r>a</r> twice", "", Some("I saw this:\n<r>a</r> twice")),
            ("Is it <r>a</r>?\n<r>b</r>", "<r>b</r>", Some("Is it <r>a</r>?")),
            ("<r>a</r> is what?", "", Some("<r>a</r> is what?")),
            ("What does <r> do?\n<r>b</r>", "<r>b</r>", Some("What does <r> do?")),
            ("What does <r> do\nwith </r>", "", Some("What does <r> do\nwith </r>")),
            ("<r> is what?\n<r>b</r>", "<r>b</r>", Some("<r> is what?")),
            ("<r> has no end", "", Some("<r> has no end")),
            ("# Rules are wrong", "", Some("# Rules are wrong")),
            ("What is <r>?", "", Some("What is <r>?")),
            ("<r>a</r><r>b</r>", "<r>a</r>|<r>b</r>", None),
            ("Caveat: these are not mine. <r>a</r>", "Caveat: these are not mine. <r>a</r>", None),
            ("My caveat: Caveat: these", "", Some("My caveat: Caveat: these")),
            ("# Rules\nBe brief.</RULES>\nDelete it", "# Rules\nBe brief.</RULES>", Some("Delete it")),
            ("<r>a</r># Rules</RULES>it", "<r>a</r>|# Rules</RULES>", Some("it")),
        ] {
            let (found, said) = split(text, MARKS);
            assert_eq!((found.join("|").as_str(), said.as_deref()), (inserted, own), "{text}");
        }
    }
}
