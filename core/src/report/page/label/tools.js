// Definitions of tools, those that were called first.

const OTHERS_OPEN = 3;

function toolsOf(row) {
  if (!row.box) return el("p", { class: "muted" }, "This row has no definitions.");
  const tools = list(row.box.tools).map(record);
  if (!tools.length) return words(row.box.raw) && words(row.box.raw) !== "[]" ? passage(row.box.raw, true) : el("p", { class: "muted" }, "No tool was on offer.");
  const called = new Set(list(row.calls).map((call) => words(record(call).name)));
  const first = tools.filter(({ name }) => called.has(words(name)));
  const others = tools.filter(({ name }) => !called.has(words(name)));
  const unknown = [...called].filter((name) => !tools.some((tool) => words(tool.name) === name));
  return [
    unknown.map((name) => el("p", { class: "failed" }, el("code", null, visible(name)), " was called and is not on offer.")),
    first.map((tool) => toolCard(tool, true)),
    others.length && others.length <= OTHERS_OPEN ? others.map((tool) => toolCard(tool, first.length === 0)) : null,
    others.length > OTHERS_OPEN ? unfolding("box", `${counted(others.length, "other tool")} on offer`, () => el("div", null, others.map((tool) => toolCard(tool, false)))) : null,
  ];
}

function toolCard(tool, open) {
  const card = unfolding("tool", [el("b", null, visible(words(tool.name))), " ", el("span", { class: "muted small" }, snippet(tool.description))], () => toolBody(tool));
  if (open) {
    card.open = true;
    add(card, toolBody(tool));
  }
  return card;
}

function toolBody(tool) {
  const parameters = record(tool.parameters);
  const required = new Set(list(parameters.required).map(words));
  const properties = Object.entries(record(parameters.properties));
  const rows = properties.map(([name, raw]) => {
    const schema = record(raw);
    return [
      el("dt", null, el("code", null, visible(name)), required.has(name) ? el("span", { class: "must", title: "required" }, "*") : null),
      el("dd", null, el("span", { class: "muted" }, typeWords(schema)), words(schema.description) ? [" ", visible(words(schema.description))] : null),
    ];
  });
  return el("div", { class: "tool-body" },
    words(tool.description) ? passage(tool.description, false, { first: 1500 }) : null,
    rows.length ? el("dl", null, rows) : el("p", { class: "muted small" }, "It has no parameters."),
    unfolding("box", "Schema", () => passage(JSON.stringify(tool.parameters, null, 2), true)));
}

function typeWords(schema) {
  const choices = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : null;
  const type = [schema.type].flat().filter((one) => typeof one === "string").join(" or ");
  const items = record(schema.items);
  const of = type === "array" && (typeof items.type === "string") ? ` of ${plain(items.type)}` : "";
  const said = [
    plain(type) + of,
    choices ? choices.slice(0, 30).map((choice) => JSON.stringify(choice)).join(" | ") + (choices.length > 30 ? " | …" : "") : "",
    typeof schema.format === "string" ? plain(schema.format) : "",
    "default" in schema ? `default ${JSON.stringify(schema.default)}` : "",
  ];
  return said.filter(Boolean).join(", ");
}
