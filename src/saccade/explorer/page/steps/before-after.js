/**
 * What a sub-layer does to the vector of the chosen word: what came in, what was added, their sum, and the sum after
 * the norm, each as a profile of its numbers. The vectors of all words at once would hide the one change there is.
 */

import { figure } from "page/drawing/figure";
import { INKS } from "page/drawing/matrix-drawing";
import { h } from "page/elements/dom";
import { pointerIn } from "page/elements/pointer";
import { argmax, digits, dot, extent, percent } from "page/numbers/numbers";
import { drawn, veiled } from "page/numbers/veil";
import { length, moments, row } from "page/steps/arithmetic";
import { pointing } from "page/steps/facts";
import { SAY } from "page/steps/words";
import { PICTURES } from "page/steps/words-pictures";
import { source } from "page/trace/attention";
import { role } from "page/trace/trace";

/** @import { Choice, Facts } from "page/steps/facts" */
/** @import { Context, Surface, Theme, Trace } from "page/types" */

/** The order of computation, with the norm after the sum and with the norm before the sub-layer. */
const POST = ["resid_in", "out", "resid_sum", "norm_out"];
const PRE = ["resid_in", "norm_out", "out", "resid_sum"];

const [LABEL, PROFILE, BETWEEN] = [20, 64, 10];
/** Spreads away from the mean: one of hundreds of numbers from a bell would hardly ever be as far. */
const OUTLYING = 6;

/**
 * A vector on its way, with what the norm looks at.
 * @typedef {{key: string, values: ArrayLike<number> & Iterable<number>, mean: number, deviation: number, length: number}} Stage
 */

/** The vector of the chosen word at each stage that the trace holds. @param {Trace} trace @param {Choice} choice @returns {Stage[]} */
export function stages(trace, { block, q }) {
  const order = block?.norm === "pre" ? PRE : POST;
  return order.flatMap((key) => {
    const found = role(trace, block, key);
    if (!found) return [];
    const values = row(found.data, found.shape[1], q);
    const { mean, variance } = moments(values);
    return [{ key, values, mean, deviation: Math.sqrt(variance), length: length(values) }];
  });
}

/**
 * How far two vectors point the same way: 1 is exactly.
 * @param {ArrayLike<number>} left
 * @param {ArrayLike<number>} right
 */
export function cosine(left, right) {
  const sizes = Math.sqrt(dot(left, left) * dot(right, right));
  return sizes > 0 ? dot(left, right) / sizes : 0;
}

/** The picture, its sentence and its numbers. @param {Context} context @param {Choice} choice @param {Facts} facts */
export function beforeAfter(context, choice, facts) {
  const found = stages(context.trace, choice);
  const [came, added, sum] = ["resid_in", "out", "resid_sum"].map((key) => found.find((one) => one.key === key));
  if (!came || !added) return null;
  const picture = drawing(context, choice, found, facts);
  const change =
    sum && came.length > 0
      ? h(
          "p",
          { dataset: { change: "" } },
          SAY.change(facts.query, digits(added.length / came.length, 2), percent(cosine(came.values, sum.values))),
        )
      : null;
  return h(
    "section",
    { class: "before-after" },
    picture,
    change,
    sum ? standingOut(sum) : null,
    context.state.depth === "words" ? null : table(found),
  );
}

/** The number that stands out of a vector, where one does. @param {Stage} stage */
export function outlier({ values, mean, deviation }) {
  const far = Float64Array.from(values, (value) => Math.abs(value - mean));
  const place = argmax(far);
  const times = deviation > 0 ? far[place] / deviation : 0;
  return times >= OUTLYING ? { place, value: values[place], times } : null;
}

/** @param {Stage} sum */
function standingOut(sum) {
  const found = outlier(sum);
  if (!found) return null;
  const said = SAY.outlier(found.place + 1, digits(found.value, 1), digits(found.times, 1));
  return h("p", { class: "computed", dataset: { outlier: found.place } }, said);
}

/** @param {Context} context @param {Choice} choice @param {Stage[]} found @param {Facts} facts */
function drawing(context, choice, found, facts) {
  const width = Math.max(280, Math.min(context.width, 1100) - 8);
  const each = LABEL + PROFILE + BETWEEN;
  const title = SAY.beforeAfter(facts.query);
  const made = figure(context, {
    name: "before-after",
    title,
    label: `${title}: ${found.map(({ key }) => name(key)).join(", ")}`,
    width,
    height: each * found.length,
    captions: source(context.trace, { hide: false, share: false, mass: 1 }),
    /** @param {Surface} surface @param {Theme} theme */
    draw: (surface, theme) =>
      found.forEach((stage, i) => profile(surface, stage, limitOf(stage, found), width, i * each, theme, choice.d)),
  });
  const svg = made.querySelector("svg");
  svg?.addEventListener("click", (event) => {
    const { x } = pointerIn(event, /** @type {any} */ (svg.parentElement));
    const count = found[0].values.length;
    const dimension = Math.min(count - 1, Math.max(0, Math.floor((x / width) * count)));
    context.set(pointing(choice, { dimension }));
  });
  return made;
}

/** What came in, what was added and the sum share a scale, so that they can be compared; the norm has its own. @param {Stage} stage @param {Stage[]} all */
const limitOf = (stage, all) =>
  stage.key === "norm_out"
    ? extent(stage.values)
    : Math.max(...all.filter(({ key }) => key !== "norm_out").map(({ values }) => extent(values)));

/** @param {string} key */
const name = (key) => PICTURES[/** @type {keyof typeof PICTURES} */ (key)];

/**
 * A bar for every number, up or down from a line.
 * @param {Surface} surface
 * @param {Stage} stage
 * @param {number} limit
 * @param {number} width
 * @param {number} top
 * @param {Theme} theme
 * @param {number} chosen
 */
function profile(surface, { key, values }, limit, width, top, theme, chosen) {
  const ink = INKS[theme];
  const middle = top + LABEL + PROFILE / 2;
  const wide = width / values.length;
  surface.text(0, top + LABEL / 2, name(key), { size: 13, weight: 600, fill: ink.text });
  const range = veiled() ? "" : drawn(`±${digits(limit, 1)}`);
  surface.text(width, top + LABEL / 2, range, { size: 11, align: "end", fill: ink.quiet });
  surface.line(0, middle, width, middle, ink.hatch, 0.5);
  const [up, down] = theme === "dark" ? ["#f59e5b", "#7fb2ff"] : ["#c2570c", "#1d63d8"];
  for (const [i, value] of [...values].entries()) {
    const high = (Math.abs(value) / (limit || 1)) * (PROFILE / 2);
    const fill = i === chosen ? ink.outline : value < 0 ? down : up;
    surface.rect(i * wide, value < 0 ? middle : middle - high, Math.max(0.6, wide - 0.4), Math.max(0.4, high), fill);
  }
}

/** @param {Stage[]} found */
function table(found) {
  const numbers = h(
    "table",
    { class: "row-table" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        SAY.moments.map((column) => h("th", { scope: "col" }, column)),
      ),
    ),
    h(
      "tbody",
      {},
      found.map(({ key, mean, deviation, length: size }) =>
        h(
          "tr",
          { dataset: { stage: key } },
          h("th", { scope: "row" }, name(key)),
          [mean, deviation, size].map((value) => h("td", {}, digits(value, 4).replace("-", "−"))),
        ),
      ),
    ),
  );
  const scroll = { class: "table-scroll", tabindex: "0", role: "region", "aria-label": SAY.moments.join(", ") };
  return h("div", { ...scroll, dataset: { scroll: "before-after-numbers" } }, numbers);
}
