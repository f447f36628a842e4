//! The places that a run writes to, which must not be those that it reads.

use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::write;

/// An error where two outputs would go to one place, or an output to where an input is.
pub fn apart<'a>(inputs: &[&'a Path], outputs: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    let mut taken: Vec<&Path> = inputs.to_vec();
    for output in outputs {
        if let Some(other) = taken.iter().find(|other| write::same_file(other, output)) {
            bail!(
                "{} is an input of this run, or is written twice: {} means the same file",
                output.display(),
                other.display()
            );
        }
        taken.push(output);
    }
    Ok(())
}
