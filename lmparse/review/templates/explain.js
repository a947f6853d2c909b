// Bytes and fields light each other up: under the mouse, under the keyboard, and for good with a click.
(() => {
  for (const root of document.querySelectorAll(".lmparse-explained:not([data-live])")) {
    root.dataset.live = "";
    const view = root.querySelector(".view");
    const now = root.querySelector(".now");
    const rows = [...root.querySelectorAll("tbody tr")];
    const buttons = rows.map((row) => row.querySelector("button"));
    const numbers = new Map(rows.map((row, place) => [row.dataset.f, place]));
    const runs = rows.map(() => []);
    for (const run of root.querySelectorAll(".r")) runs[numbers.get(run.dataset.f)].push(run);
    const parts = rows.map(() => []);
    rows.forEach((row, place) => {
      for (let up = row.dataset.up; up !== undefined; up = rows[numbers.get(up)].dataset.up) {
        parts[numbers.get(up)].push(place);
      }
      if (row.dataset.beside !== undefined) {
        parts[numbers.get(row.dataset.beside)].push(place);
        parts[place].push(numbers.get(row.dataset.beside));
      }
    });
    const leaves = rows.map((row, place) => place).filter((place) => runs[place].length);
    const idle = now.textContent;
    let pinned = null;
    let shown = null;

    const ofField = (place) => {
      const found = new Set([place]);
      const left = [place];
      while (left.length) {
        for (const part of parts[left.pop()]) if (!found.has(part)) { found.add(part); left.push(part); }
      }
      return [...found];
    };
    const mark = (name, places) => {
      for (const old of root.querySelectorAll("." + name)) old.classList.remove(name);
      for (const place of places) for (const run of runs[place]) run.classList.add(name);
    };
    const say = (place) => {
      const row = rows[place];
      const at = [...row.querySelectorAll(".at > *")].map((word) => word.textContent.trim()).join(" ");
      const value = row.querySelector(".value").textContent.trim().replace(/\s+/g, " ");
      return at + "  " + buttons[place].textContent + (value ? " = " + value : "");
    };
    // Scrolls inside of the bytes alone: the page stays where the reader has it.
    const reveal = (place) => {
      const run = ofField(place).flatMap((part) => runs[part])[0];
      if (!run) return;
      const box = view.getBoundingClientRect();
      const spot = run.getBoundingClientRect();
      if (spot.top < box.top + 8 || spot.bottom > box.bottom - 8) {
        view.scrollTop += spot.top - box.top - box.height / 3;
      }
    };
    const light = (place) => {
      shown = place;
      mark("lit", place === null ? [] : ofField(place));
      for (const row of root.querySelectorAll(".around")) row.classList.remove("around");
      if (place === null) { now.textContent = idle; return; }
      rows[place].classList.add("lit");
      for (let up = rows[place].dataset.up; up !== undefined; up = rows[numbers.get(up)].dataset.up) {
        rows[numbers.get(up)].classList.add("around");
      }
      now.textContent = say(place);
    };
    const pin = (place) => {
      pinned = pinned === place ? null : place;
      mark("pinned", pinned === null ? [] : ofField(pinned));
      if (pinned !== null) rows[pinned].classList.add("pinned");
      buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === pinned)));
      light(pinned);
      // On a page of the server the field stays when its record is read anew.
      if (location.host) history.replaceState(null, "", pinned === null ? location.search : "#" + rows[pinned].id);
    };
    const reach = (place) => {
      buttons.forEach((button, at) => { button.tabIndex = at === place ? 0 : -1; });
    };
    const placeOf = (target) => {
      const held = target instanceof Element ? target.closest("[data-f]") : null;
      return held && root.contains(held) ? numbers.get(held.dataset.f) : null;
    };

    root.addEventListener("pointerover", (event) => {
      const place = placeOf(event.target);
      if (place === null || place === shown) return;
      light(place);
      if (!view.contains(event.target)) reveal(place);
    });
    root.addEventListener("pointerleave", () => light(pinned));
    root.addEventListener("focusin", (event) => {
      const place = buttons.indexOf(event.target);
      if (place >= 0) { reach(place); light(place); reveal(place); }
    });
    root.addEventListener("focusout", (event) => {
      if (buttons.includes(event.target) && !buttons.includes(event.relatedTarget)) light(pinned);
    });
    root.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place === null || event.target.closest("a")) return;
      pin(place);
      if (pinned === null) return;
      if (view.contains(event.target)) rows[place].scrollIntoView({ block: "nearest" });
      else reveal(place);
    });
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { if (pinned !== null) pin(pinned); return; }
      const here = buttons.indexOf(event.target);
      const steps = { ArrowDown: 1, ArrowUp: -1, Home: -rows.length, End: rows.length };
      if (here >= 0 && event.key in steps) {
        event.preventDefault();
        buttons[Math.min(Math.max(here + steps[event.key], 0), rows.length - 1)].focus();
      }
      if (event.target !== view) return;
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step && leaves.length) {
        event.preventDefault();
        const at = leaves.indexOf(shown);
        const next = at < 0 ? (step > 0 ? 0 : leaves.length - 1) : Math.min(Math.max(at + step, 0), leaves.length - 1);
        light(leaves[next]);
        reveal(leaves[next]);
      } else if (event.key === "Enter" && shown !== null) {
        event.preventDefault();
        if (pinned !== shown) pin(shown);
        buttons[pinned].focus();
      }
    });
    for (const choice of root.querySelectorAll("input[name=text]")) {
      choice.addEventListener("change", () => root.classList.toggle("other-text", choice.value === "1"));
    }

    reach(0);
    const wanted = rows.findIndex((row) => row.dataset.asked !== undefined || (row.id && "#" + row.id === location.hash));
    if (wanted >= 0) { pin(wanted); reveal(wanted); }
  }
})();
