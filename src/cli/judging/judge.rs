//! Builds one judge from flags, its entry in the settings file, and the environment.

use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use hyper_util::client::proxy::matcher::Matcher;
use secrecy::SecretString;
use serde_json::{Map, Value};

use super::args::{JudgeFlags, LimitArgs};
use super::entry::JudgeEntry;
use super::panel::Judging;
use super::route::{self, Key, NamedBy, Route};
use crate::cli::config::{Config, with_variables};
use crate::cli::host::Host;
use crate::domain::did_you_mean;
use crate::judge::{Concurrency, Endpoint, Limits, Provider, SetupError};
use crate::run::settings::{EndpointSettings, FunctionSettings, JudgeKind, JudgeSettings, ModelSettings};

/// A judge as the command line names it, with its entry in the settings file.
pub struct Named<'a> {
    pub settings: JudgeSettings,
    pub own: Option<&'a JudgeEntry>,
}

impl<'a> Named<'a> {
    /// The judge of that `name`, which `flag` gives: an entry's, or else what the name itself says.
    pub fn find(flag: &str, name: &str, config: &'a Config, host: &Host) -> anyhow::Result<Named<'a>> {
        let file = config.path.display();
        if let Some(function) = host.function(name) {
            if JudgeSettings::is_reserved(name) {
                bail!(
                    "a function cannot be named `{name}`: {}. Give the function another name",
                    JudgeSettings::RESERVED
                );
            }
            return Ok(Named { settings: JudgeSettings::function(function), own: None });
        }
        let (found, own) = match config.judges.get(name) {
            Some(own) => (
                own.judge.parse::<JudgeSettings>().map_err(|why| match own.of_host {
                    true => anyhow!("the judge `{name}`: {why}"),
                    false => anyhow!("{file}: [judges.{name}]: {why}"),
                })?,
                Some(own),
            ),
            None => match name.parse::<JudgeSettings>() {
                Ok(found) => (found, None),
                Err(why) if config.judges.is_empty() => {
                    bail!("{flag} {name}: {why}{}", did_you_mean(name, ["builtin"]))
                }
                Err(why) => {
                    let near =
                        did_you_mean(name, config.judges.keys().map(String::as_str).chain(["builtin"]));
                    let names = config.judges.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                    let who = if config.is_used() { format!("{file} names") } else { "there are".to_owned() };
                    bail!("{flag} {name}: {why}; {who} {names}{near}")
                }
            },
        };
        // A model file's folder is no part of its judge's name, unless an entry gives it one.
        let named_by_file = own.is_none() && matches!(found.kind, JudgeKind::Trained(_));
        let name = if named_by_file { found.name.clone() } else { name.to_owned() };
        Ok(Named { settings: JudgeSettings { name, ..found }, own })
    }
}

/// The settings of a judge, and where its rows go, if it is a model.
pub fn merged(judge: Named<'_>, judging: &Judging<'_>) -> anyhow::Result<(JudgeSettings, Option<Route>)> {
    let Named { settings: JudgeSettings { name, kind }, own } = judge;
    match kind {
        JudgeKind::Builtin | JudgeKind::Trained(_) => Ok((JudgeSettings { name, kind }, None)),
        JudgeKind::Function(mut settings) => {
            settings.limits = limits(judging.args.limits.clone(), FunctionSettings::CONCURRENCY);
            Ok((JudgeSettings { name, kind: JudgeKind::Function(settings) }, None))
        }
        JudgeKind::Model(model) => {
            let place = own.map(|own| match own.of_host {
                true => format!("the judge `{name}`"),
                false => format!("{}: [judges.{name}]", judging.config.path.display()),
            });
            let own = Own { name: &name, entry: own.cloned().unwrap_or_default(), place };
            let (model, route) = own.model(*model, judging)?;
            Ok((JudgeSettings { name, kind: JudgeKind::Model(Box::new(model)) }, Some(route)))
        }
    }
}

/// A judge's own entry in the settings file; an empty one where it has none.
struct Own<'a> {
    name: &'a str,
    entry: JudgeEntry,
    /// Where it stands, if there is one.
    place: Option<String>,
}

/// The variable whose content is sent as the key, and the one whose content is not.
struct KeyVariable {
    named: Option<String>,
    withheld: Option<String>,
}

/// An address, who named it, and where.
struct Address {
    url: String,
    by: NamedBy,
    place: String,
}

impl Own<'_> {
    /// `model` with what a flag says, else the entry, else the settings file's defaults of flags.
    fn model(&self, model: ModelSettings, judging: &Judging<'_>) -> anyhow::Result<(ModelSettings, Route)> {
        let Judging { typed, args, config, origins, host, .. } = judging;
        let (own, provider) = (&self.entry, model.provider);
        let flags = JudgeFlags { endpoint: args.endpoint.clone(), limits: args.limits.clone() };
        let JudgeFlags { endpoint: flags, limits: own_limits } = own.over(flags, &origins.given);
        let address = self.address(provider, judging)?;
        let base_url = &address.url;
        let found = Endpoint::new(base_url, None).with_context(|| address.place.clone())?;
        let key_env = self.key_variable(flags.api_key_env, &address, &found, judging)?;
        if typed.endpoint.base_url.is_some() {
            route::stays_home(self.name, own, &found, typed.endpoint.api_key_env.is_some())?;
        }
        // Who sends everything through a proxy that they have also made trusted, or over plain http, can be anybody's address.
        let plain = base_url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"));
        let intercepted = own.proxy.is_some() && (own.ca_cert.is_some() || plain);
        let trusted = match address.by {
            NamedBy::Nobody | NamedBy::User => !intercepted,
            NamedBy::File => !intercepted && found.is_of(provider),
        };
        if key_env.named.as_deref().is_some_and(|name| !is_variable(name)) {
            // Whatever it is, it may be the key itself.
            bail!(
                "--api-key-env, or `api_key_env` of a settings file, is the name of an environment variable, and what it holds is none; \
                   put the key into a variable and name that"
            );
        }
        let mut key = key(provider, base_url, key_env.named.as_deref(), trusted, host);
        key.withheld = key_env.withheld.filter(|_| key.sent.is_none()).or(key.withheld);
        let usual = EndpointSettings::default();
        let seconds = |seconds: Option<f64>| seconds.map(Duration::from_secs_f64);
        let endpoint = EndpointSettings {
            base_url: Some(base_url.clone()),
            allow_http: flags.allow_http,
            api_key: key.sent.as_ref().map(|(_, key)| key.clone()),
            missing_key: key.missing.clone(),
            headers: self.secrets("header", own.headers.iter(), host)?,
            query: self.secrets("query", own.query.iter(), host)?,
            proxy: self.proxy(host)?,
            system_proxy: system_proxy(base_url, host).map(SecretString::from),
            ca_cert: own.ca_cert.clone(),
            timeout: seconds(flags.timeout).unwrap_or(usual.timeout),
            max_attempts: flags.max_attempts.unwrap_or(usual.max_attempts),
            max_wait: seconds(flags.max_wait).unwrap_or(usual.max_wait),
        };
        let place = || self.place.clone().unwrap_or_else(|| address.place.clone());
        let ready = endpoint.endpoint(provider).with_context(place)?;
        let route = Route::new(self.name, provider, &ready, address.by, own, &key);
        let price = || config.prices.get(&format!("{provider}:{}", model.model)).copied();
        let model = ModelSettings {
            endpoint,
            limits: limits(own_limits, Concurrency::default()),
            temperature: flags.temperature,
            max_tokens: flags.max_tokens,
            num_ctx: own.num_ctx,
            body: self.body()?,
            price: own.price.or_else(price),
            ..model
        };
        Ok((model, route))
    }

    /// The variable of the key, `merged` out of all layers. A key that the defaults of all judges name belongs to the address beside it,
    /// else to the provider's: the entry's own address does not get it.
    fn key_variable(
        &self,
        merged: Option<String>,
        address: &Address,
        found: &Endpoint,
        judging: &Judging<'_>,
    ) -> anyhow::Result<KeyVariable> {
        let Judging { args, origins, .. } = judging;
        let own = &self.entry.flags.endpoint;
        let Some(place) = origins.place("api_key_env").filter(|_| own.api_key_env.is_none()) else {
            return Ok(KeyVariable { named: merged, withheld: None });
        };
        if own.base_url.as_ref() == Some(&address.url) {
            return Ok(KeyVariable { named: None, withheld: merged });
        }
        let beside = match origins.outdone("base_url") {
            Some(url) => url.as_str(),
            None => args.endpoint.base_url.as_deref().filter(|_| origins.place("base_url").is_some()),
        };
        let is_beside = |own: &str| Endpoint::new(own, None).is_ok_and(|own| own.is_beside(found));
        if beside.is_some_and(|own| !is_beside(own)) {
            bail!(
                "{place}: the key is meant for the `base_url` beside it, and {} names another address; name the key for that one with \
                 --api-key-env",
                address.place
            );
        }
        Ok(KeyVariable { named: merged, withheld: None })
    }

    /// A flag's address, else the entry's, the environment's, that of the settings file's defaults, the provider's own.
    fn address(&self, provider: Provider, judging: &Judging<'_>) -> anyhow::Result<Address> {
        let Judging { typed, args, origins, host, .. } = judging;
        let named =
            |url: &Option<String>, by, place: String| url.clone().map(|url| Address { url, by, place });
        let by_variable = || {
            let name = base_url_variable(provider)?;
            named(&host.variable(name), NamedBy::User, name.to_owned())
        };
        // What a host gives for a judge is meant for the provider, and not for an address that a file names.
        let entry = &self.entry;
        let holds = entry.flags.endpoint.api_key_env.is_some()
            || !entry.headers.is_empty()
            || !entry.query.is_empty();
        let follows_file = !(entry.of_host && holds);
        let in_section = || {
            if !follows_file {
                return None;
            }
            let place = origins.place("base_url").unwrap_or_default();
            named(&args.endpoint.base_url, NamedBy::File, place)
        };
        let usual = || {
            let url = provider.default_base_url().map(str::to_owned);
            named(&url, NamedBy::Nobody, provider.to_string())
        };
        let by_entry = if self.entry.of_host { NamedBy::User } else { NamedBy::File };
        let flag = named(&typed.endpoint.base_url, NamedBy::User, "--base-url".to_owned());
        let found = flag
            .or_else(|| {
                named(&self.entry.flags.endpoint.base_url, by_entry, self.place.clone().unwrap_or_default())
            })
            .or_else(by_variable)
            .or_else(in_section)
            .or_else(usual);
        Ok(found.ok_or(SetupError::NoAddress(provider))?)
    }

    /// Values with their `${NAME}`s filled in.
    fn secrets<'a>(
        &self,
        what: &str,
        pairs: impl Iterator<Item = (&'a String, &'a String)>,
        host: &Host,
    ) -> anyhow::Result<Vec<(String, SecretString)>> {
        let filled = |(name, value): (&String, &String)| {
            let value = with_variables(value, host).with_context(|| self.about(&format!("{what} {name}")))?;
            Ok((name.clone(), SecretString::from(value)))
        };
        pairs.map(filled).collect()
    }

    fn proxy(&self, host: &Host) -> anyhow::Result<Option<SecretString>> {
        let Some(proxy) = &self.entry.proxy else { return Ok(None) };
        let proxy = with_variables(proxy, host).with_context(|| self.about("proxy"))?;
        Ok(Some(proxy.into()))
    }

    fn body(&self) -> anyhow::Result<Map<String, Value>> {
        match serde_json::to_value(&self.entry.body).with_context(|| self.about("body"))? {
            Value::Object(body) => Ok(body),
            _ => Ok(Map::new()),
        }
    }

    /// Where a setting of the entry stands.
    fn about(&self, setting: &str) -> String {
        format!("{}: {setting}", self.place.as_deref().unwrap_or(self.name))
    }
}

/// What a judge may use, in flight `concurrency` at once where nothing is said of it.
fn limits(flags: LimitArgs, concurrency: Concurrency) -> Limits {
    let LimitArgs { rpm, tpm, itpm, otpm, ignore_rate_headers: ignore_headers, .. } = flags;
    let concurrency = flags.concurrency.unwrap_or(concurrency);
    Limits { concurrency, rpm, tpm, itpm, otpm, ignore_headers }
}

/// The proxy that the environment names for `url`, and does not except it from.
fn system_proxy(url: &str, host: &Host) -> Option<String> {
    let own: [&str; 2] =
        if url.starts_with("https:") { ["HTTPS_PROXY", "https_proxy"] } else { ["HTTP_PROXY", "http_proxy"] };
    let named = own.into_iter().chain(["ALL_PROXY", "all_proxy"]).find_map(|name| host.variable(name))?;
    let excepted =
        ["NO_PROXY", "no_proxy"].into_iter().find_map(|name| host.variable(name)).unwrap_or_default();
    let matcher = Matcher::builder().all(named.as_str()).no(excepted).build();
    matcher.intercept(&url.parse().ok()?).map(|_| named)
}

/// Whether `name` can be that of an environment variable.
fn is_variable(name: &str) -> bool {
    let starts = name.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    starts && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
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

/// The key, from the environment only. A local server or gateway may need none; a provider at its own address does. Where
/// the address is not `trusted`, only a key that was `named` goes there.
fn key(provider: Provider, base_url: &str, named: Option<&str>, trusted: bool, host: &Host) -> Key {
    let Some(name) = named.or(provider.key_variable()) else { return Key::default() };
    let at_home = provider.needs_key() && provider.default_base_url().is_none_or(|usual| usual == base_url);
    match host.variable(name) {
        Some(key) if trusted || named.is_some() => {
            Key { sent: Some((name.to_owned(), SecretString::from(key))), ..Key::default() }
        }
        Some(_) => Key { withheld: Some(name.to_owned()), ..Key::default() },
        None if at_home || named.is_some() => Key { missing: Some(name.to_owned()), ..Key::default() },
        None => Key::default(),
    }
}
