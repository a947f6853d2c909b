// A list of records, and one record with its bytes beside its fields. All texts are written as text, never as HTML.
"use strict";
const eachLine = function* (lines) {
  for (const line of lines) { yield line; yield* eachLine(line.c || []); }
};

class Trouble extends Error {
  constructor(found) { super(found.text); this.found = found; }
}

// The answer of the server about one file.
const ask = async (what, file, asked = {}) => {
  const words = new URLSearchParams({ file });
  for (const [name, value] of Object.entries(asked)) if (value !== undefined && value !== "" && value !== false) words.set(name, value);
  let answer;
  try {
    answer = await (await fetch(`/api/${what}?${words}`)).json();
  } catch (error) {
    throw new Trouble({ code: "", text: "the server does not answer", hint: "start lmparse serve again", isGone: true });
  }
  if (answer.error) throw new Trouble(answer.error);
  return answer;
};

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const PAGE = 100;
  const FIRST_BYTES = 2048;
  let file = 0;
  let about = null;
  let filter = {};
  let starts = [0];
  let listed = { rows: [], next: null, damage: null };
  let current = null;
  let work = 0;

  const h = (name, more = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(more)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value === true) made.setAttribute(key, "");
      else if (value !== false && value !== undefined && value !== null) made.setAttribute(key, value);
    }
    made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
    return made;
  };
  const say = (text) => { $("status").textContent = text; };
  const hexed = (number) => `0x${number.toString(16)}`;
  const many = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;

  // -- what goes wrong ------------------------------------------------------------------------

  const problem = (found) => {
    const place = found.path ? `${found.path}:${found.line}:${found.column}: ` : "";
    return h("p", {}, `${place}${found.text}`, found.hint ? h("span", { class: "soft" }, ` ${found.hint}`) : null);
  };
  const trouble = (...found) => { $("trouble").replaceChildren(...found); };
  const failed = (error) => {
    if (!(error instanceof Trouble)) throw error;
    const again = h("button", { type: "button", onclick: () => reopen() }, "Read the file again");
    trouble(problem(error.found), error.found.code === "LMP-F012" && !data.live ? again : "");
    say("");
  };
  const guarded = (what) => async (...given) => {
    try { await what(...given); } catch (error) { failed(error); }
  };

  // -- the list -------------------------------------------------------------------------------

  const cell = (text, more = {}) => h("td", more, text);
  const listRow = (name, place, words, cells) => h("tr", { [`data-${Object.keys(place)[0]}`]: Object.values(place)[0], onclick: guarded(() => openRecord(place)) },
    h("th", { scope: "row" }, h("button", { type: "button", tabindex: "-1" }, name)), cell(words), cells);
  const rowOf = (row) => {
    const outcome = row.faults.length ? h("span", { class: "wrong" }, row.faults[0]) : row.outcome;
    return listRow(String(row.record), { record: row.record }, [hexed(row.offset), row.position ? h("span", { class: "soft" }, ` ${row.position}`) : null],
      [cell(row.type, { title: row.meaning }), cell(row.table), cell(outcome)]);
  };
  const damageRow = (damage) => listRow("damage", { offset: damage.offset }, damage.offset === null ? "" : hexed(damage.offset),
    h("td", { colspan: 3 }, h("span", { class: "wrong" }, damage.text), damage.hint ? h("span", { class: "soft" }, ` ${damage.hint}`) : null));
  const bodyRows = () => [...$("rows").tBodies[0].rows];
  const reach = (row) => {
    for (const one of bodyRows()) one.querySelector("button").tabIndex = one === row ? 0 : -1;
  };
  const mark = () => {
    let found = null;
    for (const row of bodyRows()) {
      const is = current !== null && (row.dataset.record !== undefined && Number(row.dataset.record) === current.view.record
        || row.dataset.offset !== undefined && current.view.record === null);
      row.classList.toggle("current", is);
      row.querySelector("button").toggleAttribute("aria-current", is);
      if (is) { row.querySelector("button").setAttribute("aria-current", "true"); found = row; }
    }
    reach(found || bodyRows()[0]);
    if (found) {
      const box = $("rows").parentElement;
      const low = found.offsetTop + found.offsetHeight;
      if (found.offsetTop - 40 < box.scrollTop || low > box.scrollTop + box.clientHeight) box.scrollTop = found.offsetTop - box.clientHeight / 3;
    }
    return found;
  };
  const suggest = (id, texts) => {
    const known = new Set([...$(id).options].map((option) => option.value));
    for (const text of texts) if (text && !known.has(text)) { known.add(text); $(id).append(h("option", { value: text })); }
  };

  // Looks on where the server stopped after the number of records that it looks at for one request.
  const looked = async (rowsFrom, count, first) => {
    const mine = ++work;
    const rows = [];
    let next = first;
    let seen = 0;
    let damage = null;
    $("stop").hidden = false;
    try {
      while (rows.length < count && next !== null && mine === work) {
        const answer = await rowsFrom(next, count - rows.length);
        rows.push(...answer.rows);
        seen += answer.looked_at;
        ({ next, damage } = answer);
        if (next !== null && rows.length < count) say(`${many(seen, "record")} looked at, ${rows.length} found`);
      }
    } finally {
      if (mine === work) $("stop").hidden = true;
    }
    return { rows, next, damage, seen, isStopped: mine !== work };
  };
  const load = async (first) => {
    const found = await looked((at, count) => ask("list", file, { first: at, count, ...filter }), PAGE, first);
    if (found.isStopped && !found.rows.length) return;
    listed = found;
    const rows = found.rows.map(rowOf);
    if (found.damage) rows.push(damageRow(found.damage));
    $("rows").tBodies[0].replaceChildren(...rows);
    suggest("types", found.rows.map((row) => row.type));
    suggest("tables", found.rows.map((row) => row.table));
    $("back").disabled = starts.length < 2;
    $("more").disabled = found.next === null;
    const isAll = !Object.values(filter).some(Boolean);
    const end = found.next === null ? "" : ", and more behind them";
    say(rows.length ? `${many(found.rows.length, "record")}${isAll ? "" : found.rows.length === 1 ? " passes the filter" : " pass the filter"}${end}; the file has ${about.count.toLocaleString("en")}`
      : "no record passes the filter");
    mark();
  };
  const begin = async (first) => { starts = [first]; await load(first); };
  const later = async () => {
    if (listed.next === null) return false;
    starts.push(listed.next);
    await load(listed.next);
    return true;
  };
  const earlier = async () => {
    if (starts.length > 1) { starts.pop(); await load(starts[starts.length - 1]); return true; }
    if (starts[0] === 0) return false;
    await begin(Math.max(0, starts[0] - PAGE));
    return true;
  };
  const openRow = async (row) => {
    if (!row) return;
    await openRecord(row.dataset.offset === undefined ? { record: Number(row.dataset.record) } : { offset: Number(row.dataset.offset) });
  };
  const step = async (by) => {
    const rows = bodyRows();
    const at = rows.findIndex((row) => row.classList.contains("current"));
    if (at < 0 && current !== null && current.view.record !== null) {
      await openRecord({ record: Math.max(0, current.view.record + by) });
      return;
    }
    if (rows[at + by]) await openRow(rows[at + by]);
    else if (by > 0 && await later()) await openRow(bodyRows()[0]);
    else if (by < 0 && await earlier()) await openRow(bodyRows().at(-1));
    else say(by > 0 ? "this is the last record of the list" : "this is the first record of the list");
  };
  // Opens a record wherever it is: the list goes there if it has not got it.
  const visit = async (place) => {
    await openRecord(place);
    if (mark() === null && place.record !== undefined) await begin(place.record);
  };

  // -- one record -----------------------------------------------------------------------------

  const bytesOf = (section) => (section.hex.match(/../g) || []).map((pair) => parseInt(pair, 16));
  const openRecord = async (place) => {
    const answer = await ask("record", file, place);
    if (!data.live) trouble();
    show(answer, place);
    mark();
    const hash = place.record === undefined ? "" : `#${place.record}`;
    if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname);
  };
  const readWhole = async () => {
    say("reading the whole file");
    await openRecord({ ...current.place, whole: 1 });
    say("the whole file was read");
  };
  const show = ({ view, texts, is_partial: isPartial }, place) => {
    current = { view, texts, place, lines: [], buttons: [], selected: null, bytes: [], shown: FIRST_BYTES };
    $("record-title").textContent = view.record === null ? "Bytes that are not a sound record" : `Record ${view.record} of ${view.spec}`;
    const facts = [view.place, view.kind, view.found_by].filter(Boolean).map((text) => h("span", {}, text));
    const faults = view.faults.map((fault) => h("li", {}, fault.text, fault.hint ? h("span", { class: "soft" }, ` ${fault.hint}`) : null));
    $("record").replaceChildren(...[
      h("p", { class: "place" }, facts),
      faults.length ? h("ul", { class: "faults" }, faults) : null,
      isPartial ? h("p", { class: "folds" }, "Not shown: what other records of this large file say of this one. ",
        h("button", { type: "button", onclick: guarded(readWhole) }, "Read the whole file for it")) : null,
      view.notes.length ? h("ul", { class: "notes" }, view.notes.map((note) => h("li", {}, note))) : null,
      pairsTable(view), bytesPane(view),
      h("div", { class: "sides" }, tree(view), h("section", { class: "about", "aria-label": "Field", id: "field" })),
    ].filter(Boolean));
    $("compare").hidden = view.record === null;
    $("compared").replaceChildren();
    select(firstFault() ?? current.lines.findIndex((line) => view.sections[line.section].main), { isQuiet: true });
  };
  const pairsTable = (view) => {
    if (!view.pairs.length) return null;
    const open = (path) => () => { select(current.lines.findIndex((line) => line.p === path)); };
    const differing = view.pairs.filter((pair) => pair.differs).length;
    return h("div", {}, h("h3", { id: "pairs-title" }, `Before and after: ${differing} of ${many(view.pairs.length, "column")} changed`),
      h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Row before and after the change" },
        h("table", { id: "pairs", "aria-labelledby": "pairs-title" },
          h("thead", {}, h("tr", {}, ["Column", "Before", "After", ""].map((name) => (name ? h("th", { scope: "col" }, name) : h("td"))))),
          h("tbody", {}, view.pairs.map((pair) => h("tr", { class: pair.differs ? "differs" : null },
            h("th", { scope: "row" }, h("button", { type: "button", onclick: open(pair.after_path) }, pair.name)),
            cell(h("code", {}, pair.before)), cell(h("code", {}, pair.after)), cell(pair.differs ? "changed" : "", { class: "mark" })))))));
  };

  // -- its fields as a tree ---------------------------------------------------------------------

  const textsOf = (line) => (line.t === undefined ? null : current.texts[line.t]);
  const labelOf = (line) => {
    const said = textsOf(line);
    const size = `${line.s} ${hexed(line.s)} ${line.e - line.s}\u202fB`;
    if (!said) return [h("span", { class: "at" }, size), h("span", { class: "name" }, "unread"), " in no field"];
    return [
      h("span", { class: "at" }, size), h("span", { class: "name" }, said.id),
      said.orig && said.orig !== said.id ? h("span", { class: "orig" }, ` ${said.orig}`) : null,
      line.v === undefined ? null : [" = ", h("code", {}, line.v), said.unit ? ` ${said.unit}` : null],
      line.m ? `: ${line.m}` : null,
      said.status && said.status !== "documented" ? [" ", h("span", { class: `badge ${said.status}` }, said.status)] : null,
      line.x ? [" ", h("span", { class: "wrong" }, line.x)] : null,
    ].flat();
  };
  const tree = (view) => {
    const item = (line, section) => {
      const number = current.lines.length;
      current.lines.push({ ...line, section });
      const kind = textsOf(line) ? null : "unread";
      if (!line.c) {
        const button = h("button", { type: "button", "data-line": number, onclick: () => select(number) }, labelOf(line));
        current.buttons.push(button);
        return h("li", { class: kind }, button);
      }
      const summary = h("summary", { "data-line": number, onclick: () => select(number) }, labelOf(line));
      current.buttons.push(summary);
      return h("li", {}, h("details", { open: true }, summary, h("ul", {}, line.c.map((child) => item(child, section)))));
    };
    const sections = view.sections.map((section, number) => h("div", {},
      h("h4", {}, `${section.title} `, h("span", { class: "soft" }, `${section.id}, ${section.words}`)),
      h("ul", { class: "tree" }, section.lines.map((line) => item(line, number)))));
    const fold = (is) => () => { for (const one of $("tree").querySelectorAll("details")) one.open = is; };
    const made = h("section", { id: "tree", "aria-labelledby": "tree-title" },
      h("div", { class: "bar folds" }, h("h3", { id: "tree-title" }, "Fields"),
        h("button", { type: "button", onclick: fold(false) }, "Fold all"), h("button", { type: "button", onclick: fold(true) }, "Unfold all")),
      sections);
    made.addEventListener("keydown", (event) => {
      const visible = current.buttons.filter((button) => button.offsetParent !== null);
      const at = visible.indexOf(event.target);
      if (at < 0) return;
      const details = event.target.parentElement;
      const move = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: visible.length - 1 }[event.key];
      if (move !== undefined && visible[move]) { event.preventDefault(); visible[move].focus(); select(Number(visible[move].dataset.line)); }
      if (event.target.matches("summary") && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
        event.preventDefault();
        details.open = event.key === "ArrowRight";
      }
    });
    return made;
  };
  const firstFault = () => {
    const found = current.lines.findIndex((line) => line.x && !line.c);
    const any = found >= 0 ? found : current.lines.findIndex((line) => line.x);
    return any >= 0 ? any : null;
  };
  const linked = (text) => text.split(/(https?:\/\/[^\s,;'"]+)/).map((piece, at) => (at % 2
    ? h("a", { href: piece, rel: "noreferrer" }, piece) : piece));
  const coded = (text) => text.split(/`([^`]+)`/).map((piece, at) => (at % 2 ? h("code", {}, piece) : piece));
  const fieldPanel = (line) => {
    const said = textsOf(line);
    if (!said) return [h("h3", {}, "Unread"), h("p", {}, `${many(line.e - line.s, "byte")} that are in no field`)];
    const ref = said.ref || current.view.sections[line.section].ref;
    return [
      h("h3", {}, line.p), said.orig ? h("p", { class: "orig" }, said.orig) : null,
      line.v === undefined ? null : h("p", {}, h("code", {}, line.v), said.unit ? ` ${said.unit}` : null),
      line.m ? h("p", {}, line.m) : null, line.x ? h("p", { class: "wrong" }, line.x) : null,
      line.h ? h("p", {}, `shares ${many(line.h, "byte")} with the field before it`) : null,
      said.doc ? h("p", {}, coded(said.doc)) : null,
      said.source ? h("p", {}, said.status === "documented" ? "Not in the manual: " : "Why: ", coded(said.source)) : null,
      ref ? h("p", { class: "soft" }, linked(ref)) : null,
    ].filter(Boolean);
  };
  const select = (number, { isQuiet = false } = {}) => {
    if (number === null || number < 0 || !current.lines[number]) return;
    const line = current.lines[number];
    const button = current.buttons[number];
    current.selected = number;
    $("field").replaceChildren(...fieldPanel(line));
    for (let up = button.parentElement; up && up.id !== "tree"; up = up.parentElement) if (up.matches("details") && up !== button.parentElement) up.open = true;
    for (const one of current.buttons) one.classList.toggle("lit", one === button);
    current.buttons.forEach((one, at) => { one.tabIndex = at === number ? 0 : -1; });
    current.range = { section: line.section, start: line.s, end: line.e };
    light(!isQuiet);
    if (!isQuiet) button.scrollIntoView({ block: "nearest" });
  };

  // -- its bytes --------------------------------------------------------------------------------

  const bytesPane = (view) => {
    const names = view.pages;
    const pane = h("div", { class: "view", tabindex: "0", role: "region",
      "aria-label": "Bytes; the left and right arrow keys go from field to field" });
    const choose = (name) => () => { current.page = name; drawBytes(pane); };
    current.page = names[0];
    const radios = names.length < 2 ? h("span", { class: "soft" }, `text as ${names[0]}`)
      : h("fieldset", {}, h("legend", {}, "Text as"), names.map((name) => h("label", {},
        h("input", { type: "radio", name: "page", checked: name === names[0], onchange: choose(name) }), ` ${name}`)));
    pane.addEventListener("pointerdown", press);
    pane.addEventListener("keydown", byKeys);
    current.pane = pane;
    queueMicrotask(() => drawBytes(pane));
    return h("section", { class: "bytes-section", "aria-labelledby": "bytes-title" },
      h("div", { class: "bar" }, h("h3", { id: "bytes-title" }, "Bytes"), radios), pane);
  };
  const drawBytes = (pane) => {
    const table = [...(about.characters[current.page] || "")];
    current.bytes = [];
    pane.replaceChildren(...current.view.sections.flatMap((section, number) => {
      const raw = bytesOf(section);
      const shown = Math.min(raw.length, current.shown);
      const owners = owning(number);
      const made = [h("h4", {}, `${section.title}: ${many(raw.length + section.cut, "byte")} at ${hexed(section.places[0][0])}`)];
      for (let start = 0; start < shown; start += 16) made.push(lineOf(number, raw, start, Math.min(start + 16, shown), owners, table));
      if (shown < raw.length) {
        const all = () => { current.shown = Infinity; drawBytes(pane); };
        made.push(h("p", { class: "gap folds" }, `${many(raw.length - shown, "byte")} more `, h("button", { type: "button", onclick: all }, "Show all bytes")));
      }
      if (section.cut) made.push(h("p", { class: "gap" }, `${many(section.cut, "byte")} left out`));
      return made;
    }));
    light();
  };
  // The line of each byte, so that neighbours can be told apart: the last one is the innermost.
  const owning = (number) => {
    const owners = [];
    current.lines.forEach((line, at) => {
      if (line.section !== number || line.c) return;
      for (let byte = line.s + (line.h || 0); byte < Math.min(line.e, current.shown); byte += 1) owners[byte] = at;
    });
    return owners;
  };
  const lineOf = (number, raw, start, end, owners, table) => {
    const made = h("div", { class: "line" });
    for (let half = start; half < end; half += 8) {
      const far = half === start ? "" : " far";
      const hexes = h("span", { class: `hex${far}` });
      const letters = h("span", { class: `txt${far}` });
      for (let at = half; at < Math.min(half + 8, end); at += 1) {
        const owner = current.lines[owners[at]];
        const marks = `r${owners[at] % 2 ? " odd" : ""}${owner && !textsOf(owner) ? " unread" : ""}${owner && owner.x ? " faulty" : ""}`;
        const spans = [raw[at].toString(16).padStart(2, "0").toUpperCase(), table[raw[at]] || "."].map((text) => h("span", { class: marks, "data-at": at, "data-section": number }, text));
        (current.bytes[number] ||= [])[at] = spans;
        hexes.append(spans[0], at + 1 < Math.min(half + 8, end) ? " " : "");
        letters.append(spans[1]);
      }
      made.append(h("span", { class: `off${far}` }, half.toString(16).padStart(4, "0")), hexes, letters);
    }
    return made;
  };
  const press = (event) => {
    const held = event.target instanceof Element ? event.target.closest("[data-at]") : null;
    const owner = held && event.button === 0 ? owning(Number(held.dataset.section))[Number(held.dataset.at)] : undefined;
    if (owner !== undefined) select(owner);
  };
  const byKeys = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || !current.range) return;
    event.preventDefault();
    const leaves = current.lines.map((line, at) => at).filter((at) => !current.lines[at].c && current.lines[at].e > current.lines[at].s);
    const next = by > 0 ? leaves.find((at) => at > current.selected) : leaves.findLast((at) => at < current.selected);
    if (next !== undefined) select(next);
  };
  const light = (isShown = false) => {
    for (const old of current.pane.querySelectorAll(".lit")) old.classList.remove("lit");
    if (!current.range) return;
    const held = current.bytes[current.range.section] || [];
    for (let at = current.range.start; at < Math.min(current.range.end, held.length); at += 1) for (const span of held[at] || []) span.classList.add("lit");
    const first = isShown && held[current.range.start];
    if (!first) return;
    const box = current.pane.getBoundingClientRect();
    const place = first[0].getBoundingClientRect();
    if (place.top < box.top + 8 || place.bottom > box.bottom - 8) current.pane.scrollTop += place.top - box.top - box.height / 3;
  };

  // -- two records --------------------------------------------------------------------------------

  const flatLines = (view) => {
    const found = new Map();
    for (const section of view.sections) {
      for (const line of eachLine(section.lines)) {
        if (line.p !== undefined && (line.v !== undefined || line.m || line.x || !line.c)) found.set(`${section.main ? "" : `${section.id}.`}${line.p}`, line.x || line.v || line.m || "");
      }
    }
    return found;
  };
  const compare = async (number, isAll = false) => {
    const other = (await ask("record", file, { record: number })).view;
    const sides = [current.view, other].map(flatLines);
    const names = [...new Set(sides.flatMap((side) => [...side.keys()]))];
    const differs = (name) => sides[0].get(name) !== sides[1].get(name);
    const shown = isAll ? names : names.filter(differs);
    const value = (side, name) => (side.has(name) ? h("code", {}, side.get(name)) : h("span", { class: "soft" }, "not there"));
    const title = `Records ${current.view.record} and ${number}: ${names.filter(differs).length} of ${many(names.length, "value")} differ`;
    const change = guarded((event) => compare(number, event.target.checked));
    $("compared").replaceChildren(h("h3", { id: "compared-title", tabindex: "-1" }, title),
      h("label", {}, h("input", { type: "checkbox", checked: isAll, onchange: change }), " show equal values too"),
      h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Two records side by side" },
        h("table", { id: "comparison", "aria-labelledby": "compared-title" },
          h("thead", {}, h("tr", {}, ["Field", `Record ${current.view.record}`, `Record ${number}`].map((name) => h("th", { scope: "col" }, name)), h("td"))),
          h("tbody", {}, shown.map((name) => h("tr", { class: differs(name) ? "differs" : null }, h("th", { scope: "row" }, name),
            sides.map((side) => cell(value(side, name))), cell(differs(name) ? "differs" : "", { class: "mark" })))))));
    $("compared-title").focus();
  };

  // -- controls -------------------------------------------------------------------------------------

  const wholeNumber = (input) => {
    const number = Number(input.value.trim());
    if (/^\d{1,15}$/.test(input.value.trim())) return number;
    throw new Trouble({ code: "", text: `${input.value} is not the number of a record`, hint: "" });
  };
  const on = (id, kind, what) => $(id).addEventListener(kind, (event) => { event.preventDefault(); guarded(what)(event); });
  on("filters", "submit", async () => {
    const { type, table, value, damaged } = $("filters").elements;
    filter = { type: type.value.trim(), table: table.value.trim(), value: value.value.trim(), damaged: damaged.checked };
    await begin(0);
    if (bodyRows().length) await openRow(bodyRows()[0]);
  });
  $("filters").addEventListener("reset", () => { filter = {}; guarded(async () => { await begin(0); })(); });
  on("goto", "submit", () => visit({ record: wholeNumber($("goto").elements.record) }));
  on("compare", "submit", () => compare(wholeNumber($("compare").elements.other)));
  on("previous", "click", () => step(-1));
  on("next", "click", () => step(1));
  on("more", "click", later);
  on("back", "click", earlier);
  on("stop", "click", async () => { work += 1; $("stop").hidden = true; say("stopped"); });
  $("rows").tBodies[0].addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    guarded(async () => {
      await step(by);
      document.querySelector("#rows tr.current button")?.focus();
    })();
  });

  // -- the file ---------------------------------------------------------------------------------------

  const describe = () => {
    document.title = `${about.name.split("/").at(-1)}: records`;
    $("file").textContent = about.name.split("/").at(-1);
    const facts = [about.name, many(about.size, "byte"), many(about.count, "record"), `spec ${about.spec}`, `framing ${about.framing}`];
    $("facts").replaceChildren(...facts.map((text, at) => h("span", { class: at ? null : "file" }, text)));
    const notes = [...about.decisions, ...about.notices];
    if (!about.is_searched) notes.push("in so large a file the list has no outcome and no fault that a pass over the whole file finds");
    $("read-with").replaceChildren(h("h2", {}, "Read with"), h("ul", { class: "notes" }, notes.map((note) => h("li", {}, note))));
  };
  const start = async (again) => {
    about = await ask("file", file, { again });
    describe();
    const place = /^#\d{1,15}$/.test(location.hash) ? Number(location.hash.slice(1)) : 0;
    await begin(0);
    if (bodyRows().length) await (place ? visit({ record: place }) : openRow(bodyRows()[0]));
  };
  const reopen = guarded(async () => { trouble(); await start("1"); });
  // The record that is shown is read anew, in the list and beside it; what is selected stays selected.
  const refresh = async () => {
    about = await ask("file", file);
    describe();
    const was = current;
    const path = was && was.selected !== null ? was.lines[was.selected]?.p : null;
    await load(starts.at(-1));
    if (was) await openRecord(was.place); else if (bodyRows().length) await openRow(bodyRows()[0]);
    if (path) select(current.lines.findIndex((line) => line.p === path), { isQuiet: true });
  };
  const follow = async (known) => {
    let seen = known;
    try {
      const state = await ask("state", file);
      if (!seen || state.version !== seen.version || state.generation !== seen.generation) {
        trouble(...state.problems.map(problem));
        seen = { version: state.version, generation: state.generation };
        if (state.generation && (!known || state.generation !== known.generation)) await refresh();
        document.body.dataset.generation = state.generation;
      }
    } catch (error) {
      failed(error);
      if (error.found.isGone) seen = null;
    }
    setTimeout(() => follow(seen), 400);
  };
  data.files.forEach((name, number) => $("files").append(h("option", { value: number }, name)));
  $("choice").hidden = data.files.length < 2;
  on("files", "change", async () => {
    file = Number($("files").value);
    filter = {};
    current = null;
    history.replaceState(null, "", location.pathname);
    trouble();
    await start();
  });
  if (data.live) follow(null);
  else guarded(start)();
})();
