//! What a budget spends, alone and with a purse, in virtual time.

use crate::on_time::on_time;
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
        let (cost_budget, bill, places) = (Arc::clone(&cost_budget), Arc::clone(&bill), Arc::clone(&places));
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
    let _on_time = on_time();
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
    let _on_time = on_time();
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
        let others = || taken.iter().enumerate().filter(|(run, _)| *run != self.run).map(|(_, other)| other);
        let spent = others().map(|other| other.1).sum();
        let lost = others().filter(|(.., lives)| !lives).map(|(taken, spent, _)| taken - spent).sum();
        Box::pin(async move { Ok(Given { more, may_return, spent, lost }) })
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
    let _on_time = on_time();
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

/// A run that has to wait for what others hold says for how long, and one that gets nothing more says what died with others.
#[tokio::test(start_paused = true)]
async fn what_is_waited_for_and_what_is_lost_is_known() {
    let _on_time = on_time();
    let taken = Arc::<Mutex<[(u64, u64, bool); 4]>>::default();
    let budget =
        |run: usize| CostBudget::with_purse(8.0, Some(Box::new(Shared { run, taken: Arc::clone(&taken) })));
    let (first, second) = (budget(0), budget(1));
    let held = first.reserve(5.0).await.unwrap();
    let waiting = tokio::spawn({
        let second = Arc::clone(&second);
        async move { second.reserve(5.0).await.map(drop).map_err(|_| second.lost()) }
    });
    sleep(Duration::from_secs(10)).await;
    assert!(second.waits().is_some_and(|waits| waits > Duration::from_secs(8)), "{:?}", second.waits());
    assert!(first.waits().is_none() && second.lost().is_none());
    // The first one is killed.
    taken.lock().unwrap()[0].2 = false;
    assert_eq!(waiting.await.unwrap(), Err(Some(8.0)));
    assert!(second.waits().is_none());
    drop(held);
}

/// A run that waits, as after a refusal that asks for it, holds nothing.
#[tokio::test(start_paused = true)]
async fn a_run_with_nothing_under_way_holds_nothing() {
    let _on_time = on_time();
    let taken = Arc::<Mutex<[(u64, u64, bool); 4]>>::default();
    let budget =
        |run: usize| CostBudget::with_purse(8.0, Some(Box::new(Shared { run, taken: Arc::clone(&taken) })));
    let (first, second) = (budget(0), budget(1));
    for money in [first.reserve(1.0).await.unwrap(), first.reserve(1.0).await.unwrap()] {
        money.spend(0.25);
    }
    let began = Instant::now();
    let other = second.reserve(7.0).await.unwrap();
    assert!(began.elapsed() <= 3 * LOOK_AGAIN, "{:?}", began.elapsed());
    assert_eq!(taken.lock().unwrap()[0], (units(0.5), units(0.5), true));
    other.spend(7.0);
    // It may go on, as far as there is something left.
    first.reserve(0.5).await.unwrap().release();
    for budget in [first, second] {
        budget.settle().await.unwrap();
    }
}

/// One answer that does not come holds no more than what it may cost, and a little in advance: neither while its run waits nor if
/// that is killed.
#[tokio::test(start_paused = true)]
async fn what_answered_requests_did_not_cost_is_given_back_beside_a_slow_one() {
    let _on_time = on_time();
    let taken = Arc::<Mutex<[(u64, u64, bool); 4]>>::default();
    let budget =
        |run: usize| CostBudget::with_purse(64.0, Some(Box::new(Shared { run, taken: Arc::clone(&taken) })));
    let (first, second) = (budget(0), budget(1));
    let mut under_way = Vec::new();
    for _ in 0..64 {
        under_way.push(first.reserve(1.0).await.unwrap());
    }
    let slow = under_way.pop();
    under_way.into_iter().for_each(|money| money.spend(0.01));
    let began = Instant::now();
    let other = second.reserve(1.0).await.unwrap();
    assert!(began.elapsed() <= 3 * LOOK_AGAIN, "{:?}", began.elapsed());
    let (held, spent, _) = taken.lock().unwrap()[0];
    assert_eq!((held, spent), (units(0.63 + 1.0 + AHEAD as f64), units(0.63)));
    other.spend(0.5);
    drop(slow);
    for (budget, spent) in [(first, 1.63), (second, 0.5)] {
        budget.settle().await.unwrap();
        assert!((budget.spent() - spent).abs() < 1e-9);
    }
    // Nothing is told after a run has settled.
    sleep(10 * LOOK_AGAIN).await;
    let settled: u64 = taken.lock().unwrap().iter().map(|(taken, ..)| taken).sum();
    assert_eq!(settled, units(2.13));
}
