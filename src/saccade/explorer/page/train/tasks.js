/**
 * What can be learned: each task draws lines, pairs of what is read and what should be written, one token a character.
 */
import { between, oneOf } from "page/train/network/random";

/** @import { Example } from "page/train/network/transformer" */

/**
 * @typedef {object} Task
 * @property {string} characters  all that occur
 * @property {(random: () => number) => string} draw  a line to read
 * @property {(source: string) => string} solve  what should be written
 * @property {RegExp} form  of a line that can be read
 * @property {string} example  the line that is shown at first
 */

const LETTERS = "abcdefghij";
const VOWELS = "aeiou";
const CONSONANTS = "bdfglmnprst";

/** @param {() => number} random @param {number} least @param {number} most */
const letters = (random, least, most) =>
  Array.from({ length: between(random, least, most) }, () => oneOf(random, LETTERS)).join("");

/** A word that can be said: vowels and consonants in turn, either first. @param {() => number} random */
function word(random) {
  const vowelFirst = between(random, 0, 1);
  return Array.from({ length: between(random, 3, 6) }, (_, i) =>
    oneOf(random, (i + vowelFirst) % 2 ? VOWELS : CONSONANTS),
  ).join("");
}

/** @param {() => number} random */
const number = (random) => String(between(random, 0, 99)).padStart(2, "0");

/** @type {Record<"copy" | "reverse" | "article" | "addition", Task>} */
export const TASKS = {
  copy: {
    characters: LETTERS,
    draw: (random) => letters(random, 4, 8),
    solve: (source) => source,
    form: /^[a-j]{1,8}$/,
    example: "badcafe",
  },
  reverse: {
    characters: LETTERS,
    draw: (random) => letters(random, 4, 8),
    solve: (source) => [...source].toReversed().join(""),
    form: /^[a-j]{1,8}$/,
    example: "abcdefgh",
  },
  article: {
    characters: `${VOWELS}${CONSONANTS} `,
    draw: word,
    solve: (source) => `${VOWELS.includes(source[0]) ? "an" : "a"} ${source}`,
    form: /^[aeioubdfglmnprst]{1,6}$/,
    example: "animal",
  },
  addition: {
    characters: "0123456789+",
    draw: (random) => `${number(random)}+${number(random)}`,
    solve: (source) => {
      const [left, right] = source.split("+").map(Number);
      return String(left + right).padStart(3, "0");
    },
    form: /^\d\d\+\d\d$/,
    example: "47+38",
  },
};

/** The end of every line, which the decoder also reads at its beginning. */
export const END = "∎";

/** A line as the network sees it. @param {Task} task @param {string} source @returns {Example} */
export function exampleOf(task, source) {
  const target = task.solve(source);
  const vocabulary = vocabularyOf(task);
  /** @param {string} text */
  const tokens = (text) => [...text].map((character) => vocabulary.indexOf(character));
  return { source: tokens(source + END), reads: tokens(END + target), writes: tokens(target + END) };
}

/** @param {Task} task */
export const vocabularyOf = ({ characters }) => [...characters, END];
