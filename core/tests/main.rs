//! The one integration-test binary of the core: what it says of the data in `tests/`, and laws for any input.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "figures and reasons for skipping are shown with --nocapture")]
#![allow(
    clippy::disallowed_methods,
    reason = "where the data is that cannot be shipped, the environment says"
)]

mod benchmark_data;
mod builtin_judge;
mod damaged_logs;
mod data_rows;
mod drive;
mod environments;
mod everyday_data;
mod free_halves;
mod hostile;
mod injection;
mod judged_row;
mod log_cases;
mod markup;
mod normalize;
mod planted_faults;
mod product_calls;
mod properties;
mod results;
mod score_bfcl;
mod score_peers;
mod second_thoughts;
mod sessions;
mod snap;
mod statistics;
mod suites;
mod templates;
mod transcripts;
