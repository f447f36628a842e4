//! What the end-to-end tests stand on: a folder to work in, the binary, and a judge that does as it is told.

pub mod archive;
pub mod child;
pub mod enforcer;
pub mod faults;
pub mod http;
pub mod limited_server;
pub mod markdown;
pub mod postgres;
pub mod server;
pub mod transcript;
pub mod workspace;
