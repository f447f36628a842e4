//! Reads lists in which each rail has a mark or number: `correct: ❌ / incorrect: ✅`, `P(correct) = 0.9`, rows of a table.

use super::fold::folded;
use super::names::Names;

/// A longer reply is no ballot.
const MAX_BYTES: usize = 2000;

/// What stands beside a rail.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mark {
    Chosen,
    Rejected,
    Empty,
    Number(f64),
}

/// What a reply that is a ballot says: the rail that was chosen, or that none surely was. `None` if it is no ballot.
pub(super) fn read(answer: &str, names: &Names) -> Option<Result<usize, &'static str>> {
    if answer.len() > MAX_BYTES {
        return None;
    }
    if let Some(all) = each_call(answer, names) {
        return Some(all);
    }
    if counts(answer, names) {
        return Some(Err("several verdicts"));
    }
    let mut votes: Vec<(usize, Mark)> = Vec::new();
    let rows = answer.lines().filter(|line| line.contains('|')).count() > 1;
    for line in answer.lines() {
        let entries: Vec<&str> = if rows { vec![line] } else { line.split([',', ';', '/', '|']).collect() };
        let entries = match entries.len() {
            1 => beside(line),
            _ => entries,
        };
        for entry in entries {
            match vote(entry, names, rows) {
                Some(vote) => votes.push(vote),
                // The head of a table, or nothing at all.
                None if is_head(entry, names) && votes.is_empty()
                    || !entry.contains(char::is_alphanumeric) => {}
                None => return None,
            }
        }
    }
    let all = |rail: usize| votes.iter().filter(|(other, _)| *other == rail).count();
    let several = votes.len() > 1 && votes.iter().all(|(rail, _)| all(*rail) == 1);
    let marked = votes.iter().any(|(_, mark)| *mark != Mark::Empty);
    (several && marked).then(|| choice(&votes))
}

/// `correct: 3 arguments, incorrect: 1 argument`
fn counts(answer: &str, names: &Names) -> bool {
    let mut counted = answer.split([',', ';', '\n']).map(|entry| {
        let (name, rest) = entry.split_once(':')?;
        let rest = rest.trim_start();
        let number = rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains(' ');
        names.exactly(plain(name.trim())).filter(|_| number)
    });
    let first = counted.next().flatten();
    first.is_some() && counted.clone().count() > 0 && counted.all(|rail| rail.is_some() && rail != first)
}

/// A table with a row for each call, and nothing else: what all rows say, if they say the same.
fn each_call(answer: &str, names: &Names) -> Option<Result<usize, &'static str>> {
    let mut rows = answer.lines().filter(|line| !line.trim().is_empty());
    let head = folded(rows.next()?);
    let cells = |row: &str| {
        row.trim().trim_matches('|').split('|').map(|cell| folded(plain(cell.trim()))).collect::<Vec<_>>()
    };
    let (first, last) = (cells(&head).first()?.clone(), cells(&head).last()?.clone());
    let verdicts =
        ["verdict", "label", "judgment", "judgement", "result", "answer", "rating"].contains(&last.as_str());
    if !head.starts_with('|') || !first.contains("call") || !verdicts {
        return None;
    }
    let mut said = Vec::new();
    for row in rows {
        let cells = cells(row);
        match names.exactly(cells.last()?) {
            Some(rail) if row.trim().starts_with('|') => said.push(rail),
            None if row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) => {}
            _ => return None,
        }
    }
    let same = said.iter().all(|rail| Some(rail) == said.first());
    said.first().map(|rail| if same { Ok(*rail) } else { Err("several verdicts") })
}

/// `correct: ❌ incorrect: ✅` on one line.
fn beside(line: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let mut rest = line;
    while let Some(end) = rest.find(['✅', '❌', '✓', '✗', '✔', '✘']) {
        let after = end + rest[end..].chars().next().map_or(0, char::len_utf8);
        let after =
            after + rest[after..].chars().take_while(|c| *c == '\u{fe0f}').map(char::len_utf8).sum::<usize>();
        entries.push(&rest[..after]);
        rest = &rest[after..];
    }
    entries.push(rest);
    entries
}

fn is_head(entry: &str, names: &Names) -> bool {
    !entry.chars().any(|c| c.is_numeric())
        && entry.contains('|')
        && names.exactly(entry.trim_matches(['|', ' '])).is_none()
        || entry.trim_end().ends_with(':') && entry.len() < 40
}

fn choice(votes: &[(usize, Mark)]) -> Result<usize, &'static str> {
    const UNSURE: &str = "several verdicts";
    let only = |wanted: Mark| {
        let mut fitting = votes.iter().filter(|(_, mark)| *mark == wanted);
        match (fitting.next(), fitting.next()) {
            (Some((rail, _)), None) => Some(*rail),
            _ => None,
        }
    };
    let numbers: Vec<(usize, f64)> = votes
        .iter()
        .filter_map(
            |(rail, mark)| if let Mark::Number(number) = mark { Some((*rail, *number)) } else { None },
        )
        .collect();
    if numbers.len() == votes.len() {
        let best = numbers
            .iter()
            .copied()
            .fold((0, f64::MIN), |best, next| if next.1 > best.1 { next } else { best });
        let rest = numbers.iter().filter(|(rail, _)| *rail != best.0).map(|(_, number)| *number);
        // What is given to one is taken from the others; numbers that are near to each other choose none.
        let total: f64 = numbers.iter().map(|(_, number)| number).sum();
        let shares = [1.0, 100.0, 10.0].iter().any(|whole| (total - whole).abs() < 0.02 * whole);
        let ahead = rest.clone().all(|number| number >= 0.0 && best.1 >= 1.5 * number);
        return if shares && ahead { Ok(best.0) } else { Err(UNSURE) };
    }
    if !numbers.is_empty() {
        return Err(UNSURE);
    }
    // A mark of failure alone may mean either.
    only(Mark::Chosen).ok_or(UNSURE)
}

/// A rail with what stands beside it.
fn vote(entry: &str, names: &Names, row: bool) -> Option<(usize, Mark)> {
    let entry = folded(entry);
    let entry = entry.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '•'));
    let entry = entry.trim_start_matches("* ");
    let cells: Vec<&str> = if row {
        entry.trim_start_matches('|').trim_end_matches('|').split('|').map(str::trim).collect()
    } else {
        let bracket = entry.strip_suffix(')').and_then(|entry| entry.split_once(" ("));
        if let Some((name, value)) = bracket {
            return Some((names.exactly(plain(name))?, mark(value).filter(|_| value.ends_with('%'))?));
        }
        let at = entry.rfind([':', '=', '→']).or_else(|| entry.rfind(' '))?;
        let step = entry[at..].chars().next().map_or(1, char::len_utf8);
        vec![entry[..at].trim(), entry[at + step..].trim()]
    };
    let [name, value] = cells[..] else { return None };
    let vote = (names.exactly(plain(name))?, mark(plain(value))?);
    // `correct 1` may be a score.
    let joined = row || entry.contains([':', '=', '→']);
    (joined || !matches!(vote.1, Mark::Number(_))).then_some(vote)
}

/// `**correct**`, `P(correct)`, `"correct"`
fn plain(text: &str) -> &str {
    let text = text.trim_matches(|c: char| matches!(c, '*' | '_' | '`' | '"' | '\'' | ' ' | '.'));
    let inner = text
        .strip_prefix("p(")
        .or_else(|| text.strip_prefix("prob("))
        .or_else(|| text.strip_prefix("probability("));
    inner.and_then(|inner| inner.strip_suffix(')')).unwrap_or(text)
}

fn mark(value: &str) -> Option<Mark> {
    Some(match value {
        "" | "-" | "—" => Mark::Empty,
        "✅" | "✓" | "✔" | "☑" | "x" | "[x]" | "(x)" | "🗹" | "👍" | "true" | "yes" | "chosen"
        | "selected" => Mark::Chosen,
        "❌" | "✗" | "✘" | "✖" | "🚫" | "👎" | "false" | "no" | "[ ]" | "☐" => Mark::Rejected,
        number => {
            let number = number.strip_suffix('%').unwrap_or(number).trim().replace(',', ".");
            let number =
                if number.starts_with('.') || value_starts_numeric(&number) { number } else { return None };
            Mark::Number(format!("0{number}").parse().ok()?)
        }
    })
}

fn value_starts_numeric(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}
