/** The text of a node: in its box, and read aloud. */
import { nameOf, signed } from "page/beam/numbers";
import { scoreOf } from "page/beam/tree";
import { beam } from "page/beam/words";
import { percent } from "page/numbers/numbers";
import { veiled } from "page/numbers/veil";

/** @import { Rule, TreeNode } from "page/beam/tree" */
/** @import { State } from "page/types" */

/**
 * What stands in the box of a node: its name, then pairs of a name and a number; without a search there is no score.
 * @param {TreeNode} node
 * @param {State["depth"]} depth
 * @param {Map<number, TreeNode>} index
 * @param {number | null} alpha
 * @param {Rule} [rule]
 */
export function boxText(node, depth, index, alpha, rule) {
  if (node.state === "root") return [""];
  const name = nameOf(node, depth, index);
  if (veiled()) return [name];
  if (depth === "words") return [name, ["", percent(Math.exp(node.logp))]];
  /** @param {number} value */
  const tight = (value) => signed(value, Math.abs(value) < 100 ? 3 : 2);
  const lines = [
    [beam.box.logp, tight(node.logp)],
    [beam.box.sum, tight(node.cum)],
  ];
  if (alpha !== null) lines.push([beam.box.score, tight(scoreOf(node.cum, node.t, alpha, rule))]);
  if (depth === "tensors") lines.push([beam.box.token, String(node.id)]);
  return [name, ...lines];
}

/** A node as it is read aloud. @param {TreeNode} node @param {Map<number, TreeNode>} index */
export function sentenceOf(node, index) {
  if (node.state === "root") return beam.start;
  return beam.read(node, nameOf(node, "words", index));
}
