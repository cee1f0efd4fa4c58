/** Die Namen großer Zahlen. */

/** @type {typeof import("page/words/en/magnitudes").MAGNITUDES} */
export const MAGNITUDES = {
  trillion: "Billionen",
  billion: "Milliarden",
  million: "Millionen",
  thousand: "Tausend",
  bytes: "Byte",
};
