/** Formulas as MathML, written as nested calls: `math(i("n"), sup(i("d"), n(2)))`. */
import { h } from "page/elements/dom";

export const i = (name) => h("math:mi", {}, name);
export const n = (value) => h("math:mn", {}, String(value));
export const o = (sign) => h("math:mo", {}, sign);
export const row = (...parts) => h("math:mrow", {}, ...parts);
export const sup = (base, exponent) => h("math:msup", {}, base, exponent);
export const sub = (base, index) => h("math:msub", {}, base, index);
export const over = (top, bottom) => h("math:mfrac", {}, top, bottom);
export const call = (name, ...inside) =>
  row(h("math:mi", { mathvariant: "normal" }, name), o("\u2061"), o("("), ...inside, o(")"));

/** A formula in a line of text. */
export function math(...parts) {
  return h("math:math", { displaystyle: "true" }, h("math:mrow", {}, ...parts));
}
