//! Which model is used at which address, and the judge that uses it.

use secrecy::SecretString;

use super::channel::Channel;
use super::formats::anthropic::Anthropic;
use super::formats::azure;
use super::formats::chat::{Chat, Dialect};
use super::formats::gemini::Gemini;
use super::formats::ollama::Ollama;
use super::formats::responses::Responses;
use super::function::{Function, Plain};
use super::provider_format::ProviderFormat;
use super::transport::Transport;
use super::{Adaptation, Endpoint, Identity, Parameters, Provider, Remote, Settings, SetupError};

/// A judge model and everything that is known about reaching it.
#[derive(Debug, Clone)]
pub struct Target {
    /// Whose API is spoken.
    pub provider: Provider,
    /// The model, in the provider's spelling; for Azure, the deployment.
    pub model: String,
    /// The model's address and headers.
    pub endpoint: Endpoint,
    /// What is requested beside the prompt.
    pub parameters: Parameters,
}

impl Target {
    /// A model at its provider's own address, with the provider's default settings.
    ///
    /// # Errors
    /// When the provider has no common address, as Azure has none.
    pub fn new(provider: Provider, model: &str, key: Option<SecretString>) -> Result<Target, SetupError> {
        let base_url = provider.default_base_url().ok_or(SetupError::NoAddress(provider))?;
        let endpoint = Endpoint::new(base_url, key)?;
        Ok(Target { provider, model: model.to_owned(), endpoint, parameters: Parameters::default() })
    }

    /// What replies and adaptations are kept under.
    ///
    /// Chat completions, wherever they are spoken, go by the endpoint alone; another format on the same address may
    /// give other replies, so its name is added. So may another route through a gateway: see [`Endpoint::with_header`].
    pub fn identity(&self) -> Identity {
        let url = self.endpoint.public_url();
        let endpoint = match self.provider {
            Provider::OpenAi | Provider::Azure => url,
            other => format!("{url}#{other}"),
        };
        let route = self.endpoint.route();
        Identity { endpoint, model: self.model.clone(), parameters: self.parameters.to_json(), route }
    }

    pub(super) fn format(&self) -> Box<dyn ProviderFormat> {
        let (model, parameters) = (self.model.clone(), self.parameters.clone());
        let chat = |path: String, dialect| {
            Box::new(Chat { path, model: model.clone(), parameters: parameters.clone(), dialect })
        };
        let path = || "/chat/completions".to_owned();
        match self.provider {
            Provider::OpenAi => chat(path(), Dialect::OpenAi),
            Provider::Azure => chat(azure::path(&self.endpoint.public_url(), &model), Dialect::OpenAi),
            Provider::Vllm => chat(path(), Dialect::Vllm),
            Provider::LlamaCpp => chat(path(), Dialect::LlamaCpp),
            Provider::OpenAiResponses => Box::new(Responses { model, parameters }),
            Provider::Anthropic => Box::new(Anthropic::new(&self.endpoint.public_url(), model, parameters)),
            Provider::Gemini => Box::new(Gemini::new(&model, parameters)),
            Provider::Ollama => Box::new(Ollama { model, parameters }),
        }
    }

    /// Pairs that the query must hold unless it names them itself.
    pub(super) fn query(&self) -> &'static [(&'static str, &'static str)] {
        match self.provider {
            Provider::Azure if !azure::is_v1(&self.endpoint.public_url()) => {
                &[("api-version", azure::API_VERSION)]
            }
            _ => &[],
        }
    }
}

/// A judge for `target`. `known` is what its endpoint was found not to support before.
///
/// # Errors
/// When a key or header cannot be sent, or the HTTP client cannot be set up.
pub fn connect(target: Target, settings: Settings, known: &[Adaptation]) -> Result<Remote, SetupError> {
    let (identity, format, query) = (target.identity(), target.format(), target.query());
    let url = target.endpoint.url_of(format.path(), query);
    let headers = target.endpoint.headers(target.provider)?;
    let connections = settings.limiter.most_in_flight();
    let transport = Transport::new(target.endpoint, url, headers, settings.timeout, connections)?;
    Remote::new(identity, format, Channel::Http(Box::new(transport)), settings, known)
}

/// A judge that is a function in this process. The prompt asks for labels in words; they are not forced.
///
/// # Errors
/// Where there is a cost ceiling: what a function costs is not known.
pub fn connect_function(function: Function, settings: Settings) -> Result<Remote, SetupError> {
    if settings.cost_budget.is_some() {
        return Err(SetupError::FunctionCost(function.name));
    }
    let (identity, format) = (function.identity(), Box::<Plain>::default());
    Remote::new(identity, format, Channel::Function(function), settings, &[Adaptation::TextRail])
}
