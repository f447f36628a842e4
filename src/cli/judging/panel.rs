//! Builds the panel of judges from flags, settings file and environment.

use anyhow::bail;

use super::args::{EndpointArgs, JudgingArgs};
use super::judge::{self, Named};
use super::route::Route;
use crate::cli::config::Config;
use crate::cli::flags::flag;
use crate::cli::host::Host;
use crate::cli::layers::Origins;
use crate::cli::printer::Printer;
use crate::cli::store_place::store_place;
use crate::domain::{Task, Unit};
use crate::run::settings::{JudgeKind, JudgeSettings, PanelSettings, StoreSettings};

/// What is known of who judges, and where it comes from.
pub struct Judging<'a> {
    /// What was typed.
    pub typed: &'a JudgingArgs,
    /// The same, completed by the settings file.
    pub args: &'a JudgingArgs,
    pub origins: &'a Origins,
    pub config: &'a Config,
    pub host: &'a Host,
    /// Whether rows may go anywhere, so that it is told where.
    pub tells_routes: bool,
    /// The flag that names whoever is asked.
    pub flag: &'static str,
}

/// The panel; warns of flags that do nothing, refuses those that could mean two things, and tells where rows go. `more` are flags
/// of the command's own that only model judges use.
pub fn panel(
    judging: &Judging<'_>,
    more: &[&'static str],
    printer: Printer<'_>,
) -> anyhow::Result<PanelSettings> {
    let Judging { typed, args, config, .. } = judging;
    let builtin = ["builtin".to_owned()];
    let names = if args.judges.is_empty() { &builtin[..] } else { &args.judges };
    let named: Vec<Named<'_>> = names
        .iter()
        .map(|name| Named::find(judging.flag, name, config, judging.host))
        .collect::<anyhow::Result<_>>()?;
    let models = named.iter().filter(|judge| !judge.settings.is_builtin()).count();
    let has_builtin = models < named.len();
    check_effect(judging, models, has_builtin, printer)?;
    let idle = [&typed.of_models()[..], more].concat();
    if models == 0 && !idle.is_empty() {
        printer.warn(&format!(
            "the built-in judge does not use {}; choose a model with --judge",
            idle.join(", ")
        ));
    }
    let endpoints = named.iter().filter(|judge| matches!(judge.settings.kind, JudgeKind::Model(_))).count();
    let idle = typed.of_endpoints();
    if models > 0 && endpoints == 0 && !idle.is_empty() {
        printer.warn(&format!("a judge that is a function does not use {}", idle.join(", ")));
    }
    let endpoint = &typed.endpoint;
    let ambiguous =
        [("--base-url", endpoint.base_url.is_some()), ("--api-key-env", endpoint.api_key_env.is_some())];
    if let Some((flag, _)) = ambiguous.into_iter().find(|(_, given)| models > 1 && *given) {
        bail!(
            "{flag} describes one endpoint, and there are {models} model judges; give each its own in tooljudge.toml"
        );
    }
    one_provider(&named, judging)?;
    let mut routes: Vec<Route> = Vec::new();
    let mut judges = Vec::new();
    for judge in named {
        let (settings, route) = judge::merged(judge, judging)?;
        judges.push(settings);
        routes.extend(route);
    }
    if judging.tells_routes {
        routes.iter().for_each(|route| route.say(&config.path, printer));
    }
    // One of a settings file looks before models, and hinders nobody who asks none.
    let looks_first = args.first.as_ref().filter(|_| models > 0 || judging.origins.place("first").is_none());
    let first = looks_first.map(|name| first(name, config, judging.host)).transpose()?;
    let usual = PanelSettings::default();
    Ok(PanelSettings {
        judges,
        tasks: args.tasks.clone(),
        templates: templates(judging, models),
        rails: args.wording.rails.clone(),
        five_grades: args.wording.scale.is_some(),
        variables: Vec::new(),
        explain: args.wording.explain,
        findings: args.findings,
        unit: args.per.map_or(Unit::Turn, Unit::from),
        votes: args.wording.votes.unwrap_or(usual.votes),
        rules: args.wording.snap.unwrap_or_default(),
        decide: args.decide.unwrap_or_default(),
        // What a settings file says of the built-in judge is of no use where it is not asked.
        base_rate: args.base_rate.filter(|_| has_builtin || first.is_some()),
        first,
        max_cost: args.limits.max_cost,
        purse: None,
        store: StoreSettings {
            place: match &args.store.store {
                Some(given) => store_place(given, judging.host)?,
                None => usual.store.place,
            },
            fresh: args.store.fresh,
            retry: args.store.retry.clone(),
            keep_prompts: args.store.keep_prompts,
        },
    })
}

/// Refuses what was typed of judges that are not there, where labels or gates would be others by it.
fn check_effect(
    judging: &Judging<'_>,
    models: usize,
    has_builtin: bool,
    printer: Printer<'_>,
) -> anyhow::Result<()> {
    let Judging { typed, args, origins, .. } = judging;
    let given = |keys: &[&str]| keys.iter().find(|key| origins.given.is_on(key)).map(|key| flag(key));
    if models == 0
        && let Some(flag) = given(&["rails", "scale"])
    {
        bail!(
            "{flag} has no effect: the built-in judge has labels of its own; choose a model with --judge, or leave {flag} out"
        );
    }
    if !has_builtin && let Some(flag) = given(&["max_abstained"]) {
        bail!(
            "{flag} has no effect: it is about the built-in judge, which is not asked; add --judge builtin, or leave {flag} out"
        );
    }
    // Scripts ask one judge after the other with the same options.
    let idle = [("decide", has_builtin), ("base_rate", has_builtin || args.first.is_some())];
    for (key, _) in idle.into_iter().filter(|(key, is_used)| !is_used && origins.given.is_on(key)) {
        printer.warn(&format!(
            "{} is of use to the built-in judge only; choose it with --judge builtin",
            flag(key)
        ));
    }
    let own = |name: &String| name.parse::<Task>().is_err();
    if typed.wording.scale.is_some()
        && !args.wording.templates.is_empty()
        && args.wording.templates.iter().all(own)
    {
        bail!(
            "--scale has no effect beside --template: a template of your own has labels of its own; leave --scale out"
        );
    }
    Ok(())
}

/// Refuses an address or a key of the settings file that would go to the models of several providers: each takes its own only.
fn one_provider(named: &[Named<'_>], judging: &Judging<'_>) -> anyhow::Result<()> {
    let own = |key: &str, own: &EndpointArgs| match key {
        "base_url" => own.base_url.is_some(),
        _ => own.api_key_env.is_some(),
    };
    for key in ["base_url", "api_key_env"] {
        let Some(place) = judging.origins.place(key) else { continue };
        let needs = |judge: &&Named<'_>| judge.own.is_none_or(|entry| !own(key, &entry.flags.endpoint));
        let without = named.iter().filter(needs);
        let mut providers = without.filter_map(|judge| match &judge.settings.kind {
            JudgeKind::Model(model) => Some((&judge.settings.name, model.provider)),
            _ => None,
        });
        let Some((first, provider)) = providers.next() else { continue };
        if let Some((other, _)) = providers.find(|(_, own)| *own != provider) {
            bail!(
                "{place}: it would hold for {first} and for {other}, which are of different providers; give each judge its own `{key}` \
                 in [judges.NAME]"
            );
        }
    }
    Ok(())
}

/// The templates; those of a settings file are for models, and hinder nobody who asks none.
fn templates(judging: &Judging<'_>, models: usize) -> Vec<String> {
    match models == 0 && judging.origins.place("template").is_some() {
        true => Vec::new(),
        false => judging.args.wording.templates.clone(),
    }
}

/// The judge that looks first, which nobody pays for.
fn first(name: &str, config: &Config, host: &Host) -> anyhow::Result<JudgeSettings> {
    let judge = Named::find("--first", name, config, host)?.settings;
    if !judge.is_builtin() {
        bail!("--first takes `builtin` or `builtin:FILE`, and {name} is a model; name it with --judge");
    }
    Ok(judge)
}
