/**
 * Constituency trees, from bracketed text to the symbols that a model writes, and back: data/trees.py.
 *
 *   (TOP (S (NP (DT The) (NN cell)) (VP (VBZ divides)) (. .)))      bracketed text
 *   (S (NP DT NN )NP (VP VBZ )VP . )S                               its linearisation (Vinyals et al. 2015)
 *
 * A leaf is written as the tag of its word, as a placeholder, or as the word itself.
 */

import { normalise } from "page/engine/data/tokenizer";

/** @typedef {"tags" | "placeholder" | "words"} Leaves */
/** Its linearisation with tags as leaves, and its words. @typedef {{ symbols: string[], words: string[] }} Tree */

const PLACEHOLDER = "XX";
const OUTERMOST = ["", "TOP", "ROOT"];
/** The tag and the word of a leaf, the label of another bracket that opens, one that closes, a stray word. */
const PARTS = /\( ?([^ ()]+) ([^ ()]+) ?\)|\( ?([^ ()]*)|(\))|([^ ()]+)/g;

/** @param {string} symbol */
export const opens = (symbol) => symbol.startsWith("(");
/** @param {string} symbol */
export const closes = (symbol) => symbol.startsWith(")");
/** @param {string} symbol */
const isBracket = (symbol) => opens(symbol) || closes(symbol);

/** The brackets in words as treebanks write them. @param {string} text */
export const escapeBrackets = (text) => text.replaceAll("(", "-LRB-").replaceAll(")", "-RRB-");

/** Whether symbols are a linearisation over so many words. @param {string[]} symbols @param {number} words */
export function isTree(symbols, words) {
  /** @type {string[]} */
  const labels = [];
  let [leaves, before] = [0, ""];
  for (const symbol of symbols) {
    if (opens(symbol)) labels.push(symbol.slice(1));
    else if (!closes(symbol)) leaves++;
    else if (opens(before) || labels.pop() !== symbol.slice(1)) return false;
    before = symbol;
  }
  return !labels.length && leaves === words && leaves > 0;
}

/** The symbols over these words as bracketed text; the symbols themselves where they are no tree. @param {string[]} written @param {string[]} words @param {Leaves} leaves */
export function outputText(written, words, leaves) {
  // A leaf that is no tag says nothing about the tag of its word.
  const symbols = leaves === "tags" ? written : written.map((symbol) => (isBracket(symbol) ? symbol : PLACEHOLDER));
  if (!isTree(symbols, words.length)) return symbols.join(" ");
  let place = 0;
  const parts = symbols.map((symbol) => {
    if (opens(symbol)) return ` ${symbol}`;
    return closes(symbol) ? ")" : ` (${symbol} ${words[place++]})`;
  });
  return `(TOP${parts.join("")})`;
}

/** The tree of a bracketed text, whose outermost label may be missing; null where it is none. @param {string} text @returns {Tree | null} */
export function readTree(text) {
  /** @type {Tree} */
  const { symbols, words } = { symbols: [], words: [] };
  /** Null is the outermost bracket that is left out. @type {(string | null)[]} */
  const labels = [];
  for (const [place, [, tag, word, label, close, stray]] of [...normalise(text).matchAll(PARTS)].entries()) {
    if (stray || (place && !labels.length) || tag === "-NONE-") return null;
    if (tag) {
      symbols.push(tag);
      words.push(word);
    } else if (close) {
      if (!symbols.length || opens(symbols[symbols.length - 1])) return null;
      const closed = labels.pop() ?? null;
      if (closed !== null) symbols.push(`)${closed}`);
    } else if (!place && OUTERMOST.includes(label)) labels.push(null);
    else if (!label) return null;
    else {
      symbols.push(`(${label}`);
      labels.push(label);
    }
  }
  return labels.length || !words.length ? null : { symbols, words };
}

/** The symbols of a tree with leaves of this kind. @param {Tree} tree @param {Leaves} leaves */
export function linearised({ symbols, words }, leaves) {
  if (leaves === "tags") return symbols;
  let place = 0;
  return symbols.map((symbol) => {
    if (isBracket(symbol)) return symbol;
    return leaves === "words" ? words[place++] : PLACEHOLDER;
  });
}
