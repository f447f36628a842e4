//! The one integration-test binary.

mod snap;
