//! The manifest file beside an output: what was run, and which program wrote the output.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::WriteError;
use super::whole_file::{write_lightly, write_whole};

/// `calls.labeled.csv` has its manifest in `calls.labeled.csv.run.json`.
pub fn manifest_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".run.json");
    PathBuf::from(name)
}

/// Writes `manifest` beside `output`, with a hash of what lies there: so an edit is known whatever length and time it left.
pub fn write_manifest(output: &Path, manifest: &Value) -> Result<(), WriteError> {
    let mut manifest = manifest.clone();
    if let (Some(noted), Ok(hash)) =
        (manifest.get_mut("output").and_then(Value::as_object_mut), hash_of_file(output))
    {
        noted.insert("hash".to_owned(), json!(hash));
    }
    write_whole(&manifest_path(output), format!("{manifest:#}\n").as_bytes()).map(drop)
}

/// The hash of what is in a file: BLAKE3, in hexadecimal.
pub fn hash_of_file(file: &Path) -> std::io::Result<String> {
    Ok(blake3::Hasher::new().update_reader(std::fs::File::open(file)?)?.finalize().to_hex().to_string())
}

/// Notes beside `output` that a table of so many `bytes` is about to take its place. Whatever happens between then and the
/// run's own manifest, what lies there is known for ours; of the run with the record `own` is said as much as other runs need that are
/// about to write to the same place.
pub(super) fn announce(output: &Path, bytes: u64, own: Option<&Value>) -> Result<(), WriteError> {
    let replaces = output.metadata().ok().map(|file| file.len()).filter(|bytes| is_ours(output, *bytes));
    let mut manifest =
        json!({ "output": { "path": output.display().to_string(), "bytes": bytes, "replaces": replaces } });
    for key in ["run", "panel", "shard"] {
        if let Some(said) = own.and_then(|own| own.get(key)) {
            manifest[key] = said.clone();
        }
    }
    write_lightly(&manifest_path(output), format!("{manifest:#}\n").as_bytes())
}

/// Whether `existing`, the file at `output`, is what its manifest was written with. Without a hash, as of a run that was killed before it
/// could note one, the file must not have been changed later than the manifest: an edit may leave its length as it was.
pub(super) fn is_as_written(output: &Path, existing: &Metadata) -> bool {
    /// Clocks of file systems are coarse, and files that are copied together need not be in order.
    const SLACK: Duration = Duration::from_secs(2);
    if let Some(noted) = read(output).pointer("/output/hash").and_then(Value::as_str) {
        return hash_of_file(output).is_ok_and(|hash| hash == noted);
    }
    let noted = std::fs::metadata(manifest_path(output)).and_then(|manifest| manifest.modified());
    match (noted, existing.modified()) {
        (Ok(noted), Ok(changed)) => changed <= noted + SLACK,
        // A file system without times.
        _ => true,
    }
}

/// Whether the manifest beside `output` says that the table there has no rows.
pub(super) fn is_known_empty(output: &Path) -> bool {
    let bytes = output.metadata().map(|file| file.len());
    bytes.is_ok_and(|bytes| {
        let manifest = read(output);
        let said = |what: &str| manifest.pointer(what).and_then(Value::as_u64);
        said("/output/bytes") == Some(bytes) && said("/output/rows") == Some(0)
    })
}

/// Whether the manifest beside `output` speaks of a file of so many `bytes`.
pub(super) fn is_ours(output: &Path, bytes: u64) -> bool {
    let manifest = read(output);
    ["/output/bytes", "/output/replaces"]
        .iter()
        .any(|size| manifest.pointer(size).and_then(Value::as_u64) == Some(bytes))
}

/// What the manifest beside `output` says; null without one.
fn read(output: &Path) -> Value {
    let text = std::fs::read_to_string(manifest_path(output)).ok();
    text.and_then(|text| serde_json::from_str::<Value>(&text).ok()).unwrap_or_default()
}
