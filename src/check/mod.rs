//! A call against its own definition and the conversation: the built-in judge.
