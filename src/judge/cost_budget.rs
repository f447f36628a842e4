//! A hard cost limit: a request is sent only if its worst-case cost is still available. The limit belongs to one run, or to all
//! runs with one purse; from a purse, money is taken in advance for a few requests at a time.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::{Mutex as FairMutex, Notify};
use tokio::time::{Instant, sleep};

use super::AskError;
use crate::domain::{Given, Taking};

const UNITS: f64 = Taking::UNITS;

/// How many requests' worst-case cost is taken from a purse at once. Chosen: most requests cost a fraction of that, so a purse is
/// accessed for one request in a few dozen; what a run holds and does not use is missing for others only near the end.
const AHEAD: u64 = 8;
/// How often a purse is looked at again that others may give back to.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// For how long: others may hang. Chosen: longer than a request may take.
const PATIENCE: Duration = Duration::from_secs(300);

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
    /// The worst that requests under way can cost.
    reserved: u64,
    under_way: usize,
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
        let began = Instant::now();
        loop {
            let (is_idle, taking) = {
                let mut state = self.state();
                let free = state.granted.saturating_sub(state.spent.saturating_add(state.reserved));
                if amount <= free {
                    state.reserved += amount;
                    state.under_way += 1;
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
            self.state().granted += given.more;
            match (given.more, is_idle, given.may_return) {
                (1.., ..) => {}
                (_, true, false) => return Err(self.refuse(amount)),
                (_, true, true) if began.elapsed() >= PATIENCE => return Err(self.refuse(amount)),
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
            state.granted = if state.under_way == 0 { used } else { state.granted.max(used) };
        }
        Taking {
            ceiling: self.ceiling,
            granted: state.granted - state.settled.min(state.granted),
            spent: state.spent - state.settled,
            need: amount.saturating_sub(state.granted.saturating_sub(used)),
            want: amount.saturating_mul(AHEAD),
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

fn units(dollars: f64) -> u64 {
    (dollars.max(0.0) * UNITS).ceil() as u64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// How a simulated request ends.
    #[derive(Clone, Copy, PartialEq)]
    enum End {
        Answered,
        Refused,
        /// Billed, but the amount stays unknown: no answer comes back.
        Lost,
        /// The task is gone in the middle of it.
        Aborted,
    }

    /// One run of requests with random sizes, prices and ends; returns ceiling, what the server billed, what the purse
    /// thinks, and the worst that a request could cost, in units.
    async fn schedule(seed: u64) -> (u64, u64, u64, u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        // Prices as they are: from a twentieth of a dollar to fifteen dollars a million tokens.
        let input = 0.05 * 300_f64.powf(random.f64());
        let output = input * (1.0 + 9.0 * random.f64());
        let max_tokens = random.u64(1..2000);
        let (longest, concurrency) = (random.u64(1..20_000), random.usize(1..64));
        let cost = |prompt: u64, answer: u64| (prompt as f64 * input + answer as f64 * output) / 1e6;
        let most = cost(longest, max_tokens);
        let ceiling = most * (0.5 + 60.0 * random.f64());
        let troubles = random.f64() * 0.4;
        let cost_budget = CostBudget::new(ceiling);
        let bill = Arc::new(Mutex::new(0_u64));
        let places = Arc::new(tokio::sync::Semaphore::new(concurrency));
        let mut tasks = tokio::task::JoinSet::new();
        // Enough of them to spend it all.
        for _ in 0..500 {
            let bytes = random.u64(1..=longest);
            let tokens = random.u64(1..=bytes);
            let answer = random.u64(0..=max_tokens);
            let takes = Duration::from_millis(random.u64(1..3000));
            let attempts: Vec<End> = (0..4)
                .map(|_| match random.f64() / troubles.max(1e-9) {
                    x if x < 0.4 => End::Refused,
                    x if x < 0.9 => End::Lost,
                    x if x < 1.0 => End::Aborted,
                    _ => End::Answered,
                })
                .collect();
            let (cost_budget, bill, places) =
                (Arc::clone(&cost_budget), Arc::clone(&bill), Arc::clone(&places));
            let (worst, real) = (cost(bytes, max_tokens), cost(tokens, answer));
            tasks.spawn(async move {
                for end in attempts {
                    let place = Arc::clone(&places).acquire_owned().await.unwrap();
                    let Ok(money) = cost_budget.reserve(worst).await else { return };
                    tokio::time::sleep(takes).await;
                    if end != End::Refused {
                        *bill.lock().unwrap() += units(real);
                    }
                    match end {
                        End::Answered => return money.spend(real),
                        End::Refused => money.release(),
                        End::Lost => drop(money),
                        End::Aborted => return,
                    }
                    drop(place);
                }
            });
        }
        while tasks.join_next().await.is_some() {}
        let state = cost_budget.state();
        assert_eq!((state.reserved, state.under_way), (0, 0));
        (cost_budget.ceiling, *bill.lock().unwrap(), state.spent, units(most))
    }

    #[tokio::test(start_paused = true)]
    async fn the_servers_bill_never_exceeds_the_ceiling() {
        let mut left: Vec<f64> = Vec::new();
        let mut billed: Vec<f64> = Vec::new();
        for seed in 0..1000 {
            let (ceiling, bill, spent, worst) = schedule(seed).await;
            assert!(bill <= ceiling && spent <= ceiling, "schedule {seed}: {bill} of {ceiling}");
            assert!(bill <= spent, "schedule {seed}: the budget knows of less than was billed");
            left.push((ceiling - spent) as f64 / worst as f64);
            billed.push(bill as f64 / ceiling as f64);
        }
        let median = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let most_left = left.iter().copied().fold(0.0, f64::max);
        let (left, billed) = (median(&mut left), median(&mut billed));
        println!(
            "1,000 schedules: 0 bills above the ceiling; left unused, in worst cases of one request: median {left:.4}, \
             most {most_left:.2}; billed of the ceiling: median {billed:.2}"
        );
        assert!(left < 1.0);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_may_still_be_served_waits() {
        let cost_budget = CostBudget::new(1.0);
        let first = cost_budget.reserve(0.7).await.unwrap();
        let waiting = tokio::spawn({
            let cost_budget = Arc::clone(&cost_budget);
            async move { cost_budget.reserve(0.5).await.is_ok() }
        });
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(!waiting.is_finished());
        first.spend(0.4);
        assert!(waiting.await.unwrap());
        // That one was dropped, so it counts as spent.
        assert!((cost_budget.spent() - 0.9).abs() < 1e-9);
        assert!(cost_budget.reserve(0.2).await.is_err());
        cost_budget.reserve(0.05).await.unwrap().release();
        assert!((cost_budget.spent() - 0.9).abs() < 1e-9);
    }

    /// A purse in memory, as one of its runs has it.
    #[derive(Debug, Clone)]
    struct Shared {
        run: usize,
        /// What each run has taken, what it has spent, and whether it lives.
        taken: Arc<Mutex<[(u64, u64, bool); 4]>>,
    }

    impl Purse for Shared {
        fn take(&self, taking: Taking) -> BoxFuture<'_, Result<Given, String>> {
            let mut taken = self.taken.lock().unwrap();
            taken[self.run] = (taking.granted, taking.spent, true);
            let sum: u64 = taken.iter().map(|(taken, ..)| taken).sum();
            let others = taken.iter().enumerate().filter(|(run, _)| *run != self.run);
            let may_return = { others }.any(|(_, (taken, spent, lives))| taken > spent && *lives);
            let free = taking.ceiling.saturating_sub(sum);
            let more = if free >= taking.need { taking.want.max(taking.need).min(free) } else { 0 };
            taken[self.run].0 += more;
            let spent =
                taken.iter().enumerate().filter(|(run, _)| *run != self.run).map(|(_, other)| other.1).sum();
            Box::pin(async move { Ok(Given { more, may_return, spent }) })
        }

        fn settle(&self, spent: u64) -> BoxFuture<'_, Result<(), String>> {
            self.taken.lock().unwrap()[self.run] = (spent, spent, false);
            Box::pin(async { Ok(()) })
        }
    }

    /// Four runs with one purse, one of which is killed: what they are billed together is never above the limit, and the others use
    /// what there is.
    #[tokio::test(start_paused = true)]
    async fn runs_with_one_purse_keep_one_ceiling() {
        const CEILING: f64 = 60.0;
        for seed in 0..200 {
            let (taken, bill) = (Arc::<Mutex<[(u64, u64, bool); 4]>>::default(), Arc::new(Mutex::new(0.0)));
            let dies_after = Duration::from_millis(fastrand::Rng::with_seed(seed).u64(0..8000));
            let runs: Vec<_> = (0..4)
                .map(|run| {
                    let purse = Shared { run, taken: Arc::clone(&taken) };
                    let budget = CostBudget::with_purse(CEILING, Some(Box::new(purse)));
                    let bill = Arc::clone(&bill);
                    tokio::spawn(async move {
                        let mut tasks = tokio::task::JoinSet::new();
                        for place in 0..6 {
                            let (budget, bill) = (Arc::clone(&budget), Arc::clone(&bill));
                            let mut random = fastrand::Rng::with_seed(seed * 100 + run as u64 * 10 + place);
                            tasks.spawn(async move {
                                while let Ok(money) = budget.reserve(1.0).await {
                                    let cost = random.f64();
                                    *bill.lock().unwrap() += cost;
                                    tokio::time::sleep(Duration::from_millis(random.u64(1..2000))).await;
                                    money.spend(cost);
                                }
                            });
                        }
                        while tasks.join_next().await.is_some() {}
                        budget.settle().await.unwrap();
                    })
                })
                .collect();
            tokio::time::sleep(dies_after).await;
            runs[3].abort();
            taken.lock().unwrap()[3].2 = false;
            for run in runs.into_iter().take(3) {
                run.await.unwrap();
            }
            let bill = *bill.lock().unwrap();
            let booked: u64 = taken.lock().unwrap().iter().map(|(taken, ..)| taken).sum();
            let (booked, left) = (booked as f64 / UNITS, CEILING - booked as f64 / UNITS);
            assert!(
                bill <= booked + 1e-6 && (0.0..1.0).contains(&left),
                "{seed}: {bill} of {booked}, {left} left"
            );
        }
    }
}
