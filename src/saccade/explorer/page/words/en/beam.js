/** Every string of the view Beam. */
import { exponent, number, signed } from "page/beam/numbers";
import { percent } from "page/numbers/numbers";

/** @import { Rule, TreeNode } from "page/beam/tree" */

export const beam = {
  box: { logp: "log p", sum: "sum", score: "score", token: "token" },
  /** A node as it is read aloud. @param {TreeNode} node @param {string} piece */
  read: (node, piece) =>
    `step ${node.t}, ${piece}, ${beam.states[node.state]}, log probability ${signed(node.logp, 4)}, sum ` +
    `${signed(node.cum, 4)}`,
  /** @param {number} count */
  more: (count) => `+ ${count} more`,
  heading: "How the output was found",
  /** @param {number} size @param {any} steps */
  lead: (size, steps) =>
    `The search kept the best ${size === 1 ? "beginning" : `${size} beginnings`} alive for ${steps} ` +
    `${steps === 1 ? "step" : "steps"}. A column is a step, which writes a word or a part of one; what is most likely so far stands on top.`,
  widthOne:
    "With a beam of 1 only one beginning lives on, but the search remembers every place where the output " +
    "could have ended and returns the end that scores best.",
  noSearch: {
    force: "There was no search: this output was given, and the model only said how likely each of its pieces is.",
    sample: "There was no search: each piece of this output was drawn by chance.",
    other: "There was no search behind this output.",
  },
  noSearchPicture:
    "Below is that one output, and in grey what else was likely at each step; those were never followed.",
  runSearch: "Search instead",
  prefixed: "The output had to begin with:",
  freely: "Search freely again",
  size: "Beam",
  legendOf: "What the boxes mean",
  legend: {
    winner: "on the winning path",
    kept: "kept, goes on",
    finished: "finished",
    pruned: "pruned, too unlikely",
    given: "the output",
    alternative: "likely too, never followed",
  },
  roleOf: "search tree",
  /** @param {any} steps @param {number} rows */
  picture: (steps, rows) => `The search: ${steps} steps, up to ${rows} nodes in each`,
  help:
    "Left goes to what a node continues, right to its best continuation, up and down along the step, Enter " +
    "reads the node.",
  /** @param {number} t */
  step: (t) => `step ${t}`,
  start: "start",
  pruned: {
    label: "Pruned nodes",
    alternatives: "Alternatives",
    none: "none",
    few: "3 a step",
    all: "all of the trace",
  },
  columns: {
    step: "Step",
    rank: "Rank",
    piece: "Piece",
    state: "State",
    logp: "log p",
    cum: "Sum",
    score: "Score",
    after: "After",
  },
  states: { root: "start", kept: "kept", pruned: "pruned", finished: "finished" },
  tableCaption: "Every node of the picture",
  /** @param {number} shown @param {number} all */
  tableCut: (shown, all) => `These are the first ${shown} of ${all} nodes; the CSV file has them all.`,
  /** @param {number} size @param {number} alpha */
  caption: (size, alpha) => `beam ${size}, length penalty with alpha ${alpha}`,
  tools: { table: "Show as a picture or as a table", asTable: "Table", asPicture: "Picture" },
  node: {
    heading: "This node",
    none: "Choose a node: what was written up to it, and how its score comes about, is shown here.",
    root: "Everything begins here, with nothing written and a sum of 0.",
    written: "Written so far",
    piece: "Piece",
    logp: "log p",
    /** @param {number} p */
    chance: (p) => `a chance of ${percent(p)}`,
    /** @param {number} before @param {number} logp @param {number} cum */
    digits: (before, logp, cum) => `${signed(before, 4)} + (${signed(logp, 4)}) = ${signed(cum, 4)}`,
    sum: "Sum",
    penalty: "Length penalty",
    /** @param {number} length @param {number} alpha @param {any} lp @param {Rule} [rule] */
    penaltyDigits: (length, alpha, lp, rule) =>
      `${rule === "power" ? length : `((5 + ${length}) / 6)`}^${exponent(alpha)} = ${number(lp, 4)}`,
    score: "Score",
    /** @param {number} cum @param {any} lp @param {number} score */
    scoreDigits: (cum, lp, score) => `${signed(cum, 4)} / ${number(lp, 4)} = ${signed(score, 4)}`,
    /** @param {number} rank */
    rank: (rank) => `Number ${rank} of all candidates of its step.`,
    /** @param {number} gap */
    short: (gap) => `It missed the last place by ${number(gap, 4)}.`,
    winning: "It lies on the winning path.",
    fates: {
      kept: "Kept: the search went on from here.",
      pruned: "Pruned: the search did not go on from here.",
      finished: "Finished: the output ended here.",
    },
    forced: {
      kept: "Written, because it was given.",
      pruned: "Likely too, but not what was given.",
      finished: "The end of what was given.",
    },
    /** @param {number} count */
    path: (count) => (count === 1 ? "The one piece up to here" : `All ${count} pieces up to here`),
    id: "Token number",
    number: "Node number",
    continue: "Continue from here",
    continueHelp: "Search again with everything up to this node fixed",
    inside: "Look inside this output",
    insideHelp: "Give the model exactly this text and see where each piece looks",
    pieces: "What is written is handed over as text; in the middle of a word it may be cut into other pieces.",
    attention: "See where this piece looked",
    offline:
      "This file has no model behind it: open the sentence with \u201csaccade explore MODEL\u201d to " +
      "continue from a node.",
  },
  finished: {
    heading: "Finished outputs",
    unfinished: "No output ended within the limit; this is what the search had written when it had to stop.",
    caption: "Outputs ordered by log P divided by the length penalty",
    alpha: "alpha of the length penalty",
    /** @param {number} alpha */
    reset: (alpha) => `Back to ${alpha}`,
    /** @param {number} value */
    alphaIs: (value) => `alpha ${value}`,
    rerun: "Search again with this alpha",
    columns: {
      now: "Now",
      before: "Searched",
      text: "Output",
      length: "Pieces",
      cum: "log P",
      p: "Probability",
      lp: "Penalty",
      score: "Score",
    },
    /** @param {number} alpha */
    same: (alpha) => `With alpha ${alpha} the same output wins as in the search.`,
    /** @param {number} alpha */
    asSearched: (alpha) => `The search used alpha ${alpha}. Move the slider: a larger one forgives length more.`,
    /** @param {number} alpha @param {string} text @param {any} was */
    other: (alpha, text, was) =>
      `With alpha ${alpha} another output wins: \u201c${text}\u201d instead of \u201c${was}\u201d.`,
    ranges: "Who wins for which alpha",
    /** @param {number} from @param {number} to */
    range: (from, to) => `${from.toFixed(2)} to ${to.toFixed(2)}`,
    /** @param {number} count */
    more: (count) => `${count} more ended and score lower; show all pruned nodes to list them.`,
    caution:
      "This orders again what the search has found, without decoding. A search with another alpha may also " +
      "stop at another time and find outputs that are not in this list.",
    coverage: "The search also charged for source words that nothing looked at; that charge is not in these scores.",
    again: "the same text in other pieces",
    empty: "(nothing)",
  },
};
