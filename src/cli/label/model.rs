//! A model judge out of flags, settings file and environment.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use secrecy::SecretString;

use super::args::LabelArgs;
use super::judge_spec::JudgeSpec;
use super::panel::Named;
use crate::cli::config::{self, Config, JudgeConfig};
use crate::cli::defaults::Given;
use crate::judge::{
    Adaptation, Concurrency, Endpoint, Limiter, Limits, Parameters, Price, Purse, Remote, openai,
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
}

/// A judge ready to be asked. Nothing is sent yet.
pub fn connect(
    args: &LabelArgs,
    given: &Given,
    judge: &Named<'_>,
    shared: &mut Shared<'_>,
) -> anyhow::Result<Remote> {
    let JudgeSpec::Model { model } = &judge.spec else { return Err(anyhow!("no model judge")) };
    let own = judge.own.cloned().unwrap_or_default();
    // A flag on the command line, else the judge's own setting, else the flag's default.
    macro_rules! setting {
        ($flag:expr, $name:ident) => {
            if given.has(stringify!($name)) { $flag } else { own.$name.clone().or($flag) }
        };
    }
    let flags = &args.endpoint;
    let base_url = setting!(flags.base_url.clone(), base_url)
        .or_else(|| config::variable("OPENAI_BASE_URL"))
        .unwrap_or_else(|| openai::BASE_URL.to_owned());
    let key_variable = setting!(flags.api_key_env.clone(), api_key_env);
    let key = key(&base_url, key_variable.as_deref().unwrap_or("OPENAI_API_KEY"), shared)?;
    let endpoint = Endpoint::new(&base_url, key).map_err(anyhow::Error::msg).context("--base-url")?;
    let usual_temperature = if args.wording.votes.get() > 1 { 1.0 } else { 0.0 };
    let parameters = Parameters {
        temperature: setting!(flags.temperature, temperature).or(Some(usual_temperature)),
        max_tokens: setting!(flags.max_tokens, max_tokens).map(Into::into),
    };
    let known = match shared.store {
        Some(store) => store.reader().and_then(|reader| reader.adaptations(&endpoint.public_url(), model)),
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
    };
    let place = (endpoint.public_url(), model.clone());
    let limiter = shared.limiters.entry(place).or_insert_with(|| Limiter::new(limits));
    let settings = crate::judge::Settings {
        limiter: Arc::clone(limiter),
        price: price(judge, &own, &base_url, shared.config),
        purse: shared.purse.clone(),
        timeout: Duration::from_secs_f64(setting!(Some(flags.timeout), timeout).unwrap_or_default()),
        max_attempts: setting!(Some(flags.max_attempts), max_attempts).map_or(1, Into::into),
        max_wait: Duration::from_secs_f64(setting!(Some(flags.max_wait), max_wait).unwrap_or_default()),
    };
    openai::judge(model, endpoint, parameters, settings, &known).map_err(anyhow::Error::msg)
}

/// The settings' own price, else the list price, which holds at the provider's own address only: whoever serves a model
/// elsewhere has prices of their own.
fn price(judge: &Named<'_>, own: &JudgeConfig, base_url: &str, config: &Config) -> Option<Price> {
    let JudgeSpec::Model { model } = &judge.spec else { return None };
    let name = format!("openai:{model}");
    own.price
        .or_else(|| config.prices.get(&name).copied())
        .or_else(|| if base_url == openai::BASE_URL { Price::listed("openai", model) } else { None })
}

fn key(base_url: &str, name: &str, shared: &Shared<'_>) -> anyhow::Result<Option<SecretString>> {
    let key = config::variable(name);
    if key.is_none() && base_url == openai::BASE_URL && shared.online {
        anyhow::bail!(
            "no API key: set the environment variable {name}, name another one with --api-key-env, or point --base-url \
             at a server that needs none"
        );
    }
    Ok(key.map(SecretString::from))
}
