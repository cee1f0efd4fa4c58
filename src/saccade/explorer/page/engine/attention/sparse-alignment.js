/**
 * Alignments under which most keys get exactly nothing: attention/sparse_alignment.py, attention/reinforced_alignment.py.
 *
 *   top-k               softmax over the k keys of highest score
 *   sparsemax           the point of the simplex nearest to the scores           Martins and Astudillo 2016
 *   reinforced-subset   softmax over the keys whose gate sigma(w e + b) is open  after Shen et al. 2018
 */

import { Soft, softmaxWhere } from "page/engine/attention/alignment";

/** @import { Description } from "page/engine/interpreter" */

/** Keys that tie with the last of them are kept too. */
export class TopK extends Soft {
  name = "top-k";

  /** @param {Description} description */
  constructor({ settings }) {
    super();
    /** @type {number} */
    this.count = settings.count;
  }

  /** @param {Float32Array} scores */
  weigh(scores) {
    const kept = scores.slice().sort().at(-Math.min(this.count, scores.length)) ?? 0;
    const given = scores.slice();
    softmaxWhere(scores, (key) => given[key] >= kept);
  }
}

/**
 * With the scores sorted downwards, the weight is on the first k of them, k the largest number with
 * 1 + k e_(k) > sum_{j <= k} e_(j), and every score is lowered by (sum_{j <= k} e_(j) - 1) / k.
 */
export class Sparsemax extends Soft {
  name = "sparsemax";

  /** @param {Float32Array} scores */
  weigh(scores) {
    let [sum, count, threshold] = [0, 0, 0];
    for (const score of scores.slice().sort().reverse()) {
      sum += score;
      count += 1;
      if (1 + count * score > sum) threshold = (sum - 1) / count;
    }
    for (let key = 0; key < scores.length; key++) scores[key] = Math.max(scores[key] - threshold, 0);
  }
}

export class ReinforcedSubset extends Soft {
  name = "reinforced-subset";
  sumsToOne = false;

  /** @param {Description} description */
  constructor({ tensors }) {
    super();
    this.slope = Math.exp(tensors.log_slope[0]);
    this.bias = tensors.bias[0];
  }

  /** @param {Float32Array} scores */
  weigh(scores) {
    const given = scores.slice();
    softmaxWhere(scores, (key) => this.slope * given[key] + this.bias > 0);
  }
}
