// Words of a change that came too late go back into the field.
"use strict";
(() => {
  const { id, on } = page, words = id("words");
  let sent = null;
  on("sent", ({ detail }) => {
    const changed = detail.get("edits");
    sent = changed && { row: `m-${changed}`, text: detail.get("text") };
  }, id("say"));
  // A change that counts replaces its message before anything is told about it.
  const seen = (row) => {
    if (!sent || row.nodeType !== Node.ELEMENT_NODE) return;
    if (row.id !== sent.row && !row.matches("[data-told]")) return;
    if (row.id !== sent.row && !words.value) {
      words.value = sent.text;
      words.dispatchEvent(new Event("input", { bubbles: true }));
    }
    sent = null;
  };
  const look = (changes) => changes.forEach((one) => one.addedNodes.forEach(seen));
  new MutationObserver(look).observe(id("messages"), { childList: true });
})();
