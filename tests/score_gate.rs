//! What a build is told of scored cases: names, and an exit code.

use crate::support::workspace::Workspace;

#[test]
fn cases_that_fail_are_named_and_fail_the_command() {
    let work = Workspace::new();
    let case = |id: &str, called: &str| {
        format!(
            r#"{{"id":"{id}","tool_calls":[{{"name":"{called}","arguments":{{}}}}],"expected_tool_calls":[{{"name":"f","arguments":{{}}}}]}}"#
        )
    };
    work.file("in.jsonl", [case("a", "f"), case("b", "g"), case("c", "h")].join("\n"));
    let score = |more: &[&str]| work.run(&[&["score", "in.jsonl", "--scorer", "tool_call"], more].concat());
    let ran = score(&["--quiet"]).ended(1);
    for said in [
        "FAIL b: ",
        "FAIL c: ",
        "2 of 3 cases failed; --min-pass-rate SHARE accepts some of them, --allow-failures all",
    ] {
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    for allowed in [&["--allow-failures"][..], &["--min-pass-rate", "0.3"]] {
        let ran = score(allowed).ended(0);
        assert!(ran.stderr.contains("FAIL b: ") && !ran.stderr.contains("warning"), "{}", ran.stderr);
        assert_eq!(score(&[allowed, &["--quiet"]].concat()).ended(0).stderr, "");
    }
    score(&["--where", "id=a", "--quiet"]).ended(0);
    // Nothing passes where nothing can fail.
    let open = ["score", "in.jsonl", "--scorer", "tool_correctness", "--set", "threshold=null", "--quiet"];
    let ran = work.run(&open).ended(1);
    assert!(ran.stderr.contains("no case passed or failed"), "{}", ran.stderr);
    work.run(&[&open[..], &["--allow-failures"]].concat()).ended(0);
    score(&["--where", "id=z"]).ended(2);
}
