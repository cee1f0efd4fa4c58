/**
 * A classifier: a model that writes one label and then EOS (models/classifier.py).
 *
 * Its labels are the tokens of the target vocabulary. A state is the embedding of the sentence and one more number: 0
 * before the label, 1 after it. That EOS, and nothing else, follows a label is fixed, not learned.
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { BOS, EOS } from "page/engine/data/tokenizer";
import { Transducer } from "page/engine/models/transducer";

/** @import { Remembered } from "page/engine/live-model" */

/** A sentence as one vector. @typedef {{ embedding: Float32Array }} SentenceEmbedding */
/** The sentence, and for each hypothesis whether its label has been written. @typedef {{ embedding: Float32Array, written: boolean[] }} ClassifierState */

/** The score of a token that cannot follow: its probability is zero, its logarithm still finite. */
const IMPOSSIBLE = -1e4;

export class Classifier extends Transducer {
  /** No one matrix makes the scores: what is impossible depends on the place. @type {null} */
  projection = null;

  /** The score of each label. @param {Matrix} _embeddings @returns {Matrix} */
  classify(_embeddings) {
    throw new Error("a classifier says how it classifies");
  }

  /** The one vector, which stays. @param {SentenceEmbedding} memory @returns {Remembered} */
  remembered({ embedding }) {
    const states = new Matrix(1, embedding.length, embedding);
    return { kind: "vector", states, numbers: embedding.length, stays: true };
  }

  /** The same embedding at every position, and which positions come after the label. @param {number[]} reads @param {SentenceEmbedding} memory */
  states(reads, { embedding }) {
    return flagged(
      embedding,
      reads.map((_, place) => place > 0),
    );
  }

  /** The scores of the labels; after a label, EOS alone is possible. @param {Matrix} states */
  logits(states) {
    const rows = states.list();
    const width = states.columns - 1;
    const scores = this.classify(
      stacked(
        rows.map((row) => row.subarray(0, width)),
        width,
      ),
    );
    rows.forEach((row, at) => {
      const written = row[width] > 0.5;
      const own = scores.row(at);
      for (let token = 0; token < own.length; token++)
        if (written ? token !== EOS : token <= BOS) own[token] = IMPOSSIBLE;
    });
    return scores;
  }

  /** No label yet. @param {SentenceEmbedding} memory @returns {ClassifierState} */
  start({ embedding }) {
    return { embedding, written: [false] };
  }

  /** The hypotheses at these places, in this order. @param {ClassifierState} state @param {number[]} places @returns {ClassifierState} */
  select({ embedding, written }, places) {
    return { embedding, written: places.map((place) => written[place]) };
  }

  /** The scores of the labels at the first step, EOS at the second. @param {number[]} _tokens @param {ClassifierState} state */
  step(_tokens, { embedding, written }) {
    return { logits: this.logits(flagged(embedding, written)), state: { embedding, written: written.map(() => true) } };
  }
}

/** A row for each flag: the embedding, and 1 where the flag is set. @param {Float32Array} embedding @param {boolean[]} flags */
function flagged(embedding, flags) {
  const states = new Matrix(flags.length, embedding.length + 1);
  flags.forEach((flag, row) => {
    states.row(row).set(embedding);
    states.row(row)[embedding.length] = flag ? 1 : 0;
  });
  return states;
}
