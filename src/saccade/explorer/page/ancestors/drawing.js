/**
 * Pictures of the Ancestors view: the way of a signal between two words, and what a reader hands to a writer.
 * Both draw on a surface of `page/drawing/surface`, so that a screen and a file show the same.
 */
import { css, diverging } from "page/drawing/colour";
import { clipped, INKS, measure } from "page/drawing/matrix-drawing";

/** @import { Shape, Spot } from "page/ancestors/signal-path" */
/** @import { Inks } from "page/drawing/matrix-drawing" */
/** @import { Surface, Theme } from "page/types" */

const MARGIN = 14;
const RISE = 30; // between two levels
const WIDEST = 26; // between two places
const DOT = 2.5;
const MOST_LEVELS = 9;

/** The colour of the one thing a picture is about. */
const ACCENT = { light: "#c2410c", dark: "#fb923c" };

/**
 * What a picture of a way is drawn from.
 * @typedef {object} PathScene
 * @property {import("page/ancestors/signal-path").Shape} shape
 * @property {import("page/ancestors/signal-path").Found | null} found
 * @property {number} source tokens of the source @property {number} target tokens of the target, 0 within the source
 * @property {{side: "source" | "target", places: number[], label: string}[]} ends the chosen words
 * @property {number} width @property {"light" | "dark"} theme
 */

/** Where everything stands, for a scene of so many pixels. @param {any} scene */
export function plan({ shape, found, source, target, width }) {
  const side = shape.reading;
  const deepest =
    side.moves === "steps"
      ? 1
      : Math.max(
          1,
          ...(found?.ways ?? [])
            .flat()
            .filter((/** @type {Spot} */ spot) => spot.side === "source")
            .map((/** @type {Spot} */ spot) => spot.level),
        );
  // crossing shows layers as one
  const top = target ? 1 : side.moves === "windows" && !found ? side.kernels.length : deepest;
  const levels = Math.min(top, MOST_LEVELS);
  const longest = Math.max(source, target);
  const step = Math.min(WIDEST, (width - 2 * MARGIN) / longest);
  /** @param {number} count */
  const shift = (count) => MARGIN + (width - 2 * MARGIN - count * step) / 2;
  const crossing = target > 0;
  const height = MARGIN * 2 + RISE * levels + (crossing ? 2.4 * RISE : 0) + 30;
  const floor = height - MARGIN - 18;
  /** @param {number} level */
  const narrowed = (level) =>
    side.kernels.slice(0, level).reduce((/** @type {any} */ sum, /** @type {number} */ kernel) => sum + kernel - 1, 0) /
    2;
  return {
    height,
    step,
    levels,
    /** @param {any} spot @returns {[number, number]} */
    at(spot) {
      if (spot.side === "vector") return [width / 2, floor - RISE * levels - 1.2 * RISE];
      if (spot.side === "target") return [shift(target) + (spot.place + 0.5) * step, MARGIN + 18];
      const column = spot.place + (side.moves === "windows" && !side.centred ? narrowed(spot.level) : 0);
      return [shift(source) + (column + 0.5) * step, floor - RISE * Math.min(spot.level, levels)];
    },
  };
}

/** Draws the way, thick, over what the model could have used. @param {Surface} surface @param {any} scene */
export function drawWay(surface, scene) {
  const { shape, found, source, target, theme, ends, width } = scene;
  const inks = INKS[/** @type {keyof typeof INKS} */ (theme)];
  const accent = ACCENT[/** @type {keyof typeof ACCENT} */ (theme)];
  const { at, height, levels, step } = plan(scene);
  surface.rect(0, 0, width, height, inks.paper);
  /** @param {number} place @param {number} level @param {any} [side] */
  const spot = (place, level, side = "source") => at({ side, place, level });
  /** @param {any} from @param {any} to @param {string} stroke @param {number} thickness */
  const line = (from, to, stroke, thickness) => surface.line(from[0], from[1], to[0], to[1], stroke, thickness);
  const small = Math.min(DOT, step / 4);
  /** @param {[number, number]} given @param {number} size @param {string} fill */
  const dot = ([x, y], size, fill) => surface.rect(x - size, y - size, 2 * size, 2 * size, fill);

  // What is there: chains between neighbours, windows under the state that was reached, looks that could be had.
  const reading = shape.reading;
  if (reading.moves === "steps") {
    for (let i = 0; i < source; i++) {
      line(spot(i, 0), spot(i, 1), inks.grid, 1);
    }
    for (const order of reading.orders.length ? reading.orders : [Array.from({ length: source }, (_, i) => i)])
      for (let at = 1; at < order.length; at++)
        if (Math.abs(order[at] - order[at - 1]) === 1) line(spot(order[at - 1], 1), spot(order[at], 1), inks.hatch, 1);
  } else if (!found && !target) {
    for (const end of ends)
      rising(shape, source, end.places[0], levels, (from, to) => line(at(from), at(to), inks.hatch, 0.75));
  } else if (!target) {
    cone(shape, source, found.meeting, (from, to) => line(at(from), at(to), inks.hatch, 0.75));
  } else {
    for (let i = 0; i < source; i++) line(spot(i, 0), spot(i, levels), inks.grid, 1);
  }
  if (target) {
    if (shape.writing.moves === "steps")
      for (let t = 1; t < target; t++) line(spot(t - 1, 1, "target"), spot(t, 1, "target"), inks.hatch, 1);
    const end = found?.meeting.place ?? target - 1;
    if (shape.bridge === "looks") {
      const [from, to] = shape.window ? shape.window(end) : [0, source - 1];
      for (let i = from; i <= to; i++) line(spot(i, levels), spot(end, 1, "target"), inks.hatch, 0.75);
    }
    if (shape.bridge === "vector") {
      const [x, y] = at({ side: "vector", place: 0, level: 1 });
      surface.outline(x - 22, y - 7, 44, 14, inks.quiet, 1.5);
    }
  }
  for (let level = 0; level <= levels; level++) {
    const count =
      reading.moves === "windows" && !reading.centred
        ? source -
          reading.kernels
            .slice(0, level)
            .reduce((/** @type {any} */ sum, /** @type {number} */ kernel) => sum + kernel - 1, 0)
        : source;
    for (let i = 0; i < Math.max(1, count); i++) dot(spot(i, level), small, inks.quiet);
  }
  for (let t = 0; t < target; t++) dot(spot(t, 1, "target"), small, inks.quiet);

  for (const way of found?.ways ?? []) {
    for (let i = 1; i < way.length; i++) {
      const [from, to] = [at(way[i - 1]), at(way[i])];
      if (from[0] !== to[0] || from[1] !== to[1]) line(from, to, accent, 3);
    }
    for (const one of way) dot(at(one), 3, accent);
  }
  if (found && found.ways.length > 1) {
    const [x, y] = at(found.meeting);
    surface.outline(x - 7, y - 7, 14, 14, accent, 2);
  }
  label(surface, scene, at, inks, accent);
}

/**
 * The chosen words at their places; two that stand close lean away from each other.
 * @param {Surface} surface
 * @param {PathScene} given
 * @param {any} at
 * @param {Inks} inks
 * @param {string} accent
 */
function label(surface, { ends, width }, at, inks, accent) {
  const placed = ends.map((end) => ({
    ...end,
    x: at({ side: end.side, place: end.places[0], level: end.side === "source" ? 0 : 1 }),
  }));
  for (const end of placed) {
    const [x, y] = end.x;
    const text = clipped(end.label);
    const half = measure(text) / 2;
    const other = placed.find((one) => one !== end && one.side === end.side);
    const close = other && Math.abs(other.x[0] - x) < half + measure(clipped(other.label)) / 2 + 8;
    const lean = close
      ? x < other.x[0] || (x === other.x[0] && placed.indexOf(end) === 0)
        ? "end"
        : "start"
      : "middle";
    const inside = Math.min(
      width - 4 - (lean === "start" ? 2 * half : lean === "middle" ? half : 0),
      Math.max(
        4 + (lean === "end" ? 2 * half : lean === "middle" ? half : 0),
        x + (lean === "end" ? 4 : lean === "start" ? -4 : 0),
      ),
    );
    surface.rect(x - 4, y - 4, 8, 8, accent);
    surface.text(inside, end.side === "source" ? y + 16 : y - 16, text, {
      size: 12,
      align: lean,
      fill: inks.text,
      weight: 600,
    });
  }
}

/**
 * Every line along which a word is heard of, from the word up.
 * @param {Shape} shape
 * @param {number} source
 * @param {number} place
 * @param {number} levels
 * @param {(from: Spot, to: Spot) => void} line
 */
function rising(shape, source, place, levels, line) {
  const side = shape.reading;
  let [low, high] = [place, place];
  for (let level = 0; level < levels; level++) {
    const width = side.kernels[level];
    const ahead = side.centred ? Math.ceil((width - 1) / 2) : 0;
    for (let i = low; i <= high; i++)
      for (let to = Math.max(0, i - (width - 1 - ahead)); to <= Math.min(source - 1, i + ahead); to++)
        line({ side: "source", place: i, level }, { side: "source", place: to, level: level + 1 });
    [low, high] = [Math.max(0, low - (width - 1 - ahead)), Math.min(source - 1, high + ahead)];
  }
}

/**
 * Every line through which a state has heard of words, from the state down.
 * @param {Shape} shape
 * @param {number} source
 * @param {Spot} spot
 * @param {(from: Spot, to: Spot) => void} line
 */
function cone(shape, source, spot, line) {
  const side = shape.reading;
  let front = new Set([spot.place]);
  for (let level = spot.level; level > 0; level--) {
    const below = new Set();
    for (const place of front) {
      const width = side.kernels[level - 1];
      let [from, to] = [0, source - 1];
      if (side.moves === "windows")
        [from, to] = side.centred
          ? [place - Math.ceil((width - 1) / 2), place + Math.floor((width - 1) / 2)]
          : [place, place + width - 1];
      else {
        if (side.reach !== null) [from, to] = [place - side.reach, place + side.reach];
        if (!side.both) to = Math.min(to, place);
      }
      for (let i = Math.max(0, from); i <= Math.min(source - 1, to); i++) {
        line({ side: "source", place: i, level: level - 1 }, { side: "source", place, level });
        below.add(i);
      }
    }
    front = below;
  }
}

const GAP = 6;
const NARROWEST = 36; // room for the name of the end, in every language

/**
 * Pixels of one number, the same for every model that is shown, so that areas can be compared.
 * @param {number} largest numbers of a state
 */
export const grain = (largest) => (largest > 300 ? 1 : largest > 100 ? 2 : 3);

/**
 * How states are laid out: each a block of about as many rows as columns, blocks in lines as wide as there is room.
 * @param {number} count
 * @param {number} size numbers of one state
 * @param {number} width
 * @param {number} dot pixels of a number
 */
export function shelf(count, size, width, dot) {
  const across = Math.ceil(Math.sqrt(size));
  const down = Math.ceil(size / across);
  const [wide, high] = [Math.max(across * dot, NARROWEST), down * dot + 15];
  const perLine = Math.max(1, Math.floor((width + GAP) / (wide + GAP)));
  return { across, down, wide, high, perLine, height: Math.ceil(count / perLine) * (high + GAP) };
}

/**
 * Draws states as blocks of numbers, a word under each.
 * @param {Surface} surface
 * @param {{shape: number[], data: ArrayLike<number>}} states [count, size]
 * @param {string[]} labels
 * @param {number} limit the number of the strongest colour
 * @param {number} width
 * @param {Theme} theme
 * @param {number} dot
 */
export function drawStates(surface, states, labels, width, limit, theme, dot) {
  const [count, size] = states.shape;
  const { across, down, wide, high, perLine, height } = shelf(count, size, width, dot);
  const inks = INKS[theme];
  surface.rect(0, 0, width, height, inks.paper);
  for (let i = 0; i < count; i++) {
    const [x, y] = [(i % perLine) * (wide + GAP), Math.floor(i / perLine) * (high + GAP)];
    surface.cells(
      x,
      y,
      dot,
      down,
      across,
      /** @type {any} */ (
        (/** @type {number} */ row, /** @type {number} */ column) => {
          const at = row * across + column;
          return at < size ? css(diverging(states.data[i * size + at] / limit, theme)) : null;
        }
      ),
    );
    surface.outline(x, y, across * dot, down * dot, inks.hatch, 1);
    surface.text(x, y + down * dot + 8, fitted(labels[i] ?? "", wide), { size: 10, fill: inks.quiet });
  }
}

/**
 * A label, or as many of its characters as fit, and a mark that there are more.
 * @param {string} label
 * @param {number} width
 */
function fitted(label, width) {
  let [shown, characters] = [label, [...label]];
  while (characters.length > 1 && measure(shown, 10) > width) {
    characters = characters.slice(0, -1);
    shown = `${characters.join("")}…`;
  }
  return shown;
}
