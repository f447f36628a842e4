//! A section of the settings file on its way into a command's arguments: it fills in what was not typed.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};

/// Defaults of a command's flags by their long names, with underscores.
pub struct Section<'a> {
    file: &'a Path,
    name: &'static str,
    table: &'a toml::Table,
    /// Keys that were asked for.
    known: BTreeSet<&'static str>,
    /// Keys that set something.
    used: BTreeSet<&'static str>,
}

/// The keys by which a settings file can set the flags of a command.
#[cfg(test)]
pub fn keys_of_flags<Flags: clap::Args>() -> BTreeSet<String> {
    let command = Flags::augment_args(clap::Command::new("command"));
    let flags = command.get_arguments().filter_map(clap::Arg::get_long);
    flags.filter(|long| *long != "config").map(|long| long.replace('-', "_")).collect()
}

impl<'a> Section<'a> {
    pub fn new(file: &'a Path, name: &'static str, table: &'a toml::Table) -> Section<'a> {
        Section { file, name, table, known: BTreeSet::new(), used: BTreeSet::new() }
    }

    /// Fills in `value`, which `parse` reads. A plain `false` fills in nothing.
    pub fn value<T, E: Display>(
        &mut self,
        key: &'static str,
        value: &mut Option<T>,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> anyhow::Result<()> {
        let Some(found) = self.find(key, value.is_some()) else { return Ok(()) };
        match found {
            toml::Value::Boolean(false) => Ok(()),
            found => {
                let text = self.text(key, found)?;
                *value = Some(parse(&text).map_err(|why| self.wrong(key, &why))?);
                Ok(())
            }
        }
    }

    /// Fills in the place of a file.
    pub fn path(&mut self, key: &'static str, value: &mut Option<PathBuf>) -> anyhow::Result<()> {
        self.value(key, value, |text| Ok::<_, std::convert::Infallible>(PathBuf::from(text)))
    }

    /// Fills in a text.
    pub fn text_value(&mut self, key: &'static str, value: &mut Option<String>) -> anyhow::Result<()> {
        self.value(key, value, |text| Ok::<_, std::convert::Infallible>(text.to_owned()))
    }

    /// Fills in all `values` of a flag that may be given several times, where none was typed.
    pub fn values<T, E: Display>(
        &mut self,
        key: &'static str,
        values: &mut Vec<T>,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> anyhow::Result<()> {
        let Some(found) = self.find(key, !values.is_empty()) else { return Ok(()) };
        let found = match found {
            toml::Value::Array(found) => &found[..],
            one => std::slice::from_ref(one),
        };
        for one in found {
            let text = self.text(key, one)?;
            values.push(parse(&text).map_err(|why| self.wrong(key, &why))?);
        }
        Ok(())
    }

    /// [`Section::values`] of a flag that takes several at once, with commas between them.
    pub fn listed<T, E: Display>(
        &mut self,
        key: &'static str,
        values: &mut Vec<T>,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> anyhow::Result<()> {
        let mut texts: Vec<String> = Vec::new();
        if !values.is_empty() {
            self.find(key, true);
            return Ok(());
        }
        self.values(key, &mut texts, |text| Ok::<_, std::convert::Infallible>(text.to_owned()))?;
        for text in texts.iter().flat_map(|text| text.split(',')) {
            values.push(parse(text).map_err(|why| self.wrong(key, &why))?);
        }
        Ok(())
    }

    /// Turns on what the file turns on.
    pub fn switch(&mut self, key: &'static str, on: &mut bool) -> anyhow::Result<()> {
        if let Some(found) = self.find(key, *on) {
            *on = found.as_bool().ok_or_else(|| self.wrong(key, &"expected true or false"))?;
        }
        Ok(())
    }

    /// Fills in yes or no.
    pub fn choice(&mut self, key: &'static str, value: &mut Option<bool>) -> anyhow::Result<()> {
        if let Some(found) = self.find(key, value.is_some()) {
            *value = Some(found.as_bool().ok_or_else(|| self.wrong(key, &"expected true or false"))?);
        }
        Ok(())
    }

    /// An error where `key` and `other` are both set, and the file set one of them.
    pub fn exclusive(&self, key: &'static str, other: &'static str, both: bool) -> anyhow::Result<()> {
        match (both, self.used.contains(key), self.used.contains(other)) {
            (true, true, true) => Err(self.wrong(key, &format!("cannot be used with `{other}`"))),
            (true, true, false) => Err(self.wrong(key, &format!("cannot be used with --{other}"))),
            (true, false, true) => Err(self.wrong(other, &format!("cannot be used with --{key}"))),
            _ => Ok(()),
        }
    }

    /// The keys that were asked for.
    pub fn known(&self) -> &BTreeSet<&'static str> {
        &self.known
    }

    /// The flags that it set.
    pub fn set(&self) -> Vec<String> {
        self.used.iter().map(|key| format!("--{}", key.replace('_', "-"))).collect()
    }

    /// Where `key` stands, if it was set here.
    pub fn origin(&self, key: &'static str) -> Option<String> {
        self.used.contains(key).then(|| self.place(key))
    }

    /// The value of `key`, unless it was typed.
    fn find(&mut self, key: &'static str, typed: bool) -> Option<&'a toml::Value> {
        self.known.insert(key);
        let found = self.table.get(key).filter(|_| !typed)?;
        self.used.insert(key);
        Some(found)
    }

    /// A plain value as a flag would spell it.
    fn text(&self, key: &str, value: &toml::Value) -> anyhow::Result<String> {
        Ok(match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(on) => on.to_string(),
            toml::Value::Array(_) => bail!("{}: expected one value, not a list", self.place(key)),
            toml::Value::Datetime(_) | toml::Value::Table(_) => {
                bail!("{} is not a plain value", self.place(key))
            }
        })
    }

    fn place(&self, key: &str) -> String {
        format!("{}: [{}] `{key}`", self.file.display(), self.name)
    }

    fn wrong(&self, key: &str, why: &dyn Display) -> anyhow::Error {
        anyhow!("{}: {why}", self.place(key))
    }
}
