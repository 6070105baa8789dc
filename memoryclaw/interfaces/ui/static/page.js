// Comfort for the page: keys, what happens meanwhile, typed text that is never lost. Everything works without it.
(() => {
  "use strict";
  const $ = (s, r = document) => r.querySelector(s), $$ = (s, r = document) => [...r.querySelectorAll(s)];
  const seen = e => e && e.offsetParent !== null;
  let leaving = false;

  // Keys: each is declared at its button, link or field. None acts while somebody types, or when it is held down.
  const single = () => localStorage.getItem("single-keys") !== "off";
  const box = $("[data-single]");
  if (box) {
    box.checked = single();
    box.addEventListener("change", () => localStorage.setItem("single-keys", box.checked ? "on" : "off"));
  }
  let before = "";
  const act = e => { if (/^(INPUT|TEXTAREA|SELECT)$/.test(e.tagName)) { e.focus(); e.select?.(); } else e.click(); };
  document.addEventListener("keydown", e => {
    const typing = e.target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && e.target.form) { e.preventDefault(); e.target.form.requestSubmit(); return; }
    if (typing) { if (e.key === "Escape") e.target.blur(); return; }
    if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || leaving || !single()) return;
    const last = before; before = e.key;
    if ($("dialog[open]")) return;
    if (last === "g") { const to = $(`[data-go="${CSS.escape(e.key)}"]`); if (to) { e.preventDefault(); to.click(); } before = ""; return; }
    if (e.key === "?") { e.preventDefault(); help(); return; }
    const found = $$("[data-key]").find(b => b.dataset.key.split(" ").includes(e.key) && seen(b) && !b.disabled);
    if (found) { e.preventDefault(); act(found); }
  });
  function help() {
    const box = $("[data-keys]"), list = $("dl", box), told = new Set();
    list.replaceChildren();
    const add = (key, what) => {
      if (told.has(key) || !what) return;
      told.add(key);
      const dt = document.createElement("dt"), kbd = document.createElement("kbd"), dd = document.createElement("dd");
      kbd.textContent = key; dt.append(kbd); dd.textContent = what; list.append(dt, dd);
    };
    $$("[data-key]").filter(seen).forEach(b => add(b.dataset.key, b.dataset.does || b.textContent.trim()));
    $$("[data-go]").forEach(a => add(`g ${a.dataset.go}`, `to ${$("span", a).textContent}`));
    box.showModal();
  }

  // What is typed is kept by the tab until it was saved. A form that may be lost says so with data-keep.
  const place = f => `typed:${f.dataset.keep}`;
  $$("form[data-keep]").forEach(form => {
    const held = sessionStorage.getItem(place(form));
    const fields = $$("textarea, input[type=text], input[type=search]", form);
    if (held) {
      const values = JSON.parse(held);
      let back = false;
      fields.forEach(f => { if (f.name in values && values[f.name] !== f.value) { f.value = values[f.name]; back = true; } });
      const note = $("[data-kept]", form);
      if (back && note) note.hidden = false;
    }
    form.addEventListener("input", () => sessionStorage.setItem(place(form), JSON.stringify(Object.fromEntries(fields.map(f => [f.name, f.value])))));
    $$("[data-drop]", form).forEach(b => b.addEventListener("click", () => sessionStorage.removeItem(place(form))));
  });
  $$("[data-saved]").forEach(e => sessionStorage.removeItem(`typed:${e.dataset.saved}`));

  // A form is sent once, and says that it works when that takes a moment.
  document.addEventListener("submit", e => {
    if (e.target.method === "dialog") return;
    if (leaving) { e.preventDefault(); return; }
    leaving = true;
    const button = e.submitter || $("button", e.target);
    setTimeout(() => button?.setAttribute("aria-busy", "true"), 150);
  });
  addEventListener("pageshow", () => { leaving = false; $$("[aria-busy]").forEach(b => b.removeAttribute("aria-busy")); });

  // A search answers while somebody types: its list is replaced, the field is not; Back leads to what was there before.
  const find = $("form[data-search]");
  if (find) {
    let timer, request, searching = false;
    const show = url => {
      request?.abort();
      request = new XMLHttpRequest(); // makes a document in which nothing runs
      request.responseType = "document";
      request.onload = () => {
        const list = $("[data-results]", request.response ?? document.createElement("p"));
        if (!list) { location.assign(url); return; }
        $("[data-results]").replaceWith(list);
        $("[data-hits]").textContent = list.dataset.count;
      };
      request.open("GET", url);
      request.send();
    };
    const stop = () => { clearTimeout(timer); request?.abort(); };
    find.addEventListener("input", () => {
      stop();
      timer = setTimeout(() => {
        const query = new URLSearchParams([...new FormData(find)].filter(pair => pair[1])), url = `${find.getAttribute("action")}?${query}`;
        history[searching ? "replaceState" : "pushState"](null, "", url); // one step back for a whole search
        searching = true;
        show(url);
      }, 200);
    });
    find.addEventListener("submit", stop);
    find.addEventListener("keydown", e => { if (e.key === "ArrowDown" && e.target.type === "search") { e.preventDefault(); $("[data-results] a")?.focus(); } });
    addEventListener("popstate", () => {
      stop();
      searching = false;
      const query = new URLSearchParams(location.search);
      $$("input, select", find).forEach(f => { f.value = query.get(f.name) ?? (f.options?.[0].value ?? ""); });
      show(location.href);
    });
  }

  $$("[data-copy]").forEach(b => b.addEventListener("click", async () => {
    await navigator.clipboard.writeText($(b.dataset.copy).textContent);
    b.dataset.done = "";
  }));
  $$("[data-back]").forEach(a => a.addEventListener("click", e => { if (history.length > 1) { e.preventDefault(); history.back(); } }));
  const focus = $("[data-focus]");
  if (focus && document.activeElement === document.body && matchMedia("(min-width: 44.01rem)").matches) focus.focus({ preventScroll: true });

  // What happens meanwhile: the badge changes by itself, the text under a reader's eyes never does.
  const body = document.body, bar = $("[data-bar]"), live = $("[data-live]");
  if (!("event" in body.dataset)) return;
  let after = Number(body.dataset.event), changed = 0, gone = false;
  const say = (text, show) => {
    $("[data-text]", bar).textContent = text;
    const link = $("[data-show]", bar);
    link.hidden = !show; link.href = location.pathname + location.search;
    bar.hidden = !text;
  };
  const reach = ok => {
    if (gone === !ok) return;
    gone = !ok;
    $$("form:not([method=dialog]) button").forEach(b => { b.disabled = gone; });
    live?.classList.toggle("off", gone);
    if (live) $("[data-said]", live).textContent = gone ? "Not running" : "Live";
    say(gone ? "MemoryClaw is not running; run memoryclaw ui to start it. What is on this page stays readable." : "", false);
  };
  async function look() {
    if (document.hidden || leaving) return;
    let answer;
    try { answer = await fetch(`/ui/changes?after=${after}&watch=${encodeURIComponent(body.dataset.watch)}`, { cache: "no-store" }); } catch { reach(false); return; }
    if (answer.status === 401) { say("This session has ended; run memoryclaw ui again. This tab keeps what you typed.", false); return; }
    if (!answer.ok) return;
    reach(true);
    const now = await answer.json();
    after = now.event;
    $$("[data-waiting]").forEach(e => { e.textContent = now.waiting; });
    $$("[data-count]").forEach(e => { e.hidden = !now.waiting; });
    $$("[data-notes]").forEach(e => { e.textContent = now.notes; });
    changed = Math.max(changed, now.changed);
    if (changed) say(body.dataset.edits ? "This changed while you were writing; saving will show both versions." : changed === 1 ? "Something changed here." : `${changed} things changed here.`, !body.dataset.edits);
  }
  setInterval(look, 2000);
  document.addEventListener("visibilitychange", look);
})();
