//! Draws without replacement: the drawn positions in random order, each with its inclusion probability.

use crate::domain::Random;

/// That fewer rows are wanted than there are groups, so that some group would have no chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFew {
    /// Groups with rows.
    pub groups: usize,
}

/// `wanted` of `rows` places, all alike; all places where there are fewer.
pub fn equally(rows: usize, wanted: usize, random: &mut Random) -> Vec<(usize, f64)> {
    let wanted = wanted.min(rows);
    let mut places: Vec<usize> = (0..rows).collect();
    shuffle(&mut places, wanted, random);
    places.into_iter().take(wanted).map(|place| (place, wanted as f64 / rows as f64)).collect()
}

/// `wanted` places from groups, of which `group` is the one of each place: at least one from each group, and from larger groups more, as the
/// square root of their size (M. D. Bankier, "Power allocations: determining sample sizes for subnational areas", The American
/// Statistician 42, 1988): each group is seen, and the largest ones still count most. All places of a group are alike.
///
/// # Errors
/// If fewer are wanted than there are groups.
pub fn stratified(group: &[usize], wanted: usize, random: &mut Random) -> Result<Vec<(usize, f64)>, TooFew> {
    let wanted = wanted.min(group.len());
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); group.iter().max().map_or(0, |last| last + 1)];
    group.iter().enumerate().for_each(|(place, group)| members[*group].push(place));
    members.retain(|places| !places.is_empty());
    if wanted < members.len() {
        return Err(TooFew { groups: members.len() });
    }
    let mut sizes = vec![1; members.len()];
    for _ in members.len()..wanted {
        // The next one goes where a group has least for its weight (A. Sainte-Laguë, 1910).
        let due = |at: &usize| (members[*at].len() as f64).sqrt() / (2.0 * sizes[*at] as f64 + 1.0);
        let open = (0..sizes.len()).filter(|at| sizes[*at] < members[*at].len());
        if let Some(next) = open.max_by(|a, b| due(a).total_cmp(&due(b)).then(b.cmp(a))) {
            sizes[next] += 1;
        }
    }
    let mut drawn = Vec::with_capacity(wanted);
    for (places, size) in members.iter().zip(sizes) {
        let of_group = equally(places.len(), size, random);
        drawn.extend(of_group.into_iter().map(|(at, probability)| (places[at], probability)));
    }
    shuffle(&mut drawn, wanted, random);
    Ok(drawn)
}

/// `wanted` places with probabilities in proportion to `sizes`, which are above 0, as far as none exceeds 1: systematically, in
/// random order (H. O. Hartley and J. N. K. Rao, "Sampling with unequal probabilities and without replacement", Annals of
/// Mathematical Statistics 33, 1962).
pub fn unevenly(sizes: &[f64], wanted: usize, random: &mut Random) -> Vec<(usize, f64)> {
    if wanted >= sizes.len() {
        return equally(sizes.len(), wanted, random);
    }
    let probabilities = proportional(sizes, wanted);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    shuffle(&mut order, sizes.len(), random);
    let start = random.unit();
    let (mut before, mut sum) = (start.floor(), start);
    let mut drawn = Vec::with_capacity(wanted);
    for (at, place) in order.iter().enumerate() {
        sum += probabilities[*place];
        // Sums of many small numbers are not quite what they should be.
        let reached = if at + 1 == order.len() { (wanted as f64 + start).floor() } else { sum.floor() };
        if reached > before {
            drawn.push((*place, probabilities[*place]));
            before = reached;
        }
    }
    shuffle(&mut drawn, wanted, random);
    drawn
}

/// Probabilities that sum up to `wanted`, in proportion to `sizes` where that is at most 1.
fn proportional(sizes: &[f64], wanted: usize) -> Vec<f64> {
    let mut certain = vec![false; sizes.len()];
    loop {
        let left = wanted as f64 - certain.iter().filter(|certain| **certain).count() as f64;
        let open: f64 =
            sizes.iter().zip(&certain).filter(|(_, certain)| !**certain).map(|(size, _)| size).sum();
        let of = |at: usize| if certain[at] { 1.0 } else { left * sizes[at] / open };
        let all: Vec<f64> = (0..sizes.len()).map(of).collect();
        if all.iter().all(|probability| *probability <= 1.0) {
            return all;
        }
        certain.iter_mut().zip(&all).for_each(|(certain, probability)| *certain |= *probability >= 1.0);
    }
}

/// Puts random items first (R. A. Fisher and F. Yates, 1938), as many as are wanted.
fn shuffle<T>(items: &mut [T], wanted: usize, random: &mut Random) {
    for at in 0..wanted.min(items.len()) {
        let other = at + (random.unit() * (items.len() - at) as f64) as usize;
        items.swap(at, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each place is drawn, beside the probabilities that were said of it.
    fn shares(rows: usize, draw: impl Fn(&mut Random) -> Vec<(usize, f64)>) -> Vec<(f64, f64)> {
        const TIMES: usize = 20_000;
        let mut random = Random::new(5);
        let mut found = vec![(0.0, 0.0); rows];
        for _ in 0..TIMES {
            for (place, probability) in draw(&mut random) {
                found[place].0 += 1.0 / TIMES as f64;
                found[place].1 = probability;
            }
        }
        found
    }

    fn as_said(shares: &[(f64, f64)]) {
        for (place, (share, said)) in shares.iter().enumerate() {
            assert!((share - said).abs() < 0.02, "{place}: drawn in {share}, said {said}");
        }
    }

    #[test]
    fn rows_are_drawn_as_often_as_is_said() {
        as_said(&shares(10, |random| equally(10, 3, random)));
        let groups = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 3];
        as_said(&shares(12, |random| stratified(&groups, 5, random).unwrap()));
        let sizes = [0.1, 0.1, 0.2, 0.2, 0.3, 0.5, 0.5, 9.0];
        as_said(&shares(8, |random| unevenly(&sizes, 4, random)));
    }

    #[test]
    fn as_many_are_drawn_as_are_wanted() {
        let mut random = Random::new(8);
        for wanted in 0..40 {
            let sizes: Vec<f64> = (0..30).map(|_| 0.01 + random.unit()).collect();
            for drawn in [equally(30, wanted, &mut random), unevenly(&sizes, wanted, &mut random)] {
                let mut places: Vec<usize> = drawn.iter().map(|(place, _)| *place).collect();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), wanted.min(30));
                assert!(drawn.iter().all(|(_, probability)| (0.0..=1.0).contains(probability)));
            }
        }
        // All of them are certain, to the last digit.
        let all = unevenly(&[0.1, 0.7, 0.3, 1.1, 0.9, 0.05], 6, &mut random);
        assert!(all.len() == 6 && all.iter().all(|(_, probability)| *probability == 1.0), "{all:?}");
        assert!(unevenly(&[], 3, &mut random).is_empty() && equally(0, 3, &mut random).is_empty());
    }

    #[test]
    fn every_group_has_its_chance() {
        let groups: Vec<usize> = (0..1000).map(|place| if place < 990 { 0 } else { place - 989 }).collect();
        let mut random = Random::new(1);
        assert_eq!(stratified(&groups, 10, &mut random), Err(TooFew { groups: 11 }));
        let drawn = stratified(&groups, 20, &mut random).unwrap();
        assert_eq!(drawn.len(), 20);
        assert!((990..1000).all(|place| drawn.contains(&(place, 1.0))), "{drawn:?}");
    }
}
