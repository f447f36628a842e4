//! Tables on a terminal: columns as wide as they must be, names as narrow as it takes.

use unicode_width::UnicodeWidthStr;

use super::plain::PAGE;

/// Columns that names may take, the most pleasant first.
const NAMES: [usize; 8] = [30, 24, 20, 16, 12, 10, 8, 6];
/// Blanks between two columns.
const GAP: usize = 2;

/// A table without lines. Cells may have several lines; all columns but the first are figures, and end on the right.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<C: Into<String>>(header: impl IntoIterator<Item = C>) -> Table {
        let mut table = Table::default();
        table.add_row(header);
        table
    }

    pub fn add_row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table's text, without white space that nobody sees.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.flat_map(|cell| cell.lines()).map(UnicodeWidthStr::width).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        let lines: Vec<String> = self.rows.iter().flat_map(|row| lines(row, &widths)).collect();
        lines.join("\n").trim_end().to_owned()
    }
}

/// The lines of a row whose columns are so wide.
fn lines(row: &[String], widths: &[usize]) -> Vec<String> {
    let cells: Vec<Vec<&str>> = row.iter().map(|cell| cell.lines().collect()).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let line = |at: usize| {
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let text = cell.get(at).copied().unwrap_or_default();
            let blanks = " ".repeat(width - text.width());
            line += &match column {
                0 => format!(" {text}{blanks}"),
                _ => format!("{}{blanks}{text}", " ".repeat(GAP)),
            };
        }
        line.trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// The table that `draw` makes when names in it are [`folded`](super::plain::folded) to so many columns: the widest that fits
/// 100 columns.
pub fn fitting(draw: impl Fn(usize) -> Table) -> String {
    let mut text = String::new();
    for most in NAMES {
        text = draw(most).text();
        if text.lines().all(|line| line.width() <= PAGE) {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_figures_right() {
        let mut table = Table::new(["judge", "no\nlabel", "$"]);
        table.add_row(["builtin", "3", "0.5"]);
        table.add_row(["openai:\n模型", "120", ""]);
        let expected =
            [" judge       no    $", "          label", " builtin      3  0.5", " openai:    120", " 模型"];
        assert_eq!(table.text(), expected.join("\n"));
        assert_eq!(Table::default().text(), "");
    }
}
