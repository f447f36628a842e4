//! Products whose files are not supported, recognized by their keys, so that the error can name them.

/// A product, and what its user can do.
struct Product {
    /// Keys that a record of it has.
    keys: &'static [&'static str],
    /// Whether it has no others.
    only: bool,
    what: &'static str,
    remedy: &'static str,
}

const PAIRS: &str = "write each model call as a line {\"request\": …, \"response\": …}";
const CHATS: &str = "write each conversation as a line {\"messages\": […], \"tools\": […]}";

const PRODUCTS: &[Product] = &[
    Product {
        keys: &["correct_answer", "answers", "target_tool"],
        only: false,
        what: "When2Call with four possible answers in a record",
        remedy: "write each answer as a row with `tool_call`, and with `gold` correct for the one that `correct_answer` names",
    },
    Product { keys: &["log"], only: true, what: "an HTTP archive (HAR)", remedy: PAIRS },
    Product { keys: &["ml_app", "span_id"], only: false, what: "spans of Datadog", remedy: PAIRS },
    Product {
        keys: &["request_created_at", "response_status"],
        only: false,
        what: "an export of Helicone without bodies",
        remedy: PAIRS,
    },
    Product {
        keys: &["event", "properties", "distinct_id"],
        only: false,
        what: "events of PostHog",
        remedy: PAIRS,
    },
    Product {
        keys: &["span_attributes", "root_span_id"],
        only: false,
        what: "spans of Braintrust that are not model calls",
        remedy: PAIRS,
    },
    Product {
        keys: &["step_details", "run_id"],
        only: false,
        what: "run steps of OpenAI's Assistants",
        remedy: CHATS,
    },
    Product {
        keys: &["answer_generation", "tree"],
        only: false,
        what: "an answer of ToolBench",
        remedy: CHATS,
    },
    Product { keys: &["agent_thoughts", "query"], only: false, what: "messages of Dify", remedy: CHATS },
    Product {
        keys: &["projectHash", "messages"],
        only: false,
        what: "a session of Gemini CLI",
        remedy: CHATS,
    },
    Product {
        keys: &["run_id", "event_id", "sample_id"],
        only: false,
        what: "a log of OpenAI Evals",
        remedy: CHATS,
    },
    Product {
        keys: &["datasource_item", "sample"],
        only: false,
        what: "output items of OpenAI's Evals API",
        remedy: PAIRS,
    },
    Product {
        keys: &["rows", "metrics"],
        only: false,
        what: "results of an evaluation in Azure AI Foundry",
        remedy: "write each of its `rows` as a line",
    },
    Product {
        keys: &["mapping", "current_node"],
        only: false,
        what: "a conversation exported from ChatGPT",
        remedy: CHATS,
    },
    Product {
        keys: &["chat_messages", "uuid"],
        only: false,
        what: "a conversation exported from Claude",
        remedy: CHATS,
    },
    Product {
        keys: &["requests", "responderUsername"],
        only: false,
        what: "a chat of GitHub Copilot in VS Code",
        remedy: CHATS,
    },
    Product {
        keys: &["conversationId", "messagesTree"],
        only: false,
        what: "a conversation of LibreChat",
        remedy: CHATS,
    },
    Product {
        keys: &["chat", "user_id", "title"],
        only: false,
        what: "a conversation of Open WebUI",
        remedy: CHATS,
    },
    Product { keys: &["chatflowid", "role"], only: false, what: "messages of Flowise", remedy: CHATS },
    Product {
        keys: &["flow_id", "sender", "sender_name"],
        only: false,
        what: "messages of Langflow",
        remedy: CHATS,
    },
    Product { keys: &["workflowData", "data"], only: false, what: "executions of n8n", remedy: PAIRS },
    Product {
        keys: &["sender_id", "slots", "events"],
        only: false,
        what: "a tracker of Rasa",
        remedy: CHATS,
    },
    Product { keys: &["message_type", "date"], only: false, what: "messages of Letta", remedy: CHATS },
    Product {
        keys: &["task_name", "agent", "status"],
        only: false,
        what: "a log of CrewAI's tasks without their calls",
        remedy: "export the spans of its instrumentation",
    },
    Product {
        keys: &["event_type", "event_name", "children_ids"],
        only: false,
        what: "events of HoneyHive",
        remedy: PAIRS,
    },
    Product {
        keys: &["record_id", "main_input", "main_output"],
        only: false,
        what: "records of TruLens without their spans",
        remedy: CHATS,
    },
    Product {
        keys: &["predicted_trajectory"],
        only: false,
        what: "trajectories for Vertex AI's evaluation",
        remedy: CHATS,
    },
    Product {
        keys: &["jsonrpc", "method"],
        only: false,
        what: "messages of MCP without what the user asked",
        remedy: "give the log of the chat that made these calls",
    },
    Product {
        keys: &["mile_stone"],
        only: false,
        what: "ACEBench's gold answers",
        remedy: "give the results of a model",
    },
    Product {
        keys: &["info", "data"],
        only: true,
        what: "an MLflow trace whose spans have no attributes of MLflow's",
        remedy: "export the trace with its spans",
    },
];

/// What a file with these columns looks like, as the end of a sentence, if that is known.
pub(super) fn seen_in(columns: &[String]) -> Option<String> {
    let has = |key: &&str| columns.iter().any(|column| column == key);
    let fits = |product: &&Product| {
        product.keys.iter().all(has) && (!product.only || columns.len() == product.keys.len())
    };
    let found = PRODUCTS.iter().find(fits);
    found.map(|product| {
        format!("; this looks like {}, which is not read yet: {}", product.what, product.remedy)
    })
}
