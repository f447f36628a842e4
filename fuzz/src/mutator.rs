//! Mutates texts of JSON as JSON, every other time.

use std::sync::LazyLock;

use tooljudge_core::domain::Json;
use tooljudge_laws::mutations::{Dice, mutate};

/// The words the readers look for, where the seeds were made.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/words");
    let words = std::fs::read_to_string(file).unwrap_or_default();
    words.lines().map(|line| line.trim_matches('"').to_owned()).collect()
});

/// Changes the JSON values one after another in `data`, behind its first `skipped` bytes, or lets libFuzzer change it as
/// it does.
pub fn mutate_json(data: &mut [u8], size: usize, most: usize, seed: u32, skipped: usize) -> usize {
    let mut dice = Dice::new(seed.into());
    match (dice.roll(2) > 0).then(|| changed(data.get(skipped..size)?, &mut dice)).flatten() {
        Some(text) if skipped + text.len() <= most => {
            data[skipped..skipped + text.len()].copy_from_slice(text.as_bytes());
            skipped + text.len()
        }
        _ => libfuzzer_sys::fuzzer_mutate(data, size, most),
    }
}

fn changed(data: &[u8], dice: &mut Dice) -> Option<String> {
    let mut rest = std::str::from_utf8(data).ok()?;
    let mut values = Vec::new();
    while let Ok((value, end)) = Json::parse_prefix(rest) {
        values.push(value);
        rest = &rest[end..];
    }
    let at = dice.roll(values.len());
    let value = values.get_mut(at)?;
    for _ in 0..=dice.roll(4) {
        mutate(value, &WORDS, dice);
    }
    let written: Vec<String> = values.iter().map(Json::to_string).collect();
    Some(written.join("\n") + rest.trim_start())
}
