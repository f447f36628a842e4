//! A rail in the last sentence, and what follows it there.

use std::ops::Range;

use super::class::Class;
use super::foreign;
use super::lexicon::gives_reason;
use super::script::{Script, Sentence};
use super::token::{Kind, is_decor};

/// A rail of the last sentence.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub rail: usize,
    pub tokens: Range<usize>,
}

/// What stands behind a rail that ends its clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    Nothing,
    Fillers,
    Reason,
    /// A word that denies it, as in some languages.
    Denial,
}

pub(super) fn behind(script: &Script, sentence: &Sentence, rail: &Named) -> Option<Behind> {
    let (mut behind, mut paused, mut colon) = (Behind::Nothing, false, false);
    for token in &script.tokens[rail.tokens.end..sentence.tokens.end] {
        paused |= token.is(',') || token.is('—') || token.is('(');
        colon |= token.is(':') || token.is('—');
        match &token.kind {
            Kind::Mark(mark) if (is_decor(*mark) || *mark == ',') && !matches!(mark, '=' | '→' | '|') => {}
            Kind::Word(word) if foreign::denies_behind(word) => behind = Behind::Denial,
            Kind::Word(word) if token.class == Class::Silent || foreign::ends(word) => {}
            Kind::Word(word) if paused && gives_reason(word) || colon => return Some(Behind::Reason),
            Kind::Word(word)
                if matches!(
                    &**word,
                    "then" | "overall" | "too" | "here" | "anyway" | "indeed" | "again" | "now"
                ) =>
            {
                behind = Behind::Fillers;
            }
            _ => return None,
        }
    }
    Some(behind)
}
