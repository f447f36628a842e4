//! What a server does with a request: a completion or an error, and the manner in which it is delivered or is not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::turns::Said;

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A completion with this text.
    Text(String),
    /// A completion whose label is the first of these rails, with the probability of each.
    Sure(Vec<(&'static str, f64)>),
    /// A chat completion with this message and finish reason.
    Message(Value, &'static str),
    /// What an agent says and calls.
    Turn(Said),
    /// A completion as it travels.
    Completion { headers: Vec<(&'static str, String)>, body: Value },
    /// Anything else.
    Raw { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// A body that breaks off.
    Cut,
    /// The answer, later.
    After(Duration, Box<Answer>),
    /// The answer, once the test opens the gate.
    Held(Gate, Box<Answer>),
    /// The answer, which asks to be left alone until then.
    Told(Instant, Box<Answer>),
    /// The answer, not simply in one piece.
    By(Manner, Box<Answer>),
    /// A TCP reset in place of a byte.
    Reset,
    /// These bytes, which need not be HTTP, and then the end of the connection; HTTP/1.1 without TLS only.
    Bytes(Vec<u8>),
    /// Nothing, until the client leaves.
    Hang,
}

/// Holds answers back until the test has seen what it waits for, however long that takes on a busy machine.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<AtomicBool>);

impl Gate {
    pub fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// How the body of an answer is delivered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Manner {
    Whole,
    /// Compressed by gzip, and said to be.
    Gzip,
    /// A byte at a time, so far apart.
    Drip(Duration),
    /// The first half of it, and then a TCP reset.
    HalfThenReset,
    /// The first half of it in chunks, without the last one that says that it is all.
    HalfThenClose,
    /// The first half of it under the length of the whole.
    HalfOfItsLength,
    /// The first half of it, and then nothing until the client leaves.
    HalfThenHang,
    /// All of it, and white space for ever after.
    Endless,
}

impl Answer {
    pub fn label(label: &str) -> Answer {
        Answer::Text(json!({ "label": label }).to_string())
    }

    pub fn status(status: u16, message: &str) -> Answer {
        Answer::Raw { status, headers: Vec::new(), body: json!({"error": {"message": message}}).to_string() }
    }
}
