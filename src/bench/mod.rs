//! How good a judge is: labels beside gold, with how sure each figure is.
