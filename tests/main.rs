//! The one integration-test binary.

mod normalize;
