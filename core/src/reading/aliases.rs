//! Different names of one thing: units, currencies, languages, places.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use crate::language::{all, english};

/// The other names of a folded word or phrase.
pub fn of(folded: &str) -> impl Iterator<Item = &'static str> {
    let groups = NAMES.groups_of.get(folded).into_iter().flatten();
    groups.flat_map(|group| NAMES.groups[*group].iter().copied())
}

/// Whether a short name is also a word of every other sentence: only in capitals it names a thing.
pub fn is_common_word(name: &str) -> bool {
    NAMES.common.contains(name)
}

/// Whether a folded word names a unit of measure, currencies aside.
pub fn is_unit(word: &str) -> bool {
    let units = english().names.units.len();
    NAMES.groups_of.get(word).is_some_and(|groups| groups.iter().any(|group| *group < units))
}

struct Names {
    /// Names of one thing each. Units come first.
    groups: Vec<Vec<&'static str>>,
    groups_of: HashMap<&'static str, Vec<usize>, FixedState>,
    common: HashSet<&'static str, FixedState>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let english = &english().names;
    let split = |names: &'static String| names.split(',').map(str::trim);
    let mut groups: Vec<Vec<&str>> =
        english.units.iter().chain(&english.things).map(|names| split(names).collect()).collect();
    for (name, also) in all().iter().flat_map(|language| &language.names.also) {
        if let Some(group) = groups.iter_mut().find(|group| group.contains(&name.as_str())) {
            let new = split(also).filter(|name| !group.contains(name)).collect::<Vec<_>>();
            group.extend(new);
        }
    }
    let mut groups_of: HashMap<&str, Vec<usize>, FixedState> = HashMap::default();
    for (at, group) in groups.iter().enumerate() {
        group.iter().for_each(|name| groups_of.entry(name).or_default().push(at));
    }
    let common = all().iter().flat_map(|language| language.names.common.iter()).collect();
    Names { groups, groups_of, common }
});
