// The controls above the list, and what matches them.

const COUNTED = (names, counts) => names.map((name, at) => [name, counts[at] ?? 0]).filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);

/** How often each code stands in lists of codes, or in a list of them. */
function tallied(codes, length) {
  const counts = new Array(length).fill(0);
  for (const code of list(codes)) for (const one of Array.isArray(code) ? code : [code]) if (one >= 0) counts[one] += 1;
  return counts;
}

/** Labels of any judge, or of the one chosen, with how many rows have them. */
function tallyOf(store, view) {
  const chosen = store.members.filter(({ name }) => view.judge === "" || name === view.judge);
  const labels = chosen.map(({ at }) => list(record(list(store.index.members)[at]).label));
  const names = list(store.index.labels).map(words);
  const ofRows = list(store.index.rows).map((_, place) => [...new Set(labels.map((codes) => codes[place]))]);
  const counts = COUNTED(names, tallied(ofRows, names.length)).map(([name, count]) => ({ name, text: name, count, kind: chosen.some(({ passing }) => passing.has(name)) ? "right" : "wrong" }));
  const none = ofRows.filter((codes) => codes.includes(-1)).length;
  const shown = counts.sort((a, b) => (a.kind === "right") - (b.kind === "right"));
  if (none) shown.splice(shown.findIndex(({ kind }) => kind === "right") < 0 ? shown.length : shown.findIndex(({ kind }) => kind === "right"), 0, { name: NO_LABEL, text: "no label", count: none, kind: "none" });
  if (store.members.length > 1) {
    const differing = list(store.index.rows).filter((_, place) => differs(store, place)).length;
    if (differing) shown.unshift({ name: DIFFER, text: "judges differ", count: differing, kind: "wrong" });
  }
  return shown;
}

const kindOf = (member, label) => (label === null ? "none" : member.passing.has(label) ? "right" : "wrong");

/** The labels as buttons that filter, on top of the page. */
function drawTally(place, store, view, change) {
  const tally = tallyOf(store, view);
  const all = { name: "", text: store.size < number(store.about.rows) ? "rows here" : "all rows", count: store.size, kind: "all" };
  const button = ({ name, text, count, kind }) =>
    el("button", { type: "button", class: `facet ${kind === "all" ? "" : `says-${kind}`}`, "aria-pressed": String(view.label === name), click: () => change({ label: view.label === name ? "" : name }) },
      el("b", null, thousands(count)), el("span", null, visible(text)));
  refill(place, el("div", { class: "facets", role: "group", "aria-label": "Labels" }, [all, ...tally].map(button)));
}

function drawFilters(place, store, view, change) {
  const { index } = store;
  const choose = (key, name, options) => chooser(name, [["", "any"], ...options], view[key], (value) => change({ [key]: value }));
  const coded = (key, name, names, codes, shownAs = (text) => text) => {
    const counts = COUNTED(list(names).map(words), tallied(codes, list(names).length));
    if (!counts.length || (counts.length === 1 && counts[0][1] === store.size)) return null;
    const options = counts.slice(0, MOST_OPTIONS).map(([value, count]) => [value, `${clipped(shownAs(value))} (${thousands(count)})`]);
    if (view[key] && !options.some(([value]) => value === view[key])) options.push([view[key], clipped(view[key])]);
    return choose(key, name, options);
  };
  const members = list(index.members).map(record);
  const of = (field) => members.flatMap((member) => list(member[field]));
  const hasConfidence = members.some((member) => list(member.confidence).some((code) => code >= 0));
  const controls = [
    store.members.length > 1 ? chooser("judge", [["", "any judge"], ...store.members.map(({ name }) => [name, name])], view.judge, (judge) => change({ judge })) : null,
    coded("status", "status", index.statuses, of("status"), spoken),
    coded("reason", "why there is no label", index.reasons, of("reason"), spoken),
    hasConfidence ? chooser("confidence", CONFIDENCES, view.confidence, (confidence) => change({ confidence })) : null,
    coded("tool", "tool", index.tool_names, index.tools),
    coded("argument", "argument at fault", index.argument_names, index.arguments),
    coded("kind", "kind of finding", index.kind_names, index.kinds, spoken),
    !marksOf(store) ? null : chooser("marks", MARKED.filter(([kind]) => isOffered(kind, store)), view.marked, (marked) => change({ marked })),
    columnFilter(store, view, change),
    chooser("order", SORTS, view.sort, (sort) => change({ sort })),
  ];
  const search = el("input", { type: "search", id: "search", placeholder: "Search texts, calls, reasons", "aria-label": "Search questions, conversations, calls, reasons, replies and columns" });
  search.value = view.search;
  let wait;
  search.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => change({ search: search.value }), 250);
  });
  const open = KEYS.some((key) => !["label", "search"].includes(key) && view[key]);
  const more = el("details", { class: "aside", open }, el("summary", null, "Filters and order"), el("div", { class: "controls" }, controls));
  refill(place, search, more);
}

function columnFilter(store, view, change) {
  const columns = list(store.about.columns).map(words);
  if (!columns.length) return null;
  const column = chooser("column", [["", "any"], ...columns.map((name) => [name, clipped(name)])], view.column, (name) => change({ column: name, value: "" }, true));
  if (!view.column) return column;
  const indexed = list(store.index.columns).find(({ name }) => name === view.column);
  if (indexed) {
    const counts = COUNTED(list(indexed.values).map(words), tallied(indexed.codes, list(indexed.values).length));
    return [column, chooser(`value of ${clipped(view.column)}`, [["", "any"], ...counts.map(([value, count]) => [value, `${clipped(value) || "(empty)"} (${thousands(count)})`])], view.value, (value) => change({ value }))];
  }
  const value = el("input", { type: "search", change: () => change({ value: value.value }) });
  value.value = view.value;
  return [column, el("label", null, `words in ${clipped(view.column)}`, value)];
}

const clipped = (text) => (text.length > 60 ? `${text.slice(0, cut(text, 0, 60))}…` : text);

/** Places that match, in order. Tests of contents go through the chunks, and tell how far they are; `isOld` says when to give up. */
async function matchesOf(view, store, marks, progress, isOld) {
  const tests = testsOf(view, store, marks);
  const places = orderOf(view, store, marks).filter((place) => tests.every((test) => test(place)));
  const scan = scanOf(view, store);
  if (!scan) return places;
  const found = await scanned(scan, store, progress, isOld);
  return found === null ? null : places.filter((place) => found.has(place));
}

const scans = new Map();

/** The places of rows that hold the words; what was found once is remembered. */
async function scanned({ test, hints, key }, store, progress, isOld) {
  if (scans.has(key)) return scans.get(key);
  const found = new Set();
  for (let at = 0; at < store.chunks; at += 1) {
    const text = await store.textOf(at);
    if (isOld()) return null;
    const lower = text.toLowerCase();
    if (hints.every((hint) => lower.includes(hint))) {
      const chunk = record(JSON.parse(text));
      list(chunk.rows).forEach((_, inside) => test(rowOf(chunk, inside, store.boxes)) && found.add(store.starts[at] + inside));
    }
    if (at % 8 === 7) {
      progress(at / store.chunks);
      await new Promise((done) => setTimeout(done));
    }
  }
  scans.set(key, found);
  return found;
}
