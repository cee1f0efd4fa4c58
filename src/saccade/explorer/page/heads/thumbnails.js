/**
 * The small picture of a head: one pixel a cell, enlarged by a whole number, so that every cell is equally large.
 * Colours are kept by everything that decides about them; what may not be seen is hatched, as in every matrix.
 */

import { css, sequential, TRANSFERS } from "page/drawing/colour";
import { INKS } from "page/drawing/matrix-drawing";
import { CanvasSurface } from "page/drawing/surface";
import { h } from "page/elements/dom";
import { filtered } from "page/trace/attention";
import { picture } from "page/trace/trace";

/** @import { Block, Context, State, Surface, Theme, Trace } from "page/types" */

const LEVELS = 4096;
const KEPT = 1200;

/** @type {WeakMap<object, Map<string, any>>} */
const kept = new WeakMap();
/** @type {Map<string, Uint8Array>} */
const scales = new Map();

/**
 * Axes, weights and mask of one head as Heat would show it: words or pieces, filtered as the state asks.
 * @param {Trace} trace
 * @param {Block} block
 * @param {number} head
 * @param {State} state
 */
export function shownPicture(trace, block, head, state) {
  const all = picture(trace, block, head, state.unit, state.shift);
  // Where every key is a special token, hiding them would leave nothing to draw.
  const hide = state.hide && all.columns.some((column) => !column.special);
  const { values, mask, columns, columnsAt, shown } = filtered({ ...all, all: all.weights }, { ...state, hide });
  return { rows: all.rows, columns, columnsAt, weights: values, mask, shown };
}

/**
 * The colours of a theme at so many shares, three bytes each: a table is a hundred times faster than the formula.
 * @param {Theme} theme
 * @param {State["palette"]} palette
 */
function scaleOf(theme, palette) {
  const name = `${theme} ${palette}`;
  if (!scales.has(name)) {
    const table = new Uint8Array(3 * (LEVELS + 1));
    for (let level = 0; level <= LEVELS; level++)
      table.set(sequential(level / LEVELS, theme, palette).map(Math.round), 3 * level);
    scales.set(name, table);
  }
  return scales.get(name);
}

/**
 * Red, green, blue and opacity of every cell; what may not be seen or is filtered out looks like the paper.
 * @param {any} given
 * @param {{theme: Theme, transfer: State["transfer"], palette: State["palette"]}} look
 */
function coloured(given, { theme, transfer, palette }) {
  const { rows, columns, data } = given.weights;
  const table = scaleOf(theme, palette);
  const share = TRANSFERS[transfer];
  const paper = /** @type {any} */ (INKS[/** @type {keyof typeof INKS} */ (theme)].paper.match(/\d+/g)).map(Number);
  const bytes = new Uint8ClampedArray(4 * rows * columns);
  for (let i = 0; i < rows; i++) {
    let most = 0;
    for (let j = 0; j < columns; j++) most = Math.max(most, data[i * columns + j]);
    for (let j = 0; j < columns; j++) {
      const at = i * columns + j;
      if ((given.mask && !given.mask.data[at]) || (given.shown && !given.shown(i, j))) bytes.set(paper, 4 * at);
      else {
        const level = Math.round(Math.min(1, Math.max(0, share(data[at], most))) * LEVELS);
        bytes.set(/** @type {NonNullable<typeof table>} */ (table).subarray(3 * level, 3 * level + 3), 4 * at);
      }
      bytes[4 * at + 3] = 255;
    }
  }
  return bytes;
}

/**
 * The picture of a head: {rows, columns, bytes, mask}, made once for each way of looking at it.
 * @param {Trace} trace
 * @param {Block} block
 * @param {number} head
 * @param {any} look
 */
export function thumbnail(trace, block, head, look) {
  if (!kept.has(trace)) kept.set(trace, new Map());
  const mine = kept.get(trace);
  const key = [block.id, head, ...Object.values(look)].join(" ");
  if (!(/** @type {NonNullable<typeof mine>} */ (mine).has(key))) {
    if (/** @type {NonNullable<typeof mine>} */ (mine).size >= KEPT)
      /** @type {NonNullable<typeof mine>} */ (mine).clear();
    const found = shownPicture(trace, block, head, look);
    /** @type {NonNullable<typeof mine>} */ (mine).set(key, {
      rows: found.rows.length,
      columns: found.columns.length,
      bytes: coloured(found, look),
      mask: found.mask,
    });
  }
  return /** @type {NonNullable<typeof mine>} */ (mine).get(key);
}

/**
 * The picture as an element, each cell `cell` pixels wide and high.
 * @param {any} image
 * @param {number} cell
 * @param {Theme} theme
 */
export function canvasOf(image, cell, theme) {
  const small = h("canvas", { width: image.columns, height: image.rows });
  /** @type {any} */ (small.getContext("2d")).putImageData(new ImageData(image.bytes, image.columns, image.rows), 0, 0);
  const canvas = h("canvas", { "aria-hidden": "true" });
  const surface = new CanvasSurface(canvas, image.columns * cell, image.rows * cell);
  surface.pen.imageSmoothingEnabled = false;
  surface.pen.drawImage(small, 0, 0, image.columns * cell, image.rows * cell);
  hatched(surface, image, 0, 0, cell, theme);
  return canvas;
}

/**
 * Draws the picture on a surface; cells that look like the paper are left out.
 * @param {Surface} surface
 * @param {any} image
 * @param {number} left
 * @param {number} top
 * @param {number} cell
 * @param {Theme} theme
 */
export function drawn(surface, image, left, top, cell, theme) {
  const { paper, quiet } = INKS[theme];
  surface.rect(left, top, image.columns * cell, image.rows * cell, paper);
  surface.cells(left, top, cell, image.rows, image.columns, (i, j) => {
    const at = 4 * (i * image.columns + j);
    const fill = css([image.bytes[at], image.bytes[at + 1], image.bytes[at + 2]]);
    return fill === paper ? null : fill;
  });
  hatched(surface, image, left, top, cell, theme);
  surface.outline(left - 1, top - 1, image.columns * cell + 2, image.rows * cell + 2, quiet, 0.5);
}

/**
 * Hatches what may not be seen, one stretch of a row at a time.
 * @param {Surface} surface
 * @param {any} given
 * @param {number} left
 * @param {number} top
 * @param {number} cell
 * @param {Theme} theme
 */
function hatched(surface, { rows, columns, mask }, left, top, cell, theme) {
  if (!mask) return;
  for (let i = 0; i < rows; i++)
    for (let from = 0, to; from < columns; from = Math.max(to, from + 1)) {
      for (to = from; to < columns && !mask.data[i * columns + to]; to++);
      if (to > from) surface.hatch(left + from * cell, top + i * cell, (to - from) * cell, cell, INKS[theme].hatch);
    }
}

/** What of state and theme decides how a thumbnail looks. @param {Context} context */
export function lookOf({ state, theme }) {
  const { unit, shift, hide, share, mass, transfer, palette } = state;
  return { unit, shift, hide, share, mass, transfer, palette, theme };
}
