/** Every head of every layer at once: small pictures, five numbers each, and one word through the whole network. */
import { segmented, toggle } from "page/elements/controls";
import { h, refill, word } from "page/elements/dom";
import { BADGES, cellSize, factsOf, inOrder, passes, peak, tagsOf } from "page/heads/statistics";
import { panelOf, panelTools, isChosen } from "page/heads/panel";
import { canvasOf, lookOf, thumbnail } from "page/heads/thumbnails";
import { oneWord, readable } from "page/heads/one-word";
import { axis, blocks, kinds, tensor, weights } from "page/trace/trace";
import { heads as words } from "page/heads/words";

const [CARD, LARGE] = [250, 24]; // pixels of the large picture, and of its cells at most

export default {
  id: "heads",
  key: "h",
  title: words.title,
  wide: true,
  follows: ["kind", "layer", "head"],
  needs: (state) => (state.against === "own" ? [] : ["influence"]),
  render(root, context) {
    const { trace, state } = context;
    root.append(h("h1", {}, words.heading));
    if (!kinds(trace).length) {
      root.append(
        h(
          "p",
          { class: "explain" },
          words.noAttention(trace.model.name),
          " ",
          h("a", { href: context.link("ancestors") }, words.toAncestors),
        ),
      );
      return;
    }
    root.append(h("p", { class: "lead" }, words.lead));
    const panels = panelsOf(trace, state);
    root.append(toolbar(context, panels));
    if (state.one) followWord(root, context, panels);
    else if (state.table) root.append(...panels.map((panel) => tableOf(context, panel)));
    else pictures(root, context, panels);
    root.append(explanation(context));
  },
};

/** One word instead of all pictures; it is drawn again when only the kind of attention changes. */
function followWord(root, context, panels) {
  const box = h("div");
  const draw = () => refill(box, () => oneWord(box, context, panels));
  root.append(box);
  draw();
  context.follow(draw);
}

/** What the agreement is measured against: values by [reads, source], or null where the trace has none. */
export function referenceOf(trace, against) {
  const name = against === "own" ? trace.alignment?.tensor : trace.influence?.tensors?.[against];
  const found = tensor(trace, name);
  if (!found) return null;
  return {
    rows: found.shape[0],
    columns: found.shape[1],
    values: found.data,
    groups: axis(trace, "source", "word").map((entry) => entry.pieces),
  };
}

/** @type {WeakMap<object, Map<string, any[]>>} */
const counted = new WeakMap();

/** The panels of a trace: for each kind its blocks, and each of their heads with its numbers; counted once. */
export function panelsOf(trace, { against }) {
  const reference = referenceOf(trace, against);
  if (!counted.has(trace)) counted.set(trace, new Map());
  const known = counted.get(trace);
  const key = reference ? against : "none";
  if (!known.has(key))
    known.set(
      key,
      kinds(trace).map((kind) => panelFor(trace, kind, kind === "cross" ? reference : null)),
    );
  return known.get(key);
}

function panelFor(trace, kind, reference) {
  const found = blocks(trace, kind);
  const special = axis(trace, found[0].key_axis, "piece").flatMap((entry, i) => (entry.special ? [i] : []));
  const heads = found.flatMap((block) =>
    Array.from({ length: block.heads }, (_, head) => headOf(trace, block, head, special, reference)),
  );
  heads.forEach((head, place) => Object.assign(head, { place }));
  return { kind, blocks: found, heads };
}

function headOf(trace, block, head, special, reference) {
  const { rows, columns, data } = weights(trace, block, head);
  const facts = factsOf(
    data,
    rows,
    columns,
    special.filter((k) => k < columns),
    reference,
  );
  const most = peak(data, rows, columns);
  const [query, key] = [
    axis(trace, block.query_axis, "piece")[most.q].full,
    axis(trace, block.key_axis, "piece")[most.k].full,
  ];
  const numbers = words.numbers(facts, words.badge.format, words.badge.names);
  return {
    block,
    head,
    queries: rows,
    keys: columns,
    facts,
    query,
    key,
    weight: most.weight,
    sentence: words.cell(block.layer + 1, head + 1, numbers, query, key, most.weight),
  };
}

function pictures(root, context, panels) {
  const { state } = context;
  const card = h("aside", { class: "heads-card", "aria-label": words.detail });
  const show = (panel, head) => card.replaceChildren(...cardOf(context, panel, head).filter(Boolean));
  const [drawn, sections] = [[], []];
  const on = {
    look(panel, head, chosen) {
      show(panel, head);
      if (!chosen) return;
      context.say(head.sentence);
      context.set({ kind: panel.kind, layer: head.block.layer, head: head.head });
    },
    open(panel, head, other) {
      const view = (state.opens === "heat") === !other ? "heat" : "steps";
      context.go(view, { kind: panel.kind, layer: head.block.layer, head: head.head, q: null, k: null });
    },
  };
  for (const panel of panels) {
    const { element, cells } = panelOf(context, panel, on);
    drawn.push({ panel, cells });
    const shown = panel.heads.filter((head) => passes(head.facts, state.badge, state.order, state.limit)).length;
    sections.push(
      h(
        "section",
        { class: "heads-panel", "aria-labelledby": `heads-${panel.kind}` },
        h(
          "div",
          { class: "heads-title" },
          h("h2", { id: `heads-${panel.kind}` }, words.kinds[panel.kind]),
          h("span", { class: "shape" }, sizeOf(panel)),
          h("span", { class: "heads-quiet" }, words.kindNotes[panel.kind]),
          state.limit === null
            ? null
            : h("span", { class: "heads-quiet" }, words.filter.count(shown, panel.heads.length)),
          panelTools(context, panel, captions(context, panel)),
        ),
        panel.blocks.every((block) => block.sums_to_one !== false)
          ? null
          : h("p", { class: "heads-quiet" }, words.notOne),
        element,
      ),
    );
  }
  root.append(
    h("p", { id: "heads-help", class: "unseen" }, words.help),
    h("div", { class: "heads-main" }, h("div", {}, sections), card),
  );
  const update = (now) => {
    for (const { panel, cells } of drawn)
      for (const { element, head } of cells) {
        const chosen = isChosen(now, panel, head);
        element.classList.toggle("chosen", chosen);
        element.setAttribute("aria-selected", String(chosen));
        if (chosen) show(panel, head);
      }
  };
  context.follow(update);
  card.replaceChildren(h("p", { class: "heads-quiet" }, words.choose));
  update(state);
}

const sizeOf = (panel) => words.size(panel.blocks.length, Math.max(...panel.blocks.map((block) => block.heads)));

function captions({ trace, state }, panel) {
  return [
    `${trace.model.name}: ${trace.source_text}`,
    words.caption(
      state.unit,
      state.transfer,
      words.badge.names[state.badge],
      ...["query_axis", "key_axis"].map((side) => axis(trace, panel.blocks[0][side], state.unit).length),
    ),
  ];
}

/** The head under the cursor: its picture larger, and its numbers. */
function cardOf(context, panel, head) {
  const to = { kind: panel.kind, layer: head.block.layer, head: head.head, q: null, k: null, one: false };
  const image = thumbnail(context.trace, head.block, head.head, lookOf(context));
  return [
    h("h2", {}, words.where(words.kinds[panel.kind], head.block.layer + 1, head.head + 1)),
    h(
      "div",
      { class: "heads-large" },
      canvasOf(image, cellSize(CARD, Math.max(image.columns, image.rows), LARGE), context.theme),
    ),
    h(
      "dl",
      {},
      BADGES.map((name) =>
        h(
          "div",
          { class: context.state.badge === name ? "chosen" : null },
          h("dt", {}, words.badge.names[name]),
          h("dd", { dataset: { fact: name } }, words.badge.format(name, head.facts[name])),
        ),
      ),
    ),
    context.state.depth === "tensors"
      ? h("p", { class: "shape" }, words.tensor(head.block.tensors.weights, head.head, head.queries, head.keys))
      : null,
    h(
      "p",
      {},
      words.strongest,
      " ",
      word(readable(head.query)),
      " → ",
      word(readable(head.key)),
      " ",
      h("b", {}, head.weight.toFixed(3)),
    ),
    h(
      "p",
      { class: "heads-open" },
      h("a", { href: context.link("heat", to) }, words.goTo(words.open.heat)),
      h("a", { href: context.link("steps", to) }, words.goTo(words.open.steps)),
    ),
  ];
}

function choice(label, name, value, options, onchange) {
  return h(
    "label",
    { class: "heads-choice" },
    h("span", {}, label),
    h(
      "select",
      { value, dataset: { focus: name }, onchange: (event) => onchange(event.target.value) },
      options.map(([key, text]) => h("option", { value: key }, text)),
    ),
  );
}

function toolbar(context, panels) {
  const { state, trace, set } = context;
  const mode = choice(
    words.mode.label,
    "heads-mode",
    state.one ? "word" : "heads",
    [
      ["heads", words.mode.heads],
      ["word", words.mode.word],
    ],
    (value) => set({ one: value === "word" }),
  );
  const unit = segmented(
    words.unit.label,
    ["word", "piece"].map((value) => ({ value, name: words.unit[value] })),
    state.unit,
    (value) => set({ unit: value, q: null, k: null }),
  );
  const hide = toggle(words.hide, state.hide, (value) => set({ hide: value }));
  if (state.one) return h("div", { class: "heads-bar" }, mode, unit, hide);
  const has = panels.some((panel) => panel.heads.some((head) => head.facts.agreement !== null)) || trace.alignment;
  const badge = choice(
    words.badge.label,
    "heads-badge",
    state.badge,
    BADGES.filter((name) => has || name !== "agreement").map((name) => [name, words.badge.names[name]]),
    (value) => set({ badge: value, limit: null }),
  );
  const order = choice(
    words.order.label,
    "heads-order",
    state.order,
    ["grid", "high", "low"].map((name) => [name, words.order[name]]),
    (value) => set({ order: value }),
  );
  const opens = choice(
    words.open.label,
    "heads-opens",
    state.opens,
    ["heat", "steps"].map((name) => [name, words.open[name]]),
    (value) => set({ opens: value }),
  );
  const against =
    state.badge === "agreement" && has
      ? choice(
          words.reference.label,
          "heads-against",
          state.against,
          ["own", ...(context.served || trace.influence ? ["occlusion", "gradient"] : [])].map((name) => [
            name,
            words.reference[name],
          ]),
          (value) => set({ against: value }),
        )
      : null;
  return h("div", { class: "heads-bar" }, mode, badge, against, order, filter(context, panels), unit, hide, opens);
}

/** A slider over the range the chosen number really has. */
function filter(context, panels) {
  const { state, set } = context;
  const values = panels
    .flatMap((panel) => panel.heads.map((head) => head.facts[state.badge]))
    .filter((value) => value !== null);
  if (!values.length) return null;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = Math.max((most - least) / 200, 1e-6);
  const label = state.order === "low" ? words.filter.most : words.filter.least;
  const start = state.order === "low" ? most : least;
  const now = state.limit ?? start;
  const input = h("input", {
    type: "range",
    min: least,
    max: most,
    step,
    dataset: { focus: "heads-limit" },
    "aria-valuetext": words.badge.format(state.badge, now),
    onchange: (event) => set({ limit: Number(Number(event.target.value).toFixed(6)) }),
  });
  input.value = String(now);
  const number = h("output", {}, words.badge.format(state.badge, now));
  input.addEventListener("input", () => {
    number.textContent = words.badge.format(state.badge, Number(input.value));
  });
  const off =
    state.limit === null
      ? null
      : h("button", { type: "button", class: "tool", onclick: () => set({ limit: null }) }, words.filter.off);
  return h(
    "span",
    { class: "heads-choice" },
    h("label", { class: "heads-choice" }, h("span", {}, label), input),
    number,
    off,
  );
}

function tableOf(context, panel) {
  const { state } = context;
  const left = inOrder(
    panel.heads.filter((head) => passes(head.facts, state.badge, state.order, state.limit)),
    state.badge,
    state.order,
  );
  const names = BADGES.filter((name) => panel.heads.some((head) => head.facts[name] !== null));
  const head = h(
    "tr",
    {},
    [
      words.table.layer,
      words.table.head,
      ...names.map((name) => words.badge.names[name]),
      words.table.tags,
      words.table.strongest,
    ].map((name) => h("th", { scope: "col" }, name)),
  );
  const rows = left.map((one) => {
    const to = context.link(state.opens, {
      kind: panel.kind,
      layer: one.block.layer,
      head: one.head,
      q: null,
      k: null,
      table: false,
    });
    return h(
      "tr",
      { dataset: { layer: one.block.layer, head: one.head } },
      h("td", {}, String(one.block.layer + 1)),
      h("th", { scope: "row" }, h("a", { href: to }, words.short(one.block.layer + 1, one.head + 1))),
      names.map((name) =>
        h("td", { dataset: { fact: name } }, one.facts[name] === null ? words.badge.none : one.facts[name].toFixed(4)),
      ),
      h(
        "td",
        {},
        tagsOf(one.facts, one.keys)
          .map((tag) => words.tags[tag])
          .join(", "),
      ),
      h("td", {}, word(words.table.pair(readable(one.query), readable(one.key), one.weight))),
    );
  });
  const title = words.table.caption(words.kinds[panel.kind]);
  return h(
    "section",
    { class: "heads-panel" },
    h("h2", {}, words.kinds[panel.kind]),
    h(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": title,
        dataset: { scroll: `table-${panel.kind}`, focus: `table-${panel.kind}` },
      },
      h("table", {}, h("caption", { class: "unseen" }, title), h("thead", {}, head), h("tbody", {}, rows)),
    ),
  );
}

/** What the numbers mean, and what they do not. */
function explanation({ state }) {
  const names = BADGES.map((name) => [h("dt", {}, words.badge.names[name]), h("dd", {}, words.badge.meaning[name])]);
  return h(
    "details",
    { class: "heads-meaning", open: state.depth === "words" },
    h("summary", {}, words.meaning),
    h("dl", {}, names),
    h("p", {}, words.tagRules),
    h("p", {}, words.averaged),
    h("p", {}, words.reference.note),
    h("p", {}, words.caution),
  );
}
