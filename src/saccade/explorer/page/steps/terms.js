/** Numbers as they stand in a sum that is written out. */
import { digits } from "page/numbers/numbers";
import { shown } from "page/steps/arithmetic";
import { SAY } from "page/steps/words";

export const MINUS = "−";

/** A number as it stands in a sum: a sign of its own in brackets. */
export const factor = (value, places = 3) => {
  const size = digits(Math.abs(value), places);
  return value < 0 && Number(size) !== 0 ? `(${MINUS}${size})` : size;
};

/** A number alone. */
export const plain = (value, places = 4) => {
  const size = digits(Math.abs(value), places);
  return value < 0 && Number(size) !== 0 ? `${MINUS}${size}` : size;
};

/** Factors as "0.120 × 0.800 + ... + (60 more terms: 1.2040) + ...". */
export function product(spelled) {
  const { head, hidden, rest, tail } = shown(spelled);
  const written = head.map(([x, y]) => `${factor(x)} × ${factor(y)}`);
  if (hidden) written.push(`(${spelled.sorted ? SAY.lighter(hidden) : SAY.rest(hidden)}: ${plain(rest)})`);
  written.push(...tail.map(([x, y]) => `${factor(x)} × ${factor(y)}`));
  if (spelled.plus) written.push(factor(spelled.plus));
  return written.join(" + ");
}
