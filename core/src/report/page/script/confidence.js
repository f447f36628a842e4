// Reliability: of the calls that a judge gives a probability of being right, how many are.

function drawConfidence(section, report) {
  const rated = inOrder(report.entrants).filter(({ raw }) => list(record(raw.calibration).bins).some((bin) => number(record(bin).n) > 0));
  if (!rated.length) return void add(section, el("p", { class: "muted" }, "No judge gave a confidence."));
  const without = inOrder(report.entrants).filter((entrant) => !entrant.baseline && !rated.includes(entrant)).map((entrant) => entrant.name);
  add(section,
    el("p", { class: "muted" }, "Points on the diagonal: what a judge calls 70 % is right 7 times of 10. Below it, the judge is too sure that calls are right; above it, not sure enough. Bars count rows per bin."),
    el("div", { class: "cards" }, rated.map(curve)),
    without.length ? el("p", { class: "muted small" }, `Without confidence: ${without.join(", ")}.`) : null);
}

function curve(entrant) {
  const calibration = record(entrant.raw.calibration);
  const said = (name, raw, hint) => {
    const f = figure(raw);
    return f ? el("span", { title: hint }, `${name} ${decimals(f.value)} (${range(f.low, f.high)})`) : null;
  };
  const figures = [
    said("ECE", calibration.ece, "expected calibration error: mean distance from the diagonal, weighted by rows; 0 is best"),
    said("Brier", calibration.brier, "mean squared distance of the probability from what is true; 0 is best, 0.25 is what saying 50 % always gives"),
  ].filter(Boolean);
  return el("div", { class: "card" }, el("h3", null, named(entrant)),
    el("p", { class: "small muted" }, figures.flatMap((one, at) => (at ? [" · ", one] : [one]))),
    reliability(entrant, list(calibration.bins).map(record).filter((bin) => number(bin.n) > 0)));
}

function reliability(entrant, bins) {
  const [left, top, side, floor, tall] = [38, 8, 250, 300, 34];
  const clamp = (share) => Math.min(1, Math.max(0, share));
  const x = (share) => left + side * clamp(share);
  const y = (share) => top + side * (1 - clamp(share));
  const picture = svg("svg", { class: `curve ${entrant.tone}`, viewBox: "0 0 300 370", role: "img", "aria-label": `Reliability of ${entrant.name}` });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    add(picture,
      svg("line", { class: "grid", x1: x(share), x2: x(share), y1: top, y2: top + side }),
      svg("line", { class: "grid", x1: left, x2: left + side, y1: y(share), y2: y(share) }),
      svg("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, String(share)),
      svg("text", { x: x(share), y: floor + tall + 14, "text-anchor": "middle" }, String(share)));
  }
  add(picture, svg("line", { class: "diagonal", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }));
  const points = bins.map((bin) => ({ bin, f: figure(bin.share), at: number(bin.mean_score) ?? ((number(bin.low) ?? 0) + (number(bin.high) ?? 1)) / 2 }));
  const seen = points.filter(({ f }) => f);
  add(picture, svg("polyline", { class: "path", points: seen.map(({ f, at }) => `${x(at)},${y(f.value)}`).join(" ") }));
  const most = Math.max(...bins.map((bin) => bin.n));
  for (const { bin, f, at } of points) {
    const [low, high] = [number(bin.low) ?? 0, number(bin.high) ?? 1];
    const told = `${Math.round(100 * low)} – ${Math.round(100 * high)} %: ${counted(bin.n, "row")}${f ? `, share right ${inWords(f)}` : ""}`;
    const height = (tall * bin.n) / most;
    add(picture, svg("rect", { class: "bar", x: x(low) + 1, width: Math.max(1, x(high) - x(low) - 2), y: floor + tall - height, height }, svg("title", null, told)));
    if (!f) continue;
    add(picture, svg("g", null, svg("title", null, told),
      svg("line", { class: "whisker", x1: x(at), x2: x(at), y1: y(f.low), y2: y(f.high) }),
      svg("g", { class: "dot", transform: `translate(${x(at)} ${y(f.value)})` }, svg("path", { d: entrant.shape }))));
  }
  add(picture,
    svg("text", { x: left, y: floor - 10 }, `rows per bin (most: ${thousands(most)})`),
    svg("text", { x: left + side / 2, y: 364, "text-anchor": "middle" }, "probability that the call is right"),
    svg("text", { transform: `translate(10 ${top + side / 2}) rotate(-90)`, "text-anchor": "middle" }, "share that is right"));
  return picture;
}
