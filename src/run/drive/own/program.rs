//! An agent that is a program: one object per line on its standard input and output.

use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use secrecy::SecretString;
use tokio::time::timeout;

use super::log_tail::{cut, last_line};
use super::running::{Idle, LONGEST, Line, Program};
use super::{Farewell, Fault, OwnAgent, Talk};
use crate::domain::{Json, Object};
use crate::drive::protocol::{self, Said, excerpt};
use crate::drive::{Episode, Heard};
use crate::judge::Redactor;

/// How long a program may take to end by itself after its answer.
const GRACE: Duration = Duration::from_secs(1);
/// How long a program is listened to after an answer before the user goes on. Chosen: what it writes at one go has come by then.
const SILENCE: Duration = Duration::from_millis(50);
/// From a program's closing its output to its end. Chosen: an interpreter puts things in order.
const CLOSING: Duration = Duration::from_millis(50);
/// What a shell ends with that cannot run a command.
const NOT_RUN: [i32; 2] = [126, 127];

/// How a program is started, and those that wait for another case.
struct Programs {
    command: String,
    /// Whether a program stays for further cases.
    keep: bool,
    redactor: Redactor,
    idle: Mutex<Vec<Program>>,
}

pub(super) struct ProgramAgent(Arc<Programs>);

struct ProgramTalk {
    programs: Arc<Programs>,
    id: String,
    program: Option<Program>,
    /// Whether the program has come from another case, and said nothing in this one.
    untried: bool,
    /// How many messages it has been told.
    told: usize,
    /// The end of its log, where it ended by itself.
    log: Option<Vec<u8>>,
}

impl ProgramAgent {
    pub(super) fn new(command: &str, keep: bool, secrets: &[SecretString]) -> ProgramAgent {
        let (command, redactor) = (command.to_owned(), Redactor::of(secrets));
        ProgramAgent(Arc::new(Programs { command, keep, redactor, idle: Mutex::default() }))
    }
}

impl OwnAgent for ProgramAgent {
    fn talk(&self, id: &str) -> Box<dyn Talk> {
        let programs = Arc::clone(&self.0);
        Box::new(ProgramTalk {
            programs,
            id: id.to_owned(),
            program: None,
            untried: false,
            told: 0,
            log: None,
        })
    }

    fn finish(&self, at_once: bool) -> BoxFuture<'_, ()> {
        let idle = std::mem::take(&mut *self.0.idle());
        let ends = idle.into_iter().map(move |mut program| async move {
            program.input = None;
            if !at_once {
                // It may have something to put in order, as after its answer where it is not kept.
                let _ = timeout(GRACE, async { while program.output.recv().await.is_some() {} }).await;
            }
            program.end().await;
        });
        futures_util::future::join_all(ends).map(drop).boxed()
    }
}

impl Programs {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Program>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program that can be given another case. Others are thrown away: which case is at fault cannot be told any more.
    async fn ready(&self) -> Option<Program> {
        loop {
            let mut program = self.idle().pop()?;
            match program.state() {
                Idle::Ready => return Some(program),
                Idle::Ended | Idle::Wrote(_) => drop(program.end().await),
            }
        }
    }

    fn readable(&self, bytes: Vec<u8>) -> String {
        String::from_utf8_lossy(&self.redactor.apply(bytes)).into_owned()
    }

    /// A line of its standard output.
    fn said(&self, line: Vec<u8>) -> String {
        self.readable(self.redactor.mask_line(line))
    }

    fn log(&self, bytes: Vec<u8>) -> String {
        cut(self.readable(bytes))
    }
}

impl Talk for ProgramTalk {
    fn reply<'a>(&'a mut self, episode: &'a Episode) -> BoxFuture<'a, Result<Heard, Fault>> {
        async move {
            self.tell(episode).await?;
            loop {
                let line = match self.program.as_mut() {
                    Some(program) => program.output.recv().await,
                    None => None,
                };
                match line {
                    // It ended after its last answer, while this case was on its way.
                    None if self.untried => self.replace(episode).await?,
                    None => return Err(self.gone().await),
                    Some(Line::TooLong) => {
                        return Err(Fault::protocol(format!(
                            "it wrote a line of more than {} MB",
                            LONGEST >> 20
                        )));
                    }
                    Some(Line::Whole(line)) => {
                        if let Some(heard) = self.hear(line, episode)? {
                            return Ok(heard);
                        }
                    }
                }
            }
        }
        .boxed()
    }

    fn unasked(&mut self) -> BoxFuture<'_, Option<Fault>> {
        async move {
            let program = self.program.as_mut()?;
            after_answer(program, &self.programs, SILENCE).await
        }
        .boxed()
    }

    fn end(mut self: Box<Self>, answered: bool) -> BoxFuture<'static, Farewell> {
        async move {
            let mut farewell = Farewell::default();
            let Some(mut program) = self.program.take() else {
                farewell.log = self.log.take().map(|log| self.programs.log(log));
                farewell.last_words = farewell.log.as_deref().and_then(last_line);
                return farewell;
            };
            if answered && self.programs.keep {
                program.over.insert(std::mem::take(&mut self.id));
                farewell.log = Some(self.programs.log(program.log.take()));
                match program.state() {
                    Idle::Ready => self.programs.idle().push(program),
                    Idle::Ended => drop(program.end().await),
                    Idle::Wrote(line) => {
                        let line = line.map(|line| excerpt(&self.programs.said(line)));
                        let wrote = line.unwrap_or_else(|| "a long line".to_owned());
                        farewell.fault =
                            Some(Fault::protocol(format!("after its answer it wrote `{wrote}`")));
                        program.end().await;
                    }
                }
            } else {
                program.input = None;
                if answered {
                    farewell.fault = after_answer(&mut program, &self.programs, GRACE).await;
                }
                farewell.log = Some(self.programs.log(program.end().await.1));
            }
            farewell.log = farewell.log.filter(|log| !log.trim().is_empty());
            farewell.last_words = farewell.log.as_deref().and_then(last_line);
            farewell
        }
        .boxed()
    }
}

impl ProgramTalk {
    /// Tells the program what is new: first the case.
    async fn tell(&mut self, episode: &Episode) -> Result<(), Fault> {
        let mut news: Vec<Object> = Vec::new();
        if self.program.is_none() {
            let idle = self.programs.ready().await;
            self.untried = idle.is_some();
            let started = || Program::start(&self.programs.command);
            let failed = |why| Fault::unclear(format!("the program cannot be started: {why}"));
            self.program = Some(idle.map_or_else(started, Ok).map_err(failed)?);
            news.push(protocol::case(&self.id, episode));
        } else {
            news.extend(protocol::news(episode, self.told));
        }
        self.told = episode.messages().len();
        for mut object in news {
            if self.programs.keep {
                object.insert("case", self.id.as_str());
            }
            if let Some(input) = self.program.as_ref().and_then(|program| program.input.as_ref()) {
                // Where nobody reads it any more, there will be no answer.
                let _ = input.send(format!("{}\n", Json::Object(object)).into_bytes());
            }
        }
        Ok(())
    }

    /// Another program in place of one that ended of itself, and in good order, before it said anything in this case.
    async fn replace(&mut self, episode: &Episode) -> Result<(), Fault> {
        let Some(program) = self.program.take() else { return Err(Fault::unclear("there is no program")) };
        tokio::time::sleep(CLOSING).await;
        let (status, log) = program.end().await;
        if !status.is_some_and(|status| status.success()) {
            return Err(self.ended(status, log, true));
        }
        self.tell(episode).await
    }

    /// What a line says; nothing where it is empty, or of a case that is over.
    fn hear(&mut self, line: Vec<u8>, episode: &Episode) -> Result<Option<Heard>, Fault> {
        let line = self.programs.redactor.mask_line(line);
        let text = std::str::from_utf8(&line).map_err(|_| {
            Fault::protocol(format!("`{}` is not UTF-8", excerpt(&String::from_utf8_lossy(&line))))
        })?;
        if text.trim().is_empty() {
            return Ok(None);
        }
        let advice = "; standard output is for the protocol alone, all else belongs on standard error";
        let wrong = |why: String| {
            let advice = if why.contains("is not JSON") { advice } else { "" };
            Fault::protocol(format!("{why}{advice}"))
        };
        if let Some(program) = self.program.as_mut() {
            program.spoke = true;
            if program.is_late(text) {
                return Ok(None);
            }
        }
        self.untried = false;
        let Said { heard, case } = protocol::read(text, episode).map_err(wrong)?;
        match case {
            Some(case) if case != self.id => Err(Fault::protocol(format!(
                "it names the case `{}`, and was given `{}`",
                excerpt(&case),
                self.id
            ))),
            None if self.programs.keep => Err(Fault::protocol(format!(
                "with --agent-keep each line names its case: `\"case\": \"{}\"` is missing in `{}`",
                self.id,
                excerpt(text)
            ))),
            _ => Ok(Some(heard)),
        }
    }

    /// Why the program says no more.
    async fn gone(&mut self) -> Fault {
        let Some(program) = self.program.take() else { return Fault::unclear("there is no program") };
        // It closes its output a moment before it ends.
        tokio::time::sleep(CLOSING).await;
        let spoke = program.spoke;
        let (status, log) = program.end().await;
        self.ended(status, log, spoke)
    }

    fn ended(&mut self, status: Option<ExitStatus>, log: Vec<u8>, spoke: bool) -> Fault {
        self.log = Some(log);
        match status.and_then(|status| status.code()) {
            Some(code) if NOT_RUN.contains(&code) && !spoke => {
                Fault::unclear(format!("the command cannot be run (exit code {code})"))
            }
            Some(code) => Fault::agent(format!("the program ended before an answer, with exit code {code}")),
            None => Fault::agent(
                "the program was ended by a signal, or closed its standard output, before an answer",
            ),
        }
    }
}

/// What a program does wrong within a time after its answer, which is to be the last that it says.
async fn after_answer(program: &mut Program, programs: &Programs, within: Duration) -> Option<Fault> {
    let told = async {
        loop {
            match program.output.recv().await {
                None => return None,
                Some(Line::Whole(line)) if line.iter().all(u8::is_ascii_whitespace) => {}
                Some(Line::Whole(line)) if program.is_late(&String::from_utf8_lossy(&line)) => {}
                Some(Line::Whole(line)) => {
                    return Some(format!("after its answer it wrote `{}`", excerpt(&programs.said(line))));
                }
                Some(Line::TooLong) => return Some("it went on after its answer".to_owned()),
            }
        }
    };
    timeout(within, told).await.ok().flatten().map(Fault::protocol)
}
