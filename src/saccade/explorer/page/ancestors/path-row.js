/** The row of signal paths: how far two words are apart in a model, and what must wait for what. */
import { hasSource, ordinary, sameWord, words } from "page/ancestors/columns";
import { shapeOf } from "page/ancestors/connections";
import { drawWay, plan } from "page/ancestors/drawing";
import { drawing, note, said } from "page/ancestors/rows";
import { crossing, meeting, waiting } from "page/ancestors/signal-path";
import { WORDS } from "page/ancestors/words";
import { h } from "page/elements/dom";

/** @import { Column, WordEntry } from "page/ancestors/columns" */
/** @import { Drawn } from "page/ancestors/rows" */
/** @import { Found, Shape, Side } from "page/ancestors/signal-path" */
/** @import { State, Surface, Trace } from "page/types" */

/** The ends of the path. @typedef {ReturnType<typeof chosenWords>} ChosenWords */

/**
 * The words chosen for the way, in the reference's own numbering.
 * @param {Trace} reference
 * @param {State} state
 */
export function chosenWords(reference, state) {
  const [source, target] = [words(reference, "source"), words(reference, "target")];
  /** @param {any} value @param {any[]} list @param {any} otherwise */
  const within = (value, list, otherwise) => (value === null || value >= list.length ? otherwise : value);
  return {
    source,
    target,
    first: within(state.wa, source, ordinary(source)),
    second: within(state.wb, source, ordinary(source, true)),
    written: within(state.wt, target, ordinary(target, true)),
  };
}

/**
 * The pieces of two words that stand closest to each other.
 * @param {WordEntry} left
 * @param {WordEntry} right
 */
function closest(left, right) {
  return /** @type {any} */ (left).pieces.at(-1) <= /** @type {any} */ (right).pieces[0]
    ? [/** @type {any} */ (left).pieces.at(-1), /** @type {any} */ (right).pieces[0]]
    : [/** @type {any} */ (left).pieces[0], /** @type {any} */ (right).pieces.at(-1)];
}

/** @param {Column} column @param {Drawn} given */
export function path(column, { context, width, theme, chosen }) {
  const { trace, name } = column;
  if (!hasSource(trace) || !chosen) return [said(WORDS.noMemory)];
  const shape = shapeOf(trace);
  const [source, target] = [words(trace, "source"), words(trace, "target")];
  const first = sameWord(trace, chosen.source[chosen.first], chosen.first);
  const across = context.state.path === "across";
  // Translations differ: the word at the same place of each is written after as many others.
  const second = across
    ? Math.min(chosen.written, target.length - 1)
    : sameWord(trace, chosen.source[chosen.second], chosen.second);
  if (first === null || second === null) return [said(WORDS.otherWords)];
  if (!across && first === second) return [said(WORDS.sameWord)];
  const count = trace.axes.source.tokens.length;
  let found;
  let ends;
  let rule;
  if (across) {
    const [place, row] = [source[first].pieces[0], target[second].pieces[0]];
    found = crossing(shape, count, place, row);
    ends = [
      { side: "source", places: [place], label: source[first].label },
      { side: "target", places: [row], label: target[second].label },
    ];
    rule = crossingRule(shape, found, row);
  } else {
    const [left, right] = closest(source[first], source[second]);
    found = meeting(shape, count, left, right);
    ends = [
      { side: "source", places: [left], label: source[first].label },
      { side: "source", places: [right], label: source[second].label },
    ];
    rule = meetingRule(shape.reading, found, Math.abs(left - right));
  }
  const hops = found ? WORDS.hops(found.hops) : WORDS.noWay;
  const scene = {
    shape,
    found,
    source: count,
    target: across ? trace.axes.target.tokens.length : 0,
    ends,
    width,
    theme,
  };
  return [
    h("p", { class: "hops", dataset: { hops: found ? found.hops : "none" } }, hops),
    drawing(width, plan(scene).height, WORDS.pathLabel(name, hops), (/** @type {Surface} */ surface) =>
      drawWay(surface, scene),
    ),
    said(rule),
  ];
}

/**
 * Why it is so many hops within the source.
 * @param {Side} side
 * @param {Found | null} found
 * @param {number} distance
 */
function meetingRule(side, found, distance) {
  const { rules } = WORDS;
  if (side.moves === "windows") {
    if (found) return rules.windows(distance, [...new Set(side.kernels)].join(" or "), found.hops);
    return rules.windowsNever(
      distance,
      side.kernels.reduce((sum, kernel) => sum + kernel - 1, 1),
      side.kernels.length,
    );
  }
  if (!found) return rules.never;
  if (side.moves === "steps")
    return side.orders.length > 1 ? rules.both(distance, found.hops) : rules.steps(found.hops);
  if (side.reach !== null) return rules.restricted(distance, side.reach, found.hops);
  return side.both ? rules.looks() : rules.tape();
}

/**
 * Why it is so many hops to the target.
 * @param {Shape} shape
 * @param {Found | null} found
 * @param {number} row
 */
function crossingRule(shape, found, row) {
  const { rules } = WORDS;
  if (!found) return rules.never;
  if (shape.bridge === "looks") return found.hops === 1 ? rules.crossLooks() : rules.crossWindow(found.hops);
  if (shape.bridge === "places") return rules.crossPlaces(shape.reading.kernels.length, found.hops - 2);
  if (shape.reading.moves !== "steps") return rules.crossFold(found.hops - 1);
  return shape.always ? rules.crossVectorAlways(found.hops - 1) : rules.crossVector(found.hops - 1 - row, row);
}

/** @param {Column} context */
export function chains({ trace }) {
  const shape = shapeOf(trace);
  const [n, m] = [trace.axes.source.tokens.length, trace.axes.target.tokens.length];
  const counts = waiting(shape, n, m);
  /** @param {Side} side @param {number} length */
  const rule = (side, length) =>
    !side.waits
      ? WORDS.chains.once()
      : side.feeds
        ? WORDS.chains.feeds(length, side.layers)
        : WORDS.chains.steps(length, side.layers);
  const why = {
    reading: rule(shape.reading, n),
    training: rule(shape.writing, m),
    writing: WORDS.chains.feeds(m, shape.writing.layers),
  };
  return [
    h(
      "dl",
      { class: "chains" },
      Object.entries(WORDS.waitingRows)
        .filter(([key]) => key !== "reading" || hasSource(trace))
        .map(([key, name]) =>
          h(
            "div",
            {},
            h("dt", {}, name),
            h(
              "dd",
              { dataset: { chain: key } },
              h("b", {}, String(counts[/** @type {keyof typeof counts} */ (key)])),
              ` ${why[/** @type {keyof typeof why} */ (key)]}`,
            ),
          ),
        ),
    ),
    note(WORDS.waitingNote(n, m)),
  ];
}
