/**
 * The heat map every view uses.
 *
 *   root.append(matrix(context, {
 *     values: {rows, columns, data},        or tensor: a Tensor of two axes (page/trace/trace)
 *     rows: axis, columns: axis,            entries {label, full, special} of `axis`, or plain strings
 *     mask,                                 {data} of 1 and 0, or null: cells that are not allowed are hatched
 *     scale: "weights" | "diverging",       0 to 1 through the chosen transfer, or blue-orange around zero
 *     limit,                                diverging: the number of the strongest colour; share it between panels
 *     title, captions: [strings],           captions go under exported pictures
 *     name: "cross-layer-1",                of exported files
 *     cursor: {row, column} | null,         the chosen cell
 *     onPick: (row, column, pinned) => {},  arrows, click (pinned false) and Enter (pinned true)
 *     follow: (state) => place | null,      with `follows` of the view: where the cursor is after a change of q or k
 *     width, cell,                          room to fit into (context.width); a cell size instead of the fitted one
 *     axes: ["reads", "looks at"],          what rows and columns are
 *     shown: (i, j) => boolean,             cells left blank by a filter
 *     legend: true, tools: true,            colour scale below; table, PNG, SVG and CSV buttons
 *   }))
 *
 * It is one tab stop: arrows, Home, End and Ctrl with them move a cursor that is read aloud; with `state.table` it is a
 * table of digits instead. Nothing else is needed for PNG, SVG and CSV: what is exported is drawn by the same calls.
 */

import { clipped, labelSize, layout, legend, paint } from "page/drawing/matrix-drawing";
import { allowed, shown, tableOf, valueAt } from "page/drawing/matrix-table";
import { matrixTools } from "page/drawing/save";
import { CanvasSurface } from "page/drawing/surface";
import { DRAWING } from "page/drawing/words";
import { cursorKeys, within } from "page/elements/cursor-keys";
import { h, word } from "page/elements/dom";
import { pointerIn } from "page/elements/pointer";
import { argmax, extent } from "page/numbers/numbers";
import { namedFor } from "page/trace/plain-names";

/** @import { Context, Label, Layout, Matrix, MatrixOptions, MatrixSpec, Place, Tensor } from "page/types" */

/** @param {Context} context @param {any} given @returns {HTMLElement} */
export function matrix(context, given) {
  const spec = complete(context, given);
  const figure = h("figure", { class: "matrix", dataset: { matrix: spec.name } });
  const shape = h("span", { class: "shape", title: DRAWING.shape }, `${spec.values.rows} × ${spec.values.columns}`);
  if (spec.title)
    figure.append(
      h(
        "figcaption",
        {},
        h("span", { class: "matrix-title" }, spec.title),
        shape,
        spec.tools ? matrixTools(context, spec) : null,
      ),
    );
  if (context.state.table) figure.append(tableOf(spec));
  else {
    figure.append(pictureOf(context, spec));
    if (spec.legend) figure.append(legendOf(spec));
  }
  return figure;
}

/**
 * The specification with nothing left open.
 * @param {Context} context
 * @param {MatrixOptions} given
 * @returns {MatrixSpec}
 */
function complete(context, given) {
  const values = given.values ?? matrixOf(/** @type {Tensor} */ (given.tensor));
  const { depth } = context.state;
  const rows = namedFor(entries(given.rows, values.rows), depth);
  const columns = namedFor(entries(given.columns, values.columns), depth);
  const { scale = "weights", axes = ["row", "column"], mask = null } = given;
  const room = layout(rows, columns, given.width ?? context.width, axes, given.cell);
  const { transfer, palette } = context.state;
  const limit = given.limit ?? extent(values.data);
  const { cell } = room;
  const look = {
    values,
    mask,
    scale,
    transfer,
    palette,
    theme: context.theme,
    limit,
    cell,
    shown: given.shown,
    digits: !context.state.veiled,
    percent: depth === "words" && scale === "weights",
  };
  const usual = { captions: [], name: "matrix", cursor: null, legend: true, tools: true };
  return { ...usual, ...given, scale, axes, mask, values, rows, columns, room, look };
}

/** A tensor of two axes. @param {Tensor} tensor @returns {Matrix} */
const matrixOf = ({ shape: [rows, columns], data }) => ({ rows, columns, data });

/**
 * The entries of an axis; numbers from 1 where none are given.
 * @param {(Label | string)[] | undefined} axis
 * @param {number} count
 * @returns {Label[]}
 */
function entries(axis, count) {
  const given = axis ?? Array.from({ length: count }, (_, i) => String(i + 1));
  return given.map((one) => (typeof one === "string" ? { label: one, full: one, special: null } : one));
}

/** @param {Context} context @param {MatrixSpec} spec */
function pictureOf(context, spec) {
  const { cell } = spec.look;
  const { rows, columns } = spec.values;
  const canvas = h("canvas", { "aria-hidden": "true" });
  paint(new CanvasSurface(canvas, columns * cell, rows * cell), spec.look);
  const cursor = h("div", { class: "cursor", hidden: true });
  const bands = [h("div", { class: "band", hidden: true }), h("div", { class: "band", hidden: true })];
  const cells = h(
    "div",
    { class: "cells", tabindex: "0", role: "img", "aria-label": summary(spec), dataset: { focus: spec.name } },
    canvas,
    bands,
    cursor,
  );
  const tip = h("div", { class: "tip", hidden: true });
  const place = spec.cursor ? { ...spec.cursor } : null;
  const state = { row: place?.row ?? 0, column: place?.column ?? 0 };
  const rowLabels = labels(spec.rows, "row", (row) => pick(row, state.column));
  const columnLabels = labels(spec.columns, "column", (column) => pick(state.row, column));

  /** @param {number} row @param {number} column */
  const show = (row, column) => {
    Object.assign(state, { row: within(row, rows), column: within(column, columns) });
    at(cursor, state.column * cell, state.row * cell, cell, cell);
    at(bands[0], 0, state.row * cell, columns * cell, cell);
    at(bands[1], state.column * cell, 0, cell, rows * cell);
    mark(rowLabels, state.row);
    mark(columnLabels, state.column);
  };
  /** @param {number} row @param {number} column @param {boolean} [pinned] */
  const pick = (row, column, pinned = false) => {
    show(row, column);
    reveal(cells, cell, spec.room, state);
    context.say(sentence(spec, state.row, state.column));
    spec.onPick?.(state.row, state.column, pinned);
  };
  if (place) show(place.row, place.column);

  cursorKeys(cells, { rows, columns, place: () => state, pick, pages: true });
  cells.addEventListener("click", (event) => {
    const found = under(event, cells, cell);
    pick(found.row, found.column);
  });
  cells.addEventListener("pointermove", (event) => {
    const found = under(event, cells, cell);
    if (found.row >= rows || found.column >= columns) return;
    tip.hidden = false;
    tip.replaceChildren(...tipOf(spec, found.row, found.column));
    const wide = columns * cell;
    tip.style.setProperty(
      "left",
      `${Math.min(found.column * cell + cell + 6, Math.max(0, wide - 160)) + spec.room.left}px`,
    );
    tip.style.setProperty("top", `${found.row * cell + cell + 6 + spec.room.top}px`);
  });
  cells.addEventListener("pointerleave", () => {
    tip.hidden = true;
  });
  const hide = () => {
    for (const element of [cursor, ...bands]) element.hidden = true;
    mark(rowLabels, -1);
    mark(columnLabels, -1);
  };
  if (spec.follow)
    context.follow((now) => {
      const next = /** @type {NonNullable<typeof spec.follow>} */ (spec.follow)(now);
      if (next) show(next.row, next.column);
      else hide();
    });

  const grid = h(
    "div",
    {
      class: "matrix-grid",
      style: {
        "grid-template-columns": `${spec.room.left}px ${columns * cell + spec.room.right}px`,
        "grid-template-rows": `${spec.room.top}px ${rows * cell}px`,
      },
    },
    h(
      "div",
      { class: "corner", "aria-hidden": "true" },
      h("span", {}, `${spec.axes[1]} →`),
      h("span", {}, `${spec.axes[0]} ↓`),
    ),
    labelBox("column-labels", columnLabels, cell, (label, j) => {
      label.style.setProperty("left", `${(j + 0.5) * cell}px`);
      label.style.setProperty("transform", `rotate(${spec.room.slant}deg)`);
    }),
    labelBox("row-labels", rowLabels, cell, (label, i) => {
      label.style.setProperty("top", `${i * cell}px`);
      label.style.setProperty("height", `${cell}px`);
    }),
    h("div", { class: "cells-box" }, cells),
    tip,
  );
  return h("div", { class: "matrix-scroll", dataset: { scroll: spec.name } }, grid);
}

/** @param {Label[]} axis @param {string} kind @param {(i: number) => void} onpick */
function labels(axis, kind, onpick) {
  return axis.map((entry, i) =>
    h(
      "span",
      {
        class: `label ${kind}-label${entry.special ? " special" : ""}`,
        title: entry.full,
        dataset: { index: i },
        onclick: () => onpick(i),
      },
      word(clipped(entry.label)),
    ),
  );
}

/**
 * @param {string} name
 * @param {HTMLElement[]} found
 * @param {number} cell
 * @param {(label: HTMLElement, i: number) => void} place
 */
function labelBox(name, found, cell, place) {
  found.forEach(place);
  return h("div", { class: name, "aria-hidden": "true", style: { "font-size": `${labelSize(cell)}px` } }, found);
}

/** @param {HTMLElement[]} found @param {number} chosen */
function mark(found, chosen) {
  found.forEach((label, i) => label.classList.toggle("chosen", i === chosen));
}

/**
 * @param {HTMLElement} element
 * @param {number} left
 * @param {number} top
 * @param {number} width
 * @param {number} height
 */
function at(element, left, top, width, height) {
  element.hidden = false;
  for (const [name, value] of Object.entries({ left, top, width, height }))
    element.style.setProperty(name, `${value}px`);
}

/** @param {MouseEvent} event @param {HTMLElement} cells @param {number} cell */
function under(event, cells, cell) {
  const { x, y } = pointerIn(event, cells);
  return { row: Math.floor(y / cell), column: Math.floor(x / cell) };
}

/**
 * Scrolls the cell into the part of its box that the labels leave free.
 * @param {HTMLElement} cells
 * @param {number} cell
 * @param {Layout} room
 * @param {Place} given
 */
function reveal(cells, cell, room, { row, column }) {
  const box = cells.closest(".matrix-scroll");
  if (!box) return;
  const [left, top] = [column * cell, row * cell];
  const [wide, high] = [box.clientWidth - room.left, box.clientHeight - room.top];
  if (left < box.scrollLeft) box.scrollLeft = left;
  else if (left + cell > box.scrollLeft + wide) box.scrollLeft = left + cell - wide;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + cell > box.scrollTop + high) box.scrollTop = top + cell - high;
}

/** @param {MatrixSpec} spec @param {number} i */
const rowOf = (spec, i) => Array.from(spec.values.data.slice(i * spec.values.columns, (i + 1) * spec.values.columns));

/**
 * A cell as it is read aloud.
 * @param {MatrixSpec} spec
 * @param {number} i
 * @param {number} j
 */
export function sentence(spec, i, j) {
  const where = DRAWING.cell(spec.rows[i].full, spec.columns[j].full);
  if (!allowed(spec, i, j)) return `${where}, ${DRAWING.notAllowed}`;
  const most = spec.scale === "weights" && argmax(rowOf(spec, i)) === j ? `, ${DRAWING.highest}` : "";
  return `${where}, ${shown(spec, valueAt(spec, i, j))}${most}`;
}

/** @param {MatrixSpec} spec @param {number} i @param {number} j */
function tipOf(spec, i, j) {
  const value = allowed(spec, i, j) ? shown(spec, valueAt(spec, i, j)) : DRAWING.notAllowed;
  return [word(spec.rows[i].full), " → ", word(spec.columns[j].full), h("b", {}, value)];
}

/** The picture in one sentence. @param {MatrixSpec} spec */
function summary(spec) {
  const { rows, columns, data } = spec.values;
  const best = argmax(data);
  const [i, j] = [Math.floor(best / columns), best % columns];
  const largest = data.length
    ? DRAWING.largest(spec.rows[i].full, spec.columns[j].full, shown(spec, data[best], 2))
    : "";
  return DRAWING.summary(spec.title ?? DRAWING.matrix, rows, columns, largest);
}

/** @param {MatrixSpec} spec */
function legendOf(spec) {
  const canvas = h("canvas", {
    class: "legend",
    role: "img",
    "aria-label": DRAWING.colours(spec.scale === "diverging" ? DRAWING.diverging : DRAWING.scales[spec.look.transfer]),
  });
  legend(new CanvasSurface(canvas, 400, 28), spec.look, 8, 1);
  return canvas;
}
