//! LangChain Benchmarks' environments: what they offer, and every recorded step of theirs.

mod calls;

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tooljudge_core::domain::Json;
use tooljudge_core::environment::{Environment, EnvironmentName, Input, Observation, ToolError};

/// The folder with all that was recorded.
fn shared(file: &str) -> Option<PathBuf> {
    let shared = std::env::var("TOOLJUDGE_SHARED").ok()?;
    Some(Path::new(&shared).join("parity").join(file)).filter(|path| path.exists())
}

/// What was recorded: all of it if it is there, else the part that is shipped.
pub fn recorded(file: &str) -> Vec<Json> {
    let shipped = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/parity").join(file);
    let packed = std::fs::read(shared(file).unwrap_or_else(shipped)).unwrap();
    let mut text = String::new();
    GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| Json::parse(line).unwrap()).collect()
}

pub fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json.get(key).and_then(Json::as_str).unwrap()
}

pub fn list<'a>(json: &'a Json, key: &str) -> &'a [Json] {
    json.get(key).and_then(Json::as_array).unwrap()
}

fn fresh(case: &Json) -> Environment {
    Environment::new(match text(case, "env") {
        "typewriter_1" => EnvironmentName::Typewriter1,
        "typewriter_26" => EnvironmentName::Typewriter26,
        "relational_data" => EnvironmentName::Relational,
        "multiverse_math" => EnvironmentName::Multiverse,
        other => panic!("{other}"),
    })
}

fn input(json: &Json) -> Input<'_> {
    match json {
        Json::Object(fields) => Input::Fields(fields),
        Json::String(text) => Input::Bare(text),
        other => panic!("{other}"),
    }
}

/// Whether a float is the recorded one, but for the last digits that a platform's functions may give.
fn is_float(ours: f64, theirs: &Json) -> bool {
    let theirs = match theirs {
        Json::Number(number) => number.as_f64(),
        named => text(named, "$float").parse().unwrap(),
    };
    ours == theirs || (ours.is_nan() && theirs.is_nan()) || (ours - theirs).abs() <= 1e-12 * theirs.abs()
}

fn is_recorded(ours: &Observation, theirs: &Json) -> bool {
    match ours {
        // An integer is no float here: `35` must not come as `35.0`.
        Observation::Value(value) => value == theirs,
        Observation::Float(value) => theirs.type_name() != "integer" && is_float(*value, theirs),
        Observation::Complex(value) => {
            let parts = list(theirs, "$complex");
            is_float(value.real, &parts[0]) && is_float(value.imaginary, &parts[1])
        }
    }
}

#[track_caller]
fn assert_raised(ours: &ToolError, theirs: &Json) {
    assert_eq!(
        (ours.exception(), ours.to_string().as_str()),
        (text(theirs, "type"), text(theirs, "message"))
    );
    if let ToolError::InvalidArguments(ours) = ours
        && let Some(Json::Array(fields)) = theirs.get("fields")
    {
        assert_eq!(ours.errors.len(), fields.len());
        for (ours, theirs) in ours.errors.iter().zip(fields) {
            assert_eq!([Json::from(ours.field)], list(theirs, "loc"));
            assert_eq!(
                (ours.fault.code(), ours.fault.message()),
                (text(theirs, "type"), text(theirs, "msg"))
            );
        }
    }
}

#[test]
fn every_recorded_step() {
    let (mut steps, mut errors, mut episodes) = (0, 0, 0);
    let recorded = recorded("langchain_envs.jsonl.gz");
    for case in recorded.iter().filter(|case| text(case, "kind") == "env") {
        let mut environment = fresh(case);
        for step in list(case, "steps") {
            let ours = environment.call(text(step, "tool"), input(step.get("input").unwrap()));
            match (ours, step.get("error")) {
                (Err(ours), Some(theirs)) => {
                    assert_raised(&ours, theirs);
                    errors += 1;
                }
                (Ok(ours), None) => {
                    let theirs = step.get("output").unwrap();
                    assert!(is_recorded(&ours, theirs), "{ours:?}: {step}");
                }
                (ours, _) => panic!("{ours:?}: {step}"),
            }
            steps += 1;
        }
        let state = case.get("final_state").and_then(Json::as_str);
        assert_eq!(environment.state(), state, "{case}");
        assert_eq!(Some(&Json::Bool(state.is_some())), case.get("has_state"));
        episodes += 1;
    }
    println!("{steps} steps ({errors} errors among them) and {episodes} states equal");
    assert_eq!((steps, errors, episodes), (4491, 234, 600));
}

/// The peer's whole episodes: what each call gave, and the text of it that the model was shown.
#[test]
fn every_step_of_recorded_episodes() {
    let (mut steps, mut shown, mut died, mut states) = (0, 0, 0, 0);
    let episodes = recorded("langchain_loops.jsonl.gz");
    for case in &episodes {
        let mut environment = fresh(case);
        let mut observed = Vec::new();
        let mut raised = None;
        // The agent stops after its fifteenth reply, and at a reply without calls; the last reply is given again and again.
        let script = list(case, "script");
        let replies = (0..15).map(|at| &script[at.min(script.len() - 1)]);
        let replies = replies.filter_map(|reply| reply.get("calls").and_then(Json::as_array));
        let calls: Vec<&Json> = replies.take_while(|calls| !calls.is_empty()).flatten().collect();
        for call in &calls {
            match environment.call(text(call, "name"), input(call.get("args").unwrap())) {
                Ok(observation) => observed.push((*call, observation)),
                Err(error) => {
                    raised = Some(error);
                    break;
                }
            }
        }
        if let Some(theirs) = case.get("error") {
            let ours = raised.unwrap_or_else(|| panic!("nothing raised: {case}"));
            assert_raised(&ours, theirs);
            died += 1;
        } else {
            assert_eq!(raised, None, "{case}");
            let theirs = list(case.get("result").unwrap(), "intermediate_steps").iter();
            let theirs = theirs.map(|step| step.as_array().unwrap());
            let theirs: Vec<_> = theirs.filter(|step| text(&step[0], "tool") != "_Exception").collect();
            assert_eq!(theirs.len(), observed.len(), "{case}");
            for (theirs, (call, ours)) in theirs.into_iter().zip(&observed) {
                assert_eq!(text(&theirs[0], "tool"), text(call, "name"));
                assert_eq!(theirs[0].get("tool_input"), call.get("args"));
                assert!(is_recorded(ours, &theirs[1]), "{ours:?}: {}", theirs[1]);
                steps += 1;
            }
            let state = case.get("result").and_then(|result| result.get("state")).and_then(Json::as_str);
            assert_eq!(environment.state(), state, "{case}");
            states += 1;
        }
        for message in list(case, "last_request").iter().map(|message| message.as_array().unwrap()) {
            if message[0].as_str() == Some("ToolMessage") {
                let of_this_call = observed.iter().filter(|(call, _)| call.get("id") == Some(&message[2]));
                let texts: Vec<_> = of_this_call.map(|(_, observation)| observation.to_string()).collect();
                assert!(
                    texts.iter().any(|text| Some(text.as_str()) == message[1].as_str()),
                    "{texts:?}: {case}"
                );
                shown += 1;
            }
        }
    }
    let count = episodes.len();
    println!("{count} episodes: {steps} steps, {states} states, {died} errors, {shown} texts equal");
    assert!(count >= 100 && steps > 0 && states > 0 && died > 0 && shown > 0);
}

/// Instructions and definitions are the peer's, titles aside.
#[test]
fn as_the_peer_offers_them() {
    let Some(path) = shared("langchain_tasks.json") else {
        println!("skipped: TOOLJUDGE_SHARED is not set");
        return;
    };
    let tasks = Json::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    for task in list(&tasks, "tasks") {
        let name: EnvironmentName = text(task, "name").parse().unwrap();
        assert_eq!(name.as_str().parse(), Ok(name));
        assert_eq!(name.instructions(), text(task, "instructions"));
        let has_state = Environment::new(name).state().is_some();
        assert_eq!(Some(&Json::Bool(has_state)), task.get("has_state"));
        let (ours, theirs) = (Environment::new(name).definitions(), list(task, "tools"));
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert_eq!(
                (&*ours.name, &*ours.description),
                (text(theirs, "name"), text(theirs, "description"))
            );
            let mut properties = theirs.get("args").and_then(Json::as_object).unwrap().clone();
            for (_, property) in properties.iter_mut() {
                let Json::Object(property) = property else { panic!("{property}") };
                assert!(property.remove("title").is_some());
            }
            assert_eq!(ours.parameters.get("properties"), Some(&Json::Object(properties)));
        }
    }
}

#[test]
fn definitions_are_schemas() {
    for (name, tool, parameters) in [
        (
            EnvironmentName::Multiverse,
            "log",
            r#"{"type":"object","properties":{"a":{"type":"number"},"base":{"type":"number"}},"required":["a","base"]}"#,
        ),
        (
            EnvironmentName::Typewriter1,
            "type_letter",
            r#"{"type":"object","properties":{"letter":{"type":"string"}},"required":["letter"]}"#,
        ),
        (EnvironmentName::Typewriter26, "q", r#"{"type":"object","properties":{}}"#),
        (
            EnvironmentName::Relational,
            "get_food_name",
            r#"{"type":"object","properties":{"food_id":{"type":"integer"}},"required":["food_id"]}"#,
        ),
    ] {
        let definitions = Environment::new(name).definitions();
        let definition = definitions.iter().find(|definition| definition.name == tool).unwrap();
        assert_eq!(definition.parameters.to_string(), parameters);
    }
}

#[test]
fn an_unknown_environment_is_named_with_the_nearest() {
    let error = "multiverze".parse::<EnvironmentName>().unwrap_err().to_string();
    assert_eq!(
        error,
        "`multiverze` is not an environment: use typewriter-1, typewriter-26, relational, multiverse; did you mean `multiverse`?"
    );
}
