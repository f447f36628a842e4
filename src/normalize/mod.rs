//! Raw row to sample: columns, questions, tool-call shapes, definition shapes.
