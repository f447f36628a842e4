//! One way in which a row is sent to a judge again: unchanged, edited, or with an attack in it.

use super::{Attack, Change, Place};
use crate::domain::Sample;
use crate::normalize::Normalizer;

/// What is done to a row before it is judged again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Probe {
    /// Nothing: how often the judge changes its mind by itself.
    Repeat,
    /// An edit that leaves the right label as it is.
    Change(Change),
    /// An order to the judge, at a place of the row.
    Attack(Attack, Place),
}

/// What kinds of probes there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The row as it stands.
    Repeat,
    /// An edit that leaves the right label as it is.
    Change,
    /// An order to the judge.
    Attack,
}

impl Kind {
    /// Its name in tables and files.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Repeat => "repeat",
            Kind::Change => "change",
            Kind::Attack => "attack",
        }
    }
}

impl Probe {
    /// Its kind, without what is done and where.
    pub fn kind(self) -> Kind {
        match self {
            Probe::Repeat => Kind::Repeat,
            Probe::Change(_) => Kind::Change,
            Probe::Attack(..) => Kind::Attack,
        }
    }

    /// Its family's name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Probe::Repeat => "repeat",
            Probe::Change(change) => change.as_str(),
            Probe::Attack(attack, _) => attack.as_str(),
        }
    }

    /// What it does, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Probe::Repeat => "the same once more",
            Probe::Change(change) => change.meaning(),
            Probe::Attack(attack, _) => attack.meaning(),
        }
    }

    /// Where an attack stands; nothing else has a place.
    pub fn place(self) -> Option<Place> {
        match self {
            Probe::Attack(_, place) => Some(place),
            Probe::Repeat | Probe::Change(_) => None,
        }
    }

    /// The sample as it is judged again, for an attack that asks for the label `target_label` (`good`: the one for right calls). `turn`
    /// chooses where there is a choice. `None` where the row has nothing that could be changed so.
    pub fn of(
        self,
        sample: &Sample,
        normalizer: &Normalizer,
        (target_label, good): (&str, bool),
        turn: usize,
    ) -> Option<Sample> {
        match self {
            Probe::Repeat => Some(sample.clone()),
            Probe::Change(change) => change.of(sample, normalizer, turn),
            Probe::Attack(attack, place) if place.fits(good) => {
                place.put(sample, normalizer, &attack.text(target_label, good)?)
            }
            Probe::Attack(..) => None,
        }
    }
}
