/**
 * Language models that look back over their own last outputs: models/key_value_predict.py, after Daniluk et al. 2017.
 *
 *   attention           r_t = sum_i a_i h_i over the last L        h*_t = tanh(W^r r_t + W^x h_t)
 *   key-value           h_t = [k_t; v_t]           keys are compared, values are taken
 *   key-value-predict   h_t = [k_t; v_t; p_t]      and a third part predicts
 *   ngram               h*_t = tanh(W^N [h^1_t; h^2_{t-1}; ..; h^{N-1}_{t-N+2}]), without attention
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { withOne } from "page/engine/layers/biased-projection";
import { selected } from "page/engine/layers/rnn";
import { LanguageModel } from "page/engine/models/language-model";

/** @import { Past } from "page/engine/attention/window" */
/** @import { Description } from "page/engine/interpreter" */
/** @import { Carry } from "page/engine/layers/rnn" */

/** What the LSTM carries, and what each hypothesis remembers of its last outputs. @typedef {{ carry: Carry, pasts: any[][] }} KeyValuePredictState */

/** h* by attention. The first part of an output is its key, the last one predicts, and of three the second is value. */
export class AttentiveReading {
  /** @param {Description} description */
  constructor({ settings, parts }) {
    this.parts = parts;
    /** @type {number} */
    this.valuePart = settings.value_part;
    /** @type {number} */
    this.width = parts.read.weight.columns;
  }

  /** What is remembered of each output. @param {Matrix} outputs @returns {Past[]} */
  remember(outputs) {
    return this.parts.attention.prepare(part(outputs, 0, this.width), part(outputs, this.valuePart, this.width));
  }

  /** h* of each output, given what is remembered of those before it. @param {Matrix} outputs @param {Past[][]} pasts */
  forward(outputs, pasts) {
    const { attention, read, predict } = this.parts;
    const [key, value] = [part(outputs, 0, this.width), part(outputs, this.valuePart, this.width)];
    const predicting = part(outputs, outputs.columns / this.width - 1, this.width);
    return squeezed(read.forward(attention.forward(key, value, pasts)).plus(predict.forward(predicting)));
  }
}

/** The first part of the present output, the second of the one before it, and so on; nothing where there was none. */
export class NgramReading {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
    /** @type {number} */
    this.width = parts.join.weight.rows;
  }

  /** @param {Matrix} outputs @returns {Float32Array[]} */
  remember(outputs) {
    return outputs.list();
  }

  /** @param {Matrix} outputs @param {Float32Array[][]} pasts */
  forward(outputs, pasts) {
    const { width } = this;
    const lagged = new Matrix(outputs.rows, outputs.columns);
    pasts.forEach((past, row) => {
      [...past, outputs.row(row)].reverse().forEach((output, lag) => {
        lagged.row(row).set(output.subarray(lag * width, (lag + 1) * width), lag * width);
      });
    });
    return squeezed(this.parts.join.forward(lagged));
  }
}

export class KeyValuePredict extends LanguageModel {
  projection = this.parts.output.weight;

  /** The LSTM over the whole sentence first; then all positions look back at once. @param {number[]} reads */
  states(reads) {
    const { embedding, recurrent, reading } = this.parts;
    /** @type {Matrix} */
    const outputs = recurrent.forward(embedding.forward(reads), recurrent.initialState()).top;
    const all = reading.remember(outputs);
    const pasts = reads.map((_, place) => all.slice(Math.max(0, place - this.settings.remembered), place));
    return withOne(reading.forward(outputs, pasts));
  }

  /** W* h* + b. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.logits(states);
  }

  /** Nothing read, nothing to look back at. @returns {KeyValuePredictState} */
  start() {
    return { carry: this.parts.recurrent.initialState(), pasts: [[]] };
  }

  /** The hypotheses at these places, in this order. @param {KeyValuePredictState} state @param {number[]} places */
  select({ carry, pasts }, places) {
    return { carry: selected(carry, places), pasts: places.map((place) => pasts[place]) };
  }

  /** One position further; the oldest output is forgotten. @param {number[]} tokens @param {KeyValuePredictState} state */
  step(tokens, { carry, pasts }) {
    const { embedding, recurrent, reading } = this.parts;
    const after = recurrent.step(embedding.forward(tokens), carry);
    const states = withOne(reading.forward(after.top, pasts));
    const latest = reading.remember(after.top);
    const longer = pasts.map((past, row) => [...past, latest[row]]);
    const kept = longer.map((past) => past.slice(Math.max(0, past.length - this.settings.remembered)));
    return { logits: this.logits(states), state: { carry: after.carry, pasts: kept } };
  }
}

/** One part of every output. @param {Matrix} outputs @param {number} which @param {number} width */
const part = (outputs, which, width) =>
  stacked(
    outputs.list().map((row) => row.subarray(which * width, (which + 1) * width)),
    width,
  );

/** tanh of every number. @param {Matrix} matrix */
const squeezed = ({ rows, columns, data }) => new Matrix(rows, columns, data.map(Math.tanh));
