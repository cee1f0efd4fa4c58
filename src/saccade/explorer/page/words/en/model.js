/** Every sentence of the view Model. */
import { factor, readable } from "page/model/numbers";
import { digits, short } from "page/numbers/numbers";
import { thousands as count } from "page/numbers/thousands";

/** @import { Model } from "page/types" */

export const MODEL = {
  title: "How this model is built",
  /** @param {Model} given */
  lede: ({ name, summary, year }) => `${name}: ${summary} (${year}).`,
  paper: "After",
  drawing: "From words to words",
  /** @param {any} parts */
  drawingLabel: (parts) => `Read from the bottom up. ${parts.join(". ")}.`,
  caption: "Boxes are the parts that told what they did with this sentence.",
  dots: "Three dots in a box: dropout acts there in training.",
  /** @param {number} layers */
  times: (layers) => `${layers} ×`,
  boxes: {
    words: "words read",
    written: "words written so far",
    /** @param {number} scale */
    embedding: (scale) => (scale === 1 ? "embedding" : `embedding × ${factor(scale)}`),
    /** @param {string} kind @returns {string} */
    position: (kind) => (kind === "learned" ? "+ learned positions" : kind ? "+ positions (waves)" : "+ positions"),
    /** @param {boolean} causal @returns {string} */
    self: (causal) => (causal ? "masked self-attention" : "self-attention"),
    cross: "cross-attention",
    /** @param {number} heads @param {any} each */
    heads: (heads, each) => (heads > 1 ? `${heads} heads${each ? ` of ${each}` : ""}` : "one head"),
    ffn: "feed-forward",
    /** @param {any} width @param {number} inner */
    inner: (width, inner) => `${width} → ${inner} → ${width}`,
    recurrent: "recurrent, word by word",
    backwards: "recurrent, backwards",
    bothWays: "recurrent, both ways",
    /** @param {string[]} names */
    gates: (names) => `gates: ${names.join(", ")}`,
    noGates: "no gates",
    /** @param {any} kernel */
    convolution: (kernel) => `convolution, ${kernel} at once`,
    /** @param {number} number */
    layers: (number) => `${number} ${number === 1 ? "layer" : "layers"}`,
    addNorm: "add & norm",
    add: "add",
    norm: "norm",
    counts: "counts of what followed",
    shares: "shares that add up to 1",
    output: "linear + softmax",
    /** @param {number} vocabulary */
    choices: (vocabulary) => `${count(vocabulary)} pieces to choose from`,
    /** @param {number} rows @param {any} width */
    list: (rows, width) => `memory: ${rows} × ${width}`,
    /** @param {number} numbers */
    vector: (numbers) => `memory: ${count(numbers)} numbers`,
    next: "next word",
    encoder: "Encoder",
    decoder: "Decoder",
  },
  parts: "The parts, and where to see them",
  partColumns: ["Part", "Sizes", "Dropout", "See"],
  letters: "The letters",
  letterColumns: ["Letter", "What it is", "Here"],
  meanings: {
    N: ["N", "layers of the encoder"],
    N_decoder: ["N", "layers of the decoder"],
    d_model: ["d_model", "numbers of a token's vector, the same between all layers"],
    d_ff: ["d_ff", "numbers inside the feed-forward network"],
    h: ["h", "heads side by side in each attention"],
    d_k: ["d_k", "numbers of a query and of a key in one head"],
    d_v: ["d_v", "numbers of a value in one head"],
    P_drop: ["P_drop", "share of numbers set to zero while training"],
    eps_ls: ["ε_ls", "share of the right answer that label smoothing gives away"],
    steps: ["steps", "updates of the weights in training"],
  },
  outputs: "numbers of the vector from which the next word is chosen",
  unknown: "not kept in the model's folder",
  notHere: "this system has none",
  /** @param {number} h @param {number} dk @param {any} d */
  agree: (h, dk, d) =>
    `h × d_k = ${h} × ${dk} = ` +
    `${h * dk}${h * dk === d ? " = d_model: the heads share one vector's worth of numbers" : ""}.`,
  parameters: "Parameters by part",
  /** @param {number} all */
  total: (all) => `${count(all)} numbers were learned.`,
  share: "share",
  tied: "Tied weights",
  /** @param {string[]} names */
  tiedLead: (names) =>
    `${names.map(readable).join(", ")} are one matrix: what is learned for one is learned for all, and it ` +
    "is counted once.",
  untied: "No two parts share a matrix.",
  training: "What acts only in training",
  /** @param {number} p */
  dropout: (p) =>
    `Dropout sets ${digits(100 * p, 0)} % of the numbers to zero by chance, and multiplies the others by ` +
    `${digits(1 / (1 - p), 3)} to make up for it. It acts on the sum of embedding and position, and on ` +
    "what each sub-layer returns, before it is added. A trace is made with dropout off: the same sentence " +
    "always gives the same numbers.",
  /** @param {number} p */
  plainDropout: (p) =>
    `Dropout sets ${digits(100 * p, 0)} % of the numbers between layers to zero by chance while training. ` +
    "A trace is made with dropout off.",
  noDropout: "This model was trained without dropout.",
  /** @param {number} eps */
  smoothing: (eps) =>
    `Label smoothing changes only the goal: the right piece counts ${digits(1 - eps, 2)} instead of 1, and ` +
    `all the others share ${digits(eps, 2)}.`,
  unknownSmoothing:
    "Label smoothing changes only the goal of training: the right piece counts a little less than 1, and " +
    "all the others share the rest. Its value is not kept in the model's folder.",
  embedding: "How long are the vectors?",
  /** @param {number} scale */
  embeddingLead: (scale) =>
    `Embeddings are multiplied by √d_model = ${factor(scale)} before positions are added. The paper gives ` +
    "no reason; here are the lengths for this sentence.",
  unscaled: "This model does not multiply its embeddings.",
  noLab: "This model has no norm, and hands over no list of states to try one on.",
  embeddingColumns: ["Token", "embedding alone", "after × √d_model", "position", "position / token, before", "after"],
  plainColumns: ["Token", "embedding"],
  means: "mean",
  /** @param {number} before @param {number} after @param {number} position */
  lengths: (before, after, position) =>
    `On average an embedding alone is ${digits(before, 2)} long, after the factor ${digits(after, 2)}, and ` +
    `a position ${digits(position, 2)}. ` +
    (before < position && after > position
      ? "Without the factor the position would outweigh the word; with it the word outweighs the position."
      : before < position
        ? "Without the factor the position would outweigh the word even more."
        : "The word outweighs the position with or without the factor."),
  lab: "Layer norm or batch norm?",
  labLead:
    "Both bring numbers to mean 0 and variance 1. Layer norm does it along the numbers of one word; batch " +
    "norm at each place of the vector, along all words. Here both are tried on the numbers that go into a " +
    "norm of this model. Real batch norm also takes in the other sentences of a batch; one sentence is " +
    "enough to see the difference.",
  labKind: "Sub-layer",
  labAxes: ["word", "place"],
  labLayer: "Layer",
  /** @param {string} kind @param {number} layer */
  labName: (kind, layer) => `${kind}, layer ${layer}`,
  source: {
    /** @param {string} name */
    normed: (name) => `What goes into the norm of ${name}.`,
    sum: "This model has no norm, so the lab takes its embeddings.",
    recurrent: "This model has no norm, so the lab takes the states of its encoder.",
    memory: "This model has no norm, so the lab takes what its encoder hands over.",
  },
  panels: {
    before: "As they come",
    layer: "Layer norm: each row by itself",
    batch: "Batch norm: each column by itself",
  },
  /** @param {number} shown @param {number} width */
  firstPlaces: (shown, width) => (shown < width ? `first ${shown} of ${width} places` : `${width} places`),
  /** @param {number} number */
  place: (number) => String(number),
  swap: "Suppose another word stood at",
  /** @param {any} word @param {any} other */
  swapped: (word, other) => [
    "Suppose the numbers of ",
    word,
    " were those of ",
    other,
    ". How far do the others move, though nothing about them has changed?",
  ],
  swapColumns: ["Word", "under layer norm", "under batch norm"],
  /** @param {number} layer @param {any} batch @param {number} others */
  verdict: (layer, batch, others) =>
    `Under layer norm the other ${others} words move by ${layer === 0 ? "exactly 0" : short(layer)}. Under ` +
    `batch norm they all change, by up to ${digits(batch, 3)}: what a word becomes would depend on its ` +
    "company.",
  /** @param {number} error */
  again: (error) =>
    "Computed again here: layer norm with the model's own gain and shift agrees with what the model used, " +
    `to ${short(error)}.`,
  /** @param {number} shown @param {number} all */
  listed: (shown, all) => `The first ${shown} of ${all} words are listed; all of them are counted in.`,
  /** @param {any} names */
  tensors: (names) => names.map((/** @type {any} */ [name, shape]) => `${name} [${shape.join(", ")}]`).join("   "),
  missing:
    "This file does not hold these numbers. Open the model with saccade explore MODEL, or export with --detail all.",
  kinds: { enc: "encoder self-attention", dec: "decoder self-attention", cross: "cross-attention" },
};
