//! A model judge out of flags, settings file and environment.

use std::time::Duration;

use anyhow::{Context, anyhow};
use secrecy::SecretString;

use super::args::LabelArgs;
use super::judge_spec::JudgeSpec;
use super::panel::Named;
use crate::cli::config::{self, Config};
use crate::cli::defaults::Given;
use crate::judge::{Adaptation, Endpoint, Limits, Parameters, Remote, openai};
use crate::run::RunError;
use crate::store::Store;

/// What all model judges of a run share.
pub struct Settings<'a> {
    pub config: &'a Config,
    pub store: Option<&'a Store>,
    /// Whether anybody will be called: nobody needs a key otherwise.
    pub online: bool,
    /// How many of the judges are models: flags that describe one endpoint fit one only.
    pub models: usize,
}

/// A judge ready to be asked. Nothing is sent yet.
pub fn connect(
    args: &LabelArgs,
    given: &Given,
    judge: &Named<'_>,
    settings: &Settings<'_>,
) -> anyhow::Result<Remote> {
    let JudgeSpec::Model { model } = &judge.spec else { return Err(anyhow!("no model judge")) };
    let own = judge.own.cloned().unwrap_or_default();
    let flags = &args.endpoint;
    let base_url = match (&flags.base_url, own.base_url) {
        (Some(url), _) if given.has("base_url") => url.clone(),
        (_, Some(url)) => url,
        (Some(url), None) => url.clone(),
        (None, None) => config::variable("OPENAI_BASE_URL").unwrap_or_else(|| openai::BASE_URL.to_owned()),
    };
    let key = key(&base_url, "OPENAI_API_KEY", settings)?;
    let endpoint = Endpoint::new(&base_url, key).map_err(anyhow::Error::msg).context("--base-url")?;
    let parameters = Parameters {
        temperature: flags.temperature.or(Some(0.0)),
        max_tokens: flags.max_tokens.map(Into::into),
    };
    let known = match settings.store {
        Some(store) => store.reader().and_then(|reader| reader.adaptations(&endpoint.public_url(), model)),
        None => Ok(Vec::new()),
    };
    let known: Vec<Adaptation> =
        known.map_err(RunError::from)?.iter().filter_map(|name| Adaptation::named(name)).collect();
    let patience = crate::judge::Settings {
        limits: Limits { concurrency: args.limits.concurrency, rpm: args.limits.rpm, tpm: args.limits.tpm },
        timeout: Duration::from_secs_f64(flags.timeout),
        max_attempts: flags.max_attempts.get(),
        max_wait: Duration::from_secs_f64(flags.max_wait),
    };
    openai::judge(model, endpoint, parameters, patience, &known).map_err(anyhow::Error::msg)
}

fn key(base_url: &str, name: &str, settings: &Settings<'_>) -> anyhow::Result<Option<SecretString>> {
    let key = config::variable(name);
    if key.is_none() && base_url == openai::BASE_URL && settings.online {
        anyhow::bail!(
            "no API key: set the environment variable {name}, name another one with --api-key-env, or point --base-url \
             at a server that needs none"
        );
    }
    Ok(key.map(SecretString::from))
}
