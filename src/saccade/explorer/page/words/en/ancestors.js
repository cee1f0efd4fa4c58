/**
 * Everything the Ancestors view says, so that a translation is one file. Cards of papers are in
 * `page/ancestors/papers`.
 */
import { thousands } from "page/numbers/thousands";

/** @param {number} number @param {string} one @param {string} [many] */
const count = (number, one, many = `${one}s`) => `${thousands(number)} ${number === 1 ? one : many}`;
/** @param {string} lead */
const span = (lead) => `${lead.charAt(0).toUpperCase()}${lead.slice(1)}`;

export const WORDS = {
  partsLabel: "Parts of this view",
  parts: { models: "Side by side", papers: "The papers", words: "Change a word" },
  lede:
    "The same sentence through every model given, oldest first. Read a row from left to right to see what an " +
    "idea changed.",
  own: "own translation",
  forced: "same translation for all",
  whichTranslation: "Every model reads",
  /** @param {string} name */
  forcedNote: (name) =>
    `All models are made to write what ${name} wrote, so that rows of the pictures mean the same word.`,
  ownNote: "Every model writes what it finds best. Rows of the pictures differ where translations do.",
  one: "Only one model is here. Give several, and each gets a column: saccade explore MODEL MORE …",
  tasks: {
    translation: "translates",
    pronunciation: "writes how words are pronounced",
    "language-modelling": "continues a text",
    classification: "names a class",
    parsing: "writes a parse tree",
  },
  /** @param {string} does */
  otherTask: (does) => `This model has another task: it ${does}. Its numbers cannot be compared with the others.`,
  /** @param {string} pair */
  otherLanguages: (pair) => `This model works from ${pair}: the sentence may mean nothing to it.`,
  traced:
    "Traced in advance: a small model that learned for less than an hour. Its mistakes say little about its idea.",
  /** @param {string} name @param {number} year */
  tracedHere: (name, year) => `${name} (${year}) can stand beside it for these sentences, traced in advance:`,
  noSentence: "Type a sentence above to send it through the models.",
  waiting: "on its way …",
  missing: "This file holds no such trace.",
  /** @param {string} sentence */
  missingHow: (sentence) => `saccade explore MODELS --sentence ${JSON.stringify(sentence)} --export page.html`,
  notHere: "Systems that are not here",
  notHereLede: "Each of these trains with one command; then name the folders together.",

  rows: {
    translation: "Translation",
    memory: "What the encoder hands to the decoder",
    alignment: "Where each word looked",
    path: "The way between two words",
    waiting: "What must wait",
    influence: "Which source words mattered",
    gates: "What the units kept",
    cost: "Size of this trace",
  },
  leads: {
    memory:
      "Every small square is one number, drawn in one size for all models: the area is what the decoder can " +
      "know of the source.",
    alignment: "All pictures share one scale from 0 to 1. Rows are target words, columns source words.",
    influence:
      "Measured two ways, without trusting attention: how strongly the output would move with a word " +
      "(gradient), and what is lost when the word is replaced (occlusion).",
    gates:
      "How far each gate of the encoder was open at each word: the mean over all units, from 0 (shut) to 1 (open).",
    waiting:
      "Layers that cannot start before others are done, one after another. Fewer is faster on a machine " +
      "that can do many things at once.",
  },

  /** @param {string} p */
  probable: (p) => `${p} probable, as this model sees it`,
  /** @param {any} total @param {any} each @param {any} tokens */
  logprob: (total, each, tokens) => `log p = ${total}; ${each} for each of ${count(tokens, "piece")}`,
  /** @param {number} places @param {number} size @param {number} total */
  list: (places, size, total) =>
    `A list: ${count(places, "state")} of ${count(size, "number")}, ` +
    `${total > places * size ? `${count(total - places * size, "number")} beside them, ` : ""}` +
    `${count(total, "number")} in all. A longer sentence gives a longer list.`,
  /** @param {number} total */
  vector: (total) => `One vector of ${count(total, "number")}, however long the sentence.`,
  /** @param {any} parts @param {number} total */
  several: (parts, total) =>
    `${span(count(parts, "vector"))}, ${count(total, "number")} in all, however long the sentence.`,
  /** @param {any} each @param {any} words */
  perWord: (each, words) => `${each} numbers for each of ${count(words, "source piece")}.`,
  stays: "The decoder may read it again at every word.",
  once: "The decoder gets it once, before its first word, and must remember it.",
  noMemory: "This model has no source: nothing is handed over.",
  /** @param {any} value */
  limit: (value) => `strongest colour: ±${value}`,

  noAttention:
    "This model does not look. What it knows of the source is already inside its state, so there is no " +
    "picture of weights to show; in its place is what each source word is worth to each target word, " +
    "measured by taking it away.",
  noAttentionNothing:
    "This model does not look, so there is no picture of weights. The rows below say which words mattered " +
    "all the same.",
  /** @param {string} name */
  alignmentTitle: (name) => `${name}: target word → source word`,
  measuredTitle: {
    /** @param {string} name */
    occlusion: (name) => `${name}: what is lost without a word`,
    /** @param {string} name */
    gradient: (name) => `${name}: how the output moves with a word`,
  },
  axes: {
    writes: "writes",
    looks: "looks at",
    moves: "moves with",
    without: "without",
    measure: "measure",
    source: "source word",
    sentence: "sentence",
  },
  show: "Show",
  measures: { attention: "attention", occlusion: "what is lost without a word", gradient: "gradient" },
  measureNotes: {
    attention: "How much of each look falls on each source word.",
    occlusion:
      "The share of a target word’s probability that is lost when a source word becomes unknown, one word " +
      "at a time. Attention plays no part in it, so models that do not look have it too.",
    gradient:
      "Each source word’s share of how strongly a target word’s log-probability would move with the source vectors.",
  },
  notOne: "Rows need not sum to 1: a window fades towards its edges.",
  /** @param {any} bits @param {any} most */
  sharp: (bits, most) => `mean entropy ${bits} bits of at most ${most}`,

  inside: "within the source",
  across: "from source to target",
  pathMode: "Way",
  from: "from",
  to: "to",
  target: "to the target word",
  /** @param {number} number */
  hops: (number) => count(number, "hop"),
  noWay: "no way",
  otherWords: "This model cuts the sentence into other words, and has no such word.",
  sameWord: "Choose two different words.",
  rules: {
    /** @param {number} hops */
    steps: (hops) =>
      `Recurrence moves one place at a time: the words are ${count(hops, "step")} apart in the order of ` +
      "reading, and a state carries the first all the way to the second.",
    /** @param {number} distance @param {number} hops */
    both: (distance, hops) =>
      `Two chains, one from each end: the pieces are ${count(distance, "place")} apart, and the states ` +
      `meet in the middle after ${count(hops, "step")}.`,
    /** @param {number} distance @param {any} kernels @param {number} hops */
    windows: (distance, kernels, hops) =>
      `Windows of ${kernels} places: each layer lets a state hear of more neighbours, and after ` +
      `${count(hops, "layer")} one has heard of both, ${count(distance, "place")} apart.`,
    /** @param {number} distance @param {number} seen @param {number} layers */
    windowsNever: (distance, seen, layers) =>
      `Windows: after all ${count(layers, "layer")} a state has heard of ${count(seen, "place")} side by ` +
      `side, but the words are ${distance} apart. In the encoder they never meet; only the decoder sees both.`,
    looks: () => "Attention: one look, whatever the distance.",
    tape: () => "One look back at the tape, whatever the distance. The later word looks at the earlier.",
    /** @param {number} distance @param {number} reach @param {number} hops */
    restricted: (distance, reach, hops) =>
      `Attention within ${count(reach, "place")} to each side: ${count(distance, "place")} need ` +
      `${count(hops, "look")}.`,
    crossLooks: () => "The state above the source word is looked at directly: one look.",
    /** @param {number} hops */
    crossWindow: (hops) =>
      `The word is outside the window of this step, so it comes through neighbouring states: ${count(hops, "hop")}.`,
    /** @param {number} read @param {any} carried */
    crossVector: (read, carried) =>
      `${span(count(read, "step"))} to the end of the encoder, one to hand over, ${count(carried, "step")} ` +
      "along the decoder.",
    /** @param {number} read */
    crossVectorAlways: (read) =>
      `${span(count(read, "step"))} to the end of the encoder, then the vector is there at every word.`,
    /** @param {number} levels */
    crossFold: (levels) =>
      `Windows fold the source together in ${count(levels, "layer")}; the result is there at every word.`,
    /** @param {number} levels @param {any} carried */
    crossPlaces: (levels, carried) =>
      `${span(count(levels, "layer"))} of windows fold and unfold the source into one vector for each ` +
      "place, found by counting and not by looking; " +
      `${carried ? `from there ${count(carried, "step")} along the decoder` : "the word is near enough to this one"}.`,
    never: "No state of the decoder at this word can know of the source word.",
  },
  /** @param {string} name @param {any} hops */
  pathLabel: (name, hops) => `The way between the chosen words in ${name}: ${hops}.`,

  waitingRows: { reading: "reading the source", training: "training on the target", writing: "writing the target" },
  /** @param {number} source @param {number} target */
  waitingNote: (source, target) => `n = ${source} source pieces, m = ${target} target pieces.`,
  chains: {
    /** @param {number} length @param {number} layers */
    steps: (length, layers) => (layers === 1 ? `${length}` : `${length} + ${layers} − 1`),
    /** @param {number} length @param {number} layers */
    feeds: (length, layers) => `${length} × ${layers}`,
    once: () => "all places at once",
  },

  gateNames: { update: "update", reset: "reset", input: "take in", forget: "keep", output: "show" },
  /** @param {boolean} backwards @returns {string} */
  gatesTitle: (backwards) => (backwards ? "reading from right to left" : "reading from left to right"),
  noGates: "Recurrent units without gates: every word rewrites the whole state.",
  noRecurrence: "No recurrence in the encoder, so no gates: nothing is carried from word to word.",

  gradient: "gradient",
  occlusion: "occlusion",
  /** @param {string} name */
  influenceTitle: (name) => `${name}: share of each source word`,
  influenceOf: "for the target word",
  all: "all target words (mean)",
  /** @param {any} all @param {any} gradient @param {any} occlusion @param {any} most */
  influenceEntropy: (all, gradient, occlusion, most) =>
    `Entropy${all ? " of one target word, on average" : ""}: gradient ${gradient}, occlusion ${occlusion}; ` +
    `all equal would be ${most} bits.`,
  noInfluence: "Not in this file; export it with --detail influence.",

  /** @param {number} source @param {number} target */
  pieces: (source, target) => `${count(source, "source piece")}, ${count(target, "target piece")}`,
  /** @param {number} number */
  parameters: (number) => `${count(number, "parameter")}`,
  /** @param {any} value */
  seconds: (value) => `${value} s for the trace`,

  timeline: "Papers from 2013 to 2017",
  timelineLede: "Eleven papers in five years. Choose one.",
  here: "here",
  problem: "The problem",
  idea: "The idea",
  equation: "In symbols",
  /** @param {string} name */
  against: (name) => (name ? `New against ${name}` : "What is new"),
  story: "How it came about",
  inPackage: "In this package",
  isShown: "A model of it is here, side by side with the others.",
  trainIt: "Train one: ",
  noArchitecture: "Not a model of its own: it is the wiring around every sub-layer of the Transformer.",
  noPapers: "This file lists no papers.",
  differences: "Bahdanau and Luong, point by point",
  differencesLede: "Two papers of one year gave attention its two usual forms.",
  measuredEntropy: "how spread out it looks at this sentence (mean entropy)",
  measuredBest: "largest weight of a row (mean)",

  compare: {
    title: "Change a word, and see who looks elsewhere",
    /** @param {string} name @param {boolean} others */
    model: (name, others) => `This is ${name}.${others ? " Another model can be chosen above." : ""}`,
    lede:
      "One model, two sentences. Weights are computed anew for every sentence: change a word, and words that " +
      "did not change may look elsewhere.",
    other: "The other sentence",
    show: "Compare",
    presets: "Pairs to try",
    inFile: "Other sentences in this file",
    /** @param {string} first @param {string} second */
    missingHow: (first, second) =>
      `saccade explore MODEL --sentence ${JSON.stringify(first)} --sentence ${JSON.stringify(second)} ` +
      "--export page.html",
    word: "How this word looks",
    choose: "word",
    noBlocks:
      "This model has no attention within the source. The table below compares the vectors it makes of the words.",
    kind: "In the encoder",
    /** @param {any} share */
    moved: (share) => `${share} of its attention went elsewhere.`,
    movedBy: "Which head moved most",
    /** @param {number} layer @param {number} head */
    layerHead: (layer, head) => `layer ${layer}, head ${head}`,
    /** @param {number} layer */
    meanHead: (layer) => `layer ${layer}, mean of heads`,
    translations: "Translations",
    first: "first sentence",
    second: "second sentence",
    vectors: "How much each shared word’s vector changed",
    vectorsLede:
      "Cosine between the encoder’s states of the same word in the two sentences: 1 is no change. A table " +
      "of word vectors alone would give 1 everywhere.",
    mostMoved: "went elsewhere",
    before: "first",
    after: "second",
    strongest: "looks most at",
    none: "The two sentences have no word in common.",
    empty: "Type another sentence, or choose a pair.",
  },
};
