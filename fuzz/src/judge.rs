//! What of the judges' room reads what servers say, without what sends and keeps.

#[path = "../../src/judge/adaptation.rs"]
mod adaptation;
#[path = "../../src/judge/body_hints.rs"]
mod body_hints;
#[path = "../../src/judge/failure.rs"]
mod failure;
#[path = "../../src/judge/hints.rs"]
mod hints;
#[path = "../../src/judge/laws.rs"]
pub mod laws;
#[path = "../../src/judge/limiter/mod.rs"]
mod limiter;
#[path = "../../src/judge/logprobs.rs"]
mod logprobs;
#[path = "../../src/judge/parameters.rs"]
mod parameters;
#[path = "../../src/judge/price.rs"]
mod price;
#[path = "../../src/judge/problem.rs"]
mod problem;
#[path = "../../src/judge/retry.rs"]
mod retry;
#[path = "../../src/judge/trial.rs"]
mod trial;
#[path = "../../src/judge/wire.rs"]
mod wire;
#[path = "../../src/judge/wires/mod.rs"]
mod wires;

pub use adaptation::Adaptation;
pub use limiter::{Concurrency, Limiter, Limits};
pub use parameters::Parameters;
pub use price::Price;
