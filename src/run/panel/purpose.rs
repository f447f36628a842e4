//! What a panel is built for.

/// What a run is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// To ask judges and write what they say.
    Label,
    /// To ask judges and measure them: models with a judge that looks first also without it.
    Bench,
    /// To see what would be asked.
    DryRun,
    /// To see what a benchmark would ask.
    DryBench,
    /// To read stored replies again, with these rails where they are not the ones that were asked for.
    Resnap { rails: Vec<String> },
}
