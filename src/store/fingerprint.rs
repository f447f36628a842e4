//! The fingerprint that identifies a question to a judge.

use crate::domain::{Dialogue, Prompt};

/// Raised when the same settings come to mean another question.
const VERSION: u32 = 1;

/// Stands where the form of an answer does, and is none: no turn is ever taken for a verdict.
const TURN: u8 = 0xff;
/// The same for a whole episode.
const EPISODE: u8 = 0xfe;

/// 128 bits of a hash over everything that could change the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub(super) [u8; 16]);

/// Hashes prompts and dialogues for one model: the part that all of its questions share is hashed once.
#[derive(Debug, Clone)]
pub struct AskHasher(blake3::Hasher);

impl AskHasher {
    /// `endpoint` without credentials, its query at most as a hash; `parameters` as *requested*, whatever is later dropped, so that an
    /// endpoint which learns to obey does not change the question.
    pub fn new(endpoint: &str, model: &str, parameters: &str) -> AskHasher {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&VERSION.to_le_bytes());
        for part in [endpoint, model, parameters] {
            update(&mut hasher, part);
        }
        AskHasher(hasher)
    }

    /// The same for a model of this version, whose replies are not those of another.
    pub fn of_version(mut self, version: &str) -> AskHasher {
        update(&mut self.0, version);
        self
    }

    /// The fingerprint of asking `prompt` for the `replicate`-th time.
    pub fn fingerprint(&self, prompt: &Prompt, replicate: u32) -> Fingerprint {
        let mut hasher = self.0.clone();
        hasher.update(&replicate.to_le_bytes());
        hasher.update(&[u8::from(prompt.form.explain) | u8::from(prompt.form.findings) << 1]);
        for label in prompt.rails.labels() {
            update(&mut hasher, label);
        }
        update(&mut hasher, &prompt.text);
        finish(&hasher)
    }

    /// The fingerprint of asking for the next reply of `dialogue` for the `repeat`-th time.
    pub fn turn(&self, dialogue: &Dialogue, repeat: u32) -> Fingerprint {
        let mut hasher = self.0.clone();
        hasher.update(&repeat.to_le_bytes());
        hasher.update(&[TURN]);
        update(&mut hasher, &dialogue.to_json().to_string());
        finish(&hasher)
    }

    /// The fingerprint of a whole episode, of which `asked` says all that the agent could be told, its repeat included.
    pub fn episode(&self, asked: &str) -> Fingerprint {
        let mut hasher = self.0.clone();
        hasher.update(&[EPISODE]);
        update(&mut hasher, asked);
        finish(&hasher)
    }
}

fn finish(hasher: &blake3::Hasher) -> Fingerprint {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Fingerprint(bytes)
}

/// Length first, so that no two lists of texts hash alike.
fn update(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}
