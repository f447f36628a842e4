//! A cost limit that several runs share: the requests of a run, and what it gets. Money is counted in whole millionths of a
//! millionth of a dollar, so that sums are exact.

/// What a run has of a purse, and what it would like to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taking {
    /// What all runs may take together.
    pub ceiling: u64,
    /// What this run has taken so far, and not given back.
    pub granted: u64,
    /// Of that, what is spent.
    pub spent: u64,
    /// The least that is of use to it.
    pub need: u64,
    /// What it would rather have, to ask less often.
    pub want: u64,
}

impl Taking {
    /// How much of it a dollar is.
    pub const UNITS: f64 = 1e12;
}

/// What a run gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Given {
    /// Beside what it has. Nothing, where less is left than it needs.
    pub more: u64,
    /// Whether others that live have taken what they may give back.
    pub may_return: bool,
    /// What others have spent, as far as they have said.
    pub spent: u64,
    /// What others have taken that are not seen to live: nobody knows whether they spent it.
    pub lost: u64,
}
