//! The width of output texts.

use terminal_size::terminal_size_of;

use super::host::process_variable;
use crate::report::MIN_WIDTH;

/// Where a text is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

/// The columns of `COLUMNS`, else of the terminal that `stream` leads to; 60 at least.
pub fn of(stream: Stream) -> Option<usize> {
    chosen(process_variable("COLUMNS").as_deref(), of_terminal(stream))
}

/// The columns of the terminal that `stream` leads to, if it leads to one.
pub fn of_terminal(stream: Stream) -> Option<usize> {
    let size = match stream {
        Stream::Out => terminal_size_of(std::io::stdout()),
        Stream::Err => terminal_size_of(std::io::stderr()),
    };
    // A terminal that does not know its size says 0.
    size.map(|(width, _)| usize::from(width.0)).filter(|columns| *columns > 0)
}

fn chosen(set: Option<&str>, terminal: Option<usize>) -> Option<usize> {
    let set = set.and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    set.or(terminal).map(|columns| columns.max(MIN_WIDTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_comes_before_the_terminal() {
        for (set, terminal, width) in [
            (None, None, None),
            (None, Some(80), Some(80)),
            (None, Some(20), Some(60)),
            (Some("72"), Some(160), Some(72)),
            (Some("72"), None, Some(72)),
            (Some("1"), None, Some(60)),
            (Some("0"), Some(80), Some(80)),
            (Some("wide"), Some(80), Some(80)),
            (Some("-5"), None, None),
        ] {
            assert_eq!(chosen(set, terminal), width, "{set:?} {terminal:?}");
        }
    }
}
