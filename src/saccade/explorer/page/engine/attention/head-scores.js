/**
 * Multi-head attention with any score: each head has one of its own (attention/head_scores.py).
 *
 * What a head keeps of its keys is what its score prepares. The numbers of all heads lie side by side in a row.
 */

import { Matrix } from "page/engine/arithmetic/matrix";

/** @import { Score } from "page/engine/attention/scores" */
/** @import { Description } from "page/engine/interpreter" */

export class HeadScores {
  /** @param {Description} description */
  constructor({ parts }) {
    /** @type {Score[]} */
    this.heads = parts.heads;
    this.name = this.heads[0].name;
  }

  /** The part that depends on the keys alone. @param {Matrix} keys */
  prepare(keys) {
    return this.byHead(keys, (score, own) => score.prepare(own));
  }

  /** The part that depends on the queries alone. @param {Matrix} queries */
  ask(queries) {
    return this.byHead(queries, (score, own) => score.ask(own));
  }

  /**
   * The score of one head, whose numbers of the key stand from one place to another.
   * @param {Float32Array} asked
   * @param {Float32Array} prepared
   * @param {number} from
   * @param {number} to
   * @param {number} place  of the key
   */
  compare(asked, prepared, from, to, place) {
    const head = from / (to - from);
    const width = asked.length / this.heads.length;
    const own = asked.subarray(head * width, (head + 1) * width);
    return this.heads[head].compare(own, prepared.subarray(from, to), place);
  }

  /** For a trace, the vectors whose products are the scores; nothing where scores are more than products. @param {Matrix} asked @param {Matrix} prepared */
  inside(asked, prepared) {
    const found = this.heads[0].inside(asked, prepared);
    if (!found.q_hidden || found.vector) return {};
    return { q_hidden: this.byHead(asked, (score, own) => own.times(score.scale)), k_hidden: prepared };
  }

  /** What is made of the numbers of each head, side by side. @param {Matrix} rows @param {(score: Score, own: Matrix) => Matrix} make */
  byHead(rows, make) {
    const made = this.heads.map((score, head) => make(score, part(rows, head, this.heads.length)));
    return made.reduce((one, other) => one.beside(other));
  }
}

/** The columns of one head. @param {Matrix} rows @param {number} head @param {number} heads */
function part(rows, head, heads) {
  const width = rows.columns / heads;
  const own = new Matrix(rows.rows, width);
  for (let row = 0; row < rows.rows; row++) own.row(row).set(rows.row(row).subarray(head * width, (head + 1) * width));
  return own;
}
