// The head: what was benchmarked, how much of it, who leads, and how to read the figures.

function drawHead(report) {
  const { bench } = report;
  document.getElementById("made-by").textContent = ["tooljudge bench", words(bench.version)].filter(Boolean).map(plain).join(" ");
  const inputs = list(bench.inputs).map(words).join(", ");
  const when = moment(bench.created_at);
  document.getElementById("made-of").textContent = [inputs, when].filter(Boolean).map(plain).join(" · ");
}

function drawSummary(section, report) {
  const { bench, entrants } = report;
  const rows = record(bench.rows);
  add(section, tiles(rows, bench, entrants));
  for (const task of new Set(entrants.map((entrant) => entrant.task))) {
    const sentence = leader(entrants.filter((entrant) => entrant.task === task), report.tasks > 1 ? task : null);
    if (sentence) add(section, sentence);
  }
  add(section, howToRead(bench, rows));
}

function tiles(rows, bench, entrants) {
  const left = [
    ["without_gold", "without gold"],
    ["unreadable", "unreadable"],
    ["duplicates", "duplicate"],
    ["disputed_gold", "with opposite gold in equal rows"],
    ["errata", "struck by errata"],
  ].filter(([key]) => number(rows[key]) > 0).map(([key, label]) => `${thousands(rows[key])} ${label}`);
  const read = [`of ${thousands(rows.read)} read`, ...left].join(", ");
  const right = number(rows.correct) ?? 0;
  const wrong = number(rows.incorrect) ?? 0;
  const share = (count) => `width:${right + wrong > 0 ? (100 * count) / (right + wrong) : 50}%`;
  const split = el("div", { class: "split", "aria-hidden": "true" },
    el("i", { style: `${share(right)};background:var(--right)` }), el("i", { style: `${share(wrong)};background:var(--wrong)` }));
  const judges = entrants.filter((entrant) => !entrant.baseline).length;
  const tile = (value, ...under) => el("div", { class: "tile" }, el("b", null, value), ...under);
  const unit = words(bench.cluster);
  return el("div", { class: "tiles" },
    tile(thousands(rows.benched), el("span", null, `rows benched, ${read}`)),
    tile(thousands(rows.clusters), el("span", null, unit ? `groups by ${unit}` : "groups: every row its own")),
    tile(`${thousands(rows.correct)} : ${thousands(rows.incorrect)}`, split, el("span", null, "correct : incorrect, by gold")),
    tile(thousands(judges), el("span", null, `${judges === 1 ? "judge" : "judges"}, beside ${counted(entrants.length - judges, "baseline")}`)));
}

/** Who has the highest balanced accuracy, and who cannot be told apart from it by the intervals alone. */
function leader(entrants, task) {
  const ranked = entrants
    .map((entrant) => ({ entrant, f: figure(record(entrant.overall.figures).balanced_accuracy) }))
    .filter(({ f }) => f)
    .sort((a, b) => b.f.value - a.f.value);
  const judges = ranked.filter(({ entrant }) => !entrant.baseline);
  if (!judges.length) return null;
  const [best, ...others] = judges;
  const close = others.filter(({ f }) => f.high >= best.f.low).map(({ entrant }) => entrant.name);
  const floor = ranked.find(({ entrant }) => entrant.baseline);
  const said = ({ f }) => `${decimals(f.value)} (${range(f.low, f.high)})`;
  return el("p", { class: "lead" },
    task ? `${spoken(task)}: ` : null,
    el("strong", null, best.entrant.name), others.length ? " has the highest balanced accuracy, " : " has a balanced accuracy of ", said(best), ". ",
    others.length && !close.length ? "No other judge’s interval reaches into its. " : null,
    close.length ? `${close.length > 1 ? "The intervals" : "The interval"} of ${close.join(", ")} ${close.length > 1 ? "reach" : "reaches"} into its: their order is not settled. ` : null,
    floor ? ["The best baseline, ", el("strong", null, floor.entrant.name), ", has ", said(floor), "."] : null);
}

function howToRead(bench, rows) {
  const unit = words(bench.cluster);
  const point = (head, rest) => el("li", null, el("b", null, head), rest);
  return el("ul", { class: "how" },
    point("Gold ", "says of every call whether it is correct or incorrect. A judge that passes a wrong call lets an error through; one that fails a right call costs somebody’s time."),
    point("0.80 (0.75 – 0.85) ", unit
      ? `is a figure with its 95 % interval. Rows of one ${unit} move together, so what counts is how many groups there are (${thousands(rows.clusters)}), not how many rows.`
      : "is a figure with its 95 % interval."),
    point("Figures ", "are over the rows that got a label; what the rows without one could change is given as the worst and the best case."),
    point("Baselines ", "look at nothing, or only at the schema. A judge that is no better than they are adds nothing."));
}
