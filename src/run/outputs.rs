//! The output files of a run, which must not be its inputs.

use std::path::{Path, PathBuf};

use super::settings::SettingsError;
use crate::write;

/// An error where two outputs would go to one place, or an output to where an input is.
pub(super) fn check_places<'a>(
    inputs: &[&'a Path],
    outputs: impl Iterator<Item = &'a PathBuf>,
) -> Result<(), SettingsError> {
    let mut taken: Vec<&Path> = inputs.to_vec();
    for output in outputs {
        if let Some(other) = taken.iter().find(|other| write::same_file(other, output)) {
            let (output, other) = (output.clone(), other.to_path_buf());
            return Err(SettingsError::SamePlace { output, other });
        }
        taken.push(output);
    }
    Ok(())
}
