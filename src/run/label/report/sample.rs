//! Chooses the rows of a page of limited size: rows that surely pass are dropped first, and both kinds are sampled at random.

/// Which rows are kept: those whose draw is below the bound of their kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    /// Of rows that are wrong, unsure or without a label, and of the others.
    bounds: [f64; 2],
}

/// How many rows of each kind there are.
pub(super) type Counts = [u64; 2];

impl Bounds {
    /// All rows.
    pub fn all() -> Bounds {
        Bounds { bounds: [1.0; 2] }
    }

    /// Whether the row of this number, of that kind, is kept. The same rows are kept in every run.
    pub fn keep(&self, row: u64, passes: bool) -> bool {
        draw(row) < self.bounds[usize::from(passes)]
    }

    /// Closer bounds, by which of `here` about `most` are left. A quarter of them are rows that pass, if there are so many.
    pub fn closer(self, here: Counts, most: u64) -> Bounds {
        let [look, passing] = here;
        let passing_left = most.saturating_sub(look).max(most / 4).min(passing);
        let look_left = most.saturating_sub(passing_left).min(look);
        let share = |left: u64, of: u64| if of == 0 { 1.0 } else { left as f64 / of as f64 };
        let [a, b] = self.bounds;
        Bounds { bounds: [a * share(look_left, look), b * share(passing_left, passing)] }
    }
}

/// A number from 0 to 1, the same for a row in every run (the finalizer of SplitMix64).
fn draw(row: u64) -> f64 {
    let mut bits = row.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) as f64 / (u64::MAX as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_pass_go_first() {
        let counted = |bounds: Bounds, passes| (0..10_000).filter(|row| bounds.keep(*row, passes)).count();
        let bounds = Bounds::all().closer([10_000, 90_000], 20_000);
        assert_eq!(counted(bounds, false), 10_000);
        assert!((1_000..1_250).contains(&counted(bounds, true)), "{}", counted(bounds, true));
        let bounds = bounds.closer([10_000, 10_000], 8_000);
        assert!((5_800..6_200).contains(&counted(bounds, false)), "{}", counted(bounds, false));
        assert_eq!(Bounds::all().closer([5, 5], 100), Bounds::all());
    }
}
