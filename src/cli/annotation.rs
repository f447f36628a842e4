//! GitHub's `::error` annotations.

use super::host::Host;

/// Whether lines are read by GitHub.
pub fn is_read(host: &Host) -> bool {
    host.variable("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// What failed, as a line for GitHub.
pub fn error(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    format!("::error title=tooljudge::{text}")
}

/// A text that is no annotation, without what GitHub would take for a command: `::` where a line begins, `##[` anywhere. Texts quote rows
/// and agents, and a command such as `::stop-commands::` would switch off what comes after it.
pub fn disarmed(text: &str) -> String {
    let line = |line: &str| {
        let at = line.len() - line.trim_start().len();
        match line[at..].strip_prefix("::") {
            Some(rest) => format!("{}: :{rest}", &line[..at]),
            None => line.to_owned(),
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n").replace("##[", "## [")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_one_line_whatever_it_quotes() {
        let said = error("FAIL a: 50 % is wrong\r\n::stop-commands::x");
        assert_eq!(said, "::error title=tooljudge::FAIL a: 50 %25 is wrong%0D%0A::stop-commands::x");
    }

    #[test]
    fn what_is_quoted_commands_nothing() {
        let said = disarmed("a::b\n ::stop-commands::x\n\t::error::y\nz ##[stop-commands]t");
        assert_eq!(said, "a::b\n : :stop-commands::x\n\t: :error::y\nz ## [stop-commands]t");
    }
}
