/**
 * Two rows of words and a curve for every weight between them, as thick as the weight: what looks above, what is looked
 * at below. For sentences short enough to stand in one line.
 */

import { INKS, measure } from "page/drawing/matrix-drawing";
import { drawingTools } from "page/drawing/save";
import { CanvasSurface } from "page/drawing/surface";
import { DRAWING } from "page/drawing/words";
import { h, word } from "page/elements/dom";
import { digits, heaviest } from "page/numbers/numbers";

/** @import { Attributes, AxisEntry, Context, Mask, Matrix, Surface, Theme } from "page/types" */

/**
 * Rows look at columns; `chosen` is the row whose curves stand out; rows from `until` on are not written yet.
 * @typedef {object} CurvesSpec
 * @property {string} title
 * @property {string} name
 * @property {AxisEntry[]} rows
 * @property {AxisEntry[]} columns
 * @property {Matrix} weights
 * @property {Mask | null} [mask]
 * @property {number | null} chosen
 * @property {number} [mass]
 * @property {string[]} [captions]
 * @property {(row: number) => void} onRow
 * @property {(column: number) => void} [onColumn]
 * @property {number | null} [until]
 */

const GAP = 14;
const SIZE = 15;
const BETWEEN = 130;
const ROW = 34;
const THICKEST = 13;

/**
 * @param {Context} context
 * @param {CurvesSpec} spec
 */
export function links(context, spec) {
  const place = placed(spec, context.width);
  const drawing = {
    title: spec.title,
    name: spec.name,
    size: () => ({ width: place.width + 32, height: place.height + 60 + 16 * (spec.captions?.length ?? 0) }),
    /** @param {Surface} surface */
    draw: (surface) => exported(surface, spec, place, context.theme),
  };
  const canvas = h("canvas", { "aria-hidden": "true" });
  curves(new CanvasSurface(canvas, place.width, BETWEEN), spec, place, context.theme, 0);
  /** @param {AxisEntry} entry @param {any} at @param {Attributes} attributes */
  const button = (entry, at, attributes) =>
    h(
      "button",
      { type: "button", ...attributes, style: { left: `${at.x}px`, width: `${at.width}px` } },
      word(entry.label),
    );
  const above = spec.columns.map((entry, j) =>
    button(entry, place.columns[j], {
      class: entry.special ? "linked special" : "linked",
      title: entry.full,
      dataset: { focus: `column-${j}`, column: j },
      onclick: () => spec.onColumn?.(j),
    }),
  );
  const below = spec.rows.map((entry, i) =>
    button(entry, place.rows[i], {
      class: `linked${entry.special ? " special" : ""}${waits(spec, i) ? " later" : ""}`,
      "aria-pressed": String(spec.chosen === i),
      "aria-label": rowSentence(spec, i),
      dataset: { focus: `row-${i}`, row: i },
      onclick: () => spec.onRow(i),
    }),
  );
  return h(
    "figure",
    { class: "links", dataset: { links: spec.name } },
    h("figcaption", {}, h("span", { class: "matrix-title" }, spec.title), drawingTools(context, drawing)),
    h(
      "div",
      { class: "links-scroll", dataset: { scroll: spec.name }, tabindex: "0", role: "group", "aria-label": spec.title },
      h(
        "div",
        { class: "links-box", style: { width: `${place.width}px` } },
        h("div", { class: "link-row" }, above),
        canvas,
        h("div", { class: "link-row" }, below),
      ),
    ),
  );
}

/** @param {CurvesSpec} spec @param {number} row */
const waits = (spec, row) => spec.until !== null && spec.until !== undefined && row >= spec.until;

/**
 * What a screen reader says of a row: the word and where it looks most.
 * @param {CurvesSpec} spec
 * @param {number} i
 */
function rowSentence(spec, i) {
  const { columns, data } = spec.weights;
  const row = data.subarray(i * columns, (i + 1) * columns);
  const first = [...row.keys()].sort((a, b) => row[b] - row[a]).slice(0, 2);
  const strongest = first.map((j) => `${spec.columns[j].full} ${digits(row[j], 2)}`).join(", ");
  return DRAWING.looks(spec.rows[i].full, strongest);
}

/**
 * Where every word stands: both rows as wide as the wider one.
 * @param {CurvesSpec} spec
 * @param {number} available
 */
function placed(spec, available) {
  /** @param {AxisEntry[]} entries */
  const wide = (entries) => entries.map((entry) => measure(entry.label, SIZE) + 16);
  const [rowWidths, columnWidths] = [wide(spec.rows), wide(spec.columns)];
  /** @param {number[]} widths */
  const total = (widths) => widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);
  const width = Math.max(total(rowWidths), total(columnWidths), Math.min(available, 560));
  /** @param {number[]} widths */
  const spread = (widths) => {
    const gap = widths.length > 1 ? Math.min(GAP * 4, GAP + (width - total(widths)) / (widths.length - 1)) : 0;
    let x = (width - widths.reduce((sum, one) => sum + one, 0) - gap * (widths.length - 1)) / 2;
    return widths.map((one) => {
      const at = { x, width: one, middle: x + one / 2 };
      x += one + gap;
      return at;
    });
  };
  return { width: Math.ceil(width), height: BETWEEN + 2 * ROW, rows: spread(rowWidths), columns: spread(columnWidths) };
}

/**
 * @param {Surface} surface
 * @param {CurvesSpec} spec
 * @param {any} place
 * @param {Theme} theme
 * @param {number} top
 */
function curves(surface, spec, place, theme, top) {
  const { rows, columns, data } = spec.weights;
  const stroke = theme === "dark" ? "#93b4ff" : "#1d4ed8";
  const order = [...Array(rows).keys()]
    .filter((i) => !waits(spec, i))
    .sort((a, b) => Number(a === spec.chosen) - Number(b === spec.chosen));
  for (const i of order) {
    const row = data.subarray(i * columns, (i + 1) * columns);
    const kept = heaviest(row, spec.mass ?? 1);
    const stands = spec.chosen === i;
    for (const j of kept) {
      const weight = row[j];
      if (weight < 0.015) continue;
      const opacity = stands
        ? 0.25 + 0.75 * weight
        : spec.chosen === null
          ? 0.12 + 0.68 * weight
          : 0.04 + 0.16 * weight;
      surface.curve(
        place.columns[j].middle,
        top,
        place.rows[i].middle,
        top + BETWEEN,
        stands ? INKS[theme].outline : stroke,
        Math.max(0.75, THICKEST * weight),
        opacity,
      );
    }
  }
}

/** @param {Surface} surface @param {CurvesSpec} spec @param {ReturnType<typeof placed>} place @param {Theme} theme */
function exported(surface, spec, place, theme) {
  const inks = INKS[theme];
  const [left, top] = [16, 44];
  const height = place.height + 60 + 16 * (spec.captions?.length ?? 0);
  surface.rect(0, 0, place.width + 32, height, inks.paper);
  surface.text(left, 18, spec.title, { size: 14, weight: 600, fill: inks.text });
  /** @param {any} entries */
  const moved = (entries) =>
    entries.map((/** @type {{x: number, width: number, middle: number}} */ at) => ({
      ...at,
      middle: at.middle + left,
    }));
  const shifted = { ...place, rows: moved(place.rows), columns: moved(place.columns) };
  spec.columns.forEach((entry, j) =>
    surface.text(shifted.columns[j].middle, top, entry.label, { size: SIZE, align: "middle", fill: inks.text }),
  );
  curves(surface, spec, shifted, theme, top + 14);
  spec.rows.forEach((entry, i) =>
    surface.text(shifted.rows[i].middle, top + 28 + BETWEEN, entry.label, {
      size: SIZE,
      align: "middle",
      fill: inks.text,
    }),
  );
  (spec.captions ?? []).forEach((line, i) =>
    surface.text(left, height - 14 - 16 * i, line, { size: 11, fill: inks.quiet }),
  );
}
