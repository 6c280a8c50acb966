"use strict";
// The browser of items: reads the embedded records, filters them, shows one, prints them as cases.
// Every text enters the page through textContent: nothing a model wrote is ever parsed as HTML.
(() => {
  const data = JSON.parse(document.getElementById("browser-data").textContent);
  const field = (id) => document.getElementById(id);
  const list = field("item-list");
  const place = field("item-case");
  const filters = ["filter-task", "filter-outcome", "filter-run", "filter-text"].map(field);
  const MARKS = {
    right: "✓", partial: "◐", wrong: "✗", unread: "?", refused: "⊘", truncated: "…",
    failed: "!", unjudged: "!", unsupported: "–",
  };
  let shown = [];
  let current = -1;

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
  }

  const letter = (index) => String.fromCharCode(65 + index);

  // --- filters -------------------------------------------------------------------------------

  function haystack(item) {
    const replies = item.replies.map((reply) => reply.text);
    return [item.id, item.question, ...item.options, item.key_text, item.group, ...replies]
      .join("\n").toLowerCase();
  }
  data.items.forEach((item) => { item.haystack = haystack(item); });

  function matches(item) {
    const [task, outcome, run, text] = filters.map((filter) => filter.value);
    if (task && item.task !== task) return false;
    if (text && !item.haystack.includes(text.toLowerCase())) return false;
    if (!outcome && !run) return true;
    return item.replies.some((reply) =>
      (!run || reply.run === Number(run)) && (!outcome || reply.outcome === outcome));
  }

  function applyFilters() {
    shown = data.items.filter(matches);
    list.replaceChildren(...shown.map(row));
    if (!shown.length) {
      list.append(make("li", { class: "none", role: "presentation" }, "No item fits these filters."));
    }
    select(shown.length ? 0 : -1, false);
  }

  function row(item, index) {
    const run = filters[2].value;
    const marks = item.replies
      .filter((reply) => !run || reply.run === Number(run))
      .map((reply) => MARKS[reply.outcome]).slice(0, 8).join("");
    const outcomes = item.replies.map((reply) => reply.outcome).join(", ");
    return make("li", {
      role: "option", id: `row-${index}`, "data-index": index,
      "aria-selected": "false", "aria-setsize": shown.length, "aria-posinset": index + 1,
    },
    make("span", { class: "marks", "aria-hidden": "true", title: outcomes }, marks),
    make("span", { class: "mono" }, item.id),
    make("span", { class: "hidden-text" }, ` ${outcomes}. `),
    make("span", { class: "ask" }, item.question));
  }

  // --- one item ------------------------------------------------------------------------------

  // The right box of a grounding item, and dashed those that were read, over its picture.
  function boxes(item, picture) {
    const space = "http://www.w3.org/2000/svg";
    const plane = document.createElementNS(space, "svg");
    plane.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
    plane.setAttribute("aria-hidden", "true");
    const drawn = [[item.key_box, "key", "key"]].concat(item.replies.filter((reply) => reply.box)
      .map((reply) => [reply.box, "read", data.runs[reply.run]]));
    for (const [[x0, y0, x1, y1], kind, who] of drawn) {
      const frame = document.createElementNS(space, "rect");
      const sides = { x: x0, y: y0, width: x1 - x0, height: y1 - y0, class: kind };
      Object.entries(sides).forEach(([side, value]) => frame.setAttribute(side, value));
      frame.append(document.createElementNS(space, "title"));
      frame.firstChild.textContent = who;
      plane.append(frame);
    }
    return plane;
  }

  function viewFigure(item, name, file) {
    const label = [data.view_names[name] || name, file.label, file.time].filter(Boolean).join(" · ");
    const caption = make("figcaption", {}, label);
    if (file.kind === "picture") {
      const picture = data.pictures[file.path];
      const image = make("img", {
        src: picture.uri, width: picture.width, height: picture.height, alt: label,
        class: picture.width < 300 ? "small" : null,
      });
      const broad = picture.width > 600 ? "broad" : null;
      const content = item.key_box
        ? make("div", { class: "framed" }, image, boxes(item, picture)) : image;
      return make("figure", { class: broad }, caption, content);
    }
    if (file.kind === "text") {
      return make("figure", { class: "broad words" }, caption, make("pre", { tabindex: "0" }, data.texts[file.path]));
    }
    return make("figure", {}, caption, make("p", { class: "how" }, file.note));
  }

  function optionLine(item, text, index) {
    const isKey = item.key.includes(index);
    return make("li", { class: isKey ? "key" : null },
      make("span", { class: "letter" }, letter(index)), text,
      isKey ? make("span", { class: "tag" }, "✓ key") : null);
  }

  function replyBlock(reply) {
    const how = [
      reply.rule ? `read by rule “${reply.rule}”` : null,
      reply.answer ? `as ${reply.answer}` : "no answer read",
      reply.outcome === "partial" ? `score ${reply.score.toFixed(2)}` : null,
      reply.detail || null,
    ].filter(Boolean).join(", ");
    const request = [
      reply.view ? data.view_names[reply.view] || reply.view : "blind",
      reply.epoch ? `repetition ${reply.epoch + 1}` : null,
      reply.order ? `options rotated by ${reply.order}` : null,
    ].filter(Boolean).join(" · ");
    return make("div", { class: "reply" },
      make("div", { class: "reply-head" },
        make("span", { class: "who" }, data.runs[reply.run]),
        make("span", { class: "how" }, request),
        make("span", { class: `outcome ${reply.outcome}` }, `${MARKS[reply.outcome]} ${reply.outcome}`),
        make("span", { class: "how" }, how)),
      make("pre", { tabindex: "0", "aria-label": `Reply of ${data.runs[reply.run]}` },
        reply.text || "(no text)"));
  }

  function evidence(item) {
    if (!item.evidence.length) return [];
    const pairs = item.evidence.flatMap(([name, value]) =>
      [make("dt", {}, name), make("dd", { class: "mono" }, value)]);
    return [make("details", { class: "more" },
      make("summary", {}, "Why this is the key"), make("dl", { class: "evidence" }, ...pairs))];
  }

  function caseOf(item) {
    const task = data.tasks[item.task] || item.task;
    const where = [task, item.format.replaceAll("_", " "), `block ${item.group}`, item.source];
    const wordings = Object.entries(item.wording).map(([view, text]) =>
      make("p", { class: "wording" }, `${data.view_names[view] || view}: ${text}`));
    const options = item.options.length
      ? [make("ol", { class: "options" }, ...item.options.map((text, i) => optionLine(item, text, i)))]
      : [];
    return make("article", { class: "case" },
      make("h3", { class: "mono" }, item.id),
      make("p", { class: "where" }, where.filter(Boolean).join(" · ")),
      make("p", { class: "question" }, item.question), ...wordings, ...options,
      item.options.length ? null : make("p", {}, make("strong", {}, "Key: "), item.key_text),
      make("h4", {}, "What was shown"),
      make("div", { class: "views" },
        ...item.views.flatMap((view) => view.files.map((file) => viewFigure(item, view.name, file)))),
      make("h4", {}, "Replies"),
      make("div", { class: "replies" }, ...item.replies.map(replyBlock)),
      ...evidence(item));
  }

  // --- moving about --------------------------------------------------------------------------

  function select(index, follow = true) {
    const before = list.querySelector('[aria-selected="true"]');
    if (before) before.setAttribute("aria-selected", "false");
    current = index;
    const node = index < 0 ? null : field(`row-${index}`);
    if (node) {
      node.setAttribute("aria-selected", "true");
      list.setAttribute("aria-activedescendant", node.id);
      if (follow) list.scrollTop = node.offsetTop - list.clientHeight / 3;
      place.replaceChildren(caseOf(shown[index]));
    } else {
      list.removeAttribute("aria-activedescendant");
      place.replaceChildren();
    }
    field("item-before").disabled = index <= 0;
    field("item-after").disabled = index < 0 || index >= shown.length - 1;
    field("print-cases").disabled = !shown.length;
    field("item-count").value = shown.length
      ? `${index + 1} of ${shown.length}${shown.length < data.items.length ? " filtered" : ""}`
      : "0 items";
  }

  function step(by) {
    if (shown.length) select(Math.min(shown.length - 1, Math.max(0, current + by)));
  }

  list.addEventListener("keydown", (event) => {
    const moves = {
      ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10,
      Home: -shown.length, End: shown.length,
    };
    if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step(moves[event.key]);
  });
  list.addEventListener("click", (event) => {
    const node = event.target.closest("[data-index]");
    if (node) select(Number(node.dataset.index), false);
  });
  field("item-before").addEventListener("click", () => step(-1));
  field("item-after").addEventListener("click", () => step(1));
  filters.forEach((filter) => filter.addEventListener("input", applyFilters));

  // --- the case sheet ------------------------------------------------------------------------

  function clearSheet() {
    document.body.classList.remove("printing-cases");
    field("case-sheet").replaceChildren();
  }
  field("print-cases").addEventListener("click", async () => {
    const cases = shown.map(caseOf);
    cases.forEach((node) => node.querySelectorAll("details").forEach((more) => { more.open = true; }));
    field("case-sheet").replaceChildren(...cases);
    document.body.classList.add("printing-cases");
    const images = [...field("case-sheet").querySelectorAll("img")];
    await Promise.allSettled(images.map((image) => image.decode()));
    window.print();
  });
  window.addEventListener("afterprint", clearSheet);

  applyFilters();
})();
