//! What a name looks like, so that no other name can be taken for it: `Ｂuilt\u{200b}in` looks like `builtin`.

use unicode_normalization::UnicodeNormalization;

/// What a name looks like up to its first colon, and whether it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Letters and digits alone, as Unicode's compatibility form has them, in lower case; of those that look alike the same one.
    pub head: String,
    /// Whether there is a colon, or what looks like one.
    pub has_colon: bool,
}

/// Signs that look like a colon, and are none in the compatibility form.
const COLONS: &[char] = &[':', 'ː', '˸', '։', '׃', '܃', '܄', '∶', '⁚', '꞉', '︰'];

/// Letters that cannot be seen.
const UNSEEN: &[char] = &['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'];

/// What looks alike in lower case, the first of each standing for all: digits, and letters of other scripts.
const ALIKE: &[&str] = &[
    "l1i|ıіιɩӏ",
    "o0оοօ",
    "aаαɑ",
    "eе",
    "cсϲ",
    "pрρ",
    "xх",
    "yуγ",
    "sѕ",
    "jј",
    "hһ",
    "dԁ",
    "nո",
    "uυս",
    "vνѵ",
    "bь",
    "tτт",
    "mм",
    "rг",
    "kκк",
    "gɡց",
    "wѡԝ",
    "qԛ",
    "zᴢ",
];

impl Look {
    /// What `name` looks like.
    pub fn of(name: &str) -> Look {
        let mut look = Look { head: String::new(), has_colon: false };
        for c in name.nfkc().flat_map(char::to_lowercase) {
            if COLONS.contains(&c) {
                look.has_colon = true;
                break;
            }
            let alike = ALIKE.iter().find(|alike| alike.contains(c)).and_then(|alike| alike.chars().next());
            let c = alike.unwrap_or(c);
            if c.is_alphanumeric() && !UNSEEN.contains(&c) {
                look.head.push(c);
            }
        }
        look
    }

    /// Whether what stands before the colon, or all of it, looks like `name`, which has no colon.
    pub fn is_like(&self, name: &str) -> bool {
        self.head == Look::of(name).head
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike() {
        for (name, like, has_colon) in [
            ("builtin", true, false),
            (" Built-In ", true, false),
            ("BUILTIN", true, false),
            ("ｂｕｉｌｔｉｎ", true, false),
            ("𝐛𝗎𝒊𝓁𝔱𝕚𝖓", true, false),
            ("ⓑⓤⓘⓛⓣⓘⓝ", true, false),
            ("built\u{200b}in\u{feff}", true, false),
            ("built\u{ad}\u{2060}\u{34f}in", true, false),
            ("built\u{3164}in\u{ffa0}", true, false),
            ("built_in.", true, false),
            ("bui1tin", true, false),
            ("buІltin", true, false),
            ("bu\u{131}lt\u{130}n", true, false),
            ("builtin:mine", true, true),
            ("built in：mine", true, true),
            ("builtin꞉mine", true, true),
            ("builtin∶", true, true),
            ("my-builtin", false, false),
            ("builtin2", false, false),
            ("büiltin", false, false),
            ("built", false, false),
            ("a:builtin", false, true),
            ("", false, false),
        ] {
            let look = Look::of(name);
            assert_eq!((look.is_like("builtin"), look.has_colon), (like, has_colon), "{name:?}: {look:?}");
        }
    }
}
