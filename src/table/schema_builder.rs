//! Builds the schema of a table of JSON objects by scanning all of them.

use std::collections::HashMap;
use std::sync::Arc;

use super::schema::{Column, Kind, Schema};
use crate::domain::{Json, Object, Slot};
use crate::{bench, normalize};

/// Finds out which columns a series of JSON objects has, in the order of their first appearance.
///
/// Each row may have its own keys, for example because it is a map by id. If each key were a column, memory would grow with rows times
/// keys, so beyond [`MANY`] keys the rare ones share one column.
#[derive(Debug, Default)]
pub struct SchemaBuilder {
    places: HashMap<Arc<str>, usize>,
    columns: Vec<Found>,
    /// How many objects there were.
    rows: u64,
    /// How many keys were left when rare ones were last forgotten; `None` if none ever was.
    left: Option<usize>,
}

/// Up to so many keys, each has a column.
const MANY: usize = 1_000;
/// When so many keys are known, the rare ones are forgotten…
const KNOWN: usize = 100_000;
/// …which are those that fewer than one row in so many has.
const RARE: u64 = 100;
/// A column that fewer rows have is mostly empty cells.
const SPARSE: u64 = 20;
/// Whether commands look for a column of this name without being told to, so that it must be there however rare it is.
fn is_known(name: &str) -> bool {
    bench::columns::is_known(name)
        || normalize::columns::CONVERTED.contains(&name)
        || ["label", "source_id"].contains(&name)
        || Slot::ALL.iter().any(|slot| slot.aliases().contains(&name))
}

/// What the column of the keys without a column is called, unless a key is called so.
const OTHER_KEYS: &str = "other_keys";

/// What is known of a column so far.
#[derive(Debug)]
struct Found {
    name: Arc<str>,
    /// How many rows have it.
    rows: u64,
    /// `None` as long as every value was null.
    kind: Option<Kind>,
    /// Whether an integer was met that no double holds exactly.
    wide: bool,
}

/// Beyond this, doubles skip integers.
const EXACT_IN_DOUBLE: u64 = 1 << 53;

impl SchemaBuilder {
    pub fn add(&mut self, object: &Object) {
        self.rows += 1;
        for (key, value) in object.iter() {
            let place = match self.places.get(key) {
                Some(&place) => place,
                None => {
                    let name = Arc::<str>::from(key);
                    self.places.insert(Arc::clone(&name), self.columns.len());
                    // It may be one that was forgotten, with any values.
                    let kind = self.left.map(|_| Kind::Json);
                    self.columns.push(Found { name, rows: 0, kind, wide: false });
                    self.columns.len() - 1
                }
            };
            let found = &mut self.columns[place];
            found.rows += 1;
            found.kind = merge(found.kind.take(), kind_of(value));
            found.wide |= is_wide(value);
        }
        if self.columns.len() >= KNOWN.max(2 * self.left.unwrap_or(0)) {
            self.forget();
        }
    }

    /// Forgets the keys that are rare so far, so that memory does not grow with the rows.
    fn forget(&mut self) {
        let before = self.columns.len();
        let rows = self.rows;
        self.columns.retain(|found| found.rows.saturating_mul(RARE) >= rows || is_known(&found.name));
        let left = self.columns.len();
        if left < before {
            self.places = self.columns.iter().map(|found| Arc::clone(&found.name)).zip(0..).collect();
            self.left = Some(left);
        }
    }

    /// A column that was null throughout becomes a text column.
    pub fn finish(self) -> Schema {
        let own = self.own();
        let all = self.left.is_none() && own.iter().all(|own| *own);
        let mut name = OTHER_KEYS.to_owned();
        while self.places.contains_key(name.as_str()) {
            name.push('_');
        }
        drop(self.places);
        let column = |found: Found| Column {
            name: found.name.as_ref().to_owned(),
            kind: match found.kind {
                // One of its integers would change as a double.
                Some(Kind::Float) if found.wide => Kind::Json,
                kind => kind.unwrap_or(Kind::Text),
            },
        };
        let kept = self.columns.into_iter().zip(own).filter(|(_, own)| *own);
        let mut columns: Vec<Column> = kept.map(|(found, _)| column(found)).collect();
        if !all {
            let names = columns.iter().map(|column| column.name.clone()).collect();
            columns.push(Column { name, kind: Kind::OtherKeys(Arc::new(names)) });
        }
        Schema::of(columns)
    }

    /// Which keys have columns of their own: those that mean something to this program, those that one row in [`SPARSE`] has, and
    /// the most frequent, up to [`MANY`]. Of keys that are equally frequent, all have one or none has.
    fn own(&self) -> Vec<bool> {
        let mut counts: Vec<u64> = self.columns.iter().map(|found| found.rows).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let beyond = counts.get(MANY).copied().unwrap_or(0);
        let is_own = |found: &Found| found.rows > beyond || found.rows.saturating_mul(SPARSE) >= self.rows;
        self.columns.iter().map(|found| is_own(found) || is_known(&found.name)).collect()
    }
}

fn is_wide(value: &Json) -> bool {
    match value {
        Json::Number(number) => number.as_i64().is_some_and(|n| n.unsigned_abs() > EXACT_IN_DOUBLE),
        _ => false,
    }
}

fn kind_of(value: &Json) -> Option<Kind> {
    Some(match value {
        Json::Null => return None,
        Json::Bool(_) => Kind::Bool,
        Json::Number(number) if number.is_integer() && number.as_i64().is_some() => Kind::Int,
        Json::Number(number) if !number.is_integer() && number.as_f64().is_finite() => Kind::Float,
        // A number that no column type holds unchanged: each value stays as it was written.
        Json::Number(_) => Kind::Json,
        Json::String(_) => Kind::Text,
        Json::Array(_) | Json::Object(_) => Kind::Json,
    })
}

fn merge(a: Option<Kind>, b: Option<Kind>) -> Option<Kind> {
    match (a, b) {
        (None, kind) | (kind, None) => kind,
        (Some(a), Some(b)) if a == b => Some(a),
        (Some(Kind::Int), Some(Kind::Float)) | (Some(Kind::Float), Some(Kind::Int)) => Some(Kind::Float),
        _ => Some(Kind::Json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema_of(rows: impl Iterator<Item = Vec<(String, Json)>>) -> Schema {
        let mut builder = SchemaBuilder::default();
        rows.for_each(|row| builder.add(&row.into_iter().collect()));
        builder.finish()
    }

    fn one(key: impl Into<String>) -> (String, Json) {
        (key.into(), Json::from("1"))
    }

    /// The names of the columns, and whether there is one for other keys.
    fn names(schema: &Schema) -> (Vec<&str>, bool) {
        let mut names: Vec<&str> = schema.names().collect();
        let others = schema.other_keys().map(|at| names.remove(at));
        (names, others.is_some())
    }

    /// What judges are shown and what is compared with their labels is found however many other keys there are.
    #[test]
    fn what_this_program_looks_for_has_a_column_however_rare_it_is() {
        for known in ["messages", "tool_definitions", "reference", "gold", "success_label", "question_id"] {
            for rows in [3 * MANY, 2 * KNOWN] {
                let own = (0..rows).map(|row| {
                    let rare = (row == 7).then(|| one(known));
                    [one("question"), one(format!("k{row}"))].into_iter().chain(rare).collect()
                });
                let schema = schema_of(own);
                let (columns, has_others) = names(&schema);
                assert!(
                    has_others && columns.starts_with(&["question", known]),
                    "{columns:?} of {rows} rows"
                );
            }
        }
    }

    #[test]
    fn few_keys_have_columns_however_rare_they_are() {
        let schema = schema_of((0..MANY).map(|row| vec![one(format!("k{row}"))]));
        assert_eq!((schema.columns.len(), schema.other_keys()), (MANY, None));
    }

    #[test]
    fn of_many_keys_those_that_few_rows_have_go_together() {
        let row = |row: usize| {
            let mut cells = vec![one("all"), one(format!("own{row}"))];
            // One row in fifty, and one in a thousand.
            cells.extend(row.is_multiple_of(50).then(|| one("some")));
            cells.extend(row.is_multiple_of(1000).then(|| one("rare")));
            cells
        };
        let schema = schema_of((0..3 * MANY).map(row));
        assert_eq!(names(&schema), (vec!["all", "some", "rare"], true));
        assert_eq!(schema.columns[3].name, "other_keys");
        let Kind::OtherKeys(known) = &schema.columns[3].kind else { panic!() };
        assert!(known.contains("rare") && !known.contains("own0"));
    }

    #[test]
    fn keys_of_every_row_have_columns_however_many_they_are() {
        let schema = schema_of((0..3).map(|_| (0..3 * MANY).map(|at| one(format!("k{at}"))).collect()));
        assert_eq!((schema.columns.len(), schema.other_keys()), (3 * MANY, None));
    }

    #[test]
    fn other_keys_take_no_name_that_a_key_has() {
        let row = |row: usize| vec![one("other_keys"), one(format!("own{row}"))];
        let schema = schema_of((0..2 * MANY).map(row));
        assert_eq!(schema.names().collect::<Vec<_>>(), ["other_keys", "other_keys_"]);
    }

    #[test]
    fn what_was_forgotten_can_come_back_with_values_of_any_kind() {
        // `late` is a text once, is forgotten among the others, and then is a number in every row.
        let first = std::iter::once(vec![one("all"), one("late")]);
        let many = (0..300).map(|row| {
            std::iter::once(one("all")).chain((0..400).map(|at| one(format!("k{row}_{at}")))).collect()
        });
        let number = |text: &str| Json::parse(text).unwrap();
        let rest = (0..400).map(|row| vec![one("all"), ("late".to_owned(), number(&row.to_string()))]);
        let schema = schema_of(first.chain(many).chain(rest));
        assert_eq!(names(&schema), (vec!["all", "late"], true));
        assert_eq!(schema.columns[1].kind, Kind::Json);
    }

    #[test]
    fn kinds_widen_as_values_demand() {
        let mut builder = SchemaBuilder::default();
        for line in [
            r#"{"i":1,"f":1,"t":"a","n":null,"big":1,"m":1,"w":9007199254740993}"#,
            r#"{"f":2.5,"late":true,"big":123456789012345678901234567890,"m":"x","w":0.5}"#,
        ] {
            builder.add(Json::parse(line).unwrap().as_object().unwrap());
        }
        let kinds: Vec<(String, Kind)> =
            builder.finish().columns.into_iter().map(|column| (column.name, column.kind)).collect();
        let expected = [
            ("i", Kind::Int),
            ("f", Kind::Float),
            ("t", Kind::Text),
            ("n", Kind::Text),
            ("big", Kind::Json),
            ("m", Kind::Json),
            ("w", Kind::Json),
            ("late", Kind::Bool),
        ];
        assert_eq!(kinds, expected.map(|(name, kind)| (name.to_owned(), kind)));
    }
}
