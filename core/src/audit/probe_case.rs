//! Chooses the probes of each row.

use super::{Attack, Change, Place, Probe};
use crate::domain::Sample;
use crate::normalize::Normalizer;

/// One probe of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeCase {
    /// The row's place among those that are audited.
    pub row: usize,
    /// What is done to the row.
    pub probe: Probe,
    /// The place among the rails of the label that an attack asks for.
    pub target_label: usize,
}

/// All changes that the row can have, and each attack once, in one of the places that the row has: `turn`, a number of the row's,
/// goes round, so that over many rows every attack stands everywhere. `target_label` is the label that attacks ask for, and whether it is
/// the good one.
pub fn applicable_probes(
    sample: &Sample,
    normalizer: &Normalizer,
    target_label: (&str, bool),
    turn: usize,
) -> Vec<Probe> {
    let can = |probe: &Probe| probe.of(sample, normalizer, target_label, turn).is_some();
    let mut probes: Vec<Probe> = Change::ALL.map(Probe::Change).into_iter().filter(can).collect();
    let places: Vec<Place> = Place::ALL.into_iter().filter(|place| place.fits(target_label.1)).collect();
    for (at, attack) in Attack::ALL.into_iter().enumerate() {
        let turned = (0..places.len()).map(|next| places[(turn + at + next) % places.len()]);
        probes.extend(turned.map(|place| Probe::Attack(attack, place)).find(can));
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::edit::tests::sample;
    use super::*;

    #[test]
    fn every_attack_comes_once_and_stands_everywhere_in_the_end() {
        let tools =
            r#"[{"name":"f","description":"Does f.","parameters":{"type":"object","properties":{}}}]"#;
        let (normalizer, sample) = sample("What?", r#"[{"name":"f","arguments":{}}]"#, tools);
        let mut places = std::collections::BTreeSet::new();
        for turn in 0..Place::ALL.len() {
            let probes = applicable_probes(&sample, &normalizer, ("correct", true), turn);
            let attacks: Vec<Attack> = probes
                .iter()
                .filter_map(|probe| match probe {
                    Probe::Attack(attack, place) => {
                        places.insert((*attack, *place));
                        Some(*attack)
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(attacks, Attack::ALL);
        }
        assert_eq!(places.len(), Attack::ALL.len() * Place::ALL.len());
        let against = applicable_probes(&sample, &normalizer, ("incorrect", false), 0);
        assert!(
            against
                .iter()
                .all(|probe| probe.place() != Some(Place::Argument) && probe.name() != "master_key")
        );
    }
}
