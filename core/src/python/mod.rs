//! How Python reads and writes values, to match other tools' numbers and texts exactly.
//!
//! `number.rs` is what `int` and `float` read, `text.rs` what `str`, `repr` and `json.dumps` write.

mod number;
mod text;

pub use number::{float, int, is_digit, is_space, strip};
pub use text::{
    write_float, write_indented, write_indented_object, write_json, write_json_float, write_list,
    write_quoted, write_repr, write_sorted_json, write_str,
};
