/** The most probable cutting under a unigram model of pieces, as sentencepiece finds it: Kudo 2018, section 3.2. */

/** @import { SentencePieceModel } from "page/engine/data/sentencepiece-model" */

/** How much less probable an unknown character is than the rarest piece. */
const UNKNOWN = 10;
const SYMBOL = 0.1;

/**
 * The pieces of a text whose scores, logarithms of probabilities, have the largest sum (Viterbi 1967). Sums are in
 * single precision, as the library's are: another rounding would break ties otherwise.
 * @param {string} text
 * @param {SentencePieceModel} model
 * @returns {string[]}
 */
export function unigram(text, model) {
  const letters = [...text];
  const unknown = Math.fround(model.lowestScore - UNKNOWN);
  /** The best cutting of the first letters: its score, and where its last piece begins. */
  const best = letters.map(() => ({ score: Number.NaN, from: -1 }));
  best.push({ score: Number.NaN, from: -1 });
  best[0] = { score: 0, from: 0 };
  for (let from = 0; from < letters.length; from++) {
    const before = best[from].score;
    /** @param {number} to @param {number} score */
    const reach = (to, score) => {
      const total = Math.fround(before + score);
      if (best[to].from === -1 || total > best[to].score) best[to] = { score: total, from };
    };
    let piece = "";
    let alone = false;
    for (let to = from + 1; to <= Math.min(from + model.longest, letters.length); to++) {
      piece += letters[to - 1];
      const token = model.tokens.get(piece);
      if (token === undefined) continue;
      reach(to, model.symbols.includes(piece) ? symbolScore(piece, model) : model.scores[token]);
      alone ||= to === from + 1;
    }
    if (!alone) reach(from + 1, unknown);
  }
  const pieces = [];
  for (let to = letters.length; to > 0; to = best[to].from) pieces.unshift(letters.slice(best[to].from, to).join(""));
  return pieces;
}

/** A symbol is to win over any cutting of it. @param {string} symbol @param {SentencePieceModel} model */
const symbolScore = (symbol, model) => new TextEncoder().encode(symbol).length * model.highestScore - SYMBOL;
