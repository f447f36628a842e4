//! The columns that the user named for a scorer's input.

use super::ScoringError;
use crate::domain::Slot;
use crate::table::Schema;

/// What a scorer reads of a table of calls.
const READ: [Slot; 3] = [Slot::ToolCall, Slot::ExpectedToolCalls, Slot::ToolDefinitions];

/// Refuses what no scorer reads, and columns that are not there.
pub(super) fn check(columns: &[(Slot, String)], schema: &Schema) -> Result<(), ScoringError> {
    for (slot, column) in columns {
        if !READ.contains(slot) {
            let read = READ.map(Slot::as_str).join(", ");
            return Err(ScoringError::OtherSlot { slot: slot.as_str(), read });
        }
        if !schema.names().any(|name| name == column) {
            let all = schema.names().collect::<Vec<_>>().join(", ");
            return Err(ScoringError::NoColumn { slot: slot.as_str(), column: column.clone(), all });
        }
    }
    Ok(())
}
