//! Literals of Python and JavaScript, and what is none.

use super::*;

#[test]
fn reads_python() {
    for (python, json) in [
        (
            "{'a': True, \"b\": None, 'c': (1, -2.50), 'd': {1, 2}, 'e': ()}",
            r#"{"a":true,"b":null,"c":[1,-2.5],"d":[1,2],"e":[]}"#,
        ),
        (
            "[.5, -.5, 5., 1e3, 5L, 12345678901234567890123]",
            "[0.5,-0.5,5.0,1000.0,5,12345678901234567890123]",
        ),
        ("'a' \"b\"\n'''c'd'''", r#""abc'd""#),
        (
            r"'\x41\u0142\U0001F600\ud83d\ude00\101\q\'\
'",
            "\"Ał😀😀A\\\\q'\"",
        ),
        (r"[r'\n', u'\t']", r#"["\\n","\t"]"#),
        ("[nan, inf, -inf]", r#"["nan","inf","-inf"]"#),
        ("{1: 'a', None: 2, 'x': {}}", r#"{"1":"a","null":2,"x":{}}"#),
        ("array([{'a': 1}], dtype=object)", r#"[{"a":1}]"#),
        ("(1)", "1"),
        ("(1,)", "[1]"),
    ] {
        assert_eq!(
            whole(python, Dialect::Python).map(|json| json.to_string()).as_deref(),
            Some(json),
            "{python}"
        );
    }
}

#[test]
fn refuses_what_is_no_literal() {
    for text in [
        "",
        "[1 2]",
        "{'a': 1, 2}",
        "b'x'",
        "f'x'",
        "'open",
        "true",
        "f(1)",
        "1 + 2",
        "007",
        "5km",
        "1_000",
        "[,]",
        "{(1, 2): 3}",
        "'\\N{BULLET}'",
        "'\\ud800'",
        "'\\",
        "--1",
        "-",
        ".",
        "1e",
        "Function(name='f')",
        "0x1F",
        "2.0f",
        "1.5L",
    ] {
        assert_eq!(whole(text, Dialect::Python), None, "{text}");
    }
}

#[test]
fn reads_objects_printed_by_their_constructor() {
    let text = "[ToolCall(id='c1', function=Function(arguments='{}', name='f'), type='function')]";
    let json = r#"[{"id":"c1","function":{"arguments":"{}","name":"f"},"type":"function"}]"#;
    assert_eq!(whole(text, Dialect::Repr).unwrap().to_string(), json);
}

#[test]
fn hostile_nesting_ends_soon() {
    for text in ["[", "(", "{", "{'a':", "f(a=", "'", "\\"] {
        let text = text.repeat(1 << 20);
        for dialect in [Dialect::Python, Dialect::Repr, Dialect::Call] {
            assert_eq!(whole(&text, dialect), None);
        }
    }
}
