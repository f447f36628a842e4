//! Operations that are sent to the server together, and their results.

use std::collections::HashMap;
use std::time::SystemTime;

use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::error::Trouble;
use super::line;
use super::reply_row::{self, Rows};
use super::server::{Server, Session};
use super::statements::Write;
use super::text::escaped;
use crate::domain::{Given, Granted, Taking};
use crate::store::job::{Job, Op};
use crate::store::stored_reply::StoredReply;
use crate::store::{Fingerprint, Reuse};

/// Statements that are sent at once, in order. Each is a transaction of its own, and takes its rows in the order of their names: so no
/// two runs wait for each other.
pub(super) struct Pipeline<'a> {
    session: &'a Session,
    steps: Vec<(Write, Vec<Box<dyn ToSql + Sync + Send + 'a>>)>,
}

/// What they came to.
pub(super) struct Answers(Vec<(Write, Vec<Row>)>);

/// What the server knows of a question that was claimed.
#[derive(Default)]
pub(super) struct Known {
    /// Whether this run tried and got no reply.
    pub failed_here: bool,
    pub is_damaged: bool,
    pub reply: Option<StoredReply>,
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(session: &'a Session) -> Pipeline<'a> {
        Pipeline { session, steps: Vec::new() }
    }

    pub(super) fn add(&mut self, statement: Write, parameters: Vec<Box<dyn ToSql + Sync + Send + 'a>>) {
        self.steps.push((statement, parameters));
    }

    pub(super) async fn run(self, server: &Server) -> Result<Answers, Trouble> {
        let longest = server.longest(self.steps.len());
        let Session { client, statements } = self.session;
        let sent = self.steps.iter().map(async |(statement, parameters)| {
            let parameters: Vec<&(dyn ToSql + Sync)> =
                parameters.iter().map(|parameter| parameter.as_ref() as &(dyn ToSql + Sync)).collect();
            client.query(&statements[*statement as usize], &parameters).await
        });
        // Each is sent before the next is looked at, and none waits for another's answer.
        let answers = timeout(longest, futures_util::future::join_all(sent)).await;
        let answers = answers.map_err(|_| Trouble::Silent(longest))?;
        let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Answers(self.steps.iter().map(|(statement, _)| *statement).zip(answers).collect()))
    }
}

impl Answers {
    pub(super) fn of(&self, statement: Write) -> impl Iterator<Item = &Row> {
        let of = self.0.iter().filter(move |(of, _)| *of as usize == statement as usize);
        of.flat_map(|(_, rows)| rows)
    }

    /// What was found of the questions that were claimed.
    pub(super) fn known(&self) -> Result<HashMap<Fingerprint, Known>, Error> {
        self.of(Write::Look)
            .map(|row| {
                let fingerprint = row.try_get(0)?;
                let reply = if row.try_get(2)? { Some(reply_row::read(fingerprint, row, 3)) } else { None };
                let is_damaged = matches!(reply, Some(None));
                let known = Known { failed_here: row.try_get(1)?, is_damaged, reply: reply.flatten() };
                Ok((fingerprint, known))
            })
            .collect()
    }
}

impl Answers {
    /// What the runs of a batch took of their purses, in order.
    pub(super) fn given(&self) -> Result<Vec<Given>, Error> {
        let given = |row: &Row| {
            let amount = |place| row.try_get(place).map(i64::cast_unsigned);
            Ok(Given { more: amount(0)?, may_return: row.try_get(1)?, spent: amount(2)?, lost: amount(3)? })
        };
        self.of(Write::Take).map(given).collect()
    }

    /// The blocks that were reserved, in order.
    pub(super) fn granted(&self) -> Result<Vec<Granted>, Error> {
        self.of(Write::Grant).map(line::granted).collect()
    }
}

/// Parts the jobs that can go together from those that must go after them: of two that write about one question, or claim it in two
/// ways, one statement can do only the first.
pub(super) fn together(jobs: Vec<Job>) -> (Vec<Job>, Vec<Job>) {
    let mut claims: HashMap<Fingerprint, Reuse> = HashMap::new();
    let mut outcomes: HashMap<Fingerprint, ()> = HashMap::new();
    jobs.into_iter().partition(|job| match &job.op {
        Op::Claim { fingerprint, reuse } => claims.entry(*fingerprint).or_insert(*reuse) == reuse,
        Op::Answer { fingerprint, .. } | Op::Fail { fingerprint, .. } | Op::Release { fingerprint } => {
            outcomes.insert(*fingerprint, ()).is_none()
        }
        _ => true,
    })
}

/// Adds the statements that keep outcomes: answers, failures, what was wasted, and claims that are dropped. `numbered` jobs came before
/// these. Where claims may have lapsed, `late` says of which questions another run's reply is as good.
pub(super) fn add_outcomes<'a>(
    pipeline: &mut Pipeline<'a>,
    jobs: &'a [Job],
    run: &'a str,
    (needless, numbered): (&[Fingerprint], i64),
    late: Option<impl Fn(Fingerprint) -> bool>,
) {
    let mut replies = Rows::default();
    let (mut as_good, mut numbers) = (Vec::new(), Vec::new());
    let mut failed = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut wasted = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut released = needless.to_vec();
    for (Job { op, .. }, number) in jobs.iter().zip(numbered..) {
        match op {
            Op::Answer { fingerprint, kind, reply, prompt } => {
                as_good.extend(late.as_ref().map(|late| late(*fingerprint)));
                numbers.push(number);
                replies.push(*fingerprint, run, (*kind, reply), prompt.as_deref(), None);
            }
            Op::Fail { fingerprint, failure } => {
                failed.0.push(*fingerprint);
                failed.1.push(run);
                failed.2.push(escaped(&failure.code));
                failed.3.push(escaped(&failure.message));
                failed.4.push(i64::from(failure.attempts));
            }
            Op::Waste { fingerprint, paid } => {
                wasted.0.push(number);
                wasted.1.push(*fingerprint);
                wasted.2.push(paid.usage.prompt_tokens.map(u64::cast_signed));
                wasted.3.push(paid.usage.completion_tokens.map(u64::cast_signed));
                wasted.4.push(paid.cost_usd);
            }
            Op::Release { fingerprint } => released.push(*fingerprint),
            Op::Learn { endpoint, model, adaptation } => {
                pipeline.add(Write::Learn, vec![Box::new(endpoint), Box::new(model), Box::new(adaptation)]);
            }
            Op::Manifest { manifest, finished } => {
                pipeline.add(
                    Write::Manifest,
                    vec![Box::new(run), Box::new(escaped(manifest)), Box::new(*finished)],
                );
            }
            Op::Leave { endpoint, model } => {
                pipeline.add(Write::Leave, vec![Box::new(endpoint), Box::new(model), Box::new(run)]);
            }
            Op::Take { purse, taking } => {
                let Taking { ceiling, granted, spent, need, want } = taking;
                let [ceiling, granted, spent, need, want] = [ceiling, granted, spent, need, want].map(amount);
                pipeline.add(Write::Begin, Vec::new());
                pipeline.add(Write::HoldPurse, vec![Box::new(purse)]);
                pipeline.add(
                    Write::Take,
                    vec![
                        Box::new(purse),
                        Box::new(run),
                        Box::new(ceiling),
                        Box::new(granted),
                        Box::new(spent),
                        Box::new(need),
                        Box::new(want),
                    ],
                );
                pipeline.add(Write::Commit, Vec::new());
            }
            Op::Settle { purse, spent } => {
                pipeline.add(Write::Settle, vec![Box::new(purse), Box::new(run), Box::new(amount(spent))]);
            }
            Op::Grant { endpoint, model, number, length } => {
                pipeline.add(Write::Begin, Vec::new());
                pipeline.add(Write::HoldLine, vec![Box::new(endpoint), Box::new(model)]);
                pipeline.add(Write::SetBack, vec![Box::new(endpoint), Box::new(model)]);
                pipeline.add(
                    Write::Grant,
                    vec![
                        Box::new(endpoint),
                        Box::new(model),
                        Box::new(run),
                        Box::new(*number),
                        Box::new(*length),
                    ],
                );
                pipeline.add(Write::Commit, Vec::new());
            }
            Op::Pause { endpoint, model, pause } => {
                let pause = i64::try_from(pause.as_micros()).unwrap_or(i64::MAX / 4);
                pipeline.add(Write::Pause, vec![Box::new(endpoint), Box::new(model), Box::new(pause)]);
            }
            Op::Claim { .. } | Op::Join { .. } => {}
        }
    }
    if !replies.fingerprints.is_empty() {
        let mut parameters = replies.into_parameters();
        if late.is_none() {
            pipeline.add(Write::Answer, parameters);
        } else {
            parameters.extend([Box::new(as_good) as Box<dyn ToSql + Sync + Send>, Box::new(numbers)]);
            pipeline.add(Write::LateAnswer, parameters);
        }
    }
    if !failed.0.is_empty() {
        let (prints, runs, codes, messages, attempts) = failed;
        let parameters: Vec<Box<dyn ToSql + Sync + Send + 'a>> =
            vec![Box::new(prints), Box::new(runs), Box::new(codes), Box::new(messages), Box::new(attempts)];
        pipeline.add(Write::Fail, parameters);
    }
    if !wasted.0.is_empty() {
        let (numbers, prints, prompts, completions, costs) = wasted;
        pipeline.add(
            Write::Waste,
            vec![
                Box::new(run),
                Box::new(numbers),
                Box::new(prints),
                Box::new(prompts),
                Box::new(completions),
                Box::new(costs),
            ],
        );
    }
    if !released.is_empty() {
        pipeline.add(Write::Release, vec![Box::new(released), Box::new(run)]);
    }
}

/// Of money, as far as the server can count.
fn amount(amount: &u64) -> i64 {
    i64::try_from(*amount).unwrap_or(i64::MAX)
}

/// Adds the claims, and behind them the look at what is there. `hung` are claims of other runs that hold no longer.
pub(super) fn add_claims<'a>(
    pipeline: &mut Pipeline<'a>,
    jobs: &[Job],
    run: &'a str,
    hung: impl Fn(Fingerprint) -> Option<SystemTime>,
) {
    let mut claimed: Vec<Fingerprint> = jobs.iter().filter_map(Job::claimed).collect();
    if claimed.is_empty() {
        return;
    }
    claimed.sort_unstable_by_key(|fingerprint| fingerprint.0);
    claimed.dedup();
    let hung = claimed.iter().filter_map(|fingerprint| Some((*fingerprint, hung(*fingerprint)?)));
    let (hung, leases): (Vec<Fingerprint>, Vec<SystemTime>) = hung.unzip();
    pipeline
        .add(Write::Claim, vec![Box::new(claimed.clone()), Box::new(run), Box::new(hung), Box::new(leases)]);
    pipeline.add(Write::Look, vec![Box::new(claimed), Box::new(run)]);
}
