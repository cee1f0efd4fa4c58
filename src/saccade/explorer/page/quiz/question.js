/** One question: its options in an order drawn from the trace's name, at least three different ones. */

import { LIVE } from "page/quiz/words";

/** Draws a number from 0 to 1. @typedef {() => number} Roll */

/** @typedef {{word: string} | string} Part */
/**
 * @typedef {object} Question
 * @property {string} id
 * @property {boolean} live
 * @property {Part[]} ask
 * @property {Part[][]} options
 * @property {number} answer  the place of the right option
 * @property {Part[]} why
 * @property {Record<string, any>} link  what to change in the state to see it
 * @property {string} look
 */

const SALT = 0x9e3779b9;

/** A number out of a text: FNV-1a. @param {string} text */
function seed(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** Numbers in [0, 1) that depend on the text alone: mulberry32. @param {string} text */
export function dice(text) {
  let state = seed(text);
  return () => {
    state = (state + SALT) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {Roll} roll @param {any[]} list */
export const pick = (roll, list) => list[Math.floor(roll() * list.length)];

/** @param {Roll} roll @param {any[]} list */
export function shuffled(roll, list) {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(roll() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

/** @param {Part[]} parts */
const shown = (parts) => parts.map((part) => (typeof part === "string" ? part : part.word)).join("");

/**
 * Puts the options in an order of chance; null unless there are at least three different ones.
 * @param {Roll} roll
 * @param {string} id
 * @param {boolean} live
 * @param {any} ask
 * @param {Part[]} right
 * @param {Part[][]} wrong
 * @param {Part[]} why
 * @param {any} link
 * @param {string} look
 */
export function question(roll, id, live, ask, right, wrong, why, link, look) {
  /** @type {any[]} */
  const different = [];
  for (const option of wrong)
    if (shown(option) !== shown(right) && !different.some((one) => shown(one) === shown(option)))
      different.push(option);
  if (different.length < 2) return null;
  const options = shuffled(roll, [right, ...different.slice(0, 3)]);
  return { id, live, ask, options, answer: options.indexOf(right), why, link, look };
}

/** Labels that tell two equal words apart by their place. @param {{label: string}[]} list */
export function named(list) {
  const count = new Map();
  for (const { label } of list) count.set(label, (count.get(label) ?? 0) + 1);
  return list.map(({ label }, i) => (count.get(label) > 1 ? LIVE.at(label, i + 1) : label));
}
