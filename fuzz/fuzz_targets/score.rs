#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use tooljudge_fuzz::mutator::mutate_json;
use tooljudge_laws as laws;

fuzz_target!(|text: &str| laws::score(text));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_json(data, size, max_size, seed, 0)
});
