/** Los nombres de los números grandes. */

/** @type {typeof import("page/words/en/magnitudes").MAGNITUDES} */
export const MAGNITUDES = {
  trillion: "billones",
  billion: "mil millones",
  million: "millones",
  thousand: "mil",
  bytes: "bytes",
};
