// Calls that should have been made: typed in at the open row, checked and kept by the server of `tooljudge review`.

/** The columns of gold whose rows can get a corrected call; none where no server keeps marks. */
const correctedGolds = (store) => list(record(store.about.review).corrects).map(words);

/** The mark that a corrected call means on a row without a label: the one that fails it, if there is only one. */
function failingOf(store) {
  const failing = choicesOf(store).filter(({ column, kind }) => kind === "wrong" && correctedGolds(store).includes(column));
  return failing.length === 1 ? failing[0] : null;
}

/** Calls as they can be typed: JSON, each value as it was written. */
function typedCalls(calls) {
  const spaced = (text) => (tokensOf(text) ?? [text]).map((token) => (token === "," ? ", " : token === ":" ? ": " : token)).join("");
  const call = ({ name, args }) => `{"name": ${JSON.stringify(words(name))}, "arguments": ${typeof args === "string" ? spaced(args) : "{}"}}`;
  return `[${list(calls).map(record).map(call).join(",\n ")}]`;
}

/** A corrected call on one line. */
function correctionWords({ calls, text }) {
  if (!Array.isArray(calls)) return snippet(text);
  return calls.length ? calls.map((call) => callText(record(call))).join(" ") : "no call";
}

/** Corrected calls in boxes. */
const correctionCode = ({ calls }) => (list(calls).length ? list(calls).map((call) => callCode(record(call))) : el("p", { class: "muted" }, "(nothing should have been called)"));

function faultItem({ call, argument, message }, several) {
  const place = [several && number(call) !== null ? `call ${call}` : null, typeof argument === "string" ? el("code", null, visible(argument.slice(1).replaceAll("/", "."))) : null].filter(Boolean);
  return el("li", null, place.map((part) => [part, " "]), place.length ? "– " : null, visible(words(message)));
}

/** The corrected call of the open row: what is saved, and a field for it with what is wrong beside it. */
function correctionOf(row, number_, store, marks, act) {
  const golds = correctedGolds(store);
  if (!golds.length) return null;
  const mark = marks.of(number_);
  const kept = mark?.correction ?? null;
  const typed = marks.typed(number_);
  const faults = marks.faults(number_);
  const unchecked = marks.unchecked(number_);
  const wrong = el("div", { id: "correction-faults", role: "alert" }, faults.length ? el("div", { class: "failed" },
    "Not saved:", el("ul", null, faults.map((fault) => faultItem(fault, faults.some(({ call }) => number(call) > 1))))) : null);
  const field = el("textarea", {
    id: "correction", class: "code", dir: "ltr", maxlength: "50000", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
    "aria-label": "The calls that should have been made", "aria-describedby": "correction-how correction-faults", "aria-invalid": faults.length > 0 && "true",
    input: () => {
      marks.type(number_, field.value);
      refill(wrong);
      field.removeAttribute("aria-invalid");
    },
    keydown: (event) => {
      if (event.key === "Escape") field.blur();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) act.correct(field.value.trim());
    },
  });
  const made = Array.isArray(row.calls) ? typedCalls(row.calls) : words(row.call_text);
  field.value = typed ?? (kept ? typedCalls(kept.calls) : made);
  field.rows = Math.min(12, Math.max(3, field.value.split("\n").length + 1));
  const fill = (text) => {
    field.value = text;
    marks.type(number_, text);
    field.focus();
  };
  const passes = golds.map((gold) => [gold, own(mark?.gold, gold)]).filter(([, label]) => label !== undefined).map(([gold, label]) => store.members.some((member) => member.gold === gold && member.passing.has(label)));
  const button = (text, click, id) => el("button", { type: "button", class: "plain", id, click }, text);
  const others = marks.others(number_).filter(({ correction }) => correction);
  return el("section", { class: "correction", "aria-label": "The corrected call" },
    kept ? el("div", { class: "corrected" }, el("p", { class: "muted small" }, "Should have been called:"), correctionCode(kept)) : null,
    others.map(({ by, correction }) => el("div", { class: "corrected" }, el("p", { class: "muted small", dir: "auto" }, visible(`Should have been called, by ${by}:`)), correctionCode(correction))),
    kept && passes.length && passes.every(Boolean) ? el("p", { class: "failed" }, "The row is marked as right: review export leaves its corrected call out.") : null,
    kept && unchecked.length ? el("p", { class: "muted" }, "Saved, and not checked: ", visible(unchecked.join("; ")), ".") : null,
    el("details", { open: typed !== null || faults.length > 0 }, el("summary", { id: "correct" }, kept ? "Change the corrected call " : "Correct the call ", el("kbd", null, "c")),
      el("p", { class: "muted small", id: "correction-how" }, "JSON, or code such as ", el("code", null, "book(city=\"Oslo\")"), "; [] if nothing should have been called. It is checked against the definitions."),
      field, wrong,
      typed !== null && !faults.length ? el("p", { class: "failed" }, "This call is not saved yet.") : null,
      el("div", { class: "marks-line" },
        button(["Save the call ", el("kbd", null, "Ctrl ↵")], () => act.correct(field.value.trim()), "save-call"),
        button("Nothing should have been called", () => fill("[]")),
        field.value === made ? null : button("Start from the agent's call", () => fill(made)),
        typed === null ? null : button("Discard what is typed", act.discard),
        kept ? button("Take the corrected call back", () => act.correct(""), "drop-call") : null)));
}
