#![no_main]

use libfuzzer_sys::fuzz_target;
use tooljudge_fuzz::laws;

fuzz_target!(|text: &str| laws::template(text));
