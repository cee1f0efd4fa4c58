/**
 * The plan of a model as a picture: boxes from the bottom up, residual lines beside them, and the bridge between the
 * stacks.
 */

import { inks } from "page/drawing/chart";
import { css, oklch } from "page/drawing/colour";
import { measure } from "page/drawing/matrix-drawing";
import { MODEL } from "page/model/words";

/** @import { Box, Group, Plan } from "page/model/plan" */
/** @import { Choice } from "page/steps/facts" */
/** @import { Surface, Theme } from "page/types" */

/**
 * @typedef {object} PlacedBox  a box of the plan and where it was drawn
 * @property {Box} box
 * @property {"encoder" | "decoder"} stack
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 */
/**
 * @typedef {object} Layout  where the parts of a plan were drawn; a stack has its left and its upper end
 * @property {number} width
 * @property {number} height
 * @property {number} wide  of a box
 * @property {number} bottom
 * @property {{x: number, top: number} | null} encoder
 * @property {{x: number, top: number}} decoder
 * @property {number[]} crossings  heights at which the decoder looks at the source
 * @property {PlacedBox[]} boxes
 */

const WIDE = 184;
const HIGH = 40;
const SMALL = 20;
const GAP = 14;
const PAD = 26;
const LEFT = 66;
const BETWEEN = 186;
const RIGHT = 50;

const HUES = {
  words: 0,
  embedding: 95,
  position: 95,
  self: 262,
  cross: 330,
  ffn: 155,
  recurrent: 45,
  convolution: 45,
  memory: 300,
  output: 25,
};

/** @param {Theme} theme @param {any} kind */
function fills(theme, kind) {
  if (kind === "words")
    return theme === "dark" ? { fill: "#262b33", line: "#4d586a" } : { fill: "#f1f3f6", line: "#b3bccb" };
  const hue = HUES[/** @type {keyof typeof HUES} */ (kind)];
  return theme === "dark"
    ? { fill: css(oklch(0.32, 0.06, hue)), line: css(oklch(0.6, 0.1, hue)) }
    : { fill: css(oklch(0.94, 0.035, hue)), line: css(oklch(0.65, 0.12, hue)) };
}

/** A box with its add and norm: what is drawn for it, from the bottom up, and how high that is. @param {Box} box */
function pieces(box) {
  if (box.kind === "norm") return [{ small: MODEL.boxes.norm }];
  const list = [];
  if (box.norm === "pre") list.push({ small: MODEL.boxes.norm });
  list.push({ box });
  if (box.residual) list.push({ small: box.norm === "post" ? MODEL.boxes.addNorm : MODEL.boxes.add });
  return list;
}

/** @param {any} piece */
const heightOf = (piece) => (piece.small ? SMALL : HIGH) + GAP;
/** @param {Box} box */
const heightOfBox = (box) => pieces(box).reduce((total, piece) => total + heightOf(piece), 0);
/** @param {Group} group */
const heightOfGroup = (group) =>
  group.boxes.reduce((total, box) => total + heightOfBox(box), 0) + (group.times > 1 ? PAD : 0);
/** @param {any} groups */
const heightOfStack = (groups) =>
  (groups ?? []).reduce((/** @type {number} */ total, /** @type {Group} */ group) => total + heightOfGroup(group), 0);

/** How much room a plan takes. @param {Plan} given */
export function size({ encoder, decoder }) {
  const columns = encoder ? 2 : 1;
  return {
    width: LEFT + columns * WIDE + (encoder ? BETWEEN : 0) + RIGHT,
    height: Math.max(heightOfStack(encoder), heightOfStack(decoder)) + 70,
  };
}

/**
 * Draws a plan and says where its parts are.
 * @param {Surface} surface
 * @param {Plan} plan
 * @param {Theme} theme
 * @returns {Layout}
 */
export function drawModel(surface, plan, theme) {
  const ink = inks(theme);
  const { width, height } = size(plan);
  const left = LEFT;
  const right = plan.encoder ? left + WIDE + BETWEEN : left;
  const bottom = height - 12;
  /** @type {{top: number | null, cross: any[]}} */
  const places = { top: null, cross: [] };
  /** @type {PlacedBox[]} */
  const boxes = [];
  /** @param {"encoder" | "decoder"} stack @param {number} x */
  const placing = (stack, x) => (/** @type {Box} */ box, /** @type {number} */ y) =>
    boxes.push({ box, stack, x, y, width: WIDE, height: HIGH });
  if (plan.encoder)
    places.top = column(surface, plan.encoder, left, bottom, theme, [], false, placing("encoder", left));
  const top = column(surface, plan.decoder, right, bottom, theme, places.cross, true, placing("decoder", right));
  if (plan.encoder)
    surface.text(left + WIDE / 2, 14, MODEL.boxes.encoder, { size: 14, weight: 600, align: "middle", fill: ink.text });
  surface.text(right + WIDE / 2, 14, MODEL.boxes.decoder, { size: 14, weight: 600, align: "middle", fill: ink.text });
  if (plan.encoder) bridge(surface, plan, places, { left, right, bottom }, theme);
  return {
    width,
    height,
    wide: WIDE,
    bottom,
    encoder: places.top === null ? null : { x: left, top: places.top },
    decoder: { x: right, top },
    crossings: places.cross.filter(({ kind }) => kind === "cross").map(({ y }) => y),
    boxes,
  };
}

/**
 * Draws a column and returns the height of its upper end; the middles of boxes that look at the source go to `cross`.
 * @param {Surface} surface
 * @param {Group[]} groups
 * @param {number} left
 * @param {number} bottom
 * @param {Theme} theme
 * @param {number[]} cross
 * @param {any} countRight
 * @param {(box: Box, y: number) => void} place  told where each box is drawn
 */
function column(surface, groups, left, bottom, theme, cross, countRight, place) {
  const ink = inks(theme);
  let y = bottom;
  groups.forEach((group, number) => {
    const from = y;
    if (group.times > 1) y -= PAD / 2;
    for (const box of group.boxes) {
      const start = y;
      const list = pieces(box);
      const last = number === groups.length - 1 && box === group.boxes.at(-1);
      for (const piece of list) {
        const high = piece.small ? SMALL : HIGH;
        y -= high;
        if (piece.small) small(surface, left, y, piece.small, theme);
        else {
          body(surface, left, y, box, theme);
          place(box, y);
        }
        if (piece.box?.kind === "cross" || (piece.box?.kind === "recurrent" && !cross.length))
          cross.push(/** @type {any} */ ({ y: y + high / 2, kind: piece.box.kind }));
        if (!last || piece !== list.at(-1) || countRight)
          arrow(surface, left + WIDE / 2, y, left + WIDE / 2, y - GAP, ink.quiet);
        y -= GAP;
      }
      if (box.residual) beside(surface, left, start, y + GAP, ink.quiet);
    }
    if (group.times > 1) {
      y -= PAD / 2;
      frame(surface, left, y + GAP / 2, from + GAP / 2, group.times, theme, countRight);
    }
  });
  return y + GAP;
}

/** @param {Surface} surface @param {number} x @param {number} y @param {Box} box @param {Theme} theme */
function body(surface, x, y, box, theme) {
  const { fill, line } = fills(theme, box.kind);
  const ink = inks(theme);
  surface.rect(x, y, WIDE, HIGH, fill);
  surface.outline(x, y, WIDE, HIGH, line, 1.25);
  surface.text(x + WIDE / 2, y + (box.detail ? 14 : HIGH / 2), box.label, {
    size: 12.5,
    weight: 600,
    align: "middle",
    fill: ink.text,
  });
  if (box.detail) surface.text(x + WIDE / 2, y + 29, box.detail, { size: 11, align: "middle", fill: ink.text });
  if (box.dropout)
    for (const [dx, dy] of [
      [-10, 28],
      [-5, 32],
      [-10, 36],
    ])
      surface.rect(x + WIDE + dx, y + dy, 3, 3, line);
}

/** @param {Surface} surface @param {number} x @param {number} y @param {string} label @param {Theme} theme */
function small(surface, x, y, label, theme) {
  const ink = inks(theme);
  surface.outline(x + 30, y, WIDE - 60, SMALL, ink.quiet, 1);
  surface.text(x + WIDE / 2, y + SMALL / 2, label, { size: 11, align: "middle", fill: ink.text });
}

/**
 * The way past a sub-layer: out of the stream below it, into the sum above it.
 * @param {Surface} surface
 * @param {number} left
 * @param {number} from
 * @param {number} to
 * @param {string} colour
 */
function beside(surface, left, from, to, colour) {
  const x = left - 14;
  const [low, high] = [from + GAP / 2, to + SMALL / 2];
  surface.line(left + WIDE / 2, low, x, low, colour, 1.25);
  surface.line(x, low, x, high, colour, 1.25);
  arrow(surface, x, high, left + 30, high, colour);
}

/**
 * @param {Surface} surface
 * @param {number} left
 * @param {number} top
 * @param {number} bottom
 * @param {number} times
 * @param {Theme} theme
 * @param {number} countRight
 */
function frame(surface, left, top, bottom, times, theme, countRight) {
  const ink = inks(theme);
  surface.outline(left - 24, top, WIDE + 36, bottom - top, ink.grid, 1.5);
  const x = countRight ? left + WIDE + 20 : left - 32;
  surface.text(x, (top + bottom) / 2, MODEL.times(times), {
    size: 14,
    weight: 600,
    align: countRight ? "start" : "end",
    fill: ink.text,
  });
}

/**
 * What the encoder hands over, from its upper end to where the decoder takes it.
 * @param {Surface} surface
 * @param {Plan} plan
 * @param {any} given
 * @param {any} given
 * @param {Theme} theme
 */
function bridge(surface, plan, { top, cross }, { left, right, bottom }, theme) {
  const ink = inks(theme);
  const { line } = fills(theme, "memory");
  const lane = left + WIDE + 30;
  const startX = left + WIDE / 2;
  const takes = cross.filter((/** @type {Choice} */ { kind }) => kind === "cross").length
    ? cross.filter((/** @type {Choice} */ { kind }) => kind === "cross")
    : cross.slice(0, 1);
  const ends = takes.length ? takes.map((/** @type {any} */ { y }) => y) : [bottom - HIGH * 2];
  const head = top - 12;
  surface.line(startX, top, startX, head, line, 2);
  surface.line(startX, head, lane, head, line, 2);
  surface.line(lane, head, lane, Math.max(...ends), line, 2);
  for (const y of ends) arrow(surface, lane, y, right - 2, y, line, 2);
  if (!plan.memory) return;
  const wide = measure(plan.memory.label, 12) + 16;
  const middle = (lane + right - 24) / 2;
  const y = head + (ends[0] - head) / 2;
  surface.rect(middle - wide / 2, y - 12, wide, 24, fills(theme, "memory").fill);
  surface.outline(middle - wide / 2, y - 12, wide, 24, line, 1.25);
  surface.text(middle, y, plan.memory.label, { size: 12, align: "middle", fill: ink.text });
}

/**
 * @param {Surface} surface
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @param {string} colour
 * @param {number} [thickness]
 */
function arrow(surface, x1, y1, x2, y2, colour, thickness = 1.25) {
  surface.line(x1, y1, x2, y2, colour, thickness);
  const [dx, dy] = [Math.sign(x2 - x1), Math.sign(y2 - y1)];
  const size = 4;
  surface.line(x2, y2, x2 - dx * size - dy * size, y2 - dy * size - dx * size, colour, thickness);
  surface.line(x2, y2, x2 - dx * size + dy * size, y2 - dy * size + dx * size, colour, thickness);
}
