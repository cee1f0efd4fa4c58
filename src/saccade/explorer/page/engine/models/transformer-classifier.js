/**
 * The Transformer's encoder as a classifier: models/transformer_classifier.py, after Vaswani et al. 2017, section 3.1.
 *
 *   h = encoder(E[w] sqrt(d) + PE)        m = 1/n sum_t h_t        label scores = W m + b
 */

import { within } from "page/engine/attention/multihead";
import { addPositions } from "page/engine/layers/position";
import { Classifier } from "page/engine/models/classifier";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { SentenceEmbedding } from "page/engine/models/classifier" */

export class TransformerClassifier extends Classifier {
  /** The mean over all positions. @param {number[]} source @returns {SentenceEmbedding} */
  encode(source) {
    const { embedding, positions, encoder } = this.parts;
    const embedded = addPositions(embedding.forward(source), positions, [...source.keys()], embedding.scale);
    return { embedding: mean(encoder.forward(embedded, within(false, this.settings.attention_window))) };
  }

  /** W m + b. @param {Matrix} embeddings @returns {Matrix} */
  classify(embeddings) {
    return this.parts.output.forward(embeddings);
  }
}

/** The mean of all rows. @param {Matrix} states */
function mean({ rows, columns, data }) {
  const total = new Float64Array(columns);
  for (let at = 0; at < data.length; at++) total[at % columns] += data[at];
  return Float32Array.from(total, (sum) => sum / rows);
}
