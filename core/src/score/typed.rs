//! Cases that are already parsed, for benchmarks beside whole records.

use super::{ScoreError, Scored, bfcl, deepeval, vitest};
use crate::domain::{Json, Object};

/// Scores a case again each time it is called.
pub type Typed<'a> = Box<dyn Fn() -> Result<Scored, ScoreError> + 'a>;

/// The case in `record`, to be scored as the peer of `scorer` does; its own `config` holds the settings. `None` for a scorer whose
/// peer's speed is not known, and for a record that is not a case.
pub fn typed<'a>(scorer: &str, record: &'a Object) -> Option<Typed<'a>> {
    let config = || record.get("config").and_then(Json::as_object).cloned().unwrap_or_default();
    Some(match scorer {
        "tool_correctness" => {
            let options = deepeval::Options::default().with(&config()).ok()?;
            let case = deepeval::Case::read(record).ok()?;
            Box::new(move || deepeval::score_as_peer(&case, &options))
        }
        "tool_call" => {
            let options = vitest::Options::default().with(&config()).ok()?;
            let case = vitest::Case::read(record, &options).ok()?;
            Box::new(move || Ok(vitest::score_as_peer(&case, &options, vitest::Version::V05)))
        }
        "bfcl_ast" => {
            let case = bfcl::Case::read(record, &bfcl::Options::default()).ok()?;
            Box::new(move || Ok(bfcl::judge(&case, bfcl::Rules::Peer).scored()))
        }
        _ => return None,
    })
}
