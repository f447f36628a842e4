// Put into the page of `score --report` by tests/score_report.rs: says what it shows of the case that fails.
(async () => {
  const turn = (ms = 10) => new Promise((done) => setTimeout(done, ms));
  const seen = { late: [] };
  const until = async (what, test) => {
    for (let tries = 0; tries < 600; tries += 1) {
      if (test()) return;
      await turn();
    }
    seen.late.push(what);
  };
  const body = document.body;
  const text = (selector) => document.querySelector(selector)?.textContent ?? null;
  const press = (key) => body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  await until("the page", () => body.dataset.ready === "true");
  location.hash = "#row=2";
  await until("row 2", () => body.dataset.shown === "2");
  seen.judged = text(".judged code.call");
  seen.expected = text(".expected code.call");
  seen.finding = text(".judged .findings li");
  for (const key of ["1", "n", "u", "c"]) press(key);
  press("j");
  await until("row 3", () => body.dataset.shown === "3");
  seen.nothing = text(".expected .muted");
  location.hash = "#label=passed";
  await until("the filter", () => document.querySelectorAll(".line").length === 2);
  seen.filtered = [...document.querySelectorAll(".line")].map((line) => Number(line.dataset.row));
  seen.marking = document.querySelectorAll(".mark-bar, #export, #draw, .chip.marked, textarea").length;
  seen.foreign = document.querySelectorAll("img, iframe").length;
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen).replace(/[<>&]/g, (found) => `\\u00${found.charCodeAt(0).toString(16).padStart(2, "0")}`);
  body.append(out);
})();
