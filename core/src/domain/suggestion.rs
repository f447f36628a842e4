//! Suggests the name that was probably meant instead of an unknown one.

/// `; did you mean `x`?` with the candidate nearest to `text`, or nothing where none is near: a third of its letters may be wrong,
/// two in a row may be swapped for the price of one (Damerau and Levenshtein's distance).
pub fn did_you_mean<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(text, candidates).map_or(String::new(), |candidate| format!("; did you mean `{candidate}`?"))
}

/// The candidate itself.
pub(crate) fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = text.to_lowercase();
    let distance = |candidate: &str| strsim::damerau_levenshtein(&folded, &candidate.to_lowercase());
    candidates
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, candidate)| distance * 3 <= candidate.chars().count().max(text.chars().count()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered() {
        let names = ["openai", "openai-responses", "azure", "anthropic", "vllm"];
        for (wrong, offered) in [
            ("opneai", "; did you mean `openai`?"),
            ("OpenAI", "; did you mean `openai`?"),
            ("antropic", "; did you mean `anthropic`?"),
            ("vlm", "; did you mean `vllm`?"),
            ("mistral", ""),
            ("", ""),
        ] {
            assert_eq!(did_you_mean(wrong, names), offered, "{wrong}");
        }
    }
}
