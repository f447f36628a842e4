// Put into the page of `tooljudge review` by tests/review/corrected.rs: corrects a call as a reviewer does, with the keyboard, and says
// what became of it.
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
  const pressed = () => text('.mark-as[aria-pressed="true"]');
  const press = (key, more = {}) => (document.activeElement ?? body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const field = () => document.getElementById("correction");
  const type = (words) => {
    document.activeElement.value = words;
    document.activeElement.dispatchEvent(new Event("input"));
  };
  const go = async (row) => {
    location.hash = `#sort=input&row=${row}`;
    await until(`row ${row}`, () => body.dataset.shown === String(row));
  };
  await until("the page", () => body.dataset.ready === "true");

  const acts = [
    async () => {
      await go(4);
      press("c");
      seen.prefilled = document.activeElement.value;
      type("get_weather(city=7)");
      press("Enter", { ctrlKey: true });
      await until("the fault", () => text("#correction-faults li") !== null);
      await until("the focus", () => document.activeElement === field());
      seen.fault = [text("#correction-faults li"), field().getAttribute("aria-invalid"), document.activeElement.id, pressed()];
      seen.kept_text = field().value;
      field().blur();
      press("j");
      await until("row 5", () => body.dataset.shown === "5");
      seen.trouble = text("#tally .failed");
      press("k");
      await until("row 4", () => body.dataset.shown === "4");
      press("c");
      type('get_weather(city="Oslo 4")');
      document.getElementById("save-call").click();
      await until("the call", () => text(".corrected code") !== null);
      await until("the focus on what opens the field", () => document.activeElement?.id === "correct");
      seen.saved = [text(".corrected code"), pressed(), document.querySelectorAll("#correction-faults li").length, text("#tally .failed")];
    },
    async () => {
      await until("row 4", () => body.dataset.shown === "4");
      await until("the saved call", () => text(".corrected code") !== null);
      seen.reloaded = [text(".corrected code"), field().value];
      press("1");
      await until("the mark", () => pressed()?.startsWith("correct"));
      seen.right = text(".correction > .failed")?.includes("leaves its corrected call out");
      press("u");
      await until("no more right", () => pressed()?.startsWith("incorrect"));
      press("u");
      await until("nothing", () => pressed() === null);
      seen.undone = [pressed() === null, text(".corrected code") !== null];
      await go(2);
      seen.others = [text(".others"), text(".corrected .small")];
      seen.named = [...document.querySelectorAll("#opened button, #opened textarea")].filter((one) => !(one.getAttribute("aria-label") ?? one.textContent).trim()).map((one) => one.outerHTML);
    },
  ];
  await acts[seen.phase - 1]();
  if (seen.phase < acts.length) {
    seen.phase += 1;
    sessionStorage.setItem("seen", JSON.stringify(seen));
    location.reload();
    return;
  }
  seen.foreign = document.querySelectorAll("#opened img, iframe").length;
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen).replace(/[<>&]/g, (found) => `\\u00${found.charCodeAt(0).toString(16).padStart(2, "0")}`);
  body.append(out);
})();
