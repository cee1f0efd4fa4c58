/** Pictures, tables and files out of the page. What is drawn here is drawn by the calls that draw the page. */

import { whole } from "page/drawing/matrix-drawing";
import { CanvasSurface, SvgSurface } from "page/drawing/surface";
import { DRAWING } from "page/drawing/words";
import { h } from "page/elements/dom";

/** @import { Context, Drawing, MatrixSpec } from "page/types" */

/**
 * Lets the browser save bytes under a name.
 * @param {Blob} blob
 * @param {string} name
 */
export function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {Drawing} drawing @returns {string} */
export function svgOf(drawing) {
  const { width, height } = drawing.size();
  const surface = new SvgSurface(width, height);
  drawing.draw(surface);
  return surface.toString();
}

/** A picture as a canvas, twice as fine as the screen's pixels. @param {Drawing} drawing */
export function canvasOf(drawing) {
  const { width, height } = drawing.size();
  const canvas = h("canvas");
  drawing.draw(new CanvasSurface(canvas, width, height, 2));
  return canvas;
}

/**
 * A matrix as a picture that can be saved, with labels, legend and captions around it.
 * @param {MatrixSpec} spec
 * @returns {Drawing}
 */
export function drawingOf(spec) {
  const { title = "", name } = spec;
  return {
    title,
    name,
    size: () => whole(null, spec.look, spec),
    draw: (surface) => whole(surface, spec.look, spec),
    csv: () => csvOf(spec),
  };
}

/** A matrix as lines of comma separated values, with every digit the numbers have. @param {MatrixSpec} spec */
export function csvOf(spec) {
  /** @param {string} text */
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const { columns, data } = spec.values;
  const head = ["", ...spec.columns.map((column) => quoted(column.full))];
  const lines = spec.rows.map((row, i) => [
    quoted(row.full),
    ...spec.columns.map((_, j) => (spec.mask && !spec.mask.data[i * columns + j] ? "" : String(data[i * columns + j]))),
  ]);
  return [head, ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}

/** @param {string} text @param {string} type */
const asText = (text, type) => new Blob([text], { type });

/**
 * Saves a picture in one of its forms: "png", "svg" or "csv".
 * @param {Drawing} drawing
 * @param {keyof typeof DRAWING.save} form
 */
export function saveDrawing(drawing, form) {
  if (form === "png") canvasOf(drawing).toBlob((blob) => blob && save(blob, `${drawing.name}.png`));
  else if (form === "svg") save(asText(svgOf(drawing), "image/svg+xml"), `${drawing.name}.svg`);
  else save(asText(drawing.csv?.() ?? "", "text/csv"), `${drawing.name}.csv`);
}

/**
 * The small buttons beside a picture; the picture is also offered by the export dialog.
 * @param {Context} context @param {Drawing} drawing @param {...any} more
 */
export function drawingTools(context, drawing, ...more) {
  context.drawings?.push(drawing);
  const forms = /** @type {(keyof typeof DRAWING.save)[]} */ (Object.keys(DRAWING.save)).filter(
    (form) => form !== "csv" || drawing.csv,
  );
  return h(
    "span",
    { class: "tools" },
    more,
    forms.map((form) =>
      h(
        "button",
        {
          type: "button",
          class: "tool",
          title: DRAWING.save[form],
          "aria-label": DRAWING.saveAs(DRAWING.save[form], form.toUpperCase(), drawing.title),
          onclick: () => saveDrawing(drawing, form),
        },
        form.toUpperCase(),
      ),
    ),
  );
}

/**
 * The same for a matrix, which can also be a table.
 * @param {Context} context
 * @param {MatrixSpec} spec
 */
export function matrixTools(context, spec) {
  const { table } = context.state;
  const label = table ? DRAWING.asPicture : DRAWING.asTable;
  const change = h(
    "button",
    {
      type: "button",
      class: "tool",
      title: DRAWING.toggle,
      "aria-label": `${label}: ${spec.title}`,
      dataset: { focus: `table-${spec.name}` },
      onclick: () => context.set({ table: !table }),
    },
    label,
  );
  return drawingTools(context, drawingOf(spec), change);
}
