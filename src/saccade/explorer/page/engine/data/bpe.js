/** Byte pair encoding, as sentencepiece does it: Sennrich et al. 2016, section 3.2. */

/** @import { SentencePieceModel } from "page/engine/data/sentencepiece-model" */

/**
 * The pieces of a text: its characters, of which those two neighbours are joined, again and again, whose union has
 * the highest score, which is the one that was learned first; of equal ones the leftmost.
 * @param {string} text
 * @param {SentencePieceModel} model
 * @returns {string[]}
 */
export function bpe(text, model) {
  const pieces = characters(text, model);
  /** @param {number} left */
  const scoreOfUnion = (left) => {
    if (left < 0 || left + 1 >= pieces.length) return -Infinity;
    const [one, other] = [pieces[left], pieces[left + 1]];
    if (model.symbols.length && (model.symbols.includes(one) || model.symbols.includes(other))) return -Infinity;
    const token = model.tokens.get(one + other);
    return token === undefined ? -Infinity : model.scores[token];
  };
  const scores = pieces.map((_, left) => scoreOfUnion(left));
  for (;;) {
    let best = 0;
    for (let left = 1; left < scores.length; left++) if (scores[left] > scores[best]) best = left;
    if (!scores.length || scores[best] === -Infinity) return pieces;
    pieces.splice(best, 2, pieces[best] + pieces[best + 1]);
    scores.splice(best + 1, 1);
    scores[best] = scoreOfUnion(best);
    if (best > 0) scores[best - 1] = scoreOfUnion(best - 1);
  }
}

/**
 * The characters of a text; a symbol counts as one.
 * @param {string} text
 * @param {SentencePieceModel} model
 */
export function characters(text, model) {
  const found = [];
  for (let place = 0; place < text.length; ) {
    const symbol = model.symbols.length ? model.symbolAt(text.slice(place)) : null;
    const one = symbol ?? String.fromCodePoint(/** @type {number} */ (text.codePointAt(place)));
    found.push(one);
    place += one.length;
  }
  return found;
}
