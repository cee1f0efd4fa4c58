/**
 * Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V, for every head of every line: Eq. 1 of the paper.
 *
 * The lines of a batch stand one below the other without padding; `lines` says which rows of Q and of K and V belong to
 * each. A head is a range of columns: head h of width d_k has the columns from h d_k on.
 */

/**
 * The rows of one line: `queries` rows of Q from `query` on, `keys` rows of K and V from `key` on.
 * @typedef {{query: number, queries: number, key: number, keys: number}} Line
 */

/**
 * @typedef {object} AttentionOptions
 * @property {Line[]} lines
 * @property {number} width  of a row of q, k and v
 * @property {number} heads
 * @property {boolean} causal  whether a query may see only the keys up to its own place
 * @property {boolean} scaled  whether scores are divided by sqrt(d_k)
 */

/**
 * @param {Float32Array} q  [query rows, width]
 * @param {Float32Array} k  [key rows, width]
 * @param {Float32Array} v  [key rows, width]
 * @param {AttentionOptions} options
 */
export function attention(q, k, v, { lines, width, heads, causal, scaled }) {
  const size = width / heads; // d_k
  const scale = scaled ? 1 / Math.sqrt(size) : 1;
  const y = new Float32Array(q.length);
  /** For each line [heads, queries, keys]. @type {Float32Array[]} */
  const weights = lines.map(({ queries, keys }) => new Float32Array(heads * queries * keys));

  /**
   * Calls back once for each row of weights, with the places where its query begins, where its head begins in the first
   * key, where the row begins in the weights of its line, and how many keys it may see.
   * @param {(row: {line: number, query: number, key: number, at: number, seen: number}) => void} visit
   */
  const eachRow = (visit) => {
    lines.forEach(({ query, queries, key, keys }, line) => {
      for (let head = 0; head < heads; head++)
        for (let i = 0; i < queries; i++)
          visit({
            line,
            query: (query + i) * width + head * size,
            key: key * width + head * size,
            at: (head * queries + i) * keys,
            seen: causal ? i + 1 : keys,
          });
    });
  };

  eachRow(({ line, query, key, at, seen }) => {
    const row = weights[line].subarray(at, at + seen);
    let largest = -Infinity;
    for (let j = 0; j < seen; j++) {
      let score = 0;
      for (let c = 0; c < size; c++) score += q[query + c] * k[key + j * width + c];
      row[j] = score * scale;
      largest = Math.max(largest, row[j]);
    }
    let total = 0;
    for (let j = 0; j < seen; j++) {
      row[j] = Math.exp(row[j] - largest); // taking the largest off changes nothing but keeps exp from overflowing
      total += row[j];
    }
    for (let j = 0; j < seen; j++) {
      row[j] /= total;
      for (let c = 0; c < size; c++) y[query + c] += row[j] * v[key + j * width + c];
    }
  });

  /** @param {Float32Array} dy */
  const backward = (dy) => {
    const [dq, dk, dv] = [q, k, v].map(({ length }) => new Float32Array(length));
    const slopes = new Float32Array(Math.max(...lines.map(({ keys }) => keys)));
    eachRow(({ line, query, key, at, seen }) => {
      const row = weights[line].subarray(at, at + seen);
      let mean = 0; // of the slopes, each counted by its weight
      for (let j = 0; j < seen; j++) {
        let slope = 0; // of the loss by the weight: dy . v_j
        for (let c = 0; c < size; c++) {
          slope += dy[query + c] * v[key + j * width + c];
          dv[key + j * width + c] += row[j] * dy[query + c];
        }
        slopes[j] = slope;
        mean += row[j] * slope;
      }
      for (let j = 0; j < seen; j++) {
        // Softmax: a score gains only if its own slope is better than the mean. Then the product q . k, divided.
        const d = row[j] * (slopes[j] - mean) * scale;
        for (let c = 0; c < size; c++) {
          dq[query + c] += d * k[key + j * width + c];
          dk[key + j * width + c] += d * q[query + c];
        }
      }
    });
    return { dq, dk, dv };
  };
  return { y, weights, backward };
}
