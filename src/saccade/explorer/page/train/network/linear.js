/**
 * y = x W^T + b, for every row of x.
 *
 * Every layer of this folder is a function like this one: it returns its output `y` and a function `backward`. The
 * backward pass is the chain rule: given dy, the gradient of the loss by y, it adds the gradients by the parameters to
 * `gradient` and returns dx, the gradient by x. What it needs of the way forward it has at hand, since it is defined
 * inside.
 */
import { rowProducts, transposed } from "page/train/network/product";
import { addTo } from "page/train/network/sum";

/** @import { Parameter } from "page/train/network/parameters" */

/**
 * @param {Parameter} weight  [outputs, inputs]
 * @param {Parameter | null} bias  [outputs]
 * @param {Float32Array} x  [rows, inputs]
 */
export function linear(weight, bias, x) {
  const [outputs, inputs] = weight.shape;
  const y = rowProducts(x, weight.value, inputs);
  if (bias) for (let i = 0; i < y.length; i++) y[i] += bias.value[i % outputs];

  /** dW = dy^T x;  db = the sum of the rows of dy;  dx = dy W. @param {Float32Array} dy  [rows, outputs] */
  const backward = (dy) => {
    const rows = dy.length / outputs;
    addTo(weight.gradient, rowProducts(transposed(dy, outputs), transposed(x, inputs), rows));
    if (bias) for (let i = 0; i < dy.length; i++) bias.gradient[i % outputs] += dy[i];
    return rowProducts(dy, transposed(weight.value, inputs), outputs);
  };
  return { y, backward };
}
