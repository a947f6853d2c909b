// The list works without this: it marks the row of the record that is shown, moves by the arrow keys, and follows specs
// that are edited.
(() => {
  const frame = document.querySelector("iframe");
  const links = () => [...document.querySelectorAll("#rows tbody a")];
  const mark = () => {
    const shown = frame.contentWindow.location;
    for (const link of links()) {
      const is = link.href === shown.origin + shown.pathname + shown.search;
      if (is) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    }
    const record = new URLSearchParams(shown.search).get("record");
    if (record === null) return;
    document.getElementById("one").value = record;
    const here = new URL(location.href);
    here.searchParams.set("record", record);
    history.replaceState(null, "", here);
  };
  frame.addEventListener("load", mark);
  document.getElementById("list").addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    const all = links();
    const at = Math.max(all.indexOf(document.activeElement), all.findIndex((link) => link.hasAttribute("aria-current")));
    const next = all[at + by];
    event.preventDefault();
    if (next) { next.focus(); next.click(); }
  });
  if (!("live" in document.currentScript.dataset)) return;

  // What is written anew is read anew, in the list and beside it; the record and its field stay.
  const refresh = async () => {
    const text = await (await fetch(location.href)).text();
    const body = text.slice(text.indexOf("<main"), text.indexOf("</main>"));
    const page = new DOMParser().parseFromString(body, "text/html");
    for (const name of ["#list", ".facts"]) document.querySelector(name).innerHTML = page.querySelector(name).innerHTML;
    const shown = page.querySelector("iframe").src;
    if (frame.contentWindow.location.href === "about:blank" && shown) frame.src = shown;
    else frame.contentWindow.location.reload();
  };
  const trouble = (problems) => {
    document.getElementById("trouble").replaceChildren(...problems.map((problem) => {
      const line = document.createElement("p");
      line.textContent = `${problem.text} ${problem.hint}`;
      return line;
    }));
  };
  let known = null;
  const follow = async () => {
    try {
      const state = await (await fetch("/state")).json();
      if (known === null || state.version !== known.version) trouble(state.problems);
      if (known !== null && state.generation !== known.generation) await refresh();
      known = state;
    } catch (error) {
      trouble([{ text: "the server does not answer:", hint: "start lmparse serve again" }]);
      known = null;
    }
    setTimeout(follow, 400);
  };
  follow();
})();
