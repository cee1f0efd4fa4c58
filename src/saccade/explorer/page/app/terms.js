/** Where terms of the field stand in a text. */

/** @typedef {{name: string, forms: RegExp, means: string}} Term */
/** @typedef {{start: number, length: number, key: string}} Place */

/**
 * The places of the terms in a text, in the order of the text: of each term the first, and none of those already
 * `known`. A term is a whole word, or several.
 * @param {string} text
 * @param {Record<string, Term>} terms
 * @param {ReadonlySet<string>} [known]
 * @returns {Place[]}
 */
export function termsIn(text, terms, known = new Set()) {
  const keys = Object.keys(terms);
  const forms = keys.map((key) => `(${terms[key].forms.source})`).join("|");
  const found = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${forms})(?![\\p{L}\\p{N}_])`, "giu");
  /** @type {Map<string, Place>} */
  const places = new Map();
  for (const match of text.matchAll(found)) {
    const key = keys[match.slice(1).findIndex((part) => part !== undefined)];
    if (!known.has(key) && !places.has(key)) places.set(key, { start: match.index, length: match[0].length, key });
  }
  return [...places.values()];
}
