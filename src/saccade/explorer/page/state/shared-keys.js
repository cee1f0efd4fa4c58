/** The keys of the state that more than one view reads: which trace is shown, and which part of it. */
import { among, flag, numberOrNull, positiveOrNull, share, text, wholeOr, wholeOrNull } from "page/state/key-types";

export const keys = {
  // which trace
  sentence: text("s"),
  model: text("m"),
  force: text("force"), // a translation the model must read instead of its own
  prefix: text("prefix"), // how the translation must begin
  size: positiveOrNull("beam"), // hypotheses kept alive; null: the model's own
  penalty: numberOrNull("penalty"), // exponent of the length penalty searched with; null: the model's own
  whatif: text("w"), // a change of the model, as "no-scale" or "head-off:enc.0.self:3"

  // which block, head and cell of it
  kind: among("kind", ["enc", "dec", "cross"], "cross"),
  layer: wholeOrNull("l", { cursor: true }), // from 0; null: the one that aligns words, else the last
  head: wholeOr("h", "mean", { cursor: true }), // from 0
  q: wholeOrNull("q", { cursor: true }), // row and column of the chosen cell, in the units shown
  k: wholeOrNull("k", { cursor: true }),
  step: wholeOrNull("step", { cursor: true }), // round of the decoder; null: all of them
  average: flag("avg"), // over the layers as well
  opinion: among("o", ["attention", "gradient", "occlusion"], "attention"), // which measure of influence is shown

  // how it is shown
  unit: among("u", ["word", "piece"], "word"),
  transfer: among("t", ["sqrt", "linear", "rowmax"], "sqrt"),
  palette: among("pal", ["ink", "dusk", "grey"], "ink"),
  hide: flag("hide"), // special tokens
  share: flag("share"), // what is left after hiding is made to sum to one again
  mass: share("mass", 1), // only the heaviest cells of a row that together hold this share of it
  shift: flag("shift", { start: true }), // a row named by what it predicts: true; by what it reads: false
  table: flag("table"),
  depth: among("d", ["words", "numbers", "tensors"], "words"),
  language: among("lang", ["auto", "en", "de", "es"], "auto"), // "auto": the browser's, where the page has it
  present: flag("present"), // large type and the keys of a presenter
  framed: flag("frame"), // a view alone, as a figure in a text: no list of views, no tools, no inspector
  veiled: flag("veil"), // numbers hidden until somebody asks for them
  theme: among("theme", ["system", "light", "dark"], "system", { cursor: true }),
};
