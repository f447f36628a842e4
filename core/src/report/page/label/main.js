// Puts the page together: what is asked for stands in the address, what is marked in the browser.

const HELP = [
  ["j, ↓ / k, ↑", "next, previous row"], ["Enter", "read the open row"], ["1, 2, …", "mark the row: the first label, the second, …"], ["n", "write a note"], ["c", "write the call that should have been made"],
  ["u", "undo the last mark"], ["/", "search"], ["Esc", "leave a field, or go back to the list"], ["?", "these keys"],
];

/** Keys that need marks. */
const MARKING = ["1, 2, …", "n", "u"];

async function start() {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser cannot open compressed data; use a newer one (Chrome or Edge 80, Firefox 113, Safari 16.4)");
  const store = await openStore();
  store.members = membersOf(store.about);
  const byRow = new Map(list(store.index.rows).map((row, place) => [row, place]));
  const at = Object.fromEntries(["tally", "filters", "found", "rows", "more", "opened", "said", "help", "skip"].map((id) => [id, document.getElementById(id)]));
  let view = viewOfAddress();
  let matching = [];
  let shown = 0;
  let turn = 0;
  const marks = await openMarks(store.about, (row, redraws) => {
    // A note changes nothing above, and what is pressed just now must stay where it is.
    if (redraws) drawTop();
    const button = at.rows.querySelector(`[data-row="${row}"]`);
    if (button && byRow.has(row)) store.row(byRow.get(row)).then((found) => refill(button, lineBody(found, row, store, marks)));
    if (redraws && view.row !== null && (row === view.row || (row === null && !["note", "correction"].includes(document.activeElement?.id)))) drawRow(false);
  });

  const say = (text) => refill(at.said, text);
  const change = (part, keeps) => {
    view = { ...view, ...part };
    writeAddress(view);
    drawTop();
    if (keeps || !("search" in part || "value" in part)) drawFilters(at.filters, store, view, change);
    return list_();
  };

  function drawTop() {
    const count = marks.count();
    drawTally(at.tally, store, view, change);
    if (!marksOf(store)) return void add(at.tally, el("p", { class: "marks-line" }, el("button", { type: "button", class: "plain", click: help }, "Keys ", el("kbd", null, "?"))));
    add(at.tally, el("p", { class: "marks-line" },
      el("span", null, count ? `${counted(count, "row")} marked` : "No row is marked yet: open one and press 1 or 2."),
      marks.isServed ? null : el("button", { type: "button", class: "plain", id: "export", disabled: count === 0 && marks.picks("random").length === 0, click: exported }, "Download gold.csv"),
      el("button", { type: "button", class: "plain", click: help }, "Keys ", el("kbd", null, "?"))),
    decideOf(store, marks, picking),
    nextOf(store, marks, picking),
    marks.trouble() ? el("p", { class: "failed" }, marks.trouble()) : null);
  }

  /** Shows the rows that were picked, and opens the first. */
  async function showPicked(marked) {
    await change({ ...freshView(), marked, sort: view.sort }, true);
    if (matching.length) await open(matching[0], true);
    say(`${counted(matching.length, "row")} to mark`);
  }

  const picking = {
    toMark: () => showPicked("todo"),
    decide: () => showPicked("decide"),
    draw: async (rows, of) => (await marks.pick("random", rows, of) ? showPicked("todo") : drawTop()),
    unsure: async (rows) => await marks.pick("unsure", rows, rows.length) && showPicked("unsure"),
  };

  async function list_() {
    const mine = (turn += 1);
    const progress = (share) => refill(at.found, `Searching: ${Math.round(100 * share)} %`);
    const found = await matchesOf(view, store, marks, progress, () => mine !== turn);
    if (found === null || mine !== turn) return;
    matching = found;
    shown = 0;
    const narrowed = isNarrowed(view);
    refill(at.found, narrowed ? `${thousands(found.length)} of ${counted(store.size, "row")}. ` : counted(store.size, "row"),
      narrowed ? el("button", { type: "button", class: "plain", click: () => change({ ...freshView(), row: view.row, sort: view.sort }, true) }, "Show all") : null);
    refill(at.rows);
    extend();
    document.body.dataset.listed = String(mine);
  }

  function extend() {
    const next = matching.slice(shown, shown + LINES_AT_ONCE);
    add(at.rows, next.map((place) => lineOf(place, store, marks, (chosen) => open(chosen, true))));
    shown += next.length;
    const left = matching.length - shown;
    refill(at.more, left > 0 ? el("button", { type: "button", class: "plain", click: () => { extend(); focusLine(shown - LINES_AT_ONCE); } }, `Show ${Math.min(left, LINES_AT_ONCE)} more (${thousands(left)} left)`) : null);
    current();
  }

  /** The line of the open row is the one that the Tab key reaches. */
  function current() {
    const lines = [...at.rows.querySelectorAll(".line")];
    const mine = lines.find((line) => Number(line.dataset.row) === view.row);
    for (const line of lines) {
      line.tabIndex = line === (mine ?? lines[0]) ? 0 : -1;
      if (line === mine) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
    return mine;
  }

  const focusLine = (place) => at.rows.children[place]?.firstElementChild?.focus();

  const open = (place, moves) => openNumber(store.index.rows[place], moves);

  async function openNumber(number_, moves) {
    // A mark that is on its way comes first; the row stays open where it could not be kept.
    const waiting = marks.settled();
    if (waiting && (await waiting) === false) return;
    view = { ...view, row: number_ };
    writeAddress(view);
    if (marks.hasTyped()) drawTop();
    document.body.dataset.open = "row";
    const line = current();
    if (moves) line?.scrollIntoView({ block: "nearest" });
    await drawRow(moves);
  }

  async function drawRow(moves) {
    const number_ = view.row;
    const place = byRow.get(number_);
    if (place === undefined) return void refill(at.opened, el("p", { class: "failed" }, `Row ${thousands(number_)} is not in this file.`));
    const focused = document.activeElement?.dataset?.label;
    try {
      const row = await store.row(place);
      if (view.row !== number_) return;
      drawOpened(at.opened, row, number_, store, marks, acts);
    } catch (error) {
      return void refill(at.opened, el("p", { class: "failed" }, `Row ${thousands(number_)} cannot be shown: ${error.message}`));
    }
    if (focused) at.opened.querySelector(`[data-label="${CSS.escape(focused)}"]`)?.focus();
    if (moves) {
      at.opened.scrollTop = 0;
      if (getComputedStyle(at.side ?? document.getElementById("side")).display === "none") {
        scrollTo(0, 0);
        document.getElementById("opened-title").focus();
      }
    }
    document.body.dataset.shown = String(number_);
  }

  const acts = {
    back() {
      delete document.body.dataset.open;
      const line = current();
      line?.scrollIntoView({ block: "center" });
      line?.focus({ preventScroll: true });
    },
    step(by) {
      const now = matching.findIndex((place) => store.index.rows[place] === view.row);
      const next = now < 0 ? (by > 0 ? 0 : -1) : now + by;
      if (next < 0 || next >= matching.length) return say(next < 0 ? "This is the first row." : "This is the last row.");
      while (next >= shown) extend();
      say(`Row ${store.index.rows[matching[next]]}, ${next + 1} of ${matching.length}`);
      return open(matching[next], true);
    },
    async mark(column, label) {
      const { row } = view;
      if (!(await marks.label(row, column, label))) return say(`Row ${row}: the mark is not saved`);
      const now = own(marks.of(row)?.gold, column);
      say(now === undefined ? `Row ${row}: the mark is gone` : `Row ${row} is marked ${now}`);
    },
    note: (text) => marks.note(view.row, text.trim()),
    async discard() {
      marks.forget(view.row);
      drawTop();
      await drawRow(false);
      document.getElementById("correct")?.focus();
      say(`Row ${view.row}: what was typed is gone`);
    },
    async correct(text) {
      const { row } = view;
      if (text === "" && !marks.of(row)?.correction) return acts.discard();
      const done = await marks.correct(row, text, failingOf(store));
      await drawRow(false);
      document.getElementById(done ? "correct" : "correction")?.focus();
      const wrong = marks.faults(row).length;
      say(done ? (text ? `Row ${row}: the corrected call is saved` : `Row ${row}: the corrected call is gone`) : `Row ${row}: the corrected call is not saved${wrong ? `; ${counted(wrong, "fault")}` : ""}`);
    },
    settle: (takesMine) => marks.settle(view.row, takesMine),
    async undo() {
      const row = await marks.undo();
      say(row === null ? "There is nothing to undo." : `The last mark of row ${row} is undone`);
      if (row !== null && row !== view.row && byRow.has(row)) open(byRow.get(row), true);
    },
  };

  async function exported() {
    const { text, rows, cut, missing } = await goldTable(store, marks);
    save("gold.csv", text);
    say(`${counted(rows, "row")} in gold.csv`);
    if (missing) add(at.tally, el("p", { class: "failed" }, `${counted(missing, "marked row")} ${missing === 1 ? "is" : "are"} not in gold.csv: this file does not hold ${missing === 1 ? "it" : "them"}.`));
    if (cut) add(at.tally, el("p", { class: "failed" }, `${counted(cut, "marked row")} ${cut === 1 ? "is" : "are"} not in gold.csv: this file holds only a part of their texts.`));
  }

  function help() {
    refill(at.help, el("h2", null, "Keys"), el("dl", { class: "keys" }, HELP.filter(([key]) => (key !== "c" || correctedGolds(store).length) && (marksOf(store) || !MARKING.includes(key))).map(([key, what]) => [el("dt", null, key.split(" ").map((part) => (/^[,/]$/.test(part) && key !== "/" ? part : el("kbd", null, part.replace(/,$/, ""))))), el("dd", null, what)])),
      el("form", { method: "dialog" }, el("button", { class: "plain", value: "close" }, "Close")));
    at.help.showModal();
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || at.help.open) return;
    const typing = event.target.closest?.("input, textarea, select");
    if (event.key === "Escape") {
      if (typing) event.target.blur();
      else if (document.body.dataset.open) acts.back();
      return;
    }
    if (typing) return;
    const onLine = event.target.closest?.(".line");
    const choice = /^[1-9]$/.test(event.key) ? choicesOf(store)[Number(event.key) - 1] : undefined;
    const act = {
      j: () => acts.step(1), k: () => acts.step(-1), u: marksOf(store) && acts.undo, "?": help,
      n: () => view.row !== null && note(),
      c: () => correctedGolds(store).length && view.row !== null && correct(),
      "/": () => document.getElementById("search").focus(),
      Enter: () => view.row !== null && at.opened.focus(),
      ArrowDown: () => onLine && acts.step(1).then?.(focusCurrent), ArrowUp: () => onLine && acts.step(-1)?.then?.(focusCurrent),
    }[event.key] ?? (marksOf(store) && choice && byRow.has(view.row) ? () => acts.mark(choice.column, choice.label) : null);
    if (!act || (event.key === "Enter" && event.target.closest?.("button, a, summary")) || (event.key.startsWith("Arrow") && !onLine)) return;
    event.preventDefault();
    act();
  }

  const focusCurrent = () => at.rows.querySelector("[aria-current]")?.focus();

  function note() {
    const field = document.getElementById("note");
    if (!field) return;
    field.closest("details").open = true;
    field.focus();
  }

  function correct() {
    const field = document.getElementById("correction");
    if (!field) return;
    field.closest("details").open = true;
    field.focus();
  }

  if (!location.hash && record(store.about.review).queue === "disagreement" && toDecide(store, marks).length) view.marked = "decide";
  drawHead(store);
  drawTop();
  drawFilters(at.filters, store, view, change);
  at.skip.addEventListener("click", () => at.rows.querySelector(".line[tabindex='0']")?.focus());
  addEventListener("keydown", pressed);
  addEventListener("beforeunload", (event) => marks.hasTyped() && event.preventDefault());
  addEventListener("hashchange", () => {
    view = viewOfAddress();
    drawTop();
    drawFilters(at.filters, store, view, change);
    list_().then(() => view.row !== null && openNumber(view.row, true));
  });
  await list_();
  if (view.row !== null) await openNumber(view.row, true);
  else if (matching.length && matchMedia("(min-width: 60rem)").matches) {
    await open(matching[0], false);
    delete document.body.dataset.open;
  }
  document.body.dataset.ready = "true";
}

function drawHead(store) {
  const { about } = store;
  const sample = list(about.sample).map(record);
  document.getElementById("made-by").textContent = `tooljudge ${words(about.command) || "label"} ${words(about.version)}`;
  refill(document.getElementById("made-of"), [`${counted(number(about.rows) ?? store.size, "row")}`, [...new Set(list(about.members).map((member) => words(record(member).judge)))].join(", "), moment(about.created_at), words(about.compares) ? `compared ${words(about.compares)}` : ""].filter(Boolean).join(" · "));
  const left = sample.filter(({ here, all }) => here < all);
  if (left.length) {
    const said = sample.filter(({ all }) => all > 0).map(({ what, here, all }) => (here < all ? `${thousands(here)} of the ${thousands(all)} ${words(what)}, chosen at random` : `all ${thousands(all)} ${words(what)}`));
    add(document.querySelector("header"), el("p", { class: "failed" }, `A report holds a limited number of rows. Here are ${said.join(", and ")}. The labeled table has all rows.`));
  }
}

start().catch((error) => {
  document.body.dataset.error = error.message;
  add(document.querySelector("main"), el("p", { class: "failed" }, `The rows could not be drawn: ${error.message}`));
  document.body.dataset.ready = "true";
});
