/** The words of the what-ifs of the Steps view. */
import { digits } from "page/numbers/numbers";

/** @import { Head } from "page/types" */

export const SUPPOSE = {
  changedModel: "You are looking at the changed model.",
  backToOriginal: "Show it beside the original",
  title: "What if …?",
  nothing: "as it is",
  here: "In this head alone",
  hereNote: "Computed on this page from the stored scores of this head. Everything below it stays as it was.",
  whole: "In the whole model",
  wholeNote: "The model was run again with this change in every layer, and searched for its translation again.",
  wholeMask:
    "The finished translation was read again with nothing covered, so that each word sees the words after " +
    "it. A search cannot do this: while it writes, there is nothing ahead to see. So the words stay; " +
    "weights and probabilities change.",
  wholeHead: "The model was run again without this one head, and searched for its translation again.",
  before: "as it is",
  after: "changed",
  original: "Translation",
  changed: "Changed translation",
  silent: "The head still looks where it looked; what it writes is zero.",
  logprob: "log-probability of all its pieces",
  same: "The translation stays the same.",
  waiting: "The model is running with this change …",
  /** @param {any} model */
  absent: (model) =>
    `This file holds no run of the whole model with this change. Start saccade explore ${model} and choose it there.`,
  onlyHere:
    "The whole model can be run with such a change where its attention is scaled dot-product attention; " +
    "here it is another one.",
  failed: "The model could not be run with this change.",
  bits: "spread of the row, in bits",
  places: "as wide as so many equal places",
  largest: "largest weight of the row",
  slope: "most a score can still move a weight",
  temperature: "Temperature",
  follow: "Show the changed model in all views",
  /** @param {string} name */
  rowOf: (name) => `The row of “${name}”`,
  /** @param {number} share @param {Head} head */
  contribution: (share, head) =>
    `Head ${head} writes ${digits(100 * share, 1)} % of the length of what attention adds at this place.`,
  notHere: "The scores of this head are not here, so the changed weights cannot be computed.",
  notComputed:
    "This changes what the head reads, so it cannot be computed from this head's scores: only the whole " +
    "model can tell.",
};

/** What can be supposed at a step: the value in the link, and how it is called. */
export const OFFERS = {
  "no-positions": "no positions are added",
  "shuffled-positions": "the positions are shuffled",
  "score:cosine": "scores are cosines",
  "no-scale": "nothing is divided by √d_k",
  "no-mask": "nothing is covered",
  temperature: "softmax is hotter or colder",
  "head-off": "this head is switched off",
};
