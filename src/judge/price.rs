//! What tokens cost.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::billing::Overrun;
use crate::domain::Usage;

/// Tokens billed beyond those in the body: what separates messages, and the instructions that some providers add for
/// schemas and forced tools (several hundred at most).
const HIDDEN_TOKENS: u64 = 1000;

/// The prices of one model, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Of the prompt.
    pub input: f64,
    /// Of prompt tokens read from the provider's cache; absent where they cost as much as others, for all one knows.
    pub cached_input: Option<f64>,
    /// Of the answer, reasoning included.
    pub output: f64,
    /// The longest prompt, in tokens, that these prices hold for; absent where they hold for all.
    pub up_to: Option<u64>,
}

impl Price {
    /// The list price of a model, by its exact name or as a dated snapshot of it. Models that are not listed, and local
    /// providers, have none.
    pub fn listed(provider: &str, model: &str) -> Option<Price> {
        let list = LIST.as_ref()?;
        let find = |model: &str| list.models.get(&format!("{provider}:{model}")).map(Listed::price);
        find(model).or_else(|| find(undated(model, list.snapshots.get(provider)?)?))
    }

    /// Whether the list has the price of a model of that name, from any provider.
    pub(super) fn is_listed_for_some(model: &str) -> bool {
        let providers =
            LIST.iter().flat_map(|list| list.models.keys()).filter_map(|name| name.split(':').next());
        let mut providers: Vec<&str> = providers.collect();
        providers.dedup();
        providers.iter().any(|provider| Price::listed(provider, model).is_some())
    }

    /// When the list was last looked through, as `YYYY-MM-DD`.
    pub fn as_of() -> Option<&'static str> {
        LIST.as_ref().map(|list| list.as_of.as_str())
    }

    /// In US dollars; none where the provider did not say how many tokens it was, or where this price does not hold.
    pub fn cost(&self, usage: &Usage) -> Option<f64> {
        let (prompt, completion) = (usage.prompt_tokens?, usage.completion_tokens?);
        if self.up_to.is_some_and(|longest| prompt > longest) {
            return None;
        }
        let cached = usage.cached_tokens.unwrap_or(0).min(prompt);
        let dollars = (prompt - cached) as f64 * self.input
            + cached as f64 * self.cached_input.unwrap_or(self.input)
            + completion as f64 * self.output;
        Some(dollars / 1e6)
    }

    /// The most that a request can cost: a token is at least one byte of its body, unless it was seen to be less (`overrun`), and nothing
    /// comes from a cache. None where the prompt may be too long for this price.
    pub(super) fn worst(&self, body_bytes: usize, max_tokens: u32, overrun: Overrun) -> Option<f64> {
        // A cached token dearer than a fresh one would be odd, but a price may be anybody's.
        let input = self.input.max(self.cached_input.unwrap_or(0.0));
        let usage = Usage {
            prompt_tokens: Some((body_bytes as f64 * overrun.input).ceil() as u64 + HIDDEN_TOKENS),
            cached_tokens: None,
            completion_tokens: Some((f64::from(max_tokens) * overrun.output).ceil() as u64),
        };
        Price { input, ..*self }.cost(&usage)
    }
}

/// The embedded list; a test sees to it that it can be read.
static LIST: LazyLock<Option<List>> = LazyLock::new(|| toml::from_str(TEXT).ok());
const TEXT: &str = include_str!("prices.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    as_of: String,
    /// The suffixes of snapshots' model names, by provider; Y, M and D are digits.
    snapshots: BTreeMap<String, String>,
    models: BTreeMap<String, Listed>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    input: f64,
    cached_input: Option<f64>,
    output: f64,
    up_to: Option<u64>,
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "seen")]
    _seen: String,
}

impl Listed {
    fn price(&self) -> Price {
        Price { input: self.input, cached_input: self.cached_input, output: self.output, up_to: self.up_to }
    }
}

/// `model` without a snapshot's suffix of this `form`.
fn undated<'a>(model: &'a str, form: &str) -> Option<&'a str> {
    let (name, suffix) = model.split_at_checked(model.len().checked_sub(form.len())?)?;
    let fits = |(is, form): (char, char)| match form {
        'Y' | 'M' | 'D' => is.is_ascii_digit(),
        _ => is == form,
    };
    suffix.chars().zip(form.chars()).all(fits).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sound() {
        let list: List = toml::from_str(TEXT).unwrap();
        assert!(list.as_of.parse::<jiff::civil::Date>().is_ok());
        for (name, listed) in &list.models {
            let price = listed.price();
            assert!(list.as_of.as_str() > listed._seen.as_str(), "{name}");
            assert!(listed._source.starts_with("https://"), "{name}");
            assert!(price.input > 0.0 && price.output > price.input, "{name}");
            assert!(price.cached_input.is_none_or(|cached| 0.0 < cached && cached < price.input), "{name}");
            let (provider, _) = name.split_once(':').unwrap();
            assert!(!["vllm", "llamacpp", "ollama"].contains(&provider), "{name}");
        }
    }

    #[test]
    fn only_exact_names_and_snapshots_have_a_price() {
        assert!(
            Price::is_listed_for_some("gpt-5-mini") && Price::is_listed_for_some("claude-haiku-4-5-20251001")
        );
        assert!(!Price::is_listed_for_some("qwen3"));
        let mini = Price::listed("openai", "gpt-5-mini");
        assert!(mini.is_some());
        assert_eq!(Price::listed("openai", "gpt-5-mini-2025-08-07"), mini);
        assert!(Price::listed("anthropic", "claude-haiku-4-5-20251001").is_some());
        for (provider, model) in [
            ("openai", "gpt-5-mini-latest"),
            ("openai", "gpt-5-mini-20250807"),
            ("openai", "gpt-5-mini-2025-08-0é"),
            ("openai", "gpt-5-mini2025-08-07"),
            ("openai", "-2025-08-07"),
            ("openai", "GPT-5-mini"),
            ("anthropic", "claude-haiku-4-5-2025-10-01"),
            ("azure", "gpt-5-mini"),
            ("ollama", "qwen3"),
            ("openai", ""),
        ] {
            assert_eq!(Price::listed(provider, model), None, "{provider}:{model}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_free() {
        let price = Price { input: 2.0, cached_input: Some(0.5), output: 8.0, up_to: Some(10_000) };
        let usage = |prompt_tokens, cached_tokens, completion_tokens| Usage {
            prompt_tokens,
            cached_tokens,
            completion_tokens,
        };
        let cost = |usage| price.cost(&usage).map(|cost| (cost * 1e6).round());
        assert_eq!(cost(usage(Some(1000), None, Some(10))), Some(2080.0));
        assert_eq!(cost(usage(Some(1000), Some(400), Some(10))), Some(1480.0));
        // A provider that counts more cached tokens than tokens is not believed.
        assert_eq!(cost(usage(Some(1000), Some(4000), Some(10))), Some(580.0));
        assert_eq!(cost(usage(Some(1000), None, None)), None);
        assert_eq!(cost(usage(None, None, Some(10))), None);
        assert_eq!(cost(usage(Some(10_001), None, Some(10))), None);
        let uncached = Price { cached_input: None, ..price };
        assert_eq!(uncached.cost(&usage(Some(1000), Some(400), Some(0))), Some(0.002));
        let worst = |bytes, overrun| price.worst(bytes, 64, overrun).map(|worst| (worst * 1e6).round());
        assert_eq!(worst(500, Overrun::NONE), Some(3512.0));
        assert_eq!(worst(500, Overrun { input: 3.0, output: 2.0 }), Some(6024.0));
        assert_eq!(worst(9001, Overrun::NONE), None);
    }
}
