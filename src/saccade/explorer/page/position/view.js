/**
 * Position: the vectors that say where a word stands, as a table, as waves, by their products; and the shuffle test.
 */

import { words } from "page/app/words";
import { drawChart } from "page/drawing/chart";
import { figure } from "page/drawing/figure";
import { matrix } from "page/drawing/matrix";
import { h, word } from "page/elements/dom";
import { call, i, math, n, o, over, row, sub, sup } from "page/elements/mathml";
import { digits, extent, short } from "page/numbers/numbers";
import { keys } from "page/position/keys";
import { byDistance, computed, largestDifference, position, products, wave, wavelength } from "page/position/table";
import { chosen, heat, sliders } from "page/position/table-picture";
import { POSITION } from "page/position/words";
import { namedFor } from "page/trace/plain-names";
import { axis } from "page/trace/trace";

/** @import { Chosen } from "page/position/table-picture" */
/** @import { Context, State, Surface, Theme, View } from "page/types" */

/** Positions whose products are shown as a matrix: as many as a reader can tell apart. */
const PRODUCTS = 24;

/** @param {string} kind */
function formulas(kind) {
  /** @param {any} exponent */
  const angle = (exponent) => over(i("pos"), sup(n("10000"), exponent));
  if (kind === "tensor2tensor" || kind === "halves") {
    const exponent = () =>
      kind === "halves"
        ? row(n(2), i("i"), o("/"), i("d"))
        : row(i("i"), o("/"), o("("), i("d"), o("/"), n(2), o("−"), n(1), o(")"));
    return [
      math(sub(i("PE"), row(i("pos"), o(","), i("i"))), o("="), call("sin", angle(exponent()))),
      math(
        sub(i("PE"), row(i("pos"), o(","), row(i("i"), o("+"), over(i("d"), n(2))))),
        o("="),
        call("cos", angle(exponent())),
      ),
    ];
  }
  const exponent = () => row(n(2), i("i"), o("/"), i("d"));
  return [
    math(sub(i("PE"), row(i("pos"), o(","), n(2), i("i"))), o("="), call("sin", angle(exponent()))),
    math(sub(i("PE"), row(i("pos"), o(","), n(2), i("i"), o("+"), n(1))), o("="), call("cos", angle(exponent()))),
  ];
}

/**
 * One place of the vector from position to position: the model's numbers as dots, the formula as a line.
 * @param {Context} context
 * @param {any} found
 */
function waveFigure(context, found) {
  const { table, rows, width, kind, column } = found;
  const isFormula = computed(kind);
  const dots = Array.from({ length: rows }, (_, p) => [p, table.data[p * width + column]]);
  const line = isFormula
    ? Array.from({ length: 8 * (rows - 1) + 1 }, (_, at) => [at / 8, position(kind, at / 8, column, width)])
    : dots;
  const most = isFormula ? 1 : extent(dots.map(([, value]) => value)) || 1;
  const chart = {
    width: Math.max(320, Math.min(760, context.width)),
    height: 230,
    x: {
      label: POSITION.axes.pos,
      domain: [0, rows - 1],
      ticks: Array.from({ length: Math.floor((rows - 1) / 8) + 1 }, (_, at) => 8 * at),
    },
    y: {
      label: POSITION.axes.value,
      domain: [-most, most],
      ticks: [-most, 0, most],
      /** @param {number} value */
      write: (value) => (isFormula ? String(value) : short(value)),
    },
    series: [
      ...(isFormula ? [{ name: POSITION.formula, points: line, style: 0, faint: true }] : []),
      { name: POSITION.table, points: dots, dots: true, line: !isFormula, style: 0 },
    ],
  };
  const length =
    isFormula && Number.isFinite(wavelength(kind, column, width)) ? short(wavelength(kind, column, width)) : "";
  return figure(context, {
    name: "position-wave",
    title: isFormula ? POSITION.wave(column) : POSITION.learnedWave(column),
    label: POSITION.waveLabel(column, length),
    width: chart.width,
    height: chart.height,
    captions: [`${context.trace.model.name}: ${kind}`],
    /** @param {Surface} surface @param {Theme} theme */
    draw: (surface, theme) => drawChart(surface, chart, theme),
  });
}

/** The chosen number spelled out, and whether the formula agrees with the table. @param {any} given */
function spelled({ table, rows, width, kind, column, pos }) {
  const found = wave(kind, column, width);
  if (!found) return [];
  const value = digits(table.data[pos * width + column]);
  const inside = `${pos} / ${short(10000 ** found.exponent)}`;
  return [
    h(
      "p",
      { class: "spelled", dataset: { spelled: "position" } },
      POSITION.spelled(pos, column, inside, found.cosine ? "cos" : "sin", h("b", {}, value)),
    ),
    h("p", {}, POSITION.length(wavelength(kind, column, width), rows)),
  ];
}

/** @param {Context} context @param {Chosen} given */
function alike(context, { table, rows, width, kind }) {
  const count = Math.min(rows, PRODUCTS);
  const all = products(table.data, rows, width);
  const square = new Float64Array(count * count);
  for (let a = 0; a < count; a++) for (let b = 0; b < count; b++) square[a * count + b] = all[a * rows + b];
  const names = Array.from({ length: count }, (_, p) => String(p));
  const distances = byDistance(all, rows);
  // The last distances have few pairs, so their spread says little of a table; two pairs are needed for any.
  const spread = Math.max(...distances.slice(0, -1).map((one) => one.spread));
  const values = distances.map(({ mean }) => mean);
  const [least, most] = [Math.min(0, ...values), Math.max(...values)];
  const far = distances.at(-1);
  const chart = {
    width: Math.max(320, Math.min(760, context.width)),
    height: 230,
    x: {
      label: POSITION.axes.distance,
      domain: [0, rows - 1],
      ticks: Array.from({ length: Math.floor((rows - 1) / 8) + 1 }, (_, at) => 8 * at),
    },
    y: {
      label: POSITION.axes.product,
      domain: [least, most],
      ticks: [least, 0, most].filter((tick, at, list) => list.indexOf(tick) === at),
      write: short,
    },
    series: [{ name: "", points: distances.map(({ distance, mean }) => [distance, mean]), dots: true }],
  };
  return h(
    "section",
    { "aria-labelledby": "position-dots" },
    h("h2", { id: "position-dots" }, POSITION.dots),
    h("p", {}, POSITION.dotsLead),
    matrix(context, {
      values: { rows: count, columns: count, data: square },
      rows: names,
      columns: names,
      scale: "diverging",
      title: POSITION.dotsTitle,
      name: "position-products",
      axes: [POSITION.pos, POSITION.pos],
      width: Math.min(context.width, 620),
    }),
    figure(context, {
      name: "position-distance",
      title: POSITION.distance,
      label: POSITION.distanceLabel(
        short(distances[0].mean),
        short(/** @type {NonNullable<typeof far>} */ (far).mean),
        /** @type {NonNullable<typeof far>} */ (far).distance,
      ),
      width: chart.width,
      height: chart.height,
      captions: [`${context.trace.model.name}: ${kind}`],
      /** @param {Surface} surface @param {Theme} theme */
      draw: (surface, theme) => drawChart(surface, chart, theme),
    }),
    h("p", { dataset: { fact: "spread" } }, computed(kind) ? POSITION.steady(spread) : POSITION.unsteady(spread)),
  );
}

/** Why there is no shuffle test. @param {Context} context */
function untested(context) {
  const { trace } = context;
  if (trace.memory?.kind === "none") return POSITION.noEncoder;
  const asked = ["shuffle", "positions", "all"].some((detail) => trace.options.detail?.includes(detail));
  if (asked) return trace.axes.source.tokens.length < 3 ? POSITION.noOrder : POSITION.untestable; // nothing came of it
  if (context.waits()) return words.waiting;
  return context.failed()?.message ?? (context.served ? POSITION.untested : POSITION.unavailable);
}

/** @param {Context} context */
function shuffle(context) {
  const { trace } = context;
  const section = h(
    "section",
    { "aria-labelledby": "position-shuffle" },
    h("h2", { id: "position-shuffle" }, POSITION.shuffle),
    h("p", {}, POSITION.shuffleLead),
  );
  const found = trace.shuffle;
  if (!found) {
    section.append(h("p", { class: "note" }, untested(context)));
    return section;
  }
  const entries = namedFor(axis(trace, "source", "piece"), context.state.depth);
  const labels = entries.map(({ label }) => label.replace(/^▁(?=.)/, ""));
  /** @param {string} name @param {any} order */
  const line = (name, order) =>
    h(
      "p",
      { class: "shuffle-line" },
      h("span", { class: "quiet-text" }, name),
      order.map((/** @type {number} */ place) => word(labels[place], { class: "lab-chip" })),
    );
  const rows = [
    [POSITION.without, found.without_positions],
    [POSITION.with, found.with_positions],
  ].filter(([, value]) => value !== null && value !== undefined);
  section.append(
    line(
      POSITION.before,
      labels.map((_, at) => at),
    ),
    line(POSITION.after, found.order),
    h("p", { class: "quiet-text", id: "shuffle-difference" }, `${POSITION.difference}:`),
    h(
      "table",
      { class: "lab-table", "aria-labelledby": "shuffle-difference" },
      h(
        "tbody",
        {},
        rows.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, short(Number(value))))),
      ),
    ),
    h(
      "p",
      { dataset: { fact: "shuffle" } },
      /** @type {NonNullable<typeof found.without_positions>} */ (found.without_positions) < 1e-3
        ? POSITION.verdict(found.without_positions, found.with_positions)
        : POSITION.ordered(found.without_positions),
    ),
  );
  return section;
}

/** @param {Context} context */
function without(context) {
  const { family } = context.trace.model;
  return h("section", {}, h("h2", {}, POSITION.none), h("p", {}, POSITION.why[family] ?? POSITION.why.other));
}

/** @type {View} */
export default {
  id: "position",
  key: "p",
  keys,
  title: words.viewNames.position,
  follows: ["column", "pos"],
  wide: true,
  needs: () => ["positions", "shuffle"],
  /** @param {HTMLElement} main @param {Context} context */
  render(main, context) {
    const root = h("div", { class: "lab" });
    main.append(root);
    const { trace } = context;
    root.append(h("h1", {}, POSITION.title), h("p", { class: "lede" }, POSITION.lede));
    if (!trace.positions_table) {
      root.append(without(context), shuffle(context));
      return;
    }
    const found = chosen(trace, context.state);
    if (!found) {
      root.append(h("p", { class: "note" }, context.failed()?.message ?? POSITION.missing), shuffle(context));
      return;
    }
    const { kind, rows, width, table } = found;
    const { depth } = context.state;
    root.append(h("p", {}, POSITION.kinds[/** @type {keyof typeof POSITION.kinds} */ (kind)] ?? POSITION.other(kind)));
    if (computed(kind) && depth !== "words") root.append(h("p", { class: "position-formulas" }, formulas(kind)));
    if (depth === "tensors")
      root.append(h("p", {}, h("code", {}, POSITION.code(trace.positions_table, rows, width, kind))));
    const one = h("div", {});
    /** @param {State} state */
    const fill = (state) => {
      const now = chosen(trace, state);
      one.replaceChildren(waveFigure(context, now), ...(computed(kind) && depth !== "words" ? spelled(now) : []));
    };
    fill(context.state);
    context.follow(fill);
    root.append(heat(context, found, fill), sliders(context, found, fill), one);
    if (computed(kind)) {
      const error = largestDifference(kind, table.data, rows, width);
      root.append(
        h("p", { dataset: { fact: "formula" } }, error === 0 ? POSITION.exactly : POSITION.agrees(rows, width, error)),
      );
    }
    root.append(alike(context, found), shuffle(context));
  },
};
