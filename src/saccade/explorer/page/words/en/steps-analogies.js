/**
 * Four ways to tell the same steps, each bound to the numbers of the chosen query and key.
 *
 * A picture in words is kind to a beginner as long as it never says something the numbers do not. Each text is a
 * function of the facts `f` of page/steps/facts.
 */
import { full, share, two } from "page/steps/shares";

/** @import { Facts } from "page/steps/facts" */

export const ANALOGIES = {
  cafeteria: "a cafeteria",
  search: "a video search",
  dictionary: "a dictionary",
  filter: "an image filter",
  none: "no picture, please",
};

const cafeteria = {
  /** @param {Facts} f */
  tokens: (f) => `${f.pieces} guests line up, and every guest also runs a counter.`,
  /** @param {Facts} f */
  embedding: (f) =>
    `Each guest brings a card with ${f.width} marks about taste. Guests with the same name bring the same card.`,
  /** @param {Facts} f */
  position: (f) =>
    `A stamp with the place in the line goes on top: “${f.query}” is number ${f.q}. Without it, nobody ` +
    "could tell first from last.",
  /** @param {Facts} f */
  qkv: (f) =>
    `“${f.query}” writes down a wish. Every counter hangs out a sign and keeps a dish behind it. Wish, ` +
    `sign and dish have ${f.dk} numbers each.`,
  /** @param {Facts} f */
  memory: (f) =>
    `There are no counters here. One waiter hears all ${f.pieces} orders and must keep them in ` +
    `${f.memoryNumbers} numbers.`,
  /** @param {Facts} f */
  states: (f) =>
    `The guest who is served now carries a wish; ${f.keys} counters are ` +
    `open${f.oneVector ? ", and the sign on each is the dish itself" : ""}.`,
  /** @param {Facts} f */
  scores: (f) =>
    `“${f.query}” holds the wish against the sign of each of ${f.keys} counters. The sign of “${f.key}” ` +
    `fits by ${two(f.score)}.`,
  /** @param {Facts} f */
  scale: (f) =>
    `Long wish lists give big marks for everything. All marks are divided by ${two(1 / f.scale)}, so that ` +
    `no counter wins by the length of the list alone: ${two(f.score)} becomes ${two(f.scaledScore)}.`,
  /** @param {Facts} f */
  mask: (f) =>
    f.masked
      ? `Some counters are ${f.causal ? "not open yet" : "too far away"}: “${f.query}” can reach ` +
        `${f.allowed} of ${f.keys}.`
      : `All ${f.keys} counters are open to “${f.query}”.`,
  /** @param {Facts} f */
  softmax: (f) =>
    `The marks decide how the plate is shared: ${share(f.bestWeight)} for “${f.best}”, ` +
    `${share(f.otherWeight)} for ` +
    `“${f.other}”` +
    full(f, ", and so on until the plate is exactly full", `, and so on; the plate is filled to ${share(f.rowSum)}`) +
    ".",
  /** @param {Facts} f */
  values: (f) =>
    `Now the dishes land on the plate in these shares. It is one mixed meal, ${share(f.bestWeight)} of it ` +
    `from “${f.best}”.`,
  /** @param {Facts} f */
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} waiters made the round with different wishes. Their plates are put on one tray and arranged by W_O.`
      : "One waiter went; W_O arranges the plate.",
  norm: () => "The new meal is put beside what the guest already had, and the portion is brought to a usual size.",
  /** @param {Facts} f */
  ffn: (f) => `Each guest digests alone. Of ${f.inner} small reactions, ${f.active} happen in “${f.query}”.`,
  /** @param {Facts} f */
  output: (f) => `Well fed, the guest says the next piece: “${f.candidate}”, with ${share(f.probability)} certainty.`,
};

const search = {
  /** @param {Facts} f */
  tokens: (f) => `A library of ${f.pieces} clips, one for each piece of the sentence.`,
  /** @param {Facts} f */
  embedding: (f) => `Each clip is described by ${f.width} numbers; equal pieces get the equal description.`,
  /** @param {Facts} f */
  position: (f) => `The time stamp is added: “${f.query}” is clip ${f.q}.`,
  /** @param {Facts} f */
  qkv: (f) =>
    `“${f.query}” types a search line. Every clip has a title to be found by and a content to be watched: ` +
    `three vectors of ${f.dk} numbers.`,
  /** @param {Facts} f */
  memory: (f) =>
    `No search here: somebody watched all ${f.pieces} clips and wrote one note of ${f.memoryNumbers} numbers.`,
  /** @param {Facts} f */
  states: (f) =>
    `The decoder types a search line; ${f.keys} clips can be ` +
    `found${f.oneVector ? ", each by its own content, for it has no separate title" : ""}.`,
  /** @param {Facts} f */
  scores: (f) => `The search line is matched with all ${f.keys} titles. “${f.key}” gets ${two(f.score)} points.`,
  /** @param {Facts} f */
  scale: (f) =>
    `Titles are ${f.dk} numbers long, and long titles collect points by sheer length. Dividing by ` +
    `${two(1 / f.scale)} makes it ${two(f.scaledScore)}.`,
  /** @param {Facts} f */
  mask: (f) =>
    f.masked
      ? `Clips that are ${f.causal ? "not filmed yet" : "too far away"} cannot be found: ${f.allowed} of ` +
        `${f.keys} are in the list for “${f.query}”.`
      : `All ${f.keys} clips are in the list.`,
  /** @param {Facts} f */
  softmax: (f) =>
    `Points become viewing time. “${f.best}” gets ${share(f.bestWeight)} of the hour, “${f.other}” ` +
    `${share(f.otherWeight)}.`,
  /** @param {Facts} f */
  values: (f) =>
    `You watch all of them at once, faded over each other; “${f.best}” with ${share(f.bestWeight)} of the light.`,
  /** @param {Facts} f */
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} people searched with other search lines. Their notes are laid side by side and summed up by W_O.`
      : "One person searched; W_O sums up the notes.",
  norm: () => "The summary is added to what you knew before, and the volume is set to normal.",
  /** @param {Facts} f */
  ffn: (f) => `Now you think about it by yourself: ${f.active} of ${f.inner} thoughts come up.`,
  /** @param {Facts} f */
  output: (f) => `And you say what comes next: “${f.candidate}” (${share(f.probability)}).`,
};

const dictionary = {
  /** @param {Facts} f */
  tokens: (f) => `A dictionary with ${f.pieces} entries is made for this one sentence.`,
  /** @param {Facts} f */
  embedding: (f) => `Every entry starts as ${f.width} numbers, taken from a big table the model learned.`,
  /** @param {Facts} f */
  position: (f) => `The page number is worked into the entry: “${f.query}” is on page ${f.q}.`,
  /** @param {Facts} f */
  qkv: (f) =>
    `“${f.query}” is what we look up. Each entry has a headword (its key) and a definition (its value). A ` +
    "usual dictionary wants the exact headword; this one takes any that come near.",
  /** @param {Facts} f */
  memory: (f) =>
    `No dictionary here: ${f.pieces} entries are boiled down to ${f.memoryNumbers} numbers, and the book is closed.`,
  /** @param {Facts} f */
  states: (f) =>
    `The decoder's state is looked up in ${f.keys} ` +
    `entries${f.oneVector ? ", whose headword and definition are one vector" : ""}.`,
  /** @param {Facts} f */
  scores: (f) =>
    `How near is the headword “${f.key}” to what “${f.query}” looks up? ${two(f.score)}. All ${f.keys} ` +
    "headwords are asked.",
  /** @param {Facts} f */
  scale: (f) =>
    `Nearness is counted over ${f.dk} letters; dividing by ${two(1 / f.scale)} keeps ${two(f.score)} at a ` +
    `sensible ${two(f.scaledScore)}.`,
  /** @param {Facts} f */
  mask: (f) =>
    f.masked
      ? `Pages ${f.causal ? "not written yet" : "too far away"} are glued together: ${f.allowed} of ` +
        `${f.keys} can be opened.`
      : `All ${f.keys} pages can be opened.`,
  /** @param {Facts} f */
  softmax: (f) =>
    `Instead of one hit you get shares of all entries: “${f.best}” ${share(f.bestWeight)}, “${f.other}” ` +
    `${share(f.otherWeight)}.`,
  /** @param {Facts} f */
  values: (f) => `The answer is a blend of definitions, ${share(f.bestWeight)} of it the one under “${f.best}”.`,
  /** @param {Facts} f */
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} dictionaries of different kinds were opened at once. W_O writes one answer out of ${f.heads}.`
      : "One dictionary was opened; W_O writes the answer.",
  norm: () => "The answer is pencilled beside the old entry, and the handwriting is brought to one size.",
  /** @param {Facts} f */
  ffn: (f) => `The entry is edited on its own: ${f.active} of ${f.inner} editing rules apply.`,
  /** @param {Facts} f */
  output: (f) => `The finished entry names the next piece: “${f.candidate}” (${share(f.probability)}).`,
};

const filter = {
  /** @param {Facts} f */
  tokens: (f) => `The sentence is a strip of ${f.pieces} pixels, one for each piece.`,
  /** @param {Facts} f */
  embedding: (f) => `Each pixel has not three colours but ${f.width}.`,
  /** @param {Facts} f */
  position: (f) => `A fine grid is printed over it, so that pixel ${f.q}, “${f.query}”, differs from any other place.`,
  /** @param {Facts} _f */
  qkv: (_f) =>
    "The picture makes its own filter: queries and keys decide where light passes, values are the picture " +
    "that is filtered.",
  /** @param {Facts} f */
  memory: (f) => `No filter here: the strip of ${f.pieces} pixels is shrunk to one of ${f.memoryNumbers} colours.`,
  /** @param {Facts} f */
  states: (f) =>
    `The decoder's state makes a filter over ${f.keys} ` +
    `pixels${f.oneVector ? " and looks through it at the very same pixels" : ""}.`,
  /** @param {Facts} f */
  scores: (f) =>
    `This is the raw filter: one row for each query. At row “${f.query}”, column “${f.key}” it has ${two(f.score)}.`,
  /** @param {Facts} f */
  scale: (f) =>
    `The contrast is turned down by ${two(1 / f.scale)}, or only one pixel would stay visible: ` +
    `${two(f.score)} becomes ${two(f.scaledScore)}.`,
  /** @param {Facts} f */
  mask: (f) =>
    f.masked
      ? `Black tape covers ${f.keys - f.allowed} of ${f.keys} pixels in this row.`
      : "No tape: the whole row is open.",
  /** @param {Facts} f */
  softmax: (f) =>
    "The row becomes glass that passes " +
    `${full(f, "all the light exactly once", `${share(f.rowSum)} of the light`)}: ${share(f.bestWeight)} ` +
    `at “${f.best}”, ${share(f.otherWeight)} at “${f.other}”.`,
  /** @param {Facts} f */
  values: (f) =>
    `Through the filter, “${f.query}” sees one blurred pixel, mostly “${f.best}” (${share(f.bestWeight)}).`,
  /** @param {Facts} f */
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} filters at once, like ${f.heads} channels of an image; W_O mixes the channels.`
      : "One filter, one channel; W_O mixes its colours.",
  norm: () => "The filtered picture is laid over the original, and brightness and contrast are set to normal.",
  /** @param {Facts} f */
  ffn: (f) => `Every pixel is retouched alone: ${f.active} of ${f.inner} brushes touch “${f.query}”.`,
  /** @param {Facts} f */
  output: (f) => `The finished picture reads “${f.candidate}” (${share(f.probability)}).`,
};

export const TOLD = { cafeteria, search, dictionary, filter };
