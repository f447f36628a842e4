//! The rules: what a mention of a rail amounts to. Of the ordered table the first rule that fits decides.

use super::after::After;
use super::lexicon::Class;
use super::mention::{Mention, Rival, Seat};
use super::script::{Lead, Role};
use super::token::Slot;

/// A way in which replies give verdicts.
pub(super) struct Rule {
    /// Kept beside the label it led to.
    pub name: &'static str,
    pub weigh: fn(&Mention) -> Option<Force>,
}

/// What a mention amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Force {
    /// Given as the verdict.
    Explicit,
    /// A bare rail alone on its line, which could be one of many.
    Line,
    /// Given as the verdict in something set apart: JSON, or a block that may quote.
    Json,
    Block,
    /// A sentence of the prose says so. `conclusive`: it begins with `therefore`, or takes back what was said.
    Statement {
        conclusive: bool,
    },
    /// One call of several.
    Item,
    /// The place of a verdict holds something else.
    Void,
    /// The prose says the opposite of this rail.
    Denial,
    /// Perhaps a verdict, perhaps not: no reason for a label, but reason to doubt another.
    Doubt,
    /// About a part of the call.
    Part,
}

pub(super) const RULES: &[Rule] = &[
    Rule { name: "json", weigh: json },
    Rule { name: "boxed", weigh: boxed },
    Rule { name: "tag", weigh: tag },
    Rule { name: "answered", weigh: answered },
    Rule { name: "question", weigh: question },
    Rule { name: "doubt", weigh: doubt },
    Rule { name: "exact", weigh: exact },
    Rule { name: "block", weigh: block },
    Rule { name: "one_of_many", weigh: one_of_many },
    Rule { name: "named", weigh: named },
    Rule { name: "label", weigh: label },
    Rule { name: "line", weigh: line },
    Rule { name: "lead", weigh: lead },
    Rule { name: "closing", weigh: closing },
    Rule { name: "statement", weigh: statement },
    Rule { name: "heading", weigh: heading },
];

/// The name for a verdict that all calls share, each having got its own.
pub(super) const EACH_CALL: &str = "each_call";

/// `{"label": "correct"}`
fn json(mention: &Mention) -> Option<Force> {
    (mention.seat == Seat::Json).then_some(match mention.rail {
        _ if mention.doubtful => Force::Doubt,
        Some(_) => Force::Json,
        None => Force::Void,
    })
}

/// `\boxed{correct}`
fn boxed(mention: &Mention) -> Option<Force> {
    (mention.seat == Seat::Slot(Slot::Boxed)).then(|| slot(mention))
}

/// `<label>correct</label>`
fn tag(mention: &Mention) -> Option<Force> {
    (mention.seat == Seat::Slot(Slot::Tag)).then(|| slot(mention))
}

fn slot(mention: &Mention) -> Force {
    if mention.set_apart && mention.above == Role::Header {
        return Force::Part;
    }
    let rail = mention.rail.is_some() && mention.before.is_plain() && !mention.crossed;
    let whole = mention.before.is_bare() || mention.before.is_label() || mention.before.is_statement();
    match mention.after {
        After::End | After::Reason | After::Contrast if rail && whole => Force::Explicit,
        _ => Force::Void,
    }
}

/// `Was the call correct? Yes.`
fn answered(mention: &Mention) -> Option<Force> {
    let whole = mention.before.is_statement() && mention.before.is_plain();
    let clear = mention.before.has(Class::Subject) || mention.first;
    let yes = mention.answered == Some(true);
    (yes && whole && clear && mention.rival.is_none()).then_some(Force::Statement { conclusive: false })
}

/// `Is it correct?`
fn question(mention: &Mention) -> Option<Force> {
    (mention.after == After::Question).then_some(Force::Part)
}

/// Inside what may be a quotation over several lines.
fn doubt(mention: &Mention) -> Option<Force> {
    mention.doubtful.then_some(Force::Doubt)
}

/// Nothing before it, and no other rail beside it.
fn is_alone(mention: &Mention) -> bool {
    // `No correct calls, no incorrect ones.`
    let torn = mention.flipped && mention.rival.is_some();
    mention.before.is_bare()
        && !torn
        && !mention.titles
        && mention.rival != Some(Rival::Near)
        && !mention.crossed
}

/// The whole reply is `**correct**.`
fn exact(mention: &Mention) -> Option<Force> {
    let alone = mention.first && mention.last && is_alone(mention);
    let ends = matches!(mention.after, After::End | After::Heading);
    (alone && ends && mention.lead != Lead::Number).then_some(Force::Explicit)
}

/// A fence or quoted paragraph that holds nothing else.
fn block(mention: &Mention) -> Option<Force> {
    let whole = mention.before.is_bare() || mention.before.is_label();
    let stands = whole && mention.before.is_plain() && mention.after == After::End && !mention.crossed;
    let quoted = mention.above == Role::Header;
    (mention.seat == Seat::Block).then_some(if stands && !quoted { Force::Block } else { Force::Part })
}

/// `Call 1: correct`, `2. incorrect`, `### The date` above `correct`.
fn one_of_many(mention: &Mention) -> Option<Force> {
    let before = &mention.before;
    if before.has(Class::Ordinal) {
        let whole = before.is_label()
            || before.has(Class::Subject) && (before.separated || before.has(Class::Copula));
        return Some(if whole && before.is_plain() && mention.rail.is_some() {
            Force::Item
        } else {
            Force::Part
        });
    }
    if mention.example {
        return Some(Force::Doubt);
    }
    let listed = mention.lead == Lead::Number && before.is_bare();
    let answers = mention.about_whole && mention.last;
    let under =
        !answers && mention.above == Role::Header && mention.opens_line && before.is_bare() && !mention.first;
    (listed || under).then_some(Force::Part)
}

/// `Label: correct`, `My final verdict is incorrect`, `I would label this as correct`, `Overall: correct`.
fn label(mention: &Mention) -> Option<Force> {
    let before = &mention.before;
    let under = mention.above == Role::Key && mention.opens_line && !before.has(Class::Other);
    let below = under && (before.is_bare() || !before.is_plain());
    let beside = before.is_key() && mention.opens_line && mention.closes_line && mention.after == After::End;
    if !(before.is_label() || below || beside) || before.has(Class::Other) {
        // `… says Label: correct` is somebody's label.
        let somebody =
            before.seen.any(&[Class::Key, Class::WeakKey]) && before.has(Class::Other) && before.separated;
        return (somebody && mention.rail.is_some()).then_some(Force::Doubt);
    }
    // `The status of the order: …` is a field, whatever stands in it.
    let field = before.has(Class::Outcome) && !before.has(Class::Key) && !before.has(Class::Final);
    if before.has(Class::Part) && (!before.separated || field) {
        return Some(Force::Part);
    }
    let plain = before.is_plain() && mention.rail.is_some() && !mention.crossed;
    Some(match mention.after {
        After::End | After::Heading | After::Reason | After::Contrast if plain => Force::Explicit,
        _ if before.has(Class::Key) || before.has(Class::Final) || below => Force::Void,
        _ if before.has(Class::Negation) => Force::Denial,
        _ => Force::Part,
    })
}

/// `Incorrect is the label that applies.`, `Please take incorrect as my final answer.`
fn named(mention: &Mention) -> Option<Force> {
    let plain = mention.before.is_plain() && !mention.before.has(Class::Part) && mention.rail.is_some();
    (mention.named && plain && mention.rival.is_none() && !mention.crossed).then_some(Force::Explicit)
}

/// A line of its own.
fn line(mention: &Mention) -> Option<Force> {
    let alone = mention.opens_line && mention.closes_line && is_alone(mention);
    (alone && mention.after == After::End).then_some(Force::Line)
}

/// `Incorrect, because …` or `Correct. All values …` at the very beginning.
fn lead(mention: &Mention) -> Option<Force> {
    let opens = (mention.first || mention.second && mention.about_whole) && is_alone(mention);
    let stands = matches!(mention.after, After::End | After::Reason);
    (opens && stands && mention.lead != Lead::Number).then_some(Force::Explicit)
}

/// `… so the city is missing. Incorrect.` at the very end.
fn closing(mention: &Mention) -> Option<Force> {
    let closes = mention.last && is_alone(mention) && (!mention.asked || mention.about_whole);
    (closes && mention.after == After::End).then_some(Force::Explicit)
}

/// `The tool call is correct.`
fn statement(mention: &Mention) -> Option<Force> {
    let before = &mention.before;
    let unsure = before.seen.any(&[Class::Other, Class::Condition, Class::Hedge]);
    if !before.is_statement() || unsure || mention.rail.is_none() {
        return None;
    }
    if before.has(Class::Negation) {
        return Some(Force::Denial);
    }
    let conclusive = before.is_firm();
    // `it` may be anything, unless it is all there is to talk about.
    let it = before.has(Class::Pronoun) && !before.has(Class::Subject);
    // A part that is wrong makes the call wrong, but no part makes it right.
    let last = mention.last && mention.sole && mention.fails && !mention.reported;
    let clear = !it || mention.first || conclusive && mention.last || last;
    Some(match mention.after {
        After::End | After::Reason if mention.rival.is_some() => Force::Doubt,
        After::End | After::Reason if clear => Force::Statement { conclusive },
        After::End | After::Reason => Force::Doubt,
        _ => Force::Part,
    })
}

/// `Incorrect: the city …` further down, which may be a verdict or the title of a list.
fn heading(mention: &Mention) -> Option<Force> {
    // `Correct: the tool. Incorrect: the city.`
    let opens = mention.before.is_bare() && (mention.opens_line || mention.after == After::Reason);
    let titles = matches!(mention.after, After::Heading | After::Reason | After::End);
    (opens && titles && mention.lead != Lead::Number).then_some(Force::Doubt)
}
