// Marks: every judge has a colour and a shape, every figure a dot with its interval on a common scale.

const SHAPES = [
  "M-4.4,0a4.4,4.4 0 1,0 8.8,0a4.4,4.4 0 1,0 -8.8,0z",
  "M-4,-4h8v8h-8z",
  "M0,-5l5,8.6h-10z",
  "M0,-5.6l5.6,5.6l-5.6,5.6l-5.6,-5.6z",
  "M0,5l5,-8.6h-10z",
];
const TONES = 7;

/** Entrants as the page speaks of them: a name that no other has, a colour and a shape. */
function entrantsOf(bench) {
  const raw = list(bench.entrants).map(record);
  const short = raw.map((entrant, at) => shortened(words(entrant.judge)) || `judge ${at + 1}`);
  const longer = raw.map((entrant, at) => {
    let peers = raw.filter((_, other) => other !== at && short[other] === short[at]);
    const parts = new Set();
    for (const key of ["task", "template", "gold"]) {
      const left = peers.filter((peer) => words(peer[key]) === words(entrant[key]));
      if (left.length < peers.length && words(entrant[key])) parts.add(words(entrant[key]));
      peers = left;
    }
    return parts.size ? `${short[at]} (${[...parts].join(", ")})` : short[at];
  });
  let judges = 0;
  let baselines = 0;
  return raw.map((entrant, at) => {
    const baseline = entrant.baseline === true;
    const turn = baseline ? baselines++ : judges++;
    const name = longer.indexOf(longer[at]) === at ? longer[at] : `${longer[at]} #${at + 1}`;
    const style = { tone: baseline ? "base" : `t${turn % TONES}`, shape: SHAPES[turn % SHAPES.length] };
    return { at, name, baseline, task: words(entrant.task), raw: entrant, overall: record(entrant.overall), ...style };
  });
}

const shortened = (name) => (name.length > 80 ? `${name.slice(0, cut(name, 0, 80))}…` : name);

/** A judge's mark, to stand in a line of text. */
function mark(entrant) {
  const box = { class: `mark ${entrant.tone}`, width: 12, height: 12, viewBox: "-6 -6 12 12", "aria-hidden": "true" };
  return svg("svg", box, svg("path", { d: entrant.shape }));
}

/** A judge's mark and name; a name may break behind its provider and between its folders. */
function named(entrant) {
  const pieces = entrant.name.split(/(?<=[:/])/).map((piece, at) => (at ? [el("wbr"), piece] : piece));
  return el("span", { class: "judge" }, mark(entrant), el("bdi", null, pieces));
}

const SCALES = [
  { low: 0, ticks: [0, 0.25, 0.5, 0.75, 1] },
  { low: -0.25, ticks: [-0.25, 0, 0.25, 0.5, 0.75, 1] },
  { low: -0.5, ticks: [-0.5, 0, 0.5, 1] },
  { low: -1, ticks: [-1, -0.5, 0, 0.5, 1] },
];

/** A scale from 0 to 1, or from as far below zero as a figure or its interval is. */
function scaleFor(figures) {
  const least = Math.min(0, ...figures.filter(Boolean).map((f) => Math.min(f.value, f.low)));
  return SCALES.find(({ low }) => low <= least) ?? SCALES.at(-1);
}

function place(scale, value) {
  const share = (value - scale.low) / (1 - scale.low);
  return `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
}

/** Dot and whisker at height `y`, in an SVG as wide as its box. */
function dot(scale, entrant, f, y, title) {
  const at = svg("svg", { x: place(scale, f.value), y, class: `dot ${entrant.tone}`, overflow: "visible" });
  add(at, svg("path", { d: entrant.shape }));
  const line = { class: `whisker ${entrant.tone}`, x1: place(scale, f.low), x2: place(scale, f.high), y1: y, y2: y };
  return svg("g", null, svg("title", null, title), svg("line", line), at);
}

/** An interval as a bar with a line at the figure, for the narrow cells of a table. */
function bar(scale, entrant, f, chance) {
  const [low, high, at] = [f.low, f.high, f.value].map((value) => parseFloat(place(scale, value)));
  const width = Math.max(high - low, 1);
  return svg("svg", { height: 12, role: "img", "aria-label": inWords(f) }, svg("title", null, inWords(f)),
    svg("line", { class: "grid", x1: 0, x2: "100%", y1: 6, y2: 6 }), gridLines({ ...scale, ticks: [scale.low, 1] }, 12, chance),
    svg("rect", { class: `span ${entrant.tone}`, x: `${low}%`, width: `${width}%`, y: 2, height: 8, rx: 2 }),
    svg("line", { class: `value ${entrant.tone}`, x1: `${at}%`, x2: `${at}%`, y1: 0, y2: 12 }));
}

function gridLines(scale, height, chance) {
  const at = (value, kind) => svg("line", { class: kind, x1: place(scale, value), x2: place(scale, value), y1: 0, y2: height });
  const lines = scale.ticks.map((value) => at(value, "grid"));
  if (number(chance) !== null) lines.push(at(chance, "chance"));
  return lines;
}

function axis(scale) {
  const label = (value, at) =>
    svg("text", { x: place(scale, value), y: 12, "text-anchor": "middle" }, minus(String(scale.ticks[at])));
  return svg("svg", { height: 16, "aria-hidden": "true" }, scale.ticks.map(label));
}
