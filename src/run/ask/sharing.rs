//! Several runs on one machine share what an endpoint allows: each knows how many they are.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;

use crate::judge::Remote;
use crate::run::RunError;
use crate::store::Store;

/// How often the others are counted.
const COUNT: Duration = Duration::from_secs(1);
/// How long a run that joins others waits until they have made room for it.
const MAKE_ROOM: Duration = Duration::from_millis(1500);

/// Does `work`, which asks `judges`. Meanwhile each of them knows how many runs on this machine use its endpoint and
/// model; a run that dies no longer counts when its lease expires.
pub async fn sharing<'a, T>(
    store: &Store,
    judges: impl IntoIterator<Item = &'a Remote>,
    work: impl Future<Output = T>,
) -> Result<T, RunError> {
    let judges: Vec<&Remote> = judges.into_iter().collect();
    let place = |judge: &Remote| (judge.identity().endpoint.clone(), judge.identity().model.clone());
    let places: BTreeSet<(String, String)> = judges.iter().map(|judge| place(judge)).collect();
    for (endpoint, model) in &places {
        store.join(endpoint.clone(), model.clone()).await?;
    }
    let is_limited = judges.iter().any(|judge| judge.has_rate_limit());
    let reader = store.reader()?;
    let count = async || {
        let mut has_others = false;
        for judge in &judges {
            let (endpoint, model) = place(judge);
            let runs = reader.asking(&endpoint, &model).await?;
            judge.share(runs);
            has_others |= runs > 1;
        }
        Ok::<bool, RunError>(has_others)
    };
    // The others use up the limit that was set until they count this run, too. Without a limit there is nothing to make room in.
    if count().await? && is_limited {
        tokio::time::sleep(MAKE_ROOM).await;
    }
    let counting = async {
        loop {
            tokio::time::sleep(COUNT).await;
            // A later count that fails is made up for by the next one.
            let _ = count().await;
        }
    };
    let outcome = tokio::select! {
        outcome = work => outcome,
        () = counting => unreachable!("counting never ends"),
    };
    // What cannot be given back or taken back is void with this run, and no reply is lost by it.
    for budget in judges.iter().filter_map(|judge| judge.cost_budget()) {
        let _ = budget.settle().await;
    }
    for (endpoint, model) in places {
        let _ = store.leave(endpoint, model).await;
    }
    Ok(outcome)
}
