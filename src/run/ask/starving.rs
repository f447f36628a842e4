//! Warns that an endpoint refuses everything as too fast, which otherwise looks like a slow one.

use std::future::Future;
use std::time::Duration;

use crate::judge::Remote;
use crate::run::Observer;

/// How often it is looked after.
const LOOK: Duration = Duration::from_millis(500);
/// How long nothing but refusals came before it is told. Chosen: limits of a minute are waited for in less.
const TELL: Duration = Duration::from_secs(60);
/// At the latest after this share of the longest wait, as a divisor.
const SHARE: u32 = 4;

/// Does `work`, which asks `judges`, and tells `observer` of each that refuses everything, once.
pub async fn telling<'a, T>(
    judges: impl IntoIterator<Item = &'a Remote>,
    observer: &dyn Observer,
    work: impl Future<Output = T>,
) -> T {
    let mut open: Vec<&Remote> = judges.into_iter().collect();
    let watching = async {
        loop {
            tokio::time::sleep(LOOK).await;
            open.retain(|judge| {
                let patience = TELL.min(judge.max_wait() / SHARE);
                let Some(starved) = judge.starved().filter(|starved| *starved >= patience) else { return true };
                observer.warning(&format!(
                    "{} has answered every request for {} s with \"too many requests\" (429) and does not say until when: the quota of this key \
                     may be spent. It is asked again, with longer and longer pauses, until --max-wait ({} s) is over",
                    judge.place(),
                    starved.as_secs().max(1),
                    judge.max_wait().as_secs()
                ));
                false
            });
        }
    };
    tokio::select! {
        outcome = work => outcome,
        () = watching => unreachable!("watching never ends"),
    }
}
