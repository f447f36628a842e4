//! Days named relative to another one: `tomorrow`, `next Friday`, `in two weeks`, `for three nights`.

use super::calendar::{Day, month_length};
use super::number_words::small_number;

/// What a text says about days without naming their dates.
#[derive(Debug, Default)]
pub(super) struct RelativeDays {
    spoken: Vec<Spoken>,
    /// Lengths in days: of a stay, or the way to another day.
    spans: Vec<i64>,
    /// Something was said that tells no exact day: `next week`, `recently`.
    vague: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Spoken {
    /// So many days from today.
    Offset(i64),
    Weekday(i64, Which),
    Weekend,
    /// The first or last day of a month; of this one if unnamed.
    Edge(Option<u32>, Side),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Which {
    Coming,
    Next,
    Last,
    WeekAfter,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    First,
    Last,
}

/// The days meant, once today is known.
#[derive(Debug, Default)]
pub(super) struct Days {
    pub exact: Vec<Day>,
    /// Possible as well, though less likely: the last Monday for `Monday`.
    pub possible: Vec<Day>,
}

/// Bounds the work on hostile text.
const MAX_SPOKEN: usize = 40;

impl RelativeDays {
    /// Reads the words from `at` on; gives back how many of them it understood.
    pub(super) fn read(&mut self, words: &[&str], at: usize, month: impl Fn(&str) -> Option<u32>) -> usize {
        let word = |n: usize| words.get(at + n).copied().unwrap_or("");
        let before = |n: usize| at.checked_sub(n).map_or("", |at| words[at]);
        let here = word(0);
        let (spoken, length) = match here {
            "today" | "tonight" | "heute" | "hoy" | "aujourdhui" | "oggi" | "hoje" => (Spoken::Offset(0), 1),
            "tomorrow" | "demain" | "domani" | "amanha" => (Spoken::Offset(1), 1),
            "morgen" if !matches!(before(1), "am" | "guten" | "heute" | "jeden") => (Spoken::Offset(1), 1),
            "pasado" if word(1) == "manana" => (Spoken::Offset(2), 2),
            "manana" if !matches!(before(1), "la" | "las") => (Spoken::Offset(1), 1),
            "ubermorgen" => (Spoken::Offset(2), 1),
            "apres" if word(1) == "demain" => (Spoken::Offset(2), 2),
            "avant" if word(1) == "hier" => (Spoken::Offset(-2), 2),
            "后" if word(1) == "天" => (Spoken::Offset(2), 2),
            "yesterday" | "gestern" | "ayer" | "hier" | "ieri" => (Spoken::Offset(-1), 1),
            "vorgestern" => (Spoken::Offset(-2), 1),
            "day" | "days" if word(1) == "after" && word(2) == "tomorrow" => (Spoken::Offset(2), 3),
            "day" | "days" if word(1) == "before" && word(2) == "yesterday" => (Spoken::Offset(-2), 3),
            "weekend" if matches!(before(1), "this" | "the" | "coming") => (Spoken::Weekend, 1),
            "beginning" | "start" | "first" | "end" | "anfang" | "ende" => {
                let side = if matches!(here, "end" | "ende") { Side::Last } else { Side::First };
                let skip = (1..4).take_while(|n| matches!(word(*n), "of" | "the" | "this" | "day")).count();
                match month(word(1 + skip)) {
                    // The month's name stays to be read as a date.
                    Some(month) if here != "first" || skip > 1 => {
                        self.push(Spoken::Edge(Some(month), side));
                        return 1 + skip;
                    }
                    None if word(1 + skip) == "month" && skip > 0 => (Spoken::Edge(None, side), 2 + skip),
                    _ => return 0,
                }
            }
            _ => match weekday(here) {
                Some(day) => {
                    let which = match before(1) {
                        "next" | "nachsten" | "prochain" | "proximo" => Which::Next,
                        "last" | "previous" | "past" | "letzten" => Which::Last,
                        "from" if matches!(before(2), "week" | "weeks") => Which::WeekAfter,
                        _ => Which::Coming,
                    };
                    (Spoken::Weekday(day, which), 1)
                }
                None => return self.read_span(words, at),
            },
        };
        self.push(spoken);
        length
    }

    /// `in three days`, `two weeks ago`, `a week from today`, `four nights`.
    fn read_span(&mut self, words: &[&str], at: usize) -> usize {
        let word = |n: usize| words.get(at + n).copied().unwrap_or("");
        let Some(count) = small_number(word(0)).or_else(|| matches!(word(0), "a" | "an").then_some(1)) else {
            return 0;
        };
        let gap = usize::from(matches!(word(1), "of" | "more" | "full"));
        let unit = match word(1 + gap) {
            "day" | "days" | "night" | "nights" | "tag" | "tage" | "tagen" | "nachte" | "dias" | "noches"
            | "jours" | "nuits" => 1,
            "week" | "weeks" | "woche" | "wochen" | "semana" | "semanas" | "semaine" | "semaines" => 7,
            "fortnight" => 14,
            _ => return 0,
        };
        let days = count * unit;
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let (after, then) = (word(2 + gap), word(3 + gap));
        match (before, after) {
            (_, "ago") => self.push(Spoken::Offset(-days)),
            (_, "from") if matches!(then, "now" | "today") => self.push(Spoken::Offset(days)),
            (_, "from") if then == "tomorrow" => self.push(Spoken::Offset(days + 1)),
            (_, "before" | "earlier") => self.span(-days),
            ("in" | "en" | "dans", _) => self.push(Spoken::Offset(days)),
            ("vor", _) => self.push(Spoken::Offset(-days)),
            _ => {
                self.span(days);
                return 2 + gap;
            }
        }
        3 + gap
    }

    fn push(&mut self, spoken: Spoken) {
        if self.spoken.len() < MAX_SPOKEN && !self.spoken.contains(&spoken) {
            self.spoken.push(spoken);
        }
    }

    fn span(&mut self, days: i64) {
        if self.spans.len() < MAX_SPOKEN && !self.spans.contains(&days) {
            self.spans.push(days);
        }
    }

    pub(super) fn say_vague(&mut self) {
        self.vague = true;
    }

    pub(super) fn is_vague(&self) -> bool {
        self.vague
    }

    /// Whether days are named that depend on today.
    pub(super) fn is_said(&self) -> bool {
        self.vague || !self.spoken.is_empty()
    }

    /// Whether exact days are named that depend on today.
    pub(super) fn is_exact(&self) -> bool {
        !self.spoken.is_empty()
    }

    pub(super) fn spans(&self) -> &[i64] {
        &self.spans
    }

    /// The days meant if `today` is today.
    pub(super) fn from(&self, today: Day) -> Days {
        let mut days = Days::default();
        for spoken in &self.spoken {
            match *spoken {
                Spoken::Offset(count) => days.exact.push(today.plus(count)),
                Spoken::Weekday(weekday, which) => {
                    let ahead = (weekday - today.weekday()).rem_euclid(7);
                    let coming = today.plus(ahead);
                    let last = if ahead == 0 { today.plus(-7) } else { coming.plus(-7) };
                    match which {
                        Which::Last => days.exact.push(last),
                        Which::WeekAfter => days.exact.push(coming.plus(7)),
                        // Speakers differ over whether `next Friday` is the coming one or that of next week.
                        Which::Next if ahead == 0 => days.exact.push(coming.plus(7)),
                        Which::Next => days.exact.extend([coming, coming.plus(7)]),
                        Which::Coming => {
                            days.exact.push(coming);
                            days.possible.push(if ahead == 0 { coming.plus(7) } else { last });
                        }
                    }
                }
                Spoken::Weekend => {
                    let saturday = today.plus((5 - today.weekday()).rem_euclid(7));
                    days.exact.extend([saturday, saturday.plus(1)]);
                }
                Spoken::Edge(month, side) => {
                    let (year, this_month, _) = today.date();
                    let month = month.unwrap_or(this_month);
                    for year in [year - 1, year, year + 1] {
                        let day = match side {
                            Side::First => 1,
                            Side::Last => month_length(year, month),
                        };
                        days.exact.extend(Day::of(year, month, day));
                    }
                }
            }
        }
        days
    }
}

/// Monday is 0.
pub(super) fn weekday(word: &str) -> Option<i64> {
    Some(match word {
        "monday" | "montag" | "lunes" | "lundi" => 0,
        "tuesday" | "dienstag" | "martes" | "mardi" => 1,
        "wednesday" | "mittwoch" | "miercoles" | "mercredi" => 2,
        "thursday" | "donnerstag" | "jueves" | "jeudi" => 3,
        "friday" | "freitag" | "viernes" | "vendredi" => 4,
        "saturday" | "samstag" | "sonnabend" | "sabado" | "samedi" => 5,
        "sunday" | "sonntag" | "domingo" | "dimanche" => 6,
        _ => return None,
    })
}
