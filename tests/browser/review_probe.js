// Put into the page of `tooljudge review` by tests/review.rs: marks, loads again and takes back as a reviewer does, and says what became
// of it. `phase` survives the loading.
(async () => {
  const turn = (ms = 10) => new Promise((done) => setTimeout(done, ms));
  const seen = JSON.parse(sessionStorage.getItem("seen") ?? '{"phase":1,"late":[]}');
  const until = async (what, test) => {
    for (let tries = 0; tries < 600; tries += 1) {
      if (test()) return;
      await turn();
    }
    seen.late.push(what);
  };
  const body = document.body;
  const text = (selector) => document.querySelector(selector)?.textContent ?? null;
  const row = () => new URLSearchParams(location.hash.slice(1)).get("row");
  const pressed = () => text('.mark-as[aria-pressed="true"]');
  const press = (key) => (document.activeElement ?? body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const type = (note) => {
    document.activeElement.value = note;
    document.activeElement.dispatchEvent(new Event("change"));
    document.activeElement.blur?.();
  };
  await until("the page", () => body.dataset.ready === "true");
  const lines = () => [...document.querySelectorAll(".line")];

  const acts = [
    async () => {
      seen.address = location.search;
      location.hash = "#sort=input&row=1";
      await until("row 1", () => body.dataset.shown === "1");
      await until("the list", () => lines()[0]?.dataset.row === "1");
      seen.others = text(".others");
      for (const [at, key] of ["1", "2", "1"].entries()) {
        press(key);
        // The next row is asked for at once: it is shown when the mark is kept.
        press("j");
        await until(`row ${at + 2}`, () => body.dataset.shown === String(at + 2));
        seen.at = [...(seen.at ?? []), text(".marks-line span")];
      }
      press("k");
      await until("row 3", () => body.dataset.shown === "3");
      press("n");
      type("=because <b>so</b>");
      await until("the note", () => text(".line[data-row='3']")?.includes("note"));
    },
    async () => {
      await until("row 3", () => body.dataset.shown === "3");
      seen.kept = [text(".marks-line span"), row(), pressed(), document.getElementById("note").value];
      press("u");
      await until("the note is gone", () => document.getElementById("note")?.value === "");
      press("u");
      await until("the mark is gone", () => pressed() === null);
      seen.undone = text(".marks-line span");
      // Somebody marks row 4 behind this page's back, as the same reviewer.
      location.hash = "#sort=input&row=4";
      await until("row 4", () => body.dataset.shown === "4");
      const { review } = JSON.parse(document.getElementById("about").textContent);
      const sent = { table: review.table, since: 0, row: 4, version: 0, gold: { gold: "incorrect" }, note: "" };
      const headers = { "content-type": "application/json" };
      seen.behind = (await fetch("/marks", { method: "POST", headers, body: JSON.stringify(sent) })).status;
      press("1");
      await until("the conflict", () => text(".conflict") !== null);
      seen.conflict = [text(".conflict"), pressed()];
      // A note that is typed meanwhile answers nothing, and waits.
      press("n");
      type("held back");
      await until("the draft", () => text(".unsaved") !== null);
      seen.held = [text(".conflict") !== null, document.getElementById("note").value, text(".line[data-row='4']").includes("note")];
      document.getElementById("take-mine").click();
      await until("mine is kept", () => text(".conflict") === null && pressed()?.startsWith("correct"));
      seen.settled = pressed();
      await until("the note follows", () => text(".unsaved") === null && text(".line[data-row='4']").includes("note"));
      // A note that cannot be saved stays in its field.
      const real = window.fetch;
      window.fetch = () => Promise.reject(new Error("down"));
      press("n");
      type("not lost");
      await until("the failure", () => text(".unsaved") !== null);
      seen.failed = [text("#tally .failed")?.startsWith("Row 4 is not saved"), document.getElementById("note").value];
      window.fetch = real;
      document.querySelector(".unsaved button").click();
      await until("the note is saved", () => text(".unsaved") === null && text("#tally .failed") === null);
      seen.at_last = document.getElementById("note").value;
      seen.download = document.getElementById("export");
      document.getElementById("draw").click();
      await until("the draw", () => location.hash.includes("marked=todo"));
      await until("the list", () => text("#found")?.includes("of"));
      seen.drawn = text("#draw");
      seen.trouble = [...document.querySelectorAll("#tally .failed")].map((one) => one.textContent);
    },
  ];
  await acts[seen.phase - 1]();
  if (seen.phase < acts.length) {
    seen.phase += 1;
    sessionStorage.setItem("seen", JSON.stringify(seen));
    location.reload();
    return;
  }
  seen.foreign = document.querySelectorAll(".others i, .note i, img, iframe").length;
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen).replace(/[<>&]/g, (found) => `\\u00${found.charCodeAt(0).toString(16).padStart(2, "0")}`);
  body.append(out);
})();
