/**
 * LSTMN as encoder and decoder: models/lstmn.py, after Cheng et al. 2016, section 4.
 *
 * Both sides are stacks of layers that keep tapes of all they have written and read them by attention. The source
 * reaches the decoder by shallow fusion, in its first layer, or by deep fusion, in every layer.
 */

import { blankTape, selectedTape, written } from "page/engine/layers/lstmn-tape";
import { Transducer } from "page/engine/models/transducer";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Description } from "page/engine/interpreter" */
/** @import { SourceTapes, Tape, TapeLayer } from "page/engine/layers/lstmn-tape" */

/** The tape of each decoder layer, and what each reads of the source. @typedef {{ tapes: Tape[], sources: any[] }} LSTMNState */

/** A stack of layers. */
class Stack {
  /** @param {Description} description */
  constructor({ parts }) {
    /** @type {TapeLayer[]} */
    this.layers = parts.layers;
  }

  /**
   * The top layer's hidden states, and the tapes after them: of all positions of one sequence ("forward"), or of one
   * position of each hypothesis ("step").
   * @param {"forward" | "step"} how
   * @param {Matrix} states
   * @param {LSTMNState} state
   */
  run(how, states, { tapes, sources }) {
    const after = this.layers.map((layer, at) => {
      const made = layer[how](states, tapes[at], sources[at]);
      states = made.hidden;
      return made.tape;
    });
    return { states, state: { tapes: after, sources } };
  }
}

export class LSTMNEncoder extends Stack {}

export class LSTMNDecoder extends Stack {}

export class LSTMN extends Transducer {
  projection = null;

  /** Reads the source from left to right. @param {number[]} source @returns {SourceTapes[]} the layers that a decoder reads */
  encode(source) {
    const { encoder, source_embedding: embedding } = this.parts;
    const { state } = encoder.run("forward", embedding.forward(source), this.blank(encoder, []));
    const tapes = state.tapes.map(written);
    return this.settings.fusion === "shallow" ? tapes.slice(-1) : tapes;
  }

  /** A row for each position of the source, and how many numbers there are in all. @param {SourceTapes[]} memory */
  remembered(memory) {
    const numbers = memory.reduce((sum, { hidden, memory: cells }) => sum + hidden.data.length + cells.data.length, 0);
    return { kind: /** @type {const} */ ("list"), states: memory[0].hidden, numbers, stays: null };
  }

  /** One position after the other, since each reads what those before it have written. @param {number[]} reads @param {SourceTapes[]} memory @returns {Matrix} */
  states(reads, memory) {
    const { decoder, target_embedding: embedding } = this.parts;
    return decoder.run("forward", embedding.forward(reads), this.start(memory)).states;
  }

  /** The score of every token of the vocabulary. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.forward(states);
  }

  /** Blank tapes; the source is made ready here, once. @param {SourceTapes[]} memory @returns {LSTMNState} */
  start(memory) {
    const { decoder } = this.parts;
    return this.blank(
      decoder,
      memory.map((tapes, at) => decoder.layers[at].prepare(tapes)),
    );
  }

  /** The hypotheses at these places, in this order. @param {LSTMNState} state @param {number[]} places @returns {LSTMNState} */
  select({ tapes, sources }, places) {
    return { tapes: tapes.map((tape) => selectedTape(tape, places)), sources };
  }

  /** One position: the tapes become longer by a slot. @param {number[]} tokens @param {LSTMNState} state */
  step(tokens, state) {
    const after = this.parts.decoder.run("step", this.parts.target_embedding.forward(tokens), state);
    return { logits: this.logits(after.states), state: after.state };
  }

  /** @param {Stack} stack @param {any[]} sources @returns {LSTMNState} */
  blank(stack, sources) {
    return { tapes: stack.layers.map(() => blankTape(this.settings.width)), sources };
  }
}
