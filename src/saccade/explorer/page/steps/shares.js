/** Shares and numbers as the analogies of the Steps view write them. */
import { digits } from "page/numbers/numbers";

/** @import { Facts } from "page/steps/facts" */

/** @param {number} value */
export const share = (value) => `${(100 * value).toFixed(value < 0.1 || value > 0.99 ? 1 : 0)} %`;

/**
 * What is said of a row that adds up to one, and of one that does not.
 * @param {Facts} f
 * @param {string} whole
 * @param {string} part
 */
export const full = (f, whole, part) => (Math.abs(f.rowSum - 1) < 1e-3 ? whole : part);

/** @param {number} value */
export const two = (value) => digits(value, 2);
