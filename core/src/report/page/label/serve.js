// Keeps marks on the server of `tooljudge review`: a mark is on its disk before the next row is shown, and nobody overwrites another's.

/** Milliseconds that the server is waited for. */
const PATIENCE = 20000;

/** What keeps the marks of these rows: here a server. Each mark is sent with the version that it replaces. */
async function openKeeper(about, changed) {
  // The token was needed once; nobody should copy it out of the address.
  if (location.search) history.replaceState(null, "", `${location.pathname}${location.hash}`);
  const me = words(record(about.review).reviewer);
  const table = words(record(about.review).table);
  const rows = new Map();
  const versions = new Map();
  const others = new Map();
  const conflicts = new Map();
  /** Why something was not saved, by its row, or by nothing. */
  const lost = new Map();
  /** What is wrong with a corrected call that was not saved, and why one that was saved was not checked, by row. */
  const faults = new Map();
  const unchecked = new Map();
  let [seq, draws, last, waiting] = [0, [], null, null];

  async function ask(path, body) {
    const sent = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ...body, table, since: seq }) };
    let answer;
    try {
      answer = await fetch(sent ? path : `${path}?since=${seq}`, { ...sent, signal: AbortSignal.timeout(PATIENCE) });
    } catch {
      throw new Error("The server of this page does not answer. Start `tooljudge review` again and open the address that it prints.");
    }
    const said = record(await answer.json().catch(() => null));
    if (answer.status === 422) throw Object.assign(new Error(words(said.error)), { faults: list(said.faults).map(record) });
    if (answer.status !== 200 && answer.status !== 409) throw new Error(words(said.error) || `The server answered ${answer.status}.`);
    learn(said);
    return answer.status === 200 ? said : null;
  }

  /** Takes in what was marked since we last heard, by whomever. */
  function learn(said) {
    for (const entry of list(said.marks).map(record)) {
      const row = number(entry.row);
      const mark = { gold: record(entry.gold), note: words(entry.note), correction: entry.correction ? record(entry.correction) : null };
      if (entry.by === me) {
        versions.set(row, number(entry.version));
        if (isMark(mark)) rows.set(row, mark);
        else rows.delete(row);
        continue;
      }
      const here = others.get(row) ?? new Map();
      if (isMark(mark)) here.set(words(entry.by), mark);
      else here.delete(words(entry.by));
      others.set(row, here);
    }
    seq = Math.max(seq, number(said.seq) ?? 0);
    draws = list(said.draws).map(record);
    last = said.last === null ? null : record(said.last);
  }

  /** Does one thing after the other; what it comes to is false where it failed. That a row is not saved is said until it is. */
  function inTurn(act, row = null) {
    const mine = (waiting ?? Promise.resolve()).then(act).then((done) => {
      if (lost.delete(row)) changed(row, true);
      return done;
    }, (error) => {
      lost.set(row, row === null ? `Not saved: ${error.message}` : `Row ${row} is not saved: ${error.message}`);
      changed(row, true);
      return false;
    });
    waiting = mine;
    mine.then(() => {
      if (waiting === mine) waiting = null;
    });
    return mine;
  }

  const same = (a, b) => (a?.note ?? "") === (b?.note ?? "") && words(a?.correction?.text) === words(b?.correction?.text) && JSON.stringify(Object.entries(record(a?.gold)).sort()) === JSON.stringify(Object.entries(record(b?.gold)).sort());
  /** Sends a mark. A conflict stays until it is `answered`: nothing else is saved over it, be it asked for before or after. */
  const put = (row, part, redraws, answered) => inTurn(async () => {
    if (conflicts.has(row) && !answered) return false;
    const mine = part(rows.get(row) ?? null);
    const sent = { row, version: versions.get(row) ?? 0, gold: record(mine?.gold), note: words(mine?.note), correction: words(mine?.correction?.text) };
    let told;
    try {
      told = await ask("/marks", sent);
    } catch (error) {
      if (!error.faults) throw error;
      faults.set(row, error.faults);
      changed(row, true);
      return false;
    }
    faults.delete(row);
    if (sent.correction === "") unchecked.delete(row);
    else if (list(told?.unchecked).length) unchecked.set(row, told.unchecked.map(words));
    const done = told !== null || same(mine, rows.get(row));
    if (done) conflicts.delete(row);
    else conflicts.set(row, mine);
    changed(row, redraws || !done);
    return done;
  }, row);
  learn(await ask("/marks").then((said) => said ?? {}));
  const refresh = () => inTurn(async () => {
    const before = seq;
    await ask("/marks");
    if (seq !== before) changed(null, true);
    return true;
  });
  addEventListener("focus", refresh);

  return {
    of: (row) => rows.get(row) ?? null,
    rows: () => [...rows.keys()],
    picks: () => draws,
    /** Marks are written out by `tooljudge review export`, which knows those of all reviewers. */
    isServed: true,
    trouble: () => (lost.size ? [...lost.values()].join(" ") : null),
    settled: () => waiting,
    /** What others say of a row. */
    others: (row) => [...(others.get(row) ?? new Map())].map(([by, mark]) => ({ by, ...mark })),
    /** Rows of which others say something. */
    othersRows: () => [...others.keys()],
    /** The mark of a row that was not kept, because another window had marked it meanwhile. */
    conflict: (row) => conflicts.get(row) ?? null,
    /** Ends a conflict: by the mark that was not kept, or by the one that was. */
    settle(row, takesMine) {
      const mine = conflicts.get(row);
      if (takesMine && mine !== undefined) return put(row, () => mine, true, true);
      conflicts.delete(row);
      changed(row, true);
      return true;
    },
    /** What is wrong with the corrected call of a row that was typed; nothing more once it is being changed. */
    faults: (row) => faults.get(row) ?? [],
    forgetFaults: (row) => faults.delete(row),
    unchecked: (row) => unchecked.get(row) ?? [],
    change: (row, part, redraws) => put(row, part, redraws, false),
    pick: (queue, picked, of) => inTurn(async () => {
      const done = await ask("/draws", { queue, rows: picked, of, seen: draws.length }) !== null;
      changed(null, true);
      return done;
    }),
    async undo() {
      const done = await inTurn(async () => {
        if (last === null) return null;
        const undone = number(last.row);
        if (await ask("/undo", { change: last.change }) === null) {
          changed(null, true);
          throw new Error("Another window has changed marks meanwhile. They are shown now; press u again to undo the last of them.");
        }
        changed(undone, true);
        return undone;
      });
      return done === false ? null : done;
    },
  };
}
