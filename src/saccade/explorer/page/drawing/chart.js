/**
 * A line chart on the drawing surface: axes with ticks, a line a series with its name at its end, and marks on the x
 * axis. Series differ by hue, by dashes and by the shape of their dots, so that no reader depends on colour alone.
 */
import { css, oklch } from "page/drawing/colour";
import { INKS, measure } from "page/drawing/matrix-drawing";
import { veiled } from "page/numbers/veil";

/** @import { State, Surface, Theme } from "page/types" */

/**
 * @typedef {{name: string, points: [number, number][], dots?: boolean, line?: boolean, style?: number, faint?:
 * boolean}} Series
 */
/**
 * @typedef {object} Chart
 * @property {number} width
 * @property {number} height
 * @property {{label: string, log?: boolean, domain: [number, number], ticks: number[], write?: (value: number) =>
 *   string}} x
 * @property {{label: string, log?: boolean, domain: [number, number], ticks: number[], write?: (value: number) =>
 *   string}} y
 * @property {Series[]} series
 * @property {{x: number, label: string}[]} [marks]
 */

const STYLES = [
  { hue: 262, dash: null },
  { hue: 45, dash: [9, 5] },
  { hue: 155, dash: [2, 4] },
  { hue: 330, dash: [12, 4, 2, 4] },
];

/**
 * The colour of the series of a number, dark enough on paper and light enough on slate.
 * @param {number} number
 * @param {Theme} theme
 * @param {boolean} [faint]
 */
export function seriesColour(number, theme, faint = false) {
  const { hue } = STYLES[number % STYLES.length];
  if (theme === "dark") return css(oklch(faint ? 0.5 : 0.78, faint ? 0.05 : 0.13, hue));
  return css(oklch(faint ? 0.78 : 0.5, faint ? 0.05 : 0.15, hue));
}

/** Ink for axes and names, and the paper under them. @param {Theme} theme */
export function inks(theme) {
  return INKS[theme];
}

/**
 * Where a value of an axis lies between 0 and 1.
 * @param {{log?: boolean, domain: [number, number]}} given
 * @param {number} value
 */
function share({ log, domain: [from, to] }, value) {
  if (to === from) return 0.5;
  return log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
}

/** What stands before a name: a gap, its line, a gap. */
const [SWATCH_FROM, SWATCH_TO, NAME_FROM] = [6, 26, 31];

/** The room right of the axes: for the names of the series, whole in every language. @param {Series[]} series */
const roomForNames = (series) => {
  const names = series.map(({ name }) => name).filter(Boolean);
  return names.length ? NAME_FROM + Math.max(...names.map((name) => measure(name, 12))) + 4 : 30;
};

/**
 * @param {Surface} surface @param {any} chart @param {"light" | "dark"} theme
 */
export function drawChart(surface, chart, theme) {
  const ink = inks(theme);
  const box = { left: 64, top: 14, right: chart.width - roomForNames(chart.series), bottom: chart.height - 44 };
  const at = {
    /** @param {number} value */
    x: (value) => box.left + share(chart.x, value) * (box.right - box.left),
    /** @param {number} value */
    y: (value) => box.bottom - share(chart.y, value) * (box.bottom - box.top),
  };
  axes(surface, chart, box, at, ink);
  (chart.marks ?? []).forEach((/** @type {{x: number, label: string}} */ mark, /** @type {number} */ order) => {
    dashed(
      surface,
      [
        [at.x(mark.x), box.top],
        [at.x(mark.x), box.bottom],
      ],
      ink.quiet,
      1,
      [3, 3],
    );
    const late = at.x(mark.x) > (box.left + box.right) / 2;
    surface.text(at.x(mark.x) + (late ? -5 : 5), box.top + 7 + 16 * order, mark.label, {
      size: 12,
      fill: ink.text,
      align: late ? "end" : "start",
    });
  });
  /** @type {any[]} */
  const names = [];
  chart.series.forEach((/** @type {any} */ series, /** @type {State["order"]} */ order) => {
    const style = series.style ?? order;
    const colour = seriesColour(style, theme, series.faint);
    const places = series.points.map((/** @type {[number, number]} */ [x, y]) => [at.x(x), at.y(y)]);
    if (series.line !== false)
      dashed(surface, places, colour, series.faint ? 1.25 : 2.25, STYLES[style % STYLES.length].dash);
    if (series.dots) for (const [x, y] of places) dot(surface, x, y, style, colour);
    if (series.name && places.length)
      names.push({ name: series.name, y: places.at(-1)[1], colour: ink.text, swatch: colour, style });
  });
  spread(names, 16, box.top, box.bottom);
  for (const { name, y, colour, swatch, style } of names) {
    dashed(
      surface,
      [
        [box.right + SWATCH_FROM, y],
        [box.right + SWATCH_TO, y],
      ],
      swatch,
      2.25,
      STYLES[style % STYLES.length].dash,
    );
    surface.text(box.right + NAME_FROM, y, name, { size: 12, fill: colour });
  }
}

/** @param {Surface} surface @param {Chart} chart @param {any} box @param {any} at @param {any} ink */
function axes(surface, chart, box, at, ink) {
  for (const tick of chart.x.ticks) {
    surface.line(at.x(tick), box.top, at.x(tick), box.bottom, ink.grid);
    surface.text(at.x(tick), box.bottom + 12, (chart.x.write ?? String)(tick), {
      size: 11,
      align: "middle",
      fill: ink.quiet,
    });
  }
  for (const tick of chart.y.ticks) {
    surface.line(box.left, at.y(tick), box.right, at.y(tick), ink.grid);
    if (veiled()) continue;
    surface.text(box.left - 7, at.y(tick), (chart.y.write ?? String)(tick), {
      size: 11,
      align: "end",
      fill: ink.quiet,
    });
  }
  surface.line(box.left, box.bottom, box.right, box.bottom, ink.quiet);
  surface.line(box.left, box.top, box.left, box.bottom, ink.quiet);
  surface.text((box.left + box.right) / 2, box.bottom + 32, chart.x.label, {
    size: 12,
    align: "middle",
    fill: ink.text,
  });
  surface.text(13, (box.top + box.bottom) / 2, chart.y.label, { size: 12, align: "middle", turn: -90, fill: ink.text });
}

/**
 * A line with gaps: the surface knows straight lines only.
 * @param {Surface} surface
 * @param {any} places
 * @param {string} colour
 * @param {number} thickness
 * @param {any} dash
 */
function dashed(surface, places, colour, thickness, dash) {
  let left = dash ? dash[0] : Infinity;
  let index = 0;
  for (let i = 1; i < places.length; i++) {
    let [x, y] = places[i - 1];
    const [toX, toY] = places[i];
    let length = Math.hypot(toX - x, toY - y);
    if (!dash) {
      surface.line(x, y, toX, toY, colour, thickness);
      continue;
    }
    const [stepX, stepY] = length ? [(toX - x) / length, (toY - y) / length] : [0, 0];
    while (length > 0) {
      const go = Math.min(left, length);
      if (index % 2 === 0) surface.line(x, y, x + stepX * go, y + stepY * go, colour, thickness);
      [x, y, length, left] = [x + stepX * go, y + stepY * go, length - go, left - go];
      if (left <= 0) {
        index += 1;
        left = dash[index % dash.length];
      }
    }
  }
}

/**
 * A filled square, an empty one, a cross, a plus.
 * @param {Surface} surface
 * @param {number} x
 * @param {number} y
 * @param {number} style
 * @param {string} colour
 */
function dot(surface, x, y, style, colour) {
  const r = 3.5;
  if (style % 4 === 0) surface.rect(x - r, y - r, 2 * r, 2 * r, colour);
  else if (style % 4 === 1) surface.outline(x - r, y - r, 2 * r, 2 * r, colour, 1.75);
  else if (style % 4 === 2) {
    surface.line(x - r, y - r, x + r, y + r, colour, 1.75);
    surface.line(x - r, y + r, x + r, y - r, colour, 1.75);
  } else {
    surface.line(x - r - 1, y, x + r + 1, y, colour, 1.75);
    surface.line(x, y - r - 1, x, y + r + 1, colour, 1.75);
  }
}

/**
 * Moves names apart that would lie on each other, in the order they have.
 * @param {any} names
 * @param {number} gap
 * @param {number} top
 * @param {number} bottom
 */
function spread(names, gap, top, bottom) {
  names.sort((/** @type {number} */ a, /** @type {number} */ b) => /** @type {any} */ (a).y - /** @type {any} */ (b).y);
  for (let i = 0; i < names.length; i++) names[i].y = Math.max(names[i].y, i ? names[i - 1].y + gap : top);
  for (let i = names.length - 1; i >= 0; i--)
    names[i].y = Math.min(names[i].y, i < names.length - 1 ? names[i + 1].y - gap : bottom);
}

/**
 * Powers of `base` from the one at or below `from` to the one at or above `to`.
 * @param {number} base
 * @param {number} from
 * @param {number} to
 */
export function powers(base, from, to) {
  const ticks = [];
  let power = Math.floor(Math.log(from) / Math.log(base) + 1e-9);
  for (; base ** power < to * (1 - 1e-9); power++) ticks.push(base ** power);
  ticks.push(base ** power);
  return ticks;
}
