//! Prepared definitions, kept between rows.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::toolbox::Toolbox;
use crate::domain::ToolDefinition;

/// Toolboxes by the address of the definitions they were made from. Each entry keeps its definitions alive, so an address cannot come
/// to mean others.
#[derive(Default)]
pub(super) struct Cache(RwLock<HashMap<usize, Entry>>);

struct Entry {
    /// Held, not read: see [`Cache`].
    _definitions: Arc<[ToolDefinition]>,
    toolbox: Arc<Toolbox>,
}

/// A log has few sets of definitions, or as many as rows; in the latter case keeping them is of no use anyway.
const CAPACITY: usize = 256;

impl Cache {
    pub(super) fn get(&self, definitions: &Arc<[ToolDefinition]>) -> Arc<Toolbox> {
        let address = Arc::as_ptr(definitions).cast::<ToolDefinition>() as usize;
        if let Some(entry) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&address) {
            return Arc::clone(&entry.toolbox);
        }
        let toolbox = Arc::new(Toolbox::new(definitions));
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= CAPACITY {
            entries.clear();
        }
        entries
            .insert(address, Entry { _definitions: Arc::clone(definitions), toolbox: Arc::clone(&toolbox) });
        toolbox
    }
}
