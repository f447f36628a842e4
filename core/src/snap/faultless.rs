//! Good news that denies no rail: `no obvious errors found`.

use super::token::Token;

/// Things that a call may lack: `no errors` is good news, and denies no rail.
const FAULTS: [&str; 44] = [
    "issue",
    "issues",
    "problem",
    "problems",
    "error",
    "errors",
    "mistake",
    "mistakes",
    "fault",
    "faults",
    "flaw",
    "flaws",
    "bug",
    "bugs",
    "discrepancy",
    "discrepancies",
    "deviation",
    "deviations",
    "objection",
    "objections",
    "complaint",
    "complaints",
    "concern",
    "concerns",
    "contradiction",
    "contradictions",
    "violation",
    "violations",
    "defect",
    "defects",
    "inconsistency",
    "inconsistencies",
    "hallucination",
    "hallucinations",
    "typo",
    "typos",
    "wrong",
    "missing",
    "amiss",
    "fehler",
    "mängel",
    "problème",
    "erreur",
    "errores",
];
/// What may stand between `no` and such a thing, and behind it.
const AROUND: [&str; 26] = [
    "obvious",
    "apparent",
    "further",
    "other",
    "any",
    "real",
    "major",
    "visible",
    "whatsoever",
    "at",
    "all",
    "found",
    "detected",
    "here",
    "seen",
    "spotted",
    "identified",
    "there",
    "to",
    "report",
    "is",
    "with",
    "it",
    "this",
    "the",
    "of",
];

/// `no obvious errors found`: how many words that is.
pub(super) fn faultless(tokens: &[Token]) -> Option<usize> {
    if !matches!(tokens[0].word(), "no" | "without" | "nothing" | "zero" | "keine" | "ohne" | "sin" | "sans")
    {
        return None;
    }
    let around = |token: &&Token| AROUND.contains(&token.word());
    let fault = 1 + tokens[1..].iter().take(4).take_while(around).count();
    if !tokens.get(fault).is_some_and(|token| FAULTS.contains(&token.word())) {
        return None;
    }
    let behind = tokens[fault + 1..].iter().take(4).take_while(around);
    Some(
        fault
            + 1
            + behind
                .take_while(|token| !matches!(token.word(), "is" | "with" | "of" | "it" | "this" | "the"))
                .count(),
    )
}
