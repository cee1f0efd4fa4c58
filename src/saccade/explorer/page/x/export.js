/** Pictures, tables and files out of the page. What is drawn here is drawn by the calls that draw the page. */
import { h } from "x/dom";
import { whole } from "x/matrix-drawing";
import { CanvasSurface, SvgSurface } from "x/surface";

/** Lets the browser save bytes under a name. @param {Blob} blob */
export function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A matrix as SVG text. */
export function svgOf(spec) {
  const size = whole(null, spec.look, spec);
  const surface = new SvgSurface(size.width, size.height);
  whole(surface, spec.look, spec);
  return surface.toString();
}

/** A matrix as a canvas, twice as fine as the screen's pixels. */
export function canvasOf(spec) {
  const size = whole(null, spec.look, spec);
  const canvas = h("canvas");
  whole(new CanvasSurface(canvas, size.width, size.height, 2), spec.look, spec);
  return canvas;
}

/** A matrix as lines of comma separated values, with every digit the numbers have. */
export function csvOf(spec) {
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const { columns, data } = spec.values;
  const head = ["", ...spec.columns.map((column) => quoted(column.full))];
  const lines = spec.rows.map((row, i) => [quoted(row.full), ...spec.columns.map((_, j) => (spec.mask && !spec.mask.data[i * columns + j] ? "" : String(data[i * columns + j])))]);
  return [head, ...lines].map((line) => line.join(",")).join("\r\n") + "\r\n";
}

const asText = (text, type) => new Blob([text], { type });

/** The small buttons beside a matrix. */
export function matrixTools(context, spec) {
  const button = (name, title, onclick) => h("button", { type: "button", class: "tool", title, "aria-label": `${title}: ${spec.title}`, onclick }, name);
  return h("span", { class: "tools" },
    button(context.state.table ? "Picture" : "Table", "Show as a picture or as a table", () => context.set({ table: !context.state.table })),
    button("PNG", "Save the picture", () => canvasOf(spec).toBlob((blob) => save(blob, `${spec.name}.png`))),
    button("SVG", "Save the drawing", () => save(asText(svgOf(spec), "image/svg+xml"), `${spec.name}.svg`)),
    button("CSV", "Save the numbers", () => save(asText(csvOf(spec), "text/csv"), `${spec.name}.csv`)));
}
