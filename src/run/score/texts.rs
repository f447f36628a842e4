//! Notices numbers that a table may have turned into texts: a scorer would take them for wrong values.

use super::row::{CALLED, EXPECTED, called};
use crate::domain::{Calls, Cell, Object, RawRow, Sample, Slot};
use crate::normalize::Normalizer;
use crate::run::Observer;
use crate::run::input::TextFields;
use crate::table::Schema;

/// Where texts may be none: the columns of structs among those that are compared.
pub(super) struct Texts {
    called: [Option<TextFields>; 2],
    expected: Option<TextFields>,
}

impl Texts {
    /// Of a table, where `named` are the columns that the user named.
    pub fn of(schema: &Schema, named: &[(Slot, String)]) -> Texts {
        let fields = |slot: Slot, usual: &str| {
            let own = named.iter().find(|(of, _)| *of == slot).map(|(_, column)| column.as_str());
            let column = own.unwrap_or(usual);
            schema.has_structs(column).then(|| TextFields::of(column))
        };
        Texts {
            called: CALLED.map(|column| fields(Slot::ToolCall, column)),
            expected: fields(Slot::ExpectedToolCalls, EXPECTED),
        }
    }

    /// Looks through a row.
    pub fn look(&self, case: &Object, normalizer: &Normalizer) {
        let Some(column) = called(case) else { return };
        let of_calls = CALLED.iter().zip(&self.called).find(|(name, _)| **name == column);
        let of_calls = of_calls.and_then(|(_, fields)| fields.as_ref());
        if of_calls.is_none() && self.expected.is_none() {
            return;
        }
        let sample = |column: &str| -> Option<Sample> {
            let cell = |key: &str| case.get(key).cloned().map_or(Cell::Missing, Cell::from);
            let definitions = super::definitions::column(case).map_or(Cell::Missing, cell);
            let (question, tool_call) = (Cell::Text("-".to_owned()), cell(column));
            normalizer
                .sample(RawRow { question, tool_call, tool_definitions: definitions, ..RawRow::default() })
                .ok()
        };
        let (calls, expected) = (sample(column), sample(EXPECTED));
        let sides =
            [(of_calls, column, &calls, &expected), (self.expected.as_ref(), EXPECTED, &expected, &calls)];
        for (fields, column, own, other) in sides {
            let (Some(fields), Some(cell), Some(own)) = (fields, case.get(column), own) else { continue };
            if !fields.are_in(cell, own)
                && let (Calls::Parsed(own), Some(Calls::Parsed(other))) =
                    (&own.calls, other.as_ref().map(|other| &other.calls))
            {
                fields.are_beside_numbers(cell, own, other);
            }
        }
    }

    /// Warns of what was found.
    pub fn tell(&self, observer: &dyn Observer) {
        for fields in self.called.iter().chain([&self.expected]).flatten() {
            fields
                .warning(None, "the tool takes none, or the call that it is compared with has none")
                .into_iter()
                .for_each(|warning| observer.warning(&warning));
        }
    }
}
