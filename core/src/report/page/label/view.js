// What is looked at: filters, order and the open row. All of it stands in the address, so that a link leads to the same.

const MOST_OPTIONS = 200;
const SORTS = [["", "wrong and unsure first"], ["input", "as in the input"], ["unsure", "least sure first"], ["sure", "surest first"]];
const CONFIDENCES = [["", "any"], ["0-0.6", "below 0.6"], ["0.6-0.8", "0.6 to 0.8"], ["0.8-0.95", "0.8 to 0.95"], ["0.95-1.01", "0.95 and more"], ["none", "none"]];
const MARKED = [["", "any"], ["yes", "marked"], ["no", "not marked"], ["differs", "marked otherwise than labeled"], ["noted", "with a note"], ["corrected", "with a corrected call"], ["disputed", "reviewers disagree"], ["decide", "disagreements to decide"], ["todo", "drawn, to be marked"], ["drawn", "drawn at random"], ["unsure", "picked as least sure"]];
const KEYS = ["judge", "label", "status", "reason", "confidence", "tool", "argument", "kind", "column", "value", "marked", "search", "sort"];
/** What a label filter calls rows without a label, and rows on which judges differ. */
const NO_LABEL = "(none)";
const DIFFER = "(differ)";

const freshView = () => ({ ...Object.fromEntries(KEYS.map((key) => [key, ""])), row: null });

function viewOfAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const view = freshView();
  for (const key of KEYS) view[key] = asked.get(key) ?? "";
  const row = Number(asked.get("row"));
  view.row = Number.isInteger(row) && row > 0 ? row : null;
  return view;
}

function writeAddress(view) {
  const asked = new URLSearchParams();
  for (const key of KEYS) if (view[key]) asked.set(key, view[key]);
  if (view.row !== null) asked.set("row", view.row);
  const hash = `#${asked}`;
  if (hash === location.hash || (hash === "#" && !location.hash)) return;
  try {
    history.replaceState(null, "", hash);
  } catch {
    location.hash = hash;
  }
}

/** Whether marks can be so on this page. */
function isOffered(kind, store) {
  const review = record(store.about.review);
  if (kind === "corrected") return correctedGolds(store).length > 0;
  if (kind === "disputed") return Boolean(store.about.review) && review.blind !== true;
  return kind !== "decide" || review.queue === "disagreement";
}

const isNarrowed = (view) => KEYS.some((key) => key !== "sort" && view[key]);

/** The picked rows that the view asks for, in the order of the pick; null where it asks for others. */
function pickedOf(view, store, marks) {
  if (view.marked === "decide") return toDecide(store, marks);
  if (view.marked === "todo") return toMark(marks);
  if (view.marked === "drawn") return drawnRows(marks);
  return view.marked === "unsure" ? list(marks.picks("unsure").at(-1)?.rows) : null;
}

/** Tests of a row's place that need nothing but the index. */
function testsOf(view, store, marks) {
  const { index } = store;
  const chosen = store.members.map((member, at) => ({ ...list(index.members)[at] })).filter((_, at) => view.judge === "" || store.members[at].name === view.judge);
  const tests = [];
  const anyOf = (value, names, field) => {
    const code = list(names).indexOf(value);
    tests.push((place) => code >= 0 && chosen.some((member) => list(member[field])[place] === code));
  };
  if (view.label === DIFFER) tests.push((place) => differs(store, place));
  else if (view.label === NO_LABEL) tests.push((place) => chosen.some((member) => list(member.label)[place] === -1));
  else if (view.label) anyOf(view.label, index.labels, "label");
  if (view.status) anyOf(view.status, index.statuses, "status");
  if (view.reason) anyOf(view.reason, index.reasons, "reason");
  if (view.confidence === "none") tests.push((place) => chosen.some((member) => list(member.confidence)[place] === -1));
  else if (view.confidence) {
    const [low, high] = view.confidence.split("-").map(Number);
    tests.push((place) => chosen.some((member) => inRange(list(member.confidence)[place], low, high)));
  }
  for (const [key, field] of [["tool", "tools"], ["argument", "arguments"], ["kind", "kinds"]]) {
    if (!view[key]) continue;
    const code = list(index[`${key}_names`]).indexOf(view[key]);
    tests.push((place) => list(list(index[field])[place]).includes(code));
  }
  const column = list(index.columns).find(({ name }) => name === view.column);
  if (view.column && view.value && column) {
    const code = list(column.values).indexOf(view.value);
    tests.push((place) => code >= 0 && column.codes[place] === code);
  }
  const picked = pickedOf(view, store, marks);
  if (picked) {
    const rows = new Set(picked);
    tests.push((place) => rows.has(index.rows[place]));
  } else if (view.marked === "disputed") tests.push((place) => goldsOf(store).some((gold) => saidOf(index.rows[place], gold, marks, true).size > 1));
  else if (view.marked) tests.push((place) => isMarked(view.marked, marks.of(index.rows[place]), store, place));
  return tests;
}

const inRange = (code, low, high) => typeof code === "number" && code >= 0 && code / 10000 >= low && code / 10000 < high;

/** Whether judges of the same task contradict each other. */
function differs(store, place) {
  const passing = store.members.map(({ gold }, at) => ({ gold, passes: passesAt(store, at, place) })).filter(({ passes }) => passes !== null);
  return passing.some((one) => passing.some((other) => other.gold === one.gold && other.passes !== one.passes));
}

/** Whether the label of a judge in a row lets its calls pass; null where there is none. */
function passesAt(store, at, place) {
  const code = list(record(list(store.index.members)[at]).label)[place];
  return code === undefined || code < 0 ? null : store.members[at].passing.has(words(list(store.index.labels)[code]));
}

function isMarked(kind, mark, store, place) {
  const gold = Object.entries(record(mark?.gold)).filter(([column]) => store.members.some((member) => member.gold === column));
  if (kind === "noted") return Boolean(mark?.note);
  if (kind === "corrected") return Boolean(mark?.correction);
  if (kind === "yes") return gold.length > 0;
  if (kind === "no") return gold.length === 0;
  return gold.some(([column, label]) => store.members.some((member, at) => member.gold === column && words(list(store.index.labels)[list(record(list(store.index.members)[at]).label)[place]]) !== label && passesAt(store, at, place) !== null));
}

/** A test of a row's content; null where the index is enough. */
function scanOf(view, store) {
  const needle = view.search.trim().toLowerCase();
  const indexed = list(store.index.columns).some(({ name }) => name === view.column);
  const at = list(store.about.columns).indexOf(view.column);
  const inColumn = view.column && view.value && !indexed && at >= 0 ? view.value.toLowerCase() : null;
  if (!needle && inColumn === null) return null;
  const test = (row) => (!needle || textsOf(row).some((text) => text.toLowerCase().includes(needle)))
    && (inColumn === null || words(list(row.cells)[at]).toLowerCase().includes(inColumn));
  // A chunk without the words as JSON writes them holds no such row, and need not be taken apart.
  const hints = [needle, inColumn].filter(Boolean).map((text) => JSON.stringify(text).slice(1, -1));
  return { test, hints, key: JSON.stringify([needle, view.column, inColumn]) };
}

/** What a search looks at. */
function textsOf(row) {
  const calls = (of) => list(of).flatMap((call) => [words(record(call).name), words(record(call).args), words(record(call).raw)]);
  const said = list(row.verdicts).flatMap((verdict) => [record(verdict).why, record(verdict).error, record(verdict).reply]);
  const messages = list(row.messages).flatMap((message) => [words(record(message).content), ...calls(record(message).calls)]);
  const after = [...list(row.results).map((result) => record(result).content), record(row.next).content, row.answer];
  return [row.question, row.call_text, ...calls(row.calls), ...messages, ...said, ...after, ...list(row.cells)].map(words);
}

/** Places in the order that the view asks for. */
function orderOf(view, store, marks) {
  const places = Array.from({ length: store.size }, (_, place) => place);
  const picked = pickedOf(view, store, marks);
  if (picked && !view.sort) {
    // Whoever stops early has marked what chance put first, not what the judge finds wrong.
    const turns = new Map(picked.map((row, turn) => [row, turn]));
    const turn = (place) => turns.get(store.index.rows[place]) ?? picked.length;
    places.sort((a, b) => turn(a) - turn(b) || a - b);
  }
  if (view.sort === "input") places.sort((a, b) => store.index.rows[a] - store.index.rows[b]);
  if (view.sort === "sure" || view.sort === "unsure") {
    const at = Math.max(0, store.members.findIndex(({ name }) => name === view.judge));
    const confidence = list(record(list(store.index.members)[at]).confidence);
    const turn = view.sort === "sure" ? -1 : 1;
    const value = (place) => (confidence[place] >= 0 ? confidence[place] : turn * 20000);
    places.sort((a, b) => turn * (value(a) - value(b)) || a - b);
  }
  return places;
}
