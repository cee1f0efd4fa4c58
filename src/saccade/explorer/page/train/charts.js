/** The loss and the accuracy, step by step, with the moment that is shown marked. */
import { drawChart } from "page/drawing/chart";
import { figure } from "page/drawing/figure";
import { digits, percent } from "page/numbers/numbers";
import { TRAIN } from "page/train/words";

/** @import { Point } from "page/train/trainer" */
/** @import { Context, Surface, Theme } from "page/types" */

/** Steps the axis has room for at least, so that the first ones do not fill it. */
const SHORTEST = 100;

/** @param {Context} context @param {Point[]} points @param {number} step  that is shown */
export function charts(context, points, step) {
  const last = points[points.length - 1];
  const highest = Math.ceil(Math.max(...points.map(({ loss, heldOutLoss }) => Math.max(loss, heldOutLoss))));
  const loss = [
    series(TRAIN.trained, points, ({ loss }) => loss, 0),
    series(TRAIN.heldOut, points, ({ heldOutLoss }) => heldOutLoss, 1),
  ];
  const accuracy = [series(TRAIN.share, points, ({ accuracy }) => accuracy, 0)];
  return [
    chart(context, {
      name: "train-loss",
      title: TRAIN.lossChart,
      label: TRAIN.lossLabel(digits(last.loss, 3), digits(last.heldOutLoss, 3)),
      x: stepAxis(last.step),
      y: { label: TRAIN.axes.loss, domain: [0, highest], ticks: [...Array(highest + 1).keys()] },
      marks: [{ x: step, label: "" }],
      series: loss,
    }),
    chart(context, {
      name: "train-accuracy",
      title: TRAIN.accuracyChart,
      label: TRAIN.accuracyLabel(percent(last.accuracy)),
      x: stepAxis(last.step),
      y: { label: TRAIN.axes.accuracy, domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], write: percent },
      marks: [{ x: step, label: "" }],
      series: accuracy,
    }),
  ];
}

/** @param {string} name @param {Point[]} points @param {(point: Point) => number} value @param {number} style */
const series = (name, points, value, style) => ({
  name,
  points: points.map((point) => [point.step, value(point)]),
  style,
});

/** @param {number} last */
function stepAxis(last) {
  const end = Math.max(SHORTEST, last);
  const rough = end / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const apart = [1, 2, 5, 10].map((factor) => factor * power).find((distance) => distance >= rough) ?? rough;
  const ticks = Array.from({ length: Math.floor(end / apart) + 1 }, (_, i) => i * apart);
  return { label: TRAIN.axes.step, domain: [0, end], ticks };
}

/** @param {Context} context @param {any} spec */
function chart(context, spec) {
  const beside = context.width >= 760;
  const width = Math.max(300, Math.min(620, beside ? (context.width - 24) / 2 : context.width));
  const drawn = { ...spec, width, height: 220 };
  return figure(context, {
    ...drawn,
    captions: [],
    draw: (/** @type {Surface} */ surface, /** @type {Theme} */ theme) => drawChart(surface, drawn, theme),
  });
}
