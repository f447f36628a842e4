//! The page's index of all rows: codes to filter and to sort by.

use std::collections::HashMap;

use serde_json::{Value, json};

/// Names in the order in which they were met; a code is a place among them.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<String>,
    codes: HashMap<String, u32>,
}

impl Names {
    pub fn code(&mut self, name: &str) -> u32 {
        if let Some(code) = self.codes.get(name) {
            return *code;
        }
        let code = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.codes.insert(name.to_owned(), code);
        code
    }

    /// The codes of some names, each once.
    pub fn codes<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Vec<u32> {
        let mut codes: Vec<u32> = names.into_iter().map(|name| self.code(name)).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}

/// A column with few values is filtered by the index; of any other, the page looks into the rows.
#[derive(Debug, Default)]
pub(super) struct Values {
    names: Names,
    has_many: bool,
}

/// Values of a column that can be chosen from.
const VALUES: usize = 64;
/// Bytes of such a value.
const VALUE: usize = 100;

impl Values {
    /// The value's code; nothing of a cell that says nothing.
    pub fn code(&mut self, value: Option<&str>) -> Option<u32> {
        let value = value.filter(|_| !self.has_many)?;
        self.has_many = value.len() > VALUE
            || (self.names.names.len() == VALUES && !self.names.codes.contains_key(value));
        (!self.has_many).then(|| self.names.code(value))
    }

    /// Whether there is anything to choose among `rows`.
    fn is_choice(&self, rows: usize) -> bool {
        let values = self.names.names.len();
        !self.has_many && values > 0 && (values < 10 || 10 * values < 7 * rows)
    }
}

/// All names that rows have codes of.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    pub labels: Names,
    pub statuses: Names,
    pub reasons: Names,
    pub tools: Names,
    pub arguments: Names,
    pub kinds: Names,
    /// One for each column.
    pub columns: Vec<Values>,
}

/// The codes of a row.
#[derive(Debug)]
pub(super) struct Codes {
    /// The row's number, from 1.
    pub row: u64,
    pub members: Vec<MemberCodes>,
    pub tools: Vec<u32>,
    pub arguments: Vec<u32>,
    pub kinds: Vec<u32>,
    pub columns: Vec<Option<u32>>,
}

/// What one judge says of a row, as codes.
#[derive(Debug)]
pub(super) struct MemberCodes {
    pub label: Option<u32>,
    pub status: u32,
    pub reason: Option<u32>,
    /// In ten-thousandths.
    pub confidence: Option<u32>,
}

impl Vocabulary {
    /// The index of `rows`; each chunk begins at a place among them. The names of `columns` are in the order of their values.
    pub fn index(&self, rows: &[&Codes], chunks: &[usize], columns: &[String]) -> Value {
        let members = rows.first().map_or(0, |row| row.members.len());
        let code = |code: Option<u32>| code.map_or(-1, i64::from);
        let each = |of: &dyn Fn(&Codes) -> Value| rows.iter().map(|row| of(row)).collect::<Vec<Value>>();
        let of_member = |at: usize| {
            let each = |of: &dyn Fn(&MemberCodes) -> i64| {
                rows.iter().map(|row| of(&row.members[at])).collect::<Vec<i64>>()
            };
            json!({
                "label": each(&|member| code(member.label)),
                "status": each(&|member| i64::from(member.status)),
                "reason": each(&|member| code(member.reason)),
                "confidence": each(&|member| code(member.confidence)),
            })
        };
        let of_column = |(at, (name, values)): (usize, (&String, &Values))| {
            let codes: Vec<i64> = rows.iter().map(|row| code(row.columns[at])).collect();
            values
                .is_choice(rows.len())
                .then(|| json!({"name": name, "values": values.names.names, "codes": codes}))
        };
        json!({
            "rows": each(&|row| json!(row.row)),
            "chunks": chunks,
            "members": (0..members).map(of_member).collect::<Vec<_>>(),
            "labels": self.labels.names,
            "statuses": self.statuses.names,
            "reasons": self.reasons.names,
            "tools": each(&|row| json!(row.tools)),
            "tool_names": self.tools.names,
            "arguments": each(&|row| json!(row.arguments)),
            "argument_names": self.arguments.names,
            "kinds": each(&|row| json!(row.kinds)),
            "kind_names": self.kinds.names,
            "columns": columns.iter().zip(&self.columns).enumerate().filter_map(of_column).collect::<Vec<_>>(),
        })
    }
}
