//! What an endpoint actually bills, compared with the assumed worst case of a request.
//!
//! We assume that a token is at least a byte of the request, and that an answer is no longer than its limit, and reserve money
//! accordingly. Some servers count more. We learn that from the first answer, before which nothing else is in flight, and from
//! all later ones.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as FairMutex, OwnedMutexGuard};

use crate::domain::Usage;

/// How much more than was seen may come, as a factor. Chosen: requests and answers differ.
const MARGIN: f64 = 1.5;
/// Requests without an answer after which others no longer wait for one. Chosen: a server may hang for some rows only.
const ENOUGH: u32 = 4;

/// By how much a request may cost more than was thought, as factors of at least 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overrun {
    /// Tokens billed for a byte of the request.
    pub input: f64,
    /// Tokens of an answer, in limits.
    pub output: f64,
}

impl Overrun {
    /// As most servers count.
    #[cfg(test)]
    pub(super) const NONE: Overrun = Overrun { input: 1.0, output: 1.0 };
}

/// What was seen of one endpoint.
#[derive(Debug, Default)]
pub(super) struct Billing {
    seen: Mutex<Seen>,
    /// Held by the only request in flight.
    alone: Arc<FairMutex<()>>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Whether there was an answer, or waiting for one has ended.
    settled: bool,
    failures: u32,
    /// The most tokens for a byte.
    per_byte: f64,
    /// The longest answer in limits, and in tokens.
    in_limits: f64,
    longest: u64,
}

impl Billing {
    /// The right to be in flight alone, as long as nothing is known; `None` once something is.
    pub(super) async fn alone(&self) -> Option<OwnedMutexGuard<()>> {
        if self.seen().settled {
            return None;
        }
        let alone = Arc::clone(&self.alone).lock_owned().await;
        (!self.seen().settled).then_some(alone)
    }

    /// A request of this size, with this limit on its answer, was answered.
    pub(super) fn answered(&self, bytes: usize, limit: u32, usage: &Usage) {
        let mut seen = self.seen();
        seen.settled = true;
        if let Some(tokens) = usage.prompt_tokens {
            seen.per_byte = seen.per_byte.max(tokens as f64 / bytes.max(1) as f64);
        }
        if let Some(tokens) = usage.completion_tokens {
            seen.in_limits = seen.in_limits.max(tokens as f64 / f64::from(limit.max(1)));
            seen.longest = seen.longest.max(tokens);
        }
    }

    /// A request came to nothing.
    pub(super) fn failed(&self) {
        let mut seen = self.seen();
        seen.failures += 1;
        seen.settled |= seen.failures >= ENOUGH;
    }

    /// What to set aside for the next request.
    pub(super) fn overrun(&self) -> Overrun {
        let seen = self.seen();
        let factor = |seen: f64| if seen > 1.0 { MARGIN * seen } else { 1.0 };
        Overrun { input: factor(seen.per_byte), output: factor(seen.in_limits) }
    }

    /// In words, what was billed beyond what was thought possible.
    pub(super) fn excess(&self) -> Option<String> {
        let seen = self.seen();
        let input = (seen.per_byte > 1.0)
            .then(|| format!("counts up to {:.1} tokens for each byte of a request", seen.per_byte));
        let output = (seen.in_limits > 1.0)
            .then(|| format!("gives answers of up to {} tokens, whatever --max-tokens says", seen.longest));
        let said: Vec<String> = input.into_iter().chain(output).collect();
        (!said.is_empty()).then(|| said.join(" and "))
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use crate::on_time::on_time;
    use std::time::Duration;

    use super::*;

    fn usage(prompt: u64, completion: u64) -> Usage {
        Usage { prompt_tokens: Some(prompt), cached_tokens: None, completion_tokens: Some(completion) }
    }

    #[test]
    fn what_was_seen_is_set_aside_with_a_margin() {
        let billing = Billing::default();
        assert_eq!(billing.overrun(), Overrun::NONE);
        billing.answered(400, 50, &usage(100, 50));
        assert_eq!((billing.overrun(), billing.excess()), (Overrun::NONE, None));
        billing.answered(400, 50, &usage(800, 5));
        assert_eq!(billing.overrun(), Overrun { input: 3.0, output: 1.0 });
        billing.answered(400, 50, &usage(100, 200));
        assert_eq!(billing.overrun(), Overrun { input: 3.0, output: 6.0 });
        let said = billing.excess().unwrap();
        assert!(
            said.contains("up to 2.0 tokens for each byte") && said.contains("up to 200 tokens"),
            "{said}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn one_is_in_flight_until_something_is_known() {
        let _on_time = on_time();
        let billing = Arc::new(Billing::default());
        let first = billing.alone().await;
        assert!(first.is_some());
        let second = tokio::spawn({
            let billing = Arc::clone(&billing);
            async move { billing.alone().await.is_some() }
        });
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(!second.is_finished());
        billing.answered(400, 50, &Usage::default());
        drop(first);
        assert!(!second.await.unwrap());
        // A server that answers nothing keeps nobody from asking.
        let billing = Billing::default();
        (0..ENOUGH).for_each(|_| billing.failed());
        assert!(billing.alone().await.is_none());
    }
}
