//! Corrections of wrong gold, by row id.

use std::collections::HashMap;

use crate::sampling::Draw;

/// Corrections by row name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Errata {
    corrections: HashMap<String, Correction>,
    /// How rows were drawn, where that is known of them.
    draws: Option<HashMap<String, Draw>>,
}

/// What to do with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correction {
    /// It is right, or wrong, whatever its gold says.
    Gold(bool),
    /// Nobody can tell: leave it out.
    LeaveOut,
}

impl Correction {
    /// Whether the row is right; nothing where nobody can tell.
    pub fn right(self) -> Option<bool> {
        match self {
            Correction::Gold(right) => Some(right),
            Correction::LeaveOut => None,
        }
    }
}

impl Errata {
    /// Adds a correction: a label for the row's gold, or nothing to leave it out. False if the row has one already that says
    /// otherwise.
    pub fn add(&mut self, id: &str, right: Option<bool>) -> bool {
        let correction = right.map_or(Correction::LeaveOut, Correction::Gold);
        *self.corrections.entry(id.to_owned()).or_insert(correction) == correction
    }

    /// The correction of the row of that name.
    pub fn of(&self, id: &str) -> Option<Correction> {
        self.corrections.get(id).copied()
    }

    /// Says that it is known how rows were picked, and how this one was drawn. False if the row was drawn otherwise before.
    pub fn add_draw(&mut self, id: &str, draw: Option<Draw>) -> bool {
        let draws = self.draws.get_or_insert_default();
        draw.is_none_or(|draw| *draws.entry(id.to_owned()).or_insert(draw) == draw)
    }

    /// Whether it is known how rows were picked.
    pub fn has_draws(&self) -> bool {
        self.draws.is_some()
    }

    /// How the row of that name was drawn.
    pub fn draw(&self, id: &str) -> Option<Draw> {
        self.draws.as_ref()?.get(id).copied()
    }

    /// The names of all rows with a correction or a draw.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let drawn = self.draws.iter().flat_map(HashMap::keys).map(String::as_str);
        self.ids().chain(drawn.filter(|id| self.of(id).is_none()))
    }

    /// The names of all rows with a correction.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.corrections.keys().map(String::as_str)
    }
}
