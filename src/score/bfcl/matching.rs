//! Who gets whom, so that as many as possible get somebody.

use std::collections::VecDeque;

/// For each of `count` expectations the one of `count` calls that it gets, if any. `fits` tells whether a call (second) suits
/// an expectation (first). Where taking the first free call works for all, that is the result.
pub fn largest_matching(count: usize, fits: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let mut call_of = vec![None; count];
    let mut owner_of: Vec<Option<usize>> = vec![None; count];
    for expected in 0..count {
        if let Some(call) = (0..count).find(|call| owner_of[*call].is_none() && fits(expected, *call)) {
            call_of[expected] = Some(call);
            owner_of[call] = Some(expected);
        }
    }
    if call_of.iter().all(Option::is_some) {
        return call_of;
    }
    let suits: Vec<Vec<usize>> =
        (0..count).map(|expected| (0..count).filter(|call| fits(expected, *call)).collect()).collect();
    for expected in 0..count {
        if call_of[expected].is_none() {
            augment(expected, &suits, &mut call_of, &mut owner_of);
        }
    }
    call_of
}

/// Gives `expected` a call along the shortest chain of owners who can each take another one.
fn augment(
    expected: usize,
    suits: &[Vec<usize>],
    call_of: &mut [Option<usize>],
    owner_of: &mut [Option<usize>],
) {
    // From whom a call was reached first.
    let mut reached_by: Vec<Option<usize>> = vec![None; suits.len()];
    let mut waiting = VecDeque::from([expected]);
    while let Some(asking) = waiting.pop_front() {
        for &call in &suits[asking] {
            if reached_by[call].is_some() {
                continue;
            }
            reached_by[call] = Some(asking);
            if let Some(owner) = owner_of[call] {
                waiting.push_back(owner);
                continue;
            }
            let mut free = Some(call);
            while let Some(call) = free {
                let Some(taker) = reached_by[call] else { return };
                free = call_of[taker].replace(call);
                owner_of[call] = Some(taker);
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_early_one_gives_way() {
        for (suits, expected) in [
            (vec![vec![0, 1], vec![0]], vec![Some(1), Some(0)]),
            (vec![vec![0], vec![0]], vec![Some(0), None]),
            (vec![vec![0, 1], vec![0, 2], vec![0]], vec![Some(1), Some(2), Some(0)]),
            (vec![vec![0, 1], vec![1, 2], vec![0, 1]], vec![Some(1), Some(2), Some(0)]),
            (vec![], vec![]),
        ] {
            assert_eq!(largest_matching(suits.len(), |one, other| suits[one].contains(&other)), expected);
        }
    }
}
