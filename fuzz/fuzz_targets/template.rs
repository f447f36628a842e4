#![no_main]

use libfuzzer_sys::fuzz_target;
use tooljudge_laws as laws;

fuzz_target!(|text: &str| laws::template(text));
