//! The one integration-test binary.
mod builtin_judge;
