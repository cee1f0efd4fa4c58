/** How a search looks, on any surface: a box for each node, steps from left to right, the best of each step on top. */

import { boxText } from "page/beam/box-text";
import { beam as words } from "page/beam/words";
import { INKS, measure } from "page/drawing/matrix-drawing";

/** @import { Rule, TreeNode } from "page/beam/tree" */
/** @import { State, Surface } from "page/types" */

const GAP = 24;
const TOP = 26;
const EDGE = 12;
const START = 46;
const BOX = { words: [96, 42], numbers: [96, 70], tensors: [104, 84] };

const COLOURS = {
  light: {
    winner: "#1d4ed8",
    winnerFill: "#e8eefc",
    kept: "#566072",
    fill: "#ffffff",
    pruned: "#cbd2dc",
    prunedText: "#6b7585",
    edge: "#9aa5b5",
    chosen: "#c2410c",
  },
  dark: {
    winner: "#93b4ff",
    winnerFill: "#23304d",
    kept: "#a6b0c0",
    fill: "#1f2226",
    pruned: "#3d4550",
    prunedText: "#98a3b3",
    edge: "#667183",
    chosen: "#fb923c",
  },
};

/**
 * @typedef {object} Scene
 * @property {{columns: any[][], hidden: number[], rows: number}} layout  @property {Map<number, any>} index
 * @property {Set<number>} winning  nodes of the winning path  @property {number|null} chosen  @property {number} alpha
 * @property {Rule} [rule]
 * @property {"light"|"dark"} theme  @property {"words"|"numbers"|"tensors"} depth
 */

/**
 * The place of a box; the start is narrow, because it has nothing to say.
 * @param {State["depth"]} depth
 * @param {number} column
 * @param {number} row
 */
export function boxOf(depth, column, row) {
  const [width, height] = BOX[depth];
  const y = TOP + row * (height + 10);
  return column === 0
    ? { x: EDGE, y, width: START, height }
    : { x: EDGE + START + GAP + (column - 1) * (width + GAP), y, width, height };
}

/** The size of the whole picture. @param {Pick<Scene, "layout" | "depth">} given */
export function sizeOf({ layout, depth }) {
  const last = boxOf(depth, layout.columns.length - 1, Math.max(0, layout.rows - 1));
  const more = layout.hidden.some((count) => count > 0) ? 22 : 0;
  return { width: last.x + last.width + EDGE, height: last.y + last.height + more + EDGE };
}

/**
 * The column and row under a point, or null beside the boxes.
 * @param {Pick<Scene, "layout" | "depth">} given
 * @param {number} x
 * @param {number} y
 */
export function under({ layout, depth }, x, y) {
  const [width, height] = BOX[depth];
  const first = EDGE + START + GAP / 2;
  const [column, row] = [
    x < first ? 0 : 1 + Math.floor((x - first) / (width + GAP)),
    Math.floor((y - TOP) / (height + 10)),
  ];
  return layout.columns[column]?.[row] ? { column, row } : null;
}

/**
 * Draws what of the picture lies between `from` and `to`, in pixels from its left side.
 * @param {Scene} scene
 * @param {Surface} surface
 * @param {number} [from]
 * @param {number} [to]
 */
export function paintTree(surface, scene, from = -Infinity, to = Infinity) {
  const { layout, depth } = scene;
  const [width] = BOX[depth];
  const visible = layout.columns
    .map((_, column) => column)
    .filter((column) => {
      const { x } = boxOf(depth, column, 0);
      return x + width + GAP >= from && x - GAP <= to;
    });
  const edges = visible.flatMap((column) =>
    layout.columns[column].flatMap((node, row) => edgeOf(scene, node, column, row)),
  );
  for (const edge of edges.sort((a, b) => a.rank - b.rank)) edge.draw(surface);
  for (const column of visible)
    layout.columns[column].forEach((node, row) => paintNode(surface, scene, node, boxOf(depth, column, row)));
  for (const column of visible) paintMore(surface, scene, column);
}

/**
 * Draws the number of each step along the top edge, wherever that is now.
 * @param {Surface} surface
 * @param {Scene} scene
 * @param {number} top
 * @param {typeof import("page/beam/words").beam} words
 */
export function paintSteps(surface, scene, top, words) {
  const inks = INKS[scene.theme];
  surface.rect(0, top, sizeOf(scene).width, TOP - 4, inks.paper);
  scene.layout.columns.forEach((_, column) => {
    const { x } = boxOf(scene.depth, column, 0);
    surface.text(x, top + 11, column ? words.step(column) : words.start, { size: 11, fill: inks.quiet });
  });
}

/** @param {Scene} scene @param {TreeNode} node @param {number} column @param {number} row */
function edgeOf(scene, node, column, row) {
  if (node.parent === null || node.parent === undefined) return [];
  const parentRow = scene.layout.columns[column - 1]?.findIndex((other) => other.n === node.parent) ?? -1;
  if (parentRow < 0) return [];
  const [start, end] = [boxOf(scene.depth, column - 1, parentRow), boxOf(scene.depth, column, row)];
  const wins = scene.winning.has(node.n);
  const colours = COLOURS[scene.theme];
  const [stroke, thick] = wins
    ? [colours.winner, 3]
    : node.state === "pruned"
      ? [colours.pruned, 1]
      : [colours.edge, 1.5];
  const [x1, y1, x2, y2] = [start.x + start.width, start.y + start.height / 2, end.x, end.y + end.height / 2];
  /** @param {Surface} surface */
  const draw = (surface) => {
    const stub = 5;
    surface.line(x1, y1, x1 + stub, y1, stroke, thick);
    surface.line(x1 + stub, y1, x2 - stub, y2, stroke, thick);
    surface.line(x2 - stub, y2, x2, y2, stroke, thick);
  };
  return [{ rank: wins ? 2 : node.state === "pruned" ? 0 : 1, draw }];
}

/**
 * @param {Surface} surface
 * @param {Scene} scene
 * @param {TreeNode} node
 * @param {{x: number, y: number, width: number, height: number}} given
 */
function paintNode(surface, scene, node, { x, y, width, height }) {
  const colours = COLOURS[scene.theme];
  const inks = INKS[scene.theme];
  const wins = scene.winning.has(node.n);
  const pruned = node.state === "pruned";
  surface.rect(x, y, width, height, wins ? colours.winnerFill : pruned ? inks.paper : colours.fill);
  const stroke = wins ? colours.winner : pruned ? colours.pruned : colours.kept;
  surface.outline(x, y, width, height, stroke, wins ? 2 : 1);
  if (node.state === "finished") surface.outline(x + 4, y + 4, width - 8, height - 8, stroke, wins ? 2 : 1);
  if (node.n === scene.chosen) surface.outline(x - 4, y - 4, width + 8, height + 8, colours.chosen, 2);
  const [text, quiet] = pruned ? [colours.prunedText, colours.prunedText] : [inks.text, inks.quiet];
  const [title, ...lines] = boxText(node, scene.depth, scene.index, scene.alpha, scene.rule);
  const left = x + (node.state === "finished" ? 10 : 8);
  const room = width - 2 * (left - x);
  surface.text(left, y + 14 + (node.state === "finished" ? 1 : 0), fitted(title, room, 13), {
    size: 13,
    weight: pruned ? 400 : 600,
    fill: text,
  });
  lines.forEach(([name, value], i) => {
    const middle = y + 31 + 14 * i - (node.state === "finished" ? 1 : 0);
    surface.text(left, middle, name, { size: 10, fill: quiet });
    surface.text(x + width - (left - x), middle, value, { size: 11, align: "end", fill: text });
  });
}

/** @param {Surface} surface @param {Scene} scene @param {number} column */
function paintMore(surface, scene, column) {
  const hidden = scene.layout.hidden[column];
  if (!hidden) return;
  const { x, y } = boxOf(scene.depth, column, scene.layout.columns[column].length);
  surface.text(x + 8, y + 6, words.more(hidden), { size: 11, fill: COLOURS[scene.theme].prunedText });
}

/**
 * A text that fits the room: cut at a character, never inside one.
 * @param {any} text
 * @param {number} room
 * @param {number} size
 */
export function fitted(text, room, size) {
  if (measure(text, size) <= room) return text;
  const characters = [...text];
  while (characters.length > 1 && measure(`${characters.join("")}…`, size) > room) characters.pop();
  return `${characters.join("")}…`;
}

/**
 * The whole picture for an export; without a surface it only says how large that is.
 * @param {Surface | null} surface
 * @param {Scene} scene
 * @param {{title: string, captions: string[], words: typeof import("page/beam/words").beam}} given
 */
export function wholeTree(surface, scene, { title, captions, words }) {
  const tree = sizeOf(scene);
  const width = Math.max(tree.width + 16, 32 + Math.max(...[title, ...captions].map((line) => measure(line, 13))));
  const height = 44 + tree.height + 16 * captions.length + 12;
  if (!surface) return { width, height };
  const inks = INKS[scene.theme];
  surface.rect(0, 0, width, height, inks.paper);
  surface.text(16, 20, title, { size: 14, weight: 600, fill: inks.text });
  const moved = shifted(surface, 4, 40);
  paintTree(/** @type {any} */ (moved), { ...scene, chosen: null });
  paintSteps(/** @type {any} */ (moved), scene, 0, words);
  captions.forEach((line, i) => surface.text(16, 48 + tree.height + 16 * i, line, { size: 11, fill: inks.quiet }));
  return { width, height };
}

/**
 * The same surface with its corner somewhere else.
 * @param {Surface} surface
 * @param {number} dx
 * @param {number} dy
 */
function shifted(surface, dx, dy) {
  return {
    /** @param {number} x @param {number} y @param {...any} rest */
    rect: (x, y, ...rest) => /** @type {any} */ (surface).rect(x + dx, y + dy, ...rest),
    /** @param {number} x @param {number} y @param {...any} rest */
    outline: (x, y, ...rest) => /** @type {any} */ (surface).outline(x + dx, y + dy, ...rest),
    /** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {...any} rest */
    line: (x1, y1, x2, y2, ...rest) => /** @type {any} */ (surface).line(x1 + dx, y1 + dy, x2 + dx, y2 + dy, ...rest),
    /** @param {number} x @param {number} y @param {...any} rest */
    text: (x, y, ...rest) => /** @type {any} */ (surface).text(x + dx, y + dy, ...rest),
  };
}
