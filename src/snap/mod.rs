//! Reply text to rail, or why not.
