// Put into the page of `tooljudge review --queue disagreement` by tests/review/decide.rs: decides what reviewers and judges disagree on,
// and says what is left.
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
  const listed = () => [...document.querySelectorAll(".line")].map((line) => Number(line.dataset.row));
  await until("the page", () => body.dataset.ready === "true");
  await until("the first row", () => body.dataset.shown !== undefined);
  seen.first = [text("#decide"), listed(), body.dataset.shown, location.hash.includes("marked=decide")];
  for (const [at, row] of listed().entries()) {
    await until(`row ${row}`, () => body.dataset.shown === String(row));
    press("2");
    press("j");
    if (at === 0) await until("one less", () => text("#decide") !== seen.first[0]);
    if (at === 0) seen.second = text("#decide");
  }
  await until("nothing left", () => document.getElementById("decide").disabled);
  seen.last = text("#decide");
  location.hash = "#marked=decide";
  await until("an empty list", () => listed().length === 0);
  seen.left = listed();
  location.hash = "#marked=disputed&sort=input";
  await until("what was disputed", () => listed().length > 0);
  seen.disputed = listed();
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  body.append(out);
})();
