/**
 * The small picture of a head: a canvas with one pixel a cell, which the style sheet enlarges by a whole number, so that
 * every cell is equally large. Pictures are kept by everything that decides how they look.
 */
import { css, sequential, TRANSFERS } from "x/colour";
import { h } from "x/dom";
import { INKS } from "x/matrix-drawing";
import { aggregate, aggregateMask, axis, mask, weights } from "x/trace";

const LEVELS = 4096;
const STRIPE = 4;
const KEPT = 1200;

/** @type {WeakMap<object, Map<string, any>>} */
const kept = new WeakMap();
/** @type {Map<string, Uint8Array>} */
const scales = new Map();

/** The axis of a block as the state wants it: words or pieces, with or without marks. */
export function shownAxis(trace, name, state) {
  const all = axis(trace, name, state.unit);
  const words = state.hide ? all.filter((entry) => !entry.special) : all;
  return words.length ? words : all;
}

/** Axes, weights and mask of one head as they are shown. */
export function shownPicture(trace, block, head, state) {
  const rows = shownAxis(trace, block.query_axis, state);
  const columns = shownAxis(trace, block.key_axis, state);
  return { rows, columns, weights: aggregate(weights(trace, block, head), rows, columns), mask: aggregateMask(mask(trace, block), rows, columns) };
}

/** The colours of a theme at so many shares, three bytes each: a table is a hundred times faster than the formula. */
function scaleOf(theme, palette) {
  const name = `${theme} ${palette}`;
  if (!scales.has(name)) {
    const table = new Uint8Array(3 * (LEVELS + 1));
    for (let level = 0; level <= LEVELS; level++) table.set(sequential(level / LEVELS, theme, palette).map(Math.round), 3 * level);
    scales.set(name, table);
  }
  return scales.get(name);
}

/** Red, green, blue and opacity of every cell; what may not be seen is striped, because it is not a small number. */
function coloured(picture, { theme, transfer, palette }) {
  const { rows, columns, data } = picture.weights;
  const table = scaleOf(theme, palette);
  const share = TRANSFERS[transfer];
  const [hatch, paper] = [INKS[theme].hatch, INKS[theme].paper].map(channels);
  const bytes = new Uint8ClampedArray(4 * rows * columns);
  for (let i = 0; i < rows; i++) {
    let most = 0;
    for (let j = 0; j < columns; j++) most = Math.max(most, data[i * columns + j]);
    for (let j = 0; j < columns; j++) {
      const at = i * columns + j;
      if (picture.mask && !picture.mask.data[at]) bytes.set((i + j) % STRIPE === 0 ? hatch : paper, 4 * at);
      else {
        const level = Math.round(Math.min(1, Math.max(0, share(data[at], most))) * LEVELS);
        bytes.set(table.subarray(3 * level, 3 * level + 3), 4 * at);
      }
      bytes[4 * at + 3] = 255;
    }
  }
  return bytes;
}

function channels(colour) {
  if (colour.startsWith("#")) return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return colour.match(/\d+/g).map(Number);
}

/** The picture of a head: {rows, columns, bytes}, made once for each way of looking at it. */
export function thumbnail(trace, block, head, look) {
  if (!kept.has(trace)) kept.set(trace, new Map());
  const mine = kept.get(trace);
  const key = [block.id, head, look.unit, look.hide, look.theme, look.transfer, look.palette].join(" ");
  if (!mine.has(key)) {
    if (mine.size >= KEPT) mine.clear();
    const picture = shownPicture(trace, block, head, look);
    mine.set(key, { rows: picture.rows.length, columns: picture.columns.length, bytes: coloured(picture, look) });
  }
  return mine.get(key);
}

/** The picture as an element, each cell `cell` pixels wide and high. */
export function canvasOf(image, cell) {
  const canvas = h("canvas", { "aria-hidden": "true", width: image.columns, height: image.rows, style: { width: `${image.columns * cell}px`, height: `${image.rows * cell}px` } });
  canvas.getContext("2d").putImageData(new ImageData(image.bytes, image.columns, image.rows), 0, 0);
  return canvas;
}

/** Draws the picture on a surface; cells that look like the paper are left out. */
export function drawn(surface, image, left, top, cell, theme) {
  const { paper, quiet } = INKS[theme];
  surface.rect(left, top, image.columns * cell, image.rows * cell, paper);
  surface.cells(left, top, cell, image.rows, image.columns, (i, j) => {
    const at = 4 * (i * image.columns + j);
    const fill = css([image.bytes[at], image.bytes[at + 1], image.bytes[at + 2]]);
    return fill === paper ? null : fill;
  });
  surface.outline(left - 1, top - 1, image.columns * cell + 2, image.rows * cell + 2, quiet, 0.5);
}

/** Looks of a context: what of state and theme decides about a thumbnail. */
export function lookOf({ state, theme }) {
  return { unit: state.unit, hide: state.hide, transfer: state.transfer, palette: state.palette, theme };
}
