//! A model judge out of flags, settings file and environment.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use secrecy::SecretString;

use super::args::JudgingArgs;
use super::judge_spec::JudgeSpec;
use super::panel::Named;
use super::route::{self, Key, NamedBy, Route};
use crate::cli::config::{self, Config, JudgeConfig};
use crate::cli::defaults::Given;
use crate::judge::{
    self, Adaptation, Concurrency, Endpoint, Limiter, Limits, Parameters, Price, Provider, Purse, Remote,
    Target,
};
use crate::run::RunError;
use crate::store::Store;

/// What all model judges of a run share.
pub struct Shared<'a> {
    pub config: &'a Config,
    pub store: Option<&'a Store>,
    /// Whether anybody will be called: nobody needs a key otherwise.
    pub online: bool,
    /// What the run may spend.
    pub purse: Option<Arc<Purse>>,
    /// One for each endpoint and model.
    pub limiters: HashMap<(String, String), Arc<Limiter>>,
    /// Where each judge's rows go.
    pub routes: Vec<Route>,
}

/// A judge ready to be asked. Nothing is sent yet.
pub fn connect(
    args: &JudgingArgs,
    given: &Given,
    judge: &Named<'_>,
    shared: &mut Shared<'_>,
) -> anyhow::Result<Remote> {
    let JudgeSpec::Model { provider, model } = &judge.spec else { bail!("{} is no model judge", judge.name) };
    let own = judge.own.cloned().unwrap_or_default();
    // A flag on the command line, else the judge's own setting, else the flag's default.
    macro_rules! setting {
        ($flag:expr, $name:ident) => {
            if given.has(stringify!($name)) { $flag } else { own.$name.clone().or($flag) }
        };
    }
    let flags = &args.endpoint;
    let from_environment = || config::variable(base_url_variable(*provider)?);
    let by = |by: NamedBy| move |url: String| (url, by);
    let named = match &flags.base_url {
        Some(url) if given.has("base_url") => Some((url.clone(), NamedBy::User)),
        usual => (own.base_url.clone().map(by(NamedBy::File)))
            .or_else(|| from_environment().map(by(NamedBy::User)))
            .or_else(|| usual.clone().map(by(NamedBy::File))),
    };
    let usual = || provider.default_base_url().map(|url| (url.to_owned(), NamedBy::Nobody));
    let (base_url, by) = named.or_else(usual).with_context(|| {
        format!("{provider} lives at no common address: give yours with --base-url URL, or in tooljudge.toml")
    })?;
    let place = || {
        if judge.own.is_some() { format!("[judges.{}]", judge.name) } else { "--base-url".to_owned() }
    };
    let address = Endpoint::new(&base_url, None).map_err(anyhow::Error::msg).with_context(place)?;
    if given.has("base_url") {
        route::stays_home(judge, &address, given.has("api_key_env"))?;
    }
    // Who sends everything through a proxy that they have also made trusted, or over plain http, can be anybody's address.
    let plain = base_url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"));
    let intercepted = own.proxy.is_some() && (own.ca_cert.is_some() || plain);
    let trusted = match by {
        NamedBy::Nobody | NamedBy::User => !intercepted,
        NamedBy::File => !intercepted && address.is_of(*provider),
    };
    let key_variable = setting!(flags.api_key_env.clone(), api_key_env);
    let key = key(*provider, &base_url, key_variable.as_deref(), trusted, shared.online)?;
    let endpoint =
        endpoint(&base_url, key.sent.as_ref().map(|(_, key)| key.clone()), &own).with_context(place)?;
    let endpoint = match system_proxy(&base_url) {
        Some(proxy) => endpoint.with_system_proxy(&proxy),
        None => endpoint,
    };
    shared.routes.push(Route::new(&judge.name, *provider, &endpoint, by, &own, &key));
    if endpoint.is_exposed() && shared.online && !flags.allow_http && !own.allow_http {
        bail!(
            "{} is plain http to another host: whoever is in between could read the rows and the key. Use https, or allow it with \
             --allow-http, or `allow_http = true` in tooljudge.toml",
            endpoint.public_url()
        );
    }
    let usual_temperature = if args.wording.votes.get() > 1 { 1.0 } else { 0.0 };
    let parameters = Parameters {
        temperature: setting!(flags.temperature, temperature).or(Some(usual_temperature)),
        max_tokens: setting!(flags.max_tokens, max_tokens).map(Into::into),
        capped: endpoint.is_self_hosted(*provider),
        num_ctx: own.num_ctx.map(Into::into),
        body: body(&own)?,
    };
    let target = Target { provider: *provider, model: model.clone(), endpoint, parameters };
    let identity = target.identity();
    let known = match shared.store {
        Some(store) => {
            store.reader().and_then(|reader| reader.adaptations(&identity.endpoint, &identity.model))
        }
        None => Ok(Vec::new()),
    };
    let known: Vec<Adaptation> =
        known.map_err(RunError::from)?.iter().filter_map(|name| Adaptation::named(name)).collect();
    let limits = Limits {
        concurrency: setting!(Some(args.limits.concurrency), concurrency).unwrap_or(Concurrency::Auto),
        rpm: setting!(args.limits.rpm, rpm),
        tpm: setting!(args.limits.tpm, tpm),
        itpm: setting!(args.limits.itpm, itpm),
        otpm: setting!(args.limits.otpm, otpm),
        ignore_headers: args.limits.ignore_rate_headers || own.ignore_rate_headers,
    };
    let place = (identity.endpoint, identity.model);
    let limiter = shared.limiters.entry(place).or_insert_with(|| Limiter::new(limits));
    let settings = judge::Settings {
        limiter: Arc::clone(limiter),
        price: price(*provider, model, &own, &base_url, shared.config),
        purse: shared.purse.clone(),
        timeout: Duration::from_secs_f64(setting!(Some(flags.timeout), timeout).unwrap_or_default()),
        max_attempts: setting!(Some(flags.max_attempts), max_attempts).map_or(1, Into::into),
        max_wait: Duration::from_secs_f64(setting!(Some(flags.max_wait), max_wait).unwrap_or_default()),
    };
    judge::connect(target, settings, &known).map_err(anyhow::Error::msg)
}

/// The proxy that the environment names for `url`.
fn system_proxy(url: &str) -> Option<String> {
    let own: [&str; 2] =
        if url.starts_with("https:") { ["HTTPS_PROXY", "https_proxy"] } else { ["HTTP_PROXY", "http_proxy"] };
    own.into_iter().chain(["ALL_PROXY", "all_proxy"]).find_map(config::variable)
}

/// Where the provider's own tools look for its address.
fn base_url_variable(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::OpenAi | Provider::OpenAiResponses => Some("OPENAI_BASE_URL"),
        Provider::Anthropic => Some("ANTHROPIC_BASE_URL"),
        Provider::Azure => Some("AZURE_OPENAI_ENDPOINT"),
        Provider::Gemini | Provider::Vllm | Provider::LlamaCpp | Provider::Ollama => None,
    }
}

fn endpoint(base_url: &str, key: Option<SecretString>, own: &JudgeConfig) -> anyhow::Result<Endpoint> {
    let mut endpoint = Endpoint::new(base_url, key).map_err(anyhow::Error::msg)?;
    for (name, value) in &own.headers {
        let value = config::with_variables(value).with_context(|| format!("header {name}"))?;
        endpoint = endpoint.with_header(name, value.into()).map_err(anyhow::Error::msg)?;
    }
    for (name, value) in &own.query {
        let value = config::with_variables(value).with_context(|| format!("query {name}"))?;
        endpoint = endpoint.with_query(name, value.into());
    }
    if let Some(proxy) = &own.proxy {
        let proxy = config::with_variables(proxy).context("proxy")?;
        endpoint = endpoint.with_proxy(&proxy).map_err(anyhow::Error::msg)?;
    }
    if let Some(path) = &own.ca_cert {
        let pem = std::fs::read(path).with_context(|| format!("ca_cert: cannot read {}", path.display()))?;
        endpoint = endpoint
            .with_ca_certificates(&pem)
            .map_err(|why| anyhow!("ca_cert: {}: {why}", path.display()))?;
    }
    Ok(endpoint)
}

fn body(own: &JudgeConfig) -> anyhow::Result<serde_json::Map<String, serde_json::Value>> {
    match serde_json::to_value(&own.body)? {
        serde_json::Value::Object(body) => Ok(body),
        _ => Ok(serde_json::Map::new()),
    }
}

/// The settings' own price, else the list price, which holds at the provider's own address only: whoever serves a model
/// elsewhere has prices of their own.
fn price(
    provider: Provider,
    model: &str,
    own: &JudgeConfig,
    base_url: &str,
    config: &Config,
) -> Option<Price> {
    let listed = || match provider.default_base_url() {
        Some(usual) if usual == base_url => Price::listed(provider.as_str(), model),
        _ => None,
    };
    own.price.or_else(|| config.prices.get(&format!("{provider}:{model}")).copied()).or_else(listed)
}

/// The key, from the environment only. A local server or gateway may need none; a provider at its own address does. Where
/// the address is not `trusted`, only a key that was `named` goes there.
fn key(
    provider: Provider,
    base_url: &str,
    named: Option<&str>,
    trusted: bool,
    online: bool,
) -> anyhow::Result<Key> {
    let Some(name) = named.or(provider.key_variable()) else { return Ok(Key::default()) };
    let key = config::variable(name);
    let at_home = provider.needs_key() && provider.default_base_url().is_none_or(|usual| usual == base_url);
    if key.is_none() && online && (at_home || named.is_some()) {
        bail!(
            "no API key: set the environment variable {name}, name another one with --api-key-env, or point --base-url \
             at a server that needs none"
        );
    }
    Ok(match key {
        Some(key) if trusted || named.is_some() => {
            Key { sent: Some((name.to_owned(), SecretString::from(key))), withheld: None }
        }
        Some(_) => Key { sent: None, withheld: Some(name.to_owned()) },
        None => Key::default(),
    })
}
