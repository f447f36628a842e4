//! What a benchmark came to, for people: terminal, Markdown, one HTML file.

mod html;

pub use html::html;
