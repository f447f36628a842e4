// Which rows to mark next: drawn at random, so that their marks speak for all rows, or the least sure, to find mistakes.

const AT_ONCE = 20;
const DRAW = ["draw_queue", "draw_round", "draw_size", "draw_from", "inclusion_probability"];

/** Why no rows can be drawn here; null where they can. */
function whyNoDraw(store) {
  if (list(store.about.columns).includes(DRAW[4]) || store.about.review?.drawn) return "The rows of this table were drawn by tooljudge next, which draws more of them.";
  if (store.size < number(store.about.rows)) return "This page does not hold all rows: draw some of all of them with tooljudge next.";
  return null;
}

/** So many of these, each as likely as any other. */
function drawnOf(items, wanted) {
  const left = [...items];
  const count = Math.min(wanted, left.length);
  const luck = new Uint32Array(1);
  for (let at = 0; at < count; at += 1) {
    const open = left.length - at;
    // What is above the last whole multiple would favour the first.
    do crypto.getRandomValues(luck);
    while (luck[0] >= 2 ** 32 - (2 ** 32 % open));
    const other = at + (luck[0] % open);
    [left[at], left[other]] = [left[other], left[at]];
  }
  return left.slice(0, count);
}

/** Rows that are not marked, those that their judges are least sure of first. */
function leastSure(store, marks) {
  const members = list(store.index.members).map(record);
  const sure = (place) => Math.min(...members.map(({ confidence }) => list(confidence)[place]).filter((code) => code >= 0), 20000);
  const drawn = new Set(drawnRows(marks));
  const open = list(store.index.rows).map((row, place) => [row, sure(place)]).filter(([row]) => !drawn.has(row) && !marks.golds(marks.of(row)).length);
  return open.sort((a, b) => a[1] - b[1] || a[0] - b[0]).map(([row]) => row);
}

const goldsOf = (store) => [...new Set(store.members.map(({ gold }) => gold))];

/** The labels that reviewers gave a row: the others, and this one too if asked. */
function saidOf(row, gold, marks, withMine) {
  const given = [...marks.others(row), ...(withMine ? [marks.of(row)] : [])].map((mark) => own(mark?.gold, gold));
  return new Set(given.filter((label) => label !== undefined));
}

/** Rows to decide: the other reviewers disagree on them, or judges do and nobody has said what is right; and this reviewer has not
    decided. */
function toDecide(store, marks) {
  const golds = goldsOf(store);
  const open = (row) => (gold) => own(marks.of(row)?.gold, gold) === undefined;
  const calls = (row) => new Set(marks.others(row).map(({ correction }) => correction).filter(Boolean).map(({ calls: of }) => JSON.stringify(of)));
  const disagree = (row) => golds.some((gold) => open(row)(gold) && saidOf(row, gold, marks, false).size > 1) || (!marks.of(row)?.correction && golds.every(open(row)) && calls(row).size > 1);
  const byReviewers = marks.othersRows().filter(disagree).sort((a, b) => a - b);
  const seen = new Set(byReviewers);
  const byJudges = list(record(store.about.review).disputed).map(Number);
  return [...byReviewers, ...byJudges.filter((row) => !seen.has(row) && golds.every((gold) => saidOf(row, gold, marks, true).size === 0))];
}

/** The button of an adjudicator. */
function decideOf(store, marks, act) {
  if (record(store.about.review).queue !== "disagreement") return null;
  const left = toDecide(store, marks).length;
  return el("div", { class: "next" }, el("div", { class: "marks-line" },
    el("button", { type: "button", class: "plain", id: "decide", disabled: left === 0, click: act.decide }, left ? `Decide ${counted(left, "disagreement")}` : "No disagreement is left to decide"),
    el("span", { class: "muted" }, "Rows on which other reviewers disagree, then those on which judges do and nobody has said what is right.")));
}

const drawnRows = (marks) => marks.picks("random").flatMap(({ rows }) => rows);

/** What is drawn and not marked yet. */
const toMark = (marks) => drawnRows(marks).filter((row) => !marks.golds(marks.of(row)).length);

/** How many rows a judge passes, fails and does not label. */
function labelCounts(store, member) {
  const counts = new Map([[true, 0], [false, 0], [null, 0]]);
  for (let place = 0; place < store.size; place += 1) {
    const label = passesAt(store, member.at, place);
    counts.set(label, counts.get(label) + 1);
  }
  return counts;
}

/** The share that is right among all rows, for each judge of whose task drawn rows are marked. */
function sharesOf(store, marks) {
  const drawn = drawnRows(marks);
  if (!drawn.length) return [];
  const places = new Map(store.index.rows.map((row, place) => [row, place]));
  return store.members.map((member) => {
    const marked = drawn.map((row) => [places.get(row), own(marks.of(row)?.gold, member.gold)]).filter(([place, label]) => place !== undefined && label !== undefined);
    member.counts ??= labelCounts(store, member);
    const share = drawnShare(marked.map(([place, label]) => ({ right: member.passing.has(label), label: passesAt(store, member.at, place) })), member.counts);
    return { member, share, left: drawn.length - marked.length };
  });
}

/** The buttons that pick rows, and what the marks say so far. */
function nextOf(store, marks, act) {
  const why = whyNoDraw(store);
  if (why) return el("p", { class: "next muted" }, why);
  const left = toMark(marks);
  const drawn = new Set(drawnRows(marks));
  const undrawn = list(store.index.rows).filter((row) => !drawn.has(row));
  const percent = (share) => decimals(100 * share, 1);
  const said = sharesOf(store, marks).filter(({ share }) => share).map(({ member, share, left: open }) => el("p", { class: "share" },
    store.members.length > 1 ? el("span", { class: "muted" }, `${member.name}: `) : null,
    el("b", null, `${percent(share.value)} %`), ` (${percent(share.low)} to ${percent(share.high)}) of all ${counted(store.size, "row")} are right, by ${counted(share.marks, "mark")} on drawn rows. `,
    el("span", { class: "muted" }, share.needed > 0 && share.foreseen ? `± 2 points would take about ${thousands(share.needed)} more${share.marks + AT_ONCE > store.size ? "" : `; ${AT_ONCE} more would bring ± ${percent(share.reach(AT_ONCE))}`}. ` : "",
      open > 0 ? `${counted(open, "drawn row")} ${open === 1 ? "has" : "have"} no mark yet.` : "")));
  const chosen = marks.rows().filter((row) => marks.golds(marks.of(row)).length && !drawn.has(row)).length;
  return el("div", { class: "next" },
    el("div", { class: "marks-line" },
      left.length
        ? el("button", { type: "button", class: "plain", id: "draw", click: act.toMark }, `Mark the ${counted(left.length, "drawn row")} that ${left.length === 1 ? "is" : "are"} left`)
        : el("button", { type: "button", class: "plain", id: "draw", disabled: undrawn.length === 0, click: () => act.draw(drawnOf(undrawn, AT_ONCE), undrawn.length) }, `Draw ${Math.min(AT_ONCE, undrawn.length)} rows at random`),
      store.about.review?.blind ? null : el("button", { type: "button", class: "plain", id: "unsure", click: () => act.unsure(leastSure(store, marks).slice(0, AT_ONCE)) }, `The ${AT_ONCE} least sure`)),
    said,
    chosen && said.length ? el("p", { class: "muted" }, `${counted(chosen, "mark")} ${chosen === 1 ? "was" : "were"} chosen, not drawn: left out of the share.`) : null,
    said.length ? null : el("p", { class: "muted" }, "How many calls of the whole log are right? Mark rows that were drawn at random. To find mistakes quickly, mark the rows of which the judge is least sure."));
}

/** The cells that say how a row was picked, in the order of DRAW. */
function drawCells(row, marks) {
  const rounds = marks.picks("random");
  const round = rounds.findIndex(({ rows }) => rows.includes(row));
  if (round >= 0) return ["random", round + 1, rounds[round].rows.length, rounds[round].of, rounds[round].rows.length / rounds[round].of];
  return [marks.picks("unsure").some(({ rows }) => rows.includes(row)) ? "unsure" : "", "", "", "", ""];
}
