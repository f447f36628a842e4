//! Folders of data files, and the values in the names of folders: `day=2026-11-01/part-0.parquet`.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// What Hive calls the folder of null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// All files below `folder`, sorted. Hidden ones and those that frameworks leave behind (`_SUCCESS`) are no data.
pub(super) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(folder, &mut Vec::new(), &mut found)?;
    found.sort();
    Ok(found)
}

/// `above` holds the folders on the way here: a link back to one of them would lead in circles.
fn collect(folder: &Path, above: &mut Vec<PathBuf>, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let real = folder.canonicalize()?;
    if above.contains(&real) {
        return Ok(());
    }
    above.push(real);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(['.', '_']) {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            collect(&path, above, found)?;
        } else {
            found.push(path);
        }
    }
    above.pop();
    Ok(())
}

/// The `key=value` folders between `root` and the file `path`.
pub(super) fn partition(root: &Path, path: &Path) -> Vec<(String, Option<String>)> {
    let folders = path.strip_prefix(root).ok().and_then(Path::parent).into_iter().flat_map(Path::components);
    folders
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str()?.split_once('='),
            _ => None,
        })
        .map(|(key, value)| (percent_decoded(key), (value != NULL).then(|| percent_decoded(value))))
        .collect()
}

/// `%3A` is a colon; a percent sign that begins no such code stays.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| after.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok()).filter(|code| !code.contains('+'));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_columns() {
        for (root, path, expected) in [
            ("logs", "logs/day=2026-11-01/part-0.parquet", vec![("day", Some("2026-11-01"))]),
            ("logs", "logs/a=1/plain/b=x=y/f.csv", vec![("a", Some("1")), ("b", Some("x=y"))]),
            ("logs", "logs/at=10%3A30%20h/f.csv", vec![("at", Some("10:30 h"))]),
            ("logs", "logs/a=__HIVE_DEFAULT_PARTITION__/f.csv", vec![("a", None)]),
            ("logs", "logs/a=/f.csv", vec![("a", Some(""))]),
            (
                "logs",
                "logs/a=100%/b=%+1/c=%C3%A9/f.csv",
                vec![("a", Some("100%")), ("b", Some("%+1")), ("c", Some("é"))],
            ),
            ("logs/day=1", "logs/day=1/f.csv", vec![]),
            ("", "day=1/f=1.csv", vec![("day", Some("1"))]),
        ] {
            let expected: Vec<(String, Option<String>)> = expected
                .into_iter()
                .map(|(key, value): (&str, Option<&str>)| (key.to_owned(), value.map(str::to_owned)))
                .collect();
            assert_eq!(partition(Path::new(root), Path::new(path)), expected, "{path}");
        }
    }
}
