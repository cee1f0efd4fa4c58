/** What the pictures and tables of the Steps view are called. */

/** @import { Facts } from "page/steps/facts" */

/** The names and meanings of what a step draws. */
export const PICTURES = {
  token: "vectors of the pieces",
  row: "rows of the table",
  position: "vectors of the places",
  sum: "their sum",
  input: "what comes in",
  memory: "what the encoder wrote",
  carried: "all that the decoder gets",
  w_q: "W_Q of this head",
  w_k: "W_K of this head",
  w_v: "W_V of this head",
  q: "queries",
  k: "keys",
  v: "values",
  q_hidden: "queries after their matrix",
  k_hidden: "keys after their matrix",
  scores: "scores",
  scaled: "scores ÷ √d_k",
  mask: "who may see whom",
  masked: "scores that are left",
  weights: "weights",
  head_out: "what this head writes",
  concat: "all heads side by side",
  w_o: "W_O",
  out: "what attention writes",
  resid_in: "what came in",
  resid_sum: "the sum",
  norm_out: "normalised",
  hidden: "inner units after the cut at zero",
  ffn_out: "what the network writes",
  states: "last states",
  rows: "vectors of the likeliest pieces",
};

/** Words of the tables. */
export const TABLES = {
  pieces: { source: "the sentence that is read", reads: "what the decoder reads, one piece a decoding step" },
  key: "key",
  /** @param {Facts} f @returns {string} */
  scaled: (f) => (f.scale === 1 ? "score" : f.dotted ? "score ÷ √d_k" : "score × factor"),
  shifted: "minus the largest",
  power: "e to that power",
  weight: "weight",
  sum: "sum",
  /** @param {number} count */
  others: (count) => `${count} others`,
  /** @param {number} count */
  covered: (count) => `${count} covered`,
  blank: "blank slot",
  /** @param {string} query */
  rowOf: (query) => `Where “${query}” looks`,
  piece: "piece",
  logit: "logit",
  probability: "probability",
  /** @param {string} written */
  candidates: (written) => (written ? `The five likeliest; “${written}” was written` : "The five likeliest"),
};
