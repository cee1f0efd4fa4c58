/** Things people say about these steps that numbers can check, in our own words, and what the numbers answer. */
import { digits, short } from "page/numbers/numbers";

/** @import { Kind } from "page/types" */

/** @param {{name: string, covered: number, cells: number}} kind */
const covered = (kind) => `${kind.name}, ${kind.covered} of ${kind.cells} cells covered`;

/** @type {string} */
export const CHECK = "Check this claim";

/** By id: the claim, and the sentence that the live numbers `n` of page/steps/claims give for an answer. */
export const CLAIMS = {
  norms: {
    claim: "Embeddings are multiplied by √d_model because their length would else be lost beside the position.",
    /** @param {any} n */
    answer: (n) =>
      `The paper gives no reason, so here are the lengths. Before: ${digits(n.before, 2)} on average; ` +
      `after × ${digits(n.scale, 2)}: ${digits(n.after, 2)}. The position vectors have ` +
      `${digits(n.position, 2)}. Without the factor a piece would be ${digits(n.before / n.position, 2)} ` +
      `times as long as its place, with it ${digits(n.after / n.position, 2)} times.`,
  },
  options: {
    claim: "d_k is the number of things one can choose from.",
    /** @param {any} n */
    answer: (n) =>
      `No: d_k is how many numbers a query or key has, ${n.dk} in this head. What can be chosen from are ` +
      `the keys, ${n.keys} in this sentence. A longer sentence changes the second number and leaves the ` +
      "first as it is.",
  },
  overflow: {
    claim: "Without √d_k the exponentials would overflow.",
    /** @param {any} n */
    answer: (n) =>
      `The largest undivided score in this head is ${short(n.largest)}. A 32-bit number holds e to the ` +
      `power ${digits(n.bound, 1)} at most, but nobody computes that: the row's largest score is ` +
      "subtracted first, so the largest power is e^0 = 1 with or without the root. What does change is how " +
      `much a score can still move a weight: at its best ${digits(n.slopeScaled, 4)} in this row with the ` +
      `root, ${digits(n.slopeRaw, 4)} without. Near zero, nothing is learned any more. That is the reason ` +
      "the paper gives.",
  },
  proportion: {
    claim: "Softmax just turns scores into percentages of their sum.",
    answer: () =>
      "No: it compares powers of e. Differences count, not ratios. Take the six scores below. As shares of " +
      "their sum, the strongest gets less than a third; by softmax it gets all. Divided by a root first, " +
      "the others come back.",
  },
  causal: {
    claim: "All of the decoder's attention is masked.",
    /** @param {any} n */
    answer: (n) =>
      n.kinds.length
        ? "Counted in this trace: " +
          `${n.kinds.map(covered).join("; ")}. ` +
          (n.kinds.some(
            (/** @type {Kind} */ kind) => /** @type {any} */ (kind).kind === "enc" && /** @type {any} */ (kind).covered,
          )
            ? "This system reads word by word, so its encoder covers what it has not read yet as well."
            : "Only self-attention of the decoder must hide words that are not written yet.")
        : "This model has no attention to count.",
  },
};

/** The names of the columns under the claim about proportions. */
export const PROPORTION = {
  score: "score",
  share: "share of the sum",
  softmax: "softmax",
  six: "softmax of ÷ √6",
  sixtyfour: "softmax of ÷ √64",
};
export const KIND_NAMES = {
  enc: "encoder self-attention",
  dec: "decoder self-attention",
  cross: "attention to the source",
};
