//! The number in flight that a server serves best, found and found again.
