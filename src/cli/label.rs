//! `label`: flags to validated settings, then the passes.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Context;
use jiff::Timestamp;
use secrecy::SecretString;

use super::display::Display;
use super::judge_spec::JudgeSpec;
use super::label_args::{LabelArgs, NullCallArg};
use super::printer::Printer;
use super::summary_table::{self, Circumstances};
use super::{Ending, signals, templates};
use crate::check::BuiltinJudge;
use crate::domain::{Rail, Rails, Task};
use crate::judge::{Adaptation, Endpoint, Judge, Limits, Parameters, Remote, Settings, openai};
use crate::normalize::{Normalizer, NullCall, Options, columns};
use crate::read::{Selection, Table};
use crate::render::{self, Template, TemplateError};
use crate::run::{
    self, AskPass, BuiltinLabeller, Destination, JudgeRecord, Labeller, Manifest, Progress, RunError, Source,
    Stop, StoredLabeller, Summary, TemplateRecord,
};
use crate::store::{Reuse, Store};
use crate::write::{self, Finished, LabelColumns, OutputFormat};

pub fn run(args: LabelArgs) -> anyhow::Result<Ending> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(label(args));
    // A second Ctrl-C does not wait for what a thread is still reading.
    runtime.shutdown_background();
    outcome
}

/// What every judge needs: rows in, a table out, somebody to tell.
struct Setting {
    printer: Printer,
    json: bool,
    allow_unjudged: f64,
    run: String,
    began: Instant,
    destination: Destination,
    manifest: Manifest,
    progress: Arc<Progress>,
    stop: Stop,
}

async fn label(args: LabelArgs) -> anyhow::Result<Ending> {
    let printer = Printer { quiet: args.result.quiet };
    let source = source(&args, printer)?;
    let stop = Stop::default();
    signals::watch(&stop, printer);
    let setting =
        |criterion: &str, judge: JudgeRecord| setting(&args, &source, printer, &stop, criterion, judge);
    match &args.judge {
        JudgeSpec::Builtin => {
            let task = builtin_task(&args)?;
            let record = JudgeRecord {
                name: args.judge.name(),
                endpoint: None,
                model: None,
                parameters: serde_json::Value::Null,
                adaptations: Vec::new(),
            };
            let mut setting = setting(task.as_str(), record)?;
            setting.manifest.task = Some(task.as_str());
            label_builtin(source, task, setting).await
        }
        JudgeSpec::OpenAi { model } => {
            let template = template(&args)?;
            let run = run_name();
            let store = Store::open(&args.store.store, &run).map_err(RunError::from)?;
            let judge = judge(&args, model, &store)?;
            let record = judge_record(&args, &judge);
            let mut setting = setting(template.name(), record)?;
            setting.run = run;
            setting.manifest.run = setting.run.clone();
            setting.manifest.task = template.task().map(Task::as_str);
            setting.manifest.template = Some(template_record(&args, &template));
            setting.manifest.store = Some(store.path().display().to_string());
            label_remote(&args, source, template, judge, store, setting).await
        }
    }
}

fn run_name() -> String {
    format!("{}-{:08x}", Timestamp::now().strftime("%Y%m%dT%H%M%SZ"), fastrand::u32(..))
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

fn setting(
    args: &LabelArgs,
    source: &Source,
    printer: Printer,
    stop: &Stop,
    criterion: &str,
    judge: JudgeRecord,
) -> anyhow::Result<Setting> {
    let inputs: Vec<&Path> = source.table.inputs().iter().map(|input| input.path.as_path()).collect();
    let path = match &args.output {
        Some(path) => path.clone(),
        None => write::default_output(&inputs)?,
    };
    let format = OutputFormat::of(&path)?;
    write::check_replaceable(&path, &inputs, args.result.force)?;
    let labels = LabelColumns::new(&args.result.prefix, &judge.name, criterion);
    let replaced = labels.clashes(source.table.schema(), args.result.overwrite)?;
    let run = run_name();
    let manifest = Manifest {
        run: run.clone(),
        version: env!("CARGO_PKG_VERSION"),
        started_at: Timestamp::now().to_string(),
        inputs: inputs.iter().map(|input| input.display().to_string()).collect(),
        filters: args.input.filters.iter().map(|(column, text)| format!("{column}={text}")).collect(),
        limit: args.input.limit,
        judge,
        task: None,
        template: None,
        store: None,
    };
    Ok(Setting {
        printer,
        json: args.result.json,
        allow_unjudged: args.result.allow_unjudged,
        run,
        began: Instant::now(),
        destination: Destination { path, format, labels, replaced },
        manifest,
        progress: Arc::new(Progress::default()),
        stop: stop.clone(),
    })
}

fn builtin_task(args: &LabelArgs) -> anyhow::Result<Task> {
    if args.wording.template.is_some() || !args.wording.rails.is_empty() {
        anyhow::bail!(
            "the built-in judge reads no template; choose what it judges with --task, or a model with --judge"
        );
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

fn judge(args: &LabelArgs, model: &str, store: &Store) -> anyhow::Result<Remote> {
    let endpoint = Endpoint::new(&args.endpoint.base_url, api_key(args)?)
        .map_err(anyhow::Error::msg)
        .context("--base-url")?;
    let parameters = Parameters {
        temperature: Some(args.endpoint.temperature),
        max_tokens: args.endpoint.max_tokens.map(Into::into),
    };
    let settings = Settings {
        limits: Limits { concurrency: args.limits.concurrency, rpm: args.limits.rpm, tpm: args.limits.tpm },
        timeout: Duration::from_secs_f64(args.endpoint.timeout),
        max_attempts: args.endpoint.max_attempts.get(),
        max_wait: Duration::from_secs_f64(args.endpoint.max_wait),
    };
    let known = store.reader().and_then(|reader| reader.adaptations(&endpoint.public_url(), model));
    let known: Vec<Adaptation> =
        known.map_err(RunError::from)?.iter().filter_map(|name| Adaptation::named(name)).collect();
    openai::judge(model, endpoint, parameters, settings, &known).map_err(anyhow::Error::msg)
}

/// The key, from the environment only. A local server needs none; OpenAI itself does.
fn api_key(args: &LabelArgs) -> anyhow::Result<Option<SecretString>> {
    let name = &args.endpoint.api_key_env;
    #[expect(clippy::disallowed_methods, reason = "this is where the environment is read")]
    let key = std::env::var(name).ok().filter(|key| !key.is_empty());
    if key.is_none() && args.endpoint.base_url == openai::BASE_URL {
        anyhow::bail!(
            "no API key: set the environment variable {name}, name another one with --api-key-env, or point --base-url \
             at a server that needs none"
        );
    }
    Ok(key.map(|key| SecretString::from(key.trim().to_owned())))
}

fn judge_record(args: &LabelArgs, judge: &Remote) -> JudgeRecord {
    let identity = judge.identity();
    JudgeRecord {
        name: args.judge.name(),
        endpoint: Some(identity.endpoint.clone()),
        model: Some(identity.model.clone()),
        parameters: serde_json::from_str(&identity.parameters).unwrap_or_default(),
        adaptations: Vec::new(),
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

async fn label_builtin(source: Source, task: Task, setting: Setting) -> anyhow::Result<Ending> {
    let display = Display::start(
        setting.printer,
        "judging",
        source.table.rows(),
        Arc::clone(&setting.progress),
        || None,
    );
    let worker = tokio::task::spawn_blocking(move || {
        let mut labeller = BuiltinLabeller(BuiltinJudge::new(task));
        let outcome = write_table(&source, &mut labeller, &setting);
        (outcome, setting)
    });
    let (outcome, setting) = worker.await.context("the run broke down")?;
    drop(display);
    match outcome {
        Ok((summary, written)) => conclude(&setting, &summary, written),
        Err(RunError::Interrupted) => {
            setting.printer.talk("interrupted; nothing was written");
            Ok(Ending::Interrupted)
        }
        Err(error) => Err(error.into()),
    }
}

async fn label_remote(
    args: &LabelArgs,
    source: Source,
    template: Template,
    judge: Remote,
    store: Store,
    mut setting: Setting,
) -> anyhow::Result<Ending> {
    store.manifest(setting.manifest.started().to_string(), false).await.map_err(RunError::from)?;
    let concurrency = args.limits.concurrency.get() as usize;
    let earlier = Mutex::new(store.reader().map_err(RunError::from)?);
    let pass = Arc::new(AskPass {
        source,
        template,
        explain: args.wording.explain,
        rules: args.wording.snap,
        judge,
        store,
        earlier,
        reuse: if args.store.fresh { Reuse::OwnOnly } else { Reuse::All },
        retry: args.store.retry.clone(),
        keep_prompts: args.store.keep_prompts,
        // Rows that rest after a failure hold no place in flight, so there are more questions than places.
        window: (4 * concurrency).max(64),
    });

    let asked = {
        let watched = Arc::clone(&pass);
        let _display = Display::start(
            setting.printer,
            "asking",
            pass.source.table.rows(),
            Arc::clone(&setting.progress),
            move || Some(watched.judge.activity()),
        );
        run::ask(&pass, &setting.progress, &setting.stop).await
    };
    learn(&pass, &mut setting.manifest).await?;

    let stopped = match asked {
        Ok(()) => None,
        Err(error @ (RunError::Interrupted | RunError::Judge { .. })) => Some(error),
        Err(error) => return Err(error.into()),
    };
    let ending = match &stopped {
        Some(_) if !args.result.partial => None,
        _ => Some(write_remote(&pass, setting).await?),
    };
    match (stopped, ending) {
        (None, Some(ending)) => Ok(ending),
        (None, None) | (Some(RunError::Interrupted), _) => {
            Printer { quiet: args.result.quiet }.talk(&resume_hint(ending.is_some()));
            Ok(Ending::Interrupted)
        }
        (Some(error), _) => Err(anyhow::Error::new(error).context(
            "the run was stopped; replies that came are kept, and the same command goes on from there",
        )),
    }
}

/// Keeps what the endpoint turned out not to support.
async fn learn(pass: &AskPass<Remote>, manifest: &mut Manifest) -> anyhow::Result<()> {
    let identity = pass.judge.identity();
    for adaptation in pass.judge.adaptations() {
        let name = adaptation.as_str().to_owned();
        manifest.judge.adaptations.push(name.clone());
        pass.store
            .learn(identity.endpoint.clone(), identity.model.clone(), name)
            .await
            .map_err(RunError::from)?;
    }
    Ok(())
}

async fn write_remote(pass: &Arc<AskPass<Remote>>, mut setting: Setting) -> anyhow::Result<Ending> {
    setting.progress = Arc::new(Progress::default());
    let rows = pass.source.table.rows();
    let display = Display::start(setting.printer, "writing", rows, Arc::clone(&setting.progress), || None);
    let store = pass.store.reader().map_err(RunError::from)?;
    let worker = tokio::task::spawn_blocking({
        let pass = Arc::clone(pass);
        // A partial table is written after the run was told to stop.
        setting.stop.gently = tokio_util::sync::CancellationToken::new();
        move || {
            let mut labeller = StoredLabeller {
                template: &pass.template,
                reading: pass.reading(),
                hasher: pass.hasher(),
                store,
                run: setting.run.clone(),
                own_only: pass.reuse == Reuse::OwnOnly,
                seen: Default::default(),
            };
            let outcome = write_table(&pass.source, &mut labeller, &setting);
            (outcome, setting)
        }
    });
    let (outcome, setting) = worker.await.context("the run broke down")?;
    drop(display);
    let (summary, written) = outcome?;
    let manifest = finished_manifest(&setting, &summary, written);
    pass.store.manifest(manifest.to_string(), true).await.map_err(RunError::from)?;
    conclude(&setting, &summary, written)
}

fn write_table(
    source: &Source,
    labeller: &mut dyn Labeller,
    setting: &Setting,
) -> Result<(Summary, Finished), RunError> {
    let stop = &setting.stop;
    let stopped = || stop.gently.is_cancelled() || stop.now.is_cancelled();
    run::write(source, labeller, &setting.destination, &setting.progress, &stopped)
}

fn finished_manifest(setting: &Setting, summary: &Summary, written: Finished) -> serde_json::Value {
    let output = setting.destination.path.display().to_string();
    setting.manifest.finished(&Timestamp::now().to_string(), &output, summary, written)
}

fn conclude(setting: &Setting, summary: &Summary, written: Finished) -> anyhow::Result<Ending> {
    let manifest = finished_manifest(setting, summary, written);
    write::write_manifest(&setting.destination.path, &manifest)?;
    if setting.json {
        setting.printer.data(&format!("{manifest:#}"));
    } else if !setting.printer.quiet {
        let criterion = setting.manifest.template.as_ref().map(|template| template.name.as_str());
        setting.printer.data(&summary_table::render(
            summary,
            &Circumstances {
                judge: &setting.manifest.judge.name,
                criterion: criterion.or(setting.manifest.task).unwrap_or_default(),
                elapsed: setting.began.elapsed(),
                output: &setting.destination.path.display().to_string(),
            },
        ));
    }
    let unjudged = summary.unjudged();
    if unjudged as f64 > setting.allow_unjudged * summary.rows as f64 {
        setting.printer.warn(&format!(
            "{unjudged} of {} rows have no label: see the columns status and error; --allow-unjudged SHARE accepts them",
            summary.rows
        ));
        return Ok(Ending::GateFailed);
    }
    Ok(Ending::Done)
}

fn resume_hint(written: bool) -> String {
    let table = if written { "the partial table was written" } else { "no table was written" };
    format!(
        "interrupted; every reply that came is kept and {table}. Run the same command again to go on from there"
    )
}
