// Every string of the view Heads, so that a translation is this file.

/** @import { Head, State, Unit } from "page/types" */

/** @param {number} value */
const twice = (value) => value.toFixed(2);

export const heads = {
  heading: "All heads at once",
  lead:
    "Every head of every layer, as one small picture each: rows ask, columns are looked at. Use the numbers " +
    "to find a head worth opening.",
  nothing: "Translate a sentence to see its heads.",
  /** @param {string} name */
  noAttention: (name) => `${name} has no attention: it hands over one vector, so there are no heads to show.`,
  toAncestors: "See in Ancestors what it carries instead.",
  length: {
    neighbours: { "-1": "the piece before", 0: "the piece itself", 1: "the piece after" },
    /** @param {number} layer @param {number} head @param {string} neighbour @param {number} places */
    looks: (layer, head, neighbour, places) =>
      `A long sentence has a lesson: layer ${layer}, head ${head} of the encoder looks at ${neighbour}. Within the first ` +
      `${places} places it gives it a share of`,
    afterwards: ", after them ",
    keeps: "So its pattern holds as far as this sentence goes.",
    loses:
      "So it loses its pattern: what stands so late was rare in training, or never there. This is why translations of " +
      "long sentences fail.",
  },
  kinds: { enc: "Encoder self-attention", dec: "Decoder self-attention", cross: "Cross-attention" },
  kindNotes: {
    enc: "source looks at source",
    dec: "output looks at what is already written",
    cross: "output looks at source",
  },
  /** @param {number} layers @param {number} heads */
  size: (layers, heads) =>
    `${layers} ${layers === 1 ? "layer" : "layers"} \u00d7 ${heads} ${heads === 1 ? "head" : "heads"}`,
  /** @param {number} layer */
  layer: (layer) => `Layer ${layer}`,
  /** @param {Head} head */
  head: (head) => `Head ${head}`,
  /** @param {number} layer @param {Head} head */
  short: (layer, head) => `L${layer} H${head}`,
  badge: {
    label: "Number",
    names: {
      entropy: "entropy",
      distance: "distance",
      special: "special",
      diagonal: "diagonal",
      agreement: "agreement",
    },
    meaning: {
      entropy: "How spread out a row is, in bits: 0 means one place only, each bit doubles the choice.",
      distance: "How many words or pieces, whichever are shown, away a row looks on average.",
      special: "Share of the weight on special tokens, such as the end of the sentence, which are no words.",
      diagonal: "Share of the weight within one place of the diagonal.",
      agreement: "Share of rows that look most at the same source word as the reference does.",
    },
    none: "\u2013",
    /** Without the unit, for which there is no room under a picture. @param {any} name @param {number | null} value */
    short: (name, value) => heads.badge.format(name, value).replace(" bits", ""),
    /** @param {any} name @param {number | null} value */
    format: (name, value) =>
      value === null
        ? "\u2013"
        : name === "entropy"
          ? `${twice(value)} bits`
          : name === "distance"
            ? twice(value)
            : `${Math.round(100 * value)} %`,
  },
  reference: {
    label: "Reference",
    own: "the model's own alignment",
    occlusion: "leaving words out",
    gradient: "gradient",
    note: "Only heads between output and source can agree with an alignment.",
  },
  order: { label: "Order", grid: "layer by layer", high: "highest first", low: "lowest first" },
  filter: {
    least: "At least",
    most: "At most",
    off: "Show all",
    /** @param {number} shown @param {number} all */
    count: (shown, all) => `${shown} of ${all} heads`,
  },
  open: { label: "Enter or click opens", heat: "Heat", steps: "Steps" },
  mode: { label: "Show", heads: "all pictures", word: "one word" },
  word: {
    choose: "Word",
    label: { source: "Source", reads: "Output: reads \u2192 predicts" },
    note: "One row for each head: where this word looks in every layer. Enter opens the head.",
    /** @param {any} kind @param {string} word */
    title: (kind, word) => `${kind}: ${word}`,
    /** @param {string} reads @param {string} predicts */
    reads: (reads, predicts) => `${reads} \u2192 ${predicts}`,
    axis: "head",
    keys: "looks at",
  },
  unit: { label: "Units", word: "words", piece: "pieces" },
  hide: "Hide special tokens",
  /**
   * @param {Unit} unit
   * @param {string} transfer
   * @param {string} badge
   * @param {number} queries
   * @param {number} keys
   */
  caption: (unit, transfer, badge, queries, keys) =>
    `${queries} by ${keys} ${unit === "word" ? "words" : "pieces"}, colours: ${transfer}, number: ${badge}`,
  /** @param {any} kind @param {number} layer @param {Head} head */
  where: (kind, layer, head) => `${kind}, layer ${layer}, head ${head}`,
  strongest: "strongest",
  /** @param {string} name @param {Head} head @param {number} queries @param {number} keys */
  tensor: (name, head, queries, keys) => `${name}[${head}]: ${queries} \u00d7 ${keys}`,
  /** @param {string} view */
  goTo: (view) => `Open in ${view}`,
  choose: "Move to a picture to read its numbers.",
  /** @param {number} layer @param {Head} head */
  tree: (layer, head) =>
    `The tree: cross-attention, layer ${layer + 1}, ${head === "mean" ? "mean of its heads" : `head ${head + 1}`}`,
  meaning: "What the numbers mean",
  tags: { best: "aligns best", special: "special", diagonal: "diagonal", sharp: "sharp", even: "even" },
  tagRules:
    "Tags: special or diagonal, where at least half of the weight is there; sharp or even, where the " +
    "entropy is at most a quarter, or at least 85 %, of that of an even spread; aligns best, where the " +
    "rows of no other head agree more with what leaving out words costs.",
  /**
   * @param {number} layer
   * @param {Head} head
   * @param {any} numbers
   * @param {string} query
   * @param {string} key
   * @param {number} weight
   */
  cell: (layer, head, numbers, query, key, weight) =>
    `Layer ${layer}, head ${head}. ${numbers}. Strongest: ${query} to ${key}, ${weight.toFixed(3)}.`,
  /**
   * @param {any} facts
   * @param {(name: State["badge"], value: number | null) => string} format
   * @param {Record<string, string>} names
   */
  numbers: (facts, format, names) =>
    Object.keys(names)
      .filter((name) => facts[name] !== null)
      .map((name) => `${names[name]} ${format(/** @type {any} */ (name), facts[name])}`)
      .join(", "),
  help: "Arrow keys move between heads, Enter opens one.",
  table: {
    /** @param {any} kind */
    caption: (kind) => `${kind}: the numbers of every head`,
    layer: "Layer",
    head: "Head",
    strongest: "Strongest pair",
    tags: "Tags",
    /** @param {string} query @param {string} key @param {number} weight */
    pair: (query, key, weight) => `${query} \u2192 ${key} ${weight.toFixed(3)}`,
  },
  notOne: "Rows of this attention need not sum to one, so its numbers are sums of what there is.",
  detail: "The head under the cursor",
  caution: "A weight says where a head looks, not why a word was written.",
  averaged:
    "The lower the entropy, the less a head blurs what it reads; several heads together can look at several places.",
};
