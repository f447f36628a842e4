// The open row: the labels and why, the conversation with the judged turn, the definitions beside it, and all that the row holds.

function drawOpened(place, row, number_, store, marks, act) {
  const verdicts = verdictsOf(row, store);
  const facts = [`row ${thousands(number_)}`, words(row.id) ? [words(store.about.id), " ", el("bdi", { title: row.id }, visible(clipped(words(row.id))))] : null];
  refill(place,
    el("div", { class: "open-head" },
      el("button", { type: "button", class: "plain back", click: act.back }, "← All rows"),
      el("h2", { tabindex: "-1", id: "opened-title" }, facts.filter(Boolean).map((fact, at) => [at ? " · " : "", fact])),
      el("span", { class: "steps" },
        el("button", { type: "button", class: "plain", "aria-label": "Previous row (k)", click: () => act.step(-1) }, "↑", el("kbd", null, "k")),
        el("button", { type: "button", class: "plain", "aria-label": "Next row (j)", click: () => act.step(1) }, "↓", el("kbd", null, "j")))),
    marksOf(store) ? markBar(number_, store, marks, act) : null,
    correctionOf(row, number_, store, marks, act),
    el("div", { class: "verdict-top" }, verdicts.map((verdict) => verdictLine(verdict, store))),
    el("div", { class: "columns" },
      el("section", { "aria-label": "Conversation" }, talkOf(row, verdicts, store)),
      el("section", { class: "beside", "aria-label": "Definitions" }, el("h3", null, "Tools on offer"), toolsOf(row), extrasOf(row, store))));
}

/** The buttons that mark a row, and what is marked. */
function markBar(number_, store, marks, act) {
  const mark = marks.of(number_);
  const choices = choicesOf(store);
  const several = new Set(choices.map(({ column }) => column)).size > 1;
  const buttons = choices.map(({ column, label, kind, name }, at) => [
    several && choices[at - 1]?.column !== column ? el("span", { class: "muted" }, `${spoken(name)}:`) : null,
    el("button", {
      type: "button", class: `mark-as says-${kind}`, "aria-pressed": String(own(mark?.gold, column) === label), "aria-label": several ? `${spoken(name)}: ${label}` : null,
      "data-label": `${column} ${label}`, click: () => act.mark(column, label),
    }, visible(label), at < 9 ? el("kbd", null, at + 1) : null),
  ]);
  const note = el("textarea", { id: "note", rows: "2", maxlength: "10000", "aria-label": "Note on this row", placeholder: "Why? Goes into gold.csv with the mark", change: () => act.note(note.value), keydown: (event) => event.key === "Escape" && note.blur() });
  const draft = marks.draft(number_);
  note.value = draft ?? mark?.note ?? "";
  const save = draft === null ? null : el("p", { class: "failed unsaved" }, "This note is not saved yet. ",
    marks.conflict(number_) ? null : el("button", { type: "button", class: "plain", click: () => act.note(note.value) }, "Save the note"));
  const details = el("details", { class: "note", open: Boolean(note.value) }, el("summary", null, "Note ", el("kbd", null, "n")), note, save);
  return el("div", { class: "mark-bar", role: "group", "aria-label": "What is right" },
    el("span", { class: "muted" }, "What is right?"), buttons,
    el("button", { type: "button", class: "plain", click: act.undo }, "Undo ", el("kbd", null, "u")), details,
    conflictOf(number_, marks, act), othersOf(number_, marks));
}

/** What a mark says, in words. */
const markWords = (mark, marks) => [...marks.golds(mark).map(([column, label]) => (column === "gold" ? words(label) : `${spoken(column)} ${words(label)}`)), mark?.correction ? `should be ${correctionWords(mark.correction)}` : "", mark?.note ? `“${snippet(mark.note)}”` : ""].filter(Boolean).join(", ") || "no mark";

/** A mark that was not kept, beside the one that was. */
function conflictOf(number_, marks, act) {
  const mine = marks.conflict(number_);
  if (!mine) return null;
  return el("p", { class: "failed conflict", role: "alert" }, `This row was changed in another window meanwhile. Saved there: ${markWords(marks.of(number_), marks)}. Not saved from here: ${markWords(mine, marks)}. `,
    el("button", { type: "button", class: "plain", id: "take-mine", click: () => act.settle(true) }, "Save mine instead"), " ",
    el("button", { type: "button", class: "plain", id: "take-theirs", click: () => act.settle(false) }, "Keep the saved one"));
}

/** What other reviewers say. */
function othersOf(number_, marks) {
  const others = marks.others(number_);
  return others.length ? el("p", { class: "others" }, others.map((mark) => el("span", { class: "chip marked", dir: "auto" }, visible(`${mark.by}: ${markWords(mark, marks)}`)))) : null;
}

/** What a row can be marked as, in the order of the keys: the labels of each task that was judged, with its column of gold. */
function choicesOf(store) {
  const found = new Map();
  for (const { gold, labels, passing, task, template } of store.members) {
    if (!found.has(gold)) found.set(gold, labels.map((label) => ({ column: gold, label, kind: passing.has(label) ? "right" : "wrong", name: task || template })));
  }
  return [...found.values()].flat();
}

function verdictLine(verdict, store) {
  const { raw, member, label, kind, status, confidence, score } = verdict;
  const several = store.members.length > 1;
  const who = typeof raw.judge === "string" ? raw.judge : member.name;
  const sure = confidence === null ? null : `confidence ${decimals(confidence, 2)}`;
  const chance = label !== null || number(raw.p) === null ? null : `${Math.round(100 * raw.p)} % likely to be right`;
  const why = words(raw.why);
  const error = words(raw.error);
  return el("div", { class: `verdict-one says-${kind}` },
    el("p", { class: "verdict-head" },
      el("b", { class: "label" }, `${SIGN[kind]} `, visible(label ?? (spoken(status) || "no label"))),
      el("span", { class: "muted" }, [several || typeof raw.judge === "string" ? who : null, sure, chance, score === null ? null : `score ${decimals(score, 2)}`].filter(Boolean).join(" · "))),
    why ? el("p", { class: "reason", dir: "auto" }, proseNodes(why)) : null,
    error ? el("p", { class: "reason", dir: "auto" }, proseNodes(error)) : null,
    words(raw.reply) ? unfolding("box", `Reply of ${who} (${counted(words(raw.reply).length, "character")})`, () => passage(raw.reply)) : null);
}

const ACCEPTED = ["possible_answer", "accepted_answers", "accepted", "expected_calls", "expected_tool_calls", "reference_tool_calls", "ground_truth", "corrected_tool_calls"];
const SHOWN_ELSEWHERE = ["tool_results", "next_message", "final_answer"];

/** Accepted answers, then the other columns of the row. */
function extrasOf(row, store) {
  const cells = list(store.about.columns).map((name, at) => [words(name), list(row.cells)[at]]).filter(([, value]) => words(value) !== "");
  const accepted = cells.filter(([name]) => ACCEPTED.includes(name));
  const others = cells.filter(([name]) => !ACCEPTED.includes(name) && !SHOWN_ELSEWHERE.includes(name) && name !== words(store.about.id));
  const flags = list(row.flags).map((flag) => el("span", { class: "chip" }, spoken(flag)));
  return [
    accepted.map(([name, value]) => el("div", null, el("h3", null, visible(spoken(name))), passage(value, true))),
    flags.length ? el("div", null, el("h3", null, "What was unusual"), el("p", { class: "chips" }, flags)) : null,
    others.length ? el("div", null, el("h3", null, "Other columns"), el("dl", { class: "cells" }, others.map(([name, value]) => [el("dt", null, visible(name)), el("dd", null, passage(value, false, { first: 600 }))]))) : null,
  ];
}
