/**
 * Chapter 5: letters in one vector.
 *
 * Nothing is learned here. A letter is a fixed row of +1 and -1, multiplied by another such row for its place, and the
 * word is their sum. A letter is read back by asking which row agrees best with the sum at a place. The longer the word,
 * the more the other letters disturb; a wider vector holds more of them.
 */
import { chart, range, reading, steering, typed } from "course/figure";
import { slider } from "page/elements/controls";
import { h } from "page/elements/dom";
import { argmax, digits, dot } from "page/numbers/numbers";
import { between, randomNumbers } from "page/train/network/random";

/** @import { Figure } from "course/figure" */

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const LONGEST = 24;
const WORDS = 40;

/** Rows of +1 and -1 for letters and for places. @param {number} width */
export function codes(width) {
  const random = randomNumbers(5);
  const row = () => Float32Array.from({ length: width }, () => (random() < 0.5 ? -1 : 1));
  return { letters: LETTERS.map(row), places: range(1, LONGEST).map(row) };
}

/** @typedef {ReturnType<typeof codes>} Codes */

/** The one vector of a word. @param {Codes} codes @param {string} word */
export function encoded({ letters, places }, word) {
  const vector = new Float32Array(places[0].length);
  [...word].forEach((letter, place) => {
    const row = letters[LETTERS.indexOf(letter)];
    for (let i = 0; i < vector.length; i++) vector[i] += row[i] * places[place][i];
  });
  return vector;
}

/** The letters that are read out of it again. @param {Codes} codes @param {Float32Array} vector @param {number} length */
export function decoded({ letters, places }, vector, length) {
  return range(0, length - 1)
    .map((place) => {
      const asked = vector.map((one, i) => one * places[place][i]);
      return LETTERS[argmax(letters.map((row) => dot(row, asked)))];
    })
    .join("");
}

/** The share of letters that come back, for random words of each length. @param {number} width */
function comesBack(width) {
  const known = codes(width);
  const random = randomNumbers(7);
  return range(1, LONGEST / 2).map((half) => {
    let right = 0;
    for (let word = 0; word < WORDS; word++) {
      const letters = range(1, 2 * half).map(() => LETTERS[between(random, 0, 25)]);
      const back = decoded(known, encoded(known, letters.join("")), letters.length);
      right += letters.filter((letter, place) => letter === back[place]).length;
    }
    return [2 * half, right / (WORDS * 2 * half)];
  });
}

/** @type {Figure} */
export const encoderDecoder = {
  start: { word: "bottleneck", width: 64 },
  render(context, { word, width }, set) {
    const known = codes(width);
    const read = [...word.toLowerCase()]
      .filter((one) => LETTERS.includes(one))
      .slice(0, LONGEST)
      .join("");
    const back = decoded(known, encoded(known, read), read.length);
    const points = comesBack(width);
    const [length, share] = points[points.length - 1];
    return [
      steering(
        typed("A word to remember", word, (value) => set({ word: value })),
        slider("numbers in the vector", {
          min: 16,
          max: 256,
          step: 16,
          value: width,
          onchange: (value) => set({ width: value }),
        }),
      ),
      reading(
        "One vector gives back ",
        h(
          "b",
          { class: "course-letters" },
          [...back].map((letter, i) => h("span", { class: letter === read[i] ? "" : "wrong" }, letter)),
        ),
        ", a vector for each letter ",
        h("b", { class: "course-letters" }, read),
        ".",
      ),
      chart(context, {
        name: "encoder-decoder",
        title: "Letters that come back, by length of the word",
        label: `With ${width} numbers ${digits(share, 2)} of the letters of ${length}-letter words come back.`,
        x: { label: "letters in the word", domain: [2, LONGEST], ticks: [2, 8, 14, 20, 24] },
        y: { label: "share", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] },
        series: [
          { name: "one vector", points },
          { name: "one for each", points: points.map(([x]) => [x, 1]) },
        ],
        right: 120,
      }),
      reading(
        "Nothing is learned here: letters are fixed rows of +1 and -1, and a word is their sum. The picture above was measured with networks that learn.",
      ),
    ];
  },
};
