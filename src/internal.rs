//! Items of the inner rooms that the program, the tests, the benchmarks and the fuzz targets of this repository use. They are not
//! part of the library: anything here can change or disappear in any version.

/// The types of the Python package's options are made of the flags.
#[cfg(feature = "cli")]
pub use crate::cli::all_flags as commands;
/// The program is this call.
#[cfg(feature = "cli")]
pub use crate::cli::main;
/// The Python package runs the same commands, whose options are those of a settings file.
#[cfg(feature = "cli")]
pub use crate::cli::{
    door::{Fault, HostError, Hosted, run as run_job, settings},
    host::{Host, Listener, Said, Variable},
    main_with,
};
/// The Python package lets environments be played with by hand, and lists the tasks.
pub use tooljudge_core::drive::{Case, Playground, langchain::task};

/// Tests read converted logs again row by row, benchmarks time the readers.
pub use crate::read::{LogOptions, Selection, Table, Understanding};
/// Tests convert a log to every kind of table in one process.
pub use crate::run::{
    convert::{Form, convert_rows},
    input::Source,
};
/// Benchmarks time the store alone; tests hold its two kinds to the same.
#[cfg(feature = "cli")]
pub use crate::store::{Archive, Pruning};
pub use crate::store::{
    AskHasher, Asking, Claim, Failure, Fingerprint, Found, ReplyKind, Reuse, Store, StorePlace,
};
/// Benchmarks write tables of many rows.
pub use crate::table::{Batch, Column, Kind, Record, Rows, Schema, samples::SKIPPED};
/// The Python package hands frames over by Arrow's interface in C.
pub use crate::write::CollectedTable;
/// As above.
pub use crate::write::{Output, Sink};
#[cfg(feature = "cli")]
pub use toml;
pub use tooljudge_core::domain::{Block, Given, Granted, Line, Taking};

/// What the fuzz targets check of the rooms with side effects.
#[cfg(feature = "laws")]
pub mod laws {
    #[cfg(feature = "cli")]
    pub use crate::cli::laws::config;
    pub use crate::judge::laws::{headers, reply};
    pub use crate::read::laws::{records, table};
}
