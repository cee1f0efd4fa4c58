/** x = sqrt(width) E[token] + PE(position): sections 3.4 and 3.5 of the paper. */
import { position } from "page/position/table";

/** @import { Parameter } from "page/train/network/parameters" */

/** The sinusoids for the first places of a line. @param {number} places @param {number} width */
export const sinusoids = (places, width) =>
  Float32Array.from({ length: places * width }, (_, at) =>
    position("sinusoidal", Math.floor(at / width), at % width, width),
  );

/**
 * @param {Parameter} table  [vocabulary, width]
 * @param {Float32Array | null} positions  [places, width], or null where the network is not told the order
 * @param {number[][]} lines  tokens
 */
export function embed(table, positions, lines) {
  const [, width] = table.shape;
  const scale = Math.sqrt(width);
  const tokens = lines.flat();
  const places = lines.flatMap((line) => [...line.keys()]);
  const y = new Float32Array(tokens.length * width);
  tokens.forEach((token, row) => {
    for (let i = 0; i < width; i++) {
      y[row * width + i] = scale * table.value[token * width + i];
      if (positions) y[row * width + i] += positions[places[row] * width + i];
    }
  });

  /** Only the rows of tokens that were read get a gradient. The sinusoids are not learned. @param {Float32Array} dy */
  const backward = (dy) => {
    tokens.forEach((token, row) => {
      for (let i = 0; i < width; i++) table.gradient[token * width + i] += scale * dy[row * width + i];
    });
  };
  return { y, backward };
}
