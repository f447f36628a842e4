// Calls as code: `create_event(title="Standup", start="15:00")`. Arguments come as JSON text and are never parsed into numbers, which
// would change large ones and forget how they were written.

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+)/y;
const INDENT = "  ";

/** A call on one line, for a list. */
function callText(call) {
  return `${words(call.name)}(${typeof call.args === "string" ? partsOf(call.args).map(({ key, nodes }) => `${key}=${nodes.map((node) => node.textContent ?? node).join("")}`).join(", ") : words(call.raw)})`;
}

/** A call in its own box; `faults` maps JSON pointers of arguments to numbers of findings. */
function callCode(call, faults = new Map(), whole = []) {
  const met = new Set();
  const parts = typeof call.args === "string" ? partsOf(call.args, faults, met) : null;
  const name = el("b", whole.length ? { class: "fault" } : null, visible(words(call.name)), footnotes(whole));
  const missing = [...faults].filter(([pointer]) => !met.has(pointer)).map(([pointer, numbers]) => {
    const key = unescaped(pointer.split("/").pop());
    return { key, nodes: ["?"], numbers, absent: true };
  });
  if (parts === null) return el("code", { class: "call", dir: "ltr" }, name, "(", visible(words(call.raw)), ")", missing.map(({ numbers }) => footnotes(numbers)));
  const all = [...parts, ...missing];
  const long = all.reduce((sum, { key, nodes }) => sum + key.length + 3 + nodes.reduce((length, node) => length + words(node.textContent ?? node).length, 0), 0) > 64;
  const part = ({ key, nodes, numbers, absent }, at) => [
    long ? `\n${INDENT}` : at ? " " : "",
    el("span", { class: numbers?.length ? (absent ? "fault absent" : "fault") : null }, el("i", null, visible(key)), "=", nodes, footnotes(numbers)),
    at < all.length - 1 || long ? "," : "",
  ];
  return el("code", { class: "call", dir: "ltr" }, name, "(", all.map(part), long ? "\n" : "", ")");
}

const footnotes = (numbers) => (numbers?.length ? el("sup", null, numbers.join(",")) : null);
const escaped = (key) => key.replaceAll("~", "~0").replaceAll("/", "~1");
const unescaped = (step) => step.replaceAll("~1", "/").replaceAll("~0", "~");

/** The members of a JSON object, each value as nodes. What is no object is one member without a name. */
function partsOf(text, faults = new Map(), met = new Set()) {
  const tokens = tokensOf(text);
  if (tokens === null || tokens[0] !== "{") return [{ key: "", nodes: visible(text) }];
  const parts = [];
  let at = 1;
  while (at < tokens.length && tokens[at] !== "}") {
    const key = keyOf(tokens[at]);
    const pointer = `/${escaped(key)}`;
    const found = valueNodes(tokens, at + 2, pointer, faults, met, 0);
    parts.push({ key, nodes: found.nodes, numbers: noticed(pointer, faults, met) });
    at = tokens[found.next] === "," ? found.next + 1 : found.next;
  }
  return parts;
}

function noticed(pointer, faults, met) {
  if (faults.has(pointer)) met.add(pointer);
  return faults.get(pointer);
}

function keyOf(token) {
  try {
    return words(JSON.parse(token));
  } catch {
    return words(token);
  }
}

const DEEPEST = 60;

/** The value that begins at a token, and where the next one begins. */
function valueNodes(tokens, at, pointer, faults, met, depth) {
  const opening = tokens[at];
  if (opening !== "{" && opening !== "[") return { nodes: visible(words(opening)), next: at + 1 };
  const closing = opening === "{" ? "}" : "]";
  const nodes = [opening];
  let next = at + 1;
  for (let count = 0; next < tokens.length && tokens[next] !== closing; count += 1) {
    if (depth > DEEPEST) {
      for (let open = 0; next < tokens.length && (open > 0 || tokens[next] !== closing); next += 1) {
        if (/^[{[]$/.test(tokens[next])) open += 1;
        if (/^[}\]]$/.test(tokens[next])) open -= 1;
        nodes.push(...visible(tokens[next]));
      }
      break;
    }
    const named = opening === "{";
    const inner = `${pointer}/${named ? escaped(keyOf(tokens[next])) : count}`;
    const found = valueNodes(tokens, named ? next + 2 : next, inner, faults, met, depth + 1);
    const numbers = noticed(inner, faults, met);
    const shown = [named ? [...visible(tokens[next]), ": "] : [], found.nodes].flat();
    nodes.push(...(numbers?.length ? [el("span", { class: "fault" }, shown, footnotes(numbers))] : shown));
    next = found.next;
    if (tokens[next] === ",") {
      nodes.push(", ");
      next += 1;
    }
  }
  nodes.push(closing);
  return { nodes, next: next + 1 };
}

/** The tokens of a JSON text; null where it is none. */
function tokensOf(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const { lastIndex } = TOKEN;
    const found = TOKEN.exec(text);
    if (!found) return text.slice(lastIndex).trim() === "" ? tokens : null;
    tokens.push(found[1]);
  }
  return tokens;
}
