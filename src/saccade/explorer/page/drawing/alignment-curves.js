/**
 * Two rows of words and a curve for every weight between them, as thick as the weight: what is looked at above, what
 * looks below. Where two rows have no room, two columns.
 */

import { placed, USUAL } from "page/drawing/curve-layout";
import { INKS, measure } from "page/drawing/matrix-drawing";
import { drawingTools } from "page/drawing/save";
import { CanvasSurface } from "page/drawing/surface";
import { DRAWING } from "page/drawing/words";
import { h, word } from "page/elements/dom";
import { digits, heaviest } from "page/numbers/numbers";

/** @import { Placed, Word } from "page/drawing/curve-layout" */
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

const THICKEST = 13;

/**
 * @param {Context} context
 * @param {CurvesSpec} spec
 */
export function links(context, spec) {
  /** @param {AxisEntry[]} entries */
  const widths = (entries) => entries.map((entry) => measure(entry.label, USUAL));
  const place = placed(widths(spec.columns), widths(spec.rows), context.width);
  const drawing = {
    title: spec.title,
    name: spec.name,
    size: () => ({ width: place.width + 32, height: place.height + 60 + 16 * (spec.captions?.length ?? 0) }),
    /** @param {Surface} surface */
    draw: (surface) => exported(surface, spec, place, context.theme),
  };
  const canvas = h("canvas", { "aria-hidden": "true" });
  curves(new CanvasSurface(canvas, place.width, place.height), spec, place, context.theme);
  /** @param {AxisEntry} entry @param {Word} at @param {Attributes} attributes */
  const button = (entry, at, attributes) =>
    h(
      "button",
      {
        type: "button",
        ...attributes,
        style: {
          left: `${at.x}px`,
          top: `${at.y}px`,
          width: `${at.width}px`,
          height: `${at.height}px`,
          "font-size": `${place.size}px`,
        },
      },
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
        {
          class: place.upright ? "links-box upright" : "links-box",
          style: { width: `${place.width}px`, height: `${place.height}px` },
        },
        canvas,
        above,
        below,
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
 * @param {Surface} surface
 * @param {CurvesSpec} spec
 * @param {Placed} place
 * @param {Theme} theme
 * @param {[number, number]} [origin]
 */
function curves(surface, spec, place, theme, [left, top] = [0, 0]) {
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
      const [[x1, y1], [x2, y2]] = [place.columns[j].end, place.rows[i].end];
      surface.curve(
        left + x1,
        top + y1,
        left + x2,
        top + y2,
        stands ? INKS[theme].outline : stroke,
        Math.max(0.75, THICKEST * weight),
        opacity,
        place.upright,
      );
    }
  }
}

/** @param {Surface} surface @param {CurvesSpec} spec @param {Placed} place @param {Theme} theme */
function exported(surface, spec, place, theme) {
  const inks = INKS[theme];
  const [left, top] = [16, 36];
  const height = place.height + 60 + 16 * (spec.captions?.length ?? 0);
  surface.rect(0, 0, place.width + 32, height, inks.paper);
  surface.text(left, 18, spec.title, { size: 14, weight: 600, fill: inks.text });
  curves(surface, spec, place, theme, [left, top]);
  /** @param {AxisEntry[]} entries @param {Word[]} places */
  const labels = (entries, places) =>
    entries.forEach((entry, i) => {
      const { x, y, width, height: high } = places[i];
      surface.text(left + x + width / 2, top + y + high / 2, entry.label, {
        size: place.size,
        align: "middle",
        fill: inks.text,
      });
    });
  labels(spec.columns, place.columns);
  labels(spec.rows, place.rows);
  (spec.captions ?? []).forEach((line, i) =>
    surface.text(left, height - 14 - 16 * i, line, { size: 11, fill: inks.quiet }),
  );
}
