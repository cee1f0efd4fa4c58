/** What one layer of each kind took on this machine, beside what it counts. */

import { timesChart } from "page/cost/charts";
import { duration, grouped, KINDS, rounded, times } from "page/cost/table";
import { COST } from "page/cost/words";
import { h } from "page/elements/dom";
import * as api from "page/trace/server";

/** @import { Sizes } from "page/cost/table" */
/** @import { Context, Cost } from "page/types" */

/** @param {Context} context @param {Sizes} sizes @param {() => void} redraw */
export function measuredOf(context, sizes, redraw) {
  const { cost } = context.document;
  const section = h(
    "section",
    { class: "cost-measured", "aria-labelledby": "cost-measured" },
    h("h2", { id: "cost-measured" }, COST.measured),
    h("p", {}, COST.explain),
  );
  if (api.served()) section.append(measureButton(context, sizes, redraw));
  if (!cost) {
    if (!api.served()) section.append(h("p", { class: "note" }, COST.absent));
    return section;
  }
  const swing = unsteadiness(cost);
  if (swing !== null) section.append(h("p", { class: "note unsteady", role: "alert" }, COST.unsteady(times(swing))));
  if (cost.d !== sizes.d) section.append(h("p", { class: "note" }, COST.other(cost.d)));
  section.append(
    timesChart(context, cost),
    h("p", {}, comparison(cost)),
    timesTable(cost),
    h("p", { class: "quiet-text" }, COST.setting(cost)),
  );
  return section;
}

/** The slowest call over the fastest that a quiet machine still has: caches and clocks alone do not make more. */
const STEADY = 2;
/** Calls this short are swung by anything. */
const SHORTEST = 1e-4;

/**
 * How many times as long the slowest call of a measurement took as its fastest, in a quarter of the measurements at
 * least; null where that is what a quiet machine does, or was not recorded.
 * @param {Cost} cost
 */
export function unsteadiness({ kinds }) {
  const swings = Object.values(kinds).flatMap(({ seconds, fastest, slowest }) =>
    fastest && slowest ? seconds.flatMap((middle, i) => (middle < SHORTEST ? [] : slowest[i] / fastest[i])) : [],
  );
  const swing = swings.sort((a, b) => b - a)[Math.floor(swings.length / 4)] ?? 1;
  return swing > STEADY ? swing : null;
}

/** @param {Context} context @param {Sizes} sizes @param {() => void} redraw */
function measureButton(context, sizes, redraw) {
  const status = h("span", { role: "status", class: "quiet-text" });
  const measure = async () => {
    button.disabled = true;
    status.textContent = COST.measuring;
    try {
      context.document.cost = await api.cost(context.state.model, sizes.n);
      redraw();
    } catch (problem) {
      status.textContent = [
        /** @type {any} */ (problem).message,
        /** @type {any} */ (problem).detail,
        /** @type {any} */ (problem).hint,
      ]
        .filter(Boolean)
        .join(" ");
      button.disabled = false;
    }
  };
  const button = h(
    "button",
    { type: "button", onclick: measure, dataset: { focus: "measure" } },
    context.document.cost ? COST.again : COST.measure,
  );
  return h("p", {}, button, " ", status);
}

/** Count against clock at the longest length that was measured. @param {any} given */
function comparison({ lengths, kinds }) {
  const at = lengths.length - 1;
  /** @param {string} what */
  const ratio = (what) => kinds.recurrent[what][at] / kinds["self-attention"][what][at];
  return COST.compare(grouped(lengths[at]), ratio("multiply_adds"), ratio("seconds"));
}

/** @param {Cost} cost */
function timesTable(cost) {
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, COST.axes.n),
    KINDS.map((kind) => h("th", { scope: "col" }, COST.kinds[/** @type {keyof typeof COST.kinds} */ (kind)])),
  );
  const body = cost.lengths.map((length, at) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, grouped(length)),
      KINDS.map((kind) =>
        h(
          "td",
          {},
          duration(cost.kinds[kind].seconds[at]),
          h("small", {}, `${rounded(cost.kinds[kind].multiply_adds[at])} ${COST.countedHere}`),
        ),
      ),
    ),
  );
  return h(
    "div",
    {
      class: "table-scroll",
      tabindex: "0",
      role: "group",
      "aria-label": COST.timesTable,
      dataset: { scroll: "times", focus: "times" },
    },
    h(
      "table",
      { class: "cost-table times" },
      h("caption", { class: "unseen" }, COST.timesTable),
      h("thead", {}, head),
      h("tbody", {}, body),
    ),
  );
}
