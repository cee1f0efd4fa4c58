/** How the view Beam writes numbers and pieces. */
import { pathTo, textOf } from "page/beam/tree";
import { isSpecial, plainPiece } from "page/trace/plain-names";

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
 * A node as the depth wants it named: its piece, or for a reader of words the word as far as it is written there.
 * @param {TreeNode} node
 * @param {State["depth"]} depth
 * @param {Map<number, TreeNode>} index
 */
export function nameOf(node, depth, index) {
  if (depth !== "words") return node.piece;
  const plain = plainPiece(node.piece);
  if (isSpecial(node.piece)) return plain;
  const path = pathTo(index, node.n);
  const first = path.findLastIndex((each) => each.piece.startsWith("\u2581"));
  return textOf(path.slice(Math.max(first, 0))) || plain;
}
