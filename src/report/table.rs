//! Tables on a terminal: columns as wide as they must be, names as narrow as it takes.

use comfy_table::{CellAlignment, Table, presets};
use unicode_width::UnicodeWidthStr;

use super::plain::PAGE;

/// Columns that names may take, the most pleasant first.
const NAMES: [usize; 8] = [30, 24, 20, 16, 12, 10, 8, 6];

/// A table without lines.
pub fn bare() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

/// The table that `draw` makes when names in it are [`folded`](super::plain::folded) to so many columns: the widest that fits
/// 100 columns. All its columns but the first are figures.
pub fn fitting(draw: impl Fn(usize) -> Table) -> String {
    let mut text = String::new();
    for most in NAMES {
        text = shown(draw(most));
        if text.lines().all(|line| line.width() <= PAGE) {
            break;
        }
    }
    text
}

/// The table's text, without white space that nobody sees.
pub fn shown(mut table: Table) -> String {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}
