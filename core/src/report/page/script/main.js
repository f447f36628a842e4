// Reads the data and draws the parts, each on its own: one that fails says so and takes nothing else along.

const PARTS = [
  ["summary", null, drawSummary],
  ["judges", "Judges", drawJudges],
  ["confusion", "Confusion", drawConfusion],
  ["slices", "Where they fail", drawSlices],
  ["confidence", "Confidence", drawConfidence],
  ["agreement", "Agreement", drawAgreement],
  ["cases", "Cases", drawCases],
];

function reportOf(payload) {
  const bench = record(payload.bench);
  const entrants = entrantsOf(bench);
  return {
    bench, entrants, tasks: new Set(entrants.map((entrant) => entrant.task)).size,
    cases: casesOf(payload, entrants), toolboxes: payload.toolboxes, found: number(payload.cases_found) ?? 0, rightFound: number(payload.right_found) ?? 0, atTheEnd: [],
  };
}

/** Three digits where the judges' intervals are so narrow that two would hide them. */
function precisionFor(entrants) {
  const figures = entrants.filter(({ baseline }) => !baseline).map(({ overall }) => figure(record(overall.figures).balanced_accuracy)).filter(Boolean);
  return figures.some(({ low, high }) => high > low && high - low < 0.03) ? 3 : 2;
}

function attempt(place, name, draw) {
  try {
    draw();
  } catch (error) {
    document.body.dataset.error = `${document.body.dataset.error ?? ""}${name}: ${error.message}; `;
    add(place, el("p", { class: "failed" }, `This part could not be drawn: ${error.message}`));
  }
}

attempt(document.querySelector("main"), "data", () => {
  const report = reportOf(record(JSON.parse(document.getElementById("data").textContent)));
  precision = precisionFor(report.entrants);
  attempt(document.querySelector("header"), "head", () => drawHead(report));
  for (const [id, label, draw] of PARTS) {
    const section = document.getElementById(id);
    if (label) add(document.getElementById("parts"), el("a", { href: `#${id}` }, label));
    attempt(section, id, () => draw(section, report));
  }
  report.atTheEnd.forEach((follow) => attempt(document.getElementById("cases"), "link", follow));
});
document.body.dataset.ready = "true";
