//! A template's text in Jinja, parsed once, filled with every row's values. Values arrive fenced.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;

use super::error::{TemplateError, excerpt};
use super::fence;
use super::template::Values;
use super::variable::{self, ROW};
use crate::domain::{Slot, Variable};

const BODY: &str = "body";
const EXPLAIN: &str = "explain";

/// A parsed body.
#[derive(Debug)]
pub(super) struct Jinja {
    environment: Box<Environment<'static>>,
    /// Lines of the file before the body.
    before: usize,
    /// What it may show.
    variables: Vec<Variable>,
    /// The names in the text, and which of the variables they mean; columns stand below the row's own name.
    names: Vec<(String, usize)>,
    columns: Vec<(String, usize)>,
    explains: bool,
    latest: fence::Latest,
}

/// What a name stands for in a body.
#[derive(Serialize)]
#[serde(untagged)]
enum Value<'a> {
    Switch(bool),
    Text(String),
    Row(BTreeMap<&'a str, String>),
}

/// What a name means in the file of another tool that is none of ours.
fn theirs(name: &str) -> Variable {
    match name {
        // Azure's whole conversation, the judged turn included.
        "messages" => Variable::Slot(Slot::Transcript),
        _ => Variable::Column(name.into()),
    }
}

impl Jinja {
    /// Parses a body that begins after `before` lines of its file. The names in `own` are columns of the rows; of `other_tools` every
    /// name is that is not ours.
    pub(super) fn parse(
        body: &str,
        before: usize,
        own: &[&str],
        other_tools: bool,
    ) -> Result<Jinja, TemplateError> {
        let mut environment = Environment::empty();
        // What a row lacks may be asked after, but not shown.
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.add_test("defined", |value: &minijinja::Value| !value.is_undefined());
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment
            .add_template_owned(BODY, body.trim_end().to_owned())
            .map_err(|error| TemplateError::Syntax(in_line(&error, before)))?;
        let used = environment
            .get_template(BODY)
            .map_err(|error| TemplateError::Syntax(in_line(&error, before)))?
            .undeclared_variables(false);
        // In an order that is the same every time.
        let used: BTreeSet<String> = used.into_iter().collect();
        let mut variables: Vec<Variable> = Vec::new();
        let mut place = |variable: Variable| {
            let known = variables.iter().position(|other| *other == variable);
            known.unwrap_or_else(|| {
                variables.push(variable);
                variables.len() - 1
            })
        };
        let (mut names, mut unknown) = (Vec::new(), Vec::new());
        for name in used.iter().filter(|name| !matches!(name.as_str(), EXPLAIN | ROW)) {
            match variable::named_or_own(name, own) {
                Some(variable) => names.push((name.clone(), place(variable))),
                None if other_tools => names.push((name.clone(), place(theirs(name)))),
                None => unknown.push(name.clone()),
            }
        }
        if !unknown.is_empty() {
            return Err(TemplateError::UnknownVariables(unknown));
        }
        let found = if used.contains(ROW) { variable::columns(body) } else { Some(Vec::new()) };
        let Some(found) = found.filter(|columns| columns.is_empty() != used.contains(ROW)) else {
            return Err(TemplateError::UnknownColumn);
        };
        let column = |name: &str| (name.to_owned(), place(Variable::Column(name.into())));
        let columns = found.into_iter().map(column).collect();
        let explains = used.contains(EXPLAIN);
        let latest = fence::Latest::default();
        Ok(Jinja { environment: Box::new(environment), before, variables, names, columns, explains, latest })
    }

    /// Whether it has words for a judge that explains itself.
    pub(super) fn explains(&self) -> bool {
        self.explains
    }

    /// What it may show.
    pub(super) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The same, to show other columns by the names in the text.
    pub(super) fn variables_mut(&mut self) -> &mut [Variable] {
        &mut self.variables
    }

    /// The text with a row's `values`. What the row lacks is an error only where the text shows it.
    pub(super) fn text(&self, values: &Values, explain: bool) -> Result<String, TemplateError> {
        let shown: Vec<Option<Cow<str>>> =
            self.variables.iter().map(|variable| values.get(variable)).collect();
        let texts: Vec<&str> = shown.iter().flatten().map(|text| &**text).collect();
        let fenced = |at: usize| {
            let text = shown[at].as_deref()?;
            Some(match (&self.variables[at], values.definitions()) {
                (Variable::Slot(Slot::ToolDefinitions), Some(shared)) => self.latest.fenced(shared, &texts),
                _ => fence::fenced(text, &texts),
            })
        };
        let named =
            self.names.iter().filter_map(|(name, at)| Some((name.as_str(), Value::Text(fenced(*at)?))));
        let mut named: BTreeMap<&str, Value> = named.collect();
        named.insert(EXPLAIN, Value::Switch(explain));
        if !self.columns.is_empty() {
            let columns = self.columns.iter().filter_map(|(name, at)| Some((name.as_str(), fenced(*at)?)));
            named.insert(ROW, Value::Row(columns.collect()));
        }
        let rendered = self.environment.get_template(BODY).and_then(|body| body.render(Serde(&named)));
        rendered.map_err(|error| {
            let lacking = self.variables.iter().zip(&shown).filter(|(_, text)| text.is_none());
            let lacking: Vec<Variable> = lacking.map(|(variable, _)| variable.clone()).collect();
            match error.kind() {
                ErrorKind::UndefinedError if !lacking.is_empty() => TemplateError::Lacking(lacking),
                _ => TemplateError::Render(in_line(&error, self.before)),
            }
        })
    }
}

/// What is wrong in a body that begins after `before` lines of its file.
fn in_line(error: &minijinja::Error, before: usize) -> String {
    let why = match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    };
    match error.line() {
        Some(line) => excerpt(&format!("line {}: {why}", before + line)),
        None => excerpt(&why),
    }
}
