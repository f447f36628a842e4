//! Warns of what a run waits for and nobody sees: an endpoint that refuses everything as too fast, a store that cannot be used, money
//! that other runs hold. Each looks like a slow judge otherwise.

use std::future::Future;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::judge::{CostBudget, Remote};
use crate::run::Observer;
use crate::store::{Access, Store, StoreError, StorePlace};

/// How often it is looked after.
const LOOK: Duration = Duration::from_millis(500);
/// How long nothing but refusals came before it is told. Chosen: limits of a minute are waited for in less.
const TELL: Duration = Duration::from_secs(60);
/// At the latest after this share of the longest wait, as a divisor.
const SHARE: u32 = 4;
/// How long a store, or other runs' money, is waited for before it is told. Chosen: a server restarts in less.
const TELL_STORE: Duration = Duration::from_secs(5);

/// Does `work`, which asks `judges` and keeps replies in `store`, and tells `observer` of each judge that refuses everything, once, of
/// other runs' money, once, and of the store whenever it cannot be used.
pub async fn telling<'a, T>(
    judges: impl IntoIterator<Item = &'a Remote>,
    store: Option<&Store>,
    observer: &dyn Observer,
    work: impl Future<Output = T>,
) -> T {
    let mut open: Vec<&Remote> = judges.into_iter().collect();
    let asks = !open.is_empty();
    if open.is_empty() && store.is_none() {
        // Whoever asks nobody may have no clock, either.
        return work.await;
    }
    let mut is_told = false;
    // A run has one limit for all of its judges.
    let mut cost_budget = open.iter().find_map(|judge| judge.cost_budget());
    let watching = async {
        loop {
            tokio::time::sleep(LOOK).await;
            open.retain(|judge| !tell_starved(judge, observer));
            cost_budget = cost_budget.filter(|budget| !tell_held(budget, observer));
            if let Some(store) = store {
                is_told = tell_waiting(store, (is_told, asks), observer);
            }
        }
    };
    tokio::select! {
        outcome = work => outcome,
        () = watching => unreachable!("watching never ends"),
    }
}

/// Whether there was something to tell.
fn tell_starved(judge: &Remote, observer: &dyn Observer) -> bool {
    let patience = TELL.min(judge.max_wait() / SHARE);
    let Some(starved) = judge.starved().filter(|starved| *starved >= patience) else { return false };
    observer.warning(&format!(
        "{} has answered every request for {} s with \"too many requests\" (429) and does not say until when: the quota of this key \
         may be spent. It is asked again, with longer and longer pauses, until --max-wait ({} s) is over",
        judge.place(),
        starved.as_secs().max(1),
        judge.max_wait().as_secs()
    ));
    true
}

/// Whether there was something to tell.
fn tell_held(cost_budget: &CostBudget, observer: &dyn Observer) -> bool {
    let is_long = cost_budget.waits().is_some_and(|waits| waits >= TELL_STORE);
    if is_long {
        observer.warning(&format!(
            "what is left of the purse is held by other runs, which may give back some of it: waiting for that, for {} s at most",
            CostBudget::PATIENCE.as_secs()
        ));
    }
    is_long
}

/// Opens the store at `place` for the run of that name; tells `observer` if that takes long.
///
/// # Errors
/// As [`Store::open_for`].
pub fn open_store(
    access: Access,
    place: &StorePlace,
    run: &str,
    observer: &dyn Observer,
) -> Result<Store, StoreError> {
    let (opened, is_open) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if is_open.recv_timeout(TELL_STORE) == Err(RecvTimeoutError::Timeout) {
                observer.warning(&format!(
                    "the reply store {place} does not open: another process holds it, or its disk or server is slow; waiting"
                ));
            }
        });
        // Dropped when it is open, or cannot be opened.
        let _opened = opened;
        Store::open_for(access, place.clone(), run)
    })
}

/// Whether it is told that the store is waited for; `is_told`, whether it was, and `asks`, whether replies may come meanwhile.
fn tell_waiting(store: &Store, (is_told, asks): (bool, bool), observer: &dyn Observer) -> bool {
    match store.waiting() {
        None if is_told => {
            observer.note(&format!("the reply store {} can be used again", store.place()));
            false
        }
        Some(waiting) if !is_told && waiting.time() >= TELL_STORE => {
            let meanwhile = if asks { ". What is answered meanwhile is kept in memory" } else { "" };
            observer.warning(&format!("the reply store {} {}{meanwhile}", store.place(), waiting.why));
            true
        }
        _ => is_told,
    }
}
