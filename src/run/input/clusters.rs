//! Groups rows into clusters: by a column, or by question.

use crate::bench::columns;
use crate::domain::Json;
use crate::run::input::text;
use crate::table::{Batch, TableError};

/// The cluster column of a batch, where its table has one.
pub(in crate::run) struct Clusters(Option<Vec<Option<Json>>>);

/// A cluster's name, hashed: questions are long, and rows are many.
pub(in crate::run) type Cluster = [u8; 16];

impl Clusters {
    /// By `column`; `None` where the question counts.
    pub(in crate::run) fn of(rows: &Batch, column: Option<&str>) -> Result<Clusters, TableError> {
        Ok(Clusters(column.map(|column| rows.column(column)).transpose()?))
    }

    /// By the usual column, if there is one.
    pub(in crate::run) fn usual(rows: &Batch) -> Result<Clusters, TableError> {
        let there = |name: &&str| rows.schema.position(name).is_some();
        Clusters::of(rows, columns::CLUSTERS.into_iter().find(there))
    }

    /// The cluster of a row: what the column says, else its question; a row without either is alone, told by its `number`.
    pub(in crate::run) fn cluster(&self, at: usize, question: Option<&str>, number: u64) -> Cluster {
        let named = match &self.0 {
            Some(cells) => text(cells[at].as_ref()),
            None => question.map(str::to_owned),
        };
        match named {
            Some(name) => hash(&[b"named", name.as_bytes()]),
            None => hash(&[b"alone", &number.to_le_bytes()]),
        }
    }
}

/// A hash of `parts`, each with its length.
pub(in crate::run) fn hash(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    short
}
