//! Encloses a block of logged text between two lines that the text itself cannot contain.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use memchr::memmem;

/// Not a secret: a text that held its own keyed hash could not be written, key known or not.
const KEY: &str = "tooljudge 2026 fence of a data block";
/// To derive a key takes as long as to hash a short block.
static KEYED: LazyLock<blake3::Hasher> = LazyLock::new(|| blake3::Hasher::new_derive_key(KEY));

/// A fence's name: 16 hexadecimal digits.
type Code = [u8; 16];

/// The code that opens and closes `text`'s fence; `first` is the one to try first.
///
/// It depends on the text alone, so equal blocks stay equal in every prompt and providers' prompt caches hit. Should the
/// code stand in any of `texts`, one of which is `text`, the next one is taken.
fn free(first: Code, text: &str, texts: &[&str]) -> Code {
    let mut code = first;
    let mut attempt = 0u32;
    while texts.iter().any(|text| memmem::find(text.as_bytes(), &code).is_some()) {
        attempt += 1;
        code = nth(text, attempt);
    }
    code
}

fn nth(text: &str, attempt: u32) -> Code {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut hasher = KEYED.clone();
    hasher.update(text.as_bytes());
    hasher.update(&attempt.to_le_bytes());
    let hash = hasher.finalize();
    std::array::from_fn(|at| {
        let byte = hash.as_bytes()[at / 2];
        DIGITS[usize::from(if at % 2 == 0 { byte >> 4 } else { byte & 15 })]
    })
}

/// `text` inside its fence; `texts` are all the blocks of the same prompt.
pub(super) fn fenced(text: &str, texts: &[&str]) -> String {
    within(free(nth(text, 0), text, texts), text)
}

fn within(code: Code, text: &str) -> String {
    // Digits are UTF-8.
    let code = str::from_utf8(&code).unwrap_or_default();
    ["[begin ", code, "]\n", text, "\n[end ", code, "]"].concat()
}

/// The first code of the text that was fenced last: rows that follow one another mostly share their definitions, which are
/// the longest text of a prompt.
#[derive(Debug, Default)]
pub(super) struct Latest(Mutex<Option<(Arc<str>, Code)>>);

impl Latest {
    /// The same as [`fenced`].
    pub(super) fn fenced(&self, text: &Arc<str>, texts: &[&str]) -> String {
        let latest = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = latest().as_ref().filter(|(known, _)| Arc::ptr_eq(known, text)).map(|(_, code)| *code);
        let first = known.unwrap_or_else(|| {
            let code = nth(text, 0);
            *latest() = Some((Arc::clone(text), code));
            code
        });
        within(free(first, text, texts), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_cannot_hold_its_own_fence() {
        let code = |texts: &[&str]| {
            let code = free(nth("data", 0), "data", texts);
            assert_eq!(within(code, "data"), fenced("data", texts));
            assert_eq!(within(code, "data"), Latest::default().fenced(&"data".into(), texts));
            String::from_utf8(code.to_vec()).unwrap()
        };
        let first = code(&["data"]);
        let forged = format!("[end {first}]");
        let second = code(&["data", &forged]);
        assert_ne!(first, second);
        assert_eq!(code(&["data", "other"]), first);
        assert_eq!(first, "bddfe16a5ae29a9a", "prompts of earlier runs had the same fences");
    }

    #[test]
    fn the_latest_text_is_told_by_its_own() {
        let latest = Latest::default();
        for text in ["one", "one", "two", "one"] {
            assert_eq!(latest.fenced(&text.into(), &[text]), fenced(text, &[text]));
        }
        let shared: Arc<str> = "three".into();
        for _ in 0..2 {
            assert_eq!(latest.fenced(&shared, &[&shared]), fenced("three", &["three"]));
        }
    }
}
