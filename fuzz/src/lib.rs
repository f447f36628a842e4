//! The rooms that read texts, without the rest of the product: they are pure, so they build in seconds even instrumented.

#![allow(dead_code, reason = "the rest of the product uses what is not used here")]

#[path = "../../src/domain/mod.rs"]
pub mod domain;
#[path = "../../tests/hostile_inputs.rs"]
pub mod hostile_inputs;
#[path = "../../tests/laws.rs"]
pub mod laws;
#[path = "../../tests/mutations.rs"]
pub mod mutations;
pub mod mutator;
#[path = "../../src/normalize/mod.rs"]
pub mod normalize;
#[path = "../../src/snap/mod.rs"]
pub mod snap;

// The laws name the product, and stand in its tests too.
extern crate self as tooljudge;
