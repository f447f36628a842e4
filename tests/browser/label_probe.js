// Put into a page of labelled rows by tests/label_report.rs: works with it by the keyboard as a reviewer does, loads it again, and says what
// became of it. `PLAN` says what to do; `phase` survives the loading.
(async () => {
  const PLAN = "{{plan}}";
  const turn = (ms = 5) => new Promise((done) => setTimeout(done, ms));
  const until = async (what, test) => {
    for (let tries = 0; tries < 500; tries += 1) {
      if (test()) return;
      await turn();
    }
    seen.late.push(what);
  };
  const seen = JSON.parse(sessionStorage.getItem("seen") ?? '{"phase":1,"late":[]}');
  const body = document.body;
  const text = (selector) => document.querySelector(selector)?.textContent ?? null;
  const lines = () => [...document.querySelectorAll(".line")];
  const row = () => new URLSearchParams(location.hash.slice(1)).get("row");
  const press = async (key) => {
    const target = document.activeElement ?? body;
    const before = row();
    target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await turn();
    if (["j", "k"].includes(key) && row() !== before) await until(`row ${row()}`, () => body.dataset.shown === row());
    await turn();
  };
  const listed = async (act) => {
    const before = body.dataset.listed;
    act();
    await until("the list", () => body.dataset.listed !== before);
    await until("the lines", () => lines().every((line) => line.querySelector(".line-head")));
  };
  await until("the page", () => body.dataset.ready === "true");
  await until("the lines", () => lines().every((line) => line.querySelector(".line-head") || line.textContent.includes("cannot be read")));

  const reading = async () => {
    seen.found = text("#found");
    seen.lines = lines().map((line) => line.textContent);
    seen.facets = [...document.querySelectorAll(".facet")].map((one) => one.textContent);
    seen.reachable = lines().filter((line) => line.tabIndex === 0).length;
    seen.names = [...document.querySelectorAll("button, input, select, textarea, summary")].filter((one) => !(one.textContent || one.getAttribute("aria-label") || one.labels?.length)).map((one) => one.outerHTML.slice(0, 80));
    seen.wide = document.documentElement.scrollWidth > innerWidth;
    lines()[0].click();
    await until("the row", () => body.dataset.shown === row());
    seen.opened = text("#opened");
    seen.faults = [...document.querySelectorAll(".fault")].map((one) => one.textContent);
    seen.quoted = [...document.querySelectorAll(".bubble mark")].map((one) => one.textContent);
    seen.listHidden = getComputedStyle(document.getElementById("side")).display === "none";
    await press("Escape");
    seen.listBack = getComputedStyle(document.getElementById("side")).display !== "none";
    await listed(() => [...document.querySelectorAll(".facet")].find((one) => one.textContent.endsWith("incorrect"))?.click());
    seen.filtered = [text("#found"), location.hash, lines().length];
    const search = document.getElementById("search");
    search.value = "no such words anywhere";
    await listed(() => search.dispatchEvent(new Event("input")));
    seen.nothing = [text("#found"), lines().length];
    search.value = "{{needle}}";
    await listed(() => search.dispatchEvent(new Event("input")));
    seen.searched = [text("#found"), lines().map((line) => line.dataset.row)];
    await listed(() => document.querySelector("#found button").click());
    seen.all = text("#found");
    await press("?");
    seen.help = document.getElementById("help").open;
    document.getElementById("help").close();
  };

  /** Marks every row: by turns with the first and the second label. */
  const marking = async () => {
    await listed(() => (location.hash = "#sort=input"));
    lines()[0].focus();
    lines()[0].click();
    await until("the row", () => body.dataset.shown === row());
    const total = Number(text(".facet b").replace(/\D/g, ""));
    for (let at = 0; at < total; at += 1) {
      await press(at % 2 ? "2" : "1");
      if (at === 2) {
        await press("2");
        seen.changed = text('.mark-as[aria-pressed="true"]');
        await press("u");
        seen.undone = text('.mark-as[aria-pressed="true"]');
        await press("n");
        seen.noteFocus = document.activeElement.id;
        document.activeElement.value = 'He said "so", twice';
        document.activeElement.dispatchEvent(new Event("change"));
        document.activeElement.blur?.();
      }
      await press("j");
    }
    seen.marked = text(".marks-line span");
  };

  const exporting = async () => {
    seen.kept = [text(".marks-line span"), row(), text('.mark-as[aria-pressed="true"]'), document.querySelectorAll(".line .marked").length];
    let blob = null;
    const make = URL.createObjectURL;
    URL.createObjectURL = (given) => {
      blob = given;
      return make.call(URL, given);
    };
    document.getElementById("export").click();
    await until("gold.csv", () => blob !== null);
    seen.gold = await blob.text();
    await listed(() => (location.hash = "#marked=noted"));
    seen.noted = text("#found");
  };

  /** Uses everything that can be used. */
  const clicking = async () => {
    seen.texts = "";
    for (const line of lines()) {
      line.click();
      await until("the row", () => body.dataset.shown === row());
      for (const one of document.querySelectorAll("#opened details, #filters details")) one.open = true;
      await turn();
      seen.texts += text("#opened");
    }
    for (const select of [...document.querySelectorAll("select")].keys()) {
      const one = document.querySelectorAll("select")[select];
      if (!one) continue;
      one.selectedIndex = one.options.length - 1;
      one.dispatchEvent(new Event("change"));
      await turn(20);
    }
    seen.lines = lines().map((line) => line.textContent);
    seen.opened = text("#opened");
  };

  /** Marks some by hand, draws rows and marks them, all but one, by what their number says. */
  const drawing = async () => {
    lines()[0].click();
    await until("the row", () => body.dataset.shown === row());
    await press("2");
    seen.before = text(".next");
    for (let round = 0; round < 2; round += 1) {
      await listed(() => document.getElementById("draw").click());
      seen.drawn = [...(seen.drawn ?? []), [text("#found"), location.hash]];
      const rows = lines().map((line) => line.dataset.row);
      const kept = JSON.parse(localStorage.getItem(Object.keys(localStorage).find((key) => key.startsWith("tooljudge marks"))));
      seen.inOrder = [...(seen.inOrder ?? []), String(kept.picks.at(-1).rows.filter((one) => rows.includes(String(one)))) === String(rows)];
      for (const [at, one] of rows.entries()) {
        const line = lines().find((found) => found.dataset.row === one);
        line.click();
        await until("the row", () => body.dataset.shown === one);
        const wanted = Number(one) % 3 ? "1" : "2";
        if ((round < 1 || at > 0) && document.querySelectorAll(".mark-as")[Number(wanted) - 1].getAttribute("aria-pressed") !== "true") await press(wanted);
      }
    }
    seen.left = text("#draw");
    await listed(() => document.getElementById("draw").click());
    seen.todo = text("#found");
    seen.share = text(".next .share");
    await listed(() => document.getElementById("unsure").click());
    seen.unsure = [text("#found"), location.hash];
  };

  const drawnAgain = async () => {
    seen.again = text(".next .share");
    seen.chosen = text(".next");
    await exporting();
  };

  /** Marks one row of a list that was drawn elsewhere. */
  const beginning = async () => {
    lines()[0].click();
    await until("the row", () => body.dataset.shown === row());
    await press("1");
    await exporting();
  };

  const acts = { read: [reading], begin: [beginning], mark: [marking, exporting], draw: [drawing, drawnAgain], click: [clicking] }[PLAN];
  await acts[seen.phase - 1]();
  if (seen.phase < acts.length) {
    seen.phase += 1;
    sessionStorage.setItem("seen", JSON.stringify(seen));
    location.reload();
    return;
  }
  seen.foreign = document.querySelectorAll("img, iframe, object, embed, link, base, svg, math, form:not(dialog form)").length;
  seen.hrefs = document.querySelectorAll("[href], [src], [srcset], [action]").length;
  seen.handlers = [...document.querySelectorAll("*")].filter((one) => one.getAttributeNames().some((name) => name.startsWith("on"))).length;
  seen.owned = window.owned ?? null;
  seen.loaded = performance.getEntriesByType("resource").filter(({ name }) => !name.startsWith("blob:")).length;
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen).replace(/[<>&]/g, (found) => `\\u00${found.charCodeAt(0).toString(16).padStart(2, "0")}`);
  body.append(out);
})();
