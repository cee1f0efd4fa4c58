/**
 * What a parser writes: decoding/tree_outputs.py, with the rules of decoding/tree_constraint.py.
 *
 *   open     a bracket may open while words remain to go into it, unless brackets are open too deep, too many have just
 *            been opened in a row, or too few tokens are left to close them all
 *   leaf     may be written while words remain; where leaves are words, only that of the next word
 *   close    only the bracket opened last may close, and only when something is in it
 *   EOS      when all words are written and all brackets closed
 *
 * So every output is a well-formed tree over exactly the words of its source.
 */

import { BOS, EOS, normalise, SPACE, UNK } from "page/engine/data/tokenizer";
import { closes, escapeBrackets, isTree, linearised, opens, outputText, readTree } from "page/engine/data/trees";
import { EngineProblem } from "page/engine/problem";

/** @import { Tokenizer } from "page/engine/data/tokenizer" */
/** @import { Leaves } from "page/engine/data/trees" */
/** @import { Rules } from "page/engine/decoding/beam" */
/** @import { Tree } from "page/trace/schema" */

/** Brackets that may be open at once, and that may open in a row. */
const [DEEPEST, LONGEST_RUN] = [100, 16];

export class TreeOutputs {
  /** @param {Tokenizer} tokenizer  of the target @param {Leaves} leaves */
  constructor(tokenizer, leaves) {
    this.tokenizer = tokenizer;
    this.leaves = leaves;
  }

  /** The words of a sentence as they stand in its tree. @param {string} text */
  words(text) {
    return normalise(escapeBrackets(text)).split(" ").filter(Boolean);
  }

  /** @param {number[]} tokens */
  symbols(tokens) {
    const pieces = tokens.map((token) => this.tokenizer.piece(token));
    return pieces.map((piece) => (piece.startsWith(SPACE) ? piece.slice(SPACE.length) : piece));
  }

  /** The tree over these words that the tokens write; where they write none, the symbols themselves. @param {number[]} tokens @param {string[]} words */
  text(tokens, words) {
    return outputText(this.symbols(tokens.filter((token) => token !== EOS)), words, this.leaves);
  }

  /** The symbols of a bracketed tree, which must be one over these words. @param {string} text @param {string[]} words */
  given(text, words) {
    const tree = readTree(text);
    if (!tree || tree.words.join(" ") !== words.join(" "))
      throw new EngineProblem("This is no bracketed tree over the words of the sentence.", "Correct it.");
    return linearised(tree, this.leaves).join(" ");
  }

  /** Which tokens may follow, for a sentence of these words. @param {string[]} words @returns {Rules} */
  rules(words) {
    const leaves =
      this.leaves === "words" ? words.map((word) => this.tokenizer.encode(word)[0]) : words.map(() => null);
    const symbols = this.symbols([...this.tokenizer.model.pieces.keys()]);
    return (written, left) => {
      const { labels, run, used } = this.soFar(written);
      const remaining = leaves.length - used;
      const spare = left - (remaining + labels.length + 1);
      return (token) => {
        const symbol = symbols[token];
        if (token === EOS) return !remaining && !labels.length;
        if (token <= BOS) return token === UNK && remaining > 0 && leaves[used] === UNK;
        if (opens(symbol)) return remaining > 0 && spare >= 2 && labels.length < DEEPEST && run < LONGEST_RUN;
        if (closes(symbol)) return labels.length > 0 && run === 0 && labels[labels.length - 1] === symbol.slice(1);
        return remaining > 0 && symbol !== "" && (leaves[used] === null || leaves[used] === token);
      };
    };
  }

  /** The labels of the brackets that are open, how many have just been opened in a row, and how many words are written. @param {number[]} written */
  soFar(written) {
    /** @type {string[]} */
    const labels = [];
    let [run, used] = [0, 0];
    for (const symbol of this.symbols(written)) {
      run = opens(symbol) ? run + 1 : 0;
      if (opens(symbol)) labels.push(symbol.slice(1));
      else if (closes(symbol)) labels.pop();
      else used++;
    }
    return { labels, run, used };
  }

  /**
   * The brackets in the order in which they open, and the leaves; null where the tokens, EOS last, write no tree.
   * `open` and `close` are steps, `start` and `end` are words, the end not included (tracing/constituents.py).
   * @param {number[]} tokens
   * @param {string[]} words
   * @returns {Tree | null}
   */
  constituents(tokens, words) {
    const symbols = this.symbols(tokens.slice(0, -1));
    if (!isTree(symbols, words.length)) return null;
    /** @type {Tree} */
    const tree = { words, brackets: [], leaves: [] };
    /** @type {Tree["brackets"]} */
    const unclosed = [];
    symbols.forEach((symbol, step) => {
      const place = tree.leaves.length;
      if (opens(symbol)) {
        const bracket = { label: symbol.slice(1), open: step, close: step, start: place, end: place };
        unclosed.push(bracket);
        tree.brackets.push(bracket);
      } else if (closes(symbol)) Object.assign(unclosed.pop() ?? {}, { close: step, end: place });
      else tree.leaves.push({ tag: symbol, step });
    });
    return tree;
  }
}
