/** The names of large numbers. */

export const MAGNITUDES = {
  trillion: "trillion",
  billion: "billion",
  million: "million",
  thousand: "thousand",
  bytes: "bytes",
};
