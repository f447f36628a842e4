//! The columns of a table and their types.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use polars::prelude::{ArrowDataType, ArrowField, ArrowSchema, CompatLevel, DataType};

use super::arrow::{map_field, without_views, written_field};
use super::{Pandas, arrow, frame};

/// The columns of a table, in order. Names are unique.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schema {
    /// In the order of the file.
    pub columns: Vec<Column>,
    /// What pandas says of them, where it wrote the file.
    pub pandas: Option<Pandas>,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// What the cells hold.
    pub kind: Kind,
}

/// What a column holds. Every kind allows nulls.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// True or false.
    Bool,
    /// Integers that fit 64 bits.
    Int,
    /// Numbers that a double holds.
    Float,
    /// Texts; also numbers too large or long for the kinds above, as they were written.
    Text,
    /// Texts that a model or endpoint may have written, so that nobody knows what is in them.
    Words,
    /// Values of several types or nested ones: compact JSON where a column must have one type.
    Json,
    /// The same, of rows whose objects were given the fields of each other: a null field may be one that the row does not have.
    Padded,
    /// The other keys of rows of JSON, an object in each row, where the rows have too many different keys to give each a column.
    /// Holds the keys that have columns.
    OtherKeys(Arc<HashSet<String>>),
    /// A column of a typed file, of any type that it has there.
    Typed(Typed),
}

impl Schema {
    /// Columns of which nothing else is known.
    pub fn of(columns: Vec<Column>) -> Schema {
        Schema { columns, pandas: None }
    }

    /// `columns`, some of them this table's own, of a table made of it.
    #[must_use]
    pub fn with(&self, columns: Vec<Column>) -> Schema {
        Schema { columns, pandas: self.pandas.clone() }
    }

    /// The same columns, some under other names, each as it is and as it shall be.
    #[must_use]
    pub fn renamed(&self, names: &[(String, String)]) -> Schema {
        let new = |name: &String| names.iter().find(|(from, _)| from == name).map(|(_, to)| to.clone());
        let column = |column: &Column| Column {
            name: new(&column.name).unwrap_or_else(|| column.name.clone()),
            kind: column.kind.clone(),
        };
        self.with(self.columns.iter().map(column).collect())
    }

    /// The headings, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The same columns, as files with typed columns have them.
    pub fn arrow(&self) -> ArrowSchema {
        let field = |column: &Column| match &column.kind {
            Kind::Typed(typed) => ArrowField { name: column.name.as_str().into(), ..typed.written.clone() },
            kind => {
                // The string type that every reader knows.
                let dtype = match kind.dtype() {
                    DataType::String => ArrowDataType::Utf8,
                    dtype => dtype.to_arrow(CompatLevel::oldest()),
                };
                ArrowField::new(column.name.as_str().into(), dtype, true)
            }
        };
        self.columns.iter().map(field).map(|field| (field.name.clone(), field)).collect()
    }

    /// The places of all columns by their names: for whoever looks up more than a few, since there may be a hundred thousand.
    pub fn places(&self) -> HashMap<&str, usize> {
        self.names().enumerate().map(|(at, name)| (name, at)).collect()
    }

    /// The column of the keys that have none of their own, if there is one.
    pub fn other_keys(&self) -> Option<usize> {
        self.columns.iter().position(|column| matches!(column.kind, Kind::OtherKeys(_)))
    }

    /// The place of the column of that exact name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Whether the column `name` holds structs, in which each field has one type; texts of JSON have those that they say.
    pub fn has_structs(&self, name: &str) -> bool {
        let kind = self.position(name).map(|at| &self.columns[at].kind);
        matches!(kind, Some(Kind::Typed(typed)) if typed.dtype.is_nested() && !arrow::holds_json(&typed.file))
    }
}

/// The type of a column of a typed file: in frames, in the file, and in files that are written.
#[derive(Debug, Clone)]
pub struct Typed {
    dtype: DataType,
    file: ArrowDataType,
    written: ArrowField,
}

impl Typed {
    /// A column that is `file` in its file and `dtype` in frames.
    pub fn new(file: &ArrowField, dtype: DataType) -> Typed {
        let frame = dtype.to_arrow_field(file.name.clone(), CompatLevel::oldest());
        let written = written_field(&map_field(file, &without_views), &map_field(&frame, &without_views));
        Typed { written, file: file.dtype.clone(), dtype }
    }

    /// Whether its values may have fields that only other rows have.
    pub(super) fn may_have_blanks(&self) -> bool {
        frame::may_have_blanks(&self.dtype, &self.file)
    }

    /// The same where some files lack the column.
    pub fn nullable(mut self) -> Typed {
        self.written.is_nullable = true;
        self
    }
}

/// Files whose columns differ only in how they are laid out can make one table.
impl PartialEq for Typed {
    fn eq(&self, other: &Typed) -> bool {
        self.dtype == other.dtype
    }
}

impl Kind {
    /// The type of such a column in its file, if it comes from a typed one.
    pub(super) fn file(&self) -> Option<&ArrowDataType> {
        match self {
            Kind::Typed(typed) => Some(&typed.file),
            _ => None,
        }
    }

    /// The type of such a column in a frame.
    pub fn dtype(&self) -> DataType {
        match self {
            Kind::Bool => DataType::Boolean,
            Kind::Int => DataType::Int64,
            Kind::Float => DataType::Float64,
            Kind::Text | Kind::Words | Kind::Json | Kind::Padded | Kind::OtherKeys(_) => DataType::String,
            Kind::Typed(typed) => typed.dtype.clone(),
        }
    }
}
