/**
 * The tree that a parser wrote, over its words. Pointing at a bracket shows, as bars under the words, where the model
 * looked at the step that opened it.
 */

import { css, sequential } from "page/drawing/colour";
import { INKS, measure } from "page/drawing/matrix-drawing";
import { drawingTools } from "page/drawing/save";
import { SvgSurface } from "page/drawing/surface";
import { DRAWING } from "page/drawing/words";
import { h } from "page/elements/dom";
import { digits } from "page/numbers/numbers";

/** @import { AxisEntry, Context, Matrix, Surface, Theme } from "page/types" */
/** @import { Bracket, Tree } from "page/trace/schema" */

/** Where a bracket, or a tag and its word, is drawn; `x` is its middle. @typedef {{x: number, y: number}} Place */
/** From where to where. @typedef {[number, number, number, number]} Line */
/** Weights of written words over source words. @typedef {{rows: AxisEntry[], columns: AxisEntry[], weights: Matrix}} Weights */

/**
 * @typedef {object} Layout
 * @property {number} width
 * @property {number} height
 * @property {Place[]} brackets
 * @property {Place[]} leaves
 * @property {Line[]} lines
 * @property {number} words   where the words stand
 */

const LEVEL = 40; // pixels from a bracket to the one inside it
const SIZE = 15;
const TAG = 11;
const GAP = 14;
const BAR = 40; // pixels of a weight of one
const NAME = "parse-tree";

/**
 * Null where the model writes no trees; without weights, the tree alone.
 * @param {Context} context
 * @param {Weights | null} weights
 * @returns {HTMLElement | null}
 */
export function parseTree(context, weights) {
  const tree = context.trace.tree;
  if (!tree) return null;
  // A drawing that is made again takes the place of the one before it.
  const before = (context.drawings ?? []).findIndex(({ name }) => name === NAME);
  if (before >= 0) context.drawings.splice(before, 1);
  const layout = layoutOf(tree);
  const looked = lookedAt(tree, weights);
  const box = h("div", { class: "parse-drawing" });
  const said = h("p", { class: "quiet-text", role: "status" });
  const opened = tree.brackets.findIndex((bracket) => bracket.open === context.state.step);
  let shown = opened === -1 ? null : opened;
  const show = (/** @type {number | null} */ chosen) => {
    shown = chosen;
    const surface = new SvgSurface(layout.width, layout.height);
    draw(surface, tree, layout, looked, chosen, context.theme);
    surface.element.setAttribute("aria-hidden", "true");
    box.replaceChildren(surface.element);
    said.textContent = chosen === null ? instruction(looked) : sentence(tree, looked, chosen);
    for (const button of buttons)
      button.setAttribute("aria-pressed", String(Number(button.dataset.bracket) === chosen));
  };
  const buttons = tree.brackets.map((bracket, i) => bracketButton(context, bracket, i, layout.brackets[i], show));
  show(shown);
  const drawing = {
    title: DRAWING.tree.title,
    name: NAME,
    size: () => ({ width: layout.width, height: layout.height }),
    /** @param {Surface} surface */
    draw: (surface) => draw(surface, tree, layout, looked, shown, context.theme),
  };
  return h(
    "figure",
    { class: "parse-tree", dataset: { figure: NAME } },
    h("figcaption", {}, h("span", { class: "matrix-title" }, DRAWING.tree.title), drawingTools(context, drawing)),
    h(
      "div",
      {
        class: "lab-scroll",
        tabindex: "0",
        role: "group",
        "aria-label": DRAWING.tree.title,
        dataset: { scroll: NAME, focus: NAME },
      },
      h(
        "div",
        { class: "parse-box", style: { width: `${layout.width}px`, height: `${layout.height}px` } },
        box,
        buttons,
      ),
    ),
    said,
  );
}

/**
 * @param {Context} context
 * @param {Bracket} bracket
 * @param {number} i
 * @param {Place} place
 * @param {(chosen: number | null) => void} show
 */
function bracketButton({ state, trace, set }, bracket, i, place, show) {
  const width = measure(bracket.label, SIZE) + 12;
  const words = trace.tree?.words.slice(bracket.start, bracket.end).join(" ");
  const back = () => {
    const opened = trace.tree?.brackets.findIndex((one) => one.open === state.step) ?? -1;
    show(opened === -1 ? null : opened);
  };
  return h("button", {
    type: "button",
    class: "parse-bracket",
    "aria-label": `${bracket.label}: ${words}`,
    style: { left: `${place.x - width / 2}px`, top: `${place.y - 12}px`, width: `${width}px` },
    dataset: { focus: `bracket-${i}`, bracket: i },
    onmouseenter: () => show(i),
    onmouseleave: back,
    onfocus: () => show(i),
    onblur: back,
    onclick: () => set({ step: state.step === bracket.open ? null : bracket.open }),
  });
}

/**
 * The weights of each step over the words.
 * @param {Tree} tree
 * @param {Weights | null} found
 * @returns {((step: number) => number[]) | null}
 */
function lookedAt(tree, found) {
  if (!found) return null;
  const places = [...found.columns.keys()].filter((j) => !found.columns[j].special);
  if (places.length !== tree.words.length) return null;
  return (step) => {
    const row = found.rows.findIndex((one) => one.pieces.includes(step));
    return places.map((j) => found.weights.data[row * found.weights.columns + j]);
  };
}

/** @param {((step: number) => number[]) | null} looked */
function instruction(looked) {
  if (!looked) return DRAWING.tree.unaligned;
  return DRAWING.tree.point;
}

/** @param {Tree} tree @param {((step: number) => number[]) | null} looked @param {number} chosen */
function sentence(tree, looked, chosen) {
  const { label, open, start, end } = tree.brackets[chosen];
  const span = DRAWING.tree.span(label, tree.words.slice(start, end).join(" "), open + 1);
  if (!looked) return `${span}.`;
  const weights = looked(open);
  const most = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, 3);
  return DRAWING.tree.looked(span, most.map((j) => `${tree.words[j]} ${digits(weights[j], 2)}`).join(", "));
}

/** @param {Tree} tree @returns {Layout} */
function layoutOf(tree) {
  let width = 0;
  const columns = tree.words.map((word, j) => {
    const column = Math.max(measure(word, SIZE), measure(tree.leaves[j].tag, TAG), 24) + GAP;
    width += column;
    return width - column / 2;
  });
  const parents = tree.brackets.map((bracket) => around(tree, bracket.open));
  const heights = tree.brackets.map(() => 1);
  for (let i = tree.brackets.length - 1; i >= 0; i--)
    if (parents[i] !== -1) heights[parents[i]] = Math.max(heights[parents[i]], heights[i] + 1);
  const bottom = 16 + Math.max(0, ...heights) * LEVEL;
  const leaves = columns.map((middle) => ({ x: middle, y: bottom }));
  const within = tree.leaves.map((leaf) => around(tree, leaf.step));
  /** @type {Place[]} */
  const brackets = tree.brackets.map((_, i) => ({ x: 0, y: bottom - heights[i] * LEVEL }));
  /** @type {Line[]} */
  const lines = [];
  for (let i = tree.brackets.length - 1; i >= 0; i--) {
    const inside = [...leaves.filter((_, j) => within[j] === i), ...brackets.filter((_, j) => parents[j] === i)];
    const middles = inside.map((one) => one.x);
    const [left, right] = [Math.min(...middles), Math.max(...middles)];
    brackets[i].x = (left + right) / 2;
    const { x: middle, y } = brackets[i];
    // Level and upright lines cross nothing: brackets of one height never share a word.
    lines.push([middle, y + 10, middle, y + 16], [left, y + 16, right, y + 16]);
    for (const one of inside) lines.push([one.x, y + 16, one.x, one.y - 10]);
  }
  const words = bottom + 22;
  return { width: Math.ceil(width), height: words + 16 + BAR + 18, brackets, leaves, lines, words };
}

/** The innermost bracket around a step, or -1. @param {Tree} tree @param {number} step */
function around(tree, step) {
  return tree.brackets.findLastIndex((bracket) => bracket.open < step && step < bracket.close);
}

/**
 * @param {Surface} surface
 * @param {Tree} tree
 * @param {Layout} layout
 * @param {((step: number) => number[]) | null} looked
 * @param {number | null} chosen
 * @param {Theme} theme
 */
function draw(surface, tree, layout, looked, chosen, theme) {
  const ink = INKS[theme];
  surface.rect(0, 0, layout.width, layout.height, ink.paper);
  for (const line of layout.lines) surface.line(...line, ink.hatch, 1);
  const of = chosen === null ? null : tree.brackets[chosen];
  layout.brackets.forEach(({ x, y }, i) => {
    const fill = i === chosen ? ink.outline : ink.text;
    surface.text(x, y, tree.brackets[i].label, { size: SIZE, align: "middle", weight: 600, fill });
  });
  layout.leaves.forEach(({ x, y }, j) => {
    const inside = of !== null && of.start <= j && j < of.end;
    surface.text(x, y, tree.leaves[j].tag, { size: TAG, align: "middle", fill: ink.quiet });
    const fill = inside ? ink.outline : ink.text;
    surface.text(x, layout.words, tree.words[j], { size: SIZE, align: "middle", fill });
  });
  if (of === null || !looked) return;
  const top = layout.words + 14;
  looked(of.open).forEach((weight, j) => {
    const { x } = layout.leaves[j];
    surface.rect(x - 9, top, 18, Math.max(1, weight * BAR), css(sequential(0.6, theme)));
    if (weight >= 0.005)
      surface.text(x, top + weight * BAR + 8, digits(weight, 2), { size: 10, align: "middle", fill: ink.quiet });
  });
}
