// The list of cases: filters, fifty at a time, and links to single cases.

const CASES_AT_ONCE = 50;
const KINDS = [
  ["open", "somebody is wrong"],
  ["right", "everybody is right"],
  ["all", "everything"],
  ["mistakes", "any mistake"],
  ["passes", "passes a wrong call"],
  ["fails", "fails a right call"],
  ["none", "no label"],
  ["differ", "judges differ"],
];

function drawCases(section, report) {
  const { cases, entrants } = report;
  if (!cases.length) return void add(section, el("p", { class: "muted" }, "There are none in this file."));
  const right = cases.filter(allRight).length;
  if (report.found > cases.length - right) {
    add(section, el("p", null, `This file holds ${thousands(cases.length - right)} of the ${thousands(report.found)} cases that were found. Filters see only those.`));
  }
  if (right > 0) add(section, el("p", { class: "muted" }, `${counted(right, "row")} of ${thousands(Math.max(right, report.rightFound))} that everybody got right ${right === 1 ? "is" : "are"} here too: choose "everybody is right".`));
  const view = { judge: null, kind: right > 0 && right < cases.length ? "open" : "all", slices: new Map(), text: "", only: null, limit: CASES_AT_ONCE };
  const controls = el("div", { class: "controls" });
  const found = el("p", { class: "found muted", "aria-live": "polite" });
  const place = el("div");
  const show = () => showCases(view, report, found, place, reset);
  const apply = () => {
    view.only = null;
    view.limit = CASES_AT_ONCE;
    show();
  };
  const fill = () => refill(controls, ...filters(view, report, apply, fill));
  const reset = () => {
    Object.assign(view, { judge: null, kind: "all", text: "" });
    view.slices.clear();
    fill();
    apply();
  };
  add(section, controls, found, place);
  fill();
  apply();
  const follow = () => followLink(view, report, place, show);
  addEventListener("hashchange", follow);
  report.atTheEnd.push(follow);
}

function filters(view, report, apply, fill) {
  const { cases, entrants } = report;
  const judges = inOrder(entrants).filter((entrant) => cases.some((one) => one.verdicts.some((verdict) => verdict.entrant === entrant)));
  const judge = chooser("judge", [[null, "any judge"], ...judges.map((entrant) => [entrant.at, entrant.name])], view.judge, (at) => {
    view.judge = at;
    if (at !== null && ["all", "open"].includes(view.kind)) view.kind = "mistakes";
    fill();
    apply();
  });
  const kind = chooser("kind", KINDS, view.kind, (chosen) => {
    view.kind = chosen;
    apply();
  });
  const slices = [...sliceValues(report)].map(([by, values]) => {
    const options = [...values].sort((a, b) => b[1] - a[1]).map(([value, count]) => [value, `${value || "(empty)"} (${thousands(count)})`]);
    return chooser(spoken(by), [[null, "any"], ...options], view.slices.get(by) ?? null, (value) => {
      if (value === null) view.slices.delete(by);
      else view.slices.set(by, value);
      apply();
    });
  });
  let wait;
  const search = el("input", { type: "search", placeholder: "question, calls, note, explanation, reply, id" });
  search.value = view.text;
  search.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => {
      view.text = search.value.trim().toLowerCase();
      apply();
    }, 150);
  });
  return [judge, kind, ...slices, el("label", null, "text", search)];
}

/** Values of each slicing among the cases, with how many cases have them. */
function sliceValues(report) {
  const found = new Map(list(report.bench.slicings).map((by) => [words(by), new Map()]));
  for (const one of report.cases) {
    for (const [by, raw] of Object.entries(record(one.raw.slices))) {
      if (!found.has(by)) found.set(by, new Map());
      const values = found.get(by);
      values.set(words(raw), (values.get(words(raw)) ?? 0) + 1);
    }
  }
  return [...found].filter(([, values]) => values.size > 0);
}

function matches(one, view, onlyBaselines) {
  if (view.only !== null) return one.key === view.only;
  for (const [by, value] of view.slices) {
    if (own(one.raw.slices, by) === undefined || words(own(one.raw.slices, by)) !== value) return false;
  }
  const concerned = one.verdicts.filter(({ entrant }) => (view.judge === null ? onlyBaselines || !entrant.baseline : entrant.at === view.judge));
  return ofKind(one, concerned, view) && (view.text === "" || mentions(one, view.text));
}

function ofKind(one, concerned, view) {
  switch (view.kind) {
    case "open": return !allRight(one);
    case "right": return allRight(one);
    case "all": return view.judge === null || concerned.length > 0;
    case "mistakes": return concerned.some(({ outcome }) => ["passes", "fails", "none"].includes(outcome));
    case "differ": return concerned.some((a) => one.verdicts.some((b) => differ(a, b)));
    default: return concerned.some(({ outcome }) => outcome === view.kind);
  }
}

function differ(a, b) {
  return !b.entrant.baseline && a.entrant.task === b.entrant.task && a.outcome !== "none" && b.outcome !== "none" && passes(a.raw) !== passes(b.raw);
}

function mentions(one, text) {
  const { raw } = one;
  const has = (value) => typeof value === "string" && value.toLowerCase().includes(text);
  return has(one.key) || has(raw.question) || has(raw.calls) || has(raw.note) || has(raw.accepted) || has(words(raw.question_id))
    || one.verdicts.some((verdict) => has(verdict.raw.explanation) || has(verdict.raw.error) || has(verdict.raw.reply));
}

function showCases(view, report, found, place, reset) {
  const onlyBaselines = report.entrants.every((entrant) => entrant.baseline);
  view.matching = report.cases.filter((one) => matches(one, view, onlyBaselines));
  const narrowed = view.matching.length < report.cases.length;
  refill(found,
    narrowed ? `${thousands(view.matching.length)} of ${counted(report.cases.length, "case")}. ` : `${counted(report.cases.length, "case")}.`,
    narrowed ? el("button", { class: "plain", type: "button", click: reset }, "Show all") : "");
  const items = view.matching.slice(0, view.limit).map((one) => caseItem(one, report));
  refill(place, ...items, ...moreCases(view, report));
}

function moreCases(view, report) {
  const left = view.matching.length - view.limit;
  if (left <= 0) return [];
  const button = el("button", { class: "plain", type: "button" }, `Show ${Math.min(left, CASES_AT_ONCE)} more (${thousands(left)} left)`);
  button.addEventListener("click", () => {
    const from = view.limit;
    view.limit += CASES_AT_ONCE;
    const items = view.matching.slice(from, view.limit).map((one) => caseItem(one, report));
    swap(button, ...items, ...moreCases(view, report));
    items[0].querySelector("summary").focus();
  });
  return [button];
}

/** Opens the case that the address names: in the list where it is shown there, otherwise on its own. */
function followLink(view, report, place, show) {
  if (!location.hash.startsWith("#case-")) return;
  let key = location.hash.slice("#case-".length);
  try {
    key = decodeURIComponent(key);
  } catch {
    // An address that somebody typed: taken as it is.
  }
  if (!report.cases.some((one) => one.key === key)) return;
  const listed = () => view.matching.slice(0, view.limit).findIndex((one) => one.key === key);
  if (listed() < 0) {
    view.only = key;
    show();
  }
  const item = place.children[listed()];
  item.open = true;
  if (item.children.length === 1) add(item, caseBody(view.matching[listed()], report));
  item.scrollIntoView();
  item.querySelector("summary").focus({ preventScroll: true });
}
