/** How the view Beam writes numbers and pieces. */
import { plainPiece } from "page/trace/plain-names";

/** @import { TreeNode } from "page/beam/tree" */
/** @import { State } from "page/types" */

/**
 * A number with so many places and a real minus sign.
 * @param {number} value
 * @param {number} [places]
 */
export const signed = (value, places = 3) =>
  value < 0 ? `\u2212${Math.abs(value).toFixed(places)}` : value.toFixed(places);
/** @param {number} value @param {number} places */
export const number = (value, places) => value.toFixed(places);
/** @param {number} value */
export const exponent = (value) => Number(value.toFixed(4)).toString();
/**
 * A piece as the depth wants it: words without the mark of a beginning, pieces with it.
 * @param {TreeNode} node
 * @param {State["depth"]} depth
 */
export function pieceOf(node, depth) {
  return depth === "words" ? plainPiece(node.piece) : node.piece;
}
