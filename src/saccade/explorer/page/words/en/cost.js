/** Every sentence of the view Cost. */
import { bytes, duration, grouped, rounded, times } from "page/cost/table";

/** @import { Sizes } from "page/cost/table" */
/** @import { Cost } from "page/types" */

export const COST = {
  title: "What one layer costs",
  /** @param {any} tokens @param {number} width */
  lede: (tokens, width) =>
    `This sentence has n = ${tokens} tokens, and this model writes each as d = ${width} numbers. Change ` +
    "them and see what a layer of each kind has to do.",
  bare:
    "Without a sentence these are the sizes of the paper's base model and a sentence of 30 tokens. Translate " +
    "something, and yours stand here.",
  letters: {
    n: ["n", "tokens in the sentence"],
    width: ["d", "numbers a token"],
    kernel: ["k", "positions a convolution sees"],
    reach: ["r", "positions a restricted attention sees"],
  },
  reset: "From my sentence",
  table: "The four kinds of layer",
  columns: ["Layer", "Operations", "Steps that wait for each other", "Longest way between two words"],
  /** @param {any} n */
  measuredColumn: (n) => `Measured at n = ${n}`,
  /** The kinds of layers, short enough for the room beside a chart. */
  series: {
    "self-attention": "self-attention",
    recurrent: "recurrent",
    convolutional: "convolutional",
    restricted: "restricted",
  },
  kinds: {
    "self-attention": "self-attention",
    recurrent: "recurrent",
    convolutional: "convolutional",
    restricted: "self-attention, restricted",
  },
  means: {
    "self-attention": "every token looks at every token",
    recurrent: "one token after the other, each passing a state on",
    convolutional: "every token sees a window of k",
    restricted: "every token looks at the r around it",
  },
  once: "once as many",
  /** @param {number} ratio */
  relative: (ratio) =>
    ratio > 1 ? `${times(ratio)} × self-attention` : `${times(1 / ratio)} times fewer than self-attention`,
  /** @param {number} ratio */
  relativeExact: (ratio) => `${times(ratio)} × with projections`,
  way: {
    /** @param {number} count */
    layers: (count) => `${grouped(count)} ${count === 1 ? "layer" : "layers"}`,
    /** @param {number} count */
    steps: (count) => `${grouped(count)} steps`,
  },
  /** @param {any} plain */
  dilated: (plain) => `with widening windows; equal ones need ${Number.isFinite(plain) ? grouped(plain) : "∞"}`,
  /** @param {any} plain */
  plain: (plain) => `windows centred on each word need ${Number.isFinite(plain) ? grouped(plain) : "∞"}`,
  counted: "As the paper counts: no constants, and attention without its four projections.",
  exactly: "With constants and projections",
  exactLead: "What the layers of this package multiply and add, each product once:",
  exact: {
    "self-attention": "4·n·d² + 2·n²·d",
    recurrent: "8·n·d² (an LSTM)",
    convolutional: "2·k·n·d² (with a gate)",
    restricted: "4·n·d² + 2·d·(scores computed block by block)",
  },
  /** @param {number} n @param {number} d @param {number} ratio */
  summary: (n, d, ratio) =>
    n === d
      ? `At n = d = ${grouped(n)} self-attention and recurrence need the same number of operations.`
      : n < d
        ? `Here n is smaller than d, so self-attention needs ${times(1 / ratio)} times fewer operations than ` +
          `recurrence. At n = ${grouped(d)} they are equal.`
        : `Here n is larger than d, so self-attention needs ${times(ratio)} times as many operations as ` +
          `recurrence. At n = ${grouped(d)} they were equal.`,
  /** @param {number} ratio */
  summaryExact: (ratio) =>
    "With what the table leaves out, the four projections of attention and the four gates of an LSTM, self-attention " +
    `needs ${ratio < 1 ? `${times(1 / ratio)} times fewer` : `${times(ratio)} times as many`}.`,
  chart: "Operations against length",
  /** @param {Sizes} sizes @param {any[]} rows */
  chartLabel: (sizes, rows) =>
    `Both axes logarithmic. At ${sizes.n} tokens: ` +
    `${rows.map((row) => `${COST.kinds[/** @type {keyof typeof COST.kinds} */ (row.kind)]} ${rounded(row.operations)}`).join(", ")}. Self-attention crosses ` +
    `recurrence at n = d = ${sizes.d}.`,
  axes: { n: "tokens n", operations: "operations of one layer", seconds: "time of one layer" },
  /** @param {any} d */
  crossing: (d) => `n = d = ${d}`,
  /** @param {any} n */
  yours: (n) => `n = ${n}`,
  measured: "Measured on this machine",
  measure: "Measure now",
  again: "Measure again",
  measuring: "Measuring one layer of each kind; this takes a few seconds …",
  explain:
    "A count says how much there is to do, a clock how long it takes. One layer of each kind is run at " +
    "several lengths with the d of this model, and the middle of several times is shown.",
  absent:
    "This file holds no measured times. saccade explore MODEL --export page.html writes them into the " +
    "page; saccade explore MODEL measures on request.",
  /** @param {Cost} cost */
  setting: (cost) =>
    `One layer, d = ${cost.d}, ${cost.heads} ${cost.heads === 1 ? "head" : "heads"}, k = ${cost.k}, r = ` +
    `${cost.r}; the middle of ${cost.repeats} times. ${cost.machine}, ${cost.threads} ` +
    `${cost.threads === 1 ? "thread" : "threads"}, torch ${cost.torch}, ${cost.date}.`,
  /** @param {number} d */
  other: (d) => `These times were measured with d = ${d}.`,
  /** @param {string} times */
  unsteady: (times) =>
    `In one measurement of four the same call took ${times} times as long as another time, or longer: this machine was ` +
    "busy with something else. Do not trust these times; measure again when it is quiet.",
  timesChart: "Time against length",
  /** @param {Cost} cost */
  timesLabel: (cost) =>
    `Both axes logarithmic, ${cost.lengths[0]} to ${cost.lengths.at(-1)} tokens. The table below has every number.`,
  timesTable: "Measured times",
  countedHere: "multiply-adds",
  /** @param {any} n @param {number} work @param {number} time */
  compare: (n, work, time) =>
    `At ${n} tokens the recurrent layer (an LSTM) multiplies and adds ${times(work)} times as much as ` +
    `self-attention with its projections, and takes ${times(time)} times as long. ` +
    (time > work
      ? "What a count does not show is waiting: its steps cannot run side by side."
      : "Here waiting costs it nothing extra."),
  claims: "Check these claims",
  parallel: {
    claim: "“Attention takes constant time, because it is parallel.”",
    /** @param {number} n @param {any[]} rows */
    answer: (n, rows) =>
      `What is constant is the number of steps that wait: 1, where recurrence has ${grouped(n)}. The work ` +
      `is not: ${grouped(rows[0].operations)} operations for ${grouped(n)} tokens, ` +
      `${grouped(4 * rows[0].operations)} for twice as many. Only a machine with that many processors ` +
      "could do them at once.",
    /** @param {number} a @param {number} b @param {number} first @param {number} second */
    clock: (a, b, first, second) =>
      `Measured here: ${duration(first)} for ${grouped(a)} tokens, ${duration(second)} for ${grouped(b)}.`,
  },
  infinite: {
    claim: "“Attention sees infinitely far.”",
    /** @param {number} n @param {number} heads */
    answer: (n, heads) =>
      `Any two of these ${grouped(n)} tokens are one step apart, and no state has to carry the first to ` +
      `the last. But each layer holds ${heads} × ${grouped(n)} × ${grouped(n)} weights, ` +
      `${bytes(4 * heads * n * n)}; for ${grouped(100_000)} tokens it would be ${bytes(4 * heads * 1e10)}.`,
    /** @param {number} most */
    table: (most) => `And this model knows ${grouped(most)} positions: a longer sentence it cannot read at all.`,
  },
  window: {
    claim: "“Restricted attention is the same, only cheaper.”",
    /** @param {number} n @param {number} r @param {number} ratio @param {any} plain */
    answer: (n, r, ratio, plain) =>
      r >= n
        ? `Your window of ${grouped(r)} covers all ${grouped(n)} tokens, so here nothing is saved and nothing is lost.`
        : `It needs ${times(ratio)} times fewer operations here, and pays with distance: the first and the ` +
          `last word meet only after ${grouped(plain)} layers instead of 1.`,
  },
};
