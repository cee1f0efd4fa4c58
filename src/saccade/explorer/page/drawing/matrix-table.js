/** A matrix as a table of digits. */
import { DRAWING } from "page/drawing/words";
import { h, word } from "page/elements/dom";
import { digits, percent } from "page/numbers/numbers";

/** @import { MatrixSpec } from "page/types" */

const MOST_TABLE_CELLS = 6400;

/** @param {MatrixSpec} spec @param {number} i @param {number} j */
export const allowed = (spec, i, j) => !spec.mask || spec.mask.data[i * spec.values.columns + j];

/** @param {MatrixSpec} spec @param {number} i @param {number} j */
export const valueAt = (spec, i, j) => spec.values.data[i * spec.values.columns + j];

/**
 * A number of the matrix as it is written: a share as a percentage, where a reader wants words.
 * @param {MatrixSpec} spec
 * @param {number} value
 * @param {number} [places]
 */
export const shown = (spec, value, places = 4) => (spec.look.percent ? percent(value) : digits(value, places));

/** @param {MatrixSpec} spec */
export function tableOf(spec) {
  const { rows, columns } = spec.values;
  const many = rows * columns > MOST_TABLE_CELLS;
  const drawn = many ? [spec.cursor?.row ?? 0] : spec.rows.map((_, i) => i);
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, `${spec.axes[0]} ↓ ${spec.axes[1]} →`),
    spec.columns.map((column) => h("th", { scope: "col" }, word(column.label))),
  );
  const body = drawn.map((i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, word(spec.rows[i].label)),
      spec.columns.map((_, j) =>
        h(
          "td",
          {
            dataset: { row: i, column: j },
            class: spec.cursor?.row === i && spec.cursor?.column === j ? "chosen" : null,
          },
          allowed(spec, i, j) ? shown(spec, valueAt(spec, i, j)) : DRAWING.notAllowed,
        ),
      ),
    ),
  );
  const note = many ? h("p", { class: "note" }, DRAWING.tooMany(rows, columns)) : null;
  const table = h(
    "table",
    {},
    h("caption", { class: "unseen" }, spec.title ?? DRAWING.matrix),
    h("thead", {}, head),
    h("tbody", {}, body),
  );
  return h(
    "div",
    {
      class: "table-scroll",
      tabindex: "0",
      role: "region",
      "aria-label": spec.title ?? DRAWING.matrix,
      dataset: { scroll: spec.name, focus: spec.name },
    },
    note,
    table,
  );
}
