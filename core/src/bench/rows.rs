//! What is known about the rows of a benchmark before they are judged, as columns.

use std::collections::{HashMap, HashSet};

/// Rows with their gold, by columns, since figures are sums over columns.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// One for each gold column.
    pub golds: Vec<Gold>,
    /// One for each column that rows are told apart by.
    pub slicings: Vec<Slicing>,
    /// Each row's cluster, numbered from 0.
    pub(crate) clusters: Vec<u32>,
    /// Each row's number in the input, counted from 0.
    pub numbers: Vec<u64>,
    /// What a checker that knows accepted calls says, where there is one: whether the call is right.
    pub checked: Vec<Option<bool>>,
    /// What makes rows the same; empty unless asked for.
    pub(crate) identities: Vec<[u8; 16]>,
    names: HashMap<[u8; 16], u32>,
    /// Rows with the golds of which the rows folded into them say opposite things.
    disputed: HashSet<(usize, usize)>,
}

/// What one column says that is right.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gold {
    /// The column's name.
    pub column: String,
    /// Whether each row is right by it; `None` where it does not say.
    pub right: Vec<Option<bool>>,
    /// The words of cells that say more than right or wrong.
    pub(crate) vocabulary: Vec<String>,
    words: Vec<Word>,
}

/// Which word of the vocabulary a row's gold is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Word {
    #[default]
    None,
    Known(u32),
    /// Rows that were folded into one have different words.
    Disputed,
}

impl Gold {
    /// The place in the vocabulary of what `row`'s gold says.
    pub(crate) fn word(&self, row: usize) -> Option<usize> {
        match self.words.get(row) {
            Some(Word::Known(word)) => Some(*word as usize),
            _ => None,
        }
    }

    fn name(&mut self, row: usize, word: &str) {
        let known = self.vocabulary.iter().position(|known| known == word);
        let place = known.unwrap_or_else(|| {
            self.vocabulary.push(word.to_owned());
            self.vocabulary.len() - 1
        });
        let word = Word::Known(place as u32);
        if self.words.len() <= row {
            self.words.resize(row + 1, Word::None);
        }
        self.words[row] = match self.words[row] {
            Word::None => word,
            known if known == word => known,
            _ => Word::Disputed,
        };
    }
}

/// Rows told apart by a column's values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slicing {
    /// The column's name.
    pub by: String,
    /// The values, in order of appearance.
    pub values: Vec<String>,
    /// Each row's value; `None` where it has none.
    of: Vec<Option<u32>>,
    /// Other values of rows that stand for several.
    more: HashMap<usize, Vec<u32>>,
    places: HashMap<String, u32>,
}

/// One row's part in a benchmark.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The row's number in the input, counted from 0.
    pub number: u64,
    /// One for each gold column.
    pub golds: &'a [Option<bool>],
    /// One for each slicing.
    pub slices: &'a [Option<String>],
    /// A hash of its cluster's name.
    pub cluster: [u8; 16],
    /// What a checker that knows the accepted calls says: whether the call is right.
    pub checked: Option<bool>,
    /// Of all rows or of none.
    pub identity: Option<[u8; 16]>,
}

impl Rows {
    /// No rows yet, of a table with these columns of gold and slicings.
    pub fn new<'a>(
        golds: impl IntoIterator<Item = &'a str>,
        slicings: impl IntoIterator<Item = &'a str>,
    ) -> Rows {
        let gold = |column: &str| Gold { column: column.to_owned(), ..Gold::default() };
        let slicing = |by: &str| Slicing { by: by.to_owned(), ..Slicing::default() };
        Rows {
            golds: golds.into_iter().map(gold).collect(),
            slicings: slicings.into_iter().map(slicing).collect(),
            ..Rows::default()
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// How many clusters the rows belong to.
    pub fn cluster_count(&self) -> usize {
        self.names.len()
    }

    /// Adds a row.
    pub fn push(&mut self, facts: Facts<'_>) {
        let next = self.names.len() as u32;
        let cluster = *self.names.entry(facts.cluster).or_insert(next);
        self.clusters.push(cluster);
        self.numbers.push(facts.number);
        self.checked.push(facts.checked);
        self.identities.extend(facts.identity);
        for (gold, right) in self.golds.iter_mut().zip(facts.golds) {
            gold.right.push(*right);
        }
        for (slicing, value) in self.slicings.iter_mut().zip(facts.slices) {
            slicing.push(value.as_deref());
        }
    }

    /// Lets the row at `place` stand for one more that is the same: it belongs to the slices of both. What one gold leaves open,
    /// the other fills; where they are opposite, nobody knows which is right, and the row has no such gold any more.
    pub fn fold(&mut self, place: usize, golds: &[Option<bool>], slices: &[Option<String>]) {
        for (at, (gold, new)) in self.golds.iter_mut().zip(golds).enumerate() {
            let known = &mut gold.right[place];
            match (*known, new) {
                _ if self.disputed.contains(&(place, at)) => {}
                (None, new) => *known = *new,
                (Some(a), Some(b)) if a != *b => {
                    *known = None;
                    self.disputed.insert((place, at));
                }
                _ => {}
            }
        }
        for (slicing, value) in self.slicings.iter_mut().zip(slices) {
            slicing.fold(place, value.as_deref());
        }
    }

    /// Keeps the words of the golds of the row at `place`, for figures of grades. Where a row stands for several with different
    /// words, its grade is unknown.
    pub fn name(&mut self, place: usize, words: &[Option<String>]) {
        for (gold, word) in self.golds.iter_mut().zip(words) {
            if let Some(word) = word {
                gold.name(place, word);
            }
        }
    }

    /// The golds of a row.
    pub fn golds_of(&self, place: usize) -> Vec<Option<bool>> {
        self.golds.iter().map(|gold| gold.right[place]).collect()
    }

    /// How many rows have a gold of which rows that are the same say opposite things.
    pub fn disputed_count(&self) -> usize {
        self.disputed.iter().map(|(place, _)| place).collect::<HashSet<_>>().len()
    }

    /// All rows, those of one cluster together.
    pub(crate) fn by_cluster(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|row| self.clusters[*row]);
        order
    }
}

impl Slicing {
    /// The values of a row: several where it stands for several rows.
    pub fn values_of(&self, row: usize) -> impl Iterator<Item = u32> {
        self.of[row].into_iter().chain(self.more.get(&row).into_iter().flatten().copied())
    }

    fn push(&mut self, value: Option<&str>) {
        let value = self.place(value);
        self.of.push(value);
    }

    fn fold(&mut self, row: usize, value: Option<&str>) {
        let Some(value) = self.place(value) else { return };
        if self.of[row].is_none() {
            self.of[row] = Some(value);
        } else if !self.values_of(row).any(|known| known == value) {
            self.more.entry(row).or_default().push(value);
        }
    }

    fn place(&mut self, value: Option<&str>) -> Option<u32> {
        let value = value.filter(|value| !value.is_empty())?;
        if let Some(place) = self.places.get(value) {
            return Some(*place);
        }
        let place = self.values.len() as u32;
        self.values.push(value.to_owned());
        self.places.insert(value.to_owned(), place);
        Some(place)
    }
}
