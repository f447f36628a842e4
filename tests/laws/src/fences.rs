//! How a reader sees a prompt who knows nothing but how fences look.

/// A prompt taken apart as a reader would who knows nothing but how fences look: the text around the blocks, and for each block its
/// code and its data.
pub fn taken_apart(prompt: &str) -> (Vec<&str>, Vec<(&str, &str)>) {
    let (mut around, mut blocks, mut rest) = (Vec::new(), Vec::new(), prompt);
    while let Some((before, after)) = rest.split_once("[begin ") {
        let (code, inside) = after.split_once("]\n").unwrap();
        assert!(code.len() == 16 && code.bytes().all(|byte| byte.is_ascii_hexdigit()), "{code:?}");
        let end = format!("\n[end {code}]");
        // Of an empty text both lines follow each other, with an empty line in between.
        let (data, after) = inside.split_once(&end).unwrap();
        around.push(before);
        blocks.push((code, data));
        rest = after;
    }
    around.push(rest);
    (around, blocks)
}
