// The table of judges and baselines, to sort, and what each of them was.

/** What a slice's four cells and its unlabelled rows come to. */
function countsOf(slice) {
  const cells = record(record(slice).confusion);
  const cell = (key) => number(cells[key]) ?? 0;
  const passes = [cell("true_positive"), cell("false_positive")];
  const fails = [cell("false_negative"), cell("true_negative")];
  const none = [cell("unjudged_positive"), cell("unjudged_negative")];
  const judged = passes[0] + passes[1] + fails[0] + fails[1];
  const unjudged = none[0] + none[1];
  return { passes, fails, none, judged, unjudged, all: judged + unjudged, right: passes[0] + fails[0], wrong: passes[1] + fails[1] };
}

/** Every figure of a slice: its key, its heads, what it means, the value that chance gives, whether it starts hidden, and whether few judges have it. */
const FIGURES = [
  ["balanced_accuracy", "Balanced acc.", "mean of the share of right calls passed and of wrong calls caught; 0.5 is chance, whatever the mix", 0.5],
  ["accuracy", "Accuracy", "share of rows labeled as gold has them; depends on the mix of right and wrong calls", null, true],
  ["kappa", "Kappa", "Cohen’s kappa: agreement with gold beyond what the two shares of labels would give by chance; 0 is chance", 0],
  ["weighted_kappa", "Weighted kappa", "Cohen’s kappa with quadratic weights, of grades with graded gold: a near miss counts for more than a far one; 0 is chance", 0, false, true],
  ["mcc", "MCC", "Matthews correlation of label and gold; 0 is chance", 0],
  ["f1_correct", "F1 correct", "harmonic mean of precision and recall of the label correct", null],
  ["f1_incorrect", "F1 incorrect", "harmonic mean of precision and recall of the label incorrect", null],
  ["precision_correct", "Prec. correct", "of the calls it passes, the share that is right", null, true],
  ["recall_correct", "Right passed", "of the right calls, the share it passes (recall of correct)", null, true],
  ["precision_incorrect", "Prec. incorrect", "of the calls it fails, the share that is wrong", null, true],
  ["recall_incorrect", "Wrong caught", "of the wrong calls, the share it fails (recall of incorrect)", null, true],
  ["auc", "AUC", "how well the probability of being right ranks right calls above wrong ones, over all rows that have one; 0.5 is chance", 0.5],
];

/** The figures that some judge has, or that every judge should have. */
function figuresOf(entrants) {
  return FIGURES.filter(([key, , , , , rare]) => !rare || entrants.some((entrant) => figure(record(entrant.overall.figures)[key])));
}

function judgeColumns(entrants) {
  const measures = figuresOf(entrants).map(([key, head, hint, chance, extra]) => {
    const of = (entrant) => figure(record(entrant.overall.figures)[key]);
    const scale = scaleFor(entrants.map(of));
    return { head, hint, extra, value: (entrant) => of(entrant)?.value ?? null, cell: (entrant) => measureCell(entrant, of(entrant), scale, chance) };
  });
  const usage = (entrant) => record(entrant.raw.usage);
  const p50 = (entrant) => number(record(usage(entrant).latency_ms).p50);
  const per1000 = (entrant) => number(usage(entrant).cost_usd_per_1000);
  const short = (text, under) => [el("b", null, text ?? "–"), under ? el("small", null, under) : null];
  return [
    ...measures,
    { head: "Rows", narrow: true, hint: "rows with a label, and their groups", value: (entrant) => countsOf(entrant.overall).judged, cell: rowsCell },
    { head: "No label", narrow: true, hint: "rows that the judge gave no label, and what balanced accuracy would be at worst and at best had it labeled them", value: (entrant) => countsOf(entrant.overall).unjudged, cell: unjudgedCell },
    { head: "$ per 1,000", narrow: true, hint: "list price of a thousand rows", value: per1000, cell: (entrant) => short(dollars(per1000(entrant))) },
    { head: "p50", narrow: true, hint: "latency: half of the answers came within it", value: p50, cell: (entrant) => short(duration(p50(entrant))) },
  ];
}

function rowsCell(entrant) {
  const groups = number(entrant.overall.clusters);
  return [el("b", null, thousands(countsOf(entrant.overall).judged)), groups === null ? null : el("small", null, `${thousands(groups)} groups`)];
}

function unjudgedCell(entrant) {
  const counts = countsOf(entrant.overall);
  const bounds = record(entrant.overall.bounds);
  const ends = ["balanced_accuracy", "accuracy"]
    .map((key) => [key, list(bounds[key]).map(number)])
    .find(([, [low, high]]) => (low ?? null) !== null && (high ?? null) !== null);
  if (!counts.unjudged) return el("b", null, "0");
  const short = ends && `${ends[0] === "accuracy" ? "acc." : "bal. acc."} ${range(...ends[1])}`;
  return [
    el("b", null, thousands(counts.unjudged)), el("small", null, percent(counts.unjudged, counts.all)),
    ends ? el("small", { title: `${spoken(ends[0])} if all of them had been labeled wrongly, and rightly` }, short) : null,
  ];
}

function measureCell(entrant, f, scale, chance) {
  if (!f) return el("span", { class: "muted" }, "–");
  return [el("b", null, decimals(f.value)), el("small", null, range(f.low, f.high)), bar(scale, entrant, f, chance)];
}

function drawJudges(section, report) {
  const { entrants } = report;
  if (!entrants.length) return void add(section, el("p", { class: "muted" }, "No judge took part."));
  const columns = judgeColumns(entrants);
  const table = el("table", { class: "figures" });
  const order = { column: columns.findIndex((column) => column.head === FIGURES[0][1]), down: true };
  const head = el("tr", null, el("th", { scope: "col" }, "Judge"));
  columns.forEach((column, at) => {
    const sort = () => {
      order.down = order.column === at ? !order.down : true;
      order.column = at;
      fillJudges(table, entrants, columns, order, report.tasks);
    };
    add(head, el("th", { scope: "col", class: column.extra ? "extra" : null, title: column.hint },
      el("button", { class: "sort", type: "button", click: sort }, column.head, el("span", { "aria-hidden": "true" }))));
  });
  add(table, el("thead", null, head));
  fillJudges(table, entrants, columns, order, report.tasks);
  add(section,
    el("p", { class: "muted" }, "The bars of a column share one scale, from 0 to 1 (from below 0 where a figure is); a dotted line marks chance. A click on a head sorts."),
    el("div", { class: "controls" }, tick(false, (on) => table.classList.toggle("more", on), "precision, recall and accuracy too")),
    scroller("Figures of all judges and baselines", table),
    unfolding("aside", "What the columns mean", () => el("dl", { class: "key" },
      columns.map((column) => [el("dt", null, column.head), el("dd", null, column.hint)]))),
    unfolding("aside", "Models, parameters, statuses, tokens", () => runs(entrants)));
}

function fillJudges(table, entrants, columns, order, tasks) {
  table.querySelectorAll("tbody").forEach((body) => body.remove());
  table.querySelectorAll("thead th").forEach((th, at) => {
    const here = at - 1 === order.column;
    if (here) th.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
    if (at) th.querySelector("span").textContent = here ? (order.down ? " ↓" : " ↑") : "";
  });
  const value = (entrant) => columns[order.column].value(entrant) ?? (order.down ? -Infinity : Infinity);
  const sorted = [...entrants].sort((a, b) => (value(a) === value(b) ? a.at - b.at : (value(a) < value(b) ? -1 : 1) * (order.down ? -1 : 1)));
  for (const task of new Set(entrants.map((entrant) => entrant.task))) {
    for (const baseline of [false, true]) {
      const part = sorted.filter((entrant) => entrant.task === task && entrant.baseline === baseline);
      if (!part.length) continue;
      const label = [tasks > 1 ? spoken(task) : null, baseline ? "Baselines" : "Judges"].filter(Boolean).join(": ");
      add(table, el("tbody", null,
        el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: columns.length + 1 }, label)),
        part.map((entrant) => judgeRow(entrant, columns))));
    }
  }
}

function judgeRow(entrant, columns) {
  const { raw } = entrant;
  const repeats = number(raw.repeats) > 1 ? `${raw.repeats} repeats` : null;
  const template = words(raw.template) !== entrant.task ? words(raw.template) : null;
  const gold = words(raw.gold) !== "gold" ? `gold: ${words(raw.gold)}` : null;
  const under = entrant.baseline ? null : [template, words(raw.gold) ? gold : null, repeats].filter(Boolean).join(" · ");
  const kind = (column) => [column.extra && "extra", column.narrow && "narrow"].filter(Boolean).join(" ") || null;
  return el("tr", { class: entrant.baseline ? "baseline" : null },
    el("th", { scope: "row" }, named(entrant), under ? el("small", null, under) : null),
    columns.map((column) => el("td", { class: kind(column) }, column.cell(entrant))));
}

function runs(entrants) {
  const pairs = (object) => Object.entries(record(object)).map(([key, value]) => `${key} ${typeof value === "number" ? thousands(value) : words(value)}`).join(", ");
  const shown = (raw) => {
    const f = figure(raw);
    return f ? `${decimals(f.value)} (${range(f.low, f.high)})` : "–";
  };
  const heads = ["Judge", "Template", "Model and endpoint", "Parameters", "Statuses", "Flips between repeats", "Kappa of repeats", "Cost", "Tokens in / out", "Latency p50 / p95", "From store"];
  const graded = entrants.some(({ raw }) => raw.grades);
  if (graded) heads.push("Grades");
  const grades = (raw) => [raw.grades && `${thousands(raw.grades.grades)} grades, ${thousands(raw.grades.rows)} labels with a grade as gold`, words(record(raw.grades).undefined)].filter(Boolean).join("; ") || "–";
  const row = (entrant) => {
    const { raw } = entrant;
    const from = record(raw.record);
    const used = record(raw.usage);
    const latency = record(used.latency_ms);
    const same = record(raw.consistency);
    return [
      [words(raw.template), from.template_hash && `#${words(from.template_hash)}`].filter(Boolean).join(" ") || "–",
      [words(from.model), words(from.endpoint)].filter(Boolean).join(" at ") || "–",
      pairs(from.parameters) || "–", pairs(raw.statuses) || "–", shown(same.flip_rate), shown(same.kappa), dollars(used.cost_usd) ?? "–",
      `${thousands(used.prompt_tokens)} / ${thousands(used.completion_tokens)}`,
      `${duration(latency.p50) ?? "–"} / ${duration(latency.p95) ?? "–"}`, thousands(used.cached),
      ...(graded ? [grades(raw)] : []),
    ];
  };
  return scroller("What each judge was", el("table", null,
    el("thead", null, el("tr", null, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", null, entrants.map((entrant) => el("tr", { class: entrant.baseline ? "baseline" : null },
      el("th", { scope: "row" }, named(entrant)), row(entrant).map((text, at) => el("td", { class: at < 4 ? "wrap" : null }, text)))))));
}
