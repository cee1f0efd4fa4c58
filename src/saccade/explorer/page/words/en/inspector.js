/** What the panel beside the view says of the chosen cell. */

/** @import { Child } from "page/types" */

export const INSPECTOR = {
  title: "The chosen cell",
  choose: "Choose a cell: click it, or go to the matrix and use the arrow keys.",
  largest: "The largest weight: ",
  looks: {
    /** @param {Child} from @param {Child} share @param {Child} to */
    reading: (from, share, to) => ["While reading ", from, ", ", share, " of the attention goes to ", to, "."],
    /** @param {Child} from @param {Child} share @param {Child} to */
    writing: (from, share, to) => ["While writing ", from, ", ", share, " of the attention goes to ", to, "."],
    /** @param {Child} from @param {Child} share @param {Child} to */
    read: (from, share, to) => ["While having read ", from, ", ", share, " of the attention goes to ", to, "."],
  },
  hidden: {
    /** @param {Child} from @param {Child} to */
    reading: (from, to) => ["While reading ", from, " the model cannot look at ", to, ": a mask hides it."],
    /** @param {Child} from @param {Child} to */
    writing: (from, to) => ["While writing ", from, " the model cannot look at ", to, ": a mask hides it."],
    /** @param {Child} from @param {Child} to */
    read: (from, to) => ["While having read ", from, " the model cannot look at ", to, ": a mask hides it."],
  },
  spread: "spread of the row",
  /** @param {string} value */
  bits: (value) => `${value} bits`,
  spreadWhy: "entropy: 0 is one word alone, each bit doubles the choice",
  weight: "weight",
  notAllowed: "not allowed",
  rank: "rank in its row",
  /** @param {number} at @param {number} all */
  place: (at, all) => `${at} of ${all}`,
  sum: "sum of the row",
  pieces: "pieces",
  piecesWhy: "a row is the mean of its pieces, a column their sum",
  /** @param {string} value */
  score: (value) => `score ${value}`,
  recomputed: "recomputed here from the score",
  strongest: "Strongest in this row",
  heads: "The heads of this layer, at this cell",
  /** @param {number} head @param {string} value */
  head: (head, value) => `head ${head}: ${value}`,
  tensor: { name: "tensor", shape: "shape", score: "score", scale: "scale" },
  load: "Load scores, queries, keys and values",
  loadable: "scores, queries, keys and values of this block",
  holds: "holds: ",
  fails: "fails: ",
  /** @param {string} where @param {number} limit */
  error: (where, limit) => `largest difference${where ? ` (${where})` : ""}; allowed: ${limit}`,
  exact: "exact",
  /** @param {number} count */
  checksHold: (count) => `${count} checks of the arithmetic hold`,
  /** @param {number} count */
  checksFail: (count) => `${count} ${count === 1 ? "check fails" : "checks fail"}: do not trust these numbers`,
  byPage: "computed again in this page",
  byProgram: "computed by the program that made the trace",
  checkNames: {
    energies: "scores are what their equation gives",
    projection: "the joined heads times W_O give the output of attention",
    residual: "what goes into a sub-layer plus what comes out is the residual sum",
    norm: "layer norm with its gain and shift gives the normalised states",
    feedforward: "the feed-forward layer follows from its input",
    cached_logits: "decoding step by step gives the same scores of words",
    rows: "weights of a row sum to one",
    range: "weights lie between zero and one",
    masked: "nothing rests where nothing is allowed",
    causal: "no word looks at a later one",
    shapes: "every matrix fits its words",
    softmax: "softmax of the scores gives the weights",
    values: "weights times values give the head's output",
    steps: "log-probabilities of the words sum to the sentence's",
    reads: "each word read is the word written before",
    beam: "each hypothesis continues its parent",
    words: "words keep the sums of their pieces",
    logits: "output rows times states give the scores of words",
    cached: "decoding step by step gives the same weights",
    top: "probabilities follow from the scores of words",
  },
};
