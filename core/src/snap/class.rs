//! The effect of a word in a reply.

/// What a word does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Names the slot that a verdict fills.
    Key,
    /// May name that slot, or the agent's answer.
    WeakKey,
    /// Names that slot before a colon; else it is what a tool gave.
    Outcome,
    /// Stresses that the verdict is the last or the whole one.
    Final,
    /// What the verdict is about.
    Subject,
    /// What it may be about.
    Pronoun,
    /// A pronoun with its verb: `it's`.
    PronounCopula,
    /// Whose the call is, or else whose some other answer is: `agent's`.
    Agent,
    Tool,
    To,
    /// A part of the call, such as its arguments: not the whole.
    Part,
    /// One call of several.
    Ordinal,
    Copula,
    /// `it would`
    Modal,
    /// Gives a label: `classify`, `rate`.
    Verb,
    /// Who gives it, or must.
    Judge,
    /// Draws a conclusion.
    Conclusion,
    /// Announces a change of mind.
    Cue,
    Negation,
    /// Denies that the rail holds in full: `not quite`.
    Partial,
    /// Denies something, and the rail not surely.
    Unclear,
    Hedge,
    Condition,
    Contrast,
    /// Adds nothing.
    Filler,
    /// Is not there at all: the rest of an idiom.
    Silent,
    Other,
}

/// Classes seen in a phrase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen(u32);

impl Seen {
    pub fn note(&mut self, class: Class) {
        match class {
            Class::PronounCopula => {
                self.note(Class::Pronoun);
                self.note(Class::Copula);
            }
            Class::Partial | Class::Unclear => {
                self.note(Class::Negation);
                self.0 |= 1 << class as u32;
            }
            class => self.0 |= 1 << class as u32,
        }
    }

    /// Forgets that anything was denied.
    pub fn affirm(&mut self) {
        let denials = [Class::Negation, Class::Partial, Class::Unclear];
        self.0 &= denials.iter().fold(!0, |left, class| left & !(1 << *class as u32));
    }

    pub fn has(self, class: Class) -> bool {
        self.0 & (1 << class as u32) != 0
    }

    pub fn any(self, classes: &[Class]) -> bool {
        classes.iter().any(|class| self.has(*class))
    }
}
