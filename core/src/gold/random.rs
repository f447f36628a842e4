//! Random draws that depend only on a seed and on what is drawn.

use crate::domain;

/// The draws for one purpose.
#[derive(Debug, Clone)]
pub(super) struct Random(domain::Random);

impl Random {
    /// The draws for `purpose`: other purposes' draws do not change them.
    pub(super) fn of(seed: u64, purpose: &[&str]) -> Random {
        let mut bits = domain::Random::new(seed ^ hash(purpose));
        bits.bits();
        Random(bits)
    }

    /// Below `end`; 0 where that is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        // The high half of the product: no modulo bias worth speaking of at these sizes.
        ((u128::from(self.0.bits()) * end as u128) >> 64) as usize
    }

    pub(super) fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }

    pub(super) fn flip(&mut self) -> bool {
        self.below(2) == 1
    }

    /// One of items that are likelier the heavier they are.
    pub(super) fn weighted<T>(&mut self, mut items: Vec<(usize, T)>) -> Option<T> {
        let mut at = self.below(items.iter().map(|(weight, _)| weight).sum());
        let place = items.iter().position(|(weight, _)| {
            let here = at < *weight;
            at = at.saturating_sub(*weight);
            here
        })?;
        Some(items.swap_remove(place).1)
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// FNV-1a over texts, each with an end of its own.
fn hash(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_seed_and_purpose_only() {
        let draws = |seed, purpose: &[&str]| {
            let mut random = Random::of(seed, purpose);
            [random.below(1 << 40), random.below(1 << 40)]
        };
        assert_eq!(draws(1, &["a", "b"]), draws(1, &["a", "b"]));
        for other in [draws(2, &["a", "b"]), draws(1, &["ab"]), draws(1, &["b", "a"])] {
            assert_ne!(draws(1, &["a", "b"]), other);
        }
    }

    #[test]
    fn all_items_come_up_about_as_often_as_they_weigh() {
        let mut random = Random::of(7, &[]);
        let mut found = [0_usize; 3];
        for _ in 0..6000 {
            found[random.weighted(vec![(1, 0), (2, 1), (3, 2)]).unwrap()] += 1;
        }
        assert!(found[0].abs_diff(1000) < 150 && found[1].abs_diff(2000) < 150, "{found:?}");
        let mut items: Vec<usize> = (0..50).collect();
        random.shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
        assert_eq!(random.below(0), 0);
        assert_eq!(random.weighted::<()>(Vec::new()), None);
    }
}
