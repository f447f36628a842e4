// Put into a report by tests/report_html.rs: uses everything that can be used, then says what became of the page.
(async () => {
  const turn = () => new Promise((done) => setTimeout(done, 5));
  const steps = async (selector, act) => {
    for (const one of document.querySelectorAll(selector)) {
      act(one);
      await turn();
    }
  };
  const ownElements = () => document.querySelectorAll("img, iframe, object, embed, link, base, form, svg foreignObject, svg image, svg use").length;
  // Values that the page wrote out instead of leaving them out: texts that are nothing but their names, and drawings at no place.
  const nothings = new Set();
  const look = () => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (parentElement.closest("script, style")) continue;
      if (/^\s*(null|undefined|NaN|true|false|\[object [A-Za-z]*\])\s*$/.test(data)) nothings.add(`${parentElement.localName} in ${parentElement.closest("section, header")?.id}: ${data}`);
    }
    for (const one of document.querySelectorAll("svg, svg *")) {
      for (const { name, value } of one.attributes) if (!name.startsWith("aria-") && /NaN|undefined|null/.test(value)) nothings.add(`${one.localName} ${name}: ${value}`);
    }
  };
  look();
  const seen = { found: document.querySelector(".found")?.textContent, opened: [...document.querySelectorAll("details.case[open]")].map((one) => one.id), opened_text: document.querySelector("details.case[open]")?.textContent, focus: document.activeElement.parentElement?.id ?? "" };
  for (let round = 0; round < 3; round += 1) {
    for (let presses = 0; presses < 60; presses += 1) {
      const button = document.querySelector("button.plain");
      if (!button) break;
      button.click();
      await turn();
    }
    await steps("details", (one) => (one.open = true));
  }
  await turn();
  look();
  seen.cases = document.querySelectorAll("details.case").length;
  seen.bodies = document.querySelectorAll("details.case > .body").length;
  seen.text = document.querySelector("main").textContent;
  seen.foreign = ownElements();
  await steps("button.sort", (one) => one.click());
  await steps("input[type=checkbox]", (one) => one.click());
  const selects = document.querySelectorAll("select").length;
  for (let at = 0; at < selects; at += 1) {
    const options = document.querySelectorAll("select")[at].options.length;
    for (let chosen = options - 1; chosen >= 0; chosen -= 1) {
      const select = document.querySelectorAll("select")[at];
      select.selectedIndex = chosen;
      select.dispatchEvent(new Event("change"));
      await turn();
      look();
    }
  }
  const search = document.querySelector("input[type=search]");
  if (search) {
    search.value = "needle";
    search.dispatchEvent(new Event("input"));
    await new Promise((done) => setTimeout(done, 400));
    seen.needles = document.querySelectorAll("details.case").length;
  }
  look();
  seen.nothings = [...nothings];
  seen.foreign += ownElements();
  seen.scripts = document.scripts.length;
  seen.handlers = [...document.querySelectorAll("*")].filter((one) => one.getAttributeNames().some((name) => name.startsWith("on"))).length;
  seen.title = document.title;
  seen.owned = window.owned ?? null;
  seen.loaded = performance.getEntriesByType("resource").length;
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen).replace(/[<>&]/g, (found) => `\\u00${found.charCodeAt(0).toString(16)}`);
  document.body.append(out);
})();
