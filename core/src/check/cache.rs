//! Prepared definitions, kept between rows.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::toolbox::Toolbox;
use crate::domain::ToolDefinition;

/// Toolboxes by the address of the definitions they were made from. Each entry keeps its definitions alive, so an address cannot come
/// to mean others.
#[derive(Default)]
pub(super) struct Cache(RwLock<Entries>);

#[derive(Default)]
struct Entries {
    by_address: HashMap<usize, Entry>,
    /// Bytes of text in all of them.
    bytes: usize,
}

struct Entry {
    /// Held, not read: see [`Cache`].
    _definitions: Arc<[ToolDefinition]>,
    toolbox: Arc<Toolbox>,
}

/// Text kept in a cache, in bytes; what was made of it, and the definitions, take [`super::toolbox::BYTES_PER_TEXT`] times as much. A log has few sets
/// of definitions, or as many as rows; in the latter case keeping them is of no use anyway.
const CAPACITY: usize = 1 << 20;

impl Cache {
    pub(super) fn get(&self, definitions: &Arc<[ToolDefinition]>) -> Arc<Toolbox> {
        let address = Arc::as_ptr(definitions).cast::<ToolDefinition>() as usize;
        if let Some(entry) = self.0.read().unwrap_or_else(PoisonError::into_inner).by_address.get(&address) {
            return Arc::clone(&entry.toolbox);
        }
        let toolbox = Arc::new(Toolbox::new(definitions));
        let bytes = toolbox.bytes();
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if entries.bytes + bytes > CAPACITY {
            *entries = Entries::default();
        }
        let entry = Entry { _definitions: Arc::clone(definitions), toolbox: Arc::clone(&toolbox) };
        if entries.by_address.insert(address, entry).is_none() {
            entries.bytes += bytes;
        }
        toolbox
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Json;

    fn definitions(number: usize, bytes: usize) -> Arc<[ToolDefinition]> {
        let description = "x".repeat(bytes);
        let parameters = Json::parse("{}").unwrap();
        [ToolDefinition { name: format!("tool{number}"), description, parameters }].into()
    }

    #[test]
    fn equal_definitions_are_prepared_once() {
        let cache = Cache::default();
        let definitions = definitions(0, 10);
        assert!(Arc::ptr_eq(&cache.get(&definitions), &cache.get(&definitions)));
    }

    #[test]
    fn large_definitions_are_not_kept_for_ever() {
        let cache = Cache::default();
        for number in 0..10 {
            cache.get(&definitions(number, CAPACITY / 3));
            let kept = cache.0.read().unwrap();
            assert!(kept.bytes <= CAPACITY && kept.by_address.len() <= 3, "{} kept", kept.by_address.len());
        }
    }
    /// A short pattern takes half a megabyte.
    #[test]
    fn what_takes_more_than_its_text_fills_the_cache_sooner() {
        let cache = Cache::default();
        for number in 0..200 {
            let schema = format!(r#"{{"properties":{{"a":{{"pattern":"^.{{1,500}}x{number}$"}}}}}}"#);
            let parameters = Json::parse(&schema).unwrap();
            let name = format!("tool{number}");
            cache.get(&[ToolDefinition { name, description: String::new(), parameters }].into());
            let kept = cache.0.read().unwrap().by_address.len();
            assert!(kept <= 50, "{kept} kept");
        }
    }
}
