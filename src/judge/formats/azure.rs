//! Addresses and keys of chat completions on Azure OpenAI.
//!
//! ```text
//! https://NAME.openai.azure.com            -> /openai/deployments/DEPLOYMENT/chat/completions?api-version=2024-10-21
//! https://NAME.openai.azure.com/openai/v1  -> /chat/completions, the deployment as `model`
//! ```

/// The classic API's version where none is given as a query.
pub(in crate::judge) const API_VERSION: &str = "2024-10-21";

/// Whether a base URL means the newer form, which has no `api-version`.
pub(in crate::judge) fn is_v1(base_url: &str) -> bool {
    base_url.trim_end_matches('/').ends_with("/openai/v1")
}

/// The path below `base_url`.
pub(in crate::judge) fn path(base_url: &str, deployment: &str) -> String {
    if is_v1(base_url) {
        "/chat/completions".to_owned()
    } else {
        format!("/openai/deployments/{deployment}/chat/completions")
    }
}
