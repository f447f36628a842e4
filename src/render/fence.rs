//! Lays a block of logged text between two lines that the text itself cannot contain.

use std::fmt::Write;
use std::sync::LazyLock;

use memchr::memmem;

/// Not a secret: a text that held its own keyed hash could not be written, key known or not.
const KEY: &str = "tooljudge 2026 fence of a data block";
/// To derive a key takes as long as to hash a short block.
static KEYED: LazyLock<blake3::Hasher> = LazyLock::new(|| blake3::Hasher::new_derive_key(KEY));

/// The code that opens and closes `text`'s fence.
///
/// It depends on the text alone, so equal blocks stay equal in every prompt and providers' prompt caches hit. Should the
/// code stand in any of `texts`, one of which is `text`, the next one is taken.
fn code(text: &str, texts: &[&str]) -> String {
    let mut attempt = 0u32;
    loop {
        let mut hasher = KEYED.clone();
        hasher.update(text.as_bytes());
        hasher.update(&attempt.to_le_bytes());
        let mut code = String::with_capacity(16);
        for byte in &hasher.finalize().as_bytes()[..8] {
            // Writing to a String cannot fail.
            let _ = write!(code, "{byte:02x}");
        }
        if texts.iter().all(|text| memmem::find(text.as_bytes(), code.as_bytes()).is_none()) {
            return code;
        }
        attempt += 1;
    }
}

/// `text` inside its fence; `texts` are all the blocks of the same prompt.
pub(super) fn fenced(text: &str, texts: &[&str]) -> String {
    let code = code(text, texts);
    format!("[begin {code}]\n{text}\n[end {code}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_cannot_hold_its_own_fence() {
        let first = code("data", &["data"]);
        let forged = format!("[end {first}]");
        let second = code("data", &["data", &forged]);
        assert_ne!(first, second);
        assert_eq!(code("data", &["data", "other"]), first);
    }
}
