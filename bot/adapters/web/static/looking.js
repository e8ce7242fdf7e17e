// A page about now looks again by itself: the less often the less there is to see.
"use strict";
(() => {
  const { all, at, id, on, since, spoken, waiting } = page;
  const part = at("[data-part]"), first = Number(part.dataset.every);
  let stamp = "", wait = first, next, under = new AbortController();
  // Whoever is asked for words writes them in peace.
  const writing = () => at("details.asking[open]", part) || all("textarea", part).some((one) => one.value);
  const replaced = (html) => {
    const focus = document.activeElement, held = part.contains(focus) && (focus.closest("[id]")?.id || "main");
    const known = new Set(all(".card.open", part).map((one) => one.id));
    part.innerHTML = html;
    if (at("[data-waiting]", part)) waiting(at("[data-waiting]", part).dataset.waiting);
    const fresh = all(".card.open", part).filter((one) => !known.has(one.id));
    fresh.forEach((one) => since.set(one, performance.now()));
    if (fresh.length) spoken(`A card waits: ${at("h3", fresh[0]).textContent}. Press j.`);
    if (held) (id(held) || id("main")).focus({ preventScroll: true });
  };
  const look = async () => {
    clearTimeout(next);
    under.abort();
    const { signal } = under = new AbortController();
    let news = false;
    if (!document.hidden && !writing()) try {
      // The program keeps the question until there is news, and then says so with 204.
      const got = await fetch(part.dataset.part, { headers: { "if-none-match": stamp, prefer: "wait" }, redirect: "manual", signal });
      if (got.status === 401 || got.type === "opaqueredirect") return location.reload();
      news = got.status === 204;
      wait = got.status === 304 ? Math.min(wait * 1.5, first * 5) : first;
      if (got.status === 200) {
        const html = await got.text();
        if (!writing()) { stamp = got.headers.get("etag"); replaced(html); }
      }
    } catch { /* the program is away: the next look tells */ }
    if (signal.aborted) return;
    clearTimeout(next);
    next = setTimeout(look, news ? 0 : wait);
  };
  const soon = () => { wait = first; look(); };
  next = setTimeout(look, wait);
  on("visibilitychange", () => { if (!document.hidden) soon(); });
  // Whatever was pressed here is looked for at once, and a card that waits no more goes.
  on("sent", ({ target }) => { if (part.contains(target)) { target.reset(); target.closest("details")?.removeAttribute("open"); soon(); } });
  on("refused", ({ target }) => { if (part.contains(target)) { stamp = ""; soon(); } });
})();
