//! A hard cost limit: a request is sent only if its worst-case cost is still available. The limit belongs to one run, or to all
//! runs with one purse; from a purse, money is taken in advance for a few requests at a time.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::{Mutex as FairMutex, Notify};
use tokio::time::{Instant, sleep};

use super::AskError;
use crate::domain::{Given, Taking};

const UNITS: f64 = Taking::UNITS;

/// How many requests' worst-case cost is taken from a purse at once. Chosen: most requests cost a fraction of that, so a purse is
/// accessed for one request in a few dozen; what a run holds and does not use is missing for others only near the end.
const AHEAD: u64 = 8;
/// How often a purse is looked at again that others may give back to, and how often it is told at most what was spent and what is no
/// longer needed.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A limit on cost that several runs share.
pub trait Purse: fmt::Debug + Send + Sync {
    /// Takes some of it, if there is enough left.
    ///
    /// # Errors
    /// In words, where it cannot be reached.
    fn take(&self, taking: Taking) -> BoxFuture<'_, Result<Given, String>>;

    /// Gives back everything except what was `spent`; what this run takes from now on is counted from zero.
    ///
    /// # Errors
    /// As for taking.
    fn settle(&self, spent: u64) -> BoxFuture<'_, Result<(), String>>;
}

/// What a run may spend, shared by all its judges.
#[derive(Debug)]
pub struct CostBudget {
    ceiling: u64,
    purse: Option<Box<dyn Purse>>,
    /// Held by the next in line.
    turn: FairMutex<()>,
    changed: Notify,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What may be spent as far as is known: all of it, or what was taken from the purse.
    granted: u64,
    /// What was spent, or may have been.
    spent: u64,
    /// Of that, what the purse has booked for good.
    settled: u64,
    /// What all runs with the purse had spent when it was last settled.
    together: u64,
    /// What runs had taken of it that died, when it was last asked.
    lost: u64,
    /// Since when a request waits for what other runs hold.
    waits: Option<Instant>,
    /// The worst that requests under way can cost.
    reserved: u64,
    under_way: usize,
    /// The worst that the request can cost for which money was set aside last.
    latest: u64,
    /// Whether the purse is about to be told what is no longer needed.
    is_returning: bool,
    /// The least that could not be set aside.
    refused: Option<u64>,
}

/// The worst that one request can cost. Dropped without a word it counts as spent: what became of the request is not
/// known then.
#[derive(Debug)]
pub(super) struct CostReservation {
    cost_budget: Arc<CostBudget>,
    amount: u64,
    spent: u64,
}

impl CostBudget {
    /// For how long what others may give back is waited for: they may hang. Chosen: longer than a request may take.
    pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

    /// `ceiling` in US dollars.
    pub fn new(ceiling: f64) -> Arc<CostBudget> {
        CostBudget::with_purse(ceiling, None)
    }

    /// The same for all runs with one `purse` together.
    pub(crate) fn with_purse(ceiling: f64, purse: Option<Box<dyn Purse>>) -> Arc<CostBudget> {
        // Rounded down, while costs are rounded up.
        let ceiling = (ceiling.max(0.0) * UNITS) as u64;
        let granted = if purse.is_some() { 0 } else { ceiling };
        let state = Mutex::new(State { granted, ..State::default() });
        Arc::new(CostBudget { ceiling, purse, turn: FairMutex::new(()), changed: Notify::new(), state })
    }

    /// What was spent so far, in US dollars, requests whose fate is unknown included at their worst.
    pub fn spent(&self) -> f64 {
        self.state().spent as f64 / UNITS
    }

    /// What may be spent, in US dollars: by all runs together, where they share a purse.
    pub(crate) fn ceiling(&self) -> f64 {
        self.ceiling as f64 / UNITS
    }

    /// Whether other runs may spend of it, too.
    pub(crate) fn is_shared(&self) -> bool {
        self.purse.is_some()
    }

    /// By how many US dollars more was spent than was allowed, if it was: by all runs with the same purse, as far as is known.
    pub(crate) fn exceeded(&self) -> Option<f64> {
        let state = self.state();
        // A run that spent nothing has nothing to do with it.
        let together = if state.spent > 0 { state.together } else { 0 };
        let beyond = state.spent.max(together).saturating_sub(self.ceiling);
        (beyond > 0).then_some(beyond as f64 / UNITS)
    }

    /// What runs that died have taken of the purse, in US dollars, where no more is to be had of it.
    pub(crate) fn lost(&self) -> Option<f64> {
        let state = self.state();
        (state.refused.is_some() && state.lost > 0).then_some(state.lost as f64 / UNITS)
    }

    /// For how long nothing was sent because other runs hold what is left of the purse.
    pub(crate) fn waits(&self) -> Option<Duration> {
        self.state().waits.map(|since| since.elapsed())
    }

    /// Whether a request did not fit any more.
    pub(super) fn has_refused(&self) -> bool {
        self.state().refused.is_some()
    }

    /// What a request may cost that is more than all that may be spent, in US dollars, if nothing was sent at all.
    pub(crate) fn too_small_for(&self) -> Option<f64> {
        let state = self.state();
        state
            .refused
            .filter(|amount| state.spent == 0 && *amount > self.ceiling)
            .map(|amount| amount as f64 / UNITS)
    }

    /// Sets aside `worst` dollars. Waits as long as requests under way, here or in a run with the same purse, may turn out cheaper
    /// than feared.
    ///
    /// # Errors
    /// [`AskError::Ceiling`] if it does not fit even then; [`AskError::Run`] if the purse cannot be reached.
    pub(super) async fn reserve(self: &Arc<Self>, worst: f64) -> Result<CostReservation, AskError> {
        let amount = units(worst);
        let _turn = self.turn.lock().await;
        let _waits = Waits(self);
        let began = Instant::now();
        loop {
            let (is_idle, taking) = {
                let mut state = self.state();
                let free = state.granted.saturating_sub(state.spent.saturating_add(state.reserved));
                if amount <= free {
                    state.reserved += amount;
                    state.under_way += 1;
                    state.latest = amount;
                    return Ok(CostReservation { cost_budget: Arc::clone(self), amount, spent: amount });
                }
                (state.under_way == 0, self.taking(&mut state, amount))
            };
            let given = match &self.purse {
                Some(purse) => {
                    let unreached = |message| AskError::Run { code: "purse".to_owned(), message };
                    purse.take(taking).await.map_err(unreached)?
                }
                None => Given::default(),
            };
            {
                let mut state = self.state();
                state.granted += given.more;
                state.lost = given.lost;
                state.waits = (is_idle && given.may_return && given.more == 0).then_some(began);
            }
            match (given.more, is_idle, given.may_return) {
                (1.., ..) => {}
                (_, true, false) => return Err(self.refuse(amount)),
                (_, true, true) if began.elapsed() >= CostBudget::PATIENCE => return Err(self.refuse(amount)),
                (_, false, false) => self.changed.notified().await,
                (_, _, true) => tokio::select! {
                    () = self.changed.notified() => {}
                    () = sleep(LOOK_AGAIN) => {}
                },
            }
        }
    }

    fn refuse(&self, amount: u64) -> AskError {
        let mut state = self.state();
        state.refused = Some(state.refused.map_or(amount, |least| least.min(amount)));
        AskError::Ceiling
    }

    /// What to say to the purse where `amount` is to be had. Without a request under way, all that was not spent is given back with
    /// it: of several runs that have too little, one then has enough.
    fn taking(&self, state: &mut State, amount: u64) -> Taking {
        let used = state.spent.saturating_add(state.reserved);
        if self.purse.is_some() {
            let ahead = if state.under_way == 0 { 0 } else { amount.saturating_mul(AHEAD) };
            state.granted = state.granted.clamp(used, used.saturating_add(ahead));
        }
        Taking {
            ceiling: self.ceiling,
            granted: state.granted - state.settled.min(state.granted),
            spent: state.spent - state.settled,
            need: amount.saturating_sub(state.granted.saturating_sub(used)),
            want: amount.saturating_mul(AHEAD),
        }
    }

    /// Tells the purse what is spent, and gives back what was taken for requests that turned out cheaper; a run that is killed later
    /// then loses little, and one slow request holds no more than its own worst case. At the end of the run [`CostBudget::settle`] does that.
    async fn give_back(&self) {
        sleep(LOOK_AGAIN).await;
        // Who waits for its turn tells the purse itself.
        let turn = self.turn.try_lock();
        let taking = {
            let mut state = self.state();
            state.is_returning = false;
            let is_settled = state.granted == state.spent && state.settled == state.spent;
            if turn.is_err() || (state.under_way == 0 && is_settled) {
                return;
            }
            let latest = state.latest;
            Taking { need: 0, want: 0, ..self.taking(&mut state, latest) }
        };
        if let Some(purse) = &self.purse {
            // Until the purse can be reached, what it holds counts as spent for the others.
            let _ = purse.take(taking).await;
        }
    }

    /// Gives back to the purse what was taken and not spent, because this run sends nothing more for now.
    ///
    /// # Errors
    /// In words, if the purse cannot be reached: then it counts as spent.
    pub(crate) async fn settle(&self) -> Result<(), String> {
        let Some(purse) = &self.purse else { return Ok(()) };
        let _turn = self.turn.lock().await;
        let (spent, unsettled) = {
            let mut state = self.state();
            if state.under_way > 0 {
                return Ok(());
            }
            state.granted = state.spent;
            (state.spent, state.spent - state.settled)
        };
        // The purse holds what this run has settled before.
        let own = Taking { ceiling: self.ceiling, granted: unsettled, spent: unsettled, need: 0, want: 0 };
        let others = purse.take(own).await?.spent;
        purse.settle(unsettled).await?;
        let mut state = self.state();
        (state.settled, state.together) = (spent, unsettled.saturating_add(others));
        Ok(())
    }

    fn close(self: &Arc<Self>, reserved: u64, spent: u64) {
        let is_to_return = {
            let mut state = self.state();
            state.reserved -= reserved;
            state.under_way -= 1;
            state.spent = state.spent.saturating_add(spent);
            self.purse.is_some() && !std::mem::replace(&mut state.is_returning, true)
        };
        self.changed.notify_one();
        if is_to_return && let Ok(runtime) = Handle::try_current() {
            let own = Arc::clone(self);
            runtime.spawn(async move { own.give_back().await });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CostReservation {
    /// The request cost this much.
    pub(super) fn spend(mut self, dollars: f64) {
        self.spent = units(dollars);
    }

    /// The request was refused, which costs nothing.
    pub(super) fn release(mut self) {
        self.spent = 0;
    }
}

impl Drop for CostReservation {
    fn drop(&mut self) {
        self.cost_budget.close(self.amount, self.spent);
    }
}

/// The time in which a request may wait for other runs.
struct Waits<'a>(&'a CostBudget);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.state().waits = None;
    }
}

fn units(dollars: f64) -> u64 {
    (dollars.max(0.0) * UNITS).ceil() as u64
}

#[cfg(test)]
mod tests;
