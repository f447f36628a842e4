//! The manifest beside an output: what was run, and by whom the output was written.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::WriteError;
use super::whole_file::write_whole;

/// `calls.labeled.csv` has its manifest in `calls.labeled.csv.run.json`.
pub fn manifest_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".run.json");
    PathBuf::from(name)
}

/// Writes `manifest` beside `output`.
pub fn write_manifest(output: &Path, manifest: &Value) -> Result<(), WriteError> {
    write_whole(&manifest_path(output), format!("{manifest:#}\n").as_bytes()).map(drop)
}

/// The size that the manifest beside `output` gives it.
pub(super) fn written_bytes(output: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(manifest_path(output)).ok()?;
    serde_json::from_str::<Value>(&text).ok()?.pointer("/output/bytes")?.as_u64()
}
