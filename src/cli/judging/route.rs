//! Where rows and keys are sent: whose address it is, who set it, and which environment variables are sent there.

use std::path::Path;

use anyhow::bail;
use secrecy::SecretString;

use super::entry::JudgeEntry;
use crate::cli::config;
use crate::cli::printer::Printer;
use crate::judge::{Endpoint, Provider};

/// Who named a judge's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// Nobody: it is the provider's usual one.
    Nobody,
    /// The user, on the command line or in the environment.
    User,
    /// A settings file, which may be somebody else's.
    File,
}

/// Where one judge's rows go.
#[derive(Debug, Clone)]
pub struct Route {
    pub judge: String,
    /// Without credentials and query.
    pub address: String,
    /// The proxy that the settings file sends everything through, likewise.
    pub proxy: Option<String>,
    /// Whether the address, or the way to it, is somebody else's than the provider's.
    pub elsewhere: bool,
    /// Whether nothing leaves this machine.
    pub here: bool,
    pub by: NamedBy,
    /// Whether a host gave all settings of the judge.
    pub of_host: bool,
    /// Variables of the environment that are sent, by name.
    pub variables: Vec<String>,
    /// The variable of a key that is not sent, because nobody said that it belongs there.
    pub withheld: Option<String>,
}

impl Route {
    /// The route of `judge` to `endpoint`, with the `key` of that variable or without the `withheld` one.
    pub fn new(
        judge: &str,
        provider: Provider,
        endpoint: &Endpoint,
        by: NamedBy,
        own: &JudgeEntry,
        key: &Key,
    ) -> Route {
        let texts = own.headers.values().chain(own.query.values()).chain(&own.proxy);
        let mut variables: Vec<String> = key.sent.iter().map(|(name, _)| name.clone()).collect();
        variables.extend(texts.flat_map(|text| config::variables(text)).map(str::to_owned));
        variables.sort_unstable();
        variables.dedup();
        Route {
            judge: judge.to_owned(),
            address: endpoint.public_url(),
            proxy: endpoint.public_proxy(),
            elsewhere: !endpoint.is_of(provider) || own.proxy.is_some(),
            here: endpoint.is_here() && !endpoint.is_proxied(),
            by,
            of_host: own.of_host,
            variables,
            withheld: key.withheld.clone(),
        }
    }

    /// Says where rows go, if the settings file sends them elsewhere than to the provider's own address: quiet or not where
    /// they leave this machine. An address that the user gave needs no word.
    pub fn say(&self, settings: &Path, printer: Printer<'_>) {
        if self.elsewhere && !self.of_host && (self.by == NamedBy::File || self.proxy.is_some()) {
            let through = self.proxy.as_ref().map_or_else(String::new, |proxy| format!(" by way of {proxy}"));
            let with = match &self.variables[..] {
                [] => String::new(),
                names => format!(", with the content of {}", names.join(", ")),
            };
            let (judge, address) = (&self.judge, &self.address);
            let text = format!("{}: the rows for {judge} go to {address}{through}{with}", settings.display());
            if self.here {
                printer.talk(&text);
            } else {
                printer.notice(&text);
            }
        }
        if let Some(name) = &self.withheld {
            printer.warn(&format!(
                "{name} is not sent to {}: {} names that address, which is not the provider's own. If the key belongs there, \
                 allow it with `api_key_env= \"{name}\"` beside the address, or with --api-key-env {name}",
                self.address,
                settings.display()
            ));
        }
    }
}

/// Refuses to send what a judge's entry holds for its own address to the `given` one: neither its headers and queries, nor the key
/// that it names, unless the command line names one.
pub fn stays_home(judge: &str, own: &JudgeEntry, given: &Endpoint, key_given: bool) -> anyhow::Result<()> {
    let Some(usual) = own.flags.endpoint.base_url.as_deref() else { return Ok(()) };
    let usual = Endpoint::new(usual, None);
    if usual.as_ref().is_ok_and(|usual| usual.is_beside(given)) {
        return Ok(());
    }
    let held: Vec<&str> = [
        ("api_key_env", own.flags.endpoint.api_key_env.is_some() && !key_given),
        ("headers", !own.headers.is_empty()),
        ("query", !own.query.is_empty()),
    ]
    .into_iter()
    .filter_map(|(name, is_held)| is_held.then_some(name))
    .collect();
    if held.is_empty() {
        return Ok(());
    }
    bail!(
        "--base-url {} is another address than the base_url of [judges.{}] ({}), and what its entry sends along ({}) is meant for that \
         one. Leave --base-url out, change base_url in the settings file, or ask the model without its entry: --judge {}",
        given.public_url(),
        judge,
        usual.map_or_else(|_| "no address".to_owned(), |usual| usual.public_url()),
        held.join(", "),
        own.judge
    )
}

/// The key of a judge.
#[derive(Debug, Default)]
pub struct Key {
    /// The variable, and what it holds.
    pub sent: Option<(String, SecretString)>,
    /// The variable of one that is not sent.
    pub withheld: Option<String>,
    /// The variable of one that is needed and not there.
    pub missing: Option<String>,
}
