/**
 * What modules report while a trace is made: attention/recording.py.
 *
 * A module that has something to report hands it to `watch` by name. While nothing is traced, it is not even called.
 */

/** @typedef {{ name: string, what: Record<string, any> }} Told */

/** @type {Told[] | null} */
let told = null;

/**
 * All that modules report while `run` runs, in order.
 * @template Result
 * @param {() => Result} run
 * @returns {{ result: Result, told: Told[] }}
 */
export function tracing(run) {
  /** @type {Told[]} */
  const found = [];
  told = found;
  try {
    return { result: run(), told: found };
  } finally {
    told = null;
  }
}

/**
 * Reports what a module computed, where a trace is being made.
 * @param {string} name  the module's
 * @param {() => Record<string, any>} what
 */
export function watch(name, what) {
  told?.push({ name, what: what() });
}
