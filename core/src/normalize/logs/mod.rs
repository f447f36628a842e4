//! Extracts the turns that can be judged from log records.
//!
//! [`FORMATS`] is the table of all supported logs, in the order in which a record is tried; a new format is a file and a line
//! there. A format's reader only finds the parts of a turn: the messages before it, the assistant's answer, the tools on offer.
//! [`Normalizer::turn`](super::Normalizer::turn), which knows all shapes, parses them.
//!
//! ```
//! use tooljudge_core::domain::{Calls, Json};
//! use tooljudge_core::normalize::logs::{Context, Entry, NoRelated, Turns, detect};
//! use tooljudge_core::normalize::{Normalizer, Options};
//!
//! let line = r#"{"messages": [{"role": "user", "content": "Oslo?"},
//!     {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{\"city\": \"Oslo\"}"}}]}]}"#;
//! let Json::Object(record) = Json::parse(line)? else { panic!() };
//! let format = detect(&record).expect("a chat");
//! assert_eq!(format.name, "openai_messages");
//! let normalizer = std::sync::Arc::new(Normalizer::new(Options::default())?);
//! let mut entries = format.read(record, &Context { agents: false, turns: Turns::Calls, normalizer: &normalizer, related: &NoRelated, source: "" });
//! let turn = entries.find_map(|entry| if let Entry::Turn(turn) = entry { Some(turn) } else { None }).expect("a turn");
//! let sample = normalizer.turn(*turn)?;
//! assert!(matches!(&sample.calls, Calls::Parsed(calls) if calls[0].name == "f"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod about;
mod acebench;
mod adk;
mod agents_sdk;
mod atif;
mod autogen;
mod automatic;
mod azure;
mod batch;
mod bfcl;
mod body;
mod claude_code;
mod cline;
mod codex;
mod context;
mod deepeval;
mod dialogue;
mod entry;
mod envelope;
mod exchange;
mod flat;
mod format;
mod formats;
mod found_tools;
mod inserted;
mod inspect;
mod items;
mod langchain_steps;
mod langfuse;
mod langsmith;
mod litellm;
mod mcp;
mod message_rows;
mod messages;
mod nesting;
mod openhands;
mod opik;
mod otel;
mod pairs;
mod promptfoo;
mod ragas;
mod request;
mod sample;
mod secrets;
mod sharegpt;
mod smolagents;
mod stored;
mod strands;
mod swe_agent;
mod tau;
mod thread;
mod transcript;
mod turn;
mod value;
mod vercel_steps;
mod weave;
mod when2call;

pub use super::ending::Ending;
pub use about::{hand_down, is_of_the_row, said_of_all};
pub use context::{Context, NoRelated, RelatedRecords, Turns};
pub use entry::{Entries, Entry, Fragment, Skip, Tally};
pub use envelope::{ENVELOPES, Envelope, envelope};
pub use format::LogFormat;
pub use formats::{FORMATS, detect, detect_or, is_unanswered};
pub use mcp::{McpLine, is_log_of_mcp};
pub use turn::{Before, Output, Print, Step, Turn};
