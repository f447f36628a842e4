//! Reads the label out of a reply, or says why there is none.
//!
//! A wrong label is far worse than none, so a doubtful verdict is no verdict. A reply is read in steps, each in its own file.
//! Reasoning is removed, and so is logged data that is repeated in its fence; JSON is read by itself; the rest is split into
//! words, lines and sentences, and quotations are excluded. Every mention of a rail is then weighed by the ordered, named rules
//! of `rule.rs`, by the words around it and its position, and `decide.rs` weighs the mentions against each other: the last
//! explicit verdict wins, if nothing after it contradicts it. If two rails negate each other, denying one affirms the other. If
//! the rules find no verdict, `finale.rs` looks at the end of the reply: at a rail alone after whatever leads to it, or at one
//! that the last clause says about the whole call. The effects of words are data: `lexicon.rs`, `idiom.rs` for several words
//! together, `polarity.rs` for small ones, `core/languages/` for other languages. A clause of another language gives a rail only
//! with words of `harmless.rs`: any other word may restrict it. From a truncated reply, `cut.rs` takes a verdict that comes first
//! or is called final, if only plain reasons follow (`reasons.rs`).

mod arguments;
mod ballot;
mod careful;
mod class;
mod context;
mod contrast;
mod cut;
mod decide;
mod echo;
mod ending;
mod exception;
mod excluded;
mod explanation;
mod fault;
mod faultless;
mod finale;
pub mod findings;
mod fold;
mod foreign;
mod formula;
mod harmless;
mod idiom;
mod json;
mod language;
mod legacy;
mod lenient_json;
mod lexicon;
mod markup;
mod mention;
mod names;
mod opening;
mod phrase;
mod polarity;
mod predicate;
mod reasoning;
mod reasons;
mod retort;
mod retraction;
mod right_context;
mod rule;
mod script;
mod spelling;
mod subject;
mod ticks;
mod title;
mod token;
mod unspaced;
mod words;

use std::str::FromStr;

use crate::domain::{Rail, Rails};

/// Which rules read a reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Whole words, in the place of a verdict.
    #[default]
    Careful,
    /// Letters anywhere, as Phoenix's `snap_to_rail` did: to make old labels again.
    Legacy,
}

impl Rules {
    /// Both, the default first.
    pub const ALL: [Rules; 2] = [Rules::Careful, Rules::Legacy];

    /// The name in settings and manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Rules::Careful => "careful",
            Rules::Legacy => "legacy",
        }
    }
}

/// A name that is not one of the [`Rules`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no set of rules: use careful or legacy")]
pub struct UnknownRules(pub String);

impl FromStr for Rules {
    type Err = UnknownRules;

    fn from_str(text: &str) -> Result<Rules, UnknownRules> {
        let rules = Rules::ALL.into_iter().find(|rules| rules.as_str() == text);
        rules.ok_or_else(|| UnknownRules(text.to_owned()))
    }
}

/// A reply's verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapped<'a> {
    /// In its own spelling.
    pub rail: &'a Rail,
    /// The rule that read it out of the reply.
    pub rule: &'static str,
    /// The reply's reasons, if they were asked for.
    pub explanation: Option<String>,
}

/// Why a reply has no verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct NoVerdict {
    /// A few words that stay the same from release to release.
    pub why: &'static str,
    /// What the reply says instead, if an explanation was asked for.
    pub explanation: Option<String>,
}

/// How much of a reply there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// The length limit cut its end off.
    Cut,
}

/// Reads the verdict out of a judge's reply.
///
/// `explain`: the judge was asked to explain itself before it answers.
pub fn snap<'a>(text: &str, rails: &'a Rails, rules: Rules, explain: bool) -> Result<Snapped<'a>, NoVerdict> {
    match rules {
        Rules::Careful => careful::snap(text, rails, Extent::Whole, explain),
        Rules::Legacy => legacy::snap(text, rails, explain),
    }
}

/// Reads the verdict out of a reply that the length limit cut off: only one that what is missing could not have changed.
///
/// Legacy rules never read such replies.
pub fn snap_cut<'a>(
    text: &str,
    rails: &'a Rails,
    rules: Rules,
    explain: bool,
) -> Result<Snapped<'a>, NoVerdict> {
    match rules {
        Rules::Careful => careful::snap(text, rails, Extent::Cut, explain),
        Rules::Legacy => Err(NoVerdict { why: "cut off", explanation: None }),
    }
}
