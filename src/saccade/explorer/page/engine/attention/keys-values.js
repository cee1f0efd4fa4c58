/**
 * What can be attended to, already projected: the keys and values of positions, a row of numbers for each.
 *
 * A decoder's cache is a list of such rows that only grows at its end. Several hypotheses of a beam share the rows of
 * their common beginning, so that a branch copies references and no numbers.
 */

/** @import { Matrix } from "page/engine/arithmetic/matrix" */

/** The keys and values of one sequence, whoever asks. */
export class KeysValues {
  /** @param {Float32Array[]} keys @param {Float32Array[]} values */
  constructor(keys = [], values = []) {
    this.keys = keys;
    this.values = values;
  }

  /** How many positions there are. */
  get length() {
    return this.keys.length;
  }

  /** These positions followed by later ones. @param {Matrix} keys @param {Matrix} values */
  append(keys, values) {
    return new KeysValues([...this.keys, ...keys.list()], [...this.values, ...values.list()]);
  }

  /** What the query of this row may attend to: the same for every row. @param {number} _row @returns {KeysValues} */
  of(_row) {
    return this;
  }
}

/** The keys and values of several hypotheses side by side: each row of queries has its own. */
export class BranchKeysValues {
  /** @param {KeysValues[]} branches */
  constructor(branches) {
    this.branches = branches;
  }

  get length() {
    return this.branches[0].length;
  }

  /** Each hypothesis followed by its own row. @param {Matrix} keys @param {Matrix} values */
  append(keys, values) {
    return new BranchKeysValues(
      this.branches.map(
        (branch, row) => new KeysValues([...branch.keys, keys.row(row)], [...branch.values, values.row(row)]),
      ),
    );
  }

  /** The hypotheses at these places, in this order. @param {number[]} places */
  select(places) {
    return new BranchKeysValues(places.map((place) => this.branches[place]));
  }

  /** @param {number} row */
  of(row) {
    return this.branches[row];
  }
}
