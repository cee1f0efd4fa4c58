/** Multi-head attention: projections into queries, keys and values, attention in every head, and one back (3.2.2). */
import { attention } from "page/train/network/attention";
import { linear } from "page/train/network/linear";
import { add } from "page/train/network/sum";

/** @import { AttentionOptions } from "page/train/network/attention" */
/** @import { Parameter, Parameters } from "page/train/network/parameters" */

/**
 * W^Q, W^K, W^V of all heads side by side, and W^O.
 * @typedef {Record<"query" | "key" | "value" | "output", Parameter>} MultiHead
 */

/** @param {Parameters} parameters @param {string} name @param {number} width @returns {MultiHead} */
export function multiHead(parameters, name, width) {
  /** @param {string} part */
  const projection = (part) => parameters.matrix(`${name}.${part}`, width, width);
  return {
    query: projection("query"),
    key: projection("key"),
    value: projection("value"),
    output: projection("output"),
  };
}

/**
 * `x` asks and `memory` is looked at; in self-attention they are the same rows.
 * @param {MultiHead} block
 * @param {Float32Array} x  [query rows, width]
 * @param {Float32Array} memory  [key rows, width]
 * @param {AttentionOptions} options
 */
export function attend(block, x, memory, options) {
  const query = linear(block.query, null, x);
  const key = linear(block.key, null, memory);
  const value = linear(block.value, null, memory);
  const heads = attention(query.y, key.y, value.y, options);
  const output = linear(block.output, null, heads.y);

  /** @param {Float32Array} dy */
  const backward = (dy) => {
    const { dq, dk, dv } = heads.backward(output.backward(dy));
    return { dx: query.backward(dq), dmemory: add(key.backward(dk), value.backward(dv)) };
  };
  return { y: output.y, weights: heads.weights, backward };
}
