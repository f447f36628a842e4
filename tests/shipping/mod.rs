//! All that is shipped beside the program: packages, licences, the action, hooks, the workflow of a release.

#[cfg(unix)]
mod action;
mod hooks;
mod licences;
mod packages;
#[cfg(unix)]
mod release;
mod workflow;
