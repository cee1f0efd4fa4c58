/**
 * The kinds of value a key of the state can hold: how a value is read from a link and written into it.
 *
 * Each function makes the declaration of one key from its letters in the link and its default.
 */

/**
 * @template T
 * @typedef {object} Key
 * @property {string} link  its letters in the link
 * @property {T} start  the default, which a link leaves out
 * @property {(text: string) => T | undefined} parse  undefined where the text cannot be read
 * @property {(value: T) => string} format
 * @property {boolean} cursor  a change only moves the cursor: the browser's history gets no new entry
 */

/**
 * The values of a group of keys, by name.
 * @template {Record<string, Key<any>>} Keys
 * @typedef {{[Name in keyof Keys]: Keys[Name] extends Key<infer T> ? T : never}} Values
 */

/** @typedef {{cursor?: boolean}} Options */

const WHOLE = /^\d{1,6}$/;
const DECIMAL = /^-?\d+(\.\d+)?(e-?\d+)?$/;

/** @param {string} written */
const wholeNumber = (written) => (WHOLE.test(written) ? Number(written) : undefined);
/** @param {string} written */
const positiveNumber = (written) => (WHOLE.test(written) && Number(written) > 0 ? Number(written) : undefined);
/** @param {string} written */
const decimalNumber = (written) => (DECIMAL.test(written) ? Number(written) : undefined);

/**
 * @template T
 * @param {string} link
 * @param {T} start
 * @param {(text: string) => T | undefined} parse
 * @param {Options} [options]
 * @returns {Key<T>}
 */
function declared(link, start, parse, { cursor = false } = {}) {
  return { link, start, parse, format: String, cursor };
}

/**
 * A number that may be left open, written as "none".
 * @param {string} link
 * @param {(text: string) => number | undefined} parse
 * @param {Options} [options]
 * @returns {Key<number | null>}
 */
function optional(link, parse, { cursor = false } = {}) {
  return {
    link,
    start: null,
    parse: (written) => (written === "none" ? null : parse(written)),
    format: (value) => (value === null ? "none" : String(value)),
    cursor,
  };
}

/** Any text. @param {string} link @param {Options} [options] */
export const text = (link, options) => declared(link, "", (written) => written, options);

/** A text of a given form. @param {string} link @param {RegExp} form @param {Options} [options] */
export const textLike = (link, form, options) =>
  declared(link, "", (written) => (form.test(written) ? written : undefined), options);

/** A whole number from 0. @param {string} link @param {number} start @param {Options} [options] */
export const whole = (link, start, options) => declared(link, start, wholeNumber, options);

/** A whole number from 0, or null. @param {string} link @param {Options} [options] */
export const wholeOrNull = (link, options) => optional(link, wholeNumber, options);

/** A whole number from 1, or null. @param {string} link @param {Options} [options] */
export const positiveOrNull = (link, options) => optional(link, positiveNumber, options);

/** Any number, or null. @param {string} link @param {Options} [options] */
export const numberOrNull = (link, options) => optional(link, decimalNumber, options);

/** A share above 0 and up to 1. @param {string} link @param {number} start @param {Options} [options] */
export const share = (link, start, options) =>
  declared(
    link,
    start,
    (written) => {
      const value = decimalNumber(written);
      return value !== undefined && value > 0 && value <= 1 ? value : undefined;
    },
    options,
  );

/**
 * A whole number from 0, or one word. @template {string} Word
 * @param {string} link
 * @param {Word} word
 * @param {Options} [options]
 */
export const wholeOr = (link, word, options) =>
  declared(
    link,
    /** @type {number | Word} */ (word),
    (written) => (written === word ? word : wholeNumber(written)),
    options,
  );

/**
 * Yes or no, written as 1 and 0; no is the default.
 * @param {string} link
 * @param {Options & {start?: boolean}} [options]
 * @returns {Key<boolean>}
 */
export function flag(link, { cursor = false, start = false } = {}) {
  return {
    link,
    start,
    parse: (written) => (written === "1" ? true : written === "0" ? false : undefined),
    format: (value) => (value ? "1" : "0"),
    cursor,
  };
}

/**
 * One of a few names.
 * @template {string} Name
 * @param {string} link
 * @param {readonly Name[]} names
 * @param {NoInfer<Name>} start
 * @param {Options} [options]
 */
export const among = (link, names, start, options) =>
  declared(link, /** @type {Name} */ (start), (written) => names.find((name) => name === written), options);
