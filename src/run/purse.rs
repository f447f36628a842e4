//! A cost limit that all runs share which name one purse in one store.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::domain::{Given, Taking};
use crate::judge::Purse;
use crate::store::Store;

/// The purse of that name in a store.
#[derive(Debug)]
pub struct StoredPurse {
    pub store: Arc<Store>,
    pub name: String,
}

impl Purse for StoredPurse {
    fn take(&self, taking: Taking) -> BoxFuture<'_, Result<Given, String>> {
        let given = self.store.take(self.name.clone(), taking);
        async { given.await.map_err(|error| error.to_string()) }.boxed()
    }

    fn settle(&self, spent: u64) -> BoxFuture<'_, Result<(), String>> {
        let settled = self.store.settle(self.name.clone(), spent);
        async { settled.await.map_err(|error| error.to_string()) }.boxed()
    }
}
