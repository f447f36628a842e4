//! A set of mostly consecutive numbers, as a bitmap.

use std::collections::HashMap;

/// Numbers whose bits stand together: few enough that a number far from all others takes little room.
const TOGETHER: i64 = 512;

/// Which rows of the store were met. A million that follow one another take about 200 kB.
#[derive(Debug, Default)]
pub(super) struct Ids(HashMap<i64, [u64; 8]>);

impl Ids {
    /// Whether `id` is new.
    pub fn insert(&mut self, id: i64) -> bool {
        let words = self.0.entry(id.div_euclid(TOGETHER)).or_default();
        let place = id.rem_euclid(TOGETHER).unsigned_abs();
        let (word, bit) = ((place / 64) as usize, 1 << (place % 64));
        let is_new = words[word] & bit == 0;
        words[word] |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_number_is_new_once() {
        let around = |middle: i64| (-1300..1300).map(move |distance| middle.saturating_add(distance));
        let ids = [0, 1 << 40, i64::MAX, i64::MIN].into_iter().flat_map(around);
        let (mut set, mut bits) = (HashSet::new(), Ids::default());
        for id in ids.clone().step_by(3).chain(ids) {
            assert_eq!(bits.insert(id), set.insert(id), "{id}");
        }
    }
}
