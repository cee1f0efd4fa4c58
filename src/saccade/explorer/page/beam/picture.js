/**
 * The picture of a search in its own scrolling box. The canvas is as large as the box, not as the search, and is drawn
 * again while scrolling: an output of 256 steps costs no more than one of ten.
 */

import { sentenceOf } from "page/beam/box-text";
import { boxOf, paintSteps, paintTree, sizeOf, under } from "page/beam/drawing";
import { placeOf } from "page/beam/tree";
import { beam as words } from "page/beam/words";
import { CanvasSurface } from "page/drawing/surface";
import { h } from "page/elements/dom";
import { pointerIn } from "page/elements/pointer";

/** @import { Scene } from "page/beam/drawing" */
/** @import { TreeNode } from "page/beam/tree" */
/** @import { Context } from "page/types" */

/**
 * @param {Context} context @param {any} scene  what page/beam/drawing draws
 * @param {(node: any, pinned: boolean) => void} onPick  arrows and click (pinned false), Enter (pinned true)
 * @returns {{element: HTMLElement, draw: () => void, reveal: (number: number) => void}}
 */
export function treeOf(context, scene, onPick) {
  const size = sizeOf(scene);
  const canvas = h("canvas", { "aria-hidden": "true" });
  const label = `${words.picture(scene.layout.columns.length - 1, scene.layout.rows)}. ${words.help}`;
  const room = h(
    "div",
    { class: "beam-room", style: { width: `${size.width}px`, height: `${size.height}px` } },
    canvas,
  );
  const box = h(
    "div",
    {
      class: "beam-scroll",
      tabindex: "0",
      role: "application",
      "aria-roledescription": words.roleOf,
      "aria-label": label,
      dataset: { scroll: "beam", focus: "beam" },
    },
    room,
  );

  const draw = () => {
    const [wide, high] = [Math.min(box.clientWidth, size.width), Math.min(box.clientHeight, size.height)];
    const surface = new CanvasSurface(canvas, wide, high);
    surface.pen.translate(-box.scrollLeft, -box.scrollTop);
    paintTree(surface, scene, box.scrollLeft, box.scrollLeft + wide);
    paintSteps(surface, scene, box.scrollTop, words);
  };
  /** @param {number} number */
  const reveal = (number) => {
    const place = placeOf(scene.layout, number);
    if (!place) return;
    const { x, y, width, height } = boxOf(scene.depth, place.column, place.row);
    const [edge, head] = [16, 32];
    if (x - edge < box.scrollLeft) box.scrollLeft = x - edge;
    else if (x + width + edge > box.scrollLeft + box.clientWidth) box.scrollLeft = x + width + edge - box.clientWidth;
    if (y - head < box.scrollTop) box.scrollTop = y - head;
    else if (y + height + edge > box.scrollTop + box.clientHeight) box.scrollTop = y + height + edge - box.clientHeight;
  };
  /** @param {TreeNode} node @param {boolean} pinned */
  const pick = (node, pinned) => {
    if (!node) return;
    scene.chosen = node.n;
    reveal(node.n);
    draw();
    context.say(sentenceOf(node, scene.index));
    onPick(node, pinned);
  };
  let waiting = false;
  box.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  });
  box.addEventListener("keydown", (event) => {
    const next = moved(scene, event);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    pick(next, event.key === "Enter");
  });
  canvas.addEventListener("click", (event) => {
    const { x, y } = pointerIn(event, canvas);
    const found = under(scene, x + box.scrollLeft, y + box.scrollTop);
    if (found) pick(scene.layout.columns[found.column][found.row], false);
  });
  return { element: box, draw, reveal };
}

/**
 * The node a key leads to; undefined where the key is not ours. Left goes to the parent, right to the best child.
 * @param {Scene} scene
 * @param {any} event
 */
function moved(scene, event) {
  if (event.altKey || event.metaKey || event.ctrlKey) return undefined;
  const { columns } = scene.layout;
  const at = scene.chosen === null ? null : placeOf(scene.layout, scene.chosen);
  const first = columns[Math.min(1, columns.length - 1)][0];
  const keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "Enter"];
  if (!keys.includes(event.key)) return undefined;
  if (!at) return first;
  const { column, row } = at;
  const node = columns[column][row];
  /** @param {number} to */
  const step = (to) => columns[to][Math.min(row, columns[to].length - 1)];
  switch (event.key) {
    case "ArrowUp":
      return columns[column][Math.max(0, row - 1)];
    case "ArrowDown":
      return columns[column][Math.min(columns[column].length - 1, row + 1)];
    case "ArrowLeft":
      return column === 0 ? node : (columns[column - 1].find((other) => other.n === node.parent) ?? step(column - 1));
    case "ArrowRight":
      return column + 1 >= columns.length
        ? node
        : (columns[column + 1].find((other) => other.parent === node.n) ?? step(column + 1));
    case "Home":
      return first;
    case "End":
      return step(columns.length - 1);
    default:
      return node;
  }
}
