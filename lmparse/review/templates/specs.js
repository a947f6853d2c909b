"use strict";
// What a link leads to is opened, one button opens all fields, and on paper everything is open.
(() => {
  const boxes = document.querySelectorAll(".lm details");
  function open() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const row = target && target.closest("table.fields > tbody > tr");
    if (!target || !target.closest(".lm")) return;
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    const held = row && !target.closest("details") && row.querySelector("details");
    if (held) held.open = true;
    target.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  if (location.hash) open();
  window.addEventListener("beforeprint", () => { for (const box of boxes) box.open = true; });
  const unfold = document.getElementById("unfold");
  if (!unfold) return;
  unfold.parentElement.hidden = false;
  unfold.addEventListener("click", () => {
    const isOpen = unfold.getAttribute("aria-pressed") !== "true";
    unfold.setAttribute("aria-pressed", String(isOpen));
    for (const box of boxes) box.open = isOpen;
  });
})();
