/**
 * A sentencepiece model as it is saved: a protocol buffer with the pieces, and how text is made ready for them.
 *
 *   field 1, for each piece     its text (1), its score (2), its type (3)
 *   field 2, TrainerSpec        unigram, bpe, word or character (3), bytes for what the vocabulary lacks (35)
 *   field 3, NormalizerSpec     whether a space is put before the text (3)
 *
 * The numbers of fields are those of sentencepiece_model.proto; the wire format is that of protocol buffers.
 */

/** @typedef {"unigram" | "bpe" | "word" | "character"} PieceKind */

/** @type {Record<number, PieceKind>} */
const KINDS = { 1: "unigram", 2: "bpe", 3: "word", 4: "character" };
const [NORMAL, USER_DEFINED, BYTE] = [1, 4, 6];
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The pieces of a model and their scores. */
export class SentencePieceModel {
  /** @param {Uint8Array} file */
  constructor(file) {
    /** How each token is written. @type {string[]} */
    this.pieces = [];
    /** @type {number[]} */
    this.scores = [];
    /** The tokens of the pieces that text is cut into. @type {Map<string, number>} */
    this.tokens = new Map();
    /** The token of each byte, and the byte of each such token. @type {Map<number, number>} */
    this.byteTokens = new Map();
    /** @type {Map<number, number>} */
    this.byteValues = new Map();
    /** Words that are one piece whatever stands around them, the longest first. @type {string[]} */
    this.symbols = [];
    /** The characters of the longest piece. */
    this.longest = 1;
    this.lowestScore = Infinity;
    this.highestScore = -Infinity;
    let [kind, byteFallback, dummyPrefix] = [1, 0, 1];
    for (const [field, value] of fields(file)) {
      if (field === 1) this.add(/** @type {Uint8Array} */ (value));
      if (field === 2) {
        kind = wholeNumber(value, 3, kind);
        byteFallback = wholeNumber(value, 35, byteFallback);
      }
      if (field === 3) dummyPrefix = wholeNumber(value, 3, dummyPrefix);
    }
    this.kind = KINDS[kind];
    this.byteFallback = byteFallback === 1;
    this.dummyPrefix = dummyPrefix === 1;
    this.symbols.sort((one, other) => other.length - one.length);
  }

  /** @param {Uint8Array} message */
  add(message) {
    let [piece, score, type] = ["", 0, NORMAL];
    for (const [field, value] of fields(message)) {
      if (field === 1) piece = UTF8.decode(/** @type {Uint8Array} */ (value));
      if (field === 2) score = float(/** @type {Uint8Array} */ (value));
      if (field === 3) type = /** @type {number} */ (value);
    }
    const token = this.pieces.push(piece) - 1;
    this.scores.push(score);
    if (type === BYTE) {
      const byte = Number.parseInt(piece.slice(3, 5), 16);
      this.byteTokens.set(byte, token);
      this.byteValues.set(token, byte);
    }
    if (type !== NORMAL && type !== USER_DEFINED) return;
    this.tokens.set(piece, token);
    this.longest = Math.max(this.longest, [...piece].length);
    if (type === USER_DEFINED) this.symbols.push(piece);
    else {
      this.lowestScore = Math.min(this.lowestScore, score);
      this.highestScore = Math.max(this.highestScore, score);
    }
  }

  /**
   * The symbol that a text begins with, or null.
   * @param {string} text
   */
  symbolAt(text) {
    return this.symbols.find((symbol) => text.startsWith(symbol)) ?? null;
  }
}

/**
 * The fields of a message in their order: whole numbers as numbers, everything else as bytes.
 * @param {Uint8Array} message
 * @returns {Generator<[number, number | Uint8Array]>}
 */
function* fields(message) {
  let place = 0;
  const varint = () => {
    let [value, shift, byte] = [0, 1, 0];
    do {
      byte = message[place++];
      value += (byte & 127) * shift;
      shift *= 128;
    } while (byte >= 128);
    return value;
  };
  while (place < message.length) {
    const key = varint();
    const wire = key % 8;
    const field = Math.floor(key / 8);
    if (wire === 0) yield [field, varint()];
    else {
      const length = wire === 1 ? 8 : wire === 5 ? 4 : varint();
      yield [field, message.subarray(place, place + length)];
      place += length;
    }
  }
}

/** The number in a field of a message inside. @param {number | Uint8Array} message @param {number} wanted @param {number} otherwise */
function wholeNumber(message, wanted, otherwise) {
  for (const [field, value] of fields(/** @type {Uint8Array} */ (message)))
    if (field === wanted) return /** @type {number} */ (value);
  return otherwise;
}

/** @param {Uint8Array} bytes */
const float = (bytes) => new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);
