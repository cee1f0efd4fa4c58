/**
 * Equations as a reader types them, shown as MathML.
 *
 *     e_{i j} = v^⊤ tanh(W s_{i−1} + U h_j)
 *
 * A letter is a variable, several together are the name of a function (so i j, not ij), `_` and `^` take one thing or
 * a {group}, \sqrt{x} is a root, \frac{a}{b} a fraction, \hat{h} and \tilde{h} wear a hat or a wave. Nothing else is
 * known: equations here are short.
 */

/** @typedef {{tag: string, text?: string, children?: Node[]}} Node what becomes one element */

const TOKEN = /\\[a-z]+|[\p{L}]+(?:['′])*|\d+(?:\.\d+)?|\s+|[^\s]/gu;
const LARGE = new Set(["∑"]);
const GREEK = /^\p{Script=Greek}$/u;

/**
 * The tree of an equation; pure, so that it can be tested without a page.
 * @param {string} text
 * @returns {Node}
 */
export function parse(text) {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => token.trim() !== "");
  let place = 0;

  /** @returns {Node[]} everything up to the end, or to the closing brace */
  function sequence() {
    /** @type {Node[]} */
    const nodes = [];
    while (place < tokens.length && tokens[place] !== "}") {
      nodes.push(scripted());
    }
    return nodes;
  }

  /** @returns {Node} one thing with what hangs above and below it */
  function scripted() {
    const base = single();
    let below = null;
    let above = null;
    while (tokens[place] === "_" || tokens[place] === "^") {
      const mark = tokens[place++];
      if (mark === "_") below = single();
      else above = single();
    }
    const large = LARGE.has(base.text ?? "");
    if (below && above) return { tag: large ? "munderover" : "msubsup", children: [base, below, above] };
    if (below) return { tag: large ? "munder" : "msub", children: [base, below] };
    if (above) return { tag: large ? "mover" : "msup", children: [base, above] };
    return base;
  }

  /** @returns {Node} */
  function single() {
    const token = tokens[place++];
    if (token === "{") {
      const children = sequence();
      place += 1;
      return children.length === 1 ? children[0] : { tag: "mrow", children };
    }
    if (token === "\\sqrt") return { tag: "msqrt", children: [single()] };
    if (token === "\\frac") return { tag: "mfrac", children: [single(), single()] };
    if (token === "\\hat" || token === "\\tilde") {
      return { tag: "mover", children: [single(), { tag: "mo", text: token === "\\hat" ? "^" : "~" }] };
    }
    if (/^\d/.test(token)) return { tag: "mn", text: token };
    if (/^\p{L}/u.test(token) || GREEK.test(token)) return { tag: "mi", text: token };
    return { tag: "mo", text: token };
  }

  return { tag: "mrow", children: sequence() };
}
