//! Measures of a schema's text that determine the work of checking it.

use crate::domain::Json;

/// What counts of a schema's text.
#[derive(Default)]
pub(super) struct Text {
    pub bytes: usize,
    /// Names of bases that it gives itself or its parts, and their bytes.
    pub bases: usize,
    pub base_bytes: usize,
    /// Drafts that it names.
    pub drafts: usize,
}

impl Text {
    pub(super) fn of(schema: &Json) -> Text {
        let mut text = Text::default();
        text.add(schema);
        text
    }

    fn add(&mut self, json: &Json) {
        self.bytes += 4;
        match json {
            Json::String(text) => self.bytes += text.len(),
            Json::Number(number) => self.bytes += number.as_str().len(),
            Json::Array(items) => items.iter().for_each(|item| self.add(item)),
            Json::Object(object) => {
                for (key, value) in object.iter() {
                    self.bytes += key.len();
                    match (key, value.as_str()) {
                        ("$id" | "id", Some(id)) => {
                            self.bases += 1;
                            self.base_bytes += id.len();
                        }
                        ("$schema", Some(_)) => self.drafts += 1,
                        _ => {}
                    }
                    self.add(value);
                }
            }
            Json::Null | Json::Bool(_) => {}
        }
    }
}
