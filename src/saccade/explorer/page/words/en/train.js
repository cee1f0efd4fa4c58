/** Every sentence of the view Train. */

export const TRAIN = {
  title: "Train a Transformer, here",
  lede:
    "This page holds a small Transformer that knows nothing yet. Press Train: it reads lines, guesses what to write, " +
    "measures how wrong it was, and changes its weights a little so as to be less wrong. No server takes part.",
  tasks: {
    copy: "copy the letters",
    reverse: "reverse the letters",
    article: "“a” or “an”",
    addition: "add two numbers",
  },
  taskWhy: {
    copy: "The line must be written once more. The cross-attention that solves it is a diagonal.",
    reverse: "The line must be written backwards. The cross-attention that solves it is the other diagonal.",
    article:
      "Before the word stands “a”, or “an” if it begins with a vowel. To write the article, the network must look " +
      "ahead at the letter that comes after it.",
    addition: "The sum must be written in three digits. Each digit needs two others, and a carry from further right.",
  },
  settings: "The network and how it learns",
  task: "Task",
  heads: "Heads",
  width: "Width",
  layers: "Layers",
  rate: "Learning rate",
  seed: "Seed",
  positions: "positions",
  positionsWhy: "Without positions the network reads a bag of letters: it cannot know their order.",
  scaled: "divide by √d_k",
  scaledWhy:
    "Without the division large scores make the softmax choose one key, and leave little gradient to the others.",
  again: "A change of these settings starts again. The same settings and the same seed give the same numbers.",
  train: "Train",
  pause: "Pause",
  step: "One step",
  restart: "Start again",
  /** @param {number} step */
  steps: (step) => `${step} ${step === 1 ? "step" : "steps"}`,
  /** @param {number} step @param {string} accuracy */
  status: (step, accuracy) => `After ${TRAIN.steps(step)}: ${accuracy} of lines it has never seen are written right.`,
  starting: "The network is being made…",
  /** @param {string} message */
  problem: (message) => `The training could not run: ${message}.`,
  facts: {
    loss: "loss, last batch",
    heldOut: "loss, lines never seen",
    rate: "learning rate, next step",
    speed: "steps a second",
    parameters: "numbers learned",
  },
  lossChart: "Loss",
  lossLabel: (/** @type {string} */ trained, /** @type {string} */ heldOut) =>
    `Cross-entropy by step. Now ${trained} on lines trained on, ${heldOut} on lines never seen.`,
  accuracyChart: "Lines never seen, written right",
  accuracyLabel: (/** @type {string} */ accuracy) => `Share of lines by step. Now ${accuracy}.`,
  axes: { step: "step", loss: "loss (nats)", accuracy: "share" },
  trained: "trained on",
  heldOut: "never seen",
  share: "all right",
  time: "Back in time",
  timeWhy: "The weights were kept along the way. Move the slider to see the network as it was.",
  /** @param {number} step */
  moment: (step) => `after ${TRAIN.steps(step)}`,
  line: "One line",
  read: "It reads",
  /** @param {string} form */
  form: (form) => `This network reads ${form}.`,
  forms: {
    copy: "one to eight letters from a to j",
    reverse: "one to eight letters from a to j",
    article: "one to six of the letters a e i o u b d f g l m n p r s t",
    addition: "two digits, a plus, two digits, such as 47+38",
  },
  writes: "It writes",
  nothing: "nothing",
  wanted: "It should write",
  right: "right",
  wrong: "wrong",
  certainty: "How sure it is of each right character, given those before it",
  end: "end",
  maps: "Where it looks",
  mapsWhy: {
    cross: "A row for each character it should write next, a column for each that it read.",
    enc: "A row for each character it read: how much it takes from each of the others.",
    dec:
      "A row for each character it should write next: how much it takes from those it has written. Later ones are not " +
      "allowed.",
  },
  /** @param {number} layer @param {number} head @param {number} layers @param {number} heads */
  map: (layer, head, layers, heads) =>
    [layers > 1 ? `layer ${layer + 1}` : "", heads > 1 ? `head ${head + 1}` : ""].filter(Boolean).join(", ") ||
    "one head",
  mapAxes: { cross: ["writes", "looks at"], enc: ["reads", "looks at"], dec: ["writes", "looks at"] },
  tries: "Things to try",
  experiments: {
    unordered: [
      "Reverse without positions",
      "to this network a line and the same letters in another order are one and the same. It learns which letters to " +
        "write, and hardly ever in which order.",
    ],
    unscaled: [
      "One wide head without the division by √d_k",
      "its scores are sums of 64 products, and so large that the softmax chooses one key and hardly learns to choose " +
        "another. Then tick the division and start again.",
    ],
    article: [
      "“a” or “an”",
      "in the cross-attention, look at the row in which it decides whether an “n” follows: the first letter of the word " +
        "decides it, and that is where it must look.",
    ],
    addition: [
      "Addition with two layers and four heads",
      "each digit of the sum needs two others, and a carry where there is one. Give it two or three thousand steps.",
    ],
    rate: [
      "A learning rate that is too high",
      "after a good beginning the steps overshoot: the loss rises again, and stays high.",
    ],
  },
  tensors: "What is learned",
  tensorColumns: ["Parameter", "shape", "numbers", "root mean square"],
  code:
    "page/train/network/ has a module for each layer: linear, attention, norm, embedding, cross-entropy, adam. In each, " +
    "the backward pass stands beside the forward pass, and a test compares every gradient with PyTorch's.",
};
