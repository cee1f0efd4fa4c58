/**
 * How precisely products are computed.
 *
 * A search multiplies by numbers in digits (digits.wat), which are rounded by a millionth of the largest number of
 * their row: enough to find the tokens that Python finds, and three times as quick. What a trace shows is computed with
 * float32 numbers, as Python computes it.
 */

let exact = false;

/** Whether products are to be of float32 numbers now. */
export const exactNow = () => exact;

/**
 * What `run` returns, computed with float32 numbers.
 * @template Result
 * @param {() => Result} run
 */
export function exactly(run) {
  const before = exact;
  exact = true;
  try {
    return run();
  } finally {
    exact = before;
  }
}
