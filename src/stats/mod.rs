//! How well labels agree with gold.
