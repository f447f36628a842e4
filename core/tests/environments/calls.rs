//! What comes of calls, of arguments that nobody would send too.

use proptest::prelude::*;
use tooljudge_core::domain::{Json, Object};
use tooljudge_core::environment::{Environment, EnvironmentName, Input, Observation, ToolError};

use super::input;

/// Arguments by name or as a bare text, and what the model sees or the exception that is raised.
#[test]
fn what_comes_of_calls() {
    use EnvironmentName::{Multiverse, Relational, Typewriter1, Typewriter26};
    let huge = format!(r#"{{"a":"x","b":1{}}}"#, "0".repeat(400));
    for (name, tool, arguments, expected) in [
        (Multiverse, "add", r#"{"a":2,"b":3}"#, "6.2"),
        (Multiverse, "add", r#"{"a":1e308,"b":1e308}"#, "Infinity"),
        (Multiverse, "add", r#"{"a":-1e400,"b":0}"#, "-Infinity"),
        (Multiverse, "subtract", r#"{"a":"inf","b":"inf"}"#, "NaN"),
        (Multiverse, "subtract", r#"{"a":1e22,"b":0}"#, "1e+22"),
        (Multiverse, "negate", r#"{"a":-5}"#, "-5.0"),
        (Multiverse, "negate", r#""5""#, "5"),
        (
            Multiverse,
            "negate",
            r#""five""#,
            "ValidationError: 1 validation error for negateSchema\na\n  value is not a valid float (type=type_error.float)",
        ),
        (Multiverse, "sin", r#"{"radians":0}"#, "1.0"),
        (Multiverse, "sin", r#""0""#, "TypeError: must be real number, not str"),
        (Multiverse, "cos", r#"{"radians":1e400}"#, "ValueError: math domain error"),
        (Multiverse, "cos", r#"{"radians":"nan"}"#, "NaN"),
        (Multiverse, "pi", r#"{"digits":5}"#, "2.718281828459045"),
        (Multiverse, "pi", r#""""#, "StopIteration: "),
        (Multiverse, "divide", r#"{"a":1,"b":-0.0}"#, "ZeroDivisionError: float division by zero"),
        (Multiverse, "divide", r#"{"a":1e308,"b":0.5}"#, "1e+308"),
        (Multiverse, "log", r#"{"a":0,"base":1}"#, "ValueError: math domain error"),
        (Multiverse, "log", r#"{"a":1,"base":-1.5}"#, "ValueError: math domain error"),
        (Multiverse, "log", r#"{"a":1,"base":-0.5}"#, "ZeroDivisionError: float division by zero"),
        (Multiverse, "log", r#"{"a":"inf","base":"inf"}"#, "NaN"),
        (Multiverse, "power", r#"{"a":2,"b":3}"#, "32.0"),
        (Multiverse, "power", r#"{"a":-2,"b":0.5}"#, "(1.7319121124709869e-15+5.656854249492381j)"),
        (Multiverse, "power", r#"{"a":-2,"b":-1.5}"#, "(8.659560562354934e-17+1.4142135623730951j)"),
        (Multiverse, "power", r#"{"a":-1e300,"b":-0.5}"#, "OverflowError: complex exponentiation"),
        (Multiverse, "power", r#"{"a":10,"b":1e99}"#, "OverflowError: (34, 'Numerical result out of range')"),
        (
            Multiverse,
            "power",
            r#"{"a":0,"b":-3}"#,
            "ZeroDivisionError: 0.0 cannot be raised to a negative power",
        ),
        (Multiverse, "power", r#"{"a":-0.0,"b":1}"#, "-0.0"),
        (Multiverse, "power", r#"{"a":0,"b":"-inf"}"#, "Infinity"),
        (Multiverse, "power", r#"{"a":-1,"b":"inf"}"#, "1.0"),
        (Multiverse, "power", r#"{"a":"nan","b":-2}"#, "1.0"),
        (Multiverse, "power", r#"{"a":1,"b":"nan"}"#, "1.0"),
        (Multiverse, "power", r#"{"a":"-inf","b":-1.5}"#, "Infinity"),
        (Multiverse, "power", r#"{"a":"-inf","b":-3}"#, "-0.0"),
        (Multiverse, "power", r#"{"a":10,"b":-1e99}"#, "0.0"),
        (Multiverse, "power", &huge, "OverflowError: int too large to convert to float"),
        (
            Multiverse,
            "power",
            r#""7""#,
            "ValidationError: 1 validation error for powerSchema\nb\n  field required (type=value_error.missing)",
        ),
        (Multiverse, "sqrt", "{}", MULTIVERSE_TOOLS),
        (Relational, "get_user_favorite_foods", r#"{"user_id":1}"#, "[1, 2, 3]"),
        (Relational, "get_food_allergic_ingredients", r#"{"food_id":"7"}"#, "[]"),
        (Relational, "get_food_allergic_ingredients", r#"{"food_id":1.9}"#, r#"["Gluten", "Dairy"]"#),
        (
            Relational,
            "get_current_weather_for_location",
            r#"{"location_id":1}"#,
            "Partly Cloudy, Temperature: 68°F",
        ),
        (Relational, "get_user_location", r#"{"user_id":true}"#, "1"),
        (
            Relational,
            "get_user_name",
            r#"{"user_id":1e20}"#,
            "User ID 100000000000000000000 cannot be resolved",
        ),
        (Relational, "get_user_name", r#"{"user_id":-0.5}"#, "User ID 0 cannot be resolved"),
        (Relational, "get_user_name", r#""1""#, "User ID 1 cannot be resolved"),
        (Relational, "get_user_name", r#"" 1 ""#, "User ID  1  cannot be resolved"),
        (
            Relational,
            "get_user_name",
            r#""Alice""#,
            "ValidationError: 1 validation error for get_user_nameSchema\nuser_id\n  value is not a valid integer (type=type_error.integer)",
        ),
        (
            Relational,
            "find_locations_by_name",
            r#"{"city":"Miami"}"#,
            r#"[{"id": 5, "city": "Miami"}, {"id": 3, "city": "Chicago"}, {"id": 1, "city": "New York"}, {"id": 2, "city": "Los Angeles"}, {"id": 4, "city": "Houston"}]"#,
        ),
        (Relational, "get_current_user_id", r#""x""#, "StopIteration: "),
        (Typewriter1, "type_letter", r#"{"letter":5}"#, "OK"),
        (Typewriter1, "type_letter", r#"{"letter":""}"#, "ERROR: The letter must be a single character."),
        (
            Typewriter1,
            "type_letter",
            "{\"letter\":\"e\u{301}\"}",
            "ERROR: The letter must be a single character.",
        ),
        (Typewriter1, "type_letter", r#""é""#, "OK"),
        (Typewriter1, "", "{}", " is not a valid tool, try one of [type_letter]."),
        (Typewriter26, "a", r#"{"letter":"b"}"#, "OK"),
        (Typewriter26, "a", r#""b""#, "StopIteration: "),
    ] {
        let arguments = Json::parse(arguments).unwrap();
        let shown = match Environment::new(name).call(tool, input(&arguments)) {
            Ok(observation) => observation.to_string(),
            Err(error) => format!("{}: {error}", error.exception()),
        };
        assert_eq!(shown, expected, "{tool} {arguments}");
    }
}

const MULTIVERSE_TOOLS: &str = "sqrt is not a valid tool, try one of [multiply, add, divide, subtract, power, log, negate, sin, cos, pi].";

/// Values that a field may get: what it wants, what it takes for that, and anything else.
fn value() -> impl Strategy<Value = Json> {
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        (-60..60i64).prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        "-?[1-9][0-9]{0,400}",
        "-?[0-9](\\.[0-9]{1,9})?[eE][+-]?[0-9]{1,5}",
    ];
    let text = prop_oneof![
        any::<String>(),
        "[ _٣0-9.+-]{0,12}",
        "[+-]?(nan|inf|infinity|1e999)",
        number.clone().prop_map(|number| format!(" {number}\n")),
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number.prop_map(|text| Json::parse(&text).unwrap()),
        text.prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|entries| Json::Object(entries.into_iter().collect::<Object>())),
        ]
    })
}

proptest! {
    /// No value panics, equal calls give the same, and an error leaves the state as it was.
    #[test]
    fn any_value_gives_something(first in value(), second in value(), drop in 0..8u8) {
        for name in EnvironmentName::ALL {
            let mut environment = Environment::new(name);
            for definition in environment.definitions() {
                let properties = definition.parameters.get("properties").and_then(Json::as_object).unwrap();
                let fields = properties.keys().zip([&first, &second]).enumerate();
                let fields = fields.filter(|(at, _)| usize::from(drop) != *at);
                let fields: Object = fields.map(|(_, (key, value))| (key.to_owned(), value.clone())).collect();
                let bare = first.to_string();
                for input in [Input::Fields(&fields), Input::Bare(first.as_str().unwrap_or(&bare))] {
                    let mut again = environment.clone();
                    let result = environment.call(&definition.name, input);
                    if result.is_err() {
                        prop_assert_eq!(again.state(), environment.state());
                    }
                    // Not a number differs from itself, its text does not.
                    let shown = |result: &Result<Observation, ToolError>| match result {
                        Ok(observation) => observation.to_string(),
                        Err(error) => format!("{}: {error}", error.exception()),
                    };
                    prop_assert_eq!(shown(&result), shown(&again.call(&definition.name, input)));
                    prop_assert_eq!(again.state(), environment.state());
                }
            }
        }
    }
}
