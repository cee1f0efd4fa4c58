/**
 * How a matrix looks, on any surface: cells, hatches where nothing is allowed, an outline round the largest of each
 * row, digits where there is room; and around it, for an export, labels, legend and captions.
 */

import { css, diverging, ink, sequential, TRANSFERS } from "page/drawing/colour";
import { DRAWING } from "page/drawing/words";
import { digits, extent } from "page/numbers/numbers";

/** @import { Label, Look, MatrixSpec, Surface } from "page/types" */

/** The colours of a theme that stand for no number. @typedef {(typeof INKS)["light"]} Inks */

export const SMALLEST = 12;
export const LARGEST = 36;
const DIGITS_FROM = 30;
const LABEL = 12;
const LONGEST = 14;
/** How far column labels are turned; where cells are so narrow that slanted labels would touch, upright. */
const [SLANT, UPRIGHT, NARROW] = [-55, -90, 15];

/** What cells look like: the colours of a theme that are not numbers. */
export const INKS = {
  light: {
    text: "#1d2430",
    quiet: "#5b6577",
    grid: "#e4e8ee",
    hatch: "#b3bccb",
    outline: "#c2410c",
    paper: css(sequential(0, "light")),
  },
  dark: {
    text: "#e8ecf3",
    quiet: "#a2adbf",
    grid: "#2b323d",
    hatch: "#4d586a",
    outline: "#fb923c",
    paper: css(sequential(0, "dark")),
  },
};

/** A function from row and column to the colour of the cell, three channels from 0 to 255. @param {Look} look */
export function colouring(look) {
  const { rows, columns, data } = look.values;
  if (look.scale === "diverging") {
    const limit = look.limit || extent(data) || 1;
    return (/** @type {number} */ i, /** @type {number} */ j) => diverging(data[i * columns + j] / limit, look.theme);
  }
  const most = Array.from({ length: rows }, (_, i) => Math.max(...data.subarray(i * columns, (i + 1) * columns), 0));
  const transfer = TRANSFERS[look.transfer];
  return (/** @type {number} */ i, /** @type {number} */ j) =>
    sequential(transfer(data[i * columns + j], most[i]), look.theme, look.palette);
}

/** Draws the cells with their upper left corner at (left, top). @param {Surface} surface @param {Look} look */
export function paint(surface, look, left = 0, top = 0) {
  const { rows, columns, data } = look.values;
  const { cell, mask } = look;
  const inks = INKS[look.theme];
  const colour = colouring(look);
  /** @param {number} i @param {number} j */
  const allowed = (i, j) => !mask || mask.data[i * columns + j];
  /** @param {number} i @param {number} j */
  const visible = (i, j) => !look.shown || look.shown(i, j);
  surface.rect(left, top, columns * cell, rows * cell, inks.paper);
  surface.cells(left, top, cell, rows, columns, (/** @type {number} */ i, /** @type {number} */ j) =>
    allowed(i, j) && visible(i, j) ? css(colour(i, j)) : null,
  );
  if (cell >= SMALLEST) {
    for (let i = 0; i <= rows; i++)
      surface.line(left, top + i * cell, left + columns * cell, top + i * cell, inks.grid, 0.5);
    for (let j = 0; j <= columns; j++)
      surface.line(left + j * cell, top, left + j * cell, top + rows * cell, inks.grid, 0.5);
  }
  for (let i = 0; i < rows; i++) {
    for (let from = 0, to; from < columns; from = to) {
      for (to = from; to < columns && !allowed(i, to); to++);
      if (to > from) surface.hatch(left + from * cell, top + i * cell, (to - from) * cell, cell, inks.hatch);
      else to += 1;
    }
    if (look.outlines !== false && look.scale === "weights" && cell >= 8) {
      const j = largest(look, i, allowed);
      if (j >= 0 && visible(i, j))
        surface.outline(left + j * cell, top + i * cell, cell, cell, inks.outline, cell >= SMALLEST ? 1.5 : 1);
    }
  }
  if (cell < DIGITS_FROM || look.digits === false) return;
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++)
      if (allowed(i, j) && visible(i, j)) {
        const value = data[i * columns + j];
        const place = [left + (j + 0.5) * cell, top + (i + 0.5) * cell];
        const text = look.percent ? share(value) : digits(value, 2).replace(/^-(0\.0+)$/, "$1");
        surface.text(place[0], place[1], text, {
          size: 10,
          align: "middle",
          fill: ink(colour(i, j)),
        });
      }
}

/** A share in the little room of a cell; one that rounds to nothing is left blank. @param {number} value */
const share = (value) => (value < 0.005 ? "" : `${(100 * value).toFixed(0)} %`);

/** @param {Look} look @param {number} i @param {(i: number, j: number) => unknown} allowed */
function largest(look, i, allowed) {
  const { columns, data } = look.values;
  let best = -1;
  for (let j = 0; j < columns; j++)
    if (allowed(i, j) && (best < 0 || data[i * columns + j] > data[i * columns + best])) best = j;
  return best;
}

/** A label that fits: cut at 14 characters, never inside one. @param {string} label */
export function clipped(label) {
  const characters = [...label];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join("")}…` : label;
}

let ruler = null;

/**
 * The width of a text in CSS pixels.
 * @param {string} string
 * @param {number} [size]
 */
export function measure(string, size = LABEL) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${size}px system-ui, sans-serif`;
  return Math.ceil(ruler.measureText(string).width);
}

/**
 * Room for labels and the size of a cell, for so many pixels of width.
 * @param {Label[]} rows
 * @param {Label[]} columns
 * @param {number} width
 * @param {string[]} [axes]
 * @param {number | null} [given]  the size of a cell, where it is given
 */
export function layout(rows, columns, width, axes = [], given = null) {
  const left =
    14 +
    Math.max(
      24,
      ...rows.map((row) => measure(clipped(row.label))),
      ...axes.map((name) => measure(`${name} →`, 11) - 8),
    );
  const long = Math.max(12, ...columns.map((column) => measure(clipped(column.label))));
  /** @param {number} slant */
  const turned = (slant) => {
    const angle = (-slant * Math.PI) / 180;
    const right = Math.ceil(long * Math.cos(angle) + 6);
    const fitted = Math.max(SMALLEST, Math.min(LARGEST, Math.floor((width - left - right) / columns.length)));
    const cell = given ?? fitted;
    return { left, top: Math.ceil(long * Math.sin(angle) + LABEL + 8), right, cell, slant };
  };
  const slanted = turned(SLANT);
  return slanted.cell < NARROW && columns.length > 1 ? turned(UPRIGHT) : slanted;
}

/** The type of labels: no taller than the cells they stand beside. @param {number} cell */
export const labelSize = (cell) => Math.max(9, Math.min(LABEL, cell - 1));

/** The ticks of the legend: numbers, and where on the scale from 0 to 1 they stand. @param {Look} look */
export function ticks(look) {
  if (look.scale === "diverging") {
    const limit = look.limit || extent(look.values.data) || 1;
    return [-1, -0.5, 0, 0.5, 1].map((share) => ({
      at: (share + 1) / 2,
      label: Number((share * limit).toPrecision(3)).toString(),
    }));
  }
  if (look.transfer === "rowmax")
    return [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, label: at === 1 ? DRAWING.rowsLargest : String(at) }));
  const marks = look.transfer === "sqrt" ? [0, 0.01, 0.05, 0.1, 0.25, 0.5, 1] : [0, 0.1, 0.25, 0.5, 0.75, 1];
  /** @param {number} mark */
  const label = (mark) =>
    look.percent ? `${Math.round(100 * mark)}${mark === 1 ? " %" : ""}` : String(mark).replace(/^0\./, ".");
  return marks.map((mark) => ({ at: TRANSFERS[look.transfer](mark, 1), label: label(mark) }));
}

/**
 * Draws the legend: a strip of colours with its ticks and the name of the scale. It begins at `start`, or further right
 * where the first number, which stands under the strip's edge, would lose its sign otherwise.
 * @param {Surface} surface
 * @param {Look} look
 * @param {number} start
 * @param {number} top
 * @param {number} [width]
 */
export function legend(surface, look, start, top, width = 220) {
  const inks = INKS[look.theme];
  const left = Math.max(start, measure(ticks(look)[0].label, 10) / 2 + 1);
  const steps = 110;
  for (let step = 0; step < steps; step++) {
    const share = step / (steps - 1);
    const rgb =
      look.scale === "diverging" ? diverging(2 * share - 1, look.theme) : sequential(share, look.theme, look.palette);
    surface.rect(left + (step * width) / steps, top, width / steps + 0.5, 10, css(rgb));
  }
  surface.outline(left, top, width, 10, inks.quiet, 0.5);
  for (const { at, label } of ticks(look)) {
    surface.line(left + at * width, top + 10, left + at * width, top + 13, inks.quiet, 1);
    surface.text(left + at * width, top + 20, label, { size: 10, align: "middle", fill: inks.quiet });
  }
  const name = DRAWING.scales[look.scale === "diverging" ? "diverging" : look.transfer];
  const after = measure(/** @type {any} */ (ticks(look).at(-1)).label, 10) / 2 + 10;
  surface.text(left + width + Math.max(8, after), top + 5, name, { size: 10, fill: inks.quiet });
}

/**
 * The whole picture for an export: title, labels, cells, legend, captions. Returns its size when called without a
 * surface.
 * @param {Surface | null} surface
 * @param {Look} look
 * @param {MatrixSpec} given
 */
export function whole(surface, look, { title, rows, columns, captions = [] }) {
  const room = layout(rows, columns, 0, [], look.cell);
  const margin = 16;
  const head = margin + 26;
  const [left, top] = [margin + room.left, head + room.top];
  const [bodyWidth, bodyHeight] = [columns.length * look.cell, rows.length * look.cell];
  const lines = [title, ...captions];
  const width = Math.max(
    left + bodyWidth + room.right + margin,
    margin * 2 + 380,
    margin * 2 + Math.max(...lines.map((line) => measure(/** @type {NonNullable<typeof line>} */ (line), 13))),
  );
  const height = top + bodyHeight + 48 + 16 * captions.length + margin;
  if (!surface) return { width: Math.ceil(width), height: Math.ceil(height) };
  const inks = INKS[look.theme];
  surface.rect(0, 0, Math.ceil(width), Math.ceil(height), inks.paper);
  surface.text(margin, margin + 8, /** @type {NonNullable<typeof title>} */ (title), {
    size: 14,
    weight: 600,
    fill: inks.text,
  });
  rows.forEach((row, i) =>
    surface.text(left - 6, top + (i + 0.5) * look.cell, clipped(row.label), {
      size: labelSize(look.cell),
      align: "end",
      fill: inks.text,
    }),
  );
  columns.forEach((column, j) =>
    surface.text(left + (j + 0.5) * look.cell, top - 8, clipped(column.label), {
      size: labelSize(look.cell),
      fill: inks.text,
      turn: room.slant,
    }),
  );
  paint(surface, look, left, top);
  legend(surface, look, margin, top + bodyHeight + 16);
  captions.forEach((line, i) =>
    surface.text(margin, top + bodyHeight + 58 + 16 * i, line, { size: 11, fill: inks.quiet }),
  );
  return { width: Math.ceil(width), height: Math.ceil(height) };
}
