//! The requests that wait for their turn, in its order.

use std::collections::VecDeque;

use super::budget::Cost;

#[derive(Debug, Default)]
pub(super) struct WaitingRoom {
    waiting: VecDeque<(u64, Cost)>,
    joined: u64,
}

impl WaitingRoom {
    /// A request of about `cost` waits behind all others; returns its number.
    pub(super) fn join(&mut self, cost: Cost) -> u64 {
        self.joined += 1;
        self.waiting.push_back((self.joined, cost));
        self.joined
    }

    /// Request `number` waits no longer: most often the first.
    pub(super) fn leave(&mut self, number: u64) {
        if let Some(at) = self.waiting.iter().position(|(waiting, _)| *waiting == number) {
            self.waiting.remove(at);
        }
    }

    /// What the next ones will cost, for which there are `places`; before them `again` that hold one, as much as others.
    pub(super) fn first(&self, again: usize, places: usize) -> impl Iterator<Item = Cost> {
        let first = self.waiting.front().map(|(_, cost)| *cost).unwrap_or(Cost { input: 1, output: 0 });
        std::iter::repeat_n(first, again).chain(self.waiting.iter().take(places).map(|(_, cost)| *cost))
    }
}
