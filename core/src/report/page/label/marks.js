// Marks: what a person says of rows. A keeper keeps them (in the browser, or on a server), and they leave as gold.csv.

/** The marks of these rows. `changed` is called after every change with the row that it is about. */
async function openMarks(about, changed) {
  // Marks of other tasks on the same rows are those of another page.
  const golds = list(about.members).map((member) => words(record(member).gold));
  const isOurs = (mark) => golds.some((gold) => Object.hasOwn(record(record(mark).gold), gold));
  const keeper = await openKeeper(about, changed);
  const { of } = keeper;
  /** Notes that were typed and are not saved yet, by row. */
  const drafts = new Map();
  /** Corrected calls likewise. */
  const typed = new Map();
  const rows = () => keeper.rows().filter((row) => row > 0 && isOurs(of(row)));
  return {
    ...keeper,
    rows,
    count: () => rows().length,
    /** What a mark says for the tasks of this page: column and label. */
    golds: (mark) => Object.entries(record(mark?.gold)).filter(([column]) => golds.includes(column)),
    /** Marks a row, or takes the same mark away. */
    label(row, column, label) {
      // What was shown when the key was pressed decides; marks that come in before its turn do not turn it round.
      const goes = own(of(row)?.gold, column) === label;
      const marked = (mark) => {
        const gold = { ...record(mark?.gold) };
        if (goes) delete gold[column];
        else gold[column] = label;
        return { ...mark, gold };
      };
      return keeper.change(row, marked, true);
    },
    draft: (row) => drafts.get(row) ?? null,
    typed: (row) => typed.get(row) ?? null,
    /** Remembers a corrected call that is being typed. */
    type(row, text) {
      typed.set(row, text);
      keeper.forgetFaults(row);
    },
    forget(row) {
      typed.delete(row);
      keeper.forgetFaults(row);
    },
    hasTyped: () => typed.size > 0,
    trouble: () => [keeper.trouble(), typed.size ? `Not saved yet: the corrected call of ${typed.size === 1 ? "row" : "rows"} ${[...typed.keys()].join(", ")}.` : null].filter(Boolean).join(" ") || null,
    /** Says which calls should have been made; an empty text takes that back. `mark` is what a row without a label gets with it. */
    async correct(row, text, mark) {
      typed.set(row, text);
      if (keeper.conflict(row)) {
        changed(row, true);
        return false;
      }
      const corrected = (before) => {
        const gold = { ...record(before?.gold) };
        if (text && mark && !golds.some((column) => Object.hasOwn(gold, column))) gold[mark.column] = mark.label;
        return { note: "", ...before, gold, correction: text ? { text } : null };
      };
      const done = await keeper.change(row, corrected, true);
      if (done && typed.get(row) === text) typed.delete(row);
      changed(row, true);
      return done;
    },
    async note(row, note) {
      const wasDraft = drafts.delete(row);
      if ((of(row)?.note ?? "") === note && !keeper.conflict(row)) return true;
      drafts.set(row, note);
      // Of two marks that contradict each other, one is to be chosen first.
      if (keeper.conflict(row)) {
        changed(row, true);
        return false;
      }
      const done = await keeper.change(row, (mark) => ({ gold: {}, ...mark, note }), false);
      if (done && drafts.get(row) === note) drafts.delete(row);
      if (wasDraft || !done) changed(row, true);
      return done;
    },
    /** Ends a conflict by one of its marks; a note that was typed meanwhile goes onto it. */
    async settle(row, takesMine) {
      const draft = drafts.get(row);
      const isTyped = draft !== undefined && draft !== words(keeper.conflict(row)?.note);
      const isCall = typed.get(row) === words(keeper.conflict(row)?.correction?.text);
      if (!isTyped) drafts.delete(row);
      const done = await keeper.settle(row, takesMine);
      if (!done && draft !== undefined) drafts.set(row, draft);
      if (done && isCall && typed.delete(row)) changed(row, true);
      return done && isTyped ? this.note(row, draft) : done;
    },
    /** Rows that were picked to be marked, by the name of their queue: each time the rows and how many they were picked from. */
    picks: (queue) => keeper.picks().filter((pick) => pick.queue === queue).map(({ rows: of_, of: from }) => ({ rows: list(of_).map(Number), of: number(from) })),
  };
}

/** Whether rows can be marked: not where their table says already what is right. */
const marksOf = (store) => store.about.marks !== false;

const isMark = (mark) => Boolean(mark) && (Object.keys(record(mark.gold)).length > 0 || Boolean(mark.note) || Boolean(mark.correction));

/** The marked rows as a table that `label`, `bench` and `train` read: each with its own question, call and definitions. */
async function goldTable(store, marks) {
  const { about, index } = store;
  const places = new Map(index.rows.map((row, place) => [row, place]));
  const golds = [...new Set(store.members.map(({ gold }) => gold))];
  const inputs = list(about.columns).map(words);
  const id = words(about.id);
  const place = inputs.includes("row") ? "page_row" : "row";
  const draws = inputs.includes(DRAW[4]) ? [] : DRAW;
  const ours = ["question", "messages", "tool_call", "tool_definitions", "flags", ...golds, "note", place, ...draws];
  // What the input says of right and wrong in other columns would be read before the marks.
  const others = inputs.filter((name) => !ours.includes(name) && name !== id && !list(about.golds).includes(name));
  const header = [...(id ? [id] : []), ...ours, ...others];
  const lines = [];
  let [cut, missing] = [0, 0];
  const cellOf = (row, name) => list(row.cells)[inputs.indexOf(name)];
  // Drawn rows go along unmarked: without them nobody could see that some have no mark.
  const drawn = new Set(drawnRows(marks));
  if (!draws.length) {
    drawn.clear();
    for (const [row, place] of places) if (words(cellOf(await store.row(place), DRAW[4])) !== "") drawn.add(row);
  }
  for (const number of [...new Set([...marks.rows(), ...drawn])].sort((a, b) => a - b)) {
    const mark = marks.of(number);
    if (!places.has(number)) {
      missing += 1;
      continue;
    }
    const row = await store.row(places.get(number));
    const cell = (name) => cellOf(row, name);
    const told = [
      [id, row.id], ["note", mark?.note || cell("note")], [place, number],
      ...golds.map((gold) => [gold, own(mark?.gold, gold) ?? cell(gold)]),
      ...drawCells(number, marks).map((value, at) => [DRAW[at], draws.length ? value : cell(DRAW[at])]),
    ];
    if (isCut(row)) {
      // Of a drawn row the mark alone is enough: its id leads to the row.
      if (drawn.has(number) && id && words(row.id)) lines.push(header.map((name) => new Map(told).get(name)));
      else cut += 1;
      continue;
    }
    const values = new Map([
      ...told, ["question", row.question], ["messages", messagesCell(row)], ["tool_call", row.call_text],
      ["tool_definitions", row.box?.raw], ["flags", inputs.includes("flags") ? cell("flags") : JSON.stringify(list(row.flags))],
      ...others.map((name) => [name, cell(name)]),
    ]);
    lines.push(header.map((name) => values.get(name)));
  }
  return { text: [header, ...lines].map((line) => `${line.map(csvCell).join(",")}\r\n`).join(""), rows: lines.length, cut, missing };
}

/** Whether this file holds only a part of what was judged. */
const isCut = (row) => row.cut === true || row.left > 0 || row.box?.cut === true || row.messages.some((message) => record(message).cut === true);

function csvCell(value) {
  const text = words(value);
  return /[",\r\n]/.test(text) || /^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The conversation as a column `messages` has it. */
function messagesCell(row) {
  if (!row.messages.length) return "";
  const call = ({ name, args, raw, id }) => `{"name":${JSON.stringify(words(name))},"arguments":${typeof args === "string" ? args : `null,"arguments_raw":${JSON.stringify(words(raw))}`}${id ? `,"id":${JSON.stringify(id)}` : ""}}`;
  const message = (raw) => {
    const { calls, ...rest } = record(raw);
    const text = JSON.stringify(rest);
    return list(calls).length ? `${text.slice(0, -1)},"tool_calls":[${calls.map(record).map(call).join(",")}]}` : text;
  };
  return `[${row.messages.map(message).join(",")}]`;
}

/** Lets the browser save a text as a file. */
function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
