//! The check of a value: one rule for strings, one for lists, one for dicts, one for lists of dicts.

use std::borrow::Cow;

use super::answer::{count, indexed, is_optional};
use super::equality::equal;
use super::failure::{ErrorType, Exception};
use super::rules::Rules;
use super::standard::same;
use super::value::Value;

/// What is wrong with a value, and where in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub error: ErrorType,
    pub element: Option<usize>,
    pub key: Option<String>,
}

impl From<ErrorType> for Fault {
    fn from(error: ErrorType) -> Fault {
        Fault { error, element: None, key: None }
    }
}

impl From<Exception> for Fault {
    fn from(exception: Exception) -> Fault {
        ErrorType::Exception(exception).into()
    }
}

type Checked = Result<(), Fault>;

/// Equal, or two strings that are the same but for what does not matter.
fn alike(a: &Value<'_>, b: &Value<'_>, rules: Rules) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => same(a, b),
        _ => equal(a, b, rules),
    }
}

pub fn check_string(text: &str, accepted: &[Value<'_>]) -> Checked {
    let fits = |entry: &Value<'_>| entry.as_str().is_some_and(|entry| same(text, entry));
    if accepted.iter().any(fits) { Ok(()) } else { Err(ErrorType::StringValue.into()) }
}

/// Neither by rules for its type nor by a variable's: as it is.
pub fn check_plain(value: &Value<'_>, accepted: &[Value<'_>], rules: Rules) -> Checked {
    if accepted.iter().any(|entry| equal(value, entry, rules)) {
        Ok(())
    } else {
        Err(ErrorType::OtherValue.into())
    }
}

/// Strings count as strings at the top of the list only. The marker stands for the empty list.
pub fn check_list(items: &[Value<'_>], accepted: &[Value<'_>], rules: Rules) -> Checked {
    let mut found = false;
    for entry in accepted {
        let listed = match entry {
            Value::List(listed) => Cow::Borrowed(listed.as_slice()),
            marker if marker.is_marker() => Cow::Borrowed([].as_slice()),
            _ if rules == Rules::Own => continue,
            // All entries are read before any is compared, so a crash with a later one counts.
            other => indexed(other, rules)?,
        };
        found = found
            || (listed.len() == items.len()
                && items.iter().zip(listed.iter()).all(|(item, expected)| alike(item, expected, rules)));
        if found && rules == Rules::Own {
            break;
        }
    }
    if found { Ok(()) } else { Err(ErrorType::ListValue.into()) }
}

/// A dict against each accepted one. The fault is that of the last one tried.
pub fn check_dict(value: &Value<'_>, accepted: &[Value<'_>], rules: Rules) -> Checked {
    let mut checked = Err(ErrorType::DictUnclear.into());
    for expected in accepted.iter().filter(|entry| !entry.is_marker()) {
        checked = match (value, expected) {
            (Value::Dict(entries), Value::Dict(expected)) => check_entries(entries, expected, rules)?,
            (Value::Dict(_), _) if rules == Rules::Own => continue,
            (_, _) if rules == Rules::Own => return Err(ErrorType::DictUnclear.into()),
            (Value::Dict(entries), other) => return Err(crash_with(entries, other).into()),
            (_, _) => return Err(Exception::AttributeError.into()),
        };
        if checked.is_ok() {
            break;
        }
    }
    checked
}

type Entry<'a> = (Value<'a>, Value<'a>);

/// The outer error is a crash, the inner one a fault.
fn check_entries(entries: &[Entry<'_>], expected: &[Entry<'_>], rules: Rules) -> Result<Checked, Exception> {
    let mut checked = Ok(());
    let fault = |error, key: &Value<'_>| {
        let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
        Err(Fault { error, element: None, key: Some(key) })
    };
    let look_up =
        |entries: &[Entry<'_>], key: &Value<'_>| entries.iter().position(|(own, _)| equal(own, key, rules));
    for (key, value) in entries {
        let Some(at) = look_up(expected, key) else {
            checked = fault(ErrorType::DictKey, key);
            break;
        };
        let options = indexed(&expected[at].1, rules)?;
        if !options.iter().any(|option| alike(value, option, rules)) {
            checked = fault(ErrorType::DictValue, key);
            break;
        }
    }
    // A key that is missing counts more than what was found before it.
    for (key, options) in expected {
        if look_up(entries, key).is_none() && !is_optional(options, rules)? {
            checked = fault(ErrorType::DictKey, key);
            break;
        }
    }
    Ok(checked)
}

/// How the peer crashes with an accepted value that is no dict.
fn crash_with(entries: &[Entry<'_>], accepted: &Value<'_>) -> Exception {
    let Some((key, _)) = entries.first() else { return Exception::AttributeError };
    match accepted {
        // A key that is part of the text is then looked up in it, which no text allows; any other is a fault, after which
        // the text is asked for its keys.
        Value::Str(text) => match key.as_str() {
            Some(key) if !text.contains(key) => Exception::AttributeError,
            _ => Exception::TypeError,
        },
        Value::List(items) | Value::Tuple(items) => {
            if items.iter().any(|item| equal(item, key, Rules::Peer)) {
                Exception::TypeError
            } else {
                Exception::AttributeError
            }
        }
        _ => Exception::TypeError,
    }
}

/// Pairwise in order, against each accepted list. The fault is that of the last one tried.
pub fn check_dicts(items: &[Value<'_>], accepted: &[Value<'_>], rules: Rules) -> Checked {
    let mut checked: Checked = Err(ErrorType::DictListUnclear.into());
    for entry in accepted {
        if rules == Rules::Own && !matches!(entry, Value::List(_)) && !entry.is_marker() {
            continue;
        }
        if items.len() != count(entry)? {
            checked = Err(ErrorType::DictCount.into());
            continue;
        }
        checked = Ok(());
        if items.is_empty() {
            break;
        }
        let expected = indexed(entry, rules)?;
        for (at, (item, expected)) in items.iter().zip(expected.iter()).enumerate() {
            if let Err(fault) = check_dict(item, std::slice::from_ref(expected), rules) {
                if matches!(fault.error, ErrorType::Exception(_)) {
                    return Err(fault);
                }
                checked = Err(Fault { element: Some(at), ..fault });
                break;
            }
        }
        if checked.is_ok() {
            break;
        }
    }
    checked
}
