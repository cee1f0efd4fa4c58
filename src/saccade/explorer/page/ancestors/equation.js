/**
 * Equations as a reader types them, shown as MathML.
 *
 *     e_{i j} = v^⊤ tanh(W s_{i−1} + U h_j)
 *
 * A letter is a variable, several together are the name of a function (so i j, not ij), `_` and `^` take one thing or
 * a {group}, \sqrt{x} is a root, \frac{a}{b} a fraction, \hat{h} and \tilde{h} wear a hat or a wave. Nothing else is
 * known: equations here are short.
 */

import { element, i, n, o, over, root, row } from "page/elements/mathml";

/** @import { Formula } from "page/elements/mathml" */

const TOKEN = /\\[a-z]+|[\p{L}]+(?:['′])*|\d+(?:\.\d+)?|\s+|[^\s]/gu;
const LARGE = new Set(["∑"]);
const GREEK = /^\p{Script=Greek}$/u;

/**
 * The parts of an equation.
 * @param {string} text
 * @returns {Formula[]}
 */
export function parse(text) {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => token.trim() !== "");
  let place = 0;

  /** @returns {Formula[]} everything up to the end, or to the closing brace */
  function sequence() {
    /** @type {Formula[]} */
    const nodes = [];
    while (place < tokens.length && tokens[place] !== "}") {
      nodes.push(scripted());
    }
    return nodes;
  }

  /** @returns {Formula} one thing with what hangs above and below it */
  function scripted() {
    const base = single();
    let below = null;
    let above = null;
    while (tokens[place] === "_" || tokens[place] === "^") {
      const mark = tokens[place++];
      if (mark === "_") below = single();
      else above = single();
    }
    const large = typeof base !== "string" && LARGE.has(String(base.children[0]));
    if (below && above) return element(large ? "munderover" : "msubsup", base, below, above);
    if (below) return element(large ? "munder" : "msub", base, below);
    if (above) return element(large ? "mover" : "msup", base, above);
    return base;
  }

  /** @returns {Formula} */
  function single() {
    const token = tokens[place++];
    if (token === "{") {
      const children = sequence();
      place += 1;
      return children.length === 1 ? children[0] : row(...children);
    }
    if (token === "\\sqrt") return root(single());
    if (token === "\\frac") return over(single(), single());
    if (token === "\\hat" || token === "\\tilde") {
      return element("mover", single(), o(token === "\\hat" ? "^" : "~"));
    }
    if (/^\d/.test(token)) return n(token);
    if (/^\p{L}/u.test(token) || GREEK.test(token)) return i(token);
    return o(token);
  }

  return sequence();
}
