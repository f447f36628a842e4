//! An entry of `[judges]`: a judge with its endpoint's settings.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::PathBuf;

use super::args::JudgeFlags;
use crate::cli::config::price_in;
use crate::cli::entry::Entry;
use crate::cli::flags::Flags;
use crate::cli::given::{Given, takes_bool};
use crate::domain::{RowError, did_you_mean};
use crate::judge::Price;

/// A judge with its endpoint's settings. A flag on the command line overrides them.
#[derive(Debug, Clone, Default)]
pub struct JudgeEntry {
    /// `PROVIDER:MODEL`.
    pub judge: String,
    /// Context length that a local server sets aside, in tokens.
    pub num_ctx: Option<NonZeroU32>,
    /// Sent with every request. `${NAME}` stands for an environment variable.
    pub headers: BTreeMap<String, String>,
    /// Added to the URL of every request. `${NAME}` stands for an environment variable.
    pub query: BTreeMap<String, String>,
    /// Added to the body of every request.
    pub body: toml::Table,
    /// `http://host:port`; the usual environment variables are heeded anyway.
    pub proxy: Option<String>,
    /// A PEM file of certificates to be trusted beside the system's.
    pub ca_cert: Option<PathBuf>,
    pub price: Option<Price>,
    /// Whether it comes from a host and not from a file, which may be somebody else's.
    pub of_host: bool,
    /// What it says of the flags of its endpoint and limits, alone.
    pub flags: JudgeFlags,
    /// The same, as it is written.
    written: Vec<Entry>,
}

/// The settings of an entry that are no flags, for hints.
const OWN: [&str; 8] = ["judge", "num_ctx", "headers", "query", "body", "proxy", "ca_cert", "price"];
/// A flag that is about the whole run.
const OF_THE_RUN: &str = "max_cost";

impl JudgeEntry {
    /// The entry of that `name`, which begins in that `line`.
    ///
    /// # Errors
    /// In words that name the line and show no text of it.
    pub fn new(name: &str, line: usize, entries: Vec<Entry>) -> Result<JudgeEntry, String> {
        let named = format!("[judges.{}]", RowError::excerpt(name));
        JudgeEntry::read(&named, entries, |key_line| format!("line {}: ", key_line.unwrap_or(line)))
    }

    /// The entry of that `name` that a host gives.
    ///
    /// # Errors
    /// Likewise, without a line.
    pub fn of_host(name: &str, entries: Vec<Entry>) -> Result<JudgeEntry, String> {
        let named = format!("the judge `{}`:", RowError::excerpt(name));
        let entry = JudgeEntry::read(&named, entries, |_| String::new())?;
        Ok(JudgeEntry { of_host: true, ..entry })
    }

    /// The entry that is `named` so; `at` says where a key is, or the entry itself.
    fn read(
        named: &str,
        entries: Vec<Entry>,
        at: impl Fn(Option<usize>) -> String,
    ) -> Result<JudgeEntry, String> {
        let flags = Flags::of::<JudgeFlags>();
        let is_named = entries.iter().any(|entry| entry.key == "judge");
        let mut judge = JudgeEntry::default();
        for entry in entries {
            let key = entry.key.as_str();
            let place = || format!("{}{named} `{key}`", at(Some(entry.line)));
            match flags.find(key).filter(|_| key != OF_THE_RUN) {
                // As if left out, it would leave what holds for all judges.
                Some(arg) if entry.value.as_bool() == Some(false) && !takes_bool(arg) => {
                    return Err(format!("{}: expected a value, not false; leave it out", place()));
                }
                Some(arg) => {
                    let filled = flags.fill(arg, &entry.value, &mut judge.flags);
                    filled.map_err(|why| format!("{}: {why}", place()))?;
                    judge.written.push(entry);
                }
                None => {
                    let is_known = judge.own(&entry).map_err(|why| format!("{}: {why}", place()))?;
                    if !is_known {
                        return Err(format!("{}{named} {}", at(Some(entry.line)), unknown(key, &flags)));
                    }
                }
            }
        }
        match is_named {
            true => Ok(judge),
            false => Err(format!("{}missing field `judge` in {named}", at(None))),
        }
    }

    /// Fills in what is no flag; whether there is such a setting.
    fn own(&mut self, entry: &Entry) -> Result<bool, String> {
        match entry.key.as_str() {
            "judge" => self.judge = entry.read()?,
            "num_ctx" => self.num_ctx = Some(entry.read()?),
            "headers" => self.headers = entry.read()?,
            "query" => self.query = entry.read()?,
            "body" => self.body = entry.read()?,
            "proxy" => self.proxy = Some(entry.read()?),
            "ca_cert" => self.ca_cert = Some(entry.read()?),
            "price" => self.price = Some(price_in(entry.value.clone())?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `flags` of the whole run, with what this entry says of those that were not `given`.
    pub fn over(&self, mut flags: JudgeFlags, given: &Given) -> JudgeFlags {
        let all = Flags::of::<JudgeFlags>();
        for entry in self.written.iter().filter(|entry| !given.contains(&entry.key)) {
            // It was read when the file was.
            let _ = all.find(&entry.key).map(|arg| all.fill(arg, &entry.value, &mut flags));
        }
        flags
    }
}

/// That there is no such setting.
fn unknown(key: &str, flags: &Flags) -> String {
    let mut known: BTreeSet<String> = flags.keys();
    known.remove(OF_THE_RUN);
    known.extend(OWN.map(str::to_owned));
    let list = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let near = did_you_mean(key, known.iter().map(String::as_str));
    format!("unknown field `{}`, expected one of {list}{near}", RowError::excerpt(key))
}
