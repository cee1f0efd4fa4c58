/**
 * Every sentence of the Steps view but its analogies (page/steps/words-analogies) and its checked claims
 * (page/steps/words-claims).
 *
 * A text is a string or a function of `f`, the facts of the chosen head, query and key: see `facts` in
 * page/steps/facts.
 */
import { digits, short } from "page/numbers/numbers";

/** @import { Facts } from "page/steps/facts" */

/** @type {string} */
export const TITLE = "Inside one head";

/** @type {string} */
export const INTRODUCTION =
  "One attention head, from the pieces of the sentence to the next word, one step at a time. Space goes " +
  "on, Shift+Space goes back.";

/** What a button of the row of steps says, and the heading of the step. */
export const STEPS = {
  tokens: { short: "Tokens", title: "The sentence becomes pieces" },
  embedding: { short: "Embed", title: "Every piece becomes a vector" },
  position: { short: "+ Place", title: "Its place is added" },
  qkv: { short: "Q K V", title: "Three views of every vector" },
  memory: { short: "Memory", title: "What is carried over" },
  states: { short: "States", title: "A query and the states it can look at" },
  scores: { short: "Scores", title: "The query is compared with every key" },
  scale: { short: "÷ √d_k", title: "Scores are divided by the root of their length" },
  factor: { short: "× t", title: "Scores are multiplied by a learned factor" },
  mask: { short: "Mask", title: "What must not be seen is covered" },
  softmax: { short: "Softmax", title: "Scores become shares of one" },
  values: { short: "× V", title: "Values are mixed in these shares" },
  concat: { short: "Join", title: "All heads are joined and mixed" },
  norm: { short: "Add & norm", title: "The update joins the stream" },
  ffn: { short: "Network", title: "A small network at every place" },
  output: { short: "Output", title: "A state becomes the next piece" },
};

/** Steps whose buttons have a formula, for a reader of words. @type {Record<string, string | undefined>} */
export const IN_WORDS = { qkv: "Query, key, value", scale: "Scale", factor: "Factor", values: "Mix values" };

/** What happens in the step, said without a formula. */
export const PLAIN = {
  /** @param {Facts} f */
  tokens: (f) =>
    `The model knows no words, only pieces from a list it made before training. This text is ${f.pieces} ` +
    `pieces long, with the end mark; a rare word is cut into several${f.inWords ? "" : ", and ▁ marks where a word begins"}. ` +
    "Each piece has a number in the list.",
  /** @param {Facts} f */
  embedding: (f) =>
    `The number of a piece picks one row of a table: ${f.width} numbers that were learned. ` +
    (f.scaled
      ? `The row is multiplied by the root of ${f.width}, which is ${digits(f.embeddingScale, 2)}.`
      : "The row is used as it is."),
  /** @param {Facts} f */
  position: (f) =>
    "Attention itself does not know who comes first. So a vector that depends on the place alone is added " +
    `to each piece's vector. “${f.query}” stands at place ${f.q}, counted from 0.`,
  /** @param {Facts} f */
  qkv: (f) =>
    "Three learned matrices look at the same vectors. One makes the query, what this place asks for. One " +
    "makes the key, what a place answers to. One makes the value, what it hands over. " +
    (f.cross
      ? "Here the query comes from the text being written, keys and values from the sentence that was read."
      : "Here all three come from the same sequence.") +
    " " +
    `Each has ${f.dk} numbers${f.dv !== f.dk ? ` (a value ${f.dv})` : ""}.`,
  /** @param {Facts} f */
  states: (f) =>
    "This system has no separate matrices for query, key and value. " +
    `${f.recurrentQuery ? "The decoder's state asks" : "A state asks"}, and ${f.keys} states can answer. ` +
    (f.oneVector
      ? "The same vector is what is compared and what is handed over."
      : f.oneVector === false
        ? "What is compared and what is handed over are two vectors."
        : ""),
  /** @param {Facts} f */
  memory: (f) =>
    `All ${f.pieces} pieces are read one after the other, and ${f.memoryNumbers} numbers are what is left ` +
    "of them. " +
    (f.memoryStays === false
      ? "The decoder starts from them and never sees them again."
      : "The decoder sees nothing else of the sentence.") +
    " " +
    "A long sentence gets no more room than a short one.",
  /** @param {Facts} f */
  scores: (f) =>
    f.dotted
      ? "Query and key are multiplied number by number and added up. Vectors that point the same way score " +
        `high. “${f.query}” against “${f.key}”: ${short(f.score)}.`
      : `${f.scoreSentence} “${f.query}” against “${f.key}”: ${short(f.score)}.`,
  /** @param {Facts} f */
  scale: (f) =>
    `A sum of ${f.dk} products grows with the number of its terms. Dividing by the root of ${f.dk}, ` +
    `${digits(1 / f.scale, 3)}, brings it back to a size where softmax still listens to all keys.`,
  /** @param {Facts} f */
  factor: (f) =>
    "A cosine never leaves the range from −1 to 1, too little for a sharp choice. So the model learned a " +
    `factor: ${digits(f.scale, 3)}.`,
  /** @param {Facts} f */
  mask: (f) => covering(f),
  /** @param {Facts} f */
  softmax: (f) =>
    `${(SHARES[f.alignment] ?? SHARES.soft)(f)} The largest, ` + `${f.amount(f.bestWeight, 4)}, goes to “${f.best}”.`,
  /** @param {Facts} f */
  values: (f) =>
    `Each value is multiplied by its share, and all are added. ${f.amount(f.bestWeight, 2)} of what ` +
    `“${f.query}” takes comes from “${f.best}”.`,
  /** @param {Facts} f */
  concat: (f) =>
    `${f.heads} ${f.heads === 1 ? "head has" : "heads have"} each written ${f.dv} numbers. Side by side ` +
    `they are ${f.heads * f.dv} numbers, and one more learned matrix, W_O, mixes them into ${f.width}.`,
  /** @param {Facts} f */
  norm: (f) =>
    NORM[/** @type {keyof typeof NORM} */ (f.wiring)]
      ? NORM[/** @type {keyof typeof NORM} */ (f.wiring)](f)
      : NORM.post(f),
  /** @param {Facts} f */
  ffn: (f) =>
    `Here no word looks at another. Each place goes alone through two layers with ${f.inner} units between ` +
    `them; ${f.activation === "relu" ? "negative sums are cut to zero" : `${f.activation} makes negative sums small`}. For “${f.query}”, ${f.active} of ${f.inner} units are above zero.`,
  /** @param {Facts} f */
  output: (f) =>
    "The last state at this place is compared with one vector for each piece of the vocabulary, and " +
    `softmax makes probabilities of it. After reading “${f.reads}”, the likeliest next piece is ` +
    `“${f.candidate}” with ${f.amount(f.probability, 3)}.`,
};

/** What is covered, and why. @param {Facts} f */
function covering(f) {
  if (f.masked && f.causal)
    return (
      `A word must not look at words that are not ${f.querySide === "source" ? "read" : "written"} yet. ` +
      `“${f.query}” may see ${f.allowed} of ${f.keys} places; the rest is covered.`
    );
  if (f.masked)
    return (
      `“${f.query}” may see ${f.allowed} of ${f.keys} places${f.window ? ", those inside its window" : ""}; ` +
      "the rest is covered."
    );
  if (f.reach !== null)
    return (
      `A query sees ${f.reach} places to each side of ${digits(f.centre, 2)}. This sentence is too short for ` +
      "that to leave anything out; in a longer one, what is farther away is covered."
    );
  const why = f.cross
    ? "the sentence that is read is known from its first to its last word"
    : "an encoder has the whole sentence before it";
  return `Nothing is covered here: ${why}. The causal mask is for self-attention that writes.`;
}

const SOFTMAX =
  "The largest score is taken away from each, which changes no share but keeps the powers small enough for a " +
  "computer. Then every difference becomes a power of e, and the powers are divided by their sum.";

/** From scores to shares, by the name of the alignment. */
/** @type {Record<string, (f: Facts) => string>} */
const SHARES = {
  /** @param {Facts} f */
  soft: (f) =>
    `${SOFTMAX} The ${f.allowed} shares of “${f.query}” add up to ` +
    `${f.amount(f.rowSum, 4)}` +
    (f.blank === null ? "" : `; the other ${f.amount(f.blank, 4)} goes to a slot that stands for nothing`) +
    ".",
  /** @param {Facts} f */
  "local-p": (f) =>
    `${SOFTMAX} Then a bell around place ${digits(f.centre, 2)}, where the query expects its word, makes ` +
    `far keys lighter. Nothing is divided again, so the ${f.allowed} shares add up to ` +
    `${f.amount(f.rowSum, 4)} only.`,
  /** @param {Facts} f */
  hard: (f) =>
    `The key with the highest score takes everything: this row adds up to ${f.amount(f.rowSum, 4)} with one place.`,
  /** @param {Facts} f */
  diagonal: (f) =>
    "No score is asked: the shares are a fixed bump that walks along with the query. They add up to " +
    `${f.amount(f.rowSum, 4)}.`,
  /** @param {Facts} f */
  "top-k": (f) => `Only the keys of highest score stay. ${SOFTMAX} This row adds up to ${f.amount(f.rowSum, 4)}.`,
  /** @param {Facts} f */
  sparsemax: (f) =>
    "The same number is taken off every score, and what falls below 0 becomes 0. The number is chosen so that the " +
    `row adds up to 1: ${f.amount(f.rowSum, 4)}.`,
  /** @param {Facts} f */
  sigmoid: (f) =>
    "Every key is weighed for itself, between 0 and 1, whatever the others get. This row adds up to " +
    `${f.amount(f.rowSum, 4)}.`,
  /** @param {Facts} f */
  reinforced: (f) =>
    "In training one key was drawn, and the draws that went well were made likelier. Now the key with the highest " +
    `score takes everything: this row adds up to ${f.amount(f.rowSum, 4)} with one place.`,
  /** @param {Facts} f */
  "reinforced-subset": (f) =>
    `A gate opens for each key whose score is above a learned threshold, and only those are seen. ${SOFTMAX} This row ` +
    `adds up to ${f.amount(f.rowSum, 4)}.`,
};

const NORM = {
  /** @param {Facts} f */
  post: (f) =>
    `What came in is added to what attention made of it, so that nothing is lost. Then the ${f.width} ` +
    "numbers of each place are moved to mean 0 and variance 1, and two learned vectors stretch and shift " +
    "them.",
  /** @param {Facts} f */
  pre: (f) =>
    `In this model the norm comes before the attention: the ${f.width} numbers of each place were moved to ` +
    "mean 0 and variance 1 first, and two learned vectors stretched and shifted them. What attention made of them is " +
    "then added to what came in.",
  residual: () => "What came in is added to what attention made of it. This model has no norm.",
  plain: () => "What attention made takes the place of what came in. This model has no residual connection.",
};

/** How a score that is no dot product works. */
export const SCORE_SENTENCE = {
  additive:
    "Query and key each pass a learned matrix, the two are added, squeezed by tanh, and a learned vector " +
    "makes one number of the result.",
  concat:
    "Query and key stand side by side, pass one learned matrix and tanh, and a learned vector makes one " +
    "number of the result.",
  general: "A learned matrix turns the query into the key's language; then the two are multiplied.",
  "biased-general": "A learned matrix and a bias turn the query into the key's language; then the two are multiplied.",
  "activated-general":
    "The product through a learned matrix is squeezed by tanh, so no score leaves the range from −1 to 1.",
  cosine: "Only directions count: the product is divided by both lengths.",
  location: "The query alone says which place it wants; the keys are not asked.",
};

/** @type {string} */
export const UNKNOWN_SCORE = "A learned function makes one number of query and key.";

/** Why a step of the thirteen is not there. */
export const MISSING = {
  embedding: "the vectors of its pieces are not part of this trace",
  position: "no position is added: this system knows the order from reading one piece after the other",
  positionLearned: "no position is added to the vectors",
  qkv: "no separate queries, keys and values are made: the states themselves are compared",
  memory: "what is carried over is not part of this trace",
  scores: "this model has no attention",
  states: "the vectors it compares are not part of this trace",
  told: "its numbers are not part of this trace",
  apart: "the heads stay side by side, and no matrix mixes them here",
  scale: "the scores are used as they are, not divided",
  mask: "nothing is ever covered here",
  softmax: "this model has no attention",
  values: "this model has no attention",
  concat: "one head has nobody to be joined with",
  norm: "this system adds and normalises nothing here",
  ffn: "this system has no feed-forward layer here",
  output: "this trace has no output step",
};

export const SAY = {
  kind: "Attention",
  kinds: { enc: "encoder looks at itself", dec: "decoder looks at itself", cross: "decoder looks at source" },
  layer: "Layer",
  head: "Head",
  query: "Query",
  key: "Key",
  dimension: "Dimension",
  analogy: "Tell it as",
  later: "The numbers for this text are not here yet.",
  steps: "Steps",
  /** @param {number} at @param {number} all @param {string} title */
  step: (at, all, title) => `Step ${at} of ${all}: ${title}`,
  back: "Back",
  next: "Next",
  /** @param {string} name @param {string} shape */
  of: (name, shape) => `${name} ${shape}`,
  /** @param {string} query */
  beforeAfter: (query) => `The vector of “${query}”, number by number`,
  /** @param {string} query @param {string} times @param {string} cosine */
  change: (query, times, cosine) =>
    `What is added is ${times} times as long as what “${query}” had. Before and after point the same way by ${cosine}, ` +
    "where 100 % would be no turn at all: a layer changes a vector, it does not replace it.",
  /** @param {number} number @param {string} value @param {string} times */
  outlier: (number, value, times) =>
    `One number stands out: number ${number} of the sum is ${value}, ${times} times the spread of all of them. Trained ` +
    "models often keep a few such numbers; a norm divides by the spread, which they make large.",
  moments: ["mean", "spread (standard deviation)", "length"],
  folded: "The formula, and one cell in digits",
  cell: "One cell in digits",
  /** @param {number} id */
  pieceNumber: (id) => `piece number ${id}`,
  perPiece: "numbers for each piece",
  /** @param {number} k @param {number} q */
  causal: (k, q) =>
    k <= q ? `because place ${k} is not after place ${q}` : `because place ${k} comes after place ${q}`,
  /** @param {number} k @param {number} centre @param {number} reach @param {string} seen */
  near: (k, centre, reach, seen) =>
    `because place ${k} is ${digits(Math.abs(k - centre), 2)} from ${digits(centre, 2)}, ` +
    `${seen ? "not more" : "more"} than ${reach}`,
  allowed: "because this place may be seen",
  covered: "because this place may not be seen",
  exact: "Added up on this page. These are the model's own numbers.",
  powers: "sum of powers",
  /** @param {number} count */
  rest: (count) => `${count} more terms`,
  /** @param {number} count */
  lighter: (count) => `${count} lighter terms`,
  /** @param {any} error */
  agrees: (error) => `Added up on this page. The model's own numbers differ by ${error} at most.`,
  /** @param {string} here @param {string} there */
  disagrees: (here, there) =>
    `The page's sum is ${here}, the model's number ${there}: something in this trace is not told.`,
  skipped: "Steps that are not here, and why",
  tensors: "Tensors of this step",
  code: "In code",
  askDetail: "The numbers of this step are on their way …",
  /** @param {any} details @param {string} model @param {string} sentence */
  noDetail: (details, model, sentence) =>
    "This file does not hold the numbers of this step. A file with all steps of this layer: saccade " +
    `explore ${model} --sentence ${JSON.stringify(sentence)} ` +
    `${details.map((/** @type {string} */ detail) => `--detail ${detail}`).join(" ")} --export page.html`,
  noAttention:
    "This model has no attention: its decoder gets a memory of fixed size instead. These are the steps it has.",
  noTrace: "Type a sentence and translate it: the steps are computed from your own words.",
  /** @param {string} read @param {string} predicted */
  read: (read, predicted) => `reads “${read}” → predicts “${predicted}”`,
  above: "This happens once, far above this head: at the end of the last decoder layer.",
  /** @param {number} layer */
  layerInput: (layer) => `Layer ${layer} reads what layer ${layer - 1} wrote. The embedding is below, at layer 1.`,
  /** @param {string} name @param {number} rows @param {number} columns */
  table: (name, rows, columns) => `${name}, ${rows} by ${columns}`,
};

/** What the way to the view that shows a step at length is called. */
export const FURTHER = {
  tokens: "The whole translation, word by word",
  position: "The waves of all positions",
  memory: "What other systems carry over",
  softmax: "The weights of this head, large",
  concat: "All heads of all layers",
  norm: "What norms do to these numbers",
  output: "All continuations the search has tried",
};
