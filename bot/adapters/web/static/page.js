// What every page does beside its forms and links: sends in place, copies, takes keys. It keeps
// nothing but what the screen shows; without this file all forms and links still work.
"use strict";
const page = (() => {
  const at = (q, inside = document) => inside.querySelector(q);
  const all = (q, inside = document) => [...inside.querySelectorAll(q)];
  const id = (name) => document.getElementById(name);
  const on = (what, act, where = document) => where.addEventListener(what, act);
  const kept = (name, value) => {
    try {
      if (value === undefined) return localStorage.getItem(name) || "";
      value ? localStorage.setItem(name, value) : localStorage.removeItem(name);
    } catch { /* a browser that keeps nothing */ }
    return "";
  };
  // The words of an answer, without the labels and keys of its code.
  const reads = (row) => {
    row.classList.add("read");
    const text = all(".text", row).map((one) => one.innerText).join("\n\n");
    row.classList.remove("read");
    return text;
  };
  const spoken = (text) => { if (id("said")) id("said").textContent = text; };
  const told = (text, bad) => {
    const note = id("told");
    if (note) Object.assign(note, { hidden: !text, textContent: text, className: bad ? "note bad" : "note" });
    spoken(text);
  };
  const waiting = (n) => all(".waits").forEach((place) => {
    place.innerHTML = n > 0 ? `<span class="count">${Number(n)}<span class="off"> open card${n > 1 ? "s" : ""}</span></span>` : "";
  });
  // The time at which a card came: no key decides one that has just appeared.
  const since = new WeakMap();

  // Forms are sent in place. What is sent twice has the same id, so it counts once.
  const busy = { Approve: "Approving…", Deny: "Denying…" };
  const set = (keys, name, yes) => keys.forEach((one) => yes ? one.setAttribute(name, "true") : one.removeAttribute(name));
  async function send(form, key) {
    const data = new FormData(form, key), card = key?.closest(".card.open"), keys = card ? all(".key:not([aria-disabled])", card) : [];
    const label = card && [...key.childNodes].find((one) => busy[one.data?.trim()]), before = label?.data;
    const mark = (yes) => {
      set([form, ...(card ? [key] : [])], "aria-busy", yes); set(keys, "aria-disabled", yes);
      if (label) label.data = yes ? busy[before.trim()] : before;
    };
    mark(true);
    let sent = false;
    try {
      const files = all("input[type=file]", form).some((one) => one.files.length);
      const got = await fetch(form.action, { method: "POST", body: files ? data : new URLSearchParams(data), redirect: "manual" });
      sent = got.ok || got.type === "opaqueredirect";
      if (sent) told("");
      else {
        // A page tells its fault in a sentence; what stands before the pages, in plain text.
        const body = await got.text(), plain = got.headers.get("content-type")?.startsWith("text/plain");
        const fault = at("[role=alert]", new DOMParser().parseFromString(body, "text/html"));
        told(fault?.textContent || (plain && body) || `Nothing was done (${got.status}). Load the page again, and repeat it.`, true);
      }
      form.dispatchEvent(new CustomEvent(sent ? "sent" : "refused", { detail: data, bubbles: true }));
    } catch {
      told("Nothing was done: there is no connection to the program.", true);
      form.dispatchEvent(new CustomEvent("unsent"));
    }
    // A card that was decided stays busy until its row comes.
    if (!sent || !card) mark(false);
  }
  on("submit", (event) => {
    const form = event.target, key = event.submitter;
    if (!form.matches("[data-live]")) return;
    event.preventDefault();
    if (form.matches("[aria-busy]") || key?.matches("[aria-disabled]")) return;
    id("palette")?.hidePopover();
    if (navigator.onLine || form.matches("#say")) send(form, key);
    else told("Offline: nothing can be decided until the connection is back.", true);
  });

  on("click", (event) => {
    const key = event.target.closest("[data-copy]");
    if (event.target.closest("[aria-disabled=true]")) event.preventDefault();
    if (!key) return;
    const code = key.closest(".source")?.querySelector("code");
    const text = code ? code.textContent : reads(key.closest("li"));
    navigator.clipboard.writeText(text).then(() => spoken("Copied"));
  });
  // The program looks up conversations and pages once somebody stops typing.
  let looking;
  const look = (box, list) => {
    clearTimeout(looking);
    list.ariaBusy = true;
    looking = setTimeout(async () => {
      const asked = box.value, got = await fetch(`/find?q=${encodeURIComponent(asked)}`).catch(() => ({}));
      const told = got.ok && await got.text();
      if (told && asked === box.value) Object.assign(list, { innerHTML: told, ariaBusy: null });
    }, 150);
  };
  on("input", ({ target }) => {
    const { find, found, setting } = target.dataset;
    if (found) look(target, id(found));
    if (find) all(find).forEach((one) => { one.hidden = !one.textContent.toLowerCase().includes(target.value.toLowerCase()); });
    if (setting) kept(`no ${setting}`, target.checked ? "" : "1");
  });
  all("[data-setting]").forEach((one) => { one.checked = !kept(`no ${one.dataset.setting}`); });

  // The code of a sign-in link stands behind the #, which no server and no log sees.
  const enter = id("enter");
  const code = () => {
    if (!enter || location.hash.length < 2) return;
    enter.elements.code.value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
  };
  code();
  on("hashchange", code, window);

  // A low window scrolls as one page: it opens at the newest message, too.
  if (matchMedia("(max-height: 30rem)").matches) at("#messages > :nth-last-child(2)")?.scrollIntoView({ block: "end" });

  // Single keys: only outside text fields, and only if they are on.
  const step = (by) => {
    const list = all('.card.open, #messages > li[id^="m-"]:not(:has(.card.open))');
    const n = list.findIndex((one) => one.contains(document.activeElement));
    const next = n < 0 ? (by > 0 && list.find((one) => one.matches(".card"))) || list.at(-1) : list[n + by];
    if (!next) return;
    all(".card.here").forEach((one) => one.classList.remove("here"));
    next.classList.toggle("here", next.matches(".card"));
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };
  const decide = (card, name) => {
    const key = card && at(`[data-key="${name}"]`, card);
    if (!key || performance.now() - (since.get(card) ?? -1000) < 1000) return;
    key.click();
    if (key.matches("summary")) at("textarea", key.parentElement)?.focus();
  };
  // Time that is left counts down in silence: by minutes, and below one by seconds.
  const born = new WeakMap();
  const count = () => all("[data-left]").forEach((one) => {
    const now = performance.now();
    if (!born.has(one)) born.set(one, now);
    const left = Math.max(0, Math.ceil(one.dataset.left - (now - born.get(one)) / 1000)), minutes = Math.floor(left / 60);
    const end = one.textContent.endsWith(" left") ? " left" : "";
    const said = left < 60 ? `${left} s` : minutes < 60 ? `${minutes} min` : minutes < 1440 ? `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}` : "";
    if (said && said + end !== one.textContent) one.textContent = said + end;
  });
  setInterval(count, 1000);
  on("click", async ({ target }) => {
    const from = target.closest("[data-copy-from]")?.dataset.copyFrom;
    if (!from) return;
    const got = await fetch(from);
    if (got.ok) navigator.clipboard.writeText(await got.text()).then(() => spoken("Copied"));
  });
  let go;
  on("keydown", (event) => {
    const { key, target } = event, typing = target.matches("input:not([type=checkbox]), textarea, select");
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || typing || at(":popover-open") || kept("no keys")) return;
    const lead = go && at(`[data-go="${CSS.escape(key)}"]`);
    go = key === "g" && !go;
    if (lead) lead.click();
    else if (go) return;
    else if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
    else if (key === "?") location = "/more#keys";
    else if (key === "/" || key === "N") at(`[data-key="${key}"]`)?.click();
    else if (/^[ynwcsrx]$/.test(key)) decide(target.closest(".card.open") || at(".card.open.here"), key);
    else return;
    event.preventDefault();
  });
  return { all, at, id, kept, on, reads, since, spoken, told, waiting };
})();
