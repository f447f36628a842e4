//! Options that mean nothing without another, or beside one: who types such an option learns it before anything runs.
//!
//! It is an error where the run would give other rows, labels, files or another end than the option asks for, and a warning where it
//! only says how models are asked, or which of two gates decides. A settings file may hold such options: it serves several commands.

use anyhow::bail;

use super::flags::flag;
use super::host::Host;
use super::layers::Origins;

/// Options of some commands, and what gives them an effect.
struct Rule {
    commands: &'static [&'static str],
    /// Their keys.
    options: &'static [&'static str],
    needs: Needs,
    /// What the options are for, to complete the sentence.
    why: &'static str,
}

enum Needs {
    /// One of these options.
    One(&'static [&'static str]),
    /// This option with a value that ends so.
    Ending(&'static str, &'static str),
    /// None of these options.
    None(&'static [&'static str]),
    /// The same; an effect that is missing is worth a warning only.
    Rather(&'static [&'static str]),
    /// A table that is written to a file: the command's own, or those of these options.
    File(&'static [&'static str]),
    /// The command's own table, in a file or in memory.
    Table,
    /// No table in memory: the rows would go there, and not where the option says.
    NoMemory,
}

/// Commands whose table goes somewhere even if no place is named.
const ALWAYS_WRITE: [&str; 4] = ["label", "resnap", "convert", "gold"];

const LABELLING: &[&str] = &["label", "resnap"];
const READING: &[&str] = &["label", "resnap", "convert", "bench", "audit", "suite from-log"];
const SAMPLE: &str = "it is the seed of a random sample";
const TABLE: &str = "it is about the table that is written";

const RULES: &[Rule] = &[
    Rule { commands: READING, options: &["seed"], needs: Needs::None(&["limit"]), why: SAMPLE },
    Rule { commands: READING, options: &["seed"], needs: Needs::One(&["sample"]), why: SAMPLE },
    Rule {
        commands: &["bench"],
        options: &["from", "column", "tools", "null_call", "turns"],
        needs: Needs::None(&["bfcl"]),
        why: "it is about rows of your own",
    },
    Rule {
        commands: &["label", "resnap", "convert", "gold", "score", "bench", "audit", "trend"],
        options: &["to"],
        needs: Needs::File(&[]),
        why: TABLE,
    },
    Rule {
        commands: LABELLING,
        options: &["escape_formulas"],
        needs: Needs::File(&["fold_output"]),
        why: TABLE,
    },
    Rule {
        commands: &["convert", "gold", "score", "trend"],
        options: &["escape_formulas"],
        needs: Needs::File(&[]),
        why: TABLE,
    },
    Rule {
        commands: &["bench"],
        options: &["escape_formulas"],
        needs: Needs::File(&["audit", "report"]),
        why: TABLE,
    },
    Rule { commands: &["audit"], options: &["escape_formulas"], needs: Needs::File(&["report"]), why: TABLE },
    Rule {
        commands: &["drive"],
        options: &["to", "escape_formulas"],
        needs: Needs::One(&["output", "turns"]),
        why: TABLE,
    },
    Rule {
        commands: &["drive"],
        options: &["gold"],
        needs: Needs::One(&["output"]),
        why: "it adds columns to the table of episodes",
    },
    Rule {
        commands: &["bench", "score"],
        options: &["prefix", "overwrite"],
        needs: Needs::Table,
        why: "it is about the columns that are added to the rows",
    },
    Rule {
        commands: &["bench", "audit"],
        options: &["output"],
        needs: Needs::NoMemory,
        why: "the rows are given back and not written",
    },
    Rule {
        commands: LABELLING,
        options: &["drop"],
        needs: Needs::None(&["keep"]),
        why: "what that does not name is left out",
    },
    Rule {
        commands: LABELLING,
        options: &["gate_on"],
        needs: Needs::One(&["min_pass_rate"]),
        why: "it says what that gate looks at",
    },
    Rule {
        commands: &["bench"],
        options: &["gate_on"],
        needs: Needs::One(&[
            "min_accuracy",
            "min_balanced_accuracy",
            "min_f1",
            "min_kappa",
            "min_mcc",
            "min_auc",
        ]),
        why: "it says what these gates look at",
    },
    Rule {
        commands: LABELLING,
        options: &["fold"],
        needs: Needs::One(&["fold_output"]),
        why: "its table is written there",
    },
    Rule {
        commands: LABELLING,
        options: &["fold_output"],
        needs: Needs::One(&["fold"]),
        why: "the table has a row for each value of the columns that it names",
    },
    Rule {
        commands: &["label", "resnap", "train"],
        options: &["id"],
        needs: Needs::One(&["errata"]),
        why: "it names the rows that corrections are of",
    },
    Rule {
        commands: &["bench"],
        options: &["cases"],
        needs: Needs::Ending("report", ".html"),
        why: "it is about the rows that the HTML report shows",
    },
    Rule {
        commands: &["bench"],
        options: &["suspects"],
        needs: Needs::One(&["audit"]),
        why: "it is about the rows that are written there",
    },
    Rule {
        commands: &["gold"],
        options: &["from", "column", "tools", "where"],
        needs: Needs::None(&["bfcl"]),
        why: "it is about your own calls",
    },
    Rule {
        commands: &["gold"],
        options: &["seed", "per_question", "negatives_per_question", "per_type", "negatives_only"],
        needs: Needs::None(&["results"]),
        why: "it is about calls that are generated",
    },
    Rule {
        commands: &["gold", "bench"],
        options: &["scores"],
        needs: Needs::One(&["results"]),
        why: "it holds the scores of these answers",
    },
    Rule {
        commands: &["score"],
        options: &["order_matters"],
        needs: Needs::None(&["match"]),
        why: "that says it too",
    },
    Rule {
        commands: &["score"],
        options: &["template", "explain"],
        needs: Needs::One(&["judge"]),
        why: "it is about what the judge is asked",
    },
    Rule {
        commands: &["score"],
        options: &["underscore_to_dot"],
        needs: Needs::One(&["questions"]),
        why: "it is about BFCL's own files",
    },
    Rule {
        commands: &["drive"],
        options: &["template"],
        needs: Needs::One(&["grade"]),
        why: "it is what the judge that grades is asked",
    },
    Rule {
        commands: &["score"],
        options: &["allow_failures"],
        needs: Needs::Rather(&["min_pass_rate"]),
        why: "that gate decides",
    },
    Rule {
        commands: &["drive"],
        options: &["allow_failures"],
        needs: Needs::Rather(&["min_pass_rate", "min_pass_hat", "baseline"]),
        why: "that gate decides",
    },
];

/// Refuses what was typed for `command` and has no effect, or warns of it.
///
/// # Errors
/// In words that name the option, what it needs and what to do.
pub fn check(command: &str, origins: &Origins, host: &Host) -> anyhow::Result<()> {
    let run = Run { command, origins, in_memory: host.collected.is_some() };
    for rule in RULES.iter().filter(|rule| rule.commands.contains(&command)) {
        for option in rule.options.iter().filter(|option| origins.given.is_on(option)) {
            let Some(missing) = run.missing(&rule.needs) else { continue };
            let (flag, why) = (flag(option), rule.why);
            match rule.needs {
                Needs::Rather(_) => {
                    host.printer(false).warn(&format!("{flag} has no effect {missing}: {why}"));
                }
                Needs::None(_) | Needs::NoMemory => {
                    bail!("{flag} has no effect {missing}: {why}; leave {flag} out");
                }
                _ => bail!("{flag} has no effect {missing}: {why}; add that, or leave {flag} out"),
            }
        }
    }
    Ok(())
}

/// A command as it is called.
struct Run<'a> {
    command: &'a str,
    origins: &'a Origins,
    /// Whether its table goes to the program that runs it.
    in_memory: bool,
}

impl Run<'_> {
    fn is_on(&self, key: &str) -> bool {
        self.origins.is_on(key)
    }

    /// What is missing, or in the way.
    fn missing(&self, needs: &Needs) -> Option<String> {
        match needs {
            Needs::One(keys) => (!keys.iter().any(|key| self.is_on(key))).then(|| without(keys)),
            Needs::Ending(key, end) => {
                let is_there = self.origins.texts(key).iter().any(|text| text.ends_with(end));
                (!is_there).then(|| format!("without {} FILE{end}", flag(key)))
            }
            Needs::None(keys) | Needs::Rather(keys) => {
                let key = keys.iter().find(|key| self.is_on(key))?;
                let place = self.origins.place(key).map_or_else(String::new, |place| format!(" ({place})"));
                Some(format!("beside {}{place}", flag(key)))
            }
            Needs::File(others) => {
                let is_written = self.writes_file() || others.iter().any(|key| self.is_on(key));
                (!is_written).then(|| without(&[&["output"], *others].concat()))
            }
            Needs::Table => (!self.in_memory && !self.writes_file()).then(|| without(&["output"])),
            Needs::NoMemory => self.in_memory.then(|| "beside return_rows".to_owned()),
        }
    }

    /// Whether the command's own table goes to a file, or to the standard output.
    fn writes_file(&self) -> bool {
        // The summary of a conversion takes the place of its rows.
        let is_told = self.command == "convert" && (self.is_on("summary") || self.is_on("json"));
        !self.in_memory && (self.is_on("output") || ALWAYS_WRITE.contains(&self.command) && !is_told)
    }
}

fn without(keys: &[&str]) -> String {
    let flags: Vec<String> = keys.iter().map(|key| flag(key)).collect();
    format!("without {}", flags.join(" or "))
}
