//! Sharing of an endpoint's limits between runs on one store.

use std::collections::BTreeMap;
use std::future::{Future, pending};
use std::time::Duration;

use futures_util::future::join_all;

use crate::judge::{Errand, Remote};
use crate::run::RunError;
use crate::store::{Asking, Store};

/// How often the others are counted.
const COUNT: Duration = Duration::from_secs(1);

/// An endpoint and a model.
type Place = (String, String);

/// Does `work`, which asks `judges`. Meanwhile the limits that they were told are those of all runs on the store together: each reserves
/// of them before it sends. What endpoints state is divided by the number of runs, and a pause that one is told of is kept by all.
pub async fn sharing<'a, T>(
    store: &Store,
    judges: impl IntoIterator<Item = &'a Remote>,
    work: impl Future<Output = T>,
) -> Result<T, RunError> {
    let judges: Vec<&Remote> = judges.into_iter().collect();
    // Judges of one place have one limiter.
    let places: BTreeMap<Place, &Remote> = judges.iter().map(|judge| (place(judge), *judge)).collect();
    for ((endpoint, model), judge) in &places {
        store.join(endpoint.clone(), model.clone()).await?;
        judge.limiter().share_line(true);
    }
    let reader = store.reader()?;
    let count = async || {
        for ((endpoint, model), judge) in &places {
            let Asking { runs, pause } = reader.asking(endpoint, model).await?;
            judge.limiter().set_runs(runs);
            judge.pause(pause);
        }
        Ok::<(), RunError>(())
    };
    count().await?;
    let counting = async {
        loop {
            tokio::time::sleep(COUNT).await;
            // A later count that fails is made up for by the next one.
            let _ = count().await;
        }
    };
    let errands = join_all(places.iter().map(|(place, judge)| run_errands(store, place, judge)));
    let outcome = tokio::select! {
        outcome = work => outcome,
        () = counting => unreachable!("counting never ends"),
        _ = errands => unreachable!("there may always be an errand"),
    };
    // What cannot be given back or taken back is void with this run, and no reply is lost by it.
    for budget in judges.iter().filter_map(|judge| judge.cost_budget()) {
        let _ = budget.settle().await;
    }
    for ((endpoint, model), judge) in places {
        judge.limiter().share_line(false);
        let _ = store.leave(endpoint, model).await;
    }
    Ok(outcome)
}

/// Says to the other runs what there is to say, for ever.
async fn run_errands(store: &Store, (endpoint, model): &Place, judge: &Remote) {
    loop {
        match judge.limiter().errand().await {
            Errand::Reserve(time) => match store.grant(endpoint.clone(), model.clone(), time).await {
                Ok(granted) => {
                    judge.pause(granted.pause);
                    judge.limiter().granted(granted);
                }
                // Nothing more is kept, and so nothing more is asked: whoever waits is to find that out.
                Err(_) => {
                    judge.limiter().share_line(false);
                    return pending().await;
                }
            },
            // A run that would not wait so long has stopped, perhaps for its key alone: the others are to find out on their own.
            Errand::Pause(pause) if pause > judge.max_wait() => {}
            Errand::Pause(pause) => drop(store.pause(endpoint.clone(), model.clone(), pause).await),
        }
    }
}

fn place(judge: &Remote) -> Place {
    (judge.identity().endpoint.clone(), judge.identity().model.clone())
}
