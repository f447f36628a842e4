//! Phrases that exclude a part from a verdict or limit the verdict to one: `save for the date`, `à part la date`, `as to the tool`.

use super::context::excepts;
use super::token::{Kind, Token};

/// English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Scandinavian, Russian.
const PHRASES: &str = "save for/save that/save the/minus/bar the/bar one/bar a/less the/short of/other than/outside of/outside the/not counting/leaving aside/
leaving out/setting aside/if not for/if it/were it not/with the exception/with one exception/with exception/excluding/alas/notwithstanding/in spite of/despite/pity/too bad/excl/but for/at least/
in terms of/with regard to/with respect to/in regard to/in respect of/as far as/as to/as regards/as for/regarding/concerning/
for the tool/for the function/for the syntax/on the tool/or so/at most/modulo/
bis auf/mit ausnahme/mit einer ausnahme/zumindest/wenigstens/hinsichtlich/bezüglich/jedenfalls/abzüglich/minus/
à l'exception/à part/mis à part/exception faite/hors/hormis/du moins/au moins/en ce qui concerne/quant à/quant au/si ce n'est/moins/à condition/
a excepción/con excepción/con la excepción/menos/aparte/a parte/al menos/por lo menos/en cuanto a/quitando/fuera de/descontando/siempre que/
com exceção/à exceção/a não ser/pelo menos/ao menos/quanto a/quanto ao/tirando/fora/
a eccezione/ad eccezione/con l'eccezione/fatta eccezione/a meno/meno/almeno/per quanto riguarda/quanto a/quanto al/fuorché/escluso/esclusa/
met uitzondering/op één/afgezien van/tenminste/althans/wat betreft/behoudens/
poza/z wyjątkiem/prócz/za wyjątkiem/przynajmniej/pomijając/wyjąwszy/co do/
med undantag/bortsett/bortset/med unntak/med undtagelse/åtminstone/i alla fall/frånsett/vad gäller/unntatt/undtagen/
за исключением/если не считать/по крайней/что касается/помимо";

/// Whether the clause that `tokens` begin with takes something out of what was said before it.
pub(super) fn begins(tokens: &[Token]) -> bool {
    let words = || tokens.iter().filter(|token| token.is_word()).map(Token::word);
    let Some(first) = tokens.iter().find(|token| token.is_word()) else { return false };
    // `op de datum na`
    let last =
        tokens.iter().take_while(|token| !token.is(',') && !token.is('.')).filter(|token| token.is_word());
    let bracketed = first.word() == "op" && last.last().is_some_and(|token| token.word() == "na");
    let phrase = |phrase: &str| {
        let mut said = words();
        phrase.split_whitespace().all(|word| said.next() == Some(word))
    };
    excepts(first)
        || bracketed
        || PHRASES.split('/').any(|text| phrase(text.trim()) && !text.trim().is_empty())
}

/// Whether any clause of `tokens` does; the first one begins with the first of them.
pub(super) fn among(tokens: &[Token]) -> bool {
    let pauses = |token: &Token| matches!(token.kind, Kind::Mark(',' | ';' | '—' | '(' | '-'));
    let starts = tokens.iter().enumerate().filter(|(_, token)| pauses(token)).map(|(at, _)| at + 1);
    std::iter::once(0).chain(starts).take(8).any(|at| begins(&tokens[at..]))
}
