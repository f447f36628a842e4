//! Agents that are functions of Python, and the built-in tasks that they are driven through.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tooljudge::domain::{Json, Object, ToolDefinition};
use tooljudge::environment::EnvironmentName;
use tooljudge::internal::{Case, Playground, task};
use tooljudge::run::settings;

/// The agent's side of the conversation of an episode.
#[pyclass(frozen, module = "tooljudge._native")]
pub struct Conversation(pub settings::Conversation);

#[pymethods]
impl Conversation {
    /// The case, as JSON.
    #[getter]
    fn case(&self) -> &str {
        self.0.case()
    }

    /// Says an object of the protocol, and waits for a list of what there is to hear, as JSON; None where the case is over.
    fn say(&self, py: Python<'_>, object: String) -> Option<String> {
        py.detach(|| self.0.say(object))
    }

    /// Ends the case by the agent's fault.
    fn fail(&self, why: String, log: String) {
        self.0.fail(why, log);
    }

    /// Ends the case before it began.
    fn cancel(&self, why: String) {
        self.0.cancel(why);
    }

    /// Whether the case is over.
    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}

/// An environment to play with by hand.
#[pyclass(frozen, module = "tooljudge._native")]
pub struct Environment(Mutex<Playground>);

#[pymethods]
impl Environment {
    /// That of a task.
    #[new]
    fn new(task: &str) -> PyResult<Environment> {
        let first = suite(task.parse().map_err(bad)?)?.into_iter().next();
        let case = first.ok_or_else(|| bad("the task has no case"))?;
        Ok(Environment(Mutex::new(Playground::new(case).map_err(bad)?)))
    }

    /// What a call with these arguments, a text of JSON, returns, and whether that is an error.
    fn call(&self, py: Python<'_>, tool: &str, arguments: &str) -> (String, bool) {
        let arguments = Json::parse(arguments).unwrap_or_else(|_| Json::from(arguments));
        py.detach(|| {
            let mut playground = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            playground.call(tool, Some(&arguments))
        })
    }

    /// What it was left in; None where nothing changes.
    fn state(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).state().map(str::to_owned)
    }
}

/// The built-in tasks, as JSON.
#[pyfunction]
pub fn tasks() -> PyResult<String> {
    let tasks: Vec<Json> = EnvironmentName::ALL.into_iter().map(described).collect::<PyResult<_>>()?;
    Ok(Json::Array(tasks).to_string())
}

fn described(name: EnvironmentName) -> PyResult<Json> {
    let cases = suite(name)?;
    let mut task = Object::new();
    task.insert("name", format!("langchain:{}", name.as_str()));
    task.insert("environment", name.as_str());
    task.insert("title", name.task());
    task.insert("instructions", name.instructions());
    task.insert("tools", cases.first().map_or(Json::Null, |case| ToolDefinition::list(&case.tools)));
    task.insert("cases", Json::Array(cases.iter().map(|case| Json::from(case.id.as_str())).collect()));
    Ok(Json::Object(task))
}

fn suite(name: EnvironmentName) -> PyResult<Vec<Case>> {
    Ok(task(name).map_err(bad)?.cases)
}

fn bad(why: impl ToString) -> PyErr {
    PyValueError::new_err(why.to_string())
}
