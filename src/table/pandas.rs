//! pandas' metadata about the frame that it wrote: which columns are the index, and their types in memory.

use super::schema::{Kind, Schema};
use crate::domain::{Json, Object};

/// The note of a file that pandas wrote, as far as it holds for the columns of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Pandas {
    /// Names of columns; an index that merely counts is no column but a description of one.
    index: Vec<Json>,
    /// What pandas says of each column, the index's among them.
    columns: Vec<Json>,
}

impl Pandas {
    /// What the note is called, in Parquet and Arrow.
    pub const KEY: &'static str = "pandas";

    /// `None` of what is not such a note.
    pub fn read(note: &str) -> Option<Pandas> {
        let note = Json::parse(note).ok()?;
        let list = |key| Some(note.get(key)?.as_array()?.to_vec());
        Some(Pandas { index: list("index_columns")?, columns: list("columns")? })
    }

    /// For the rows of both files, one after the other: a count does not go on from file to file. `None` where the files
    /// have different indexes.
    pub fn joined(mut self, other: &Pandas) -> Option<Pandas> {
        let named = |note: &Pandas| note.index.iter().filter(|one| one.as_str().is_some()).cloned().collect();
        let (own, others): (Vec<Json>, Vec<Json>) = (named(&self), named(other));
        self.index = own;
        (self.index == others).then_some(self)
    }

    /// The columns that are the index.
    pub fn index(&self) -> impl Iterator<Item = &str> {
        self.index.iter().filter_map(Json::as_str)
    }

    /// The note for a file with the columns of `schema`, of which only those that are still the input's own are what
    /// pandas says; `None` where an index column is not. The type of the columns' names is left out: ours are texts.
    pub fn note(&self, schema: &Schema) -> Option<String> {
        let places = schema.places();
        let own = |name: &str| {
            let column = places.get(name).map(|at| &schema.columns[*at]);
            column.is_some_and(|column| matches!(column.kind, Kind::Typed(_)))
        };
        if !self.index().all(own) {
            return None;
        }
        let name = |column: &Json| {
            let name = column.get("field_name").or_else(|| column.get("name"))?;
            name.as_str().map(str::to_owned)
        };
        let columns = self.columns.iter().filter(|column| name(column).is_some_and(|name| own(&name)));
        let note = [
            ("index_columns", Json::Array(self.index.clone())),
            ("column_indexes", Json::Array(Vec::new())),
            ("columns", Json::Array(columns.cloned().collect())),
        ];
        let note: Object = note.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        Some(Json::Object(note).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(index: &str) -> Pandas {
        Pandas::read(&format!(r#"{{"index_columns":{index},"columns":[]}}"#)).unwrap()
    }

    #[test]
    fn files_with_one_index_make_a_table_with_it() {
        let range = r#"[{"kind":"range","name":null,"start":0,"stop":3,"step":1}]"#;
        for (one, other, joined) in [
            (r#"["a"]"#, r#"["a"]"#, Some(r#"["a"]"#)),
            (range, range, Some("[]")),
            (r#"["a"]"#, r#"["b"]"#, None),
            (r#"["a"]"#, range, None),
        ] {
            assert_eq!(read(one).joined(&read(other)), joined.map(read), "{one} {other}");
        }
        for text in ["", "[]", "{}", r#"{"index_columns":1,"columns":[]}"#] {
            assert_eq!(Pandas::read(text), None, "{text}");
        }
    }

    #[test]
    fn an_index_that_is_gone_is_none() {
        assert_eq!(read(r#"["a"]"#).note(&Schema::default()), None);
        assert!(read("[]").note(&Schema::default()).is_some());
    }
}
