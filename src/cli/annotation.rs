//! Marks of a build: GitHub shows lines of this form beside a run.

use super::host::Host;

/// Whether lines are read by GitHub.
pub fn is_read(host: &Host) -> bool {
    host.variable("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// What failed, as a line for GitHub. Texts quote rows: none of them can begin a command of its own.
pub fn error(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    format!("::error title=tooljudge::{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_one_line_whatever_it_quotes() {
        let said = error("FAIL a: 50 % is wrong\r\n::stop-commands::x");
        assert_eq!(said, "::error title=tooljudge::FAIL a: 50 %25 is wrong%0D%0A::stop-commands::x");
    }
}
