/**
 * The tokens and words along the axes of a trace: tracing/axes.py.
 *
 * A model sees pieces, a reader words. Every token names its word; a special token is a word of its own. `span` is
 * where a piece stands in the text, in characters (code points).
 */

import { BOS, EOS, PAD, SPACE, UNK } from "page/engine/data/tokenizer";

/** @import { Tokenizer } from "page/engine/data/tokenizer" */
/** @import { Axis, Word } from "page/trace/schema" */
/** @typedef {Word["special"]} Special */

/** @type {Record<number, Special>} */
const NAMES = { [PAD]: "pad", [EOS]: "eos", [UNK]: "unk", [BOS]: "bos" };

/**
 * Tokens and words; with the text they were cut from, also the span of each token.
 * @param {Tokenizer} tokenizer
 * @param {number[]} tokens
 * @param {string | null} [text]
 * @returns {Axis}
 */
export function axis(tokenizer, tokens, text = null) {
  const words = wordsOf(tokenizer, tokens);
  const spans = text === null ? tokens.map(() => null) : spansOf(tokenizer, tokens, [...text]);
  const listed = tokens.map((token, place) => {
    const piece = tokenizer.piece(token);
    const span = spans[place];
    return {
      i: place,
      id: token,
      piece,
      text: piece.replaceAll(SPACE, ""),
      word: words.findIndex((word) => word.pieces.includes(place)),
      special: NAMES[token] ?? null,
      ...(span ? { span } : {}),
    };
  });
  return { tokens: listed, words };
}

/** The characters of a text that the vocabulary lacks, in order, each once. @param {Tokenizer} tokenizer @param {string} text */
export function unknownCharacters(tokenizer, text) {
  /** @param {string} part */
  const isUnknown = (part) => tokenizer.encode(part).some((token) => token === UNK || tokenizer.isByte(token));
  // A known word may be made of letters that are no pieces themselves, so only unknown words are searched.
  const unknown = text.split(" ").filter(isUnknown);
  return [...new Set(unknown.join(""))].filter(isUnknown);
}

/** @param {Tokenizer} tokenizer @param {number[]} tokens @returns {Word[]} */
function wordsOf(tokenizer, tokens) {
  let units = tokenizer.words(tokens);
  if (tokenizer.model.kind === "character" && units.length === 1) units = lettersOf(tokenizer, tokens);
  /** @type {Word[]} */
  const spelled = units.map((pieces) => ({
    text: tokenizer.decode(pieces.map((place) => tokens[place])) || SPACE,
    pieces,
    special: null,
  }));
  const inside = new Set(units.flat()); // UNK is a word where words are a closed list
  const special = [...tokens.keys()]
    .filter((place) => tokens[place] in NAMES && !inside.has(place))
    .map((place) => ({ text: tokenizer.piece(tokens[place]), pieces: [place], special: NAMES[tokens[place]] }));
  return [...spelled, ...special].sort((one, other) => one.pieces[0] - other.pieces[0]);
}

/** The positions of each character; one spelled in bytes has several. @param {Tokenizer} tokenizer @param {number[]} tokens */
function lettersOf(tokenizer, tokens) {
  /** @type {number[][]} */
  const letters = [];
  tokens.forEach((token, place) => {
    if (token in NAMES) return;
    const byte = tokenizer.model.byteValues.get(token) ?? 0;
    const last = letters.at(-1);
    if (byte >= 0x80 && byte < 0xc0 && last?.at(-1) === place - 1) last.push(place);
    else letters.push([place]);
  });
  return letters;
}

/**
 * Walks along the text piece by piece; the space before a word is not part of its span, and the bytes of a character
 * share its own.
 * @param {Tokenizer} tokenizer
 * @param {number[]} tokens
 * @param {string[]} text  by characters
 * @returns {(number[] | null)[]}
 */
function spansOf(tokenizer, tokens, text) {
  let [place, spelled] = [0, 0]; // the character reached, and how many of its bytes were spelled already
  return tokens.map((token) => {
    if (token in NAMES) return null;
    const piece = tokenizer.piece(token);
    if (tokenizer.isByte(token)) {
      if (spelled === 0 && text[place] === " ") place++;
      const span = [place, Math.min(place + 1, text.length)];
      spelled++;
      if (spelled >= (new TextEncoder().encode(text[place] ?? "").length || 1)) [place, spelled] = [place + 1, 0];
      return span;
    }
    if (piece.startsWith(SPACE) && text[place] === " ") place++;
    const end = Math.min(place + [...piece.replaceAll(SPACE, "")].length, text.length);
    const span = [place, end];
    place = end;
    return span;
  });
}
