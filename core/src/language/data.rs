//! The contents of a language file.
//!
//! Every list may be left out. Words of a list are separated by white space; phrases are an array. Except in `[verdict]`, all are
//! *folded*: lower case, without accents and apostrophes (`fur` for `für`, `aujourdhui`), with spaces around characters that are
//! words by themselves (`后 天`). In lists of dates and times, an entry of several words is joined by underscores (`i_dag`), and
//! such characters may be adjacent (`后天`).

use std::collections::BTreeMap;

use serde::Deserialize;

/// A language: the words that a reader of texts has to know.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// Whether it is written in signs that no other language here is written in, so that its number words are read in
    /// every text.
    #[serde(default)]
    pub own_signs: bool,
    #[serde(default)]
    pub text: Text,
    #[serde(default)]
    pub request: Request,
    #[serde(default)]
    pub held: Held,
    /// Number words by the number, beside those of `numbers.tsv`: English ones, parts of one, ordinals. Numbers of other languages
    /// than English are read only where the text is in that language, see [`Text::marks`].
    #[serde(default)]
    pub numbers: BTreeMap<String, Words>,
    #[serde(default)]
    pub amounts: Amounts,
    #[serde(default)]
    pub dates: Dates,
    #[serde(default)]
    pub days: Days,
    #[serde(default)]
    pub clock: Clock,
    /// Names of units behind an amount, by the unit's name in `reading/units.rs`.
    #[serde(default)]
    pub units: BTreeMap<String, Words>,
    #[serde(default)]
    pub names: Names,
    #[serde(default)]
    pub verdict: Verdict,
    #[serde(default)]
    pub talk: Talk,
}

/// Words with white space between them.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Words(String);

impl Words {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_whitespace()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Small words.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Text {
    /// Frequent words by which the language is told. Of a language other than English: words that English does not have. Two
    /// of them show the language, or one where no English ones stand beside it.
    pub marks: Words,
    /// Words that no English text does without; of English only.
    pub frequent: Words,
    /// Words that say nothing about what is asked for: articles, pronouns, prepositions, what every tool's description says.
    pub stop_words: Words,
    /// Words that are neither a value nor beside one, for whoever makes wrong calls out of a question; of English only.
    pub little: Words,
    /// Small words that are written together with the word before them.
    pub particles: Words,
    /// Small words inside of names: `Bank of America`.
    pub name_links: Words,
    /// What stands between two values that are asked for alike.
    pub joins: Vec<String>,
}

/// Words of requests.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// Words by which a question asks for several things.
    pub several: Words,
    /// Phrases that ask for the same thing more than once.
    pub again: Vec<String>,
    /// Phrases that may ask for a second one of the same: `another`, `one for Jo`.
    pub more: Vec<String>,
    /// Phrases that keep out what follows them.
    pub except: Vec<String>,
    /// Pieces of text without which nothing is kept out: a quick look before the text is folded, so in the text's own letters.
    pub except_signs: Vec<String>,
    /// Words behind which an exception asks for just what it names: `no card except my Visa`.
    pub negations: Words,
    /// Phrases that turn a switch off.
    pub without: Vec<String>,
    /// Phrases that turn a number's sign around.
    pub minus: Vec<String>,
    /// Phrases that look like one of those below and say that nothing failed.
    pub unfailed: Vec<String>,
    /// Phrases by which an answer ranks things, or says how many of them are what.
    pub ranks: Vec<String>,
    /// Phrases by which an answer says that it has worked a number out.
    pub sums: Vec<String>,
    /// Phrases by which an answer admits that something did not work.
    pub failed: Vec<String>,
    /// Phrases by which an answer says that what was asked for is done.
    pub done: Vec<String>,
    /// Phrases by which an answer takes something back, or asks for something first.
    pub but: Vec<String>,
    /// Phrases by which a user takes back what was just said, to say it otherwise.
    pub corrections: Vec<String>,
    /// Those of them that mean nothing else: `I mean`.
    pub meant: Vec<String>,
}

/// Words by which a user does not want done what the message speaks of. A `*` behind a phrase stands for any ending of its last word, and a
/// `=` before it says that it is a clause by itself.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Held {
    /// Phrases of a clause that says not to do it.
    pub denials: Vec<String>,
    /// Phrases with one of those in them that say nothing of the kind: `don't forget to`.
    pub undenied: Vec<String>,
    /// Phrases that take a request back as a whole.
    pub withdrawals: Vec<String>,
    /// Phrases of whoever wants the agent to wait, or to ask first.
    pub not_yet: Vec<String>,
    /// Phrases of a question how something is done.
    pub how_to: Vec<String>,
    /// Whether verbs stand last, so that what is denied stands before the denial.
    pub verb_last: bool,
    /// Words that begin another clause, which what was denied before does not reach.
    pub turns: Words,
}

/// How people speak with an assistant.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Talk {
    /// Phrases by which a user thanks for what was done.
    pub thanks: Vec<String>,
    /// Words that make a sentence of a system text a rule: what must not be done, or only on a condition.
    pub rules: Words,
    /// Words by which a question asks to do something, not to be told.
    pub pleas: Words,
}

/// What stands around a number.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Amounts {
    /// Words that, in front of a unit, stand for one of it: `an hour`.
    pub one: Words,
    /// Small words that may stand between a number word and its unit.
    pub links: Words,
    /// What follows the number of a percentage.
    pub percent: Vec<String>,
    /// Words between a number and its scale: `20 degrees Celsius`.
    pub degrees: Words,
    /// What makes a speed of a length.
    pub per_hour: Vec<String>,
    /// Names of parts by how many make a whole: `three quarters`.
    pub fractions: BTreeMap<String, Words>,
    /// Words that join the parts of a length or a time: `an hour and a half`.
    pub and: Words,
    /// Half or a quarter more, right behind a number or a unit: `bir buçuk`.
    pub half_behind: Words,
    pub quarter_behind: Words,
    /// In front of a number: half or a quarter more than it, or a quarter less. In front of a unit: of one.
    pub half_more: Words,
    pub quarter_more: Words,
    pub quarter_less: Words,
    /// Words for a length by its minutes: `Viertelstunde`.
    pub lengths: BTreeMap<String, Words>,
    /// Words behind digits, as they are written, by what they multiply them with: `2.5 million`.
    pub magnitudes: BTreeMap<String, Words>,
}

/// Words of dates.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dates {
    /// The twelve months, each with its abbreviations. The full name comes first.
    pub months: Vec<Words>,
    /// Names of months that are other words or abbreviations too, so that only a preposition or a number makes them months.
    pub ambiguous_months: Words,
    /// Words in front of a month.
    pub month_prepositions: Words,
    /// The seven days of the week, from Monday on. The full name comes first.
    pub weekdays: Vec<Words>,
    /// Words between the parts of a date: `5 de marzo`.
    pub links: Words,
    /// Endings of ordinals, which folding parts from their number.
    pub ordinals: Words,
    /// Words between the first and the last day or hour of a span.
    pub until: Words,
    /// Signs behind the number of a year, a month and a day.
    pub year_signs: Words,
    pub month_signs: Words,
    pub day_signs: Words,
    /// Words between the number of a day and that of its month.
    pub month_before: Words,
    /// The quarters of a year by their place: `second`.
    pub nth: BTreeMap<String, Words>,
    /// Words in front of the date of today: `today is`.
    pub today_is: Words,
    /// Words between these and the date.
    pub today_fillers: Words,
    /// Words that make a date out of the day somebody speaks on, whether or not it is known which.
    pub relative: Words,
}

/// Words of days that are named relative to another one.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Days {
    pub today: Words,
    pub tomorrow: Words,
    /// Words in front of the word for tomorrow where it means the morning.
    pub not_tomorrow_behind: Words,
    pub after_tomorrow: Vec<String>,
    pub yesterday: Words,
    pub before_yesterday: Vec<String>,
    /// Words for the first day of a month.
    pub start_of: Words,
    /// Words for the last day of a month.
    pub end_of: Words,
    /// Words in front of a weekday for that of the coming week.
    pub next: Words,
    /// Words in front of a weekday for that of the past week.
    pub last: Words,
    /// Words for spans of a day, of a week, and of two weeks.
    pub day: Words,
    pub week: Words,
    pub fortnight: Words,
    /// Words for the spans of the calendar.
    pub month: Words,
    pub quarter: Words,
    pub year: Words,
    pub weekend: Words,
    /// Words for the days from Monday to Friday.
    pub workdays: Words,
    /// Words for the last day of the month.
    pub month_end: Words,
    /// Words beside a span or a weekday for the present one.
    pub this: Words,
    /// Words in front of a span that reaches from today on, and behind it.
    pub ahead: Words,
    pub ahead_behind: Words,
    /// Words in front of a span that reaches back from today, and behind it.
    pub ago: Words,
    pub ago_behind: Words,
}

/// Words of times of day.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Clock {
    pub noon: Words,
    pub midnight: Words,
    /// Half an hour behind the hour before it: `half past two`.
    pub half: Words,
    /// Half an hour before the hour behind it: `halb drei`.
    pub half_before: Words,
    pub quarter: Words,
    pub minutes: Words,
    /// Words between minutes and the hour they follow.
    pub past: Words,
    /// Words between minutes and the hour they precede.
    pub to: Words,
    /// Of the hour behind it a quarter has passed, or three: `viertel drei`.
    pub quarter_before: Words,
    pub three_quarters_before: Words,
    /// Words between a part of an hour and the hour it belongs to: `wpół do ósmej`.
    pub hour_links: Words,
    /// Words in front of minutes that are missing to the hour behind them: `без десяти шесть`.
    pub less_before: Words,
    /// Words between an hour and what is missing to it: `six heures moins dix`.
    pub less: Words,
    /// Words behind an hour and minutes that are missing to it, or have passed since: `altıya on var`.
    pub to_behind: Words,
    pub past_behind: Words,
    /// Words behind the hour.
    pub o_clock: Words,
    /// Words behind the hour that are behind a length too: `six heures`.
    pub hour_words: Words,
    /// Words behind the hours of an evening that are counted from six on.
    pub evening_hours: Words,
    /// Names of hours by the hour, where one is expected, and those that say `at` as well: `kymmeneltä`.
    pub hours: BTreeMap<String, Words>,
    pub at_hours: BTreeMap<String, Words>,
    /// Words for the hours around midnight.
    pub night: Words,
    /// Words in front of two hours.
    pub between: Words,
    /// Words for the first half of the day.
    pub morning: Words,
    /// Words for the second half of the day.
    pub evening: Words,
    /// Words between the hour and the half of the day: `nine in the evening`.
    pub of_the_day: Words,
    /// Words in front of an hour that stands alone.
    pub at: Words,
    /// Words in front of an hour and its minutes behind a point, which without them would be a number: `at 7.30`.
    pub prepositions: Words,
}

/// Names of one thing.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Names {
    /// Names of a unit of measure, with commas between them; of English only.
    pub units: Vec<String>,
    /// Names of another thing: a currency, a language, a country, a place, a common choice; of English only.
    pub things: Vec<String>,
    /// This language's names, with commas between them, by one of the English ones.
    pub also: BTreeMap<String, String>,
    /// Short names that are words of every other sentence too: they name a thing only in capitals.
    pub common: Words,
}

/// Words of judges' replies, in lower case with their accents. English ones, around which the rules of `snap` are written,
/// stand in `snap/lexicon.rs`. The first nineteen lists are its classes, see `snap::class::Class`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Verdict {
    /// Names the slot that a verdict fills: `label`.
    pub key: Words,
    /// May name that slot: `answer`.
    pub weak_key: Words,
    /// Names that slot before a colon; else what a tool gave: `result`.
    pub outcome: Words,
    /// What the verdict is about: `call`.
    pub subject: Words,
    /// A pronoun with its verb: `it's`.
    pub pronoun_copula: Words,
    pub pronoun: Words,
    /// Whose the call is: `of the agent`.
    pub agent: Words,
    /// A part of the call, such as its arguments.
    pub part: Words,
    pub copula: Words,
    /// Gives a label: `classify`.
    pub verb: Words,
    /// Who gives it: `I`.
    pub judge: Words,
    /// Draws a conclusion: `therefore`.
    pub conclusion: Words,
    /// Stresses that the verdict is the last or the whole one.
    pub r#final: Words,
    /// Denies something, and the verdict not surely: `hardly`, `nobody`.
    pub unclear: Words,
    /// Denies, and means nothing else in any other language here.
    pub negation: Words,
    pub hedge: Words,
    pub condition: Words,
    pub contrast: Words,
    /// Adds nothing.
    pub filler: Words,
    /// Begins a reason: `because`.
    pub reasons: Words,
    /// Ends a sentence behind its verdict and adds nothing to it.
    pub closers: Words,
    /// Stands behind a verdict and denies it.
    pub denies_behind: Words,
    /// `correct`, `incorrect`, `yes`, `no`: only words that mean nothing else.
    pub right: Words,
    pub wrong: Words,
    pub yes: Words,
    pub no: Words,
    /// Denies in a reply that is not in English. A word that says something else in another language needs a row in
    /// `snap/polarity.rs::AMBIGUOUS` as well.
    pub denies: Words,
    /// Joins what may be instead: `or`, `nor`.
    pub offers: Words,
    /// Leaves open whether a clause holds: `perhaps`, `if`.
    pub leaves_open: Words,
    /// Common words of judges' reasons, by which the language is told. Only for languages all of whose contrasts and faults
    /// are listed.
    pub marks: Words,
    /// Begins a second thought: `wait`.
    pub second_thoughts: Words,
    /// The same, and contrasts, anywhere in a text without spaces.
    pub turns: Words,
    /// Words with which a plain reason begins.
    pub openers: Words,
    /// Words with which a phrase begins that restricts what follows it: `without`.
    pub prepositions: Words,
    /// `yes` and `no` in front of a verdict.
    pub answers: Words,
    /// `nothing`.
    pub nothing: Words,
    /// Tells of an impression that another thought may correct.
    pub impressions: Words,
}
