/**
 * Where the words of two sentences stand so that both fit into the room there is: in two lines, in smaller type if need
 * be, or, where that would be too small to read, in two columns.
 */

/** A word: the corner and size of its box, and where its curves end. @typedef {{x: number, y: number, width: number, height: number, end: [number, number]}} Word */

/**
 * @typedef {object} Placed
 * @property {boolean} upright  two columns, with curves from left to right
 * @property {number} size  of the type
 * @property {number} width
 * @property {number} height
 * @property {Word[]} columns  the words that are looked at: above, or on the left
 * @property {Word[]} rows  the words that look: below, or on the right
 */

/** The usual size of the type, for which the widths are given, and the smallest that can be read from a desk. */
export const USUAL = 15;
const SMALLEST = 12;
const [GAP, PADDING, LINE, BETWEEN] = [14, 16, 34, 130];
const [UPRIGHT_LINE, UPRIGHT_BETWEEN, WIDEST] = [30, 96, 560];

/**
 * @param {number[]} columnWidths  of the words in type of the usual size
 * @param {number[]} rowWidths
 * @param {number} available
 * @returns {Placed}
 */
export function placed(columnWidths, rowWidths, available) {
  for (let size = USUAL; size >= SMALLEST; size--) {
    const found = inLines(columnWidths, rowWidths, available, size);
    if (found.width <= available) return found;
  }
  return inColumns(columnWidths, rowWidths, available);
}

/** @param {number[]} columnWidths @param {number[]} rowWidths @param {number} available @param {number} size @returns {Placed} */
function inLines(columnWidths, rowWidths, available, size) {
  /** @param {number[]} widths */
  const boxes = (widths) => widths.map((width) => ((width + PADDING) * size) / USUAL);
  const gap = (GAP * size) / USUAL;
  const [above, below] = [boxes(columnWidths), boxes(rowWidths)];
  /** @param {number[]} widths */
  const total = (widths) => sum(widths) + gap * (widths.length - 1);
  const width = Math.ceil(Math.max(total(above), total(below), Math.min(available, WIDEST)));
  /** @param {number[]} widths @param {number} y @param {number} end */
  const spread = (widths, y, end) => {
    const room = widths.length > 1 ? Math.min(gap * 4, gap + (width - total(widths)) / (widths.length - 1)) : 0;
    let x = (width - sum(widths) - room * (widths.length - 1)) / 2;
    return widths.map((wide) => {
      const word = {
        x,
        y: y + 2,
        width: wide,
        height: LINE - 4,
        end: /** @type {[number, number]} */ ([x + wide / 2, end]),
      };
      x += wide + room;
      return word;
    });
  };
  return {
    upright: false,
    size,
    width,
    height: BETWEEN + 2 * LINE,
    columns: spread(above, 0, LINE),
    rows: spread(below, LINE + BETWEEN, LINE + BETWEEN),
  };
}

/** @param {number[]} columnWidths @param {number[]} rowWidths @param {number} available @returns {Placed} */
function inColumns(columnWidths, rowWidths, available) {
  const [left, right] = [columnWidths, rowWidths].map((widths) => Math.max(0, ...widths) + PADDING);
  const width = Math.ceil(Math.max(left + right + UPRIGHT_BETWEEN, Math.min(available, WIDEST)));
  const height = UPRIGHT_LINE * Math.max(columnWidths.length, rowWidths.length, 1);
  /** @param {number[]} widths @param {(wide: number) => number} at @param {number} end */
  const stacked = (widths, at, end) =>
    widths.map((one, i) => {
      const wide = one + PADDING;
      const middle = (height * (i + 0.5)) / widths.length;
      return {
        x: at(wide),
        y: middle - UPRIGHT_LINE / 2 + 1,
        width: wide,
        height: UPRIGHT_LINE - 2,
        end: /** @type {[number, number]} */ ([end, middle]),
      };
    });
  return {
    upright: true,
    size: USUAL,
    width,
    height,
    columns: stacked(columnWidths, (wide) => left - wide, left),
    rows: stacked(rowWidths, () => width - right, width - right),
  };
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);
