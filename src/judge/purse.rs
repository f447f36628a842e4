//! A cost ceiling that holds: nothing is sent unless the worst it can cost is still there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as FairMutex, Notify};

/// Money is counted in whole millionths of a millionth of a dollar, so that sums are exact.
const UNITS: f64 = 1e12;

/// What a run may spend, shared by all its judges.
#[derive(Debug)]
pub struct Purse {
    ceiling: u64,
    /// Held by whoever is next.
    turn: FairMutex<()>,
    changed: Notify,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What was spent, or may have been.
    spent: u64,
    /// The worst that requests under way can cost.
    reserved: u64,
    under_way: usize,
}

/// The worst that one request can cost. Dropped without a word it counts as spent: what became of the request is not
/// known then.
#[derive(Debug)]
pub(super) struct Reservation {
    purse: Arc<Purse>,
    amount: u64,
    spent: u64,
}

impl Purse {
    /// `ceiling` in US dollars.
    pub fn new(ceiling: f64) -> Arc<Purse> {
        Arc::new(Purse {
            // Rounded down, while costs are rounded up.
            ceiling: (ceiling.max(0.0) * UNITS) as u64,
            turn: FairMutex::new(()),
            changed: Notify::new(),
            state: Mutex::default(),
        })
    }

    /// What was spent so far, in US dollars, requests whose fate is unknown included at their worst.
    pub fn spent(&self) -> f64 {
        self.state().spent as f64 / UNITS
    }

    /// Sets aside `worst` dollars. Waits as long as requests under way may turn out cheaper than feared; none if it does
    /// not fit even then.
    pub(super) async fn reserve(self: &Arc<Self>, worst: f64) -> Option<Reservation> {
        let amount = units(worst);
        let _turn = self.turn.lock().await;
        loop {
            {
                let mut state = self.state();
                let taken = state.spent.saturating_add(state.reserved);
                if amount <= self.ceiling.saturating_sub(taken) {
                    state.reserved += amount;
                    state.under_way += 1;
                    return Some(Reservation { purse: Arc::clone(self), amount, spent: amount });
                }
                if state.under_way == 0 {
                    return None;
                }
            }
            self.changed.notified().await;
        }
    }

    fn close(&self, reserved: u64, spent: u64) {
        {
            let mut state = self.state();
            state.reserved -= reserved;
            state.under_way -= 1;
            state.spent = state.spent.saturating_add(spent);
        }
        self.changed.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// The request cost this much.
    pub(super) fn spend(mut self, dollars: f64) {
        self.spent = units(dollars);
    }

    /// The request was refused, which costs nothing.
    pub(super) fn release(mut self) {
        self.spent = 0;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.purse.close(self.amount, self.spent);
    }
}

fn units(dollars: f64) -> u64 {
    (dollars.max(0.0) * UNITS).ceil() as u64
}
