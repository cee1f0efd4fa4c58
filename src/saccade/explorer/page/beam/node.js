/** One node of a search: what was written up to it, its numbers spelled out, and where one can go from it. */

import { nameOf, signed } from "page/beam/numbers";
import { lengthPenalty, pathTo, scoreOf, shortOf } from "page/beam/tree";
import { beam as words } from "page/beam/words";
import { h, word } from "page/elements/dom";
import { percent } from "page/numbers/numbers";

/** @import { Scene } from "page/beam/drawing" */
/** @import { Search, TreeNode } from "page/beam/tree" */
/** @import { Context } from "page/types" */

/** @param {Context} context @param {any} found @param {any} scene @returns {any[]} the children of the card */
export function nodeOf(context, found, scene) {
  const node = scene.chosen === null ? null : found.index.get(scene.chosen);
  const heading = h("h2", { id: "beam-node", tabindex: "-1" }, words.node.heading);
  if (!node) return [heading, h("p", { class: "heads-quiet" }, words.node.none)];
  if (node.state === "root") return [heading, h("p", {}, words.node.root)];
  return [
    heading,
    h(
      "p",
      { class: "beam-written" },
      h("span", { class: "heads-quiet" }, words.node.written),
      h("br"),
      word(found.textAt(node.n) || words.finished.empty),
    ),
    h("p", {}, fate(found, scene, node)),
    context.state.depth === "words" ? h("p", {}, words.node.chance(Math.exp(node.logp))) : numbers(found, scene, node),
    pathTable(found, scene, node),
    h("div", { class: "beam-actions" }, actions(context, found, node)),
  ];
}

/**
 * What became of it.
 * @param {Search} found
 * @param {Scene} scene
 * @param {TreeNode} node
 */
function fate(found, scene, node) {
  const rank = node.rank === undefined ? "" : ` ${words.node.rank(node.rank + 1)}`;
  const gap = found.beam ? shortOf(found.nodes, node) : null;
  const short = gap === null || scene.depth === "words" ? "" : ` ${words.node.short(gap)}`;
  const state = found.beam
    ? words.node.fates[/** @type {keyof typeof words.node.fates} */ (node.state)]
    : words.node.forced[/** @type {keyof typeof words.node.forced} */ (node.state)];
  return `${state}${rank}${short}${scene.winning.has(node.n) && found.beam ? ` ${words.node.winning}` : ""}`;
}

/**
 * The digits: sum, penalty and score as they come about.
 * @param {any} found
 * @param {Scene} scene
 * @param {TreeNode} node
 */
function numbers(found, scene, node) {
  const before = found.index.get(node.parent).cum;
  const lp = found.beam ? lengthPenalty(node.t, scene.alpha, found.beam.penalty) : null;
  /** @param {string} name @param {any} text @param {any} value */
  const line = (name, text, value) => h("div", {}, h("dt", {}, name), h("dd", { dataset: { fact: value } }, text));
  return h(
    "dl",
    { class: "beam-digits" },
    line(words.node.piece, word(nameOf(node, scene.depth, found.index)), "piece"),
    line(words.node.logp, `${signed(node.logp, 4)}  (${words.node.chance(Math.exp(node.logp))})`, "logp"),
    line(words.node.sum, words.node.digits(before, node.logp, node.cum), "sum"),
    found.beam
      ? line(words.node.penalty, words.node.penaltyDigits(node.t, scene.alpha, lp, found.beam.penalty), "lp")
      : null,
    found.beam
      ? line(
          words.node.score,
          words.node.scoreDigits(node.cum, lp, scoreOf(node.cum, node.t, scene.alpha, found.beam.penalty)),
          "score",
        )
      : null,
    scene.depth === "tensors"
      ? [line(words.node.id, String(node.id), "id"), line(words.node.number, String(node.n), "number")]
      : null,
  );
}

/**
 * Every piece on the way here.
 * @param {Search} found
 * @param {Scene} scene
 * @param {TreeNode} node
 */
function pathTable(found, scene, node) {
  const path = pathTo(found.index, node.n);
  const inWords = scene.depth === "words";
  const rows = path.map((each) =>
    h(
      "tr",
      {},
      h("td", {}, String(each.t)),
      h("th", { scope: "row", class: "text" }, word(nameOf(each, scene.depth, found.index))),
      inWords
        ? h("td", {}, percent(Math.exp(each.logp)))
        : [h("td", {}, signed(each.logp, 4)), h("td", {}, signed(each.cum, 4))],
    ),
  );
  const numbers = inWords ? [words.finished.columns.p] : [words.columns.logp, words.columns.cum];
  const head = h(
    "tr",
    {},
    [words.columns.step, words.columns.piece, ...numbers].map((name) => h("th", { scope: "col" }, name)),
  );
  return h(
    "details",
    { class: "beam-path" },
    h("summary", {}, words.node.path(path.length)),
    h("table", {}, h("thead", {}, head), h("tbody", {}, rows)),
  );
}

/**
 * Where one can go from here: on from this beginning, or into the attention of what is written.
 * @param {Context} context
 * @param {Search} found
 * @param {TreeNode} node
 */
function actions(context, found, node) {
  const { trace } = found;
  const text = found.textAt(node.n);
  const traced = pathTo(found.index, node.n).every((each, t) => trace.axes.target.tokens[t]?.id === each.id);
  const attends = trace.blocks.some((block) => block.kind === "cross");
  const look =
    traced && attends
      ? h(
          "a",
          { href: context.link("heat", { kind: "cross", unit: "piece", q: node.t - 1, k: 0, head: "mean" }) },
          words.node.attention,
        )
      : null;
  if (!context.served) return [look, h("p", { class: "heads-quiet" }, words.node.offline)];
  const fresh = { hyp: null, alpha: null, q: null, k: null, step: null };
  const on =
    node.state === "finished" || !text
      ? null
      : h(
          "button",
          {
            type: "button",
            title: words.node.continueHelp,
            onclick: () => context.set({ ...fresh, prefix: text, force: "" }),
          },
          words.node.continue,
        );
  const inside =
    traced || !text
      ? null
      : h(
          "button",
          {
            type: "button",
            title: words.node.insideHelp,
            onclick: () => context.go("heat", { ...fresh, force: text, prefix: "" }),
          },
          words.node.inside,
        );
  return [on, inside, look, on ? h("p", { class: "heads-quiet" }, words.node.pieces) : null];
}
