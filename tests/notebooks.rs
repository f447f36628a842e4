//! The notebooks, without Python: executed in order without an error, small, and nobody's paths in them.
//! `python/tests/test_notebooks.py` executes them and compares what they show.

use serde_json::Value;

use crate::support::workspace::repository;

const MAX_BYTES: usize = 250_000;

/// What tells one machine or one run from another.
const PARTICULARS: [&str; 8] =
    ["/tmp/", "/home/", "/root/", "/Users/", "/var/", "C:\\", "127.0.0.1:", "rows/s"];

/// The name and the code cells of each notebook.
fn notebooks() -> Vec<(String, Vec<Value>)> {
    let mut notebooks = Vec::new();
    for entry in std::fs::read_dir(repository("notebooks")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "ipynb") {
            continue;
        }
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.len() < MAX_BYTES, "{name}: {} bytes", text.len());
        let notebook: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(notebook["nbformat"], 4, "{name}");
        let cells = notebook["cells"].as_array().unwrap().clone();
        notebooks.push((name, cells.into_iter().filter(|cell| cell["cell_type"] == "code").collect()));
    }
    assert!(notebooks.len() >= 2, "{}", notebooks.len());
    notebooks
}

#[test]
fn every_cell_was_executed_in_order_and_none_failed() {
    for (name, cells) in notebooks() {
        for (at, cell) in cells.iter().enumerate() {
            assert_eq!(cell["execution_count"], at + 1, "{name}");
            for output in cell["outputs"].as_array().unwrap() {
                assert_ne!(output["output_type"], "error", "{name}");
                assert_ne!(output["name"], "stderr", "{name}");
            }
        }
    }
}

#[test]
fn outputs_name_no_machine_and_no_moment() {
    for (name, cells) in notebooks() {
        for cell in cells {
            for output in cell["outputs"].as_array().unwrap() {
                let mut output = output.clone();
                if let Some(Value::Object(data)) = output.get_mut("data") {
                    // A picture is bytes, in which any word may come up.
                    data.retain(|kind, _| !kind.starts_with("image/"));
                }
                let shown = output.to_string();
                for particular in PARTICULARS {
                    assert!(!shown.contains(particular), "{name} shows `{particular}`:\n{shown}");
                }
            }
        }
    }
}
