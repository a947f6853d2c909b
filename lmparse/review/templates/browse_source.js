// Where records come from: all of them inside this page, or the server that it is from. Both answer alike.
"use strict";
const folded = (text) => text.trim().toLowerCase();

// The same rules as those of the server (record_list.py).
const isMeant = (wanted, ...texts) => {
  const word = folded(wanted);
  return !word || texts.some((text) => folded(text) === word || (word.length > 2 && folded(text).includes(word)));
};
const plainValue = (line) => (/^".*"$/.test(line.v) ? line.v.slice(1, -1).replace(/\\(["\\])/g, "$1") : line.v);
const eachLine = function* (lines) {
  for (const line of lines) { yield line; yield* eachLine(line.c || []); }
};

class Inlined {
  constructor(held) {
    this.held = held;
    this.byRecord = new Map(held.views.map((view) => [view.record, view]));
    this.isWhole = true;
  }

  async about() { return this.held.about; }

  hasValue(view, wanted) {
    const at = wanted.indexOf("=");
    const name = folded(wanted.slice(0, Math.max(at, 0)));
    for (const section of view.sections) {
      if (!section.main) continue;
      for (const line of eachLine(section.lines)) {
        if (line.v === undefined) continue;
        const text = plainValue(line);
        const texts = this.held.texts[line.t];
        const names = [line.p, texts.id, texts.orig || "", line.p.replace(/\.value$/, "")].map(folded);
        if (at < 0 ? folded(text).includes(wanted.toLowerCase()) : names.includes(name) && text === wanted.slice(at + 1)) return true;
      }
    }
    return false;
  }

  async list({ first, count, filter }) {
    const rows = [];
    let looked = 0;
    for (const row of this.held.rows.slice(first)) {
      if (rows.length === count) return { rows, next: row.record, looked_at: looked, damage: null };
      looked += 1;
      if (!isMeant(filter.type || "", row.type, row.meaning) || !isMeant(filter.table || "", row.table)) continue;
      if (filter.damaged && !row.faults.length) continue;
      if (filter.value && !this.hasValue(this.byRecord.get(row.record), filter.value)) continue;
      rows.push(row);
    }
    return { rows, next: null, looked_at: looked, damage: this.held.damage };
  }

  async record(place) {
    const view = this.byRecord.get(place.offset === undefined ? place.record : null);
    if (!view) throw new Trouble({ code: "", text: `there is no record ${place.record}`, hint: "" });
    return { view, texts: this.held.texts };
  }

  encoded(text) {
    const [[name, table]] = Object.entries(this.held.about.characters);
    if (/^utf/.test(name)) return [...new TextEncoder().encode(text)];
    const bytes = [...text].map((letter) => (letter === "." ? -1 : [...table].indexOf(letter)));
    if (bytes.includes(-1)) throw new Trouble({ code: "", text: `${name} has no such character in this page`, hint: "find it as hex" });
    return bytes;
  }

  async find({ first, text, hex }) {
    const wanted = hex === undefined ? this.encoded(text).map((byte) => byte.toString(16).padStart(2, "0")).join("")
      : hex.replace(/\s|^0x/g, "").toLowerCase();
    if (!/^([0-9a-f]{2})+$/.test(wanted)) throw new Trouble({ code: "", text: `${hex} is not hex`, hint: "pairs of hex digits, as E4 C2" });
    for (const row of this.held.rows.slice(first)) {
      const { hex: bytes } = this.byRecord.get(row.record).sections.find((section) => section.main);
      for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
        if (at % 2 === 0) return { rows: [row], next: null, looked_at: 0, damage: null };
      }
    }
    return { rows: [], next: null, looked_at: this.held.rows.length, damage: null };
  }

  // Numbers, decimals and times are read by the decoders of lmparse, which are not in a page.
  async inspect({ bytes, characters }) {
    const values = [{ name: "hex", value: bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ").toUpperCase(), reason: "" }];
    for (const [name, table] of Object.entries(characters)) {
      const letters = [...table];
      values.push({ name: `text, ${name}`, value: bytes.map((byte) => letters[byte]).join(""), reason: "" });
    }
    return { values, note: "lmparse serve shows numbers, decimals and times too" };
  }
}

class Trouble extends Error {
  constructor(found) { super(found.text); this.found = found; }
}

class Served {
  constructor() { this.file = 0; this.isWhole = false; }

  async ask(what, asked = {}) {
    const words = new URLSearchParams({ file: this.file });
    for (const [name, value] of Object.entries(asked)) if (value !== undefined && value !== "" && value !== false) words.set(name, value);
    let answer;
    try {
      answer = await (await fetch(`/api/${what}?${words}`)).json();
    } catch (error) {
      throw new Trouble({ code: "", text: "the server does not answer", hint: "start lmparse serve again", isGone: true });
    }
    if (answer.error) throw new Trouble(answer.error);
    return answer;
  }

  about(again) { return this.ask("file", { again }); }
  list({ first, count, filter }) { return this.ask("list", { first, count, ...filter }); }
  record(place) { return this.ask("record", place); }
  find(asked) { return this.ask("find", asked); }
  inspect({ place, section, start, length }) { return this.ask("inspect", { ...place, section, start, length }); }
  state() { return this.ask("state"); }
}
