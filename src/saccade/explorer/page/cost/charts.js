/** The curves of operations and of measured seconds over the length of a sentence. */
import { doubling, duration, grouped, KINDS, OPERATIONS, table } from "page/cost/table";
import { COST } from "page/cost/words";
import { drawChart, powers } from "page/drawing/chart";
import { figure } from "page/drawing/figure";

/** @import { Sizes } from "page/cost/table" */
/** @import { Context, Cost, Surface, Theme } from "page/types" */

/** @param {Context} context */
const wide = (context) => Math.max(320, Math.min(760, context.width));

/** @param {Context} context @param {Sizes} sizes */
export function chartOf(context, sizes) {
  const most = Math.max(1024, 4 * sizes.n, 4 * sizes.d);
  const lengths = doubling(most);
  const series = KINDS.map((kind) => ({
    name: COST.series[/** @type {keyof typeof COST.series} */ (kind)],
    points: lengths.map((length) => [length, OPERATIONS[kind]({ ...sizes, n: length })]),
  }));
  const values = series.flatMap(({ points }) => points.map(([, value]) => value));
  const y = powers(10, Math.min(...values), Math.max(...values));
  const width = wide(context);
  const ticks = powers(width < 500 ? 16 : 4, 1, most).filter((tick) => tick <= most);
  const chart = {
    width,
    height: 340,
    series,
    x: { label: COST.axes.n, log: true, domain: [1, most], ticks, write: grouped },
    y: {
      label: COST.axes.operations,
      log: true,
      domain: [y[0], y.at(-1)],
      ticks: y.filter((_, at) => y.length < 9 || at % 2 === 0),
      write: power,
    },
    marks: [
      { x: sizes.n, label: COST.yours(grouped(sizes.n)) },
      ...(sizes.d === sizes.n ? [] : [{ x: sizes.d, label: COST.crossing(grouped(sizes.d)) }]),
    ],
  };
  return figure(context, {
    name: "cost",
    title: COST.chart,
    label: COST.chartLabel(sizes, table(sizes)),
    width,
    height: chart.height,
    captions: [`d = ${sizes.d}, k = ${sizes.k}, r = ${sizes.r}. ${COST.counted}`],
    /** @param {Surface} surface @param {Theme} theme */
    draw: (surface, theme) => drawChart(surface, chart, theme),
  });
}

const RAISED = [..."⁰¹²³⁴⁵⁶⁷⁸⁹"];

/** @param {string} digit */
const raised = (digit) => (digit === "-" ? "⁻" : RAISED[Number(digit)]);
/** 10⁶ @param {number} value */
const power = (value) => `10${[...String(Math.round(Math.log10(value)))].map(raised).join("")}`;

/** @param {Context} context @param {Cost} cost */
export function timesChart(context, cost) {
  const series = KINDS.map((kind) => ({
    name: COST.series[/** @type {keyof typeof COST.series} */ (kind)],
    dots: true,
    points: cost.lengths.map((length, at) => [length, cost.kinds[kind].seconds[at]]),
  }));
  const values = series.flatMap(({ points }) => points.map(([, value]) => value));
  const y = powers(10, Math.min(...values), Math.max(...values));
  const width = wide(context);
  const chart = {
    width,
    height: 320,
    series,
    x: {
      label: COST.axes.n,
      log: true,
      domain: [cost.lengths[0], cost.lengths.at(-1)],
      ticks: width < 500 ? cost.lengths.filter((_, at) => at % 2 === 0) : cost.lengths,
      write: grouped,
    },
    y: {
      label: COST.axes.seconds,
      log: true,
      domain: [y[0], y.at(-1)],
      ticks: y,
      /** @param {number} value */
      write: (value) => duration(value).replace(/\.0+(?= )/, ""),
    },
  };
  return figure(context, {
    name: "cost-measured",
    title: COST.timesChart,
    label: COST.timesLabel(cost),
    width,
    height: chart.height,
    captions: [COST.setting(cost)],
    /** @param {Surface} surface @param {Theme} theme */
    draw: (surface, theme) => drawChart(surface, chart, theme),
  });
}
