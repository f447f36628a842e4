#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use tooljudge_core::normalize::logs::FORMATS;
use tooljudge_fuzz::mutator::mutate_json;
use tooljudge_laws as laws;

// The first byte chooses a format, or that it be detected; its highest bit, whether agents are judged too.
fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let format = FORMATS.get(usize::from(choice & 0x7f));
    laws::log(text, format, choice & 0x80 != 0);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_json(data, size, max_size, seed, 1)
});
