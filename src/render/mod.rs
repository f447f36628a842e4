//! Template and sample to prompt.
