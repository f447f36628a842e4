//! Why a judge gives no label.

/// Why a judge gives no label: its kind, and the reason in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abstention {
    /// Whether that is an answer.
    pub kind: AbstentionKind,
    /// One clause, without a full stop.
    pub why: String,
}

/// Whether abstaining is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbstentionKind {
    /// Something is missing or cannot be read: definitions, a call, a result.
    Missing,
    /// All that is there was looked at, and it speaks neither clearly for the calls nor clearly against them.
    NoEvidence(Lack),
}

/// What leaves a row without evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// A text that the agent wrote itself.
    Written,
    /// A value whose source is not in the conversation as such.
    Source,
    /// Whether this tool, or any, was due.
    Choice,
    /// Whether all that was asked for was done.
    Rest,
    /// Whether a later step of an agent was due.
    Step,
    /// Nothing single: what speaks for it and what speaks against it are close.
    Balance,
}

impl Abstention {
    /// Something is missing or cannot be read.
    pub fn missing(why: impl Into<String>) -> Abstention {
        Abstention { kind: AbstentionKind::Missing, why: why.into() }
    }

    /// There is no evidence either way.
    pub fn no_evidence(lack: Lack, why: impl Into<String>) -> Abstention {
        Abstention { kind: AbstentionKind::NoEvidence(lack), why: why.into() }
    }
}

impl AbstentionKind {
    /// The code that the `error` column begins with.
    pub fn code(self) -> &'static str {
        match self {
            AbstentionKind::Missing => "abstained",
            AbstentionKind::NoEvidence(_) => "no_evidence",
        }
    }
}

impl Lack {
    /// A stable name for records.
    pub fn as_str(self) -> &'static str {
        match self {
            Lack::Written => "written",
            Lack::Source => "source",
            Lack::Choice => "choice",
            Lack::Rest => "rest",
            Lack::Step => "step",
            Lack::Balance => "balance",
        }
    }

    /// What such rows do, of one row and of several: `90 hold text that the agent wrote`.
    pub fn words(self, rows: u64) -> &'static str {
        let (one, several) = match self {
            Lack::Written => ("holds text that the agent wrote", "hold text that the agent wrote"),
            Lack::Source => (
                "has a value that does not come from the conversation as it stands",
                "have values that do not come from the conversation as they stand",
            ),
            Lack::Choice => ("may need another tool, or none", "may need another tool, or none"),
            Lack::Rest => ("may leave something undone", "may leave something undone"),
            Lack::Step => ("is a later step of an agent", "are later steps of an agent"),
            Lack::Balance => ("has no clear evidence", "have no clear evidence"),
        };
        if rows == 1 { one } else { several }
    }
}
