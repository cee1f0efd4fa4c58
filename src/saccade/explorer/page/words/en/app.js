/** What the frame says, and what more than one view says. A translation of the page is a translation of this folder. */

/** @import { Head, Kind, Trace } from "page/types" */

export const KIND_NAMES = { enc: "encoder self-attention", dec: "decoder self-attention", cross: "cross-attention" };

export const words = {
  brand: "saccade",
  language: "Language",
  theme: "Theme",
  skip: "Skip to the picture",
  viewNames: {
    home: "Home",
    translate: "Translate",
    steps: "Steps",
    heads: "Heads",
    heat: "Heat",
    beam: "Beam",
    ancestors: "Ancestors",
    cost: "Cost",
    position: "Position",
    model: "Model",
    train: "Train",
    quiz: "Quiz",
  },
  /** @param {string} view */
  pageTitle: (view) => `${view} · saccade explorer`,
  /** @param {string} message */
  notDrawn: (message) => `This could not be drawn: ${message}.`,
  /** @param {string} message */
  viewNotDrawn: (message) => `This view could not be drawn: ${message}.`,
  /** @param {string} address */
  copyFrom: (address) => `Copy it from here: ${address}`,
  /** @param {string} schema */
  otherSchema: (schema) =>
    `This file is of the kind “${schema}”, which this page cannot read. Write it again with the saccade it is opened with.`,
  /** @param {string} name @param {string} other */
  noModel: (name, other) => `There is no model “${name}” here; this is “${other}”.`,
  /** @param {string} name @param {string} other */
  noView: (name, other) => `There is no view “${name}”; this is ${other}.`,
  /** @param {string} part @param {string} name @param {string} value */
  unreadable: (part, name, value) => `“${part}” in the link cannot be read; ${name} is ${value} instead.`,
  notChosen: "not chosen",
  emptyText: "empty",
  problems: {
    cancelled: "Cancelled.",
    modelStopped: "The model inside this page has stopped.",
    reload: "Reload the page.",
    silent: "The server does not answer.",
    stopped: "It may have been stopped.",
    start: "Start it again: saccade explore MODEL",
    /** @param {number} status */
    answered: (status) => `The server answered ${status}.`,
    unreadable: "This page cannot read what the server sent.",
    /** @param {string} schema */
    schema: (schema) => `Its schema is “${schema}”.`,
  },
  present: "Present",
  presentWhy: "Large type, hidden numbers, and the keys of a clicker: PageDown and PageUp, or arrows (p)",
  presentEnd: "End presentation",
  unveil: "Show the numbers",
  veil: "Hide the numbers",
  sentence: "Sentence",
  placeholder: "Type a sentence and press Enter",
  translate: "Translate",
  model: "Model",
  views: "Views",
  help: "Help",
  share: "Copy link",
  shared: "The link is copied.",
  export: "Export",
  settings: "Decoding",
  settingsWhy: "How the translation is searched for: beam size and length penalty",
  menu: "Menu",
  depth: "How much to show",
  depths: { words: "words", numbers: "numbers", tensors: "tensors" },
  themes: { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" },
  kinds: { enc: "Encoder", dec: "Decoder", cross: "Cross" },
  kindTitles: {
    enc: "Words of the source look at each other",
    dec: "Words written so far look at each other",
    cross: "Words being written look at the source",
  },
  /** What a reader of words sees in the place of a special token. */
  marks: { bos: "(start)", eos: "(end)", unk: "(unknown)", pad: "(nothing)" },
  transfers: { sqrt: "square root", linear: "linear", rowmax: "share of the row's largest" },
  palettes: { ink: "ink", dusk: "dusk to dawn", grey: "grey" },
  mean: "mean",
  layer: "Layer",
  head: "Head",
  /** @param {Trace} given */
  noAttention: ({ model, memory }) =>
    `${model.name} has no attention: no row of weights says where it ` +
    `looks.${memory?.kind === "vector" ? " All its decoder gets from the source is one vector." : ""} What ` +
    "each word contributes can still be measured: choose another picture in Heat, or see Ancestors.",
  noCross:
    "This model reads no second text while it writes, so there are no words to draw lines between. Heat " +
    "shows how its own words look at each other.",
  noSource: "A language model: it reads what stands before, and goes on.",
  /** @param {Kind} kind */
  noKind: (kind) => `This model has no ${KIND_NAMES[kind]}.`,
  /** @param {Kind} kind @param {string} layer @param {Head} head @param {number} heads */
  title: (kind, layer, head, heads) =>
    `${capital(KIND_NAMES[kind])}, ` +
    `${layer}${heads === 1 ? "" : head === "mean" ? `, mean of ${heads} heads` : `, head ${head + 1}`}`,
  caution:
    "A weight says where a head looked, not why a word was written: values, other heads and the layers " +
    "around it decide too. What mattered is measured without attention under “what mattered” in Translate and " +
    "“influence by leaving out” in Heat.",
  /** @param {string} share @param {string} name */
  sink: (share, name) =>
    `${share} of this picture's attention rests on ${name}. Heads that need nothing often park their weight there.`,
  shiftWhy:
    "A row is made from the word just read and decides the word to write next. Named by what it writes, an " +
    "alignment lies where one looks for it.",
  picture: "Picture",
  looked: "where the model looked",
  mattered: "what mattered",
  lookedTitle: "Where the model looked while it wrote each word",
  matteredTitle: "Which words mattered for each word",
  matteredWhy:
    "Each source word was replaced by the unknown token. A line is the share of a written word's lost log-probability " +
    "that is due to it; words without which it became more probable have none.",
  /** @param {string} agreement */
  bestHeadWhy: (agreement) =>
    "Of all single heads its rows agree most with what happens when source words are taken away " +
    `(correlation ${agreement}).`,
  opinions: {
    attention: "attention weights",
    gradient: "influence by gradient",
    occlusion: "influence by leaving out",
  },
  opinionWhy: {
    attention: "",
    gradient:
      "How strongly the log-probability of a written word changes with the embedding of a source word: the " +
      "length of its gradient, each row divided by its sum.",
    occlusion:
      "How much log-probability a written word loses when a source word is replaced by the unknown token. " +
      "Negative: the word became more probable.",
  },
  /** @param {string} what @param {string} command */
  missing: (what, command) => `This file does not hold ${what}. ${command}`,
  /** @param {string} model @param {string} sentence */
  missingCommand: (model, sentence) =>
    `Get it with: saccade explore ${model} --sentence ${JSON.stringify(sentence)} --detail all --export page.html`,
  leavingOut: "Every word is left out in turn",
  waiting: "The sentence is on its way through the model …",
  /** @param {number} written */
  progress: (written) =>
    written ? `The model writes: ${written} ${written === 1 ? "token" : "tokens"} so far …` : "The model reads …",
  cancel: "Cancel",
  retry: "Try again",
  empty: "Type a sentence above, or try one of these.",
  /** @param {string} language */
  notEnglish: (language) =>
    `These are English, and this model was trained to read “${language}”: a sentence of your own will show more.`,
  notHere: "This file holds other sentences; without a server it cannot make new ones.",
  holds: "It holds:",
  alsoHere: "Also in this file",
  /** @param {number} count */
  long: (count) => `${count} tokens: pictures get small. Above 256 nothing is drawn.`,
  /** @param {string[]} characters */
  unknown: (characters) =>
    `The vocabulary has no piece for ${characters.map((one) => `“${one}”`).join(", ")}. Such characters are ` +
    "spelled in bytes where the model can do so, and lost otherwise.",
  lossy: "Numbers in this file were rounded to half precision: the third decimal may differ.",
  /** @param {string} name */
  whatIf: (name) => `This is a supposition (${name}), not the model as it was trained.`,
  unfinished: "The search ended at its longest length, before the model wrote an end.",
  source: "Source",
  target: "Translation",
  /** @param {number | null} t @param {number} total */
  round: (t, total) => (t === null ? `all ${total}` : `${t + 1} of ${total}`),
  rounds: "Decoding step",
  play: "Play",
  pause: "Pause",
};

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
