/**
 * Long short-term memory-networks: layers/lstmn_tape.py, after Cheng et al. 2016, sections 3 and 4.
 *
 *   a_i = v^T tanh(W_h h_i + W_x x_t + W_r h~_{t-1}),  s = softmax(a),  [h~_t; c~_t] = sum_i s_i [h_i; c_i]
 *   i, f, o = sigma(W [h~_t; x_t] + b),  c^ = tanh(the same kind);   c_t = f * c~_t + i * c^,  h_t = o * tanh(c_t)
 *
 * Every position writes a slot with W_h h, h and c side by side on a tape, which begins with a slot of zeros. Several
 * hypotheses share the slots of their common beginning.
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { everything, within } from "page/engine/attention/multihead";
import { watch } from "page/engine/attention/recording";

/** @import { Prepared } from "page/engine/attention/single-query" */
/** @import { Description } from "page/engine/interpreter" */

/** The slots of each hypothesis, and what each read last of its own tape and of the source's. @typedef {{ slots: Float32Array[][], read: Matrix, sourceRead: Matrix }} Tape */
/** The hidden and the memory tape of a source. @typedef {{ hidden: Matrix, memory: Matrix }} SourceTapes */

/** @param {number} value */
const sigmoid = (value) => 1 / (1 + Math.exp(-value));

/** One slot of zeros. @param {number} width @returns {Tape} */
export function blankTape(width) {
  return { slots: [[new Float32Array(3 * width)]], read: new Matrix(1, width), sourceRead: new Matrix(1, width) };
}

/** The tapes of the hypotheses at these places, in this order. @param {Tape} tape @param {number[]} places @returns {Tape} */
export function selectedTape({ slots, read, sourceRead }, places) {
  return {
    slots: places.map((place) => slots[place]),
    read: read.select(places),
    sourceRead: sourceRead.select(places),
  };
}

/** What one hypothesis wrote, without the slot of zeros. @param {Tape} tape @returns {SourceTapes} */
export function written({ slots: [[, ...slots]], read: { columns: width } }) {
  return { hidden: third(slots, 1, width), memory: third(slots, 2, width) };
}

/** W_h h (0), h (1) or c (2) of each slot. @param {Float32Array[]} slots @param {0 | 1 | 2} which @param {number} width */
function third(slots, which, width) {
  const rows = slots.map((slot) => slot.subarray(which * width, (which + 1) * width));
  return stacked(rows, width);
}

/** Reads tapes by a_i = v^T tanh(W_h h_i + W_x x + W_r r), r what was read before; W_x x is given. */
export class Reader {
  /** @param {Description} description */
  constructor({ name, parts, tensors }) {
    this.name = name;
    this.parts = parts;
    /** @type {Float32Array} */
    this.vector = tensors.vector;
  }

  /** W_h h. @param {Matrix} hidden @returns {Matrix} */
  keys(hidden) {
    return this.parts.key.forward(hidden);
  }

  /**
   * What each hypothesis finds, hidden and memory side by side.
   * @param {Matrix} asked
   * @param {Matrix} read
   * @param {Float32Array[][]} slots  of each hypothesis
   * @param {boolean} own  whether the tape is that which is being written, and begins with zeros
   */
  forward(asked, read, slots, own) {
    const width = asked.columns;
    /** @type {Matrix} */
    const query = this.parts.before.forward(read).plus(asked);
    const scores = new Matrix(query.rows, slots[0].length);
    const found = new Matrix(query.rows, 2 * width);
    slots.forEach((tape, row) => {
      tape.forEach((slot, place) => {
        scores.row(row)[place] = this.compare(query.row(row), slot);
      });
    });
    const weights = new Matrix(scores.rows, scores.columns, scores.data.slice());
    slots.forEach((tape, row) => {
      softmax(weights.row(row));
      tape.forEach((slot, place) => {
        const weight = weights.row(row)[place];
        for (let at = 0; at < 2 * width; at++) found.row(row)[at] += weight * slot[width + at];
      });
    });
    watch(this.name, () => this.told(query, slots[0], scores, weights, found, own));
    return found;
  }

  /** @param {Float32Array} query @param {Float32Array} slot  its first third is W_h h */
  compare(query, slot) {
    let sum = 0;
    for (let at = 0; at < query.length; at++) sum += this.vector[at] * Math.tanh(query[at] + slot[at]);
    return sum;
  }

  /**
   * For a trace, as of one head.
   * @param {Matrix} query
   * @param {Float32Array[]} slots
   * @param {Matrix} scores
   * @param {Matrix} weights
   * @param {Matrix} found
   * @param {boolean} own
   */
  told(query, slots, scores, weights, found, own) {
    const hidden = third(slots, 1, query.columns);
    const seen = new Matrix(
      scores.rows,
      scores.columns,
      scores.data.map(() => 1),
    );
    return {
      heads: 1,
      own,
      blank: own,
      weights: weights.data,
      scores,
      seen,
      query,
      q_hidden: query,
      k_hidden: third(slots, 0, query.columns),
      vector: this.vector,
      keys: hidden,
      values: hidden.beside(third(slots, 2, query.columns)),
      context: found,
      score: "additive",
      scale: 1,
      alignment: "soft",
      visibility: own ? within(true, null) : everything,
    };
  }
}

/** One layer that reads nothing but its input and its own tape. */
export class TapeLayer {
  /** @param {Description} description */
  constructor({ name, parts }) {
    this.name = name;
    this.parts = parts;
  }

  /** The tapes of a source as this layer reads them: not at all. @param {SourceTapes} _source @returns {any} */
  prepare(_source) {
    return null;
  }

  /** The hidden states of all positions of one sequence, and the tape. @param {Matrix} inputs @param {Tape} tape @param {any} source */
  forward(inputs, tape, source) {
    const rows = inputs.list().map((row) => {
      const after = this.step(new Matrix(1, inputs.columns, row), tape, source);
      tape = after.tape;
      return after.hidden.row(0);
    });
    return { hidden: stacked(rows, rows[0].length), tape };
  }

  /**
   * One position of each hypothesis.
   * @param {Matrix} inputs
   * @param {Tape} tape
   * @param {any} _source
   * @returns {{ hidden: Matrix, tape: Tape }}
   */
  step(inputs, tape, _source) {
    const { reader, asked, driven } = this.parts;
    const found = reader.forward(asked.forward(inputs), tape.read, tape.slots, true);
    return this.write(found, driven.forward(inputs), tape);
  }

  /**
   * The cell: new hidden states, and the tape with them. Memory that was found elsewhere is added to the cell's own.
   * @param {Matrix} found
   * @param {Matrix} driven
   * @param {Tape} tape
   * @param {{ read: Matrix, memory: Matrix } | null} [elsewhere]
   */
  write(found, driven, tape, elsewhere = null) {
    const width = found.columns / 2;
    const [read, remembered] = halves(found);
    /** @type {Matrix} */
    const sums = this.parts.recurrent.forward(read).plus(driven);
    const [hidden, memory] = [new Matrix(found.rows, width), new Matrix(found.rows, width)];
    const gates = new Matrix(found.rows, 3 * width);
    for (let row = 0; row < found.rows; row++) {
      const [own, opened] = [sums.row(row), gates.row(row)];
      for (let at = 0; at < 3 * width; at++) opened[at] = sigmoid(own[at]);
      for (let at = 0; at < width; at++) {
        const kept = opened[width + at] * remembered.row(row)[at] + opened[at] * Math.tanh(own[3 * width + at]);
        memory.row(row)[at] = kept + (elsewhere ? elsewhere.memory.row(row)[at] : 0);
        hidden.row(row)[at] = opened[2 * width + at] * Math.tanh(memory.row(row)[at]);
      }
    }
    watch(this.name, () => ({ states: hidden, gates, gate_names: ["input", "forget", "output"] }));
    const slot = this.parts.reader.keys(hidden).beside(hidden).beside(memory);
    const slots = tape.slots.map((before, row) => [...before, slot.row(row)]);
    return { hidden, tape: { slots, read, sourceRead: elsewhere?.read ?? tape.sourceRead } };
  }
}

/**
 * A layer that reads the tapes of a source, gamma and alpha, as it reads its own:
 *
 *   [gamma~_t; alpha~_t] = sum_j p_j [gamma_j; alpha_j],  r = sigma(W_r [gamma~_t; x_t] + b),
 *   c_t = r * alpha~_t + f * c~_t + i * c^
 */
export class DeepFusion extends TapeLayer {
  /** @param {SourceTapes} source @returns {Float32Array[]} */
  prepare({ hidden, memory }) {
    return this.parts.source_reader.keys(hidden).beside(hidden).beside(memory).list();
  }

  /** @param {Matrix} inputs @param {Tape} tape @param {Float32Array[]} source */
  step(inputs, tape, source) {
    const { reader, asked, driven, source_reader, source_asked, source_driven, source_gate } = this.parts;
    const found = reader.forward(asked.forward(inputs), tape.read, tape.slots, true);
    const everyone = tape.slots.map(() => source);
    const [read, memory] = halves(
      source_reader.forward(source_asked.forward(inputs), tape.sourceRead, everyone, false),
    );
    /** @type {Matrix} */
    const gate = source_driven.forward(inputs).plus(source_gate.forward(read));
    for (let at = 0; at < memory.data.length; at++) memory.data[at] *= sigmoid(gate.data[at]);
    return this.write(found, driven.forward(inputs), tape, { read, memory });
  }
}

/** A layer one of whose inputs is what its previous hidden state finds in a source. */
export class ShallowFusion extends TapeLayer {
  /** @param {SourceTapes} source @returns {Prepared} */
  prepare({ hidden }) {
    return this.parts.attention.prepare(hidden, hidden);
  }

  /** @param {Matrix} inputs @param {Tape} tape @param {Prepared} source */
  step(inputs, tape, source) {
    const { reader, asked, driven, attention, context_asked, context_driven } = this.parts;
    const width = tape.read.columns;
    const last = tape.slots.map((slots) => slots[slots.length - 1]);
    const positions = tape.slots.map((slots) => slots.length - 1);
    const context = attention.forward(third(last, 1, width), source, positions);
    const question = asked.forward(inputs).plus(context_asked.forward(context));
    const found = reader.forward(question, tape.read, tape.slots, true);
    return this.write(found, driven.forward(inputs).plus(context_driven.forward(context)), tape);
  }
}

/** The left and the right half of every row. @param {Matrix} both @returns {[Matrix, Matrix]} */
function halves(both) {
  const width = both.columns / 2;
  const rows = both.list();
  return [
    stacked(
      rows.map((row) => row.subarray(0, width)),
      width,
    ),
    stacked(
      rows.map((row) => row.subarray(width)),
      width,
    ),
  ];
}

/** In place. @param {Float32Array} scores */
function softmax(scores) {
  const highest = Math.max(...scores);
  let total = 0;
  for (let at = 0; at < scores.length; at++) {
    scores[at] = Math.exp(scores[at] - highest);
    total += scores[at];
  }
  for (let at = 0; at < scores.length; at++) scores[at] /= total;
}
