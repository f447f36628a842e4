#![no_main]

use libfuzzer_sys::fuzz_target;
use tooljudge::judge::laws;

fuzz_target!(|text: &str| laws::headers(text));
