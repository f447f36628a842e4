//! The one integration-test binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "figures and reasons for skipping are shown with --nocapture")]
#![allow(
    clippy::disallowed_methods,
    reason = "where the data is that cannot be shipped, the environment says"
)]

mod architecture;
mod audit;
mod bench;
mod browser;
mod builtin_explanations;
mod builtin_model;
mod calls;
mod cli;
mod compare;
mod convert;
mod cost_limit;
mod docs;
mod drive;
mod effect;
mod errors;
mod evidence;
mod exit_codes;
mod faults;
mod first;
mod frames;
mod from_phoenix;
mod gold;
mod hosted;
mod hostile_schemas;
mod kill;
mod label_builtin;
mod label_gold;
mod label_panel;
mod label_remote;
mod label_report;
mod library;
mod limits;
mod log_columns;
mod logs;
mod next;
mod notebooks;
mod one_build;
mod options;
mod postgres;
mod postgres_faults;
mod providers;
mod purse;
mod rails;
mod rates;
mod real_calls;
mod refusals;
mod report_html;
mod report_text;
mod review;
mod round_trip;
mod scenarios;
mod score;
mod score_gate;
mod score_judge;
mod score_report;
mod secrets;
mod settings;
mod shapes;
mod shards;
mod shipping;
mod step_summary;
mod store_tools;
mod stores;
mod suite;
mod support;
mod table_errors;
mod table_formats;
mod tables;
mod tasks;
mod templates;
mod tls;
mod train;
mod transcripts;
mod trend;
mod turns;
mod unreadable;
mod wide_tables;
mod widths;
