import { copied, zeros } from "page/engine/arithmetic/room";

/** Numbers row by row: a row for each position or hypothesis, a column for each place in the width. */
export class Matrix {
  /** @param {number} rows @param {number} columns @param {Float32Array} [data] */
  constructor(rows, columns, data = zeros(rows * columns)) {
    this.rows = rows;
    this.columns = columns;
    this.data = data;
  }

  /** The numbers of one row; writing to them writes to the matrix. @param {number} row */
  row(row) {
    return this.data.subarray(row * this.columns, (row + 1) * this.columns);
  }

  /** All rows. */
  list() {
    return Array.from({ length: this.rows }, (_, row) => this.row(row));
  }

  /** The sum of two matrices. @param {Matrix} other */
  plus(other) {
    const sum = new Matrix(this.rows, this.columns, copied(this.data));
    for (let at = 0; at < sum.data.length; at++) sum.data[at] += other.data[at];
    return sum;
  }

  /** Every number times a factor. @param {number} factor */
  times(factor) {
    return new Matrix(
      this.rows,
      this.columns,
      this.data.map((value) => value * factor),
    );
  }

  /** [a; b], row by row. @param {Matrix} other */
  beside(other) {
    const both = new Matrix(this.rows, this.columns + other.columns);
    for (let row = 0; row < this.rows; row++) {
      both.row(row).set(this.row(row));
      both.row(row).set(other.row(row), this.columns);
    }
    return both;
  }

  /** The rows at these places, in this order. @param {number[]} places */
  select(places) {
    return stacked(
      places.map((place) => this.row(place)),
      this.columns,
    );
  }
}

/**
 * Rows that have a memory of their own as one matrix.
 * @param {Float32Array[]} rows
 * @param {number} columns
 */
export function stacked(rows, columns) {
  const matrix = new Matrix(rows.length, columns);
  rows.forEach((row, at) => {
    matrix.data.set(row, at * columns);
  });
  return matrix;
}

/**
 * The inner product of two stretches of numbers.
 * @param {Float32Array} one
 * @param {Float32Array} other
 * @param {number} from
 * @param {number} to
 */
export function dot(one, other, from, to) {
  let sum = 0;
  for (let at = from; at < to; at++) sum += one[at] * other[at];
  return sum;
}
