//! Puts what tools returned in the order of their calls, where results have no ids but name their tools.
//!
//! ```json
//! {"role": "model", "parts": [{"functionCall": {"name": "f"}}, {"functionCall": {"name": "g"}}]},
//! {"role": "user", "parts": [{"functionResponse": {"name": "g"}}, {"functionResponse": {"name": "f"}}]}
//! ```

use super::message::speaker;
use super::{called, part};
use crate::domain::{Json, Object, Role};

/// Where a result stands, and the name of its tool.
struct Slot {
    element: usize,
    part: Option<usize>,
    name: String,
}

/// The elements of a conversation with results in the order of the calls; `None` if they are so already, or cannot be told.
pub(in crate::normalize) fn in_order(elements: &[Json]) -> Option<Vec<Json>> {
    // Most logs have ids, and nothing is read twice.
    if !elements
        .iter()
        .any(|element| element.as_object().is_some_and(|element| !slots(element, 0).is_empty()))
    {
        return None;
    }
    let mut ordered: Option<Vec<Json>> = None;
    let (mut calls, mut run): (Vec<String>, Vec<Slot>) = (Vec::new(), Vec::new());
    for (at, element) in elements.iter().enumerate() {
        let Some(object) = element.as_object() else { continue };
        let found = slots(object, at);
        if !found.is_empty() {
            run.extend(found);
            continue;
        }
        sort(elements, &calls, &run, &mut ordered);
        if !run.is_empty() || speaker(object) != Some(Role::Assistant) {
            calls.clear();
        }
        run.clear();
        if speaker(object) == Some(Role::Assistant) {
            calls.extend(called(element));
        }
    }
    sort(elements, &calls, &run, &mut ordered);
    ordered
}

/// Sorts a run of results as their calls are.
fn sort(elements: &[Json], calls: &[String], run: &[Slot], ordered: &mut Option<Vec<Json>>) {
    let mut taken = vec![false; calls.len()];
    let call_of = |slot: &Slot| {
        let at = (0..calls.len()).find(|at| !taken[*at] && calls[*at] == slot.name)?;
        taken[at] = true;
        Some(at)
    };
    let alike = run.windows(2).all(|two| two[0].part.is_some() == two[1].part.is_some());
    let Some(places) = run.iter().map(call_of).collect::<Option<Vec<usize>>>().filter(|_| alike) else {
        return;
    };
    if places.is_sorted() {
        return;
    }
    let mut sorted: Vec<usize> = (0..run.len()).collect();
    sorted.sort_by_key(|at| places[*at]);
    let ordered = ordered.get_or_insert_with(|| elements.to_vec());
    for (slot, from) in run.iter().zip(sorted) {
        let Some(value) = value_at(elements, &run[from]).cloned() else { continue };
        let place = match slot.part {
            None => ordered.get_mut(slot.element),
            Some(part) => ordered.get_mut(slot.element).and_then(|element| match element {
                Json::Object(message) => {
                    match message.get_mut(PARTS.iter().find(|key| message.contains_key(key))?)? {
                        Json::Array(parts) => parts.get_mut(part),
                        _ => None,
                    }
                }
                _ => None,
            }),
        };
        if let Some(place) = place {
            *place = value;
        }
    }
}

/// Keys of a message's parts.
const PARTS: &[&str] = &["parts", "content"];

fn value_at<'a>(elements: &'a [Json], slot: &Slot) -> Option<&'a Json> {
    let element = elements.get(slot.element)?;
    match slot.part {
        None => Some(element),
        Some(part) => PARTS.iter().find_map(|key| element.get(key))?.as_array()?.get(part),
    }
}

/// The results that an element is, or consists of, if each has its tool's name and no id.
fn slots(element: &Object, at: usize) -> Vec<Slot> {
    let name = |holder: &Object| {
        let name = ["name", "tool_name", "toolName"].iter().find_map(|key| holder.get(key)?.as_str())?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    if let Some(parts) = PARTS.iter().find_map(|key| element.get(key)).and_then(Json::as_array) {
        let slot = |(part, value): (usize, &Json)| {
            let holder = ["functionResponse", "function_response"]
                .iter()
                .find_map(|key| value.get(key)?.as_object())?;
            let name = name(holder).filter(|_| !part::has_id(holder, true))?;
            Some(Slot { element: at, part: Some(part), name })
        };
        let found: Option<Vec<Slot>> = parts.iter().enumerate().map(slot).collect();
        if let Some(found) = found.filter(|found| !found.is_empty()) {
            return found;
        }
    }
    let is_tools =
        element.get("role").and_then(Json::as_str).is_some_and(|role| ["tool", "function"].contains(&role));
    let name = name(element).filter(|_| is_tools && !part::has_id(element, false));
    name.map(|name| Slot { element: at, part: None, name }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_follow_their_calls() {
        const CALLS: &str = r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"g","args":{}}}]}"#;
        let part = |name: &str| format!(r#"{{"functionResponse":{{"name":"{name}","response":{{}}}}}}"#);
        let tool = |name: &str| format!(r#"{{"role":"tool","name":"{name}","content":"x"}}"#);
        let told =
            |name: &str| format!(r#"{{"role":"tool","name":"{name}","tool_call_id":"1","content":"x"}}"#);
        let user = |parts: &[String]| format!(r#"{{"role":"user","parts":[{}]}}"#, parts.join(","));
        for (results, expected) in [
            (user(&[part("g"), part("f")]), Some(user(&[part("f"), part("g")]))),
            (user(&[part("f"), part("g")]), None),
            (user(&[part("h"), part("f")]), None),
            (format!("{},{}", tool("g"), tool("f")), Some(format!("{},{}", tool("f"), tool("g")))),
            (
                format!("{},{}", user(&[part("g")]), user(&[part("f")])),
                Some(format!("{},{}", user(&[part("f")]), user(&[part("g")]))),
            ),
            (format!("{},{}", told("g"), told("f")), None),
            (format!("{},{}", told("g"), tool("f")), None),
        ] {
            let all = format!("[{CALLS},{results}]");
            let elements = Json::parse(&all).unwrap();
            let found =
                in_order(elements.as_array().unwrap()).map(|ordered| Json::Array(ordered).to_string());
            let expected =
                expected.map(|expected| Json::parse(&format!("[{CALLS},{expected}]")).unwrap().to_string());
            assert_eq!(found, expected, "{all}");
        }
    }
}
