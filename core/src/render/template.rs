//! A template: parsed and checked once, rendered for every row.

use std::borrow::Cow;
use std::sync::Arc;

use super::error::{TemplateError, excerpt};
use super::jinja::Jinja;
use super::peers::{self, Body, Evaluator, Unusable};
use super::plain::Segment;
use super::{front_matter, plain, requests};
use crate::domain::{AnswerForm, Part, Prompt, Rails, Sample, Slot, Task, Variable, did_you_mean};

/// Names that evaluator files of other tools have and that are no misspelt ones of ours.
const THEIRS: [&str; 6] =
    ["context", "document_text", "documents", "text", "user_message", "assistant_message"];

/// A wording of a task, ready to render.
#[derive(Debug)]
pub struct Template {
    name: String,
    description: String,
    task: Option<Task>,
    rails: Arc<Rails>,
    wording: Wording,
    origin: Origin,
    /// Whether a request for a label is added to the text, because a file of another tool leaves that to its tool.
    wants_request: bool,
    notes: Vec<String>,
    bound: Vec<String>,
    hash: blake3::Hash,
}

/// Which kind of file a template was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Jinja with front matter; values arrive fenced.
    Jinja,
    /// `{question}` placeholders; values arrive as they are.
    Plain,
    /// An evaluator of Phoenix 3 in YAML; values arrive as they are.
    Phoenix,
    /// A prompty file of Azure AI Evaluation; values arrive fenced.
    Prompty,
    /// A judge of MLflow's `make_judge`, or its instructions; values arrive as they are, at the end of the text.
    Mlflow,
    /// A grader of OpenAI's in JSON; values arrive as they are.
    OpenAi,
    /// A configuration of promptfoo, which is refused.
    Promptfoo,
}

impl Origin {
    /// What such a file is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Jinja => "Jinja template",
            Origin::Plain => "text with placeholders",
            Origin::Phoenix => "Phoenix evaluator",
            Origin::Prompty => "Azure prompty",
            Origin::Mlflow => "MLflow judge",
            Origin::OpenAi => "OpenAI grader",
            Origin::Promptfoo => "promptfoo configuration",
        }
    }
}

/// The parsed body.
#[derive(Debug)]
enum Wording {
    Jinja(Jinja),
    Plain(Vec<Segment>),
}

/// What a row gives to a template.
pub(super) enum Values<'a> {
    Row(&'a Sample),
    /// To try a template out: some text for whatever it asks for, `without` one of them.
    Trial {
        without: Option<&'a Variable>,
    },
}

impl<'a> Values<'a> {
    /// A variable's text; `None` where the row has none and nothing can be said in its place.
    pub(super) fn get(&self, variable: &Variable) -> Option<Cow<'a, str>> {
        let absent = || match variable {
            Variable::Slot(slot) => slot.absent().map(Cow::Borrowed),
            Variable::Column(_) => None,
        };
        match self {
            Values::Row(sample) => sample.shown(variable).or_else(absent),
            Values::Trial { without } if *without == Some(variable) => absent(),
            Values::Trial { .. } => Some(Cow::Borrowed("")),
        }
    }

    /// The tools on offer, where many rows share them.
    pub(super) fn definitions(&self) -> Option<&'a Arc<str>> {
        match self {
            Values::Row(sample) => sample.raw.tool_definitions.as_ref(),
            Values::Trial { .. } => None,
        }
    }
}

impl Template {
    /// Reads a template file; `name` names it if it does not name itself.
    ///
    /// Whatever could fail in the middle of a run fails here: unknown variables, a row's value that is never used, a
    /// syntax error.
    pub fn parse(name: &str, source: &str) -> Result<Template, TemplateError> {
        Self::parse_with(name, source, None)
    }

    /// The same with `rails`, if any, instead of the file's own; an evaluator of another tool may need them.
    ///
    /// # Errors
    /// Those of [`Template::parse`].
    pub fn parse_with(name: &str, source: &str, rails: Option<Rails>) -> Result<Template, TemplateError> {
        Self::parse_bound(name, source, rails, &[])
    }

    /// The same where names in the text that mean nothing else are columns of the rows: pairs of a name and the column that it shows.
    /// [`Template::bound`] says which of them the text has.
    ///
    /// # Errors
    /// Those of [`Template::parse`].
    pub fn parse_bound(
        name: &str,
        source: &str,
        rails: Option<Rails>,
        columns: &[(String, String)],
    ) -> Result<Template, TemplateError> {
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        let own: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let mut template = match peers::read(source) {
            Some(read) => Self::of_evaluator(name, source, read, rails, &own)?,
            None => {
                let template = Self::parse_own(name, source, &own)?;
                match rails {
                    Some(rails) => template.with_rails(rails),
                    None => template,
                }
            }
        };
        template.bind(columns);
        Ok(template)
    }

    /// Has the text show other columns by the names in it.
    fn bind(&mut self, columns: &[(String, String)]) {
        let bound = &mut self.bound;
        let mut rename = |variable: &mut Variable| {
            let Variable::Column(shown) = variable else { return };
            let Some((name, column)) = columns.iter().find(|(name, _)| **name == **shown) else { return };
            *shown = column.as_str().into();
            if !bound.contains(name) {
                bound.push(name.clone());
            }
        };
        match &mut self.wording {
            Wording::Jinja(jinja) => jinja.variables_mut().iter_mut().for_each(rename),
            Wording::Plain(segments) => segments.iter_mut().for_each(|segment| {
                if let Segment::Value(variable) = segment {
                    rename(variable);
                }
            }),
        }
    }

    fn of_evaluator(
        name: &str,
        source: &str,
        read: Result<Evaluator, Unusable>,
        rails: Option<Rails>,
        own: &[&str],
    ) -> Result<Template, TemplateError> {
        let unusable =
            |Unusable { origin, why }| TemplateError::Evaluator { kind: origin.as_str(), why: excerpt(&why) };
        let evaluator = read.map_err(unusable)?;
        let origin = evaluator.origin;
        let rails = rails.map_or(evaluator.rails, Ok).map_err(|why| unusable(Unusable { origin, why }))?;
        let wording = match evaluator.body {
            Body::Jinja { source, before } => Wording::Jinja(Jinja::parse(&source, before, own, true)?),
            Body::Segments(segments) => Wording::Plain(segments),
        };
        let mut template = Template {
            name: evaluator.name.unwrap_or_else(|| name.to_owned()),
            description: evaluator.description,
            task: None,
            rails: Arc::new(rails),
            wording,
            origin,
            wants_request: evaluator.wants_request,
            notes: evaluator.notes,
            bound: Vec::new(),
            hash: blake3::hash(source.as_bytes()),
        };
        let variables = template.variables();
        // A misspelt name of ours would be one, too.
        template.notes.extend(variables.iter().filter_map(|variable| match variable {
            Variable::Column(name)
                if matches!(origin, Origin::Phoenix | Origin::Prompty) && !own.contains(&&**name) =>
            {
                let meant = match THEIRS.contains(&&**name) {
                    true => String::new(),
                    false => did_you_mean(name, Slot::ALL.iter().map(|slot| slot.as_str())),
                };
                Some(format!("`{name}` is the column of that name{meant}"))
            }
            _ => None,
        }));
        check_sufficient(&variables)?;
        template.try_out()?;
        Ok(template)
    }

    fn parse_own(name: &str, source: &str, own: &[&str]) -> Result<Template, TemplateError> {
        let hash = blake3::hash(source.as_bytes());
        match front_matter::split(source) {
            Some((head, body)) => {
                let before = source[..source.len() - body.len()].lines().count();
                Self::parse_jinja(front_matter::parse(head)?, (body, before), own, hash)
            }
            None if source.starts_with("+++") => {
                Err(TemplateError::FrontMatter("it is never closed by a line `+++`".to_owned()))
            }
            None => Self::parse_plain(name, source, own, hash),
        }
    }

    fn parse_jinja(
        head: front_matter::FrontMatter,
        (body, before): (&str, usize),
        own: &[&str],
        hash: blake3::Hash,
    ) -> Result<Template, TemplateError> {
        let jinja = Jinja::parse(body, before, own, false)?;
        let used = jinja.variables();
        if let Some(declared) = &head.variables {
            check_declared(declared, used)?;
        }
        check_sufficient(used)?;
        let wording = Wording::Jinja(jinja);
        let rails = Arc::new(head.rails);
        let template = Template {
            name: head.name,
            description: head.description,
            task: Some(head.task),
            rails,
            wording,
            origin: Origin::Jinja,
            wants_request: false,
            notes: Vec::new(),
            bound: Vec::new(),
            hash,
        };
        template.try_out()?;
        Ok(template)
    }

    /// A body may still fail when run, for example by a filter that does not exist.
    fn try_out(&self) -> Result<(), TemplateError> {
        for explain in [false, true] {
            self.text(&Values::Trial { without: None }, explain)?;
        }
        Ok(())
    }

    fn parse_plain(
        name: &str,
        source: &str,
        own: &[&str],
        hash: blake3::Hash,
    ) -> Result<Template, TemplateError> {
        if let Some(why) = peers::no_prompt(source) {
            return Err(TemplateError::Evaluator { kind: Origin::Plain.as_str(), why });
        }
        if let Some((line, tag)) = plain::jinja(source) {
            return Err(TemplateError::JinjaWithoutFrontMatter { line, tag: tag.to_owned() });
        }
        let unknown = plain::unknown(source, own);
        if !unknown.is_empty() {
            return Err(TemplateError::UnknownVariables(unknown));
        }
        let segments = plain::parse(source, own);
        check_sufficient(&plain::variables(&segments))?;
        Ok(Template {
            name: name.to_owned(),
            description: "a file with {question} placeholders".to_owned(),
            task: None,
            rails: Arc::new(Rails::correctness()),
            wording: Wording::Plain(segments),
            origin: Origin::Plain,
            wants_request: false,
            notes: Vec::new(),
            bound: Vec::new(),
            hash,
        })
    }

    /// The same wording with other rails.
    pub fn with_rails(mut self, rails: Rails) -> Template {
        self.rails = Arc::new(rails);
        self
    }

    /// The name in columns and reports: the front matter's, else the file's stem.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line about what the template asks; may be empty.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Which kind of file it was.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// What of another tool's evaluator is not carried over or works differently here, each a sentence for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The names in the text for which somebody said which column they show.
    pub fn bound(&self) -> &[String] {
        &self.bound
    }

    /// The task it words; plain templates do not say.
    pub fn task(&self) -> Option<Task> {
        self.task
    }

    /// The labels that a judge may answer with.
    pub fn rails(&self) -> &Arc<Rails> {
        &self.rails
    }

    /// A hash of the file's text, in hexadecimal.
    pub fn hash(&self) -> String {
        self.hash.to_hex().to_string()
    }

    /// Whether it has a wording that asks for an explanation.
    pub fn can_explain(&self) -> bool {
        matches!(&self.wording, Wording::Jinja(jinja) if jinja.explains())
    }

    /// The labels of which the wording never speaks: a judge that is forced to give one of them was asked for something else.
    pub fn unnamed_labels(&self) -> Vec<String> {
        if self.wants_request {
            return Vec::new();
        }
        let said = match &self.wording {
            Wording::Jinja(_) => [false, true]
                .iter()
                .filter_map(|explain| self.text(&Values::Trial { without: None }, *explain).ok())
                .collect::<Vec<_>>()
                .join("\n"),
            Wording::Plain(segments) => {
                segments.iter().filter_map(Segment::text).collect::<Vec<_>>().join("\n")
            }
        };
        let said = said.to_lowercase();
        let names = |label: &&str| names_word(&said, &label.to_lowercase());
        self.rails.labels().filter(|label| !names(label)).map(str::to_owned).collect()
    }

    /// What it may show of a row.
    pub fn variables(&self) -> Vec<Variable> {
        match &self.wording {
            Wording::Jinja(jinja) => jinja.variables().to_vec(),
            Wording::Plain(segments) => plain::variables(segments),
        }
    }

    /// Those of its variables without which no row can be judged: the text shows them, whatever else the row holds.
    pub fn required(&self) -> Vec<Variable> {
        let mut variables = self.variables();
        variables.retain(|variable| {
            [false, true]
                .iter()
                .all(|explain| self.text(&Values::Trial { without: Some(variable) }, *explain).is_err())
        });
        variables
    }

    /// The prompt for `sample`.
    ///
    /// # Errors
    /// [`TemplateError::Lacking`] if the sample has no value for what the text shows.
    pub fn render(&self, sample: &Sample, form: AnswerForm) -> Result<Prompt, TemplateError> {
        let mut text = self.text(&Values::Row(sample), form.explain)?;
        if let Some(part) = &sample.part {
            text.push_str(&request_for_one_call(part));
        }
        if form.findings {
            text.push_str(&requests::for_findings(&self.rails, form.explain));
        } else if form.explain && !self.can_explain() {
            text.push_str(&requests::for_explanation(&self.rails));
        } else if self.wants_request {
            text.push_str(&requests::for_label(&self.rails));
        }
        Ok(Prompt { text, rails: Arc::clone(&self.rails), form })
    }

    fn text(&self, values: &Values, explain: bool) -> Result<String, TemplateError> {
        match &self.wording {
            Wording::Jinja(jinja) => jinja.text(values, explain),
            Wording::Plain(segments) => plain::text(segments, values),
        }
    }
}

/// What no wording says by itself: that a call which is judged alone is not alone.
fn request_for_one_call(part: &Part) -> String {
    let before = match part.at {
        0 => "",
        _ => " The calls before it are the last message of the conversation.",
    };
    format!(
        "\n\nThe agent made {} calls at once, and call {} of them is the one shown above.{before} Judge this call alone: \
         the others are judged by themselves, so nothing is wrong with this one because something else had to be called too.",
        part.turn.len(),
        part.at + 1,
    )
}

/// Whether `word` stands in `text` and is no part of a longer word. Scripts without spaces have no such borders.
fn names_word(text: &str, word: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, found)| {
        !joins(text[..at].chars().next_back()) && !joins(text[at + found.len()..].chars().next())
    })
}

/// Front matter that lists variables must list those that the text uses, and no others; a row's columns need no listing.
fn check_declared(declared: &[Variable], used: &[Variable]) -> Result<(), TemplateError> {
    let is_slot = |variable: &&Variable| matches!(variable, Variable::Slot(_));
    let without = |these: &[Variable], those: &[Variable]| {
        let mut names: Vec<String> = these
            .iter()
            .filter(is_slot)
            .filter(|name| !those.contains(name))
            .map(Variable::to_string)
            .collect();
        names.sort();
        names
    };
    let unused = without(declared, used);
    if !unused.is_empty() {
        return Err(TemplateError::MissingVariables(unused));
    }
    let undeclared = without(used, declared);
    if undeclared.is_empty() { Ok(()) } else { Err(TemplateError::UndeclaredVariables(undeclared)) }
}

/// A judge that is shown nothing of what the agent did cannot judge; nor one that is shown a call without what led to it,
/// unless it is shown what came of it.
fn check_sufficient(used: &[Variable]) -> Result<(), TemplateError> {
    let shows = |slot: Slot| used.contains(&Variable::Slot(slot));
    let came_of_it =
        [Slot::ToolResult, Slot::NextMessage, Slot::Response, Slot::Transcript].into_iter().any(shows)
            || used.iter().any(|variable| matches!(variable, Variable::Column(_)));
    if came_of_it {
        return Ok(());
    }
    let missing = [Slot::Question, Slot::ToolCall].into_iter().filter(|slot| !shows(*slot));
    let missing: Vec<String> = missing.map(|slot| slot.to_string()).collect();
    if missing.is_empty() { Ok(()) } else { Err(TemplateError::MissingVariables(missing)) }
}
