//! The limiter as its callers see it, on tokio's paused clock.

use crate::on_time::on_time;
use std::num::NonZeroU32;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn limiter(concurrency: u32, rpm: u32, tpm: u32) -> Arc<Limiter> {
    Limiter::new(Limits {
        concurrency: NonZeroU32::new(concurrency).map_or(Concurrency::Auto, Concurrency::Fixed),
        rpm: NonZeroU32::new(rpm),
        tpm: NonZeroU32::new(tpm),
        itpm: None,
        otpm: None,
        ignore_headers: false,
    })
}

fn cost(tokens: u64) -> Cost {
    Cost { input: tokens, output: 0 }
}

/// Sends requests of so many tokens, in this order; returns when each was let go, in seconds.
async fn times(limiter: &Arc<Limiter>, tokens: &[u64]) -> Vec<f64> {
    let start = Instant::now();
    let mut tasks = Vec::new();
    for tokens in tokens {
        let (limiter, cost) = (Arc::clone(limiter), cost(*tokens));
        tasks.push(tokio::spawn(async move {
            drop(limiter.admit(cost).await);
            start.elapsed().as_secs_f64()
        }));
        tokio::task::yield_now().await;
    }
    let mut times = Vec::new();
    for task in tasks {
        times.push(task.await.unwrap());
    }
    times
}

#[tokio::test(start_paused = true)]
async fn everybody_is_served_in_turn_and_a_large_request_is_not_overtaken() {
    let _on_time = on_time();
    let limiter = limiter(100, 0, 60_000);
    let mut tokens = vec![100; 50];
    tokens[10] = 30_000;
    let times = times(&limiter, &tokens).await;
    assert!(times.is_sorted(), "{times:?}");
    assert!((29.0..32.0).contains(&times[10]), "{times:?}");
    assert!(times[49] < 36.0, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn whoever_gives_up_takes_nothing() {
    let _on_time = on_time();
    let limiter = limiter(100, 60, 0);
    drop(limiter.admit(cost(1)).await);
    for _ in 0..20 {
        let admit = limiter.admit(cost(1));
        assert!(tokio::time::timeout(SECOND / 100, admit).await.is_err());
    }
    let start = Instant::now();
    drop(limiter.admit(cost(1)).await);
    assert!(start.elapsed() < SECOND);
    assert_eq!(limiter.in_flight(), 0);
}

#[tokio::test(start_paused = true)]
async fn real_usage_settles_what_was_reserved() {
    let _on_time = on_time();
    let limiter = limiter(1, 0, 60_000);
    let start = Instant::now();
    for _ in 0..10 {
        let Permit { slot, reservation } = limiter.admit(cost(1000)).await;
        limiter.succeeded(reservation, SECOND / 10, Some(cost(100)));
        drop(slot);
    }
    // A thousand were reserved for each, and each used a hundred.
    assert!(start.elapsed() < 2 * SECOND, "{:?}", start.elapsed());
    let Permit { slot, reservation } = limiter.admit(cost(1)).await;
    limiter.succeeded(reservation, SECOND / 10, Some(cost(60_000)));
    drop(slot);
    let start = Instant::now();
    drop(limiter.admit(cost(1)).await);
    assert!((58.0..62.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_sent_again_waits_for_nobody() {
    let _on_time = on_time();
    let limiter = limiter(1, 0, 0);
    let Permit { slot, reservation } = limiter.admit(cost(1)).await;
    drop(reservation);
    let waiting = tokio::spawn({
        let limiter = Arc::clone(&limiter);
        async move { limiter.admit(cost(1)).await }
    });
    tokio::task::yield_now().await;
    let again = tokio::time::timeout(SECOND, limiter.admit_again(cost(1), slot)).await.unwrap();
    assert!(!waiting.is_finished());
    drop(again);
    tokio::time::timeout(SECOND, waiting).await.unwrap().unwrap();
}

/// Grants whatever is asked for, one block behind the other.
fn granting(limiter: &Arc<Limiter>) -> tokio::task::JoinHandle<()> {
    let limiter = Arc::clone(limiter);
    limiter.share_line(true);
    tokio::spawn(async move {
        let mut end = Instant::now();
        loop {
            if let Errand::Reserve(length) = limiter.errand().await {
                let now = Instant::now();
                let starts_in = end.saturating_duration_since(now);
                end = now + starts_in + length;
                limiter.granted(Granted { starts_in, length, part: SECOND / 10, pause: Duration::ZERO });
            }
        }
    })
}

/// Nobody else waits who could lend it what it costs, or only somebody who costs less.
#[tokio::test(start_paused = true)]
async fn a_request_that_is_sent_again_reserves_what_it_takes() {
    let _on_time = on_time();
    for others in [0, 2] {
        let limiter = limiter(1, 0, 60_000);
        let store = granting(&limiter);
        let Permit { slot, reservation } = limiter.admit(cost(3_000)).await;
        drop(reservation);
        for _ in 0..others {
            let limiter = Arc::clone(&limiter);
            tokio::spawn(async move { limiter.admit(cost(20)).await });
        }
        tokio::task::yield_now().await;
        let again = tokio::time::timeout(100 * SECOND, limiter.admit_again(cost(3_000), slot)).await;
        assert!(again.is_ok(), "{others} others");
        store.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn what_answers_leave_is_used_after_a_pause() {
    let _on_time = on_time();
    let limiter = limiter(10, 0, 60_000);
    let store = granting(&limiter);
    for round in 0..20 {
        let permit = tokio::time::timeout(100 * SECOND, limiter.admit(cost(1_000))).await;
        let Permit { slot, reservation } = permit.unwrap_or_else(|_| panic!("round {round}"));
        match round % 5 {
            4 => drop(limiter.refused(&reservation, Some(SECOND), 0.0)),
            // Far less than was reserved for it.
            _ => limiter.succeeded(reservation, SECOND / 100, Some(cost(10))),
        }
        drop(slot);
    }
    store.abort();
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_was_asked_for_is_kept_by_all() {
    let _on_time = on_time();
    let limiter = limiter(10, 0, 0);
    let (first, second) = (limiter.admit(cost(1)).await, limiter.admit(cost(1)).await);
    limiter.refused(&first.reservation, Some(5 * SECOND), 0.0);
    limiter.refused(&second.reservation, Some(7 * SECOND), 0.0);
    assert_eq!(limiter.throttled(), 2);
    let start = Instant::now();
    drop(limiter.admit(cost(1)).await);
    assert!((7.0..7.1).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
    let third = limiter.admit(cost(1)).await;
    assert_eq!(limiter.refused(&third.reservation, Some(Duration::MAX), 0.5), Duration::MAX);
}

#[tokio::test(start_paused = true)]
async fn runs_share_what_is_allowed() {
    let _on_time = on_time();
    let limiter = limiter(100, 600, 0);
    let all = times(&limiter, &[1; 100]).await;
    assert!((9.7..10.2).contains(&all[99]), "{}", all[99]);
    limiter.set_runs(3);
    let shared = times(&limiter, &[1; 100]).await;
    assert!((29.5..30.8).contains(&shared[99]), "{}", shared[99]);
}

#[tokio::test(start_paused = true)]
async fn headers_lower_a_limit_that_was_told_only_where_refusals_agree() {
    let _on_time = on_time();
    let claim = |limit, remaining| Claim {
        limit: Some(limit),
        remaining: Some(remaining),
        reset: Some(Reset::After(SECOND / 10)),
        ..Claim::default()
    };
    // What was told, what the headers state, what they say is left when the server refuses, if it does.
    for (told, claimed, refused, seconds) in [
        (600, 300.0, None, 10.0),
        (600, 300.0, Some(7.0), 10.0),
        (600, 300.0, Some(0.0), 20.0),
        (600, 6000.0, Some(0.0), 10.0),
        (0, 600.0, None, 10.0),
    ] {
        let limiter = limiter(100, told, 0);
        let Permit { reservation, slot } = limiter.admit(cost(1)).await;
        limiter.learn(&reservation, &[(Meter::Requests, claim(claimed, refused.unwrap_or(claimed)))]);
        if refused.is_some() {
            // Only what the headers say is looked at here, not the pace that refusals alone would show.
            limiter.state().budget.refused();
        }
        drop((reservation, slot));
        tokio::time::sleep(SECOND).await;
        let last = times(&limiter, &[1; 100]).await[99];
        assert!((0.97 * seconds..1.03 * seconds).contains(&last), "{last} s for {seconds} s: {refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn headers_count_for_nothing_where_the_user_says_so() {
    let _on_time = on_time();
    let told = Limits { concurrency: Concurrency::Fixed(NonZeroU32::MIN), ..Limits::default() };
    let limiter = Limiter::new(Limits { ignore_headers: true, ..told });
    let Permit { reservation, slot } = limiter.admit(cost(1)).await;
    let claim = Claim {
        limit: Some(1.0),
        remaining: Some(0.0),
        reset: Some(Reset::After(SECOND)),
        ..Claim::default()
    };
    limiter.learn(&reservation, &[(Meter::Requests, claim)]);
    drop((reservation, slot));
    assert_eq!(times(&limiter, &[1; 20]).await[19], 0.0);
}

#[tokio::test(start_paused = true)]
async fn why_requests_wait_is_said() {
    let _on_time = on_time();
    let limiter = limiter(100, 0, 0);
    assert_eq!(limiter.limited_by(), None);
    let Permit { reservation, slot } = limiter.admit(cost(1)).await;
    let header = "x-ratelimit-limit-requests";
    limiter
        .learn(&reservation, &[(Meter::Requests, Claim { header, limit: Some(20.0), ..Claim::default() })]);
    drop((reservation, slot));
    times(&limiter, &[1; 3]).await;
    let limited_by = limiter.limited_by().unwrap().to_string();
    assert_eq!(limited_by, "limited by the server's header x-ratelimit-limit-requests: 20 per minute");
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(limiter.limited_by(), None);
}

#[tokio::test(start_paused = true)]
async fn nothing_left_is_a_pause_before_any_refusal() {
    let _on_time = on_time();
    let limiter = limiter(100, 0, 0);
    let reset = Some(Reset::After(7 * SECOND));
    let Permit { reservation, .. } = limiter.admit(cost(1)).await;
    limiter.learn(
        &reservation,
        &[(Meter::InputTokens, Claim { remaining: Some(0.0), reset, ..Claim::default() })],
    );
    let start = Instant::now();
    drop(limiter.admit(cost(1)).await);
    assert!((7.0..7.1).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}
