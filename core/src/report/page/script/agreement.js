// Which judges say the same, and where they do not, which of the two is right.

function drawAgreement(section, report) {
  const pairs = new Map();
  for (const raw of list(report.bench.agreement).map(record)) {
    const [a, b] = [entry(report.entrants, raw.a), entry(report.entrants, raw.b)];
    if (!a || !b || a === b) continue;
    const one = { rows: number(raw.rows) ?? 0, kappa: figure(raw.kappa), agree: figure(raw.agree) };
    pairs.set(`${a.at} ${b.at}`, { ...one, row: number(raw.only_a_right), column: number(raw.only_b_right) });
    pairs.set(`${b.at} ${a.at}`, { ...one, row: number(raw.only_b_right), column: number(raw.only_a_right) });
  }
  if (!pairs.size) return void add(section, el("p", { class: "muted" }, "There are no two judges of one task to compare."));
  const place = el("div");
  const judges = report.entrants.filter((entrant) => !entrant.baseline);
  const alone = !judges.some((a) => judges.some((b) => pairs.has(`${a.at} ${b.at}`)));
  const view = { key: "kappa", baselines: alone };
  const show = () => refill(place, ...agreementTables(report, pairs, view));
  const pick = (key) => (value) => {
    view[key] = value;
    show();
  };
  add(section,
    el("p", { class: "muted" }, "Under the figure: rows where only the judge on the left is right : rows where only the one above is. The more even the two, the less there is to choose between the judges."),
    el("div", { class: "controls" }, chooser("figure", [["kappa", "kappa: agreement beyond chance"], ["agree", "share of rows with the same label"]], view.key, pick("key")),
      tick(view.baselines, pick("baselines"), "baselines too")),
    place);
  show();
}

function agreementTables(report, pairs, { key, baselines }) {
  const tables = [];
  for (const task of new Set(report.entrants.map((entrant) => entrant.task))) {
    const shown = inOrder(report.entrants).filter((entrant) => entrant.task === task && (baselines || !entrant.baseline));
    const met = shown.filter((entrant) => shown.some((other) => pairs.has(`${entrant.at} ${other.at}`)));
    if (!met.length) continue;
    if (report.tasks > 1) tables.push(el("h3", null, spoken(task)));
    const head = el("tr", null, el("td", null), met.map((entrant) => el("th", { scope: "col" }, named(entrant))));
    const body = met.map((row) => el("tr", { class: row.baseline ? "baseline" : null },
      el("th", { scope: "row" }, named(row)), met.map((column) => pairCell(pairs.get(`${row.at} ${column.at}`), row, column, key))));
    tables.push(scroller("Agreement of judges", el("table", { class: "pairs" }, el("thead", null, head), el("tbody", null, body))));
  }
  return tables;
}

function pairCell(pair, row, column, key) {
  if (row === column || !pair) return el("td", { class: "self" }, row === column ? "" : "–");
  const f = pair[key];
  const won = pair.row === null || pair.column === null ? null : `${thousands(pair.row)} : ${thousands(pair.column)}`;
  const told = `${counted(pair.rows, "row")} with a label of both${won ? `; only ${row.name} right: ${thousands(pair.row)}, only ${column.name} right: ${thousands(pair.column)}` : ""}`;
  const share = f ? Math.round(55 * Math.max(0, f.value) ** 2) : 0;
  return el("td", { style: `--share:${share}%`, title: told },
    el("b", null, f ? decimals(f.value) : "–"), f ? el("small", { class: "muted" }, range(f.low, f.high)) : null, won ? el("small", null, won) : null);
}
