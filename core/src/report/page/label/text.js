// Texts of a row: with quotes of findings marked, and with the code that explanations put between backticks.

const QUOTE_AT_LEAST = 2;

/** Letters and digits of scripts that put blanks between words: beside a quote they say that it is only a part of a word. */
const WORD = "[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}\\p{M}_]";

/** What a quote looks like in a text, however its words are spaced; null for a quote that would be found everywhere. */
function patternOf(quote) {
  const parts = words(quote).trim().split(/\s+/).filter(Boolean).map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  if (parts.join("").length < QUOTE_AT_LEAST || parts.length > 200) return null;
  const isWord = new RegExp(WORD, "u");
  const [before, after] = [isWord.test([...words(quote).trim()][0]), isWord.test([...words(quote).trim()].at(-1))];
  return new RegExp(`${before ? `(?<!${WORD})` : ""}${parts.join("\\s+")}${after ? `(?!${WORD})` : ""}`, "giu");
}

/** A way to show texts with the first place of every quote marked. */
function marking(quotes) {
  const patterns = quotes.map(({ number, quote }) => ({ number, pattern: patternOf(quote) })).filter(({ pattern }) => pattern);
  return (text) => {
    const spans = [];
    for (const { number, pattern } of patterns) {
      pattern.lastIndex = 0;
      const found = pattern.exec(text);
      if (found) spans.push({ from: found.index, to: found.index + found[0].length, number });
    }
    spans.sort((a, b) => a.from - b.from || b.to - a.to);
    const merged = [];
    for (const { from, to, number } of spans) {
      const last = merged.at(-1);
      if (last && from < last.to) {
        last.to = Math.max(last.to, to);
        last.numbers.push(number);
      } else merged.push({ from, to, numbers: [number] });
    }
    const nodes = [];
    let from = 0;
    for (const { from: start, to, numbers } of merged) {
      nodes.push(...visible(text.slice(from, start)), el("mark", { "aria-label": `quoted by finding ${numbers.join(", ")}` }, visible(text.slice(start, to)), footnotes(numbers)));
      from = to;
    }
    return [...nodes, ...visible(text.slice(from))];
  };
}

/** Prose in which backticks stand around code. */
function proseNodes(text) {
  return text.split(/`([^`\n]{1,400})`/).map((part, at) => (at % 2 ? el("code", null, visible(part)) : visible(part)));
}
