// One matrix per judge: what it says of right and of wrong calls, and how often it says nothing.

function drawConfusion(section, report) {
  const shown = report.entrants.filter((entrant) => countsOf(entrant.overall).all > 0);
  if (!shown.length) return void add(section, el("p", { class: "muted" }, "No judge labeled a row."));
  add(section,
    el("p", { class: "muted" }, "Counts, and their share of the row: of the calls that gold has as correct, and of those it has as incorrect. Blue agrees with gold, orange does not."),
    el("div", { class: "cards" }, inOrder(shown).map(matrix)));
}

/** Judges first, baselines after them. */
function inOrder(entrants) {
  return [...entrants].sort((a, b) => a.baseline - b.baseline || a.at - b.at);
}

function matrix(entrant) {
  const { passes, fails, none } = countsOf(entrant.overall);
  const cell = (count, total, kind, meaning) =>
    el("td", { class: kind, style: `--share:${total > 0 ? Math.round((70 * count) / total) : 0}%` },
      el("b", null, thousands(count)), el("small", null, percent(count, total)), el("small", null, meaning));
  const line = (label, at, [passKind, passWords], [failKind, failWords]) => {
    const total = passes[at] + fails[at] + none[at];
    return el("tr", null, el("th", { scope: "row" }, label, el("br"), `${thousands(total)}`),
      cell(passes[at], total, passKind, passWords), cell(fails[at], total, failKind, failWords), cell(none[at], total, "says-none", "no label"));
  };
  return el("div", { class: entrant.baseline ? "card base" : "card" },
    el("h3", null, named(entrant)),
    el("table", { class: "matrix", "aria-label": `Labels of ${entrant.name} against gold` },
      el("thead", null, el("tr", null, el("td", null), ["says correct", "says incorrect", "says nothing"].map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", null,
        line("gold correct", 0, ["says-right", "passes right"], ["says-wrong", "fails right"]),
        line("gold incorrect", 1, ["says-wrong", "passes wrong"], ["says-right", "catches wrong"]))));
}
