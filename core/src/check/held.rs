//! Requests that are none: what the user says not to do, takes back, wants to wait with, or only asks about.

use std::fmt;
use std::sync::LazyLock;

use super::choice::only_reads;
use super::clause::{Clause, clauses};
use super::exclusions::rids;
use super::observation::Observation;
use super::schema::plain_of;
use crate::domain::{Json, Sample, ToolCall};
use crate::language::{Held, Language, all};
use crate::reading::spoken::Languages;
use crate::reading::words::{Stem, StemSet, fold, fold_identifier, is_content, stem, words};

/// Why what a message speaks of is not to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// It is forbidden, or declared needless.
    Denied,
    /// It was asked for and taken back.
    Withdrawn,
    /// Something else comes first.
    NotYet,
    /// The question is how it is done.
    HowTo,
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hold::Denied => "the user says not to",
            Hold::Withdrawn => "the user took the request back",
            Hold::NotYet => "the user wants something else first",
            Hold::HowTo => "the user asks how it is done",
        })
    }
}

/// Bytes of a message that are read: who says more says a whole story, in which a `not` means anything.
const MAX_BYTES: usize = 4 * 1024;
/// Calls, values of a call and words of one that are looked at: bounds the work on hostile rows.
const MAX_CALLS: usize = 8;
const MAX_VALUES: usize = 64;
const MAX_WORDS: usize = 20;
/// What may stand in front of a denial in its clause: `ok so please don't`.
const MAX_BEFORE: usize = 5;

/// Why the calls are not to be made, by what the user said last; none where nothing holds them back, and of calls that only look something
/// up: nobody minds those.
pub(super) fn held_back(sample: &Sample, calls: &[ToolCall]) -> Option<Observation> {
    let text = &sample.question;
    if text.len() > MAX_BYTES || calls.iter().all(|call| only_reads(&call.name)) {
        return None;
    }
    let clauses = clauses(text);
    let spoken = Languages::of(&fold(text));
    let meant = Meant::of(calls);
    let spoken: Vec<&Phrases> = PHRASES.iter().filter(|own| own.language.share(spoken)).collect();
    let (how, at) = withdrawn(&clauses, &spoken, &meant)
        .map(|at| (Hold::Withdrawn, at))
        .or_else(|| Some((Hold::NotYet, not_yet(&clauses, &spoken, &meant)?)))
        .or_else(|| Some((Hold::Denied, denied(&clauses, &spoken, &meant)?)))
        .or_else(|| Some((Hold::HowTo, how_to(&clauses, &spoken, &meant)?)))?;
    Some(Observation::HeldBack { how, text: clauses[at].text.trim().to_owned() })
}

/// A language's phrases, as they stand in folded texts.
struct Phrases {
    language: Languages,
    verb_last: bool,
    denials: Vec<Phrase>,
    undenied: Vec<Phrase>,
    withdrawals: Vec<Phrase>,
    not_yet: Vec<Phrase>,
    how_to: Vec<Phrase>,
}

/// With the space before it; with the space behind it too, unless any ending will do.
struct Phrase {
    text: String,
    /// Whether it must be all of its clause.
    is_clause: bool,
}

static PHRASES: LazyLock<Vec<Phrases>> = LazyLock::new(|| {
    let of = |(at, language): (usize, &'static Language)| {
        let Held { denials, undenied, withdrawals, not_yet, how_to, verb_last, .. } = &language.held;
        let [denials, undenied, withdrawals, not_yet, how_to] =
            [denials, undenied, withdrawals, not_yet, how_to]
                .map(|list| list.iter().map(|own| phrase(own)).collect());
        let language = Languages::only(at);
        Phrases { language, verb_last: *verb_last, denials, undenied, withdrawals, not_yet, how_to }
    };
    all().iter().enumerate().map(of).filter(|own: &Phrases| !own.denials.is_empty()).collect()
});

fn phrase(written: &str) -> Phrase {
    let plain = written.trim_start_matches('=');
    let text = match plain.strip_suffix('*') {
        Some(start) => fold(start).trim_end().to_owned(),
        None => fold(plain),
    };
    Phrase { text, is_clause: plain.len() < written.len() }
}

/// Where the longest of the phrases stands in a clause, and how much of it is the phrase. What an argument holds is its text's business:
/// `Don't Stop Me Now` is a title.
fn find<'a>(
    clause: &Clause,
    phrases: impl Iterator<Item = &'a Phrase>,
    meant: &Meant,
) -> Option<(usize, usize)> {
    let place = |phrase: &Phrase| match phrase.is_clause {
        true => (clause.folded == phrase.text).then_some(0),
        false => clause.folded.rfind(phrase.text.as_str()),
    };
    let own = phrases.filter(|phrase| !meant.texts.contains(phrase.text.as_str()));
    own.filter_map(|phrase| Some((place(phrase)?, phrase.text.len()))).max_by_key(|(_, length)| *length)
}

/// The words that the calls are about.
#[derive(Default)]
struct Meant {
    stems: StemSet,
    /// Those of the tools' names.
    tools: StemSet,
    /// All texts of the arguments.
    texts: String,
    /// Whether a tool gets rid of something: `cancel that` asks for it.
    rids: bool,
}

impl Meant {
    fn of(calls: &[ToolCall]) -> Meant {
        let mut meant = Meant::default();
        for call in calls.iter().take(MAX_CALLS) {
            let name = fold_identifier(&call.name);
            meant.tools.extend(stems(&name));
            meant.rids |= rids(&name);
            let mut values = Vec::new();
            if let Some(arguments) = call.parsed() {
                arguments.values().for_each(|value| leaves(value, &mut values));
            }
            for value in values {
                let folded = fold(&value);
                meant.stems.extend(stems(&folded).take(MAX_WORDS));
                if meant.texts.len() < MAX_BYTES {
                    meant.texts.push_str(&folded);
                }
            }
        }
        meant.stems.extend(&meant.tools);
        meant
    }

    /// Whether a folded text speaks of what the calls are about.
    fn is_meant_by(&self, folded: &str) -> bool {
        stems(folded).any(|own| self.stems.contains(&own))
    }

    fn names_tool(&self, folded: &str) -> bool {
        stems(folded).any(|own| self.tools.contains(&own))
    }
}

fn stems(folded: &str) -> impl Iterator<Item = Stem> + '_ {
    words(folded).filter(|word| is_content(word) || word.starts_with(|c: char| c.is_ascii_digit())).map(stem)
}

/// The texts and numbers in a value.
fn leaves(value: &Json, found: &mut Vec<String>) {
    match value {
        Json::Array(items) => items.iter().take(MAX_VALUES).for_each(|item| leaves(item, found)),
        Json::Object(object) => object.values().take(MAX_VALUES).for_each(|item| leaves(item, found)),
        Json::String(_) | Json::Number(_) if found.len() < MAX_VALUES => {
            let text = plain_of(value);
            found.push(text[..text.floor_char_boundary(MAX_BYTES)].to_owned());
        }
        _ => {}
    }
}

/// The last clause that takes the request back, if nothing that the calls are about is said behind it.
fn withdrawn(clauses: &[Clause], spoken: &[&Phrases], meant: &Meant) -> Option<usize> {
    // Of calls that get rid of something, `cancel that` may be what asks for them; elsewhere than in English, nobody knows.
    let fits = |phrase: &&Phrase| !meant.rids || !rids(&phrase.text);
    let phrases = || {
        let lists = spoken.iter().filter(|of| !meant.rids || of.language == Languages::only(0));
        lists.flat_map(|of| &of.withdrawals).filter(fits)
    };
    let is_withdrawal = |own: &Clause| {
        find(own, phrases(), meant).is_some_and(|(at, length)| {
            // `Never mind the cost` takes nothing else back.
            !words(&own.folded[(at + length).min(own.folded.len())..]).any(is_content)
        })
    };
    let at = clauses.iter().rposition(is_withdrawal)?;
    (!clauses[at + 1..].iter().any(|own| meant.is_meant_by(&own.folded))).then_some(at)
}

/// The first clause that wants something else first.
fn not_yet(clauses: &[Clause], spoken: &[&Phrases], meant: &Meant) -> Option<usize> {
    clauses.iter().position(|own| find(own, spoken.iter().flat_map(|of| &of.not_yet), meant).is_some())
}

/// A clause that denies what the calls are about, where no other clause asks for it.
fn denied(clauses: &[Clause], spoken: &[&Phrases], meant: &Meant) -> Option<usize> {
    let is_denial = |own: &Clause| {
        let found = |of: &&Phrases| {
            let (at, length) = find(own, of.denials.iter(), meant)?;
            // `Order 12 never came` says of it what happened; `don't send order 12` says what to do.
            let reached = if of.verb_last { own.folded.as_str() } else { &own.folded[at + length - 1..] };
            (words(&own.folded[..=at]).count() <= MAX_BEFORE && meant.is_meant_by(reached)).then_some(())
        };
        // Who answers `no` may go on with anything.
        words(&own.folded).count() > 1
            && !own.asks
            && spoken.iter().any(|of| found(of).is_some())
            && find(own, spoken.iter().flat_map(|of| &of.undenied), meant).is_none()
    };
    let at = clauses.iter().position(is_denial)?;
    // The deed, as far as the denial names it: `check order 12` does not ask to cancel it.
    let deed: Vec<Stem> = stems(&clauses[at].folded).filter(|own| meant.tools.contains(own)).collect();
    let asks = |own: &Clause| match deed.is_empty() {
        true => meant.is_meant_by(&own.folded),
        false => deed.iter().all(|deed| stems(&own.folded).any(|own| own == *deed)),
    };
    // What is told behind a comma is denied too, unless the deed is named again: `don't email Ann, email Bob`.
    let behind = clauses[at + 1..].iter().skip_while(|own| own.goes_on && !meant.names_tool(&own.folded));
    let others = clauses[..at].iter().chain(behind).filter(|own| !is_denial(own));
    (!others.into_iter().any(asks)).then_some(at)
}

/// A clause that asks how to do what the calls do, where no other asks to do it.
fn how_to(clauses: &[Clause], spoken: &[&Phrases], meant: &Meant) -> Option<usize> {
    let asks = |own: &Clause| find(own, spoken.iter().flat_map(|of| &of.how_to), meant).is_some();
    let at = clauses.iter().position(|own| asks(own) && meant.names_tool(&own.folded))?;
    let other = |(place, own): (usize, &Clause)| place != at && meant.names_tool(&own.folded);
    (!clauses.iter().enumerate().any(other)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn the_page_names_the_languages() {
        let page = include_str!("../../../docs/builtin-judge.md");
        assert!(page.contains(&format!("These phrases are known in {} languages:", PHRASES.len())));
    }

    #[test]
    fn what_is_not_wanted_is_told_from_what_only_sounds_like_it() {
        use Hold::{Denied, HowTo, NotYet, Withdrawn};
        for (text, tool, value, expected) in [
            ("Please don't set a timer for 5 minutes", "set_timer", "5", Some(Denied)),
            ("Don't forget to set a timer for 5 minutes", "set_timer", "5", None),
            ("Don't email Bob, I'll tell him.", "send_email", "Bob", Some(Denied)),
            ("Don't open a ticket for the login, severity high", "open_ticket", "high", Some(Denied)),
            ("No, sorry, T-71 and T-75.", "set_status", "T-71", None),
            ("Don't email Ann, email Bob.", "send_email", "Bob", None),
            ("Book the room but don't email Bob", "send_email", "Bob", Some(Denied)),
            ("No onions please, a large Margherita", "order_pizza", "Margherita", None),
            ("Don't cancel it, move it to Friday", "move_booking", "Friday", None),
            ("Why don't you book Luigi's for us", "book_table", "Luigi's", None),
            ("Stell bitte keinen Wecker um 6 Uhr", "set_alarm", "6 Uhr", Some(Denied)),
            ("Vergiss nicht, den Wecker um 6 Uhr zu stellen", "set_alarm", "6 Uhr", None),
            ("不要给小李发邮件", "发邮件", "小李", Some(Denied)),
            ("Book Luigi's for two. Actually, forget it.", "book_table", "Luigi's", Some(Withdrawn)),
            ("Never mind Luigi's, book Mario's", "book_table", "Mario's", None),
            ("Never mind the cost, book Mario's", "book_table", "Mario's", None),
            ("Book Mario's, never mind the cost", "book_table", "Mario's", None),
            ("Vacuum the kitchen... no, the baby is asleep, don't", "vacuum", "kitchen", Some(Withdrawn)),
            ("Cancel order 12. Forget it, I mean it: scratch that", "cancel_order", "12", Some(Withdrawn)),
            ("Buche Luigi's für zwei. Ach, vergiss es.", "book_table", "Luigi's", Some(Withdrawn)),
            ("Send 40 euros to Ana, but wait until I confirm", "transfer", "Ana", Some(NotYet)),
            ("Send 40 euros to Ana before noon", "transfer", "Ana", None),
            ("Überweise 40 Euro an Ana, aber erst wenn ich es sage", "transfer", "Ana", Some(NotYet)),
            ("How do I delete my account?", "delete_account", "account", Some(HowTo)),
            ("How do I get to the station?", "get_directions", "station", None),
            ("How do I cancel order 12? Please just cancel it.", "cancel_order", "12", None),
            ("Play Don't Stop Me Now by Queen", "play_song", "Don't Stop Me Now", None),
            ("Text Lee: Can't make it. Forget it!", "send_text", "Can't make it. Forget it!", None),
            ("My order 12 never arrived, I don't know why", "refund_order", "12", None),
            ("Please do not cancel order 12, just check it", "cancel_order", "12", Some(Denied)),
            ("Check order 12. Please do not cancel order 12.", "cancel_order", "12", Some(Denied)),
            ("Cancel order 12. Actually, forget it.", "cancel_order", "12", Some(Withdrawn)),
            ("Cancel that order 12. Yes, cancel that.", "cancel_order", "12", None),
            ("Any allergies? No. Book Luigi's then", "book_table", "Luigi's", None),
            ("I have not yet received order 12, refund it", "refund_order", "12", None),
            ("Would it be possible to book Luigi's?", "book_table", "Luigi's", None),
            ("Comment annuler la commande 12 ?", "annuler_commande", "12", Some(HowTo)),
        ] {
            let arguments = [("value".to_owned(), Json::from(value))].into_iter().collect();
            let how = match held_back(&sample(text, vec![], vec![]), &[ToolCall::new(tool, arguments)]) {
                Some(Observation::HeldBack { how, .. }) => Some(how),
                _ => None,
            };
            assert_eq!(how, expected, "{text}");
        }
    }
}
