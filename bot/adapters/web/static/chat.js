// The composer, the palette, the stream of rows: each has an id, so none stands twice.
"use strict";
(() => {
  const { all, at, id, kept, on, reads, since, spoken, told, waiting } = page;
  const { dataset } = document.body, words = id("words"), say = id("say"), draft = id("draft"), palette = id("palette");
  const fresh = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
  const parsed = (html) => Object.assign(document.createElement("template"), { innerHTML: html }).content;

  const name = `draft ${dataset.chat}`, store = () => kept(name, words.value), files = say.elements.file;
  const editing = id("editing");
  const edits = (wish) => { Object.assign(say.elements.edits, { value: wish, disabled: !wish }); editing.hidden = !wish; };
  const fill = (text) => { words.value = text; words.focus(); words.setSelectionRange(text.length, text.length); store(); };
  const leave = () => { edits(""); fill(""); spoken("Your message stays as it is."); };
  on("click", leave, at("button", editing));
  words.value ||= kept(name);
  on("input", store, words);
  on("submit", (event) => {
    if (words.value.trim() || files.files.length) return;
    event.preventDefault();
    event.stopPropagation();
  }, say);
  // What was not sent waits with its id, and goes once.
  let waits = false;
  on("unsent", () => { waits = true; told("Not sent yet: there is no connection. It is sent once, as soon as the connection is back."); }, say);
  on("refused", () => { waits = false; }, say);
  on("sent", ({ detail }) => {
    if (words.value === detail.get("text")) words.value = "";
    waits = false; files.value = ""; files.dispatchEvent(new Event("change")); edits(""); store();
  }, say);
  all(':is(form[action$="/say"], #busy):has(> [name=id])').forEach((form) => {
    const renew = () => { form.elements.id.value = fresh(); };
    renew();
    on("sent", () => { renew(); at(".log").scrollTop = 0; }, form);
  });

  on("click", (event) => {
    const key = event.target.closest("[data-edit], [data-fill]");
    if (!key) return;
    event.preventDefault();
    palette.hidePopover();
    side.hidePopover();
    if (key.dataset.fill) return fill(key.dataset.fill);
    fill(all(".words", key.closest("li")).map((one) => one.textContent).join("\n"));
    edits(key.dataset.edit);
    told("");
    spoken(at("span", editing).textContent);
  });
  on("beforetoggle", () => { const box = at("input", palette); if (box.value) { box.value = ""; box.dispatchEvent(new Event("input", { bubbles: true })); } }, palette);
  // A fragment in the address would take the focus from the box.
  if (location.hash === "#palette") { history.replaceState(null, "", location.pathname); palette.showPopover(); }
  on("keydown", (event) => {
    const { key, target } = event, open = palette.matches(":popover-open"), keys = [at("input", palette), ...all("ul:not([aria-busy]) > li:not([hidden]) > *", palette)];
    if (event.isComposing) return;
    if (open && /^Arrow(Up|Down)$/.test(key)) keys[keys.indexOf(target) + (key === "ArrowDown" ? 1 : -1)]?.focus();
    else if (open && key === "Enter" && target === keys[0]) keys[1]?.click();
    else if (target === words && key === "Enter" && !event.shiftKey && !matchMedia("(pointer: coarse)").matches) say.requestSubmit();
    else if (target === words && key === "ArrowUp" && !words.value) all("[data-edit]").filter((one) => one.checkVisibility()).pop()?.click();
    else if (key === "Escape" && !open && !editing.hidden) leave();
    else if (key === "Escape" && !open && draft.firstChild) at("#busy button").click();
    else return;
    event.preventDefault();
  });

  let begun = 0, stream, late;
  const short = (text) => text.replace(/\s+/g, " ").trim().slice(0, 300);
  const news = (row, old) => {
    const card = at(".card.open", row);
    if (card) {
      since.set(card, performance.now());
      if (!old || !at(".card.open", old)) spoken(`A card waits: ${at("h3", card).textContent}. Press j.`);
    } else if (row.matches("[data-answer]")) spoken(`Answered${begun ? ` after ${Math.round((Date.now() - begun) / 1000)} seconds` : ""}: ${row.dataset.answer}${short(reads(row))}`);
    else if (row.matches("[data-told], :has(.card)")) spoken(short(row.textContent));
  };
  // Titles, order and counts change; what comes together is read once.
  let listing;
  const later = () => { clearTimeout(listing); listing = setTimeout(() => lists().catch(() => {}), 1000); };
  const lists = async () => {
    const got = await fetch("/chats"), now = at("#chats", parsed(await got.text()));
    const here = now && all("a", now).find((one) => one.getAttribute("href") === location.pathname);
    if (!here) return;
    here.setAttribute("aria-current", "true");
    id("chats").replaceWith(now);
    at("h1").textContent = at(".title", here).textContent;
  };
  // Each message changes what is in view.
  const side = id("side");
  let look;
  const looks = () => { clearTimeout(look); look = setTimeout(async () => {
    if (!side.checkVisibility()) return;
    const got = await fetch(`${location.pathname}/side`);
    if (got.ok) side.replaceChildren(...at("aside", parsed(await got.text())).childNodes);
  }, 300); };
  on("toggle", looks, side);
  const put = (row) => {
    const old = id(row.id), held = old?.contains(document.activeElement);
    // What grew stands in a row; a turn that waits writes nothing.
    if (!old && row.matches("[data-answer], [data-card]")) draft.replaceChildren();
    if (old) old.replaceWith(row); else draft.before(row);
    if (held) (at("h3", row) || row).focus();
    if (!old) later();
    looks();
    news(row, old);
  };
  const hears = {
    message: ({ data }) => { [...parsed(data).children].forEach(put); at("#first:not([data-stays])")?.remove(); },
    // Further up, if it is here.
    past: ({ data }) => [...parsed(data).children].forEach((row) => id(row.id) && put(row)),
    gone: ({ data }) => id(data)?.remove(),
    draft: ({ data }) => {
      if (data.trim() && !draft.firstChild) { begun = Date.now(); spoken("Answering"); }
      draft.innerHTML = data.trim();
    },
    told: ({ data }) => told(data),
    waiting: ({ data }) => { waiting(data); later(); },
    left: () => location.reload(),
    erased: ({ data }) => {
      const rows = all('#messages > [id^="m-"]');
      // Of erased words only newest rows leave one by one.
      if (data !== "all") return rows.length > 40 && location.reload();
      stream.close();
      [...rows, id("first"), id("older"), ...draft.childNodes].forEach((one) => one?.remove());
      say.hidden = true;
      edits("");
      id("deleted").hidden = false;
      // Title and view are its words too.
      document.title = `${at("h1").textContent = "Deleted conversation"} · Steward`;
      Object.assign(id("live"), { textContent: "Ended", className: "live lost" });
      clearTimeout(look);
      side.replaceChildren();
    },
    version: ({ data }) => { id("stale").hidden = data === dataset.version; },
  };
  const lost = (yes) => {
    id("lost").hidden = !yes || !navigator.onLine;
    id("offline").hidden = navigator.onLine;
    Object.assign(id("live"), { textContent: yes ? "Reconnecting" : "Live", className: yes ? "live lost" : "live" });
  };
  const open = () => {
    stream?.close();
    stream = new EventSource(dataset.stream);
    for (const [what, act] of Object.entries(hears)) on(what, (event) => {
      if (event.lastEventId) dataset.stream = dataset.stream.replace(/mark=[^&]*/, `mark=${encodeURIComponent(event.lastEventId)}`);
      act(event);
    }, stream);
    stream.onopen = () => { clearTimeout(late); late = 0; lost(false); if (waits) say.requestSubmit(); };
    stream.onerror = () => {
      late ||= setTimeout(lost, 2000, true);
      if (stream.readyState === EventSource.CLOSED) setTimeout(open, 3000);
    };
  };
  open();
  on("click", open, id("again"));
  on("offline", () => lost(true), window);
  on("online", open, window);
  on("pagehide", () => stream.close(), window);
  on("pageshow", (event) => { if (event.persisted) open(); }, window);

  // Older messages move nothing.
  const eye = new IntersectionObserver(async ([{ isIntersecting, target }]) => {
    if (!isIntersecting) return;
    eye.disconnect();
    const got = await fetch(at("a", target).href);
    if (got.ok) { target.replaceWith(parsed(await got.text())); watch(); }
  }, { root: at(".log"), rootMargin: "400px" });
  const watch = () => { if (id("older")) eye.observe(id("older")); };
  watch();
})();
