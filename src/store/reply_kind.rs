//! The kind of question that a stored reply answers.

/// What a stored reply answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplyKind {
    /// A prompt: the reply's text holds a label.
    Verdict,
    /// A dialogue: the reply's text is the message of an agent, in its provider's format, or all that an agent of the user's own said
    /// in an episode.
    Turn,
}

impl ReplyKind {
    /// All of them.
    pub const ALL: [ReplyKind; 2] = [ReplyKind::Verdict, ReplyKind::Turn];

    /// As the store spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            ReplyKind::Verdict => "verdict",
            ReplyKind::Turn => "turn",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<ReplyKind> {
        ReplyKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
