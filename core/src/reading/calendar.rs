//! Days of the Gregorian calendar as numbers, for arithmetic.
//!
//! `jiff::civil::Date` is not used, because its years end at 9999, where adding fails or stops, and it gives no count of days.

/// A day, as the number of days since 1 January 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    /// The day of a date; the years are those people speak of.
    pub fn of(year: i32, month: u32, day: u32) -> Option<Day> {
        let possible = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=month_length(year, month)).contains(&day);
        possible.then(|| Day(count(i64::from(year), i64::from(month), i64::from(day))))
    }

    /// Year, month and day of the month.
    pub fn date(self) -> (i32, u32, u32) {
        let shifted = self.0 + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year as i32, month as u32, day as u32)
    }

    /// Monday is 0.
    pub fn weekday(self) -> i64 {
        (self.0 + 3).rem_euclid(7)
    }

    /// So many days after another one.
    pub fn since(self, other: Day) -> i64 {
        self.0 - other.0
    }

    /// Stays within the years people speak of however large the step.
    pub fn plus(self, days: i64) -> Day {
        Day(self.0 + days.clamp(-400_000, 400_000))
    }
}

pub fn month_length(year: i32, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn count(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_through_months_and_years() {
        let day = Day::of(2026, 3, 2).unwrap();
        assert_eq!(day.weekday(), 0);
        assert_eq!(day.plus(-2).date(), (2026, 2, 28));
        assert_eq!(Day::of(2024, 2, 28).unwrap().plus(1).date(), (2024, 2, 29));
        assert_eq!(Day::of(2025, 12, 31).unwrap().plus(1).date(), (2026, 1, 1));
        assert_eq!(Day::of(2025, 2, 29), None);
        assert_eq!(Day::of(1970, 1, 1), Some(Day(0)));
    }
}
