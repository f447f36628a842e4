//! Which languages a text is in, as far as small words tell: enough to know whose words its words may be.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::words;

/// A language other than English, which every text may hold words of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    German,
    Spanish,
    French,
    Italian,
    Portuguese,
    /// Written in signs of its own.
    Chinese,
}

/// A set of languages.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Languages(u8);

impl Languages {
    pub(super) fn all() -> Languages {
        Languages(u8::MAX)
    }

    pub(super) fn has(self, language: Language) -> bool {
        language == Language::Chinese || self.0 & (1 << language as u8) != 0
    }

    pub(super) fn join(&mut self, other: Languages) {
        self.0 |= other.0;
    }

    /// The languages of a folded text: those that at least two of its small words belong to, or one where they are not English
    /// besides.
    pub(super) fn of(folded: &str) -> Languages {
        let mut counts = [0_usize; MARKS.len()];
        let mut english = 0;
        for word in words(folded).take(MAX_WORDS) {
            match INDEX.get(word) {
                Some(0) => english += 1,
                Some(set) => {
                    (0..counts.len()).filter(|at| set & (2 << at) != 0).for_each(|at| counts[at] += 1)
                }
                None => {}
            }
        }
        let least = if english > 0 { (2 + english / 4).min(6) } else { 1 };
        let found = MARKS.iter().zip(counts).filter(|(_, count)| *count >= least);
        Languages(found.fold(0, |set, ((language, _), _)| set | 1 << *language as u8))
    }
}

/// Words of a text that are looked at.
const MAX_WORDS: usize = 200;

/// 0 for English, whose words here are no other language's, else a bit for each line of [`MARKS`].
static INDEX: LazyLock<HashMap<&'static str, u16>> = LazyLock::new(|| {
    let mut index = HashMap::new();
    for (at, (_, marks)) in MARKS.iter().enumerate() {
        for word in marks.split(' ') {
            *index.entry(word).or_default() |= 2 << at;
        }
    }
    for word in ENGLISH.split(' ') {
        index.insert(word, 0);
    }
    index
});

const ENGLISH: &str = "the of to and is what how my you with please at from it are find get show this by can for when \
     were be that have has does will would should could your our its not if or but need want use let";

/// Small words that are no English ones, [folded](super::words::fold).
#[rustfmt::skip]
const MARKS: [(Language, &str); 5] = [
    (Language::German, "der das und ist ich mir mich wir ihr nicht mit fur von vom zu zum zur bei auf im am wie viel viele wann wo was \
        bitte brauche mochte kannst konnen eine einen einem einer ein den dem des nach uber sind wird habe buche zeige finde karten personen"),
    (Language::Spanish, "el los las y es yo mi quiero necesito por para favor con del cuanto cuantos cuantas cual que como donde cuando \
        una unos al en su tengo quisiera reserva busca muestra personas entradas billetes noches dame"),
    (Language::French, "le les et est je moi nous vous il elle avec pour dans du des au aux une un que qui quel quelle combien comment \
        plait voudrais veux besoin reserve reserver cherche montre donne personnes billets ce cette en sur"),
    (Language::Italian, "il lo gli di che per con una uno sono vorrei voglio ho bisogno della del dei delle nel nella al alla quanto \
        quanti quale come dove quando prenota cerca mostra biglietti persone favore"),
    (Language::Portuguese, "os as e o um uma para com por favor preciso quero gostaria do da dos das no na nos nas quanto quantos qual \
        como onde quando reserve mostre pessoas bilhetes voce meu minha em ao"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_words_tell_a_language() {
        for (text, language, spoken) in [
            (" zwei karten bitte ", Language::German, true),
            (" quiero dos billetes para manana ", Language::Spanish, true),
            (" pon ojala a la mitad del volumen ", Language::Spanish, true),
            (" je voudrais sept billets ", Language::French, true),
            (" vorrei due biglietti ", Language::Italian, true),
            (" preciso de dois bilhetes ", Language::Portuguese, true),
            (" the report is due ", Language::Italian, false),
            (" buy shares of meta ", Language::Italian, false),
            (" show me the dos prompt of los angeles ", Language::Spanish, false),
            (" what was the weather on 7 sept in le mans ", Language::French, false),
            (" set the field to null ", Language::German, false),
            (" meta report ", Language::Italian, false),
            (" translate ich brauche zwei karten to english ", Language::German, true),
        ] {
            assert_eq!(Languages::of(text).has(language), spoken, "{text}");
        }
    }
}
