//! What arguments break of their definition's schema, and what they do not.

use super::observation::Observation;
use super::schema::{Dialect, check};
use super::toolbox::Toolbox;
use crate::domain::{Json, ToolDefinition};

/// The kinds of breaches with their places, one for each.
fn found(schema: &str, arguments: &str) -> Vec<String> {
    found_in(Dialect::Json, schema, arguments)
}

/// The same of arguments that are written so.
fn found_in(dialect: Dialect, schema: &str, arguments: &str) -> Vec<String> {
    let parameters = Json::parse(schema).unwrap();
    let tool = ToolDefinition { name: "f".to_owned(), description: String::new(), parameters };
    let Json::Object(arguments) = Json::parse(arguments).unwrap() else { panic!("no object") };
    let mut observations = Vec::new();
    check(&Toolbox::new(&[tool].into()).tools[0], &arguments, 0, dialect, &mut observations);
    let told = |own: &Observation| {
        format!("{} {}", own.kind(), own.place().map_or("", |at| &at.path)).trim_end().to_owned()
    };
    let mut told: Vec<String> = observations.iter().map(told).collect();
    told.sort();
    told
}

fn assert_found(cases: &[(&str, &str, &[&str])]) {
    for (schema, arguments, expected) in cases {
        assert_eq!(&found(schema, arguments), expected, "{schema} {arguments}");
    }
}

#[test]
fn null_is_what_a_definition_says_it_is() {
    const REF: &str =
        r##","$defs":{"t":{"type":"object","properties":{"h":{"type":"integer"}},"required":["h"]}}}"##;
    let of = |own: &str| {
        format!(
            r#"{{"type":"object","properties":{{"a":{{"type":"string"}},"u":{own}}},"required":["a","u"]{REF}"#
        )
    };
    let optional = |own: &str| of(own).replace(r#"["a","u"]"#, r#"["a"]"#);
    for (own, fits, other, breach) in [
        // As definitions are after their types were translated.
        (r#"{"type":["string","null"],"enum":["c","f"]}"#, true, r#""k""#, "not_allowed /u"),
        (r#"{"type":["string","null"],"const":"c"}"#, true, r#""k""#, "not_allowed /u"),
        (r#"{"enum":["c","f"],"nullable":true}"#, true, r#""k""#, "not_allowed /u"),
        (r#"{"type":"string","enum":["c",null]}"#, true, r#""k""#, "not_allowed /u"),
        (
            r#"{"anyOf":[{"type":"string"},{"type":"integer"}],"nullable":true}"#,
            true,
            "true",
            "loose_type /u",
        ),
        (
            r#"{"oneOf":[{"type":"string","minLength":2},{"type":"integer"}],"nullable":true}"#,
            true,
            r#""k""#,
            "broken_rule /u",
        ),
        // Both take null, and with the keyword one of them does.
        (
            r##"{"oneOf":[{"type":["integer","null"]},{"nullable":true,"$ref":"#/$defs/t"}],"nullable":true}"##,
            true,
            "true",
            "wrong_type /u",
        ),
        (r##"{"$ref":"#/$defs/t","nullable":true}"##, true, "5", "wrong_type /u"),
        (r##"{"allOf":[{"$ref":"#/$defs/t"}],"nullable":true}"##, true, "5", "wrong_type /u"),
        (r##"{"type":["object","null"],"allOf":[{"$ref":"#/$defs/t"}]}"##, true, "5", "wrong_type /u"),
        (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, true, "[]", "wrong_type /u"),
        (r#"{"type":"string"}"#, false, "[]", "wrong_type /u"),
        (r#"{"enum":["c","f"]}"#, false, r#""k""#, "not_allowed /u"),
        (r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, false, "true", "loose_type /u"),
        (r#"{"not":{"type":"null"}}"#, false, "", ""),
        (r##"{"$ref":"#/$defs/t"}"##, false, "5", "wrong_type /u"),
    ] {
        let null = r#"{"a":"x","u":null}"#;
        assert_eq!(found(&of(own), null).is_empty(), fits, "{own}");
        // Many agents write out what they leave empty.
        assert_eq!(found(&optional(own), null), [""; 0], "optional: {own}");
        assert_eq!(found(&of(own), r#"{"a":"x"}"#), ["missing_parameter /u"], "{own}");
        if !other.is_empty() {
            let other = format!(r#"{{"a":"x","u":{other}}}"#);
            assert!(found(&of(own), &other).contains(&breach.to_owned()), "{own} {other}");
        }
    }
    assert_found(&[
        (
            r#"{"properties":{"d":{"type":"array","items":{"type":["string","null"],"enum":["a"]}}}}"#,
            r#"{"d":["a",null]}"#,
            &[],
        ),
        (
            r#"{"properties":{"d":{"type":"array","items":{"enum":["a"]}}}}"#,
            r#"{"d":["a",null]}"#,
            &["not_allowed /d/1"],
        ),
        // Deep within alternatives too.
        (
            r#"{"properties":{"d":{"anyOf":[{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"integer"}},"required":["x"]},{"type":"integer"},{"type":"null"}]}}}"#,
            r#"{"d":{"x":"a","y":null}}"#,
            &[],
        ),
        (
            r#"{"properties":{"d":{"anyOf":[{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"integer"}},"required":["x"]},{"type":"integer"},{"type":"null"}]}}}"#,
            r#"{"d":{"x":null,"y":null}}"#,
            &["broken_rule /d"],
        ),
        // What depends on what was not passed.
        (r#"{"properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}}"#, r#"{"a":null}"#, &[]),
        (
            r#"{"properties":{"a":{"type":"string"}},"allOf":[{"required":["a"]}]}"#,
            r#"{"a":null}"#,
            &["broken_rule /a"],
        ),
        // A reference to what is within what takes null.
        (
            r##"{"properties":{"a":{"nullable":true,"anyOf":[{"type":"integer"},{"type":"boolean"}]},"b":{"$ref":"#/properties/a/anyOf/0"}},"required":["a","b"]}"##,
            r#"{"a":null,"b":"x"}"#,
            &["wrong_type /b"],
        ),
    ]);
}

#[test]
fn a_parameter_may_be_declared_elsewhere() {
    assert_found(&[
        (
            r#"{"properties":{"u":{}},"anyOf":[{"properties":{"city":{}},"required":["city"]},{"properties":{"lat":{}},"required":["lat"]}]}"#,
            r#"{"u":1,"city":"Oslo","zone":1}"#,
            &["unknown_parameter /zone"],
        ),
        (
            r#"{"properties":{"city":{}},"if":{"properties":{"city":{"const":"Oslo"}}},"then":{"properties":{"zone":{}}}}"#,
            r#"{"city":"Oslo","zone":1,"zon":1}"#,
            &["unknown_parameter /zon"],
        ),
        (
            r#"{"properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{}}}}}"#,
            r#"{"a":1,"b":1}"#,
            &[],
        ),
        (r#"{"properties":{"a":{}},"dependentRequired":{"a":["b"]}}"#, r#"{"a":1,"b":1}"#, &[]),
        (r#"{"properties":{"a":{}},"anyOf":[{"required":["b"]},{"required":["a"]}]}"#, r#"{"b":1}"#, &[]),
        (r#"{"properties":{"a":{}},"anyOf":[{"additionalProperties":true}]}"#, r#"{"b":1}"#, &[]),
        (r#"{"properties":{"a":{}},"allOf":[{"patternProperties":{"^b":{}}}]}"#, r#"{"b":1}"#, &[]),
        (r#"{"properties":{"a":{}},"unevaluatedProperties":{"type":"integer"}}"#, r#"{"b":1}"#, &[]),
        (
            r#"{"properties":{"a":{}},"unevaluatedProperties":false}"#,
            r#"{"b":1}"#,
            &["broken_rule", "unknown_parameter /b"],
        ),
        (
            r##"{"$ref":"#/$defs/t","properties":{"b":{}},"$defs":{"t":{"properties":{"a":{}}}}}"##,
            r#"{"a":1,"b":1,"c":1}"#,
            &["unknown_parameter /c"],
        ),
        (
            r##"{"$ref":"#/$defs/t","anyOf":[{"properties":{"b":{}}},{"properties":{"c":{}}}],"$defs":{"t":{"properties":{"a":{}}}}}"##,
            r#"{"a":1,"b":1,"d":1}"#,
            &["unknown_parameter /d"],
        ),
        (r##"{"$ref":"other.json","properties":{"b":{}}}"##, r#"{"a":1}"#, &["unusable_schema"]),
        (
            r#"{"properties":{"a":{}},"patternProperties":{"^x-":{}},"additionalProperties":false}"#,
            r#"{"a":1,"x-b":1}"#,
            &[],
        ),
        (
            r#"{"properties":{"a":{}},"patternProperties":{"^x-":{}},"additionalProperties":false}"#,
            r#"{"b":1}"#,
            &["broken_rule"],
        ),
        // Words that no draft has.
        (
            r#"{"properties":{"a":{}},"optional":["a"],"x-order":[{"b":1}],"discriminator":{"propertyName":"a"}}"#,
            r#"{"b":1}"#,
            &["unknown_parameter /b"],
        ),
        (r#"{"properties":{"a":{}},"extends":{"properties":{"b":{}}}}"#, r#"{"b":1}"#, &[]),
        // No value is both.
        (
            r#"{"properties":{"a":{}},"anyOf":[{"properties":{"b":{}},"required":["b"]}],"additionalProperties":false}"#,
            r#"{"a":1,"b":1}"#,
            &[],
        ),
    ]);
}

#[test]
fn what_the_walk_does_not_see_the_rules_do() {
    const BOTH: &str = r#""properties":{"room":{"type":"string"},"degrees":{"type":"integer"}},"required":["room","degrees"]"#;
    let alone =
        |arguments: &str| found(&format!(r#"{{{BOTH},"anyOf":[{{"required":["room"]}}]}}"#), arguments);
    assert_eq!(alone(r#"{"room":"b","degrees":"x"}"#), ["wrong_type /degrees"]);
    assert_eq!(alone(r#"{"room":"b"}"#), ["missing_parameter /degrees"]);
    assert_eq!(alone(r#"{"room":"b","degrees":5,"x":1}"#), ["unknown_parameter /x"]);
    assert_eq!(alone(r#"{"room":"b","degrees":5}"#), [""; 0]);
    assert_found(&[
        // Parameters with the names of keywords.
        (
            r#"{"properties":{"description":{"type":"string","maxLength":3}}}"#,
            r#"{"description":"long"}"#,
            &["broken_rule /description"],
        ),
        (r#"{"properties":{"default":{"minimum":5}}}"#, r#"{"default":2}"#, &["broken_rule /default"]),
        (
            r#"{"properties":{"enum":{"maxLength":3},"const":{"type":"string"}}}"#,
            r#"{"enum":"long"}"#,
            &["broken_rule /enum"],
        ),
        (r#"{"type":"object","required":["u"]}"#, "{}", &["missing_parameter /u"]),
        (
            r#"{"properties":{"m":{"type":"object","additionalProperties":{"type":"integer"}}}}"#,
            r#"{"m":{"a":"x","b":5}}"#,
            &["broken_rule /m/a"],
        ),
        (
            r#"{"properties":{"m":{"additionalProperties":{"required":["x"]}}}}"#,
            r#"{"m":{"a":{}}}"#,
            &["missing_parameter /m/a/x"],
        ),
        (
            r#"{"properties":{"m":{"additionalProperties":{"properties":{"x":{}},"additionalProperties":false}}}}"#,
            r#"{"m":{"a":{"y":1}}}"#,
            &["broken_rule /m/a"],
        ),
        (
            r#"{"properties":{"m":{"patternProperties":{"^a":{"type":"integer"}}}}}"#,
            r#"{"m":{"a":"x"}}"#,
            &["broken_rule /m/a"],
        ),
        (
            r#"{"properties":{"m":{"prefixItems":[{"type":"string"},{"type":"integer"}]}}}"#,
            r#"{"m":["a","b"]}"#,
            &["broken_rule /m/1"],
        ),
        (
            r#"{"properties":{"a":{}},"allOf":[{"properties":{"a":{"type":"boolean"}}}]}"#,
            r#"{"a":5}"#,
            &["broken_rule /a"],
        ),
        (
            r#"{"properties":{"a":{"type":["string","integer"],"allOf":[{"type":"integer"}]}}}"#,
            r#"{"a":"x"}"#,
            &["broken_rule /a"],
        ),
        (
            r#"{"properties":{"a":{"enum":["a","b"],"allOf":[{"enum":["b","c"]}]}}}"#,
            r#"{"a":"a"}"#,
            &["broken_rule /a"],
        ),
        (
            r#"{"properties":{"a":{},"b":{}},"allOf":[{"required":["b"]}]}"#,
            r#"{"a":1}"#,
            &["missing_parameter /b"],
        ),
        (
            r#"{"properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}}"#,
            r#"{"a":1}"#,
            &["missing_parameter /b"],
        ),
        (
            r#"{"properties":{"a":{},"b":{}},"dependencies":{"a":["b"]}}"#,
            r#"{"a":1}"#,
            &["missing_parameter /b"],
        ),
        (
            r#"{"properties":{"a":{},"b":{}},"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}"#,
            r#"{"a":1}"#,
            &["missing_parameter /b"],
        ),
        (
            r##"{"properties":{"a":{"type":"integer"},"in":{"$ref":"#"}},"required":["a"]}"##,
            r#"{"a":1,"in":{"in":{"a":"x"}}}"#,
            &["broken_rule /in/in/a", "missing_parameter /in/a"],
        ),
        (
            r##"{"properties":{"a":{"$ref":"#/$defs/N%3Cint%3E"}},"$defs":{"N<int>":{"type":"integer"}}}"##,
            r#"{"a":"x"}"#,
            &["wrong_type /a"],
        ),
        (
            r##"{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"b":{"$ref":"#/properties/a/anyOf/0"}}}"##,
            r#"{"b":"x"}"#,
            &["wrong_type /b"],
        ),
        // Letter case and white space at the ends make no other value, nor does a null that a table may have put there.
        (
            r#"{"properties":{"a":{"allOf":[{"enum":["Oslo"]}]},"b":{"type":"string","const":null}},"additionalProperties":{"const":"X"}}"#,
            r#"{"a":"oslo ","b":"x","c":"x"}"#,
            &[],
        ),
    ]);
}

#[test]
fn allowed_values_tell_types_too() {
    for (own, right, wrong) in [
        (r#"{"anyOf":[{"const":"a"},{"type":"null"}]}"#, r#""a""#, "5"),
        (r#"{"anyOf":[{"const":"a"},{"const":5},{"type":"null"}]}"#, "5", "[]"),
        (r#"{"anyOf":[{"enum":["a",5]},{"type":"null"}]}"#, "5", "7"),
        (r#"{"anyOf":[{"const":"a"},{"type":"integer"}]}"#, r#""a""#, r#""b""#),
        (r#"{"oneOf":[{"const":2.5},{"type":"string"}]}"#, "2.5", "2.6"),
        (r#"{"anyOf":[{"const":{"x":1}},{"type":"string"}]}"#, r#"{"x":1}"#, "[]"),
        (r#"{"type":"array","items":{"type":"string"},"anyOf":[{"minItems":1}]}"#, r#"["a"]"#, "[5]"),
        ("true", "5", ""),
        ("false", "", "5"),
    ] {
        let schema = format!(r#"{{"properties":{{"u":{own}}}}}"#);
        let is_right = |value: &str| found(&schema, &format!(r#"{{"u":{value}}}"#)).is_empty();
        assert!(right.is_empty() || is_right(right), "{own} {right}");
        assert!(wrong.is_empty() || !is_right(wrong), "{own} {wrong}");
    }
}

/// A text is the source text of a value where code is called.
#[test]
fn source_text_is_no_breach() {
    let schema = r#"{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"m":{"additionalProperties":{"type":"integer"}}}}"#;
    let parameters = Json::parse(schema).unwrap();
    let tool = ToolDefinition { name: "f".to_owned(), description: "A Java method".to_owned(), parameters };
    let Json::Object(arguments) = Json::parse(r#"{"a":"5L","m":{"x":"5L"}}"#).unwrap() else {
        panic!("no object")
    };
    for (dialect, count) in [(Dialect::Source, 0), (Dialect::Json, 2)] {
        let mut observations = Vec::new();
        check(&Toolbox::new(&[tool.clone()].into()).tools[0], &arguments, 0, dialect, &mut observations);
        assert_eq!(observations.len(), count, "{observations:?}");
    }
}

/// Whoever reads values as people write them reads them so under every rule of a definition.
#[test]
fn values_are_read_as_people_write_them() {
    const UNIT: &str = r##""$defs":{"U":{"type":"string","enum":["Celsius","Fahrenheit"]},"A":{"type":"object","properties":{"unit":{"type":"string","enum":["Celsius"]},"n":{"type":"integer"}},"required":["unit"]}}"##;
    let of = |own: &str| {
        format!(
            r#"{{"type":"object","properties":{{"o":{own},"z":{{"type":"integer","minimum":0}}}},{UNIT}}}"#
        )
    };
    for (own, arguments, expected) in [
        (r##"{"$ref":"#/$defs/U","nullable":true}"##, r#"{"o":"celsius"}"#, &[][..]),
        (r##"{"$ref":"#/$defs/U","nullable":true}"##, r#"{"o":"Kelvin"}"#, &["not_allowed /o"]),
        (r##"{"allOf":[{"$ref":"#/$defs/U"}],"nullable":true}"##, r#"{"o":"celsius"}"#, &[]),
        (r##"{"type":["object","null"],"$ref":"#/$defs/A"}"##, r#"{"o":{"unit":"celsius"}}"#, &[]),
        (r##"{"$ref":"#/$defs/A","nullable":true}"##, r#"{"o":{"unit":"celsius"}}"#, &[]),
        (r##"{"$ref":"#/$defs/A","nullable":true}"##, r#"{"o":{"n":1}}"#, &["missing_parameter /o/unit"]),
    ] {
        assert_eq!(found(&of(own), arguments), expected, "{own} {arguments}");
    }
    for (own, arguments, expected) in [
        (r##"{"$ref":"#/$defs/A","nullable":true}"##, r#"{"o":{"unit":"Celsius","n":"1L"}}"#, &[][..]),
        (r#"{"type":"integer","enum":[1,2],"minimum":0}"#, r#"{"o":"1"}"#, &[]),
        (r#"{"type":"integer","enum":[1,2],"minimum":0}"#, r#"{"o":"1L"}"#, &[]),
        (r#"{"type":"integer","enum":[1,2],"minimum":0}"#, r#"{"o":"3L"}"#, &["broken_rule /o"]),
        (r#"{"type":"boolean","enum":[true,false]}"#, r#"{"o":"true"}"#, &[]),
        (r#"{"type":"array","items":{"type":"number","enum":[0.5,1]}}"#, r#"{"o":["1.0"]}"#, &[]),
    ] {
        assert_eq!(found_in(Dialect::Source, &of(own), arguments), expected, "{own} {arguments}");
    }
    assert_found(&[
        (
            r#"{"properties":{"mode":{"enum":["Rain","Sun"]},"d":{},"h":{}},"if":{"properties":{"mode":{"const":"Rain"}},"required":["mode"]},"then":{"required":["d"]},"else":{"required":["h"]}}"#,
            r#"{"mode":"rain","d":1}"#,
            &[],
        ),
        // An allowed value is itself, and not another in other letters.
        (
            r#"{"properties":{"unit":{"enum":["m","M"]},"n":{}},"if":{"properties":{"unit":{"const":"M"}},"required":["unit"]},"then":{"required":["n"]}}"#,
            r#"{"unit":"M"}"#,
            &["missing_parameter /n"],
        ),
        // A condition closes what the rest declares.
        (
            r#"{"properties":{"mode":{},"d":{}},"additionalProperties":true,"if":{"properties":{"mode":{"const":"rain"}}},"then":{"properties":{"mode":{}},"additionalProperties":false}}"#,
            r#"{"mode":"rain","d":1}"#,
            &["broken_rule"],
        ),
        (
            r##"{"$schema":"http://json-schema.org/draft-06/schema#","properties":{"c":{"$ref":"#/definitions/C","nullable":true}},"definitions":{"C":{"type":"string","pattern":"^[A-Z]{3}$"}}}"##,
            r#"{"c":"euro"}"#,
            &["broken_rule /c"],
        ),
        (
            r##"{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"c":{"$ref":"#/definitions/C","nullable":true}},"required":["c"],"definitions":{"C":{"type":"integer","minimum":1}}}"##,
            r#"{"c":null}"#,
            &[],
        ),
        // Arguments are an object, whatever a definition calls them.
        (r#"{"type":"array","properties":{"c":{"type":"integer","minimum":0}}}"#, r#"{"c":1}"#, &[]),
        // What one part closes, another declares.
        (
            r#"{"allOf":[{"properties":{"c":{"type":"string"}},"additionalProperties":false},{"properties":{"d":{"type":"string"}},"required":["d"],"additionalProperties":false}]}"#,
            r#"{"c":"x","d":"y"}"#,
            &[],
        ),
    ]);
}
