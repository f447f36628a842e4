//! Which columns are taken for what.

use super::*;

fn resolved(names: &str, mapping: &[(Slot, &str)], elsewhere: bool) -> Result<[String; 3], String> {
    let names: Vec<String> = names.split(',').map(str::to_owned).collect();
    let mapping: Vec<(Slot, String)> =
        mapping.iter().map(|(slot, column)| (*slot, (*column).to_owned())).collect();
    resolve(&names, &mapping, elsewhere)
        .map(|c| [c.question, c.tool_call, c.tool_definitions].map(Option::unwrap_or_default))
        .map_err(|error| error.to_string())
}

#[test]
fn aliases_in_order_of_preference() {
    for (names, mapping, expected) in [
        ("question,tool_call,tool_definitions", &[][..], ["question", "tool_call", "tool_definitions"]),
        ("id,prompt,input,output,generated,tools", &[], ["input", "generated", "tools"]),
        ("question,msg,response,functions", &[(Slot::Question, "msg")], ["msg", "response", "functions"]),
        (
            "input,output,x,tools",
            &[(Slot::ToolCall, "input"), (Slot::Question, "x")],
            ["x", "input", "tools"],
        ),
        ("query,tool_calls", &[], ["query", "tool_calls", ""]),
        ("id,query,answers,tools", &[], ["query", "answers", "tools"]),
        ("query,answers,tools,output", &[], ["query", "output", "tools"]),
        ("question,response,toolCalls,tools", &[], ["question", "toolCalls", "tools"]),
        ("question,response,tools,actual_tool_calls", &[], ["question", "actual_tool_calls", "tools"]),
        ("query,response,tool_call_count,expected_calls", &[], ["query", "response", ""]),
    ] {
        assert_eq!(resolved(names, mapping, true), Ok(expected.map(str::to_owned)), "{names}");
    }
}

#[test]
fn errors_name_what_is_there_and_what_is_likely() {
    for (names, mapping, expected) in [
        (
            "user_msg,tool_call,tools",
            &[][..],
            "no column holds the question (try `--column question=user_msg`); the columns are `user_msg`, `tool_call`, `tools`",
        ),
        (
            "question,toolcall,tools",
            &[],
            "no column holds the tool_call (try `--column tool_call=toolcall`); the columns are `question`, `toolcall`, `tools`",
        ),
        (
            "log",
            &[],
            "no column holds the question and the tool_call; the columns are `log`; this looks like an HTTP archive (HAR), which is not read yet: write each model call as a line {\"request\": …, \"response\": …}",
        ),
        (
            "uuid,question,correct_answer,answers,target_tool,tools",
            &[],
            "no column holds the tool_call; the columns are `uuid`, `question`, `correct_answer`, `answers`, `target_tool`, `tools`; this looks like When2Call with four possible answers in a record, which is not read yet: write each answer as a row with `tool_call`, and with `gold` correct for the one that `correct_answer` names",
        ),
        (
            "msg,call,defs",
            &[],
            "no column holds the question and the tool_call (try `--column tool_call=call`); the columns are `msg`, `call`, `defs`; say which it is with `--column question=COLUMN`",
        ),
        (
            "question,x,y",
            &[],
            "no column holds the tool_call; the columns are `question`, `x`, `y`; say which it is with `--column tool_call=COLUMN`",
        ),
        (
            "x,y",
            &[],
            "no column holds the question and the tool_call; the columns are `x`, `y`; say which it is with `--column question=COLUMN --column tool_call=COLUMN`",
        ),
        (
            "question,tool_call,myFunctions",
            &[],
            "no column holds the tool_definitions (try `--column tool_definitions=myFunctions`); the columns are `question`, `tool_call`, `myFunctions`",
        ),
        (
            "q,tool_call,tools",
            &[(Slot::Question, "qq")],
            "the question should be in column `qq`, which is not there (try `--column question=q`); the columns are `q`, `tool_call`, `tools`",
        ),
        // Whatever a name says: nearly this one was written.
        (
            "customer_name,user_text,tool_call,tools",
            &[(Slot::Question, "custmer_name")],
            "the question should be in column `custmer_name`, which is not there (try `--column question=customer_name`); the columns are `customer_name`, `user_text`, `tool_call`, `tools`",
        ),
        (
            "query,answers",
            &[],
            "no column holds the tool_call; the columns are `query`, `answers`; say which it is with `--column tool_call=COLUMN`",
        ),
        // What was expected, and what came of it, is nobody's call; an id is no question.
        (
            "question,reference_tool_calls,target_tool,expected_tools,toolUseResult,toolChoice,tool_call_id",
            &[],
            "no column holds the tool_call; the columns are `question`, `reference_tool_calls`, `target_tool`, `expected_tools`, `toolUseResult`, `toolChoice`, `tool_call_id`; say which it is with `--column tool_call=COLUMN`",
        ),
        (
            "question_id,user_id,input_uuid,promptLabel,goldQuery,tool_call,tools",
            &[],
            "no column holds the question; the columns are `question_id`, `user_id`, `input_uuid`, `promptLabel`, `goldQuery`, `tool_call`, `tools`; say which it is with `--column question=COLUMN`",
        ),
        (
            "question,expected_tool_calls,agent_tool_calls,tools",
            &[],
            "no column holds the tool_call (try `--column tool_call=agent_tool_calls`); the columns are `question`, `expected_tool_calls`, `agent_tool_calls`, `tools`",
        ),
        (
            "question,tool_call,ground_truth_functions,answers_tools",
            &[(Slot::ToolDefinitions, "tool")],
            "the tool_definitions should be in column `tool`, which is not there; the columns are `question`, `tool_call`, `ground_truth_functions`, `answers_tools`",
        ),
        (
            "question,tool_call,tools",
            &[(Slot::ToolDefinitions, "tool")],
            "the tool_definitions should be in column `tool`, which is not there (try `--column tool_definitions=tools`); the columns are `question`, `tool_call`, `tools`",
        ),
        ("question,question,tool_call,tools", &[], "two columns are called `question`"),
        (
            "a,b",
            &[(Slot::Question, "a"), (Slot::ToolCall, "a")],
            "column `a` cannot be both the question and the tool_call",
        ),
        (
            "a,b",
            &[(Slot::Question, "a"), (Slot::Question, "b")],
            "the question is mapped to more than one column",
        ),
    ] {
        assert_eq!(resolved(names, mapping, false), Err(expected.to_owned()), "{names}");
    }
}

#[test]
fn conversations_of_converted_tables_end_before_the_turn() {
    for (names, before_turn) in [
        ("source_id,question,messages,tool_call,tool_definitions,flags", true),
        ("question,messages,tool_calls,tool_definitions,raw", true),
        ("question,messages,tool_call,tool_definitions", false),
        ("question,messages,tool_call,flags", false),
    ] {
        let names: Vec<String> = names.split(',').map(str::to_owned).collect();
        assert_eq!(resolve(&names, &[], true).unwrap().before_turn, before_turn, "{names:?}");
    }
}
