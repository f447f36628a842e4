//! Products whose files are not read, told by their keys, so that a refusal says what the file is.

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
        what: "When2Call, which has four possible answers in a record",
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
    Product {
        keys: &["mile_stone"],
        only: false,
        what: "answers of ACEBench, which are gold",
        remedy: "give the results of a model",
    },
    Product {
        keys: &["info", "data"],
        only: true,
        what: "an MLflow trace whose spans have no attributes of MLflow's",
        remedy: "export the trace with its spans",
    },
];

/// What a file with these columns looks like, as the end of a sentence; empty if it is not known.
pub(super) fn seen_in(columns: &[String]) -> String {
    let has = |key: &&str| columns.iter().any(|column| column == key);
    let fits = |product: &&Product| {
        product.keys.iter().all(has) && (!product.only || columns.len() == product.keys.len())
    };
    let found = PRODUCTS.iter().find(fits);
    found
        .map(|product| format!("; this looks like {} (not read): {}", product.what, product.remedy))
        .unwrap_or_default()
}
