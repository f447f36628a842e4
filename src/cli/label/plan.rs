//! Flags to validated settings: what is wrong with them is said before anything is judged or paid for.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use jiff::Timestamp;
use secrecy::SecretString;
use serde_json::Value;

use super::args::{LabelArgs, NullCallArg};
use super::judge_spec::JudgeSpec;
use crate::cli::printer::Printer;
use crate::cli::templates;
use crate::domain::{Rail, Rails, Task};
use crate::judge::{
    Adaptation, Endpoint, Judge, Limits, Parameters, Provider, Remote, Settings, Target, connect,
};
use crate::normalize::{Normalizer, NullCall, Options, columns};
use crate::read::{Selection, Table};
use crate::render::{self, Template, TemplateError};
use crate::run::{Destination, JudgeRecord, Manifest, RunError, Source, TemplateRecord};
use crate::store::Store;
use crate::write::{self, LabelColumns, OutputFormat};

/// A run that can begin.
pub struct Plan {
    pub source: Source,
    pub destination: Destination,
    pub manifest: Manifest,
    pub jury: Jury,
}

/// Who judges, and by what.
pub enum Jury {
    Builtin(Task),
    Remote(Box<RemoteJury>),
}

/// A model judge with its wording and its memory.
pub struct RemoteJury {
    pub template: Template,
    pub judge: Remote,
    pub store: Store,
}

pub fn plan(args: &LabelArgs, printer: Printer) -> anyhow::Result<Plan> {
    let run = format!("{}-{:08x}", Timestamp::now().strftime("%Y%m%dT%H%M%SZ"), fastrand::u32(..));
    let source = source(args, printer)?;
    match &args.judge {
        JudgeSpec::Builtin => {
            let task = builtin_task(args, printer)?;
            let destination = destination(args, &source, task.as_str())?;
            let mut manifest = manifest(args, run, &source);
            manifest.task = Some(task.as_str());
            Ok(Plan { source, destination, manifest, jury: Jury::Builtin(task) })
        }
        JudgeSpec::Model { provider, model } => {
            let template = template(args)?;
            let destination = destination(args, &source, template.name())?;
            let target = target(args, *provider, model)?;
            let store = Store::open(&args.store.store, &run).map_err(RunError::from)?;
            let judge = judge(args, target, &store)?;
            let mut manifest = manifest(args, run, &source);
            manifest.judge.endpoint = Some(judge.identity().endpoint.clone());
            manifest.judge.model = Some(model.clone());
            manifest.judge.parameters =
                serde_json::from_str(&judge.identity().parameters).unwrap_or_default();
            manifest.task = template.task().map(Task::as_str);
            manifest.template = Some(template_record(args, &template));
            manifest.store = Some(store.path().display().to_string());
            let jury = Jury::Remote(Box::new(RemoteJury { template, judge, store }));
            Ok(Plan { source, destination, manifest, jury })
        }
    }
}

fn source(args: &LabelArgs, printer: Printer) -> anyhow::Result<Source> {
    let selection = Selection { filters: args.input.filters.clone(), limit: args.input.limit };
    let table = Table::open(&args.inputs, args.input.from, selection)?;
    let tools = match &args.input.tools {
        Some(file) => Some(
            std::fs::read_to_string(file)
                .with_context(|| format!("cannot read the tool definitions {}", file.display()))?,
        ),
        None => None,
    };
    let names: Vec<String> = table.schema().names().map(str::to_owned).collect();
    let columns = columns::resolve(&names, &args.input.columns, true)?;
    if columns.tool_definitions.is_none() && tools.is_none() {
        printer.warn(
            "no column holds tool definitions, so calls are judged without them; give them with --tools FILE, or name \
             their column with --column tool_definitions=COLUMN",
        );
    }
    let null_call = match args.input.null_call {
        NullCallArg::Nothing => NullCall::NothingCalled,
        NullCallArg::Invalid => NullCall::Invalid,
    };
    let normalizer = Normalizer::new(Options { null_call, tools })
        .with_context(|| format!("--tools {}", args.input.tools.clone().unwrap_or_default().display()))?;
    Ok(Source { table, columns, normalizer })
}

fn inputs(source: &Source) -> Vec<&Path> {
    source.table.inputs().iter().map(|input| input.path.as_path()).collect()
}

/// `criterion` is the task or template that labels are to name.
fn destination(args: &LabelArgs, source: &Source, criterion: &str) -> anyhow::Result<Destination> {
    let inputs = inputs(source);
    let path = match &args.output {
        Some(path) => path.clone(),
        None => write::default_output(&inputs)?,
    };
    let format = OutputFormat::of(&path)?;
    write::check_replaceable(&path, &inputs, args.result.force)?;
    let labels = LabelColumns::new(&args.result.prefix, &args.judge.name(), criterion);
    let replaced = labels.clashes(source.table.schema(), args.result.overwrite)?;
    Ok(Destination { path, format, labels, replaced })
}

fn manifest(args: &LabelArgs, run: String, source: &Source) -> Manifest {
    Manifest {
        run,
        version: env!("CARGO_PKG_VERSION"),
        started_at: Timestamp::now().to_string(),
        inputs: inputs(source).iter().map(|input| input.display().to_string()).collect(),
        filters: args.input.filters.iter().map(|(column, text)| format!("{column}={text}")).collect(),
        limit: args.input.limit,
        judge: JudgeRecord {
            name: args.judge.name(),
            endpoint: None,
            model: None,
            parameters: Value::Null,
            adaptations: Vec::new(),
        },
        task: None,
        template: None,
        store: None,
    }
}

fn template_record(args: &LabelArgs, template: &Template) -> TemplateRecord {
    TemplateRecord {
        name: template.name().to_owned(),
        hash: template.hash(),
        explain: args.wording.explain,
        rails: template.rails().labels().map(str::to_owned).collect(),
        snap: args.wording.snap.as_str(),
    }
}

fn builtin_task(args: &LabelArgs, printer: Printer) -> anyhow::Result<Task> {
    if args.wording.template.is_some() || !args.wording.rails.is_empty() {
        anyhow::bail!(
            "the built-in judge reads no template; choose what it judges with --task, or a model with --judge"
        );
    }
    let idle: Vec<&str> = [
        ("--explain", args.wording.explain),
        ("--max-tokens", args.endpoint.max_tokens.is_some()),
        ("--rpm", args.limits.rpm.is_some()),
        ("--tpm", args.limits.tpm.is_some()),
        ("--fresh", args.store.fresh),
        ("--retry", !args.store.retry.is_empty()),
        ("--keep-prompts", args.store.keep_prompts),
    ]
    .into_iter()
    .filter_map(|(flag, given)| given.then_some(flag))
    .collect();
    if !idle.is_empty() {
        printer.warn(&format!(
            "the built-in judge has no use for {}; choose a model with --judge",
            idle.join(", ")
        ));
    }
    Ok(args.task.unwrap_or(Task::ToolCalling))
}

fn template(args: &LabelArgs) -> anyhow::Result<Template> {
    let wording = &args.wording;
    let mut template = match &wording.template {
        None => render::builtin(args.task.unwrap_or(Task::ToolCalling))?,
        Some(name) => match name.parse::<Task>() {
            Ok(task) => render::builtin(task)?,
            Err(_) => templates::read(Path::new(name))?,
        },
    };
    if let (Some(asked), Some(worded)) = (args.task, template.task())
        && asked != worded
    {
        anyhow::bail!(
            "the template {} words the task {}, not {}; leave out one of --task and --template",
            template.name(),
            worded.as_str(),
            asked.as_str()
        );
    }
    if !wording.rails.is_empty() {
        let rail = |(at, label): (usize, &String)| Rail {
            label: label.trim().to_owned(),
            score: if at == 0 { 1.0 } else { 0.0 },
        };
        let rails: Vec<Rail> = wording.rails.iter().enumerate().map(rail).collect();
        let positive = rails[0].label.clone();
        template = template.with_rails(Rails::new(rails, &positive).context("--rails")?);
    }
    if wording.explain && !template.can_explain() {
        return Err(TemplateError::NoExplanation).with_context(|| format!("template {}", template.name()));
    }
    Ok(template)
}

fn target(args: &LabelArgs, provider: Provider, model: &str) -> anyhow::Result<Target> {
    let url = base_url(args, provider)?;
    let endpoint = Endpoint::new(url, api_key(args, provider, url)?)
        .map_err(anyhow::Error::msg)
        .context("--base-url")?;
    let parameters = Parameters {
        temperature: Some(args.endpoint.temperature),
        max_tokens: args.endpoint.max_tokens.map(Into::into),
        ..Parameters::default()
    };
    Ok(Target { provider, model: model.to_owned(), endpoint, parameters })
}

/// The flag's own default is OpenAI's address, which is no other provider's.
fn base_url(args: &LabelArgs, provider: Provider) -> anyhow::Result<&str> {
    let given = args.endpoint.base_url.as_str();
    if Some(given) != Provider::OpenAi.default_base_url() {
        return Ok(given);
    }
    provider
        .default_base_url()
        .with_context(|| format!("{provider} lives at no common address: give yours with --base-url URL"))
}

fn judge(args: &LabelArgs, target: Target, store: &Store) -> anyhow::Result<Remote> {
    let settings = Settings {
        limits: Limits { concurrency: args.limits.concurrency, rpm: args.limits.rpm, tpm: args.limits.tpm },
        timeout: Duration::from_secs_f64(args.endpoint.timeout),
        max_attempts: args.endpoint.max_attempts.get(),
        max_wait: Duration::from_secs_f64(args.endpoint.max_wait),
    };
    let identity = target.identity();
    let known = store.reader().and_then(|reader| reader.adaptations(&identity.endpoint, &identity.model));
    let known: Vec<Adaptation> =
        known.map_err(RunError::from)?.iter().filter_map(|name| Adaptation::named(name)).collect();
    connect(target, settings, &known).map_err(anyhow::Error::msg)
}

/// The key, from the environment only. A local server needs none; a provider at its own address does.
fn api_key(args: &LabelArgs, provider: Provider, url: &str) -> anyhow::Result<Option<SecretString>> {
    let given = args.endpoint.api_key_env.as_str();
    // The flag's own default is OpenAI's variable, which is no other provider's.
    let name =
        if Some(given) == Provider::OpenAi.key_variable() { provider.key_variable() } else { Some(given) };
    let Some(name) = name else { return Ok(None) };
    #[expect(clippy::disallowed_methods, reason = "this is where the environment is read")]
    let key = std::env::var(name).ok().filter(|key| !key.is_empty());
    if key.is_none() && provider.needs_key() && provider.default_base_url() == Some(url) {
        anyhow::bail!(
            "no API key: set the environment variable {name}, name another one with --api-key-env, or point --base-url \
             at a server that needs none"
        );
    }
    Ok(key.map(|key| SecretString::from(key.trim().to_owned())))
}
