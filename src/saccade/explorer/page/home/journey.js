/**
 * The vectors of a sentence on their way along the drawing of the model.
 *
 * Before a word is chosen the source rises through the encoder. For a decoding step, the vector of the piece that was
 * read rises in the decoder, the source crosses the bridge with its weights of that step, and the word written appears
 * above. Strips have the numbers of the trace: none is an illustration.
 */

import { inks } from "page/drawing/chart";
import { css, diverging } from "page/drawing/colour";
import { CanvasSurface } from "page/drawing/surface";
import { row } from "page/steps/arithmetic";
import { role, tensor } from "page/trace/trace";

/** @import { Layout, PlacedBox } from "page/model/drawing" */
/** @import { Tensor, Theme, Trace } from "page/types" */

const CELLS = 8;
const HIGH = 3;
const WIDE = 7;
const MILLISECONDS = { encode: 2600, write: 1300 };
/** When of a decoding step the source begins and ends to cross the bridge. */
const CROSSING = [0.25, 0.65];

/** @param {number} from @param {number} to @param {number} at */
const between = (from, to, at) => from + (to - from) * Math.min(1, Math.max(0, at));

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Trace} trace
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {(box: PlacedBox | null) => void} passing  called with the box that is being passed
 */
export function journey(canvas, trace, layout, theme, passing) {
  const vectors = vectorsOf(trace);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let frame = 0;
  /** @param {number | null} step @param {number} at  from 0 to 1 */
  const draw = (step, at) => {
    const surface = new CanvasSurface(canvas, layout.width, layout.height);
    canvas.style.setProperty("width", "100%");
    canvas.style.setProperty("height", "100%");
    const place = step === null ? encoding(surface, at) : writing(surface, step, at);
    passing(at < 1 ? under(layout, place) : null);
  };
  /** @param {CanvasSurface} surface @param {number} at */
  const encoding = (surface, at) => {
    if (layout.encoder === null) return { x: 0, y: 0 };
    const y = between(layout.bottom, layout.encoder.top - 30, at);
    sourceStrips(surface, y, at < 1 ? vectors.embedded : vectors.memory);
    return { x: layout.encoder.x + 1, y };
  };
  /** @param {CanvasSurface} surface @param {number} y @param {Tensor | null} from */
  const sourceStrips = (surface, y, from) => {
    for (let i = 0; i < vectors.count; i++) strip(surface, sourceX(i), y, valuesOf(from, i), theme, 1);
  };
  /** @param {number} i */
  const sourceX = (i) => {
    const { x } = /** @type {NonNullable<Layout["encoder"]>} */ (layout.encoder);
    return x + ((i + 1) * layout.wide) / (vectors.count + 1) - WIDE / 2;
  };
  /** @param {CanvasSurface} surface @param {number} step @param {number} at */
  const writing = (surface, step, at) => {
    const [begins, ends] = CROSSING;
    const middle = layout.decoder.x + layout.wide / 2 - WIDE / 2;
    const cross = layout.crossings[0] ?? (layout.bottom + layout.decoder.top) / 2;
    const y =
      at < ends
        ? between(layout.bottom, cross, at / begins)
        : between(cross, layout.decoder.top, (at - ends) / (1 - ends));
    if (layout.encoder) {
      const top = layout.encoder.top - 30;
      sourceStrips(surface, top, vectors.memory);
      if (at >= begins && at < ends) bridge(surface, step, (at - begins) / (ends - begins), top, cross);
    }
    strip(surface, middle, y, valuesOf(at < ends ? vectors.read : vectors.states, step), theme, 1);
    if (at === 1)
      surface.text(layout.decoder.x + layout.wide / 2, layout.decoder.top - 14, trace.axes.target.tokens[step].text, {
        size: 15,
        weight: 600,
        align: "middle",
        fill: inks(theme).text,
      });
    return { x: layout.decoder.x + 1, y };
  };
  /** @param {CanvasSurface} surface @param {number} step @param {number} at @param {number} top @param {number} cross */
  const bridge = (surface, step, at, top, cross) => {
    for (let i = 0; i < vectors.count; i++) {
      const weight = vectors.weights ? valuesOf(vectors.weights, step)?.[i] : 1 / vectors.count;
      const x = between(sourceX(i), layout.decoder.x - 20, at);
      const y = at < 0.5 ? top : between(top, cross, 2 * at - 1);
      strip(surface, x, y, valuesOf(vectors.memory, i), theme, weight ?? 0);
    }
  };
  return {
    /** Shows a decoding step, or the encoder for null, in motion unless motion is unwanted. @param {number | null} step */
    run(step) {
      cancelAnimationFrame(frame);
      const whole = step === null ? MILLISECONDS.encode : MILLISECONDS.write;
      if (still) {
        draw(step, 1);
        return;
      }
      const began = performance.now();
      const next = () => {
        if (!canvas.isConnected) return;
        const at = Math.min(1, (performance.now() - began) / whole);
        draw(step, at);
        if (at < 1) frame = requestAnimationFrame(next);
      };
      frame = requestAnimationFrame(next);
    },
  };
}

/** The numbers that travel; null where the trace does not hold them. @param {Trace} trace */
function vectorsOf(trace) {
  return {
    count: trace.axes.source.tokens.length,
    embedded: role(trace, trace.embedding?.source, "sum") ?? role(trace, trace.embedding?.source, "token"),
    memory: trace.memory?.kind === "list" ? role(trace, trace.memory, "states") : null,
    read: role(trace, trace.embedding?.target, "sum") ?? role(trace, trace.embedding?.target, "token"),
    states: role(trace, trace.final, "states"),
    weights: tensor(trace, trace.alignment?.tensor),
  };
}

/** @param {Tensor | null} from @param {number} at */
const valuesOf = (from, at) => (from && at < from.shape[0] ? row(from.data, from.shape[1], at) : null);

/**
 * A vector as a strip of colours; where its numbers are not here, an empty one.
 * @param {CanvasSurface} surface
 * @param {number} x
 * @param {number} y
 * @param {ArrayLike<number> | null} values
 * @param {Theme} theme
 * @param {number} weight
 */
function strip(surface, x, y, values, theme, weight) {
  const top = y - (CELLS * HIGH) / 2;
  surface.pen.globalAlpha = between(0.06, 1, weight);
  surface.rect(x - 1, top - 1, WIDE + 2, CELLS * HIGH + 2, inks(theme).quiet);
  const largest = values ? Math.max(1e-9, ...Array.from(values, Math.abs).slice(0, CELLS)) : 1;
  for (let i = 0; i < CELLS; i++)
    surface.rect(x, top + i * HIGH, WIDE, HIGH, css(diverging(values ? values[i] / largest : 0, theme)));
  surface.pen.globalAlpha = 1;
}

/** The box at a place, or null. @param {Layout} layout @param {{x: number, y: number}} place */
const under = (layout, { x, y }) =>
  layout.boxes.find((one) => x >= one.x && x <= one.x + one.width && y >= one.y && y <= one.y + one.height) ?? null;
