//! What a benchmark category implies: how calls are assigned to expectations, and in which language they are.

/// How many calls are due, and which call answers which expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignment {
    /// One call of the only function.
    Simple,
    /// One call, of one of several functions.
    Multiple,
    /// Several calls in any order.
    Parallel,
    /// Any call at all.
    Relevance,
    /// No call.
    Irrelevance,
}

impl Assignment {
    /// Categories are told by the words in them, so `live_parallel_multiple` is parallel.
    pub fn of(category: &str) -> Assignment {
        let has = |word| category.contains(word);
        if has("irrelevance") {
            Assignment::Irrelevance
        } else if has("relevance") {
            Assignment::Relevance
        } else if has("parallel") {
            Assignment::Parallel
        } else if has("multiple") {
            Assignment::Multiple
        } else {
            Assignment::Simple
        }
    }
}

/// Whether a text names a category of the benchmark, and is no word of somebody's own for a kind of rows.
pub fn is_known(category: &str) -> bool {
    const WORDS: [&str; 13] = [
        "java",
        "javascript",
        "python",
        "live",
        "exec",
        "rest",
        "sql",
        "multi",
        "chatable",
        "memory",
        "web",
        "agentic",
        "format",
    ];
    let has_assignment =
        ["simple", "multiple", "parallel", "relevance"].iter().any(|word| category.contains(word));
    has_assignment || category.split(['_', '-', ' ']).any(|part| WORDS.contains(&part))
}

/// In which language the arguments of a call are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Python,
    Java,
    JavaScript,
}

impl Language {
    pub const NAMES: &str = "`python`, `java` or `javascript`";

    pub fn named(name: &str) -> Option<Language> {
        match name {
            "python" => Some(Language::Python),
            "java" => Some(Language::Java),
            "javascript" => Some(Language::JavaScript),
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Java => "java",
            Language::JavaScript => "javascript",
        }
    }

    pub fn of(category: &str) -> Language {
        if category.contains("javascript") {
            Language::JavaScript
        } else if category.contains("java") {
            Language::Java
        } else {
            Language::Python
        }
    }
}

/// The category in a file's name (`BFCL_v4_live_multiple.json`, `BFCL_v4_multiple_result.json`).
pub fn of_file(name: &str) -> Option<&str> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = name.split('.').next().unwrap_or(name);
    let versioned = stem.strip_prefix("BFCL_")?;
    let (version, category) = versioned.split_once('_')?;
    let category = category.strip_suffix("_result").or(category.strip_suffix("_score")).unwrap_or(category);
    (version.starts_with('v') && !category.is_empty()).then_some(category)
}

/// The category in a question's id (`live_multiple_12-3-4`).
pub fn of_id(id: &str) -> Option<&str> {
    let (category, number) = id.rsplit_once('_')?;
    let is_number = number.starts_with(|char: char| char.is_ascii_digit())
        && number.chars().all(|char| char.is_ascii_digit() || char == '-');
    (is_number && !category.is_empty()).then_some(category)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories() {
        for (name, expected) in [
            ("BFCL_v4_multiple.json", Some("multiple")),
            ("data/possible_answer/BFCL_v4_live_multiple.json", Some("live_multiple")),
            ("BFCL_v3_simple_java_result.json", Some("simple_java")),
            ("questions.json", None),
        ] {
            assert_eq!(of_file(name), expected, "{name}");
        }
        for (id, expected) in [
            ("multiple_0", Some("multiple")),
            ("live_parallel_multiple_12-3-4", Some("live_parallel_multiple")),
            ("simple_java_99", Some("simple_java")),
            ("live_simple", None),
            ("7", None),
        ] {
            assert_eq!(of_id(id), expected, "{id}");
        }
        assert_eq!(Assignment::of("live_parallel_multiple"), Assignment::Parallel);
        assert_eq!(Assignment::of("live_irrelevance"), Assignment::Irrelevance);
        assert_eq!(Language::of("simple_javascript"), Language::JavaScript);
        assert_eq!(Language::of("simple_java"), Language::Java);
    }
}
