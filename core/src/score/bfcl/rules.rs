//! Which rules apply: the peer's or ours.

/// The peer's, or ours where its own hurt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// The official checker's, quirks and crashes included.
    Peer,
    /// What the table in the module's documentation says.
    Own,
}
