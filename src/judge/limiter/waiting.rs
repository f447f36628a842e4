//! The queue of waiting requests.

use std::collections::VecDeque;

use super::budget::Cost;

#[derive(Debug, Default)]
pub(super) struct WaitingRoom {
    waiting: VecDeque<(u64, Cost)>,
    joined: u64,
    /// Requests with a place that are sent once more, in another form: they come before everybody else, or else those who wait for a
    /// place and those who hold one would wait for each other.
    again: VecDeque<(u64, Cost)>,
}

impl WaitingRoom {
    /// A request of about `cost` waits behind all others; returns its number.
    pub(super) fn join(&mut self, cost: Cost) -> u64 {
        self.joined += 1;
        self.waiting.push_back((self.joined, cost));
        self.joined
    }

    /// A request that has its place waits before all others; returns its number.
    pub(super) fn join_again(&mut self, cost: Cost) -> u64 {
        self.joined += 1;
        self.again.push_back((self.joined, cost));
        self.joined
    }

    /// Whose turn it is comes first: of two that came at once the later may have got it.
    pub(super) fn lead(&mut self, number: u64) {
        if let Some(at) = self.waiting.iter().position(|(waiting, _)| *waiting == number)
            && let Some(first) = self.waiting.remove(at)
        {
            self.waiting.push_front(first);
        }
    }

    /// Request `number` waits no longer: most often the first.
    pub(super) fn leave(&mut self, number: u64) {
        for line in [&mut self.again, &mut self.waiting] {
            if let Some(at) = line.iter().position(|(waiting, _)| *waiting == number) {
                line.remove(at);
            }
        }
    }

    /// Whether somebody goes before all who have no place yet.
    pub(super) fn has_again(&self) -> bool {
        !self.again.is_empty()
    }

    /// What the next ones will cost: all that hold a place, then those for which there are `places`.
    pub(super) fn first(&self, places: usize) -> impl Iterator<Item = Cost> {
        self.again.iter().chain(self.waiting.iter().take(places)).map(|(_, cost)| *cost)
    }
}
