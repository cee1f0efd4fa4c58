/** Cost: Table 1 of the paper for this sentence and this model, its curves, and the clock beside the count. */

import { words } from "page/app/words";
import { chartOf } from "page/cost/charts";
import { keys } from "page/cost/keys";
import { measuredOf } from "page/cost/measured";
import { duration, grouped, KINDS, MULTIPLY_ADDS, OPERATIONS, secondsAt, table } from "page/cost/table";
import { COST } from "page/cost/words";
import { h, refill } from "page/elements/dom";
import { call, i, math, n, o, row, sub, sup } from "page/elements/mathml";

/** @import { Sizes } from "page/cost/table" */
/** @import { Formula } from "page/elements/mathml" */
/** @import { Context, Control, State, Trace, View } from "page/types" */

/** What is shown without a sentence: the paper's base model, and a sentence of usual length. */
const USUAL = { n: 30, width: 512, kernel: 3, reach: 5 };

const MOST = { n: 100000, width: 16384, kernel: 999, reach: 99999 };

/** @param {...Formula} parts */
const big = (...parts) => call("O", ...parts);

const FORMULAS = {
  "self-attention": [() => big(sup(i("n"), n(2)), o("·"), i("d")), () => big(n(1)), () => big(n(1))],
  recurrent: [() => big(i("n"), o("·"), sup(i("d"), n(2))), () => big(i("n")), () => big(i("n"))],
  convolutional: [
    () => big(i("k"), o("·"), i("n"), o("·"), sup(i("d"), n(2))),
    () => big(n(1)),
    () => big(row(sub(i("log"), i("k")), o("\u2061"), i("n"))),
  ],
  restricted: [() => big(i("r"), o("·"), i("n"), o("·"), i("d")), () => big(n(1)), () => big(i("n"), o("/"), i("r"))],
};

/**
 * The letters: chosen by the reader, else the sentence's and the model's.
 * @param {State} state
 * @param {Trace | null} trace
 */
function sizesOf(state, trace) {
  const own = usual(trace);
  return {
    n: state.n ?? own.n,
    d: state.width ?? own.width,
    k: state.kernel ?? own.kernel,
    r: state.reach ?? own.reach,
  };
}

/** @param {Trace | null} trace */
function usual(trace) {
  if (!trace) return USUAL;
  const axis = trace.axes.source?.tokens.length > 1 ? trace.axes.source : (trace.axes.reads ?? trace.axes.source);
  return {
    ...USUAL,
    n: axis.tokens.length,
    width: trace.model.letters?.d_model ?? trace.model.config?.width ?? USUAL.width,
  };
}

/** @param {Context} context @param {((state: State) => void)[]} changed @param {(state: State) => void} preview */
function controls(context, changed, preview) {
  const own = usual(context.trace);
  /** @param {string} name */
  const field = (name) => {
    const [letter, meaning] = COST.letters[/** @type {keyof typeof COST.letters} */ (name)];
    const id = `cost-${name}`;
    /** @param {Event & {target: Control}} event */
    const read = (event) => {
      const value = Math.round(Number(event.target.value));
      if (value >= 1 && value <= MOST[/** @type {keyof typeof MOST} */ (name)])
        context.set({ [name]: value === /** @type {any} */ (own)[name] ? null : value });
    };
    const input = h("input", {
      id,
      type: "number",
      min: "1",
      max: String(MOST[/** @type {keyof typeof MOST} */ (name)]),
      step: "1",
      value: String(context.state[/** @type {keyof typeof context.state} */ (name)] ?? /** @type {any} */ (own)[name]),
      oninput: read,
      dataset: { letter: name },
    });
    return h("label", { for: id, class: "cost-letter" }, h("span", {}, math(i(letter)), " ", meaning), input);
  };
  const slider = h("input", {
    type: "range",
    min: "0",
    max: "12",
    step: "any",
    "aria-label": `${COST.letters.n[0]}: ${COST.letters.n[1]}`,
    value: String(Math.log2(context.state.n ?? own.n)),
    oninput: () => preview({ ...context.state, n: slid() }),
    onchange: () => context.set({ n: slid() }),
    dataset: { letter: "slider" },
  });
  const slid = () => Math.max(1, Math.round(2 ** Number(slider.value)));
  const reset = h(
    "button",
    { type: "button", onclick: () => context.set({ n: null, width: null, kernel: null, reach: null }) },
    COST.reset,
  );
  const form = h(
    "div",
    { class: "cost-controls" },
    Object.keys(COST.letters).map(field),
    h("div", { class: "cost-slide" }, slider, reset),
  );
  changed.push((state) => {
    for (const name of Object.keys(COST.letters))
      show(
        form.querySelector(`[data-letter="${name}"]`),
        String(state[/** @type {keyof typeof state} */ (name)] ?? /** @type {any} */ (own)[name]),
      );
    show(slider, String(Math.log2(state.n ?? own.n)));
  });
  return form;
}

/**
 * Never writes into the field somebody is writing in.
 * @param {any} input
 * @param {any} value
 */
function show(input, value) {
  if (document.activeElement !== input && input.value !== value) input.value = value;
}

/**
 * Beside self-attention, as the paper counts and with everything that is computed.
 * @param {string} kind
 * @param {number} ratio
 * @param {Sizes} sizes
 */
const relation = (kind, ratio, sizes) =>
  `${ratio === 1 ? COST.once : COST.relative(ratio)}; ` +
  COST.relativeExact(MULTIPLY_ADDS[kind](sizes) / MULTIPLY_ADDS["self-attention"](sizes));

/**
 * Self-attention's work as a multiple of recurrence's.
 * @param {Record<string, (s: Sizes) => number>} counts
 * @param {Sizes} sizes
 */
const compared = (counts, sizes) => counts["self-attention"](sizes) / counts.recurrent(sizes);

/** @param {Context} context @param {Sizes} sizes */
function tableOf(context, sizes) {
  const { cost } = context.document;
  const formulas = context.state.depth !== "words";
  const rows = table(sizes);
  const [layer, operations, sequential, path] = COST.columns;
  const head = [layer, operations, sequential, path, cost ? COST.measuredColumn(grouped(sizes.n)) : null].filter(
    Boolean,
  );
  /** @param {string} kind @param {number} column @param {any} value @param {any} note */
  const cell = (kind, column, value, note) =>
    h(
      "td",
      {},
      formulas
        ? h("span", { class: "cost-formula" }, math(FORMULAS[/** @type {keyof typeof FORMULAS} */ (kind)][column]()))
        : null,
      h("strong", {}, value),
      note ? h("small", {}, note) : null,
    );
  const body = rows.map(({ kind, operations: count, sequential: steps, path: way, plain }) => {
    const ratio = count / rows[0].operations;
    const seconds = cost ? secondsAt(cost, kind, sizes.n) : null;
    const measure = kind === "recurrent" ? COST.way.steps(way) : COST.way.layers(way);
    return h(
      "tr",
      { dataset: { kind } },
      h(
        "th",
        { scope: "row" },
        COST.kinds[/** @type {keyof typeof COST.kinds} */ (kind)],
        h("small", {}, COST.means[/** @type {keyof typeof COST.means} */ (kind)]),
      ),
      cell(kind, 0, grouped(count), kind === KINDS[0] ? null : relation(kind, ratio, sizes)),
      cell(kind, 1, grouped(steps), null),
      cell(
        kind,
        2,
        measure,
        kind === "convolutional" ? COST.dilated(plain) : kind === "restricted" ? COST.plain(plain) : null,
      ),
      cost ? h("td", {}, h("strong", {}, seconds === null ? "–" : duration(seconds))) : null,
    );
  });
  return h(
    "div",
    {
      class: "table-scroll",
      tabindex: "0",
      role: "group",
      "aria-label": COST.table,
      dataset: { scroll: "cost-table", focus: "cost-table" },
    },
    h(
      "table",
      { class: "cost-table" },
      h("caption", { class: "unseen" }, COST.table),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h("tbody", {}, body),
    ),
  );
}

/**
 * The multiply-adds of the layers that are timed, constants and projections included.
 * @param {Context} context
 * @param {Sizes} sizes
 */
function exact(context, sizes) {
  return h(
    "details",
    { class: "cost-layers", open: context.state.depth === "tensors" },
    h("summary", {}, COST.exactly),
    h("p", {}, COST.exactLead),
    h(
      "dl",
      { class: "cost-exact" },
      KINDS.flatMap((kind) => [
        h("dt", {}, COST.kinds[/** @type {keyof typeof COST.kinds} */ (kind)]),
        h("dd", {}, h("code", {}, COST.exact[/** @type {keyof typeof COST.exact} */ (kind)])),
        h("dd", { class: "number" }, grouped(MULTIPLY_ADDS[kind](sizes))),
      ]),
    ),
  );
}

/** @param {Context} context @param {Sizes} sizes */
function claims(context, sizes) {
  const rows = table(sizes);
  const { cost } = context.document;
  const letters = context.trace?.model.letters ?? {};
  const most = context.trace?.model.config?.maximum_length;
  const { parallel, infinite, window } = COST;
  const last = cost ? cost.lengths.length - 1 : 0;
  const seconds = cost?.kinds["self-attention"].seconds;
  /** @param {string} text @param {...any} answers */
  const claim = (text, ...answers) =>
    h(
      "details",
      { class: "claim" },
      h("summary", {}, text),
      answers.filter(Boolean).map((answer) => h("p", {}, answer)),
    );
  return h(
    "section",
    { "aria-labelledby": "cost-claims" },
    h("h2", { id: "cost-claims" }, COST.claims),
    claim(
      parallel.claim,
      parallel.answer(sizes.n, rows),
      last > 0
        ? parallel.clock(
            /** @type {NonNullable<typeof cost>} */ (cost).lengths[last - 1],
            /** @type {NonNullable<typeof cost>} */ (cost).lengths[last],
            /** @type {NonNullable<typeof seconds>} */ (seconds)[last - 1],
            /** @type {NonNullable<typeof seconds>} */ (seconds)[last],
          )
        : null,
    ),
    claim(infinite.claim, infinite.answer(sizes.n, letters.h ?? 8), most ? infinite.table(most) : null),
    claim(window.claim, window.answer(sizes.n, sizes.r, rows[0].operations / rows[3].operations, rows[3].plain)),
  );
}

/** @type {View} */
export default {
  id: "cost",
  key: "c",
  keys,
  title: words.viewNames.cost,
  strip: "none",
  bare: true,
  follows: ["n", "width", "kernel", "reach"],
  wide: true,
  needs: () => [],
  /** @param {HTMLElement} main @param {Context} context */
  render(main, context) {
    const root = h("div", { class: "lab" });
    main.append(root);
    const { trace } = context;
    const own = usual(trace);
    /** @type {((state: State) => void)[]} */
    const changed = [];
    const parts = h("div", {});
    /** @param {State} state */
    const update = (state) => {
      for (const change of changed) change(state);
      refill(parts, () => fill(state));
    };
    root.append(
      h("h1", {}, COST.title),
      h("p", { class: "lede" }, trace ? COST.lede(own.n, own.width) : COST.bare),
      controls(context, changed, update),
      parts,
    );
    /** @param {State} state */
    const fill = (state) => {
      const sizes = sizesOf(state, trace);
      const redraw = () => {
        if (parts.isConnected) refill(parts, () => fill(context.state));
      };
      parts.append(
        tableOf(context, sizes),
        h("p", { class: "quiet-text" }, COST.counted),
        context.state.depth === "words" ? "" : exact(context, sizes),
        h(
          "p",
          { dataset: { summary: "" } },
          COST.summary(sizes.n, sizes.d, compared(OPERATIONS, sizes)),
          " ",
          COST.summaryExact(compared(MULTIPLY_ADDS, sizes)),
        ),
        chartOf(context, sizes),
        measuredOf(context, sizes, redraw),
        claims(context, sizes),
      );
    };
    fill(context.state);
    context.follow(update);
  },
};
