//! Model judges ready for use, and what those of a run share.

use std::collections::HashMap;
use std::sync::Arc;

use super::Purpose;
use crate::judge::{self, Adaptation, CostBudget, Identity, Limiter, Parameters, Purse, Remote, Target};
use crate::run::RunError;
use crate::run::purse::StoredPurse;
use crate::run::settings::{FunctionSettings, JudgeKind, ModelSettings, PanelSettings, SettingsError};
use crate::store::Store;

/// What all model judges of a run share.
pub(super) struct Shared<'a> {
    store: Option<&'a Store>,
    /// Whether anybody will be called.
    online: bool,
    /// The temperature of models whose settings name none; none where that is the provider's business.
    usual_temperature: Option<f64>,
    /// What the run may spend.
    cost_budget: Option<Arc<CostBudget>>,
    /// One for each endpoint and model.
    limiters: HashMap<(String, String), Arc<Limiter>>,
}

/// Models that are driven, ready to be asked, and what they may spend together. `online` says whether anybody will be.
///
/// # Errors
/// As for judges.
pub(in crate::run) fn connect_agents<'m>(
    models: impl Iterator<Item = &'m ModelSettings>,
    max_cost: Option<f64>,
    store: Option<&Store>,
    online: bool,
) -> Result<(Vec<Remote>, Option<Arc<CostBudget>>), RunError> {
    let cost_budget = max_cost.map(CostBudget::new);
    let spending = cost_budget.clone();
    let limiters = HashMap::new();
    let mut shared = Shared { store, online, usual_temperature: None, cost_budget: spending, limiters };
    let connected = models.map(|model| shared.model(model)).collect::<Result<_, _>>()?;
    Ok((connected, cost_budget))
}

impl<'a> Shared<'a> {
    pub(super) fn new(
        settings: &PanelSettings,
        store: Option<&'a Arc<Store>>,
        purpose: &Purpose,
    ) -> Shared<'a> {
        let purse = || {
            let (store, name) = (Arc::clone(store?), settings.purse.clone()?);
            Some(Box::new(StoredPurse { store, name }) as Box<dyn Purse>)
        };
        Shared {
            store: store.map(Arc::as_ref),
            online: matches!(purpose, Purpose::Label | Purpose::Bench),
            usual_temperature: Some(if settings.votes.get() > 1 { 1.0 } else { 0.0 }),
            cost_budget: settings.max_cost.map(|ceiling| CostBudget::with_purse(ceiling, purse())),
            limiters: HashMap::new(),
        }
    }

    /// A judge ready to be asked, unless it is the built-in one. Nothing is sent yet.
    pub(super) fn connect(&mut self, kind: &JudgeKind) -> Result<Option<Remote>, RunError> {
        match kind {
            JudgeKind::Builtin | JudgeKind::Trained(_) => Ok(None),
            JudgeKind::Model(settings) => self.model(settings).map(Some),
            JudgeKind::Function(settings) => self.function(settings).map(Some),
        }
    }

    fn function(&mut self, settings: &FunctionSettings) -> Result<Remote, RunError> {
        let Identity { endpoint, model, .. } = settings.function.identity();
        let limiter = self.limiters.entry((endpoint, model)).or_insert_with(|| Limiter::new(settings.limits));
        let spending = judge::Settings {
            limiter: Arc::clone(limiter),
            cost_budget: self.cost_budget.clone(),
            ..judge::Settings::default()
        };
        let connected = judge::connect_function(settings.function.clone(), spending);
        Ok(connected.map_err(SettingsError::Judge)?)
    }

    fn model(&mut self, settings: &ModelSettings) -> Result<Remote, RunError> {
        let connected = self.connected(settings);
        let Some(variable) = settings.endpoint.missing_key.clone().filter(|_| self.online) else {
            return connected;
        };
        // Who mends one thing should not meet the next one after it.
        Err(match connected {
            Err(RunError::Settings(SettingsError::Judge(why))) => {
                SettingsError::NoKeyAnd { variable, why: Box::new(why) }
            }
            _ => SettingsError::NoKey(variable),
        }
        .into())
    }

    /// The model, whether its key is there or not.
    fn connected(&mut self, settings: &ModelSettings) -> Result<Remote, RunError> {
        let ModelSettings { provider, model, endpoint: given, limits, .. } = settings;
        let endpoint = given.endpoint(*provider).map_err(SettingsError::Judge)?;
        if endpoint.is_exposed() && self.online && !given.allow_http {
            return Err(SettingsError::Exposed(endpoint.public_url()).into());
        }
        let parameters = Parameters {
            temperature: settings.temperature.or(self.usual_temperature),
            max_tokens: settings.max_tokens.map(Into::into),
            capped: endpoint.is_self_hosted(*provider),
            num_ctx: settings.num_ctx.map(Into::into),
            body: settings.body.clone(),
        };
        let target = Target { provider: *provider, model: model.clone(), endpoint, parameters };
        let identity = target.identity();
        let known = match self.store {
            Some(store) => store.reader()?.adaptations(&identity.endpoint, &identity.model)?,
            None => Vec::new(),
        };
        let known: Vec<Adaptation> = known.iter().filter_map(|name| Adaptation::named(name)).collect();
        let place = (identity.endpoint, identity.model);
        let limiter = self.limiters.entry(place).or_insert_with(|| Limiter::new(*limits));
        let spending = judge::Settings {
            limiter: Arc::clone(limiter),
            price: settings.price(),
            cost_budget: self.cost_budget.clone(),
            timeout: given.timeout,
            max_attempts: given.max_attempts.get(),
            max_wait: given.max_wait,
        };
        Ok(judge::connect(target, spending, &known).map_err(SettingsError::Judge)?)
    }
}
