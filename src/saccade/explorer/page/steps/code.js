/** The steps in PyTorch. */

/** @import { Facts } from "page/steps/facts" */

/** The line of PyTorch that computes the step, for readers of tensors. */
export const CODE = {
  tokens: () => "ids = vocabulary.encode(text)",
  /** @param {Facts} f */
  embedding: (f) => (f.scaled ? "x = embedding(ids) * math.sqrt(width)" : "x = embedding(ids)"),
  position: () => "x = x + positions(start=0, length=len(ids))",
  /** @param {Facts} f */
  qkv: (f) =>
    `q, k, v = (m.view(-1, ${f.heads}, ${f.dk}).transpose(0, 1) for m in ` +
    `(${f.cross ? "x @ w_q, memory @ w_k, memory @ w_v" : "x @ w_q, x @ w_k, x @ w_v"}))`,
  memory: () => "memory = model.encode(source)",
  states: () => "query, keys = state, memory.states",
  /** @param {Facts} f */
  scores: (f) =>
    CODE_OF_SCORE[/** @type {keyof typeof CODE_OF_SCORE} */ (f.scoreName)] ?? "scores = score(query, keys)",
  scale: () => "scores = scores / math.sqrt(q.shape[-1])",
  factor: () => "scores = factor * scores",
  mask: () => "scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)",
  /** @param {Facts} f */
  softmax: (f) =>
    CODE_OF_ALIGNMENT[/** @type {keyof typeof CODE_OF_ALIGNMENT} */ (f.alignment)] ??
    "weights = scores.softmax(dim=-1)",
  values: () => "context = weights @ v",
  concat: () => "out = context.transpose(0, 1).flatten(1) @ w_o",
  /** @param {Facts} f */
  norm: (f) =>
    /** @type {any} */ ({
      post: "x = layer_norm(x + out)",
      pre: "x = x + attention(layer_norm(x))",
      residual: "x = x + out",
      plain: "x = out",
    })[f.wiring] ?? "x = layer_norm(x + out)",
  ffn: () => "out = (x @ w_1 + b_1).relu() @ w_2 + b_2",
  output: () => "probabilities = output.logits(states).softmax(dim=-1)",
};

const CODE_OF_SCORE = {
  "scaled-dot": "scores = q @ k.transpose(-2, -1)",
  dot: "scores = query @ keys.transpose(-2, -1)",
  general: "scores = (query @ w) @ keys.transpose(-2, -1)",
  "biased-general": "scores = (query @ w + b) @ keys.transpose(-2, -1)",
  "activated-general": "scores = torch.tanh((query @ w) @ keys.transpose(-2, -1) + b)",
  additive: "scores = torch.tanh((query @ w_1)[:, None] + (keys @ w_2)[None]) @ vector",
  concat: "scores = torch.tanh(torch.cat([query, keys], -1) @ w) @ vector",
  cosine: "scores = factor * cosine_similarity(query, keys)",
  location: "scores = (query @ w)[:, :len(keys)]",
};

const CODE_OF_ALIGNMENT = {
  hard: "weights = one_hot(scores.argmax(dim=-1))",
  "local-p": "weights = scores.softmax(dim=-1) * (-(places - centre) ** 2 / (2 * (reach / 2) ** 2)).exp()",
  diagonal: "weights = (-(places - position) ** 2 / 2).softmax(dim=-1)",
  "top-k": "weights = scores.where(scores >= scores.topk(k).values[:, -1:], -math.inf).softmax(dim=-1)",
  sparsemax: "weights = (scores - threshold).clamp(min=0)",
  sigmoid: "weights = scores.sigmoid()",
  reinforced: "weights = one_hot(scores.argmax(dim=-1))",
  "reinforced-subset": "weights = scores.where(slope * scores + bias > 0, -math.inf).softmax(dim=-1)",
};
