// Files beside a message: by paper clip, drop and paste, with what they show, before they are sent.
"use strict";
(() => {
  const { id, on, told } = page, words = id("words"), files = id("say").elements.file;
  const made = (tag, more, ...inside) => { const one = Object.assign(document.createElement(tag), more); one.append(...inside); return one; };
  const large = (bytes) => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  // A picture is shown from the memory of the browser before anything is sent.
  const preview = (file) => {
    if (!/^image\/(png|jpeg|gif|webp)$/.test(file.type)) return [];
    const src = URL.createObjectURL(file), free = () => URL.revokeObjectURL(src);
    return [made("img", { src, alt: "", onload: free, onerror: ({ target }) => { free(); target.remove(); } })];
  };
  const list = () => {
    id("files").replaceChildren(...[...files.files].map((file, n) => made("p", { className: "file" }, ...preview(file),
      made("b", { dir: "auto" }, `${file.name} · ${large(file.size)}`),
      made("button", { type: "button", className: "quiet", ariaLabel: `Remove ${file.name}`, onclick: () => { take([...files.files].filter((_, m) => m !== n)); words.focus(); } }, "Remove"))));
    id("files").hidden = !files.files.length;
  };
  // What the program would refuse is said before it is sent.
  const take = (wanted) => {
    const held = new DataTransfer(), out = [];
    let sum = 0;
    for (const file of wanted) {
      const why = held.items.length >= 10 ? "a message has at most ten files" : sum + file.size > 2e7 ? "the files of a message have at most 20 MB"
        : file.size ? "" : "it is empty, or a folder";
      if (why) { out.push(`${file.name} is left out: ${why}.`); continue; }
      held.items.add(file);
      sum += file.size;
    }
    files.files = held.files;
    list();
    told(out.join(" "), out.length > 0);
  };
  const more = (event, { files: come, items }) => {
    if (!come.length) return;
    event.preventDefault();
    const folders = new Set([...items || []].map((one) => one.webkitGetAsEntry?.()).filter((one) => one?.isDirectory).map((one) => one.name));
    take([...files.files, ...[...come].map((one) => folders.has(one.name) ? new File([], one.name) : one)]);
  };
  on("change", () => take([...files.files]), files);
  on("paste", (event) => more(event, event.clipboardData), words);
  on("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
  on("drop", (event) => more(event, event.dataTransfer));
})();
