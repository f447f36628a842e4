//! A command at work on a thread of its own, while Python's thread hears what it says and looks for signals.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tooljudge::domain::Json;
use tooljudge::internal::{Fault, Host, HostError, Hosted, Listener, Said, Variable, run_job};
use tooljudge::judge::{Function, FunctionCall, FunctionError};
use tooljudge::run::settings::{AgentFunction, Collected as Place, Conversation};
use tooljudge::run::{Pass, Progress, Stop};
use tooljudge::score::{FunctionVersion, OwnFunction};

use crate::{Collected, PyStop, Table, agent as agents, options};

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(50);
/// How often progress is told, which is a message to a notebook's page each time.
const GLANCE: Duration = Duration::from_millis(250);
/// Once no question has come for so long, those that have come are a batch: as many as may be in flight at once.
const QUIET: Duration = Duration::from_millis(2);
/// What a job that was told twice to stop may take to do so in order; it has half a second of its own.
const LET_GO: Duration = Duration::from_secs(1);
/// As the main thread of a program has.
const STACK: usize = 8 << 20;

enum Event {
    Said(Said),
    Began(&'static str, Option<u64>, Arc<Progress>),
    PassEnded,
    /// Of the judge of that number.
    Asked(usize, FunctionCall),
    /// An episode of the agent of that number.
    Driven(usize, Conversation),
    /// Values that the function of that number is to say something of, as a list in JSON, and who waits for it.
    Checked(usize, String, Sender<Result<bool, String>>),
    Ended(Result<Hosted, HostError>),
}

/// Tells the end of a pass when it is dropped.
struct PassGuard(Mutex<Sender<Event>>);

impl Drop for PassGuard {
    fn drop(&mut self) {
        send(&self.0, Event::PassEnded);
    }
}

/// Nobody hears it where Python has gone on without the job.
fn send(to: &Mutex<Sender<Event>>, event: Event) {
    let _ = to.lock().unwrap_or_else(PoisonError::into_inner).send(event);
}

/// Runs the command of that name with `options` on `inputs` or `tables`; how it ended: `done`, `gate_failed`, `interrupted`, or the kind of error and what it
/// says. With `collect`, its table too. `listener.said(kind, text)` and `listener.progress(pass, done, rows)` are called meanwhile, on
/// this thread. `listener.judges` are the names and versions of judges that are functions, whose questions
/// `listener.judge(number, prompts)` answers, after which `listener.settle()` may raise; `listener.agents` are the names of agents that are
/// functions, for each of whose episodes `listener.drive(number, conversation)` returns at once; `listener.functions` are the names and
/// versions of functions that check values, of which `listener.check(number, values)` says whether they are right, or None and why it
/// cannot tell; `listener.variables` go before those of the environment; `listener.settings` are more judges and prices; `listener.verbose` is how much
/// of what happens it wants to hear.
#[pyfunction]
pub fn run<'py>(
    py: Python<'py>,
    command: (String, Bound<'py, PyDict>, Vec<String>),
    tables: Vec<PyRef<'py, Table>>,
    collect: bool,
    stop: &PyStop,
    listener: &Bound<'py, PyAny>,
) -> PyResult<(&'static str, String, Option<Collected>)> {
    let place = Place::default();
    let (events, heard) = channel();
    let tables = tables.iter().map(|table| table.0.clone()).collect();
    let judges: Vec<(String, String)> = listener.getattr("judges")?.extract()?;
    let agents: Vec<String> = listener.getattr("agents")?.extract()?;
    let checks: Vec<(String, bool, String)> = listener.getattr("functions")?.extract()?;
    let verbose = listener.getattr("verbose")?.extract()?;
    let variables: HashMap<String, String> = listener.getattr("variables")?.extract()?;
    let variable: Variable = Arc::new(move |name: &str| variables.get(name).cloned());
    let (job, options, inputs) = command;
    let options = options::table(&options)?;
    let settings = options::table(listener.getattr("settings")?.cast::<PyDict>()?)?;
    let functions = judges.into_iter().enumerate().map(|(at, judge)| function(at, judge, &events)).collect();
    let agents = agents.into_iter().enumerate().map(|(at, name)| agent(at, name, &events)).collect();
    let own_functions = checks.into_iter().enumerate().map(|(at, one)| check(at, one, &events)).collect();
    let collected = collect.then(|| place.clone());
    let host = Host {
        tables,
        functions,
        agents,
        own_functions,
        settings,
        variable: Some(variable),
        collected,
        stop: stop.0.clone(),
        listener: Some(listening(verbose, &events)),
        ..Host::default()
    };
    let work = move || {
        let ended =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run_job(&job, &options, inputs, &host)));
        let panicked = || HostError { kind: Fault::Other, message: "the job panicked".to_owned() };
        // Nobody hears it where Python has gone on without the job.
        let _ = events.send(Event::Ended(ended.unwrap_or_else(|_| Err(panicked()))));
    };
    let thread = std::thread::Builder::new().name("tooljudge".to_owned()).stack_size(STACK).spawn(work);
    thread.map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
    let (raised, ended) = wait(py, &Mutex::new(heard), &stop.0, listener)?;
    if let Some(error) = raised {
        // What was judged until then, where that was asked for.
        return match place.take_table().filter(|_| error.is_instance_of::<PyKeyboardInterrupt>(py)) {
            Some(table) => Ok(("interrupted", String::new(), Some(Collected(table)))),
            None => Err(error),
        };
    }
    Ok(match ended {
        Ok(Hosted::Done) => ("done", String::new(), place.take_table().map(Collected)),
        Ok(Hosted::GateFailed) => ("gate_failed", String::new(), place.take_table().map(Collected)),
        Ok(Hosted::Interrupted) => ("interrupted", String::new(), place.take_table().map(Collected)),
        Err(HostError { kind, message }) => (name(kind), message, place.take_table().map(Collected)),
    })
}

/// A judge whose questions go to the thread that waits.
fn function(at: usize, (name, version): (String, String), events: &Sender<Event>) -> Function {
    let events = Mutex::new(events.clone());
    Function { name, version, ask: Arc::new(move |call| send(&events, Event::Asked(at, call))) }
}

/// An agent whose episodes begin on the thread that waits.
fn agent(at: usize, name: String, events: &Sender<Event>) -> AgentFunction {
    let events = Mutex::new(events.clone());
    AgentFunction {
        name,
        begin: Arc::new(move |conversation| send(&events, Event::Driven(at, conversation))),
    }
}

/// A function that checks values on the thread that waits.
fn check(at: usize, (name, named, version): (String, bool, String), events: &Sender<Event>) -> OwnFunction {
    let events = Mutex::new(events.clone());
    let version = if named { FunctionVersion::Named(version) } else { FunctionVersion::OfRun(version) };
    let say = Arc::new(move |values: &[&Json]| {
        let (answer, said) = channel();
        let values = Json::Array(values.iter().map(|value| (*value).clone()).collect());
        send(&events, Event::Checked(at, values.to_string(), answer));
        // Nobody answers once the run is stopped.
        said.recv().unwrap_or_else(|_| Err("was not asked: the run was stopped".to_owned()))
    });
    OwnFunction { name, version, say }
}

/// Has the judges answer `asked`, each all of its questions at once.
fn judge(listener: &Bound<'_, PyAny>, mut asked: Vec<(usize, FunctionCall)>) -> PyResult<()> {
    while let Some((first, _)) = asked.first() {
        let at = *first;
        let (calls, others): (Vec<_>, Vec<_>) = asked.into_iter().partition(|(of, _)| *of == at);
        asked = others;
        let prompts: Vec<&str> = calls.iter().map(|(_, call)| call.prompt.as_str()).collect();
        let answers = listener.call_method1("judge", (at, prompts));
        match answers.and_then(|answers| answers.extract::<Vec<(bool, String)>>()) {
            Ok(answers) => {
                for ((_, call), (is_answer, text)) in calls.into_iter().zip(answers) {
                    call.answer(if is_answer { Ok(text) } else { Err(FunctionError::Question(text)) });
                }
                // An interrupt meanwhile waited for these answers.
                listener.call_method0("settle")?;
            }
            Err(error) if error.is_instance_of::<PyException>(listener.py()) => {
                let why = error.value(listener.py()).to_string();
                calls.into_iter().for_each(|(_, call)| call.answer(Err(FunctionError::Run(why.clone()))));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Sends what is said and what begins to `events`.
fn listening(verbose: u8, events: &Sender<Event>) -> Listener {
    let (said, passes) = (Mutex::new(events.clone()), Mutex::new(events.clone()));
    let began = move |pass: Pass| -> Box<dyn Send> {
        let Pass { name, rows, progress, .. } = &pass;
        send(&passes, Event::Began(name, *rows, Arc::clone(progress)));
        let events = passes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::new(PassGuard(Mutex::new(events)))
    };
    let hear = Arc::new(move |text| send(&said, Event::Said(text)));
    Listener { verbose, hear, pass: Arc::new(began) }
}

/// Waits for the end, or until it is told twice to stop. An exception, be it of a signal or of the listener, stops the job, and comes
/// beside the end.
fn wait<'py>(
    py: Python<'py>,
    events: &Mutex<Receiver<Event>>,
    stop: &Stop,
    listener: &Bound<'py, PyAny>,
) -> PyResult<(Option<PyErr>, Result<Hosted, HostError>)> {
    let next = |patience| events.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(patience);
    let mut raised: Option<PyErr> = None;
    let mut pass: Option<(&'static str, Option<u64>, Arc<Progress>)> = None;
    let mut told_twice: Option<Instant> = None;
    let mut shown = Instant::now();
    let mut asked = Vec::new();
    loop {
        let patience = if asked.is_empty() { TICK } else { QUIET };
        let event = py.detach(|| next(patience));
        let called = match event {
            Ok(Event::Ended(ended)) => return Ok((raised, ended)),
            Ok(Event::Said(said)) => tell(listener, said),
            Ok(Event::Began(name, rows, progress)) => {
                pass = Some((name, rows, progress));
                Ok(())
            }
            Ok(Event::PassEnded) => {
                let last = pass.take();
                last.map_or(Ok(()), |pass| show(listener, &pass))
            }
            Ok(Event::Asked(at, call)) => {
                asked.push((at, call));
                Ok(())
            }
            Ok(Event::Driven(at, conversation)) => {
                listener.call_method1("drive", (at, agents::Conversation(conversation))).map(drop)
            }
            Ok(Event::Checked(at, values, answer)) => {
                let said = listener.call_method1("check", (at, values));
                said.and_then(|said| said.extract::<(Option<bool>, String)>()).map(|(holds, why)| {
                    // Nobody hears it where the job has ended.
                    let _ = answer.send(holds.ok_or(why));
                })
            }
            // Whoever stops waits for no question that is not under way yet.
            Err(RecvTimeoutError::Timeout) if stop.is_told() && !asked.is_empty() => {
                asked.clear();
                Ok(())
            }
            Err(RecvTimeoutError::Timeout) if !asked.is_empty() => {
                judge(listener, std::mem::take(&mut asked))
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the job ended without a word"));
            }
        };
        // Functions that judge and what is said may leave no moment without an event.
        let glance = pass.as_ref().filter(|_| shown.elapsed() >= GLANCE);
        let looked = glance.map_or(Ok(()), |pass| {
            shown = Instant::now();
            show(listener, pass)
        });
        // The handler of a signal may run while the listener is called.
        for error in [called.err(), looked.err(), py.check_signals().err()].into_iter().flatten() {
            let is_signal = error.is_instance_of::<PyKeyboardInterrupt>(py);
            match stop.gently.is_cancelled() {
                true if is_signal => stop.now.cancel(),
                true => {}
                false => stop.gently.cancel(),
            }
            if is_signal || raised.is_none() {
                raised = Some(error);
            }
            if is_signal && !stop.now.is_cancelled() {
                let text = "stopping after the requests in flight (press Ctrl-C again to quit at once)";
                // What is raised in the end is the signal. Another one may come while this is told.
                let told = tell(listener, Said::Talk(text.to_owned()));
                if told.is_err_and(|error| error.is_instance_of::<PyKeyboardInterrupt>(py)) {
                    stop.now.cancel();
                }
            }
        }
        if stop.now.is_cancelled() && told_twice.get_or_insert_with(Instant::now).elapsed() > LET_GO {
            return Ok((raised, Ok(Hosted::Interrupted)));
        }
    }
}

fn tell(listener: &Bound<'_, PyAny>, said: Said) -> PyResult<()> {
    let (kind, text) = match said {
        Said::Data(text) => ("data", text),
        Said::Talk(text) => ("talk", text),
        Said::Warning(text) => ("warning", text),
        Said::Event(text) => ("event", text),
        Said::Detail(text) => ("detail", text),
    };
    listener.call_method1("said", (kind, text)).map(drop)
}

fn show(
    listener: &Bound<'_, PyAny>,
    (name, rows, progress): &(&'static str, Option<u64>, Arc<Progress>),
) -> PyResult<()> {
    listener.call_method1("progress", (*name, progress.snapshot().done, *rows)).map(drop)
}

fn name(kind: Fault) -> &'static str {
    match kind {
        Fault::Settings => "settings",
        Fault::Input => "input",
        Fault::Judge => "judge",
        Fault::Store => "store",
        Fault::Output => "output",
        Fault::Other => "other",
    }
}
