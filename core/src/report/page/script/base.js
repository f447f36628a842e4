// The ground: elements, numbers and words. Whatever comes out of the data reaches the page as text only, never as markup.

const list = (value) => (Array.isArray(value) ? value : []);
const record = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});
const own = (object, key) => (Object.hasOwn(record(object), key) ? object[key] : undefined);
const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);
const entry = (value, at) => (Number.isInteger(at) ? list(value)[at] : undefined);
const words = (value) => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

/** Characters that show nothing but change what a text says or looks like: controls, directions, zero widths, tags. */
const UNSEEN = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}])\1*/gu;

/** A text that can stand in a line of others: nothing in it turns or hides what is around it. */
const plain = (text) => words(text).replace(UNSEEN, "\ufffd");

/** An element with attributes; children are nodes or texts. */
function el(name, attributes, ...children) {
  return build(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return build(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function build(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? "" : ["title", "aria-label"].includes(key) ? plain(value) : value);
  }
  return add(node, ...children);
}

/** What `children` come to: nodes and texts, out of lists too. The browser would write out null, undefined and false as words. */
function nodesOf(children) {
  const there = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  return there.map((child) => (child instanceof Node ? child : plain(child)));
}

/** Puts children at the end of a node. */
function add(node, ...children) {
  node.append(...nodesOf(children));
  return node;
}

/** Puts children in the place of those that a node has. */
function refill(node, ...children) {
  node.replaceChildren(...nodesOf(children));
}

/** Puts others in the place of a node. */
function swap(node, ...others) {
  node.replaceWith(...nodesOf(others));
}

/** A figure with numbers for its value and both ends, or null. */
function figure(raw) {
  const value = number(record(raw).value);
  if (value === null) return null;
  return { value, low: number(raw.low) ?? value, high: number(raw.high) ?? value };
}

/** Digits behind the point: as many as the intervals of this report leave a meaning. */
let precision = 2;

const minus = (text) => text.replace("-", "−");
const decimals = (value, digits = precision) => minus(value.toFixed(digits)).replace(/^−(0\.?0*)$/, "$1");
const range = (low, high, digits = precision) => `${decimals(low, digits)} – ${decimals(high, digits)}`;
const thousands = (value) => (number(value) === null ? "–" : minus(Math.abs(value) < 1e15 ? value.toLocaleString("en") : value.toExponential(2)));
const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(part === whole || part === 0 ? 0 : 1)} %` : "–");
const counted = (count, one, many = `${one}s`) => `${thousands(count)} ${count === 1 ? one : many}`;
const spoken = (name) => words(name).replace(/(?<=[a-z0-9])_(?=[a-z0-9])/gi, " ");

/** A figure in words, as tooltips and screen readers have it. */
function inWords(f) {
  return f ? `${decimals(f.value, 3)}, 95 % interval ${range(f.low, f.high, 3)}` : "no figure";
}

function dollars(value) {
  if (number(value) === null) return null;
  if (value === 0) return "$0";
  const digits = Math.abs(value) >= 0.1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(Math.abs(value))));
  return "$" + value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function duration(ms) {
  if (number(ms) === null) return null;
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60000).toFixed(1)} min`;
}

function moment(text) {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(words(text));
  return parts ? `${parts[1]} ${parts[2]} UTC` : words(text);
}

/** A box that scrolls by itself, by keyboard too. */
function scroller(name, ...children) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, ...children);
}

function chooser(name, options, chosen, change) {
  const select = el("select", { change: () => change(options[select.selectedIndex][0]) });
  options.forEach(([value, label]) => add(select, el("option", { selected: value === chosen }, label)));
  return el("label", null, name, select);
}

function tick(checked, change, ...children) {
  const box = el("input", { type: "checkbox", change: () => change(box.checked) });
  box.checked = checked;
  return el("label", { class: "tick" }, box, ...children);
}

/** A details element whose content is built when it is first opened. */
function unfolding(kind, summary, content) {
  const details = el("details", { class: kind }, el("summary", null, summary));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) add(details, content());
  });
  return details;
}
