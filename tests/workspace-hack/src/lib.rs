//! Empty: only the features in this crate's manifest matter.
