// The list of rows: a line shows what was asked, the call as code, the label and why.

const LINES_AT_ONCE = 50;
const SIGN = { right: "✓", wrong: "✗", none: "–" };

/** Judges as the page speaks of them: each with a name that no other has, and the labels that pass. */
function membersOf(about) {
  const raw = list(about.members).map(record);
  const names = raw.map(({ judge }) => words(judge));
  return raw.map((member, at) => {
    const peers = names.filter((name) => name === names[at]).length;
    const told = peers === 1 ? names[at] : peers === names.length ? words(member.template) : `${names[at]} (${words(member.template)})`;
    return {
      at, name: told, task: words(member.task), template: words(member.template),
      gold: words(member.gold), labels: list(member.labels).map(words), passing: new Set(list(member.passing).map(words)),
    };
  });
}

/** The verdicts on a row: with their judges, findings numbered through. */
function verdictsOf(row, store) {
  let sign = 0;
  return list(row.verdicts).map((given, at) => {
    const raw = record(given);
    const member = store.members[at];
    const label = typeof raw.label === "string" ? raw.label : null;
    const findings = list(raw.findings).map(record).map((finding) => ({
      number: (sign += 1), call: number(finding.call), argument: typeof finding.argument === "string" ? finding.argument : null, tool: words(finding.tool),
      kind: words(finding.kind), quote: words(finding.quote), supported: finding.supported === true, message: words(finding.message), by: store.members.length > 1 ? member.name : "",
    }));
    const calls = list(raw.calls).map(record).map((call) => ({ label: typeof call.label === "string" ? call.label : null, status: words(call.status), kind: kindOf(member, typeof call.label === "string" ? call.label : null), confidence: number(call.confidence) }));
    return { raw, member, label, kind: kindOf(member, label), status: words(raw.status), confidence: number(raw.confidence), score: number(raw.score), findings, calls };
  });
}

function labelChip({ label, kind, status, confidence }, name) {
  return el("span", { class: `chip says-${kind}` }, `${SIGN[kind]} `, name ? [`${name}: `] : null, visible(label ?? (spoken(status) || "no label")), confidence === null || confidence === undefined ? null : el("small", null, ` ${decimals(confidence, 2)}`));
}

const reasonOf = ({ raw }) => words(raw.why) || words(raw.error).replace(/^[a-z_]+: /, "");

/** A row as one line of the list; what it shows comes when its chunk is open. */
function lineOf(place, store, marks, open) {
  const number_ = store.index.rows[place];
  const button = el("button", { type: "button", class: "line", tabindex: "-1", "data-row": number_, click: () => open(place) }, el("span", { class: "muted" }, "…"));
  store.row(place).then((row) => refill(button, lineBody(row, number_, store, marks))).catch((error) => refill(button, `Row ${number_} cannot be read: ${error.message}`));
  return el("li", null, button);
}

function lineBody(row, number_, store, marks) {
  const verdicts = verdictsOf(row, store);
  const calls = row.calls === null || row.calls === undefined ? snippet(row.call_text) : list(row.calls).map((call) => callText(record(call))).join(" ");
  const first = (kind) => verdicts.filter((verdict) => verdict.kind === kind).map(reasonOf).find(Boolean);
  const why = first("wrong") ?? first("none") ?? first("right") ?? "";
  return [
    el("span", { class: "line-head" }, verdicts.map((verdict) => labelChip(verdict, store.members.length > 1 ? verdict.member.name : null)), markChips(marks.of(number_), marks), el("span", { class: "row-number" }, `row ${thousands(number_)}`)),
    el("span", { class: "asked", dir: "auto" }, snippet(row.question) || words(row.error)),
    el("code", { class: "call-line", dir: "ltr" }, calls ? visible(calls.slice(0, cut(calls, 0, 300))) : "(nothing was called)"),
    why ? el("span", { class: "why muted", dir: "auto" }, proseNodes(snippet(why))) : null,
  ];
}

function markChips(mark, marks) {
  const gold = marks.golds(mark);
  return [
    ...gold.map(([column, label]) => el("span", { class: "chip marked" }, `marked ${column === "gold" ? "" : `${spoken(column)} `}`, visible(words(label)))),
    mark?.correction ? el("span", { class: "chip marked" }, "corrected call") : null,
    mark?.note ? el("span", { class: "chip marked" }, "note") : null,
  ];
}
