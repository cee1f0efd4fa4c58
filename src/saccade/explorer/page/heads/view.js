/** Every head of every layer at once: small pictures, five numbers each, and one word through the whole network. */

import { words as frame } from "page/app/words";
import { parseTree } from "page/drawing/parse-tree";
import { h, refill, word } from "page/elements/dom";
import { panelsOf } from "page/heads/heads-of-trace";
import { keys } from "page/heads/keys";
import { lessonOfLength } from "page/heads/long-sentences";
import { oneWord, readable } from "page/heads/one-word";
import { isChosen, panelOf, panelTools } from "page/heads/panel";
import { BADGES, cellSize, inOrder, passes, tagsOf } from "page/heads/statistics";
import { canvasOf, lookOf, thumbnail } from "page/heads/thumbnails";
import { toolbar } from "page/heads/toolbar";
import { heads as words } from "page/heads/words";
import { percent } from "page/numbers/numbers";
import { plainPiece } from "page/trace/plain-names";
import { aggregate, axis, chosen, kinds, weights } from "page/trace/trace";

/** @import { Panel, PanelHead } from "page/heads/heads-of-trace" */
/** @import { Block, Context, State, View } from "page/types" */

const [CARD, LARGE] = [250, 24]; // pixels of the large picture, and of its cells at most

/** @type {View} */
export default {
  id: "heads",
  key: "e",
  keys,
  title: frame.viewNames.heads,
  wide: true,
  follows: ["kind", "layer", "head"],
  /** @param {State} state */
  needs: (state) => (state.against === "own" ? [] : ["influence"]),
  /** @param {HTMLElement} root @param {Context} context */
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
    root.append(h("p", { class: "lead" }, words.lead), lessonOfLength(trace) ?? "");
    const panels = panelsOf(trace, state);
    root.append(toolbar(context, panels));
    if (state.one) followWord(root, context, panels);
    else if (state.table)
      root.append(.../** @type {NonNullable<typeof panels>} */ (panels).map((panel) => tableOf(context, panel)));
    else pictures(root, context, panels);
    if (trace.tree) treeOfHead(root, context);
    root.append(explanation(context));
  },
};

/**
 * One word instead of all pictures; it is drawn again when only the kind of attention changes.
 * @param {HTMLElement} root
 * @param {Context} context
 * @param {any} panels
 */
function followWord(root, context, panels) {
  const box = h("div");
  const draw = () => refill(box, () => oneWord(box, context, panels));
  root.append(box);
  draw();
  context.follow(draw);
}

/**
 * The tree of a parser, with the weights of the cross-attention head that was chosen; drawn again for another one.
 * @param {HTMLElement} root
 * @param {Context} context
 */
function treeOfHead(root, context) {
  const { trace } = context;
  const box = h("div", { class: "heads-tree" });
  const draw = (/** @type {State} */ now) => {
    const { kind, block, head } = chosen(trace, { ...now, kind: "cross" });
    const [rows, columns] = [axis(trace, "target", "word"), axis(trace, "source", "word")];
    if (kind !== "cross") return;
    const found = { rows, columns, weights: aggregate(weights(trace, block, head), rows, columns) };
    refill(box, () => box.append(h("h2", {}, words.tree(block.layer, head)), parseTree(context, found) ?? ""));
  };
  root.append(box);
  draw(context.state);
  context.follow(draw);
}

/** @param {HTMLElement} root @param {Context} context @param {any} panels */
function pictures(root, context, panels) {
  const { state } = context;
  const card = h("aside", { class: "heads-card", "aria-label": words.detail });
  /** @param {Panel} panel @param {PanelHead} head */
  const show = (panel, head) => card.replaceChildren(...cardOf(context, panel, head).filter((one) => one !== null));
  /** @type {{panel: Panel, cells: {element: HTMLElement, head: PanelHead}[]}[]} */
  const drawn = [];
  /** @type {HTMLElement[]} */
  const sections = [];
  const on = {
    /** @param {Panel} panel @param {PanelHead} head @param {boolean} chosen */
    look(panel, head, chosen) {
      show(panel, head);
      if (!chosen) return;
      context.say(head.sentence);
      context.set({ kind: panel.kind, layer: head.block.layer, head: head.head });
    },
    /** @param {Panel} panel @param {PanelHead} head @param {boolean} other */
    open(panel, head, other) {
      const view = (state.opens === "heat") === !other ? "heat" : "steps";
      context.go(view, { kind: panel.kind, layer: head.block.layer, head: head.head, q: null, k: null });
    },
  };
  for (const panel of panels) {
    const { element, cells } = panelOf(context, panel, on);
    drawn.push({ panel, cells });
    const shown = panel.heads.filter((/** @type {PanelHead} */ head) =>
      passes(head.facts, state.badge, state.order, state.limit),
    ).length;
    sections.push(
      /** @type {any} */ (
        h(
          "section",
          { class: "heads-panel", "aria-labelledby": `heads-${panel.kind}` },
          h(
            "div",
            { class: "heads-title" },
            h("h2", { id: `heads-${panel.kind}` }, words.kinds[/** @type {keyof typeof words.kinds} */ (panel.kind)]),
            h("span", { class: "shape" }, sizeOf(panel)),
            h(
              "span",
              { class: "heads-quiet" },
              words.kindNotes[/** @type {keyof typeof words.kindNotes} */ (panel.kind)],
            ),
            state.limit === null
              ? null
              : h("span", { class: "heads-quiet" }, words.filter.count(shown, panel.heads.length)),
            panelTools(context, panel, captions(context, panel)),
          ),
          panel.blocks.every((/** @type {Block} */ block) => block.sums_to_one !== false)
            ? null
            : h("p", { class: "heads-quiet" }, words.notOne),
          element,
        )
      ),
    );
  }
  root.append(
    h("p", { id: "heads-help", class: "unseen" }, words.help),
    h("div", { class: "heads-main" }, h("div", {}, sections), card),
  );
  /** @param {any} now */
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

/** @param {Panel} panel */
const sizeOf = (panel) => words.size(panel.blocks.length, Math.max(...panel.blocks.map((block) => block.heads)));

/** @param {Context} context @param {any} panel */
function captions({ trace, state }, panel) {
  return [
    `${trace.model.name}: ${trace.source_text}`,
    words.caption(
      state.unit,
      state.transfer,
      words.badge.names[state.badge],
      axis(trace, panel.blocks[0].query_axis, state.unit).length,
      axis(trace, panel.blocks[0].key_axis, state.unit).length,
    ),
  ];
}

/**
 * The head under the cursor: its picture larger, and its numbers.
 * @param {Context} context
 * @param {Panel} panel
 * @param {any} head
 */
function cardOf(context, panel, head) {
  const to = { kind: panel.kind, layer: head.block.layer, head: head.head, q: null, k: null, one: false };
  const image = thumbnail(context.trace, head.block, head.head, lookOf(context));
  const inWords = context.state.depth === "words";
  const name = inWords ? plainPiece : readable;
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
          h("dt", {}, words.badge.names[/** @type {keyof typeof words.badge.names} */ (name)]),
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
      word(name(head.query)),
      " → ",
      word(name(head.key)),
      " ",
      h("b", {}, inWords ? percent(head.weight) : head.weight.toFixed(3)),
    ),
    h(
      "p",
      { class: "heads-open" },
      h("a", { href: context.link("heat", to) }, words.goTo(words.open.heat)),
      h("a", { href: context.link("steps", to) }, words.goTo(words.open.steps)),
    ),
  ];
}

/** @param {Context} context @param {Panel} panel */
function tableOf(context, panel) {
  const { state } = context;
  const left = inOrder(
    panel.heads.filter((head) => passes(head.facts, state.badge, state.order, state.limit)),
    state.badge,
    state.order,
  );
  const names = BADGES.filter((name) =>
    panel.heads.some((head) => head.facts[/** @type {keyof typeof head.facts} */ (name)] !== null),
  );
  const head = h(
    "tr",
    {},
    [
      words.table.layer,
      words.table.head,
      ...names.map((name) => words.badge.names[/** @type {keyof typeof words.badge.names} */ (name)]),
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
          .map((tag) => words.tags[/** @type {keyof typeof words.tags} */ (tag)])
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

/** What the numbers mean, and what they do not. @param {Context} context */
function explanation({ state }) {
  const names = BADGES.map((name) => [
    h("dt", {}, words.badge.names[/** @type {keyof typeof words.badge.names} */ (name)]),
    h("dd", {}, words.badge.meaning[/** @type {keyof typeof words.badge.meaning} */ (name)]),
  ]);
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
