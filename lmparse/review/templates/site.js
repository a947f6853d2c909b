"use strict";
(() => {
  // -- search ------------------------------------------------------------------------
  const MOST = 40;
  const IGNORED = new Set(["byte", "bytes", "offset", "at", "field", "code", "table"]);
  const KINDS = { table: "manual table", error: "error code" };
  const form = document.getElementById("site-search");
  const input = document.getElementById("search-words");
  const list = document.getElementById("search-results");
  const state = document.getElementById("search-state");
  const here = location.pathname.split("/").pop() || "index.html";
  let hits = [];
  let chosen = -1;

  // An entry is [kind, name, about, address, further words, first byte, byte behind the last one].
  const entries = (window.LMPARSE_SEARCH || []).map(([kind, name, about, href, words, start, end]) => ({
    kind, name, about, href, start, end,
    low: name.toLowerCase(),
    last: name.toLowerCase().split(".").pop(),
    terms: words.map((word) => word.toLowerCase()),
    text: about.toLowerCase(),
    isHere: href.split("#")[0] === here,
  }));

  // `byte:104` is a place alone, `table:106` a table of a manual; a bare number may be anything.
  function numberOf(word) {
    const found = /^(?:byte:)?(\d+|0x[0-9a-f]+)$/.exec(word);
    return found ? Number(found[1]) : null;
  }

  function isAt(entry, number) {
    return number !== null && entry.start !== undefined && entry.start <= number && number < entry.end;
  }

  function scoreOfWord(entry, word) {
    let best = 0;
    if (entry.low === word) best = 100;
    else if (entry.last === word) best = 95;
    else if (entry.terms.includes(word)) best = 85;
    else if (entry.low.startsWith(word)) best = 60;
    else if (entry.last.startsWith(word)) best = 58;
    else if (entry.low.includes(word)) best = 35;
    else if (entry.terms.some((term) => term.startsWith(word))) best = 30;
    else if (entry.terms.some((term) => term.includes(word))) best = 20;
    else if (entry.text.includes(word)) best = 10;
    const number = numberOf(word);
    if (isAt(entry, number)) best = Math.max(best, entry.start === number ? 102 : 98);
    return best;
  }

  function scoreOf(entry, words) {
    let sum = 0;
    for (const word of words) {
      const one = scoreOfWord(entry, word);
      if (!one) return 0;
      sum += one;
    }
    const whole = words.join("_");
    if (words.length > 1 && (entry.last === whole || entry.terms.includes(whole))) sum += 100;
    const phrase = words.join(" ");
    if (words.length > 1 && entry.low.includes(phrase)) sum += 50;
    const at = words.length > 1 && entry.kind === "spec" ? entry.text.indexOf(phrase) : -1;
    if (at >= 0) sum += 400 - 5 * at;
    return sum + (entry.isHere ? 15 : 0) - entry.name.length / 100;
  }

  function find(text) {
    let words = text.toLowerCase()
      .replace(/\b(?:bytes?|offset|at)\s+(\d+|0x[0-9a-f]+)\b/g, "byte:$1")
      .replace(/\btable\s+(\d+)\b/g, "table:$1")
      .split(/\s+/).filter(Boolean);
    const telling = words.filter((word) => !IGNORED.has(word));
    if (telling.length) words = telling;
    if (!words.length) return [];
    return entries
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score || (a.entry.href < b.entry.href ? -1 : 1))
      .map((hit) => hit.entry);
  }

  function kindOf(entry) {
    const place = input.value.toLowerCase().split(/\s+/).map(numberOf).find((number) => isAt(entry, number));
    const isNamed = input.value.includes(entry.last);
    return place !== undefined && !isNamed ? `byte ${place}` : KINDS[entry.kind] || entry.kind;
  }

  function made(tag, name, text) {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    return element;
  }

  function show() {
    const found = find(input.value);
    hits = found.slice(0, MOST);
    chosen = -1;
    list.replaceChildren(...hits.map((entry, number) => {
      const item = document.createElement("li");
      item.id = `search-result-${number}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.append(made("span", "kind", kindOf(entry)), made("span", "what", entry.name), made("span", "more", entry.about));
      item.addEventListener("click", () => go(entry));
      return item;
    }));
    const isOpen = hits.length > 0;
    list.hidden = !isOpen;
    input.setAttribute("aria-expanded", String(isOpen));
    input.removeAttribute("aria-activedescendant");
    state.textContent = !input.value.trim() ? ""
      : !found.length ? "Nothing found"
      : found.length > MOST ? `${found.length} results, the first ${MOST} are shown`
      : found.length === 1 ? "1 result" : `${found.length} results`;
  }

  function choose(number) {
    if (!hits.length) return;
    const items = list.children;
    if (chosen >= 0) items[chosen].setAttribute("aria-selected", "false");
    chosen = (number + hits.length) % hits.length;
    items[chosen].setAttribute("aria-selected", "true");
    items[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", items[chosen].id);
  }

  function close() {
    list.hidden = true;
    state.textContent = "";
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function go(entry) {
    close();
    input.blur();
    location.href = entry.href;
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", () => { if (input.value) show(); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
    else if (event.key === "Escape") { if (list.hidden) input.blur(); close(); }
    else return;
    event.preventDefault();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (hits.length) go(hits[Math.max(chosen, 0)]);
  });
  form.addEventListener("focusout", (event) => { if (!form.contains(event.relatedTarget)) setTimeout(close, 150); });
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(input|textarea|select)$/i.test(event.target.tagName);
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
  form.hidden = !entries.length;

  // -- what a link leads to is opened, and everything is for print ----------------------
  function open() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    const row = target.closest("table.fields > tbody > tr");
    const held = row && (target === row || target.closest(".place")) && row.querySelector("details");
    if (held) held.open = true;
    target.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  if (location.hash) open();
  const boxes = document.querySelectorAll("details:not(.tree)");
  window.addEventListener("beforeprint", () => {
    for (const box of boxes) box.open = true;
  });
  const unfold = document.getElementById("unfold");
  if (unfold) {
    unfold.parentElement.hidden = false;
    unfold.addEventListener("click", () => {
      const isOpen = unfold.getAttribute("aria-pressed") !== "true";
      unfold.setAttribute("aria-pressed", String(isOpen));
      for (const box of document.querySelectorAll(unfold.dataset.boxes)) box.open = isOpen;
    });
  }

  // -- the tree at the side is open where there is room for it ----------------------------
  const tree = document.querySelector("details.tree");
  const wide = matchMedia("(min-width: 1201px)");
  const unfoldTree = () => { if (tree) tree.open = wide.matches; };
  unfoldTree();
  wide.addEventListener("change", unfoldTree);

  // -- one tab stop for a tree or a drawing; the arrow keys go on inside it ---------------
  function nearest(links, from, isDown) {
    const here = from.getBoundingClientRect();
    let best = null;
    for (const link of links) {
      const there = link.getBoundingClientRect();
      const away = isDown ? there.top - here.top : here.top - there.top;
      if (away < 4) continue;
      const distance = away * 1000 + Math.abs(there.left + there.width / 2 - here.left - here.width / 2);
      if (!best || distance < best.distance) best = { link, distance };
    }
    return best && best.link;
  }
  for (const box of document.querySelectorAll("[data-rove]")) {
    const links = [...box.querySelectorAll("a[href]:not([aria-hidden])")];
    const start = links.find((link) => link.hasAttribute("aria-current")) || links[0];
    for (const link of links) link.tabIndex = link === start ? 0 : -1;
    box.addEventListener("keydown", (event) => {
      const at = links.indexOf(event.target);
      if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      const next = {
        ArrowRight: () => links[at + 1], ArrowLeft: () => links[at - 1], Home: () => links[0], End: () => links.at(-1),
        ArrowDown: () => nearest(links, event.target, true), ArrowUp: () => nearest(links, event.target, false),
      }[event.key];
      if (!next) return;
      event.preventDefault();
      const link = next();
      if (!link) return;
      event.target.tabIndex = -1;
      link.tabIndex = 0;
      link.focus();
    });
  }
})();
