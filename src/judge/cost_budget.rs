//! A cost ceiling that holds: nothing is sent unless the worst it can cost is still there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as FairMutex, Notify};

/// Money is counted in whole millionths of a millionth of a dollar, so that sums are exact.
const UNITS: f64 = 1e12;

/// What a run may spend, shared by all its judges.
#[derive(Debug)]
pub struct CostBudget {
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
pub(super) struct CostReservation {
    cost_budget: Arc<CostBudget>,
    amount: u64,
    spent: u64,
}

impl CostBudget {
    /// `ceiling` in US dollars.
    pub fn new(ceiling: f64) -> Arc<CostBudget> {
        Arc::new(CostBudget {
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
    pub(super) async fn reserve(self: &Arc<Self>, worst: f64) -> Option<CostReservation> {
        let amount = units(worst);
        let _turn = self.turn.lock().await;
        loop {
            {
                let mut state = self.state();
                let taken = state.spent.saturating_add(state.reserved);
                if amount <= self.ceiling.saturating_sub(taken) {
                    state.reserved += amount;
                    state.under_way += 1;
                    return Some(CostReservation { cost_budget: Arc::clone(self), amount, spent: amount });
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
        /// Billed, but nobody here will know how much: no answer comes back.
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
                    let Some(money) = cost_budget.reserve(worst).await else { return };
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
            async move { cost_budget.reserve(0.5).await.is_some() }
        });
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(!waiting.is_finished());
        first.spend(0.4);
        assert!(waiting.await.unwrap());
        // That one was dropped, so it counts as spent.
        assert!((cost_budget.spent() - 0.9).abs() < 1e-9);
        assert!(cost_budget.reserve(0.2).await.is_none());
        cost_budget.reserve(0.05).await.unwrap().release();
        assert!((cost_budget.spent() - 0.9).abs() < 1e-9);
    }
}
