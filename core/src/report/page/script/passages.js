// Texts of rows, as they are: in any direction, cut where they are long, and with what cannot be seen made visible.

const UNSEEN_AT_MOST = 500;
const LENGTH_AT_FIRST = 6000;
const LENGTH_PER_STEP = 250000;

/** A text in a box of its own; `code` keeps it left to right. `show` makes nodes of a text, `first` is how much of it is shown at first. */
function passage(text, code, { show = visible, first: atFirst = LENGTH_AT_FIRST } = {}) {
  const all = words(text).replaceAll("\r\n", "\n");
  const box = el(code ? "pre" : "div", { class: code ? "passage code" : "passage", dir: code ? "ltr" : "auto", tabindex: code ? "0" : null });
  const first = cut(all, 0, atFirst);
  add(box, ...show(all.slice(0, first)));
  if (first === all.length) return box;
  let end = first;
  const button = el("button", { class: "plain", type: "button" });
  const name = () => {
    button.textContent = `Show ${all.length - end > LENGTH_PER_STEP ? `${thousands(LENGTH_PER_STEP)} more` : "the rest"} (${thousands(end)} of ${thousands(all.length)} characters shown)`;
  };
  button.addEventListener("click", () => {
    const next = cut(all, end, LENGTH_PER_STEP);
    add(box, ...show(all.slice(end, next)));
    end = next;
    if (end === all.length) button.remove();
    else name();
  });
  name();
  return el("div", null, box, button);
}

/** Where to cut a text, at most `length` from `start`, without tearing a character apart. */
function cut(text, start, length) {
  const end = Math.min(text.length, start + length);
  const torn = end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00;
  return torn ? end - 1 : end;
}

/** Nodes for a text: unseen characters become their code points in small frames, runs of one as one. */
function visible(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (nodes.length >= 2 * UNSEEN_AT_MOST) break;
    const code = found[1].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    const times = found[0].length / found[1].length;
    nodes.push(text.slice(from, found.index));
    nodes.push(el("span", { class: "unseen", title: "a character that cannot be seen" }, times > 1 ? `U+${code} × ${thousands(times)}` : `U+${code}`));
    from = found.index + found[0].length;
  }
  const rest = text.slice(from);
  nodes.push(nodes.length >= 2 * UNSEEN_AT_MOST ? rest.replace(UNSEEN, "\ufffd") : rest);
  return nodes;
}

/** The first words of a text, on one line. */
function snippet(text) {
  const start = words(text).slice(0, 400).replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
  return start.slice(0, cut(start, 0, 200));
}
