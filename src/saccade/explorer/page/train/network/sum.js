/** Sums of tensors of one shape. Both get the gradient of their sum as it is: no backward pass is needed. */

/** @param {Float32Array} left @param {Float32Array} right */
export function add(left, right) {
  const sum = Float32Array.from(left);
  addTo(sum, right);
  return sum;
}

/** @param {Float32Array} total  what is added to @param {Float32Array} more */
export function addTo(total, more) {
  for (let i = 0; i < total.length; i++) total[i] += more[i];
}
