//! Statistics are checked, not trusted: against peers, by laws, and in worlds whose truth is known.

mod laws;
mod reference;
mod simulation;
mod worlds;
