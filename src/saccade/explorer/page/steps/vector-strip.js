/**
 * Vectors as strips: a row for each piece, a narrow column for each number of its vector.
 *
 * page/drawing/matrix draws square cells with a label each; a vector of 512 numbers needs columns of a pixel or two
 * and no labels. Colours, exports and table are page/drawing/matrix-drawing's and page/drawing/save's own. At most
 * ROWS rows are drawn, those around the chosen one: the picture says which. One tab stop; arrows move the chosen
 * cell.
 */

import { css } from "page/drawing/colour";
import { clipped, colouring, INKS, measure } from "page/drawing/matrix-drawing";
import { matrixTools } from "page/drawing/save";
import { CanvasSurface } from "page/drawing/surface";
import { DRAWING } from "page/drawing/words";
import { cursorKeys, within } from "page/elements/cursor-keys";
import { h, word } from "page/elements/dom";
import { pointerIn } from "page/elements/pointer";
import { digits, extent } from "page/numbers/numbers";
import { namedFor } from "page/trace/plain-names";

/** @import { AxisEntry, Context, Place, Surface } from "page/types" */

const ROWS = 24;
const TALL = 16;
const WIDEST = 14;
const TABLE_COLUMNS = 64;

/**
 * Which rows are drawn: all, or a window around the chosen one.
 * @param {number} count
 * @param {number} chosen
 */
export function drawn(count, chosen) {
  if (count <= ROWS) return { from: 0, to: count };
  const from = Math.min(Math.max(0, chosen - ROWS / 2), count - ROWS);
  return { from, to: from + ROWS };
}

/**
 * @param {Context} context
 * @param {{title: string, name: string, shape: string, values: {rows: number, columns: number, data:
 *   ArrayLike<number>},
 *   rows: any[], cursor?: Place | null, onPick: (row: number, column: number) => void,
 *   limit?: number, bands?: number, band?: number, captions?: string[], width?: number, whole?: boolean}} given
 *   `bands`: the width of a head's share, `band`: which is the chosen head's
 */
export function strip(context, given) {
  const spec = complete(context, given);
  const caption = h(
    "figcaption",
    {},
    h("span", { class: "matrix-title" }, spec.title),
    h("span", { class: "shape" }, spec.shape),
    matrixTools(context, spec),
  );
  return h(
    "figure",
    { class: "matrix vectors", dataset: { matrix: spec.name } },
    caption,
    context.state.table ? tableOf(spec) : pictureOf(context, spec),
  );
}

/** @param {Context} context @param {any} given */
function complete(context, given) {
  const { values } = given;
  const window = drawn(values.rows, given.cursor?.row ?? 0);
  const part = {
    rows: window.to - window.from,
    columns: values.columns,
    data: values.data.subarray(window.from * values.columns, window.to * values.columns),
  };
  const rows = namedFor(/** @type {AxisEntry[]} */ (given.rows.slice(window.from, window.to)), context.state.depth);
  const columns = Array.from({ length: values.columns }, (_, j) => ({
    label: String(j),
    full: String(j),
    special: null,
  }));
  const left = 10 + Math.max(20, ...rows.map((/** @type {AxisEntry} */ entry) => measure(clipped(entry.label))));
  const room = (given.width ?? context.width ?? 600) - left - 8;
  const cell = Math.max(1, Math.min(WIDEST, Math.floor(room / values.columns)));
  const look = {
    values: part,
    mask: null,
    scale: "diverging",
    transfer: "linear",
    palette: context.state.palette,
    theme: context.theme,
    limit: given.limit ?? extent(part.data),
    cell: 12,
  };
  const note = part.rows < values.rows ? DRAWING.someRows(window.from, window.to - 1, values.rows) : null;
  return {
    captions: [],
    ...given,
    values: part,
    all: values,
    window,
    rows,
    columns,
    left,
    wide: cell,
    look,
    note,
    axes: DRAWING.vectorAxes,
  };
}

/** @param {Context} context @param {any} spec */
function pictureOf(context, spec) {
  const { rows, columns, data } = spec.values;
  const canvas = h("canvas", { "aria-hidden": "true" });
  const surface = new CanvasSurface(canvas, columns * spec.wide, rows * TALL);
  const colour = colouring(spec.look);
  const inks = INKS[context.theme];
  surface.rect(0, 0, columns * spec.wide, rows * TALL, inks.paper);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) surface.rect(j * spec.wide, i * TALL, spec.wide, TALL - 1, css(colour(i, j)));
  if (spec.bands) drawBands(surface, spec, inks);
  const chosen = spec.cursor
    ? { row: spec.cursor.row - spec.window.from, column: Math.min(spec.cursor.column, columns - 1) }
    : null;
  const cursor = h("div", { class: "cursor", hidden: chosen === null });
  if (chosen) place(cursor, chosen, spec);
  const cells = h(
    "div",
    {
      class: "cells",
      tabindex: "0",
      role: "img",
      "aria-label": DRAWING.vectors(spec.title, spec.shape),
      dataset: { focus: spec.name },
    },
    canvas,
    cursor,
  );
  /** @param {number} row @param {number} column */
  const pick = (row, column) => {
    const next = { row: within(row, rows), column: within(column, columns) };
    place(cursor, next, spec);
    context.say?.(
      DRAWING.number(spec.rows[next.row].full, next.column, digits(data[next.row * columns + next.column])),
    );
    spec.onPick?.(next.row + spec.window.from, next.column);
  };
  cells.addEventListener("click", (event) => {
    const { x, y } = pointerIn(event, cells);
    pick(Math.floor(y / TALL), Math.floor(x / spec.wide));
  });
  cursorKeys(cells, { rows, columns, place: () => chosen ?? { row: 0, column: 0 }, pick });
  const tip = h("div", { class: "tip", hidden: true });
  cells.addEventListener("pointermove", (event) => {
    const { x, y } = pointerIn(event, cells);
    const [row, column] = [Math.floor(y / TALL), Math.floor(x / spec.wide)];
    tip.hidden = row < 0 || row >= rows || column < 0 || column >= columns;
    if (tip.hidden) return;
    tip.replaceChildren(word(spec.rows[row].full), ` · ${column}`, h("b", {}, digits(data[row * columns + column])));
    tip.style.setProperty("left", `${Math.max(0, Math.min(column * spec.wide + 8, columns * spec.wide - 150))}px`);
    tip.style.setProperty("top", `${row * TALL + TALL + 4}px`);
  });
  cells.addEventListener("pointerleave", () => {
    tip.hidden = true;
  });
  cells.append(tip);
  const labels = h(
    "div",
    { class: "strip-labels", "aria-hidden": "true", style: { width: `${spec.left}px` } },
    spec.rows.map((/** @type {AxisEntry} */ entry, /** @type {number} */ i) =>
      h(
        "span",
        {
          class: chosen?.row === i ? "label chosen" : "label",
          title: entry.full,
          style: { height: `${TALL}px` },
          onclick: () => pick(i, chosen?.column ?? 0),
        },
        word(clipped(entry.label)),
      ),
    ),
  );
  const limit = h(
    "span",
    { class: "strip-limit" },
    [spec.note, DRAWING.range(digits(spec.look.limit, 2))].filter(Boolean).join(" · "),
  );
  return [h("div", { class: "strip-grid matrix-scroll", dataset: { scroll: spec.name } }, labels, cells), limit];
}

/** @param {Surface} surface @param {any} spec @param {any} inks */
function drawBands(surface, spec, inks) {
  const { rows, columns } = spec.values;
  for (let at = spec.bands; at < columns; at += spec.bands)
    surface.line(at * spec.wide, 0, at * spec.wide, rows * TALL, inks.quiet, 1);
  surface.outline(spec.band * spec.bands * spec.wide, 0, spec.bands * spec.wide, rows * TALL, inks.outline, 2);
}

/** @param {HTMLElement} cursor @param {Place} given @param {any} spec */
function place(cursor, { row, column }, spec) {
  cursor.hidden = false;
  const wide = Math.max(spec.wide, 5);
  const box = { left: column * spec.wide - (wide - spec.wide) / 2, top: row * TALL - 1, width: wide, height: TALL + 1 };
  for (const [name, value] of Object.entries(box)) cursor.style.setProperty(name, `${value}px`);
}

/** The numbers as a table: all rows drawn, and as many columns as a page can bear. @param {any} spec */
function tableOf(spec) {
  const { columns, data } = spec.values;
  const shown = Math.min(columns, TABLE_COLUMNS);
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, DRAWING.vectorTable),
    spec.columns
      .slice(0, shown)
      .map((/** @type {number} */ column) => h("th", { scope: "col" }, /** @type {any} */ (column).label)),
  );
  const body = spec.rows.map((/** @type {AxisEntry} */ entry, /** @type {number} */ i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, word(entry.label)),
      Array.from({ length: shown }, (_, j) =>
        h("td", { dataset: { row: i + spec.window.from, column: j } }, digits(data[i * columns + j])),
      ),
    ),
  );
  const note = shown < columns ? DRAWING.someColumns(shown, columns) : null;
  return h(
    "div",
    {
      class: "table-scroll",
      tabindex: "0",
      role: "region",
      "aria-label": spec.title,
      dataset: { scroll: spec.name, focus: spec.name },
    },
    note ? h("p", { class: "note" }, note) : null,
    h("table", {}, h("caption", { class: "unseen" }, spec.title), h("thead", {}, head), h("tbody", {}, body)),
  );
}
