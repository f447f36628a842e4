//! How many rows a comparison needs, and which difference it can detect.

use super::clusters::effective_clusters;
use super::paired::Paired;
use super::quantile::{Z, normal_quantile, normal_upper};

/// What a paired comparison rests on, beside its number of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// The share of rows on which exactly one of two judges is right.
    pub discordance: f64,
    /// How many rows in clusters know as much as one independent row; 1 for independent rows.
    pub design_effect: f64,
}

impl Design {
    /// Effective clusters that a design can be seen in.
    pub const MIN_CLUSTERS: f64 = 10.0;

    /// The design of a comparison that was made. `None` without rows that both judged, and where their effective number of
    /// clusters (Kish's) is below [`Design::MIN_CLUSTERS`]: how clusters vary cannot be seen in so few. Judges that never differ
    /// are given half a row on which they do, so that what they need can be said.
    pub fn of(clusters: &[Paired]) -> Option<Design> {
        let rows: u64 = clusters.iter().map(Paired::judged).sum();
        if effective_clusters(clusters.iter().map(|cluster| cluster.judged() as f64)) < Self::MIN_CLUSTERS {
            return None;
        }
        let n = rows as f64;
        let parts: Vec<(f64, f64, f64)> = clusters
            .iter()
            .map(|cluster| {
                let (a, b) = cluster.discordant();
                (b as f64 - a as f64, (a + b) as f64, cluster.judged() as f64)
            })
            .collect();
        let discordant: f64 = parts.iter().map(|part| part.1).sum();
        let mean = parts.iter().map(|part| part.0).sum::<f64>() / n;
        let between: f64 = parts.iter().map(|part| (part.0 - mean * part.2).powi(2)).sum();
        let independent = discordant - n * mean * mean;
        let design_effect = if independent > 0.0 { (between / independent).max(1.0) } else { 1.0 };
        Some(Design { discordance: discordant.max(0.5) / n, design_effect })
    }

    /// The probability that `rows` rows show a difference in accuracy of `difference`, two-sided at 5 %. `None` when the
    /// difference is larger than the discordance, or what is given is no share.
    ///
    /// The normal approximation of McNemar's test (O. S. Miettinen, "The matched pairs design in the case of all-or-none
    /// responses", Biometrics 24, 1968; R. J. Connor, Biometrics 43, 1987) on rows divided by the design effect. The exact test
    /// reaches a little less for few discordant rows.
    pub fn power(&self, rows: u64, difference: f64) -> Option<f64> {
        let d = difference.abs();
        if !self.sound() || d.is_nan() || d > self.discordance {
            return None;
        }
        let n = rows as f64 / self.design_effect;
        let spread = (self.discordance - d * d).sqrt();
        let reach = d * n.sqrt();
        let lacking = Z * self.discordance.sqrt() - reach;
        Some(if spread > 0.0 { normal_upper(lacking / spread) } else { f64::from(u8::from(lacking < 0.0)) })
    }

    fn sound(&self) -> bool {
        self.discordance > 0.0
            && self.discordance <= 1.0
            && self.design_effect >= 1.0
            && self.design_effect.is_finite()
    }
}

/// The rows needed to show a `difference` in accuracy with probability `power`, two-sided at 5 %; the formula that
/// [`Design::power`] inverts. `None` for a difference of 0 or above the discordance, or a power that is not between 0.05 and 1.
pub fn rows_needed(difference: f64, design: &Design, power: f64) -> Option<u64> {
    let d = difference.abs();
    if !design.sound() || d.is_nan() || d == 0.0 || d > design.discordance || !(power > 0.05 && power < 1.0) {
        return None;
    }
    let reach = Z * design.discordance.sqrt() + normal_quantile(power) * (design.discordance - d * d).sqrt();
    Some(((reach / d).powi(2) * design.design_effect).ceil() as u64)
}

/// The smallest difference in accuracy that `rows` rows show with probability `power`. `None` where not even judges that differ in
/// one direction only, as often as the discordance says, would show.
pub fn minimum_detectable_difference(rows: u64, design: &Design, power: f64) -> Option<f64> {
    if !(power > 0.05 && power < 1.0) || design.power(rows, design.discordance)? < power {
        return None;
    }
    let (mut low, mut high) = (0.0, design.discordance);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if design.power(rows, middle)? < power { low = middle } else { high = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_difference_answer_each_other() {
        let design = Design { discordance: 0.2, design_effect: 1.0 };
        // (1.96 sqrt(0.2) + 0.8416 sqrt(0.2 - 0.0025))^2 / 0.0025 = 625.2
        assert_eq!(rows_needed(0.05, &design, 0.8), Some(626));
        let found = minimum_detectable_difference(626, &design, 0.8).unwrap();
        assert!((found - 0.05).abs() < 1e-4, "{found}");
        let clustered = Design { design_effect: 3.0, ..design };
        assert!(rows_needed(0.05, &clustered, 0.8).unwrap().abs_diff(3 * 626) <= 3);
        assert_eq!(rows_needed(0.3, &design, 0.8), None);
        assert_eq!(rows_needed(0.0, &design, 0.8), None);
        assert_eq!(minimum_detectable_difference(10, &design, 0.8), None);
    }

    #[test]
    fn designs_are_observed() {
        let mut alike = Paired::default();
        (0..4).for_each(|_| alike.add(true, Some(true), Some(false)));
        let mut other = Paired::default();
        (0..4).for_each(|_| other.add(true, Some(false), Some(true)));
        let calm = (0..8).map(|_| {
            let mut calm = Paired::default();
            (0..4).for_each(|_| calm.add(false, Some(false), Some(false)));
            calm
        });
        let clusters: Vec<Paired> = calm.chain([alike, other]).collect();
        assert_eq!(Design::of(&clusters), Some(Design { discordance: 0.2, design_effect: 4.0 }));
        assert_eq!(Design::of(&[]), None);
        assert_eq!(Design::of(&clusters[..9]), None);
        // One cluster holds nearly everything: the others say nothing of it.
        let mut large = Paired::default();
        (0..500).for_each(|_| large.add(true, Some(true), Some(true)));
        let single = (0..20).map(|at| {
            let mut single = Paired::default();
            single.add(true, Some(at > 1), Some(at > 0));
            single
        });
        assert_eq!(Design::of(&single.chain([large]).collect::<Vec<_>>()), None);
    }
}
