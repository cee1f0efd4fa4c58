/**
 * The equations of the Steps view, with the terms that belong to its steps: `formula` answers which equation stands
 * over a step.
 */

import { element, i, n, o, over, root, row, sub, sup, term, words } from "page/elements/mathml";
import { SPOKEN } from "page/steps/words-formulas";

/** @import { Formula } from "page/elements/mathml" */
/** @import { Facts } from "page/steps/facts" */

/** @param {string} name */
const transposed = (name) => sup(i(name), i("T"));
/** @param {string} name @param {...Formula} parts */
const call = (name, ...parts) => row(words(name), o("("), ...parts, o(")"));
const comma = o(",");
/** @param {string} name @param {...string} below */
const at = (name, ...below) => sub(i(name), row(...below.map(i)));

/** x_i = E[w_i] sqrt(d_model) + PE(i): sections 3.4 and 3.5. @param {Facts} given */
function embedding({ scaled, positions }) {
  const looked = row(i("E"), o("["), term("tokens", at("w", "i")), o("]"));
  const parts = [
    at("x", "i"),
    o("="),
    term("embedding", scaled ? row(looked, o("⋅"), root(sub(i("d"), words("model")))) : looked),
  ];
  if (positions) parts.push(o("+"), term("position", call("PE", i("i"))));
  return { parts, spoken: SPOKEN.embedding(scaled, positions) };
}

/**
 * Equation 1, with the mask written as the M it adds: zero where a query may look, minus infinity elsewhere.
 * @param {Facts} given
 */
function attention({ masked }) {
  const scores = term("scores", row(i("Q"), transposed("K")));
  const inside = [over(scores, term("scale", root(sub(i("d"), i("k")))))];
  if (masked) inside.push(o("+"), term("mask", i("M")));
  const parts = [
    words("Attention"),
    term("qkv", row(o("("), i("Q"), comma, i("K"), comma, i("V"), o(")"))),
    o("="),
    term("softmax", words("softmax")),
    row(o("("), ...inside, o(")")),
    term("values", i("V")),
  ];
  return {
    parts,
    spoken: SPOKEN.attention(masked),
  };
}

/** How the ancestors score a key k_j for a query q_i. */
const SCORES = {
  additive: () =>
    row(transposed("w"), call("tanh", sub(i("W"), n("1")), at("q", "i"), o("+"), sub(i("W"), n("2")), at("k", "j"))),
  concat: () => row(transposed("v"), call("tanh", i("W"), o("["), at("q", "i"), o(";"), at("k", "j"), o("]"))),
  dot: () => row(element("msubsup", i("q"), i("i"), i("T")), at("k", "j")),
  "scaled-dot": () => over(row(element("msubsup", i("q"), i("i"), i("T")), at("k", "j")), root(sub(i("d"), i("k")))),
  general: () => row(element("msubsup", i("k"), i("j"), i("T")), i("W"), at("q", "i")),
  "biased-general": () =>
    row(element("msubsup", i("k"), i("j"), i("T")), o("("), i("W"), at("q", "i"), o("+"), i("b"), o(")")),
  "activated-general": () =>
    call("tanh", element("msubsup", i("k"), i("j"), i("T")), i("W"), at("q", "i"), o("+"), i("b")),
  cosine: () => row(i("t"), call("cos", at("q", "i"), comma, at("k", "j"))),
  location: () => sub(row(o("("), i("W"), at("q", "i"), o(")")), i("j")),
};

/** How their scores become weights, by the name of the alignment. */
const BELL = () =>
  call(
    "exp",
    o("−"),
    over(sup(row(o("("), i("j"), o("−"), at("p", "i"), o(")")), n("2")), row(n("2"), sup(i("σ"), n("2")))),
  );

/** What takes the place of softmax, by the name of the alignment. @type {Record<string, string>} */
const NORMALISERS = {
  hard: "one-hot argmax",
  reinforced: "one-hot argmax",
  sparsemax: "sparsemax",
  sigmoid: "sigmoid",
  "top-k": "softmax of the top k",
  "reinforced-subset": "softmax of the open gates",
};

/** c_i = sum_j softmax_j(score(q_i, k_j)) v_j: attention as every ancestor has it. @param {Facts} given */
function single({ scoreName: score, alignment, masked }) {
  const scored = term(
    "scores",
    SCORES[/** @type {keyof typeof SCORES} */ (score)]
      ? SCORES[/** @type {keyof typeof SCORES} */ (score)]()
      : call("score", at("q", "i"), comma, at("k", "j")),
  );
  const where = masked
    ? element("munder", words("softmax"), term("mask", row(i("j"), o("∈"), sub(i("S"), i("i")))))
    : sub(words("softmax"), i("j"));
  const parts = [
    term("states", at("c", "i")),
    o("="),
    element("munder", o("∑"), i("j")),
    term("softmax", NORMALISERS[alignment] ? sub(words(NORMALISERS[alignment]), i("j")) : where),
    row(o("("), scored, o(")")),
  ];
  if (alignment === "local-p") parts.push(term("softmax", BELL()));
  parts.push(term("values", at("v", "j")));
  const how = NORMALISERS[alignment] ?? "softmax";
  return { parts, spoken: SPOKEN.context(how, score) };
}

/** MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O. */
function together() {
  const heads = row(sub(words("head"), n("1")), comma, o("…"), comma, sub(words("head"), i("h")));
  const parts = [
    call("MultiHead", i("Q"), comma, i("K"), comma, i("V")),
    o("="),
    term("concat", row(call("Concat", heads), sup(i("W"), i("O")))),
  ];
  return { parts, spoken: SPOKEN.heads };
}

/** How a sub-layer meets the stream, by the wiring's name. */
const WIRED = {
  post: () => [call("LayerNorm", i("x"), o("+"), call("Sublayer", i("x")))],
  pre: () => [i("x"), o("+"), call("Sublayer", call("LayerNorm", i("x")))],
  residual: () => [i("x"), o("+"), call("Sublayer", i("x"))],
  plain: () => [call("Sublayer", i("x"))],
};

/** @param {Facts} given */
function wired({ wiring }) {
  return {
    parts: [i("y"), o("="), term("norm", row(...(WIRED[/** @type {keyof typeof WIRED} */ (wiring)] || WIRED.post)()))],
    spoken: SPOKEN.wiring(wiring),
  };
}

/** FFN(x) = max(0, x W_1 + b_1) W_2 + b_2: equation 2, or with another activation. @param {Facts} given */
function feedforward({ activation = "relu" }) {
  const one = row(i("x"), sub(i("W"), n("1")), o("+"), sub(i("b"), n("1")));
  const activated = activation === "relu" ? call("max", n("0"), comma, one) : call(activation, one);
  const parts = [
    call("FFN", i("x")),
    o("="),
    term("ffn", row(activated, sub(i("W"), n("2")), o("+"), sub(i("b"), n("2")))),
  ];
  const said = activation === "relu" ? SPOKEN.relu : SPOKEN.activation(activation);
  return { parts, spoken: SPOKEN.feedForward(said) };
}

/** m = Encoder(x_1, ..., x_n): all that a decoder without attention gets. */
function carried() {
  const read = row(sub(i("x"), n("1")), comma, o("…"), comma, at("x", "n"));
  return { parts: [term("memory", i("m")), o("="), call("Encoder", read)], spoken: SPOKEN.memory };
}

/** P(y_t) = softmax(h_t W^T + b). @param {Facts} given */
function output({ bias }) {
  const logits = [at("h", "t"), transposed("W")];
  if (bias) logits.push(o("+"), i("b"));
  const parts = [call("P", at("y", "t")), o("="), term("output", row(words("softmax"), o("("), ...logits, o(")")))];
  return { parts, spoken: SPOKEN.output(bias) };
}

/**
 * The equation over a step.
 * @param {string} step
 * @param {any} facts
 */
export function formula(step, facts) {
  if (step === "tokens" || step === "embedding" || step === "position") return embedding(facts);
  if (step === "memory") return carried();
  if (step === "concat") return together();
  if (step === "norm") return wired(facts);
  if (step === "ffn") return feedforward(facts);
  if (step === "output") return output(facts);
  return facts.multihead ? attention(facts) : single(facts);
}
