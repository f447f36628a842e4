// Cases: what a row was, and what every judge said of it. The body of a case is built when it is opened.

/** What a verdict is against gold. */
function outcomeOf(verdict) {
  if (verdict.label === null || verdict.label === undefined) return "none";
  if (verdict.right === true) return "right";
  if (verdict.right === false) return passes(verdict) ? "passes" : "fails";
  return "unknown";
}

/** Whether a verdict lets the call pass. What its label is called says nothing: it may be one of any two. */
function passes(verdict) {
  return typeof verdict.passes === "boolean" ? verdict.passes : verdict.label === "correct";
}

/** Whether no judge is wrong on a case, or without a label. */
function allRight(one) {
  const judges = one.verdicts.filter(({ entrant }) => !entrant.baseline);
  return judges.length > 0 && judges.every(({ outcome }) => outcome === "right");
}

const SIGNS = { right: ["✓", "says-right"], passes: ["✗", "says-wrong"], fails: ["✗", "says-wrong"], none: ["–", "says-none"], unknown: ["?", "says-none"] };

/** Cases as the page speaks of them: a key that no other has, verdicts with their judges, judges first. */
function casesOf(payload, entrants) {
  const seen = new Set();
  return list(payload.cases).map((given, at) => {
    const raw = record(given);
    const id = words(raw.id) || `row-${words(raw.row) || at + 1}`;
    let key = id;
    for (let turn = 2; seen.has(key); turn += 1) key = `${id}~${turn}`;
    seen.add(key);
    const verdicts = list(raw.verdicts)
      .map((verdict) => ({ raw: record(verdict), entrant: entry(entrants, record(verdict).entrant), outcome: outcomeOf(record(verdict)) }))
      .filter(({ entrant }) => entrant)
      .sort((a, b) => a.entrant.baseline - b.entrant.baseline || a.entrant.at - b.entrant.at);
    return { key, raw, verdicts };
  });
}

function goldChips(one, entrants) {
  const golds = Object.entries(record(one.raw.gold));
  const tasks = new Set(entrants.map((entrant) => entrant.task));
  const shown = golds.length > 1 && tasks.size === 1 ? golds.filter(([task]) => tasks.has(task)) : golds;
  return shown.map(([task, label]) => el("span", { class: "chip" }, `gold ${shown.length > 1 ? `${spoken(task)}: ` : ""}${words(label) || "–"}`));
}

function caseItem(one, report) {
  const tally = one.verdicts.filter(({ entrant }) => !entrant.baseline).map(({ entrant, outcome, raw }) => {
    const told = `${entrant.name}: ${words(raw.label) || words(raw.status) || "no label"}`;
    return el("span", { class: SIGNS[outcome][1], title: told, role: "img", "aria-label": told }, mark(entrant), SIGNS[outcome][0]);
  });
  const head = el("summary", null,
    el("span", { class: "title" }, el("bdi", { class: "id" }, ...visible(one.key.slice(0, cut(one.key, 0, 200)))), goldChips(one, report.entrants)),
    el("span", { class: "tally" }, tally),
    el("span", { class: "snippet", dir: "auto" }, snippet(one.raw.question)));
  const item = el("details", { class: "case", id: `case-${one.key}` }, head);
  item.addEventListener("toggle", () => {
    if (item.open && item.children.length === 1) add(item, caseBody(one, report));
  });
  return item;
}

function caseBody(one, report) {
  const { raw } = one;
  const part = (name, content, kind) => el("div", { class: kind ?? null }, el("h4", null, name), content);
  const facts = [
    number(raw.row) === null ? null : `row ${thousands(raw.row)}`,
    raw.question_id === null || raw.question_id === undefined ? null : ["question ", el("bdi", null, words(raw.question_id))],
  ].filter(Boolean).map((fact) => el("span", { class: "muted" }, fact));
  const slices = Object.entries(record(raw.slices)).map(([by, value]) => el("span", { class: "chip" }, `${spoken(by)}: `, el("bdi", null, words(value))));
  const tools = entry(report.toolboxes, raw.toolbox);
  return el("div", { class: "body" },
    el("div", { class: "wide facts" }, facts, slices, el("a", { href: `#case-${encodeURIComponent(one.key)}` }, "link to this case")),
    part("Question", passage(raw.question)),
    part("Calls", passage(raw.calls, true)),
    words(raw.accepted) ? part("Accepted answers", passage(raw.accepted, true), "wide") : null,
    words(raw.note) ? part("Note", passage(raw.note), "wide") : null,
    part("Labels", el("div", { class: "verdicts" }, one.verdicts.map(verdictRow)), "wide"),
    tools === undefined || tools === null
      ? el("div", { class: "wide muted small" }, "No definitions came with this row.")
      : el("div", { class: "wide" }, unfolding("box", `Definitions of the tools (${thousands(words(tools).length)} characters)`, () => passage(tools, true))));
}

const MEANINGS = { right: "agrees with gold", passes: "passes a wrong call", fails: "fails a right call", none: null, unknown: "no gold to compare with" };

function verdictRow({ entrant, raw, outcome }) {
  const [sign, kind] = SIGNS[outcome];
  const confidence = number(raw.confidence);
  const status = words(raw.status);
  const under = [MEANINGS[outcome], confidence === null ? null : `confidence ${decimals(confidence, 2)}`].filter(Boolean).join(" · ");
  const said = [
    words(raw.error) ? passage(raw.error) : null,
    words(raw.explanation) ? passage(raw.explanation) : null,
  ].filter(Boolean);
  const reply = words(raw.reply) ? unfolding("box", `Reply (${thousands(words(raw.reply).length)} characters)`, () => passage(raw.reply)) : null;
  return el("div", { class: entrant.baseline ? "verdict base" : "verdict" },
    named(entrant),
    el("div", null, el("span", { class: `chip ${kind}` }, `${sign} ${words(raw.label) || spoken(status) || "no label"}`), el("small", null, under)),
    el("div", null, said.length ? said : el("span", { class: "muted" }, entrant.baseline ? "" : "no explanation"), reply));
}
