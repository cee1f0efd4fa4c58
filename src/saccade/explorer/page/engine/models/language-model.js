// A language model, P(y) = prod_t P(y_t | y_<t): a model with nothing to encode (models/language_model.py).

import { Transducer } from "page/engine/models/transducer";

/** @import { Remembered } from "page/engine/live-model" */

export class LanguageModel extends Transducer {
  /** Reads nothing. @param {number[]} _source */
  encode(_source) {
    return null;
  }

  /** And so remembers nothing of it. @param {null} _memory @returns {Remembered} */
  remembered(_memory) {
    return { kind: "none", states: null, numbers: 0, stays: null };
  }
}
