//! Tool environments that an agent can act in: LangChain Benchmarks' four (0.0.14), as pure functions.
//!
//! | name | the agent is to | tools | state |
//! |---|---|---|---|
//! | `typewriter-1` | repeat a text by a tool that types a letter | 1 | what is on the paper |
//! | `typewriter-26` | repeat a text by a tool for each letter | 26 | what is on the paper |
//! | `relational` | look things up in three tables of users, places and foods | 17 | none |
//! | `multiverse` | calculate where arithmetic is another | 10 | none |
//!
//! A call returns exactly what the peer's tool returns: arguments are read by the rules of pydantic 1 ([`Input`]), numbers are
//! Python's, texts and errors are the peer's. A call of an unknown tool is an observation; an exception of a tool is a
//! [`ToolError`]. So there is no compatibility mode here: the driver of the agent decides whether an error ends the episode, as
//! in the peer, or goes back to the agent.
//!
//! Logarithms, powers, sines and cosines are the platform's, like Python's: their last digit may differ between platforms.
//!
//! Instructions, definitions and tables are LangChain's, under the MIT license in `LICENSE-LANGCHAIN` beside this file.

mod arguments;
mod complex;
mod error;
mod input;
mod multiverse;
mod name;
mod observation;
mod relational;
mod tables;
mod tool;
mod typewriter;
mod world;

pub use complex::Complex;
pub use error::{Fault, FieldError, InvalidArguments, ToolError};
pub use input::Input;
pub use name::{EnvironmentName, UnknownEnvironment};
pub use observation::Observation;
pub use world::Environment;
