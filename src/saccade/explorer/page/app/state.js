/**
 * The one state of the page: everything a person has chosen, and so everything a link holds.
 *
 *   #/heat?s=The%20cat%20sat&m=base&kind=cross&l=5&h=3&q=2&k=4
 *
 * A state is flat and its values are plain. A value that equals its default is left out of the link. A key nobody knows
 * is ignored; a value that cannot be read is replaced by the default, and said in a note.
 *
 * To add a key: one line at the end of KEYS.
 */

/**
 * @typedef {object} Key
 * @property {string} key  its name in the link
 * @property {any} start  the default
 * @property {(text: string) => any} parse  undefined where the text cannot be read
 * @property {(value: any) => string} [format]
 * @property {boolean} [place]  true: a change is a move of the cursor, for which the browser's history gets no new
 *   entry
 */

export const VIEWS = ["translate", "steps", "heads", "heat", "beam", "ancestors", "cost", "position", "model", "quiz"];

const WHOLE = /^\d{1,6}$/;
const whole = (text) => (WHOLE.test(text) ? Number(text) : undefined);
const number = (text) => (/^-?\d+(\.\d+)?(e-?\d+)?$/.test(text) ? Number(text) : undefined);
const positive = (text) => (WHOLE.test(text) && Number(text) > 0 ? Number(text) : undefined);
const text = (given) => given;
const yes = { parse: (given) => ({ 1: true, 0: false })[given], format: (value) => (value ? "1" : "0") };
const among =
  (...names) =>
  (given) =>
    names.includes(given) ? given : undefined;
const orNothing = (parse) => ({
  parse: (given) => (given === "none" ? null : parse(given)),
  format: (value) => (value === null ? "none" : String(value)),
});

/** @type {Record<string, Key>} */
export const KEYS = {
  sentence: { key: "s", start: "", parse: text },
  model: { key: "m", start: "", parse: text },
  force: { key: "force", start: "", parse: text }, // a translation the model must read instead of its own
  prefix: { key: "prefix", start: "", parse: text }, // how the translation must begin
  size: { key: "beam", start: null, ...orNothing(positive) }, // hypotheses kept alive; null: the model's own
  penalty: { key: "penalty", start: null, ...orNothing(number) }, // exponent of the length penalty searched with
  whatif: { key: "w", start: "", parse: text }, // a supposition, as "scale:off" or "head:enc.0.self:3"
  kind: { key: "kind", start: "cross", parse: among("enc", "dec", "cross") },
  layer: { key: "l", start: null, ...orNothing(whole), place: true }, // from 0; null: the last
  head: { key: "h", start: "mean", parse: (given) => (given === "mean" ? given : whole(given)), place: true }, // from 0
  q: { key: "q", start: null, ...orNothing(whole), place: true }, // row and column of the chosen cell, in the units shown
  k: { key: "k", start: null, ...orNothing(whole), place: true },
  step: { key: "step", start: null, ...orNothing(whole), place: true }, // round of the decoder; null: all of them
  unit: { key: "u", start: "word", parse: among("word", "piece") },
  transfer: { key: "t", start: "sqrt", parse: among("sqrt", "linear", "rowmax") },
  palette: { key: "pal", start: "ink", parse: among("ink", "dusk", "grey") },
  hide: { key: "hide", start: false, ...yes }, // special tokens
  share: { key: "share", start: false, ...yes }, // what is left after hiding is made to sum to one again
  mass: {
    key: "mass",
    start: 1,
    parse: (given) => {
      const value = number(given);
      return value > 0 && value <= 1 ? value : undefined;
    },
  },
  shift: { key: "shift", start: false, ...yes }, // a row named by what it predicts: true; by what it reads: false
  links: { key: "links", start: false, ...yes }, // arrows of one row instead of the matrix
  opinion: { key: "o", start: "attention", parse: among("attention", "gradient", "occlusion") }, // what Heat shows
  tune: { key: "tune", start: false, ...yes, place: true }, // filters and colours are unfolded
  average: { key: "avg", start: false, ...yes }, // over the layers as well
  table: { key: "table", start: false, ...yes },
  depth: { key: "d", start: "numbers", parse: among("words", "numbers", "tensors") },
  analogy: { key: "a", start: "cafeteria", parse: among("cafeteria", "search", "dictionary", "filter", "none") },
  at: { key: "at", start: 0, parse: whole, place: true }, // the step of Steps, from 0
  hyp: { key: "hyp", start: null, ...orNothing(whole), place: true }, // a hypothesis or node of Beam
  alpha: { key: "alpha", start: null, ...orNothing(number), place: true }, // what Beam ranks with; null: as searched
  cmp: { key: "cmp", start: "", parse: text }, // another sentence to compare with
  dimension: { key: "dim", start: 0, parse: whole, place: true }, // which number of a vector Steps spells out
  suppose: { key: "suppose", start: "", parse: text }, // a what-if of Steps, shown beside the original: "no-scale"
  claim: { key: "claim", start: "", parse: text, place: true }, // the checked claim that is open in Steps
  badge: { key: "badge", start: "entropy", parse: among("entropy", "distance", "special", "diagonal", "agreement") }, // the number shown for each head
  against: { key: "against", start: "own", parse: among("own", "occlusion", "gradient") }, // what heads must agree with
  order: { key: "order", start: "grid", parse: among("grid", "high", "low") }, // of heads: by layer, or by the number
  limit: { key: "limit", start: null, ...orNothing(number) }, // heads below it (lowest first: above it) are left out
  one: { key: "one", start: false, ...yes }, // one word through all heads
  opens: { key: "opens", start: "heat", parse: among("heat", "steps") }, // where a head opens
  pruned: { key: "pruned", start: "few", parse: among("none", "few", "all") }, // nodes of Beam that were not kept
  theme: { key: "theme", start: "system", parse: among("system", "light", "dark"), place: true },
  part: { key: "part", start: "models", parse: among("models", "papers", "words") }, // Ancestors: which of its parts is shown
  forced: { key: "forced", start: false, ...yes }, // Ancestors: all models read the first one's translation
  path: { key: "path", start: "inside", parse: among("inside", "across") }, // Ancestors: which way is drawn
  wa: { key: "wa", start: null, ...orNothing(whole), place: true }, // Ancestors: two words of the source, one of the target
  wb: { key: "wb", start: null, ...orNothing(whole), place: true },
  wt: { key: "wt", start: null, ...orNothing(whole), place: true },
  card: { key: "card", start: "", parse: text, place: true }, // Ancestors: the paper whose card is open
  cw: { key: "cw", start: null, ...orNothing(whole), place: true }, // the word compared in two sentences; null: the one that moved most
  n: { key: "n", start: null, ...orNothing(positive), place: true }, // Cost: tokens, null: the sentence's
  width: { key: "dm", start: null, ...orNothing(positive), place: true }, // Cost: numbers a token, null: the model's
  kernel: { key: "kw", start: null, ...orNothing(positive), place: true }, // Cost: positions a convolution sees
  reach: { key: "r", start: null, ...orNothing(positive), place: true }, // Cost: positions a restricted attention sees
  dim: { key: "wave", start: null, ...orNothing(whole), place: true }, // Position: the wave shown, from 0
  pos: { key: "pos", start: null, ...orNothing(whole), place: true }, // Position: the position shown, from 0
  swap: { key: "swap", start: null, ...orNothing(whole), place: true }, // Model: the token that is replaced, from 0
  question: { key: "qn", start: 0, parse: whole, place: true }, // Quiz: the question shown, from 0
  answers: { key: "ans", start: "", parse: (given) => (/^[a-d-]{0,32}$/.test(given) ? given : undefined), place: true }, // Quiz: a letter each
};

/** @returns {Record<string, any>} the state before anybody chose anything */
export function defaults() {
  const state = { view: VIEWS[0] };
  for (const [name, { start }] of Object.entries(KEYS)) state[name] = start;
  return state;
}

/** The link to a state. @param {Record<string, any>} state */
export function format(state) {
  const parts = [];
  for (const [name, { key, start, format: write = String }] of Object.entries(KEYS))
    if (state[name] !== start) parts.push(`${key}=${encodeURIComponent(write(state[name]))}`);
  return `#/${state.view}${parts.length ? `?${parts.join("&")}` : ""}`;
}

/**
 * The state a link names, and a note for every part of it that could not be read.
 * @param {string} hash
 * @returns {{state: Record<string, any>, notes: string[]}}
 */
export function parse(hash) {
  const state = defaults();
  const notes = [];
  const [path, query = ""] = cut(hash.replace(/^#?\/?/, ""), "?");
  if (VIEWS.includes(path)) state.view = path;
  else if (path) notes.push(`There is no view “${path}”; this is ${state.view}.`);
  const names = new Map(Object.entries(KEYS).map(([name, { key }]) => [key, name]));
  for (const part of query.split("&")) {
    const [key, written = ""] = cut(part, "=");
    const name = names.get(key);
    if (name === undefined) continue;
    const value = decoded(written);
    const read = value === undefined ? undefined : KEYS[name].parse(value);
    if (read === undefined)
      notes.push(`“${key}=${written}” in the link cannot be read; ${name} is ${shown(KEYS[name].start)} instead.`);
    else state[name] = read;
  }
  return { state, notes };
}

/** Whether going from one state to the other deserves an entry in the browser's history. */
export function isMove(before, after) {
  return (
    before.view === after.view &&
    Object.entries(KEYS).every(([name, { place }]) => place || before[name] === after[name])
  );
}

function cut(given, mark) {
  const at = given.indexOf(mark);
  return at < 0 ? [given] : [given.slice(0, at), given.slice(at + 1)];
}

function decoded(written) {
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined; // half a character
  }
}

const shown = (value) => (value === null ? "not chosen" : value === "" ? "empty" : `“${value}”`);
