//! Tables as text: at their natural width if that fits, else narrower, else split into blocks of columns.

use unicode_width::UnicodeWidthStr;

use super::plain::{folded, visible, wrapped};

/// Blanks between two columns.
const GAP: usize = 2;
/// What a name and words keep before a table is cut into blocks, and what names keep in any case.
const MIN_NAME: usize = 10;
const MIN_WORDS: usize = 16;
const LEAST: usize = 6;

/// What a column holds, and so how it gives way where the lines are too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// A name, on the left, folded where it is long. Those that begin a row are repeated in every block.
    Name,
    /// Words, on the left, wrapped where they are many.
    Words,
    /// A figure, on the right, always in one piece.
    Figure,
    /// A figure that shares a heading with the column before: both stay in one block.
    Joined,
}

impl Column {
    /// The width that a column may be narrowed to.
    fn floor(self) -> usize {
        match self {
            Column::Name => MIN_NAME,
            Column::Words => MIN_WORDS,
            Column::Figure | Column::Joined => usize::MAX,
        }
    }

    fn is_figure(self) -> bool {
        matches!(self, Column::Figure | Column::Joined)
    }
}

/// A table without lines. Cells may have several lines.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of such columns, which has no rows yet. A header is its first row.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row, whose cells are of the table's columns. What is not visible in them is shown as `�`.
    pub fn add_row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let shown = |char| if char == '\n' { char } else { visible(char) };
        let cells = cells.into_iter().map(|cell| cell.into().chars().map(shown).collect());
        let mut row: Vec<String> = cells.collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// The table on lines of at most `width` columns, without white space at their ends. Figures are never cut: names and words
    /// are folded first, and if that is not enough, the columns are shown in several blocks, each with the names of the rows.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let blocks = match self.narrowed(&all, width, Column::floor) {
            Some(whole) => vec![whole],
            None => self.blocks(width),
        };
        blocks.join("\n\n")
    }

    /// These columns side by side, names and words narrowed to what it takes but not below `floor`; nothing if that is too wide.
    fn narrowed(&self, columns: &[usize], width: usize, floor: fn(Column) -> usize) -> Option<String> {
        let widths: Vec<usize> = columns.iter().map(|column| self.natural(*column)).collect();
        let widest = widths.iter().copied().max().unwrap_or(0);
        let at_most = |cap: usize| -> Vec<usize> {
            let capped =
                |(column, width): (&usize, &usize)| (*width).min(cap.max(floor(self.columns[*column])));
            columns.iter().zip(&widths).map(capped).collect()
        };
        let fits = |widths: &Vec<usize>| {
            widths.iter().map(|width| width + GAP).sum::<usize>() <= width.saturating_add(GAP - 1)
        };
        (0..=widest).rev().map(at_most).find(fits).map(|widths| self.lines(columns, &widths))
    }

    /// The columns in as few blocks as it takes, in their order, each begun by the names that begin a row.
    fn blocks(&self, width: usize) -> Vec<String> {
        let least = |column: Column| if column.is_figure() { usize::MAX } else { LEAST };
        let names = self.columns.iter().take_while(|column| **column == Column::Name).count();
        let lead: Vec<usize> = (0..names).collect();
        let mut blocks: Vec<String> = Vec::new();
        let mut open = lead.clone();
        // The block as it is drawn so far.
        let mut drawn: Option<String> = None;
        for group in self.groups(names) {
            let longer: Vec<usize> = open.iter().chain(&group).copied().collect();
            if let Some(text) = self.narrowed(&longer, width, Column::floor) {
                (open, drawn) = (longer, Some(text));
                continue;
            }
            blocks.extend(drawn.take());
            open = lead.iter().chain(&group).copied().collect();
            drawn = self.narrowed(&open, width, Column::floor).or_else(|| self.narrowed(&open, width, least));
            if drawn.is_none() {
                // Not even alone: what is left of it is one column after the other.
                for column in group {
                    let single: Vec<usize> = lead.iter().copied().chain([column]).collect();
                    let widths = single.iter().map(|at| match self.columns[*at].is_figure() {
                        true => self.natural(*at),
                        false => self.natural(*at).min(LEAST),
                    });
                    let widths: Vec<usize> = widths.collect();
                    blocks.push(self.lines(&single, &widths));
                }
                open.clone_from(&lead);
            }
        }
        blocks.extend(drawn);
        blocks
    }

    /// The columns behind the first ones that must not be parted.
    fn groups(&self, from: usize) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for at in from..self.columns.len() {
            match groups.last_mut() {
                Some(group) if self.columns[at] == Column::Joined => group.push(at),
                _ => groups.push(vec![at]),
            }
        }
        groups
    }

    /// The width that a column wants.
    fn natural(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| &row[column]);
        cells.flat_map(|cell| cell.lines()).map(UnicodeWidthStr::width).max().unwrap_or(0)
    }

    /// The lines of these columns, which are so wide at most.
    fn lines(&self, columns: &[usize], widths: &[usize]) -> String {
        let fold = |cell: &str, column: usize, width: usize| match self.columns[column] {
            Column::Name => cell.lines().map(|line| folded(line, width)).collect::<Vec<_>>().join("\n"),
            Column::Words => wrapped(cell, "", width),
            Column::Figure | Column::Joined => cell.to_owned(),
        };
        let rows = self.rows.iter().map(|row| {
            let cells = columns.iter().zip(widths);
            cells.map(|(column, width)| fold(&row[*column], *column, *width)).collect::<Vec<String>>()
        });
        let rows: Vec<Vec<String>> = rows.collect();
        // Folded, names may need less than they were given.
        let needed = |at: usize| {
            let lines = rows.iter().flat_map(|row| row[at].lines());
            lines.map(UnicodeWidthStr::width).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns.len()).map(needed).collect();
        let lines = rows.iter().flat_map(|row| self.lines_of(row, columns, &widths));
        lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// The lines of one row.
    fn lines_of(&self, row: &[String], columns: &[usize], widths: &[usize]) -> Vec<String> {
        let cells: Vec<Vec<&str>> = row.iter().map(|cell| cell.lines().collect()).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let line = |at: usize| {
            let mut line = " ".to_owned();
            for (place, (cell, width)) in cells.iter().zip(widths).enumerate() {
                let text = cell.get(at).copied().unwrap_or_default();
                let blanks = " ".repeat(width - text.width());
                let gap = " ".repeat(if place == 0 { 0 } else { GAP });
                line += &match self.columns[columns[place]].is_figure() {
                    true => format!("{gap}{blanks}{text}"),
                    false => format!("{gap}{text}{blanks}"),
                };
            }
            line.trim_end().to_owned()
        };
        (0..height).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Column::{Figure, Joined, Name, Words};

    fn table(columns: &[Column], rows: &[&[&str]]) -> Table {
        let mut table = Table::new(columns.iter().copied());
        rows.iter().for_each(|row| table.add_row(row.iter().copied()));
        table
    }

    #[test]
    fn names_stand_left_and_figures_right() {
        let table = table(
            &[Name, Figure, Figure],
            &[&["judge", "no\nlabel", "$"], &["builtin", "3", "0.5"], &["openai:\n模型", "120", ""]],
        );
        let expected =
            [" judge       no    $", "          label", " builtin      3  0.5", " openai:    120", " 模型"];
        assert_eq!(table.text(100), expected.join("\n"));
        assert_eq!(Table::new([]).text(60), "");
    }

    #[test]
    fn what_is_too_wide_is_folded_and_then_cut_into_blocks() {
        let wide = table(
            &[Name, Figure, Joined, Words],
            &[
                &["judge", "right\npassed", "\nfailed", "why"],
                &["openai:gpt-5-mini", "1234 (50.0 %)", "1234 (50.0 %)", "one two three four five"],
            ],
        );
        let one_line = [
            " judge                      right                 why",
            "                           passed         failed",
            " openai:gpt-5-mini  1234 (50.0 %)  1234 (50.0 %)  one two three four five",
        ]
        .join("\n");
        let folded = [
            " judge               right                 why",
            "                    passed         failed",
            " openai:     1234 (50.0 %)  1234 (50.0 %)  one two three",
            " gpt-5-mini                                four five",
        ]
        .join("\n");
        let blocks = [
            " judge               right",
            "                    passed         failed",
            " openai:     1234 (50.0 %)  1234 (50.0 %)",
            " gpt-5-mini",
            "",
            " judge              why",
            " openai:gpt-5-mini  one two three four",
            "                    five",
        ]
        .join("\n");
        assert_eq!(wide.text(73), one_line);
        assert_eq!(wide.text(59), folded);
        assert_eq!(wide.text(41), blocks);
    }

    #[test]
    fn every_width_keeps_every_figure() {
        let name = "a_name/without-any.end:".repeat(4);
        let row = ["123456 (99.9 %)"; 5];
        let cells: Vec<&str> =
            [name.as_str()].into_iter().chain(row).chain(["错误 of a kind that is long to tell"]).collect();
        let wide = table(&[Name, Figure, Joined, Joined, Figure, Joined, Words], &[&cells]);
        for width in 24..=200 {
            let text = wide.text(width);
            assert!(text.lines().all(|line| line.width() <= width), "{width}\n{text}");
            assert_eq!(text.matches("123456 (99.9 %)").count(), 5, "{width}\n{text}");
            assert!(
                ["错误", "kind", "long", "tell"].iter().all(|word| text.contains(word)),
                "{width}\n{text}"
            );
        }
    }
}
