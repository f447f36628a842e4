//! Words that name a fault: a success that is explained with one is doubtful.

use super::words::Words;

static ENGLISH: Words = Words::new(
    "wrong wrongly missing misses lacks lacking instead should fails failed forgot forgets invented invents ignores ignored
    mistake mistaken mistakenly only error erroneous erroneously omits omitted omission invalid inaccurate incomplete mismatch mismatches
    unnecessary unneeded fabricated hallucinated hallucinates violates violated unfortunately sadly regrettably contradicts differs
    different unrelated irrelevant unsupported incorrectly improper improperly inappropriate misspelled misspelt misread swapped
    mixed-up off another rather problem problematic issue flaw flawed fault faulty neglects neglected overlooks overlooked left ought
    cannot can't exception caveat concern mistyped outdated bad unlike whereas pity shame alas despite without bothers bother worries puzzles troubles odd strange weird suspicious doubt doubts doubtful unclear questionable supposed meant opposite",
);

static FOREIGN: Words = Words::new(
    "schade falsch falsche falscher falsches falschen falschem fehlt fehlen fehlte fehlend fehlende vergessen vergaß fehlerhaft fehlerhafte
    ungültig ungültige verkehrt unrichtig unrichtige inkorrekt leider verwechselt statt anstatt erfunden
    dommage problème problèmes faux fausse fausses fausser erroné erronée erronés erronées manque manquent manquait manquante manquant manquer oublié oublie incorrecte
    incorrectes incorrects mauvais mauvaise mauvaises inexact inexacte inexactes malheureusement invalide invalides aurait devait trompé
    lástima pena problema problemas errónea erróneo erróneas erróneos equivocada equivocado equivocó falta faltan faltaba faltó olvidó olvidado incorrecta incorrecto incorrectos
    incorrectas lamentablemente desafortunadamente desgraciadamente inválida inválido malo mala debería debió
    errada errado errados erradas faltou esqueceu incorreta incorreto incorretos infelizmente faltam deveria devia equivocada
    peccato problemi sbagliata sbagliato sbagliati sbagliate errata errato errati errate manca mancano mancante dimenticato scorretta scorretto purtroppo
    mancava invalida invalido avrebbe doveva dovuto
    probleem fout foute fouten verkeerd verkeerde ontbreekt ontbreken ontbrekende vergeten onjuist onjuiste helaas ongeldig moeten jammer
    szkoda błędna błędny błędne błędnie zła zły złe brakuje brak zabrakło zapomniał niepoprawna niepoprawny niestety niewłaściwa niewłaściwy
    nieprawidłowa nieprawidłowy nieprawidłowo pomylił mylna mylny powinna powinien powinno
    synd synn problemet fel felaktig felaktigt felaktiga saknas saknar glömde glömt tyvärr ogiltig borde feil mangler glemte dessverre gal desværre burde forkert
    жаль неверный неверная неверное неверно неправильно неправильная неправильный отсутствует забыл сожалению ошибочно ошибочный ошибка
    yanlış eksik maalesef hatalı salah kurang keliru sayangnya 错误 缺少 缺失 遗漏 错 間違っ 欠け 誤り 잘못 틀 누락",
);

/// Whether an English word finds fault.
pub(super) fn is_english(word: &str) -> bool {
    ENGLISH.has(word) || word.ends_with("n't")
}

/// Whether a word of another language finds fault.
pub(super) fn is_foreign(word: &str) -> bool {
    FOREIGN.has(word)
}

/// Whether a sentence says in plain English that something of the call is wrong.
pub(super) fn fails(words: &[&str]) -> bool {
    let adverb = |word: &&&str| {
        !matches!(
            **word,
            "also" | "still" | "though" | "however" | "clearly" | "simply" | "just" | "actually" | "both"
        )
    };
    let words: Vec<&str> = words.iter().filter(adverb).copied().collect();
    words.windows(2).any(|two| {
        matches!(
            two,
            [
                "is" | "was" | "are" | "were",
                "wrong" | "missing" | "mistaken" | "incorrect" | "off" | "erroneous" | "supposed"
            ]
        ) || matches!(two, ["by", "mistake" | "accident" | "error"])
            || matches!(two, ["fails" | "failed" | "forgot" | "forgets" | "neglects" | "neglected", "to"])
    }) || matches!(
        words[..],
        ["it" | "the" | "this", "lacks" | "misses" | "omits", ..]
            | [_, "call" | "agent", "lacks" | "misses" | "omits" | "omitted", ..]
    )
}

/// `The date is not the one in the question.`, `It does not match.`
pub(super) fn mismatches(words: &[&str]) -> bool {
    words.windows(3).any(|three| {
        matches!(
            three,
            ["is" | "are" | "was" | "were", "not", "the" | "what" | "in" | "as" | "right" | "there"]
        ) || matches!(three, ["does" | "do" | "did", "not", "match" | "fit" | "correspond" | "agree"])
    }) || words
        .windows(2)
        .any(|two| matches!(two, ["doesn't" | "don't" | "didn't", "match" | "fit" | "correspond" | "agree"]))
}
