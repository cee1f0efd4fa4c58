/** The search: every beginning that was kept, every one that was dropped, every end, and which of them wins. */

import { words as frame } from "page/app/words";
import { wholeTree } from "page/beam/drawing";
import { alphaOf, endsOf, returned } from "page/beam/finished";
import { keys } from "page/beam/keys";
import { nodeOf } from "page/beam/node";
import { nameOf, signed } from "page/beam/numbers";
import { treeOf } from "page/beam/picture";
import { byNumber, ends, grid, pathOfSteps, pathTo, ranked, scoreOf, textOf } from "page/beam/tree";
import { beam as words } from "page/beam/words";
import { drawingTools } from "page/drawing/save";
import { h, word } from "page/elements/dom";

/** @import { Scene } from "page/beam/drawing" */
/** @import { Search, TreeNode } from "page/beam/tree" */
/** @import { Context, State, Trace, View } from "page/types" */

const PRUNED = { none: 0, few: 3, all: Infinity };
const MOST_ROWS = 400;

/** @type {View} */
export default {
  id: "beam",
  key: "b",
  keys,
  title: frame.viewNames.beam,
  wide: true,
  follows: ["hyp", "alpha"],
  needs: () => [],
  /** @param {HTMLElement} root @param {Context} context */
  render(root, context) {
    const found = searchOf(context.trace);
    root.append(h("h1", {}, words.heading));
    introduce(root, context, found);
    const scene = sceneOf(context, found);
    const chosen = h("aside", { class: "beam-node", "aria-labelledby": "beam-node" });
    /** @param {number} number */
    const pick = (number) => context.set({ hyp: number });
    const finished = found.beam && ends(found.beam).length ? endsOf(context, found.beam, found.textAt, pick) : null;
    root.append(toolbar(context, found, scene), legend(found));
    const tree = context.state.table
      ? null
      : treeOf(context, scene, (node, pinned) => {
          pick(node.n);
          if (pinned) chosen.querySelector("h2")?.focus();
        });
    root.append(h("div", { class: "beam-main" }, tree ? tree.element : tableOf(found, scene), chosen));
    if (finished) root.append(finished.element);
    /** @param {any} now */
    const update = (now) => {
      scene.chosen = now.hyp;
      if (found.beam) Object.assign(scene, { alpha: alphaOf(found.beam, now), winning: winningPath(found, now) });
      tree?.draw();
      chosen.replaceChildren(...nodeOf(context, found, scene));
    };
    update(context.state);
    if (tree && context.state.hyp !== null) tree.reveal(context.state.hyp);
    tree?.draw();
    let last = context.state.alpha;
    context.follow((now) => {
      if (now.alpha !== last) finished?.update(now);
      last = now.alpha;
      update(now);
    });
  },
};

/** The nodes of a trace: those of its search, or of the one path it was forced along. @param {Trace} trace */
function searchOf(trace) {
  const { beam } = trace;
  const nodes = beam ? beam.nodes : pathOfSteps(trace.steps, trace.axes.target.tokens, "eos");
  const index = byNumber(nodes);
  const texts = new Map((beam?.hypotheses ?? []).map((each) => [each.node, each.text]));
  const last = new Set(nodes.filter((node) => node.state === "finished").map((node) => node.n));
  /** @param {number} number */
  const textAt = (number) => texts.get(number) ?? textOf(pathTo(index, number), last);
  return { trace, beam, nodes, index, textAt };
}

/**
 * The path of the output that wins under the alpha of the state.
 * @param {any} found
 * @param {State} state
 */
function winningPath(found, state) {
  if (!found.beam)
    return new Set(
      found.nodes
        .filter((/** @type {TreeNode} */ node) => node.state !== "pruned")
        .map((/** @type {TreeNode} */ node) => node.n),
    );
  const outputs = ends(found.beam);
  const asSearched = state.alpha === null || state.alpha === found.beam.alpha;
  const best = asSearched ? returned(found.beam) : ranked(outputs, state.alpha, found.beam.penalty)[0]?.node;
  return new Set(best === undefined || best === null ? [] : [0, ...pathTo(found.index, best).map((node) => node.n)]);
}

/** @param {Context} context @param {any} found */
function sceneOf({ state, theme }, found) {
  return {
    layout: grid(found.nodes, PRUNED[state.pruned]),
    index: found.index,
    winning: winningPath(found, state),
    chosen: state.hyp,
    alpha: found.beam ? alphaOf(found.beam, state) : null,
    rule: found.beam?.penalty,
    theme,
    depth: state.depth,
  };
}

/**
 * What is to be seen, in a sentence or two.
 * @param {HTMLElement} root
 * @param {Context} context
 * @param {any} found
 */
function introduce(root, context, found) {
  const { state, set } = context;
  const steps = found.nodes.reduce(
    (/** @type {number} */ most, /** @type {TreeNode} */ node) => Math.max(most, node.t),
    0,
  );
  if (!found.beam) {
    const kind = found.trace.output.mode === "forced" ? "force" : found.trace.output.mode;
    const free = context.served
      ? h("button", { type: "button", onclick: () => set({ force: "", hyp: null, alpha: null }) }, words.runSearch)
      : null;
    root.append(
      h(
        "p",
        { class: "lead" },
        words.noSearch[/** @type {keyof typeof words.noSearch} */ (kind)] ?? words.noSearch.other,
        " ",
        words.noSearchPicture,
      ),
      free ?? "",
    );
    return;
  }
  root.append(
    h("p", { class: "lead" }, words.lead(found.beam.k, steps), found.beam.k === 1 ? ` ${words.widthOne}` : ""),
  );
  if (state.prefix) {
    const free = context.served
      ? h(
          "button",
          { type: "button", class: "tool", onclick: () => set({ prefix: "", hyp: null, alpha: null }) },
          words.freely,
        )
      : null;
    root.append(h("p", { class: "note" }, words.prefixed, " ", word(state.prefix), " ", free));
  }
}

/** @param {Context} context @param {any} found @param {any} scene */
function toolbar(context, found, scene) {
  const { state, set } = context;
  const select = h(
    "select",
    {
      value: state.pruned,
      dataset: { focus: "beam-pruned" },
      onchange: (event) => set({ pruned: /** @type {State["pruned"]} */ (event.target.value) }),
    },
    Object.keys(PRUNED).map((name) =>
      h("option", { value: name }, words.pruned[/** @type {keyof typeof words.pruned} */ (name)]),
    ),
  );
  const sizes = [...new Set([1, 2, 4, 8, found.beam?.k ?? 4])].sort((a, b) => a - b);
  const size =
    context.served && found.beam
      ? h(
          "label",
          { class: "heads-choice" },
          h("span", {}, words.size),
          h(
            "select",
            {
              value: String(found.beam.k),
              dataset: { focus: "beam-size" },
              onchange: (event) => set({ size: Number(event.target.value), hyp: null, alpha: null }),
            },
            sizes.map((each) => h("option", { value: String(each) }, String(each))),
          ),
        )
      : null;
  const label = found.beam ? words.pruned.label : words.pruned.alternatives;
  return h(
    "div",
    { class: "heads-bar" },
    h("label", { class: "heads-choice" }, h("span", {}, label), select),
    size,
    tools(context, found, scene),
  );
}

/** @param {Context} context @param {Search} found @param {Scene} scene */
function tools(context, found, scene) {
  const { trace } = found;
  const about = () => ({
    title: words.heading,
    captions: [
      `${trace.model.name}: ${trace.source_text}`,
      found.beam ? words.caption(found.beam.k, scene.alpha) : words.noSearch.other,
    ],
    words,
  });
  const { table } = context.state;
  const change = h(
    "button",
    {
      type: "button",
      class: "tool",
      title: words.tools.table,
      dataset: { focus: "beam-table" },
      onclick: () => context.set({ table: !table }),
    },
    table ? words.tools.asPicture : words.tools.asTable,
  );
  return drawingTools(
    context,
    {
      title: words.heading,
      name: "beam",
      size: () => wholeTree(null, scene, about()),
      draw: (surface) => wholeTree(surface, scene, about()),
      csv: () => csvOf(found, scene.alpha),
    },
    change,
  );
}

/**
 * Every node the trace holds, with all its digits.
 * @param {Search} found
 * @param {number | null} alpha
 */
function csvOf(found, alpha) {
  /** @param {string} text */
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const lines = found.nodes.map((node) => [
    node.n,
    node.t,
    node.parent ?? "",
    node.id,
    quoted(node.piece),
    node.state,
    node.logp,
    node.cum,
    node.t && alpha !== null ? scoreOf(node.cum, node.t, alpha, found.beam?.penalty) : "",
  ]);
  return [["node", "step", "parent", "token", "piece", "state", "log_p", "sum", "score"], ...lines]
    .map((line) => `${line.join(",")}\r\n`)
    .join("");
}

/** @param {any} found */
function legend(found) {
  /** @param {any} kind @param {string} text */
  const item = (kind, text) => h("li", {}, h("span", { class: `beam-key ${kind}`, "aria-hidden": "true" }), text);
  const items = found.beam
    ? ["winner", "kept", "finished", "pruned"].map((kind) =>
        item(kind, words.legend[/** @type {keyof typeof words.legend} */ (kind)]),
      )
    : [item("winner", words.legend.given), item("pruned", words.legend.alternative)];
  return h("ul", { class: "beam-legend", "aria-label": words.legendOf }, items);
}

/**
 * The nodes of the picture as a table.
 * @param {any} found
 * @param {any} scene
 */
function tableOf(found, scene) {
  const all = scene.layout.columns.flatMap((/** @type {number} */ column, /** @type {number} */ step) =>
    step
      ? /** @type {any} */ (column).map((/** @type {TreeNode} */ node, /** @type {number} */ row) => ({ node, row }))
      : [],
  );
  const names = words.columns;
  const head = h(
    "tr",
    {},
    [
      names.step,
      names.rank,
      names.piece,
      names.state,
      names.logp,
      names.cum,
      ...(found.beam ? [names.score] : []),
      names.after,
    ].map((name) => h("th", { scope: "col" }, name)),
  );
  const rows = all
    .slice(0, MOST_ROWS)
    .map((/** @type {any} */ { node, row }) =>
      h(
        "tr",
        { class: scene.winning.has(node.n) ? "winner" : null, dataset: { node: node.n } },
        h("td", {}, String(node.t)),
        h("td", {}, String((node.rank ?? row) + 1)),
        h("th", { scope: "row" }, word(nameOf(node, scene.depth, found.index))),
        h("td", {}, words.states[/** @type {keyof typeof words.states} */ (node.state)]),
        h("td", {}, signed(node.logp, 4)),
        h("td", {}, signed(node.cum, 4)),
        found.beam ? h("td", {}, signed(scoreOf(node.cum, node.t, scene.alpha, found.beam.penalty), 4)) : null,
        h("td", { class: "text" }, word(found.textAt(node.parent) || words.start)),
      ),
    );
  return h(
    "div",
    {
      class: "beam-scroll table-scroll",
      tabindex: "0",
      role: "region",
      "aria-label": words.tableCaption,
      dataset: { scroll: "beam", focus: "beam" },
    },
    all.length > MOST_ROWS ? h("p", { class: "note" }, words.tableCut(MOST_ROWS, all.length)) : null,
    h(
      "table",
      { class: "beam-table" },
      h("caption", { class: "unseen" }, words.tableCaption),
      h("thead", {}, head),
      h("tbody", {}, rows),
    ),
  );
}
