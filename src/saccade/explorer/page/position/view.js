/** Position: the vectors that say where a word stands, as a table, as waves, by their products; and the shuffle test. */
import { css, diverging } from "page/drawing/colour";
import { h, word } from "page/elements/dom";
import { drawChart } from "page/drawing/chart";
import { figure } from "page/drawing/figure";
import { call, i, math, n, o, over, row, sub, sup } from "page/elements/mathml";
import { matrix } from "page/drawing/matrix";
import { digits, extent, short } from "page/numbers/numbers";
import { byDistance, computed, largestDifference, position, products, wave, wavelength } from "page/position/table";
import { CanvasSurface } from "page/drawing/surface";
import { axis, tensor } from "page/trace/trace";
import { POSITION } from "page/position/words";

/** Positions whose products are shown as a matrix: as many as a reader can tell apart. */
const PRODUCTS = 24;
const DEFAULT_DIM = 8;

const embeddingOf = (trace) => [trace.embedding?.source, trace.embedding?.target].find((one) => one?.kind) ?? null;

/** The table, its kind, and the chosen place, always one that exists. */
function chosen(trace, state) {
  const table = tensor(trace, trace.positions_table);
  if (!table) return null;
  const [rows, width] = table.shape;
  const kind = embeddingOf(trace)?.kind ?? "learned";
  const own =
    trace.axes.source?.tokens.length > 1 ? trace.axes.source.tokens.length : (trace.axes.reads?.tokens.length ?? 1);
  return {
    table,
    rows,
    width,
    kind,
    dim: Math.min(state.dim ?? DEFAULT_DIM, width - 1),
    pos: Math.min(state.pos ?? Math.max(0, Math.min(own, rows) - 1), rows - 1),
  };
}

function formulas(kind) {
  const angle = (exponent) => over(i("pos"), sup(n("10000"), exponent));
  if (kind === "tensor2tensor") {
    const exponent = () => row(i("i"), o("/"), o("("), i("d"), o("/"), n(2), o("−"), n(1), o(")"));
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

/** The whole table as one picture: a cell a number, the chosen row and column framed. */
function heat(context, found, preview) {
  const { table, rows, width, dim, pos } = found;
  const limit = extent(table.data) || 1;
  const cell = { wide: Math.max(1, Math.min(8, Math.floor((context.width - 60) / width))), high: rows > 40 ? 6 : 9 };
  const size = { wide: cell.wide * width, high: cell.high * rows };
  const canvas = h("canvas", { "aria-hidden": "true" });
  const surface = new CanvasSurface(canvas, size.wide, size.high);
  for (let p = 0; p < rows; p++)
    for (let d = 0; d < width; d++)
      surface.rect(
        d * cell.wide,
        p * cell.high,
        cell.wide,
        cell.high,
        css(diverging(table.data[p * width + d] / limit, context.theme)),
      );
  const frames = [h("div", { class: "band position-row" }), h("div", { class: "band position-column" })];
  const place = (state) => {
    const now = chosen(context.trace, state);
    box(frames[0], 0, now.pos * cell.high, size.wide, cell.high);
    box(frames[1], now.dim * cell.wide, 0, Math.max(2, cell.wide), size.high);
    picture.setAttribute("aria-label", POSITION.heatLabel(rows, width, now.pos, now.dim));
  };
  const under = (event) => {
    const rectangle = canvas.getBoundingClientRect();
    const at = (from, pixels, count) => Math.min(count - 1, Math.max(0, Math.floor(from / pixels)));
    return {
      dim: at(event.clientX - rectangle.left, cell.wide, width),
      pos: at(event.clientY - rectangle.top, cell.high, rows),
    };
  };
  // What the pointer is over is only looked at; a click chooses it, and so puts it into the link.
  const look = (event) => {
    place({ ...context.state, ...under(event) });
    preview({ ...context.state, ...under(event) });
  };
  const leave = () => {
    place(context.state);
    preview(context.state);
  };
  const move = (event) => {
    const steps = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
      Home: [-width, 0],
      End: [width, 0],
    }[event.key];
    if (!steps || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const now = chosen(context.trace, context.state);
    const [nextDim, nextPos] = [
      Math.min(width - 1, Math.max(0, now.dim + steps[0])),
      Math.min(rows - 1, Math.max(0, now.pos + steps[1])),
    ];
    context.set({ dim: nextDim, pos: nextPos });
    context.say(
      `${POSITION.pos} ${nextPos}, ${POSITION.dim} ${nextDim}, ${digits(table.data[nextPos * width + nextDim])}`,
    );
  };
  const picture = h(
    "div",
    {
      class: "cells position-cells",
      tabindex: "0",
      role: "img",
      onclick: (event) => context.set(under(event)),
      onpointermove: look,
      onpointerleave: leave,
      onkeydown: move,
      dataset: { focus: "positions" },
    },
    canvas,
    frames,
  );
  place({ ...context.state, dim, pos });
  context.follow(place);
  return h(
    "figure",
    { class: "lab-figure", dataset: { figure: "positions" } },
    h(
      "figcaption",
      {},
      h("span", { class: "matrix-title" }, POSITION.heat),
      h("span", { class: "shape" }, `${rows} × ${width}`),
    ),
    h("p", { class: "quiet-text position-axes", "aria-hidden": "true" }, `${POSITION.columns} →   ${POSITION.rows} ↓`),
    h("div", { class: "lab-scroll", dataset: { scroll: "positions" } }, picture),
  );
}

function box(element, left, top, width, height) {
  for (const [name, value] of Object.entries({ left, top, width, height }))
    element.style.setProperty(name, `${value}px`);
}

function sliders(context, found, preview) {
  const slider = (name, label, most) => {
    const output = h("output", {}, String(found[name]));
    const look = () => {
      output.textContent = input.value;
      preview({ ...context.state, [name]: Number(input.value) });
    };
    const input = h("input", {
      type: "range",
      min: "0",
      max: String(most),
      step: "1",
      value: String(found[name]),
      oninput: look,
      onchange: () => context.set({ [name]: Number(input.value) }),
      dataset: { slider: name },
    });
    context.follow((state) => {
      const now = chosen(context.trace, state)[name];
      output.textContent = String(now);
      if (document.activeElement !== input) input.value = String(now);
    });
    return h("label", { class: "position-slider" }, h("span", {}, label, " "), output, input);
  };
  return h(
    "div",
    { class: "position-sliders" },
    slider("dim", POSITION.dim, found.width - 1),
    slider("pos", POSITION.pos, found.rows - 1),
  );
}

/** One place of the vector from position to position: the model's numbers as dots, the formula as a line. */
function waveFigure(context, found) {
  const { table, rows, width, kind, dim } = found;
  const isFormula = computed(kind);
  const dots = Array.from({ length: rows }, (_, p) => [p, table.data[p * width + dim]]);
  const line = isFormula
    ? Array.from({ length: 8 * (rows - 1) + 1 }, (_, at) => [at / 8, position(kind, at / 8, dim, width)])
    : dots;
  const most = isFormula ? 1 : extent(dots.map(([, value]) => value)) || 1;
  const chart = {
    width: Math.max(320, Math.min(760, context.width)),
    height: 230,
    right: 100,
    x: {
      label: POSITION.axes.pos,
      domain: [0, rows - 1],
      ticks: Array.from({ length: Math.floor((rows - 1) / 8) + 1 }, (_, at) => 8 * at),
    },
    y: {
      label: POSITION.axes.value,
      domain: [-most, most],
      ticks: [-most, 0, most],
      write: (value) => (isFormula ? String(value) : short(value)),
    },
    series: [
      ...(isFormula ? [{ name: POSITION.formula, points: line, style: 0, faint: true }] : []),
      { name: POSITION.table, points: dots, dots: true, line: !isFormula, style: 0 },
    ],
  };
  const length = isFormula && Number.isFinite(wavelength(kind, dim, width)) ? short(wavelength(kind, dim, width)) : "";
  return figure(context, {
    name: "position-wave",
    title: isFormula ? POSITION.wave(dim) : POSITION.learnedWave(dim),
    label: POSITION.waveLabel(dim, length),
    width: chart.width,
    height: chart.height,
    captions: [`${context.trace.model.name}: ${kind}`],
    draw: (surface, theme) => drawChart(surface, chart, theme),
  });
}

/** The chosen number spelled out, and whether the formula agrees with the table. */
function spelled({ table, rows, width, kind, dim, pos }) {
  const found = wave(kind, dim, width);
  if (!found) return [];
  const value = digits(table.data[pos * width + dim]);
  const inside = `${pos} / ${short(10000 ** found.exponent)}`;
  return [
    h(
      "p",
      { class: "spelled", dataset: { spelled: "position" } },
      POSITION.spelled(pos, dim, inside, found.cosine ? "cos" : "sin", h("b", {}, value)),
    ),
    h("p", {}, POSITION.length(wavelength(kind, dim, width), rows)),
  ];
}

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
    right: 30,
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
      label: POSITION.distanceLabel(short(distances[0].mean), short(far.mean), far.distance),
      width: chart.width,
      height: chart.height,
      captions: [`${context.trace.model.name}: ${kind}`],
      draw: (surface, theme) => drawChart(surface, chart, theme),
    }),
    h("p", { dataset: { fact: "spread" } }, computed(kind) ? POSITION.steady(spread) : POSITION.unsteady(spread)),
  );
}

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
    section.append(h("p", { class: "note" }, context.served ? POSITION.untested : POSITION.unavailable));
    return section;
  }
  const labels = axis(trace, "source", "piece").map(({ label }) => label.replace(/^▁(?=.)/, ""));
  const line = (name, order) =>
    h(
      "p",
      { class: "shuffle-line" },
      h("span", { class: "quiet-text" }, name),
      order.map((place) => word(labels[place], { class: "lab-chip" })),
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
        rows.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, short(value)))),
      ),
    ),
    h(
      "p",
      { dataset: { fact: "shuffle" } },
      found.without_positions < 1e-3
        ? POSITION.verdict(found.without_positions, found.with_positions)
        : POSITION.ordered(found.without_positions),
    ),
  );
  return section;
}

function without(context) {
  const { family } = context.trace.model;
  return h("section", {}, h("h2", {}, POSITION.none), h("p", {}, POSITION.why[family] ?? POSITION.why.other));
}

export default {
  id: "position",
  key: "p",
  title: "Position",
  follows: ["dim", "pos"],
  wide: true,
  needs: () => ["positions", "shuffle"],
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
      root.append(h("p", { class: "note" }, POSITION.missing), shuffle(context));
      return;
    }
    const { kind, rows, width, table } = found;
    const { depth } = context.state;
    root.append(h("p", {}, POSITION.kinds[kind] ?? POSITION.other(kind)));
    if (computed(kind) && depth !== "words") root.append(h("p", { class: "position-formulas" }, formulas(kind)));
    if (depth === "tensors")
      root.append(h("p", {}, h("code", {}, POSITION.code(trace.positions_table, rows, width, kind))));
    const one = h("div", {});
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
