// Recall per kind of row: a dot and whisker per judge, for any slicing and any figure.

const BOTH_RECALLS = "recalls";
const ROWS_AT_FIRST = 30;

function drawSlices(section, report) {
  const { entrants, bench } = report;
  const found = new Set(list(bench.slicings).map(words));
  entrants.forEach(({ raw }) => list(raw.slices).forEach((slice) => found.add(words(record(slice).by))));
  const cut = [...found].filter((by) => entrants.some(({ raw }) => list(raw.slices).some((slice) => words(record(slice).by) === by)));
  if (!cut.length) return void add(section, el("p", { class: "muted" }, "No slices were made: rows have no columns to slice by."));
  const tasks = [...new Set(entrants.map((entrant) => entrant.task))];
  const judges = entrants.filter((entrant) => !entrant.baseline);
  const view = { by: cut[0], figure: BOTH_RECALLS, order: "hardest", task: tasks[0], shown: new Set((judges.length ? judges : entrants).map((entrant) => entrant.at)) };
  const place = el("div");
  const legend = el("div", { class: "legend" });
  const show = () => refill(place, ...sliceCharts(view, entrants));
  const pick = (key) => (value) => {
    view[key] = value;
    if (key === "task") fillLegend(legend, view, entrants, show);
    show();
  };
  add(section,
    el("p", { class: "muted" }, "Each line is a kind of row, each dot a judge, each whisker a 95 % interval: a long one means that there are too few rows to tell."),
    el("div", { class: "controls" },
      tasks.length > 1 ? chooser("task", tasks.map((task) => [task, spoken(task)]), view.task, pick("task")) : null,
      chooser("sliced by", cut.map((by) => [by, spoken(by)]), view.by, pick("by")),
      chooser("figure", [[BOTH_RECALLS, "wrong calls caught, right calls passed"], ...figuresOf(entrants).map(([key, head]) => [key, head])], view.figure, pick("figure")),
      chooser("order", [["hardest", "hardest first"], ["rows", "most rows first"], ["name", "by name"]], view.order, pick("order"))),
    legend, place);
  fillLegend(legend, view, entrants, show);
  show();
}

function fillLegend(legend, view, entrants, show) {
  refill(legend, ...inOrder(entrants).filter((entrant) => entrant.task === view.task).map((entrant) =>
    tick(view.shown.has(entrant.at), (on) => {
      if (on) view.shown.add(entrant.at);
      else view.shown.delete(entrant.at);
      show();
    }, mark(entrant), el("span", null, entrant.name))));
}

/** The charts of a view: one per figure that it asks for, without those that have nothing to show. */
function sliceCharts(view, entrants) {
  const shown = inOrder(entrants).filter((entrant) => entrant.task === view.task && view.shown.has(entrant.at));
  if (!shown.length) return [el("p", { class: "muted" }, "Choose a judge above.")];
  const errors = view.by === "error_type";
  const wanted = view.figure === BOTH_RECALLS
    ? [["recall_incorrect", "Wrong calls caught", "all wrong calls", []], ["recall_correct", "Right calls passed", "all right calls", errors ? ["edit"] : []]]
    : [[view.figure, FIGURES.find(([key]) => key === view.figure)[1], "all rows", []]];
  const charts = wanted.map(([key, title, whole, also]) => {
    const lines = sliceLines(key, [view.by, ...also], shown);
    if (!lines.length && !errors) return null;
    const points = shown.map((entrant) => pointOf(entrant, key, entrant.overall)).filter(Boolean);
    return points.length ? chart(key, title, [{ name: whole, whole: true, points }, ...sorted(lines, view.order)], shown) : null;
  });
  const some = charts.filter(Boolean);
  return some.length ? some : [el("p", { class: "muted" }, "No slice has this figure: it needs rows of both labels, or a confidence.")];
}

function sliceLines(key, slicings, shown) {
  const lines = new Map();
  for (const entrant of shown) {
    for (const slice of list(entrant.raw.slices).map(record)) {
      const by = words(slice.by);
      const point = slicings.includes(by) ? pointOf(entrant, key, slice) : null;
      if (!point) continue;
      const value = words(slice.value) || "(empty)";
      const name = by === slicings[0] ? value : `${by === "edit" ? "benign edit" : spoken(by)}: ${value}`;
      if (!lines.has(name)) lines.set(name, { name, points: [] });
      lines.get(name).points.push(point);
    }
  }
  return [...lines.values()];
}

/** A judge's figure in a slice, with the rows it is over and how many of them it has as gold has them. */
function pointOf(entrant, key, slice) {
  const f = figure(record(slice.figures)[key]);
  if (!f) return null;
  const { passes, fails, right, wrong, judged } = countsOf(slice);
  const [n, hits] = key === "recall_correct" ? [right, passes[0]] : key === "recall_incorrect" ? [wrong, fails[1]] : [judged, null];
  return { entrant, f, n: n || (number(slice.rows) ?? 0), hits, clusters: number(slice.clusters) };
}

function sorted(lines, order) {
  const mean = (line) => line.points.reduce((sum, { f }) => sum + f.value, 0) / line.points.length;
  const most = (line) => Math.max(...line.points.map(({ n }) => n));
  const byName = (a, b) => a.name.localeCompare(b.name, "en", { numeric: true });
  const by = { hardest: (a, b) => mean(a) - mean(b) || byName(a, b), rows: (a, b) => most(b) - most(a) || byName(a, b), name: byName }[order];
  return [...lines].sort(by);
}

function chart(key, title, lines, shown) {
  const scale = scaleFor(lines.flatMap((line) => line.points.map(({ f }) => f)));
  const chance = FIGURES.find(([name]) => name === key)[3];
  const box = el("div", { class: "chart" }, el("h3", null, title),
    el("div", { class: "row axis" }, el("div"), axis(scale)),
    lines.slice(0, ROWS_AT_FIRST).map((line) => chartRow(line, scale, chance, shown)));
  const rest = lines.slice(ROWS_AT_FIRST);
  if (rest.length) {
    const button = el("button", { class: "plain", type: "button" }, `Show ${thousands(rest.length)} more`);
    button.addEventListener("click", () => swap(button, ...rest.map((line) => chartRow(line, scale, chance, shown))));
    add(box, button);
  }
  add(box, unfolding("aside", "As a table", () => chartTable(title, lines, shown)));
  return box;
}

function rowsOf(line) {
  const counts = line.points.map(({ n }) => n);
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? thousands(high) : `${thousands(low)} – ${thousands(high)}`;
}

function chartRow(line, scale, chance, shown) {
  const gap = shown.length > 6 ? 9 : 11;
  const height = gap * shown.length + 8;
  const picture = svg("svg", { height, role: "img" }, gridLines(scale, height, chance));
  const told = [];
  for (const { entrant, f, n, hits, clusters } of line.points) {
    const of = hits === null ? counted(n, "row") : `${thousands(hits)} of ${counted(n, "row")}`;
    const title = `${entrant.name}: ${inWords(f)}; ${of}${clusters === null ? "" : `, ${counted(clusters, "group")}`}`;
    told.push(title);
    add(picture, dot(scale, entrant, f, 4 + gap * (shown.indexOf(entrant) + 0.5), title));
  }
  picture.setAttribute("aria-label", `${line.name}. ${told.join(". ")}`);
  return el("div", { class: line.whole ? "row whole" : "row" },
    el("div", { class: "name" }, el("bdi", null, line.name), el("small", null, `n ${rowsOf(line)}`)), picture);
}

function chartTable(title, lines, shown) {
  const cell = (line, entrant) => {
    const point = line.points.find((one) => one.entrant === entrant);
    return el("td", null, point ? `${decimals(point.f.value)} (${range(point.f.low, point.f.high)})` : "–");
  };
  return scroller(title, el("table", null,
    el("thead", null, el("tr", null, el("th", { scope: "col" }, title), el("th", { scope: "col" }, "rows"), shown.map((entrant) => el("th", { scope: "col" }, named(entrant))))),
    el("tbody", null, lines.map((line) => el("tr", null, el("th", { scope: "row" }, el("bdi", null, line.name)), el("td", null, rowsOf(line)), shown.map((entrant) => cell(line, entrant)))))));
}
