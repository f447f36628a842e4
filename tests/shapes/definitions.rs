//! All ways of writing definitions, D1 to D15 of the formats that are read.

use tooljudge::domain::{Json, ToolDefinition};

use super::schemas::{GOOGLE, JAVA, PYTHON, Words, in_dialect};
use super::values::{in_doubles, object, python, quoted};

/// One way of writing definitions.
pub struct Shape {
    pub name: &'static str,
    pub write: fn(&[ToolDefinition]) -> String,
    /// What of a definition it has a place for.
    keeps: fn(&ToolDefinition) -> ToolDefinition,
    /// Whether values are written as Python writes them, who respells floats.
    python: bool,
}

impl Shape {
    const fn new(name: &'static str, write: fn(&[ToolDefinition]) -> String) -> Shape {
        Shape { name, write, keeps: ToolDefinition::clone, python: false }
    }

    const fn keeping(self, keeps: fn(&ToolDefinition) -> ToolDefinition) -> Shape {
        Shape { keeps, ..self }
    }

    const fn python(self) -> Shape {
        Shape { python: true, ..self }
    }

    /// What must be read of `tools`, so written.
    pub fn expected(&self, tools: &[ToolDefinition]) -> Vec<ToolDefinition> {
        self.comparable(&tools.iter().map(self.keeps).collect::<Vec<_>>())
    }

    /// Definitions as they are compared.
    pub fn comparable(&self, tools: &[ToolDefinition]) -> Vec<ToolDefinition> {
        let doubles = |tool: &ToolDefinition| ToolDefinition {
            parameters: in_doubles(&tool.parameters),
            ..tool.clone()
        };
        if self.python { tools.iter().map(doubles).collect() } else { tools.to_vec() }
    }
}

pub const SHAPES: &[Shape] = &[
    Shape::new("normal form", |tools| list(tools, normal)),
    Shape::new("D1 OpenAI", |tools| list(tools, openai)),
    Shape::new("D1 in a request", |tools| format!(r#"{{"tools":{}}}"#, list(tools, openai))),
    Shape::new("D2 Responses", |tools| list(tools, |tool| typed("parameters", &schema(tool), tool))),
    Shape::new("D3 OpenAI's first form", |tools| format!(r#"{{"functions":{}}}"#, list(tools, normal))),
    Shape::new("D4 Anthropic", |tools| list(tools, |tool| with("input_schema", &schema(tool), tool))),
    Shape::new("D5 Gemini", |tools| {
        let tools = list(tools, |tool| with("parameters", &dialect(tool, GOOGLE), tool));
        format!(r#"[{{"functionDeclarations":{tools}}}]"#)
    }),
    Shape::new("D5 Gemini in Python", |tools| {
        let tools = list(tools, |tool| with("parameters_json_schema", &schema(tool), tool));
        format!(r#"{{"function_declarations":{tools}}}"#)
    }),
    Shape::new("D5 Gemini with JSON Schema", |tools| {
        each(tools, "\n", |tool| {
            format!(r#"{{"functionDeclarations":[{}]}}"#, with("parametersJsonSchema", &schema(tool), tool))
        })
    }),
    Shape::new("D6 MCP", |tools| format!(r#"{{"tools":{}}}"#, list(tools, mcp))),
    Shape::new("D6 in a response", |tools| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":{}}}}}"#, list(tools, mcp))
    }),
    Shape::new("D7 Bedrock", |tools| {
        let tools = each(tools, ",", bedrock);
        format!(r#"{{"toolConfig":{{"tools":[{tools},{{"cachePoint":{{"type":"default"}}}}]}}}}"#)
    }),
    Shape::new("D7 the list alone", |tools| list(tools, bedrock)),
    Shape::new("D8 BFCL", |tools| list(tools, |tool| with("parameters", &dialect(tool, PYTHON), tool))),
    Shape::new("D8 BFCL in Java", |tools| list(tools, |tool| with("parameters", &dialect(tool, JAVA), tool))),
    Shape::new("D9 LangChain", |tools| list(tools, |tool| with("args_schema", &schema(tool), tool))),
    Shape::new("D9 LangChain's args", |tools| {
        list(tools, |tool| with("args", &tool.parameters.get("properties").unwrap().to_string(), tool))
    })
    .keeping(|tool| only(&["type", "properties"], tool)),
    Shape::new("D9 a schema with a title", |tools| {
        list(tools, |tool| {
            let rest = &only(&["type", "properties", "additionalProperties", "$defs"], tool)
                .parameters
                .to_string()[1..];
            format!(r#"{{"title":{},"description":{},{rest}"#, quoted(&tool.name), quoted(&tool.description))
        })
    })
    .keeping(|tool| only(&["type", "properties", "additionalProperties", "$defs"], tool)),
    Shape::new("D10 Vercel", |tools| {
        map(tools, |tool| nameless("inputSchema", &in_object("jsonSchema", &schema(tool)), tool))
    }),
    Shape::new("D10 Vercel, version 4", |tools| {
        map(tools, |tool| nameless("parameters", &in_object("jsonSchema", &schema(tool)), tool))
    }),
    Shape::new("D10 in spans", |tools| {
        list(tools, |tool| quoted(&typed("inputSchema", &schema(tool), tool)))
    }),
    Shape::new("D11 OpenInference", |tools| {
        list(tools, |tool| format!(r#"{{"tool.json_schema":{}}}"#, quoted(&openai(tool))))
    }),
    Shape::new("D11 nested", |tools| {
        list(tools, |tool| format!(r#"{{"tool":{{"json_schema":{}}}}}"#, openai(tool)))
    }),
    Shape::new("D12 by name", |tools| map(tools, |tool| nameless("parameters", &schema(tool), tool))),
    Shape::new("D13 lines", |tools| each(tools, "\n", line)).keeping(in_line),
    Shape::new("D13 lines among others", |tools| format!("Tools:\n{}\n", each(tools, "\n\n", line)))
        .keeping(in_line),
    Shape::new("D14 JSON lines", |tools| each(tools, "\n", normal)),
    Shape::new("D14 one after another", |tools| each(tools, "", openai)),
    Shape::new("D15 Python", |tools| python(&Json::parse(&list(tools, openai)).unwrap())).python(),
    Shape::new("D15 of a tuple", |tools| {
        format!("({},)", each(tools, ", ", |tool| python(&Json::parse(&normal(tool)).unwrap())))
    })
    .python(),
    Shape::new("schemas as texts", |tools| {
        list(tools, |tool| with("parameters", &quoted(&schema(tool)), tool))
    }),
    Shape::new("encoded three times", |tools| quoted(&quoted(&quoted(&list(tools, openai))))),
];

fn each(tools: &[ToolDefinition], separator: &str, write: impl Fn(&ToolDefinition) -> String) -> String {
    tools.iter().map(write).collect::<Vec<_>>().join(separator)
}

/// A JSON list.
fn list(tools: &[ToolDefinition], write: impl Fn(&ToolDefinition) -> String) -> String {
    format!("[{}]", each(tools, ", ", write))
}

/// A JSON object with a member for each tool.
fn map(tools: &[ToolDefinition], write: impl Fn(&ToolDefinition) -> String) -> String {
    format!("{{{}}}", each(tools, ", ", |tool| format!("{}:{}", quoted(&tool.name), write(tool))))
}

fn schema(tool: &ToolDefinition) -> String {
    tool.parameters.to_string()
}

fn dialect(tool: &ToolDefinition, words: Words) -> String {
    in_dialect(&tool.parameters, words).to_string()
}

fn in_object(key: &str, value: &str) -> String {
    format!(r#"{{"{key}":{value}}}"#)
}

/// A name, a description and a schema under this key.
fn with(key: &str, schema: &str, tool: &ToolDefinition) -> String {
    let (name, description) = (quoted(&tool.name), quoted(&tool.description));
    format!(r#"{{"name":{name},"description":{description},"{key}":{schema}}}"#)
}

fn nameless(key: &str, schema: &str, tool: &ToolDefinition) -> String {
    format!(r#"{{"description":{},"{key}":{schema}}}"#, quoted(&tool.description))
}

fn typed(key: &str, schema: &str, tool: &ToolDefinition) -> String {
    format!(r#"{{"type":"function","strict":false,{}"#, &with(key, schema, tool)[1..])
}

fn normal(tool: &ToolDefinition) -> String {
    with("parameters", &schema(tool), tool)
}

fn openai(tool: &ToolDefinition) -> String {
    format!(r#"{{"type":"function","function":{}}}"#, normal(tool))
}

fn mcp(tool: &ToolDefinition) -> String {
    let annotated = r#"{"title":"T","annotations":{"readOnlyHint":true},"outputSchema":{"type":"object"},"#;
    format!("{annotated}{}", &with("inputSchema", &schema(tool), tool)[1..])
}

fn bedrock(tool: &ToolDefinition) -> String {
    format!(r#"{{"toolSpec":{}}}"#, with("inputSchema", &in_object("json", &schema(tool)), tool))
}

fn line(tool: &ToolDefinition) -> String {
    format!("{}: {} | Parameters: {}", tool.name, in_line(tool).description, schema(tool))
}

/// A description ends where parameters begin.
fn in_line(tool: &ToolDefinition) -> ToolDefinition {
    let description = tool.description.replace("| Parameters: ", "| ").trim_start().to_owned();
    ToolDefinition { description, ..tool.clone() }
}

/// The definition with nothing but these keywords in its schema.
fn only(keywords: &[&str], tool: &ToolDefinition) -> ToolDefinition {
    let kept = tool.parameters.as_object().unwrap().iter().filter(|(key, _)| keywords.contains(key));
    let parameters = object(kept.map(|(key, value)| (key.to_owned(), value.clone())));
    ToolDefinition { parameters, ..tool.clone() }
}
