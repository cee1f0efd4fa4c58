/**
 * Formulas as MathML, written as nested calls: `math(i("n"), sup(i("d"), n(2)))`.
 *
 * A formula is data until it is drawn, so that one of its parts can be marked: `term("scale", root(i("d")))` is the
 * part that belongs to the step “scale”.
 */
import { h } from "page/elements/dom";

/**
 * @typedef {string | {tag: string, children: Formula[], attributes?: Record<string, string>, term?: string}} Formula
 */

/** @param {string} tag @param {...Formula} children @returns {Formula} */
export const element = (tag, ...children) => ({ tag, children });

/** A variable. @param {string} name */
export const i = (name) => element("mi", name);
/** A number. @param {string | number} value */
export const n = (value) => element("mn", String(value));
/** An operator. @param {string} sign */
export const o = (sign) => element("mo", sign);
/** A word. @param {string} text */
export const words = (text) => element("mtext", text);
/** @param {...Formula} parts */
export const row = (...parts) => element("mrow", ...parts);
/** @param {Formula} base @param {Formula} exponent */
export const sup = (base, exponent) => element("msup", base, exponent);
/** @param {Formula} base @param {Formula} index */
export const sub = (base, index) => element("msub", base, index);
/** A fraction. @param {Formula} top @param {Formula} bottom */
export const over = (top, bottom) => element("mfrac", top, bottom);
/** @param {Formula} inside */
export const root = (inside) => element("msqrt", inside);

/** A function of something. @param {string} name @param {...Formula} inside */
export const call = (name, ...inside) =>
  row({ tag: "mi", children: [name], attributes: { mathvariant: "normal" } }, o("\u2061"), o("("), ...inside, o(")"));

/** A part that can be marked. @param {string} name @param {Formula} part @returns {Formula} */
export const term = (name, part) => (typeof part === "string" ? part : { ...part, term: name });

/**
 * A formula as an element, with the parts of one term marked.
 * @param {Formula} formula
 * @param {string | null} [marked]
 * @returns {MathMLElement | string}
 */
function drawn(formula, marked = null) {
  if (typeof formula === "string") return formula;
  const { tag, attributes = {}, children } = formula;
  const found = h(
    `math:${tag}`,
    attributes,
    children.map((child) => drawn(child, marked)),
  );
  return formula.term !== undefined && formula.term === marked ? h("math:mrow", { class: "now" }, found) : found;
}

/** A formula in a line of text. @param {...Formula} parts */
export function math(...parts) {
  return h("math:math", { displaystyle: "true" }, drawn(row(...parts)));
}

/**
 * A formula in a line of its own; `spoken` is what a screen reader says, `marked` the term that stands out.
 * @param {Formula[]} parts
 * @param {{spoken?: string | null, marked?: string | null}} [options]
 */
export function mathBlock(parts, { spoken = null, marked = null } = {}) {
  return h("math:math", { display: "block", alttext: spoken }, drawn(row(...parts), marked));
}
