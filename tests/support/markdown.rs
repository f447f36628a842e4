//! What a document holds that can be checked: its fenced blocks, and the code within its sentences.

/// A fenced block.
#[derive(Debug)]
pub struct Block {
    /// The line of the opening fence, counted from 1.
    pub line: usize,
    /// The word behind the opening fence.
    pub language: String,
    pub lines: Vec<String>,
    /// The reason that a comment above the block gives: `<!-- not run: REASON -->`.
    pub not_run: Option<String>,
    /// How far a figure may be from the one shown, as a comment above the block says: `<!-- figures: within 0.05 -->`.
    pub within: Option<f64>,
}

/// The fenced blocks of a document, in order.
pub fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    let mut above = "";
    for (index, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some(mut block)) => {
                block.lines.push(line.to_owned());
                open = Some(block);
                continue;
            }
            (Some(language), None) => {
                let comment = |begin| above.strip_prefix(begin)?.strip_suffix(" -->");
                let within = comment("<!-- figures: within ").map(|within| within.parse().unwrap());
                open = Some(Block {
                    line: index + 1,
                    language: language.trim().to_owned(),
                    lines: Vec::new(),
                    not_run: comment("<!-- not run: ").map(str::to_owned),
                    within,
                });
            }
            (None, None) => {}
        }
        if !line.trim().is_empty() {
            above = line.trim();
        }
    }
    assert!(open.is_none(), "a block is not closed: {open:?}");
    blocks
}

/// Everything between the fenced blocks.
pub fn prose(document: &str) -> String {
    let mut prose = String::new();
    let mut fenced = false;
    for line in document.lines() {
        let is_fence = line.starts_with("```");
        if !fenced && !is_fence {
            prose.push_str(line);
            prose.push('\n');
        }
        fenced ^= is_fence;
    }
    prose
}

/// The code in a text, such as `--limit N`, with its line breaks as spaces.
pub fn code_spans(prose: &str) -> Vec<String> {
    let words = |span: &str| span.split_whitespace().collect::<Vec<_>>().join(" ");
    // A span does not go beyond its paragraph, so that one lost mark spoils no more than that.
    prose
        .split("\n\n")
        .flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2).map(words).collect::<Vec<_>>())
        .filter(|span| !span.is_empty())
        .collect()
}
