// The header of all pages of the site: the colours that the reader chose, and on guides the search of the spec pages.
"use strict";
(() => {
  const KEY = "theme"; // the name that Furo has for it
  const ORDER = { auto: "dark", dark: "light", light: "auto" };
  const read = () => {
    try { return localStorage.getItem(KEY) || "auto"; } catch { return "auto"; }
  };
  const keep = (choice) => {
    try { localStorage.setItem(KEY, choice); } catch { /* a browser may keep nothing for files */ }
  };

  // Furo's pages ask for `data-theme`; those of the specs ask the system, so their rules are switched on or off.
  const asked = new Map();
  function apply(choice) {
    document.documentElement.dataset.theme = choice;
    if (document.body && document.body.dataset.theme) document.body.dataset.theme = choice;
    for (const sheet of document.styleSheets) {
      if (sheet.href) continue;
      for (const rule of sheet.cssRules) {
        if (!(rule instanceof CSSMediaRule)) continue;
        if (!asked.has(rule)) asked.set(rule, rule.media.mediaText);
        const media = asked.get(rule);
        const wanted = /^\(prefers-color-scheme: (dark|light)\)$/.exec(media);
        if (wanted) rule.media.mediaText = choice === "auto" ? media : choice === wanted[1] ? "all" : "not all";
      }
    }
    for (const button of document.querySelectorAll(".lm-theme")) {
      button.hidden = false;
      button.querySelector("span").textContent = choice;
    }
  }
  apply(read());
  window.addEventListener("storage", () => apply(read()));

  function load(address, then) {
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("load", then);
    document.head.append(script);
  }

  // On a guide the entries lead from the folder of the spec pages to the place of the guide.
  function search() {
    const root = document.documentElement.dataset.content_root;
    if (root === undefined) return;
    load(`${root}formats/search-data.js`, () => {
      for (const entry of window.LMPARSE_SEARCH) {
        entry[3] = entry[3].startsWith("../") ? root + entry[3].slice(3) : `${root}formats/${entry[3]}`;
      }
      load(`${root}_static/site-search.js`, () => {});
    });
  }

  // Of a long text a result shows what is around the words.
  const MOST = 160;
  function shorten(list, input) {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const more of list.querySelectorAll(".more")) {
      const text = more.textContent;
      if (text.length <= MOST) continue;
      const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
      const start = Math.max(0, Math.min(...places, text.length) - 50);
      const from = places.length && start > 0 ? start : 0;
      more.textContent = (from ? "… " : "") + text.slice(from, from + MOST) + (from + MOST < text.length ? " …" : "");
    }
  }

  // Furo opens its columns on small screens by labels, which no key reaches: they become buttons.
  const COLUMNS = { __navigation: ["All pages", ".sidebar-drawer"], __toc: ["Contents of this page", ".toc-drawer"] };
  function button(label) {
    const box = document.getElementById(label.htmlFor);
    const [name, column] = COLUMNS[box.id];
    const made = document.createElement("button");
    const say = () => made.setAttribute("aria-expanded", String(box.checked));
    made.type = "button";
    made.className = label.className;
    made.setAttribute("aria-label", name);
    made.append(...label.childNodes);
    made.addEventListener("click", () => {
      box.checked = !box.checked;
      say();
      if (box.checked) document.querySelector(`${column} a`)?.focus({ preventScroll: true });
    });
    box.addEventListener("change", say);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !box.checked || !made.offsetParent) return;
      box.checked = false;
      say();
      made.focus();
    });
    say();
    label.replaceWith(made);
  }

  function ready() {
    document.querySelectorAll("label.nav-overlay-icon, label.toc-overlay-icon").forEach(button);
    apply(read());
    for (const button of document.querySelectorAll(".lm-theme")) {
      button.addEventListener("click", () => {
        const choice = ORDER[read()] || "auto";
        keep(choice);
        apply(choice);
      });
    }
    const list = document.getElementById("search-results");
    const input = document.getElementById("search-words");
    if (list && input) new MutationObserver(() => shorten(list, input)).observe(list, { childList: true });
    search();
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", ready);
  else ready();
})();
