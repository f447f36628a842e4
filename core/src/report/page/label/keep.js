// Keeps marks in the browser, under the key of the page's rows.

const KEPT_CHANGES = 200;

/** What keeps the marks of these rows: here the browser, which does it at once. */
function openKeeper(about, changed) {
  const name = `tooljudge marks ${words(about.key)}`;
  let kept = true;
  let state = { rows: {}, changes: [], picks: [] };
  /** What is kept now: another page of these rows may be open beside this one. */
  const load = () => {
    if (!kept) return;
    try {
      const found = record(JSON.parse(localStorage.getItem(name) ?? "{}"));
      state = { rows: record(found.rows), changes: list(found.changes), picks: list(found.picks).map(record) };
    } catch {
      kept = false;
    }
  };
  load();
  const save = () => {
    try {
      localStorage.setItem(name, JSON.stringify(state));
    } catch {
      kept = false;
    }
  };
  const of = (row) => (Object.hasOwn(state.rows, String(row)) ? record(state.rows[row]) : null);
  const put = (row, mark) => {
    if (isMark(mark)) state.rows[row] = mark;
    else delete state.rows[row];
  };
  addEventListener("storage", ({ key }) => {
    if (key !== name) return;
    load();
    changed(null, true);
  });
  return {
    of,
    rows: () => Object.keys(state.rows).map(Number),
    picks: () => state.picks,
    trouble: () => (kept ? null : "This browser keeps nothing for files: the marks are lost when the page is closed. Download gold.csv before."),
    /** Nothing is waited for, and nobody else is here. */
    settled: () => null,
    others: () => [],
    othersRows: () => [],
    conflict: () => null,
    /** Gives a row the mark that `part` makes of its last one; false if it could not be kept. */
    change(row, part, redraws) {
      load();
      const mark = part(of(row));
      state.changes.push({ row, before: of(row) });
      state.changes.splice(0, state.changes.length - KEPT_CHANGES);
      put(row, mark);
      save();
      changed(row, redraws);
      return true;
    },
    /** Remembers rows that are picked now. False if the same rows were drawn meanwhile on another page. */
    pick(queue, picked, from) {
      load();
      if (queue === "random" && state.picks.some((pick) => pick.queue === queue && list(pick.rows).some((row) => picked.includes(row)))) return false;
      state.picks.push({ queue, rows: picked, of: from });
      save();
      changed(null, true);
      return true;
    },
    /** Takes the last change back; returns its row. */
    undo() {
      load();
      const last = record(state.changes.pop());
      if (last.row === undefined) return null;
      put(last.row, last.before);
      save();
      changed(last.row, true);
      return last.row;
    },
  };
}
