#![no_main]

use libfuzzer_sys::fuzz_target;
use tooljudge_fuzz::cli::laws;

fuzz_target!(|text: &str| laws::config(text));
