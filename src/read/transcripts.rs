//! Finds different transcripts with one id, and turns copied from another session, in one pass over all inputs.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::domain::{self, Json, Object, Origin, Slot, gold_columns};
use crate::normalize::logs::{Entry, Print, Skip, Turn};
use crate::table::cell;

/// The transcripts of all inputs, and the place where each turn is judged that sessions may copy.
#[derive(Debug, Default)]
pub(super) struct Transcripts {
    /// Of each id, what stands for the transcripts that have it, and the place of each in the order in which they come.
    named: HashMap<u64, HashMap<u64, usize>>,
    /// Of what stands for a turn and all before it, the sessions that it is a turn of and that differ in what came next.
    owners: HashMap<u64, Vec<Owner>>,
    /// Transcripts that begin with another one of their id: the same conversation, logged once more.
    continued: HashSet<u64>,
    /// Of each transcript that may be logged again as a whole, what stands for its beginnings.
    beginnings: HashMap<u64, Arc<[u64]>>,
}

/// The session that a turn is judged in: where it was met first, or where most of what came of it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    id: Option<u64>,
    transcript: u64,
    source: u64,
    next: Option<u64>,
    answered: Option<u64>,
    beside: Beside,
}

/// Stands for what a record says beside its words; 0 for nothing. Of two that say the same words to the end and differ here, both count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Beside {
    all: u64,
    /// What it says of right and wrong alone.
    gold: u64,
}

impl Beside {
    fn of(origin: &Origin) -> Beside {
        let said = |is_meant: fn(&str) -> bool| {
            let all = origin.about.iter().flat_map(|about| about.iter()).filter(|(key, _)| is_meant(key));
            let said: Vec<String> = all.map(|(key, value)| format!("{key}\0{value}")).collect();
            // Nothing is said in one way only.
            if said.is_empty() && origin.gold.is_none() {
                0
            } else {
                hashed(&format!("{said:?}{:?}", origin.gold))
            }
        };
        let of_gold =
            |key: &str| gold_columns::is_expectation(key) || Slot::Reference.aliases().contains(&key);
        Beside { all: said(|_| true), gold: said(of_gold) }
    }
}

impl Owner {
    /// Whether another session may have the same turn: what came next, where both know it, is the same.
    fn may_be_copied_by(&self, seen: &Seen) -> bool {
        let Print { transcript, source, next, answered, .. } = seen.print;
        let other = (self.id, self.transcript, self.source) != (seen.id, transcript, source);
        let differs = |own, its| matches!((own, its), (Some(own), Some(its)) if own != its);
        other && !differs(self.next, next) && !differs(self.answered, answered)
    }

    /// Whether another session shows more of what came of the turn.
    fn knows_less_than(&self, seen: &Seen) -> bool {
        let lacks = |own: Option<u64>, its: Option<u64>| own.is_none() && its.is_some();
        lacks(self.next, seen.print.next) || lacks(self.answered, seen.print.answered)
    }
}

/// How many sessions with one turn are told apart; a turn of further ones is judged in each.
const MAX_OWNERS: usize = 64;

/// What is noted of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// Stands for its transcript's id, if it has one.
    id: Option<u64>,
    print: Print,
    beside: Beside,
}

impl Seen {
    /// How many calls the turn makes.
    pub(super) fn calls(&self) -> usize {
        self.print.calls
    }

    fn owner(&self) -> Owner {
        let Print { transcript, source, next, answered, .. } = self.print;
        Owner { id: self.id, transcript, source, next, answered, beside: self.beside }
    }

    pub(super) fn of(turn: &Turn) -> Option<Seen> {
        let (id, print) = turn.print()?;
        // Without an id, only a copy can be told.
        (id.is_some() || print.copied.is_some()).then(|| Seen {
            id: id.map(hashed),
            print: print.clone(),
            beside: Beside::of(&turn.origin),
        })
    }
}

impl Transcripts {
    /// Takes note of a turn; tells whether it repeats another session's, or another session's repeats it.
    pub(super) fn note(&mut self, seen: &Seen) -> bool {
        let transcript = seen.print.transcript;
        let mut repeats = false;
        if let Some(copied) = seen.print.copied {
            if let Some(beginnings) = &seen.print.beginnings {
                self.beginnings.entry(transcript).or_insert_with(|| Arc::clone(beginnings));
            }
            let owners = self.owners.get(&copied).map_or(&[][..], Vec::as_slice);
            let owner = owners.iter().position(|owner| self.is_copy(owner, seen));
            let owners = self.owners.entry(copied).or_default();
            match owner {
                Some(at) => {
                    repeats = true;
                    let owner = &mut owners[at];
                    if owner.id == seen.id && seen.id.is_some() && owner.transcript != transcript {
                        self.continued.insert(transcript);
                    }
                    // What is logged once more later has what came of it.
                    let keeps_gold = owner.beside.gold == 0 || owner.beside.gold == seen.beside.gold;
                    if seen.print.beginnings.is_some() && keeps_gold && owner.knows_less_than(seen) {
                        *owner = seen.owner();
                    }
                }
                None if owners.len() < MAX_OWNERS && !owners.contains(&seen.owner()) => {
                    owners.push(seen.owner())
                }
                None => {}
            }
        }
        let Some(id) = seen.id else { return repeats };
        // A conversation that is logged once more is no other one of its name.
        let all = self.named.get(&id).into_iter().flat_map(HashMap::keys).take(MAX_OWNERS);
        let mut others = all.filter(|known| **known != transcript && seen.print.beginnings.is_some());
        if others.any(|known| self.begins(*known, transcript) || self.begins(transcript, *known)) {
            self.continued.insert(transcript);
        }
        if !self.continued.contains(&transcript) {
            let all = self.named.entry(id).or_default();
            let next = all.len();
            all.entry(transcript).or_insert(next);
        }
        repeats
    }

    /// Whether one transcript is the beginning of another.
    fn begins(&self, one: u64, other: u64) -> bool {
        let beginning = || {
            let elements = self.beginnings.get(&one)?.len().checked_sub(1)?;
            self.beginnings.get(&other)?.get(elements)
        };
        one == other || beginning() == Some(&one)
    }

    fn is_copy(&self, owner: &Owner, seen: &Seen) -> bool {
        let (own, its) = (owner.transcript, seen.print.transcript);
        let is_again = || self.begins(own, its) || self.begins(its, own);
        // A log that grows says other things each time, but not of what is right.
        let says_the_same = match own == its {
            true => owner.beside == seen.beside,
            false => seen.beside.gold == 0 || owner.beside.gold == seen.beside.gold,
        };
        // Two whole chats that say the same are two if each has a name of its own.
        let named_apart = seen.print.beginnings.is_some()
            && own == its
            && owner.id.is_some()
            && seen.id.is_some()
            && owner.id != seen.id;
        says_the_same
            && !named_apart
            && owner.may_be_copied_by(seen)
            && (seen.print.beginnings.is_none() || is_again())
    }

    /// A turn, or that it repeats another session's, which is judged there.
    pub(super) fn copied(&self, turn: Box<Turn>) -> Entry {
        let owned = Seen::of(&turn).and_then(|seen| Some((self.owners.get(&seen.print.copied?)?, seen)));
        match owned {
            // Whoever owns the turn repeats nobody, be there several.
            Some((owners, seen))
                if !owners.contains(&seen.owner())
                    && owners.iter().any(|owner| self.is_copy(owner, &seen)) =>
            {
                Entry::NotTaken(Skip::Repeated, seen.calls())
            }
            _ => Entry::Turn(turn),
        }
    }

    /// Names a turn's transcript anew if another one has its id.
    pub(super) fn name(&self, turn: &mut Turn) {
        let Some((seen, (Some(id), _))) = Seen::of(turn).zip(turn.print()) else { return };
        let Some(all) = seen.id.and_then(|id| self.named.get(&id)).filter(|all| all.len() > 1) else {
            return;
        };
        let Some(at) = all.get(&seen.print.transcript) else { return };
        // Another transcript may have that name for its own.
        let mut number = at + 1;
        while number > 1 && self.named.contains_key(&hashed(&format!("{id}~{number}"))) {
            number += all.len();
        }
        turn.number(number);
    }
}

fn hashed(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Where a turn stands that cannot be read.
#[derive(Debug, Clone)]
pub(super) struct Place {
    source_id: Option<String>,
    in_transcript: Option<domain::Place>,
    about: Option<Arc<Object>>,
}

impl Place {
    pub(super) fn of(turn: &Turn) -> Place {
        let Origin { source_id, about, .. } = turn.origin.clone();
        Place { source_id, in_transcript: turn.place().cloned(), about }
    }

    /// What is known for a column.
    pub(super) fn cell(&self, column: &str) -> Json {
        let place = self.in_transcript.as_ref();
        match column {
            "source_id" => cell::text(self.source_id.as_deref()),
            "transcript_id" => cell::text(place.and_then(|place| place.transcript_id.as_deref())),
            "turn" => cell::int(place.map(|place| place.turn.into())),
            "turns" => cell::int(place.map(|place| place.turns.into())),
            _ => Json::Null,
        }
    }

    /// What its record says beside the words.
    pub(super) fn about(&self) -> Option<&Object> {
        self.about.as_deref()
    }

    /// Names the transcript if it has no name.
    pub(super) fn name(&mut self, name: impl FnOnce() -> String) {
        if let Some(place) = &mut self.in_transcript {
            place.transcript_id.get_or_insert_with(|| name().into());
        }
    }
}
