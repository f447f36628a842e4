//! Gold rows as rows of a table.

use super::{Column, Kind, Record, Schema};
use crate::gold::{Holds, Question, Row, columns};

/// The columns of a table of gold rows; of imported results with those that only they have.
pub fn schema(of_results: bool) -> Schema {
    let column = |column: &crate::gold::Column| {
        let kind = match column.holds {
            Holds::Text => Kind::Text,
            Holds::Json => Kind::Json,
        };
        Column { name: column.name.to_owned(), kind }
    };
    Schema::of(columns(of_results).map(column).collect())
}

/// The row of an answer to `question`, in the order of [`schema`].
pub fn record(row: &Row, question: &Question) -> Record {
    Record { cells: row.cells(question).into_iter().map(Some).collect(), item: None }
}
