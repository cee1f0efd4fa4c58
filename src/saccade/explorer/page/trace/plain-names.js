/** Tokens as a reader of words calls them: no mark where a word begins, and a name in brackets for what is no word. */
import { words } from "page/app/words";

/** @import { AxisEntry, Label, State } from "page/types" */

/** The mark with which sentencepiece begins a word. */
const BEGINNING = "\u2581";

/**
 * @param {string} piece
 * @param {string | null} [special]  which special token it is, if it is one
 */
export function plainName(piece, special = null) {
  if (special) return words.marks[/** @type {keyof typeof words.marks} */ (special)] ?? piece;
  return piece.replaceAll(BEGINNING, "") || piece;
}

/** How the vocabularies of the package write special tokens. @type {Record<string, string | undefined>} */
const WRITTEN = { "<s>": "bos", "</s>": "eos", "<unk>": "unk", "<pad>": "pad" };

/** Whether an entry of the vocabulary stands for no text. @param {string} piece */
export const isSpecial = (piece) => Object.hasOwn(WRITTEN, piece);

/** The same for an entry of the vocabulary, which says nothing else of itself. @param {string} piece */
export const plainPiece = (piece) => plainName(piece, WRITTEN[piece]);

/**
 * Whether a reader of words does without an entry: beginning, end and padding are no words of a sentence.
 * @param {AxisEntry | Label} entry
 * @param {State["depth"]} depth
 */
export const isLeftOut = ({ special }, depth) =>
  depth === "words" && (special === "bos" || special === "eos" || special === "pad");

/**
 * The entries of an axis as the depth wants them named.
 * @template {AxisEntry | Label} Entry
 * @param {Entry[]} entries
 * @param {State["depth"]} depth
 * @returns {Entry[]}
 */
export function namedFor(entries, depth) {
  if (depth !== "words") return entries;
  return entries.map((one) => ({
    ...one,
    label: plainName(one.label, one.special),
    full: plainName(one.full, one.special),
  }));
}
