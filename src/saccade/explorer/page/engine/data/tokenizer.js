/** Text to tokens and back: data/tokenizer.py, with sentencepiece's own cutting in `bpe` and `unigram`. */

import { bpe, characters } from "page/engine/data/bpe";
import { unigram } from "page/engine/data/unigram";

/** @import { PieceKind, SentencePieceModel } from "page/engine/data/sentencepiece-model" */

export const PAD = 0;
export const EOS = 1;
export const UNK = 2;
export const BOS = 3;
export const SPACE = "\u2581"; // how sentencepiece writes a space inside a piece

/** What Python's str.split() takes for white space: four separators more than Unicode does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the four
const WHITE_SPACE = /[\p{White_Space}\x1c-\x1f]+/u;

/** How a closed list of words writes UNK. */
const UNKNOWN = "<unk>";

/** @type {Record<PieceKind, (text: string, model: SentencePieceModel) => string[]>} */
const CUTS = { bpe, unigram, character: characters, word: (text) => text.split(new RegExp(`(?=${SPACE})`)) };

/**
 * NFC, white space as single spaces, none at the ends; U+2581 reads as a space, half a surrogate pair as U+FFFD.
 * @param {string} text
 */
export function normalise(text) {
  const composed = text
    .normalize("NFC")
    .replaceAll(SPACE, " ")
    .replace(/\p{Surrogate}/gu, "\ufffd");
  return words(composed).join(" ");
}

/** @param {string} text */
const words = (text) => text.split(WHITE_SPACE).filter(Boolean);

export class Tokenizer {
  /** @param {SentencePieceModel} model */
  constructor(model) {
    this.model = model;
  }

  /** The tokens of a text, without BOS or EOS; where unknown words are UNK, each has its own. @param {string} text @returns {number[]} */
  encode(text) {
    return this.writesUnknown ? words(text).flatMap((word) => this.cut(word)) : this.cut(text);
  }

  /** @param {string} text */
  cut(text) {
    const { model } = this;
    const spaced = normalise(text).replaceAll(" ", SPACE);
    if (!spaced) return [];
    /** @type {number[]} */
    const tokens = [];
    for (const piece of CUTS[model.kind]((model.dummyPrefix ? SPACE : "") + spaced, model)) {
      const token = model.tokens.get(piece);
      if (token !== undefined) tokens.push(token);
      else if (model.byteFallback) tokens.push(...this.spelled(piece));
      else if (tokens.at(-1) !== UNK) tokens.push(UNK); // the library makes one of neighbouring unknown pieces
    }
    return tokens;
  }

  /** Whether the pieces are whole words without bytes to spell others, as labels are. */
  get writesUnknown() {
    return this.model.kind === "word" && !this.model.byteFallback;
  }

  /** The tokens of the bytes of a text. @param {string} piece */
  spelled(piece) {
    return [...new TextEncoder().encode(piece)].map((byte) => /** @type {number} */ (this.model.byteTokens.get(byte)));
  }

  /** How a token is written, spaces as U+2581, bytes as <0xNN>. @param {number} token */
  piece(token) {
    return this.model.pieces[token];
  }

  /** @param {number} token */
  isByte(token) {
    return this.model.byteValues.has(token);
  }

  /** The text of these tokens; specials are skipped, and bytes that spell no character. @param {number[]} tokens @returns {string} */
  decode(tokens) {
    if (this.writesUnknown && tokens.includes(UNK)) {
      const written = tokens.map((token) => (token === UNK ? UNKNOWN : this.decode([token])));
      return written.filter(Boolean).join(" ");
    }
    const text = this.units(tokens.filter((token) => token > BOS))
      .map((unit) => unit.text)
      .join("");
    return words(text).join(" ");
  }

  /**
   * The positions of the tokens of each word, in order. Specials belong to no word, but for UNK in a closed list of
   * words; a space alone opens the word that follows it.
   * @param {number[]} tokens
   * @returns {number[][]}
   */
  words(tokens) {
    if (this.writesUnknown)
      return [...tokens.keys()].filter((at) => tokens[at] === UNK || tokens[at] > BOS).map((at) => [at]);
    /** @type {number[][]} */
    const found = [];
    /** @type {number[]} */
    let waiting = []; // spaces, and what else is no text, before a word
    let inside = false;
    const places = [...tokens.keys()].filter((place) => tokens[place] > BOS);
    for (const { positions, text } of this.units(places.map((place) => tokens[place]))) {
      const own = positions.map((position) => places[position]);
      if (!words(text).length) {
        inside &&= !text;
        (inside ? /** @type {number[]} */ (found.at(-1)) : waiting).push(...own);
        continue;
      }
      if (!inside || WHITE_SPACE.test(text[0])) {
        found.push(waiting);
        waiting = [];
      }
      found[found.length - 1].push(...own);
      inside = !WHITE_SPACE.test(text[text.length - 1]);
    }
    if (waiting.length && found.length) found[found.length - 1].push(...waiting);
    return found.length || !waiting.length ? found : [waiting];
  }

  /**
   * What each piece adds to a text, with its position; bytes that spell a character are one unit.
   * @param {number[]} tokens
   */
  units(tokens) {
    const units = [];
    for (let place = 0; place < tokens.length; ) {
      let end = place;
      while (end < tokens.length && this.isByte(tokens[end])) end++;
      const values = tokens.slice(place, end).map((token) => /** @type {number} */ (this.model.byteValues.get(token)));
      const parts = values.length ? spelledCharacters(values) : [{ size: 1, text: this.piece(tokens[place]) }];
      for (const { size, text } of parts) {
        const positions = Array.from({ length: size }, (_, at) => place + at);
        units.push({ positions, text: text.replaceAll(SPACE, " ") });
        place += size;
      }
    }
    return units;
  }
}

/**
 * The characters that bytes spell, each with the number of its bytes; a byte that is part of none gives "".
 * @param {number[]} values
 */
export function spelledCharacters(values) {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const found = [];
  for (let place = 0; place < values.length; ) {
    const lead = values[place];
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const bytes = Uint8Array.from(values.slice(place, place + size));
    let text = "";
    try {
      text = bytes.length === size ? strict.decode(bytes) : "";
    } catch {
      // these bytes are no character
    }
    found.push({ size: text ? size : 1, text });
    place += text ? size : 1;
  }
  return found;
}
