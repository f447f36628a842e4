//! Detects that one finding decides most failures: then check that finding before the calls.

use std::collections::HashMap;

use crate::domain::{Finding, FindingKind, Verdict};

/// Failed rows that rest on one finding, by what that finding is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Deciders {
    /// Failed rows with a list of findings.
    failed: u64,
    rows: HashMap<(FindingKind, About), u64>,
}

/// The finding that most failures rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decider {
    /// Its kind.
    pub kind: FindingKind,
    /// The parameter, or the word of the row.
    pub about: String,
    /// Rows that rest on it alone.
    pub rows: u64,
    /// All failed rows.
    pub failed: u64,
}

/// What a finding is about; of two that are equally frequent the parameter says more.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum About {
    Parameter(String),
    Word(String),
}

/// Fewer failures than this may be alike by chance.
const ENOUGH: u64 = 100;
/// What findings are about is kept of so many; a thing that most rows share is among the first.
const MAX_KEPT: usize = 10_000;

impl Deciders {
    pub(super) fn add(&mut self, verdict: &Verdict) {
        let Some(findings) = verdict.findings.as_ref().filter(|_| verdict.label().is_some()) else { return };
        self.failed += u64::from(!findings.list.is_empty());
        let [only] = &findings.list[..] else { return };
        for about in about(only) {
            let key = (only.kind, about);
            if self.rows.len() < MAX_KEPT || self.rows.contains_key(&key) {
                *self.rows.entry(key).or_default() += 1;
            }
        }
    }

    /// The finding that decides more than half of the failures, if there are enough of them.
    pub fn dominant(&self) -> Option<Decider> {
        if self.failed < ENOUGH {
            return None;
        }
        let most = self.rows.iter().max_by(|(a, x), (b, y)| x.cmp(y).then_with(|| b.cmp(a)));
        let ((kind, About::Parameter(about) | About::Word(about)), rows) = most?;
        let decider = Decider { kind: *kind, about: about.clone(), rows: *rows, failed: self.failed };
        (2 * rows > self.failed).then_some(decider)
    }
}

/// The parameter that a finding is about, and the word that shows it.
fn about(finding: &Finding) -> impl Iterator<Item = About> {
    let parameter = finding.argument.as_ref().map(|path| {
        let named = path.rsplit('/').find(|step| !step.bytes().all(|byte| byte.is_ascii_digit()));
        About::Parameter(named.unwrap_or(path).to_owned())
    });
    parameter.into_iter().chain(finding.quote.clone().map(About::Word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Findings, Outcome};

    #[test]
    fn one_finding_decides_most_or_none_does() {
        let finding = |argument: &str, quote: &str| Finding {
            call: Some(1),
            tool: Some("get".to_owned()),
            argument: Some(argument.to_owned()),
            kind: FindingKind::WrongValue,
            quote: Some(quote.to_owned()),
            supported: true,
        };
        let failed = |list: Vec<Finding>| Verdict {
            findings: Some(Findings { list, dropped: 0 }),
            ..Verdict::bare(Outcome::Judged { label: "incorrect".to_owned(), score: 0.0, rule: None })
        };
        let of = |rows: &[(u64, Verdict)]| {
            let mut deciders = Deciders::default();
            for (count, verdict) in rows {
                (0..*count).for_each(|_| deciders.add(verdict));
            }
            deciders.dominant().map(|found| (found.about, found.rows, found.failed))
        };
        let unit = |quote| failed(vec![finding("/place/unit", quote)]);
        let two = failed(vec![finding("/unit", "f"), finding("/day", "1")]);
        let right = failed(Vec::new());
        assert_eq!(of(&[(60, unit("c")), (40, two.clone())]), Some(("unit".to_owned(), 60, 100)));
        assert_eq!(
            of(&[(40, unit("c")), (30, unit("f")), (30, two.clone())]),
            Some(("unit".to_owned(), 70, 100))
        );
        for rows in [&[(50, unit("c")), (50, two.clone())][..], &[(99, unit("c"))], &[(900, right)]] {
            assert_eq!(of(rows), None);
        }
    }
}
