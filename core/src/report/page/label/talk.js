// A conversation as bubbles, with the judged calls where they stand, and what came of them.

const SPEAKERS = { system: "System", user: "User", assistant: "Agent", tool: "Result" };
const FIRST = { system: 240, tool: 1200 };

/** The conversation up to the judged turn, the turn, and what came after. */
function talkOf(row, verdicts, store) {
  const findings = verdicts.flatMap((verdict) => verdict.findings);
  const show = marking(findings.filter(({ quote }) => quote).map(({ number, quote }) => ({ number, quote })));
  const messages = row.messages.length ? row.messages : words(row.question) ? [{ role: "user", content: row.question }] : [];
  const asked = words(row.question);
  const hasQuestion = messages.some((message) => record(message).role === "user" && words(record(message).content).includes(asked));
  const before = messages.map((message) => bubble(record(message), show));
  if (row.left > 0) before.splice(Math.min(2, before.length), 0, el("p", { class: "muted small" }, `${counted(row.left, "message")} in between are not in this file.`));
  return el("div", { class: "talk" }, before,
    asked && messages.length && !hasQuestion ? bubble({ role: "user", content: asked }, show) : null,
    "expected" in row || "expected_text" in row ? el("div", { class: "pair" }, turnOf(row, verdicts, show, store), expectedOf(row)) : turnOf(row, verdicts, show, store), afterOf(row, show));
}

/** The calls that were expected. */
function expectedOf(row) {
  const calls = Array.isArray(row.expected) ? row.expected.map((call) => el("div", { class: "judged-call" }, callCode(record(call)))) : null;
  return el("div", { class: "bubble assistant expected", role: "group", "aria-label": "What was expected" },
    el("p", { class: "speaker" }, "Expected"),
    calls === null ? passage(row.expected_text, true) : calls.length ? calls : el("p", { class: "muted" }, "(nothing was to be called)"));
}

function bubble(message, show) {
  const role = Object.hasOwn(SPEAKERS, words(message.role)) ? message.role : "system";
  const speaker = [SPEAKERS[role], words(message.name) ? ` ${plain(message.name)}` : "", message.is_error === true ? ", failed" : ""].join("");
  const calls = list(message.calls).map((call) => callCode(record(call)));
  return el("div", { class: `bubble ${role}${message.is_error === true ? " failed" : ""}` },
    el("p", { class: "speaker" }, speaker),
    words(message.content) ? passage(message.content, role === "tool", { show, first: FIRST[role] }) : null,
    calls.length ? el("div", { class: "calls" }, calls) : null);
}

/** The judged turn: each call as code, with the findings that speak of it below. */
function turnOf(row, verdicts, show, store) {
  const findings = verdicts.flatMap((verdict) => verdict.findings);
  const calls = row.calls === null || row.calls === undefined ? null : list(row.calls).map(record);
  const single = list(calls).length === 1;
  const of = (at) => findings.filter(({ call }) => call === at + 1 || (call === null && single && at === 0));
  const code = (call, at) => {
    const faults = new Map();
    const whole = [];
    for (const { argument, number: sign } of of(at)) {
      if (argument === null) whole.push(sign);
      else faults.set(argument, [...(faults.get(argument) ?? []), sign]);
    }
    const chips = verdicts.map(({ calls: own, member }) => own[at] && labelChip(own[at], store.members.length > 1 ? member.name : null)).filter(Boolean);
    return el("div", { class: "judged-call" }, callCode(call, faults, whole), chips.length ? el("p", { class: "chips" }, chips) : null);
  };
  const body = calls === null
    ? [el("p", { class: "muted small" }, "The call cannot be read; its text:"), passage(words(row.call_text), true)]
    : calls.length ? calls.map(code) : el("p", { class: "muted" }, "(nothing was called)");
  return el("div", { class: "bubble assistant judged", role: "group", "aria-label": "The judged turn" },
    el("p", { class: "speaker" }, "Agent: the judged turn"),
    body,
    findings.length ? el("ol", { class: "findings" }, findings.map((finding) => findingItem(finding, row))) : null);
}

/** Whether somebody said these words before the judged turn. */
function isSaid(quote, row) {
  const pattern = patternOf(quote);
  const found = (text) => ((pattern.lastIndex = 0), pattern.test(words(text)));
  return pattern !== null && (found(row.question ?? "") || (row.messages ?? []).some((message) => found(record(message).content)));
}

function findingItem({ kind, argument, tool, quote, supported, message, number: sign, by }, row) {
  // Beside an argument, words of the conversation would read like its value.
  const says = argument && supported && isSaid(quote, row) ? "; the conversation says “" : ": “";
  return el("li", { value: String(sign) },
    el("b", null, spoken(kind)), argument ? [" in ", el("code", null, visible(argument.slice(1).replaceAll("/", ".")))] : tool ? [" of ", el("code", null, visible(tool))] : null,
    message ? [": ", visible(message)] : null,
    quote ? [says, el("q", null, visible(quote.slice(0, 400))), "”"] : null,
    quote && !supported ? el("small", { class: "muted" }, " (these words do not stand in the row)") : null,
    by ? el("small", { class: "muted" }, ` (${by})`) : null);
}

function afterOf(row, show) {
  const results = list(row.results).map((result) => bubble({ role: "tool", content: record(result).content, is_error: record(result).is_error }, show));
  const next = row.next ? bubble(record(row.next), show) : null;
  const answer = words(row.answer) && words(row.answer) !== words(record(row.next).content) ? bubble({ role: "assistant", content: row.answer }, show) : null;
  if (!results.length && !next && !answer) return null;
  return el("div", { class: "after" }, el("p", { class: "rule" }, el("span", null, "what came after")), results, next, answer);
}
