//! What reads bytes from outside, without the rest of the product: the pure rooms whole, of the others the files that
//! understand. So it builds in a minute or two, even instrumented.

#![allow(dead_code, reason = "the rest of the product uses what is not used here")]

#[path = "../../src/bench/mod.rs"]
pub mod bench;
pub mod cli;
#[path = "../../src/domain/mod.rs"]
pub mod domain;
#[path = "../../tests/hostile_inputs.rs"]
pub mod hostile_inputs;
pub mod judge;
#[path = "../../tests/laws.rs"]
pub mod laws;
#[path = "../../tests/mutations.rs"]
pub mod mutations;
pub mod mutator;
#[path = "../../src/normalize/mod.rs"]
pub mod normalize;
pub mod read;
#[path = "../../src/render/mod.rs"]
pub mod render;
#[path = "../../src/score/mod.rs"]
pub mod score;
#[path = "../../src/snap/mod.rs"]
pub mod snap;
#[path = "../../src/stats/mod.rs"]
pub mod stats;
pub mod table;

// The laws name the product, and stand in its tests too.
extern crate self as tooljudge;

/// Statuses of responses, of which a byte of the input chooses one.
pub const STATUSES: [u16; 16] =
    [200, 201, 302, 400, 401, 402, 403, 404, 408, 413, 418, 422, 429, 500, 503, 529];
