/**
 * Every sentence of the quiz. A part that is an object with `word` is a token of the reader's own sentence.
 */

/** @import { Head, Kind } from "page/types" */

/** @param {string} word */

const w = (word) => ({ word });

export const FRAME = {
  title: "Quiz",
  lede:
    "Five questions about the idea, then questions about this very sentence. Your answers stay in the link " +
    "of this page and nowhere else.",
  idea: "About the idea",
  live: "About your sentence",
  /** @param {number} at @param {number} all */
  number: (at, all) => `Question ${at} of ${all}`,
  right: "Right.",
  /** @param {string} letter */
  wrong: (letter) => ["Not quite: the answer is ", letter, "."],
  look: "See it",
  next: "Next question",
  before: "Question before",
  again: "Start again",
  /** @param {number} right @param {number} answered @param {number} all */
  score: (right, answered, all) => `${right} right of ${answered} answered, ${all} in all`,
  /** @param {number} right @param {number} all */
  finished: (right, all) => `All answered: ${right} of ${all} right.`,
  state: { open: "not answered", right: "right", wrong: "wrong" },
  few: "Translate a sentence first: the second half of the quiz is made out of it.",
};

/** What a learner hands in. */
export const HAND_IN = {
  title: "Hand in your result",
  why: "Made in this page and sent nowhere: copy it into a message, or save it as a file.",
  name: "Your name",
  copy: "Copy as text",
  save: "Save as file",
  copied: "The result is copied.",
  selected: "The result is selected: copy it with the keyboard.",
  quiz: "Quiz",
  nameless: "no name",
  file: "quiz.json",
  /** @param {number} right @param {number} answered @param {number} all */
  score: (right, answered, all) => `${right} right of ${answered} answered, ${all} in all`,
};

/** The five ideas, each with one right answer; the first option is the right one, the page shuffles. */
export const IDEAS = {
  purpose: {
    ask: "A decoder is about to write one word. What does attention give it that a single summary vector cannot?",
    options: [
      "A mixture of all source positions, weighed anew for this one word",
      "A larger vocabulary to choose the word from",
      "A shorter source sentence, with the unimportant words deleted",
      "A guarantee that the word is translated correctly",
    ],
    why:
      "Nothing is deleted and nothing is promised: every position stays available, and each decoding step weighs " +
      "them afresh.",
    look: "the weights of each decoding step",
  },
  query: {
    ask:
      "In self-attention every word has a query, a key and a value, all made from the same vector. What is " +
      "the query for?",
    options: [
      "It says what this word is looking for; it is compared with every key",
      "It is what this word hands over once another word has chosen it",
      "It is the label by which other words find this one",
      "It is the word that the model predicts next",
    ],
    why:
      "Query: what I look for. Key: how I can be found. Value: what I hand over. The model learns a matrix " +
      "for each of the three.",
    look: "queries, keys and values of this sentence",
  },
  positions: {
    ask: "Take the position vectors away from a Transformer's encoder and shuffle the words. What comes out?",
    options: [
      "The same vectors as before, in the shuffled order",
      "An error, because the shapes no longer fit",
      "Vectors of twice the length",
      "The same vectors in the old order, because attention sorts them back",
    ],
    why:
      "A weighted sum does not know the order of its terms. Only the position vectors tell the encoder which " +
      "word came first.",
    look: "the shuffle test",
  },
  score: {
    ask: "How does a Transformer turn one query and one key, each of d_k numbers, into one score?",
    options: [
      "Multiply them place by place, add up the d_k products, divide by √d_k",
      "Subtract them and take the largest difference",
      "Write one behind the other and count the numbers",
      "Add them place by place and divide by the number of words",
    ],
    why:
      "A dot product grows with the number of its terms; dividing by √d_k keeps the softmax where its slope " +
      "is not flat.",
    look: "one score spelled out",
  },
  output: {
    ask: "What does one head hand on for a word, after the softmax?",
    options: [
      "The sum of all value vectors, each times its weight",
      "The value vector of the best word alone",
      "The sum of its query and its key",
      "The weights themselves, one number for each word",
    ],
    why: "The weights only say how much of each value goes in. What leaves the head is a vector as long as a value.",
    look: "the weighted sum in digits",
  },
};

/** Questions that are made out of a trace. */
export const LIVE = {
  most: {
    /** @param {string} query @param {any} place */
    ask: (query, place) => ["In ", place, ", which word gets the largest weight from ", w(query), "?"],
    /** @param {string} key @param {string} value @param {string} second @param {string} other */
    why: (key, value, second, other) => [w(key), " gets ", value, "; the next is ", w(second), " with ", other, "."],
    look: "this row",
  },
  weight: {
    /** @param {string} query @param {string} key @param {any} place */
    ask: (query, key, place) => ["How much weight does ", w(query), " put on ", w(key), " in ", place, "?"],
    /** @param {string} value @param {string} even @param {string} count */
    why: (value, even, count) => [
      "It is ",
      value,
      ". Spread evenly over the ",
      count,
      " words it may see, it would be ",
      even,
      ".",
    ],
    look: "this cell",
  },
  hidden: {
    /** @param {string} query */
    ask: (query) => [
      "The decoder has just read ",
      w(query),
      " and must predict what follows. Which of these may its self-attention not see?",
    ],
    /** @param {string} key */
    why: (key) => ["The causal mask hides everything that comes later: ", w(key), " is still to be written."],
    look: "the hatched cells",
  },
  rowsum: {
    /** @param {string} query @param {any} place @param {string} count */
    ask: (query, place, count) => [
      "Add up all ",
      count,
      " weights in the row of ",
      w(query),
      " in ",
      place,
      ". What is the sum?",
    ],
    /** @param {string} total */
    why: (total) => [
      "It is ",
      total,
      ": a softmax divides by the sum, so every row adds up to one, however large its scores were.",
    ],
    look: "this row",
  },
  memory: {
    ask: () => ["The encoder has read the whole sentence. How many numbers does it hand to the decoder?"],
    /** @param {any} tokens @param {any} width @param {any} total */
    list: (tokens, width, total) => [
      `${tokens} positions × ${width} numbers = ${total}. A longer sentence hands over more.`,
    ],
    /** @param {any} tokens @param {any} width @param {any} rest @param {any} total */
    more: (tokens, width, rest, total) => [
      `${tokens} positions × ${width} numbers, and ${rest} more for the decoder to begin with: ${total}. A ` +
        "longer sentence hands over more.",
    ],
    /** @param {any} count */
    vector: (count) => [
      `${count} numbers, however long the sentence is. That is the bottleneck attention was made for.`,
    ],
    look: "how the model is built",
  },
  cells: {
    /** @param {any} tokens */
    ask: (tokens) => [
      `One head of the encoder compares every one of the ${tokens} tokens with every token. How many scores is that?`,
    ],
    /** @param {any} tokens @param {number} twice */
    why: (tokens, twice) => [`${tokens} × ${tokens}. Twice as many tokens would need ${twice}: four times as much.`],
    look: "what this costs",
  },
  sure: {
    /** @param {string} word */
    ask: (word) => ["How probable did the model find ", w(word), " when its turn came?"],
    /** @param {string} value @param {string} second @param {string} other */
    why: (value, second, other) => ["It gave it ", value, "; its second choice ", w(second), " had ", other, "."],
    look: "the candidates of this decoding step",
  },
  doubt: {
    ask: () => ["Which of these surprised the model most when its turn came?"],
    /** @param {string} word @param {string} value */
    why: (word, value) => [w(word), ": the model gave it only ", value, "."],
    look: "this decoding step",
  },
  spread: {
    /** @param {any} place */
    ask: (place) => ["Which head of ", place, " spreads its weights most evenly?"],
    /** @param {any} head @param {any} bits */
    why: (head, bits) => [head, " has the highest mean entropy, ", bits, " bits (0 is all on one word)."],
    look: "all heads",
  },
  softmax: {
    /** @param {any} scores */
    ask: (scores) => [`Three scores are ${scores}. What does the softmax make of them?`],
    /** @param {number[]} _scores @param {string} exps */
    why: (_scores, exps) => [
      `exp of each is ${exps}; divided by their sum they add up to one. It is no proportion: only ` +
        "differences between scores matter.",
    ],
    look: "the softmax step",
  },
  rounds: {
    ask: () => ["The decoder predicts one token a decoding step. How many decoding steps are there here?"],
    /** @param {any} count */
    why: (count) => [`${count}: one for every token of the output, an end mark included.`],
    look: "the decoding steps",
  },
  path: {
    /** @param {string} first @param {any} last */
    ask: (first, last) => [
      "A recurrent network that reads word by word passes its state on. How many times between ",
      w(first),
      " and ",
      w(last),
      "?",
    ],
    /** @param {any} steps */
    why: (steps) => [`${steps} times. Self-attention gets from any word to any other in one step.`],
    look: "the table of costs",
  },
  second: {
    /** @param {string} word */
    ask: (word) => ["The output has ", w(word), " here. What would have been the model's next best choice?"],
    /** @param {string} word @param {string} value */
    why: (word, value) => [w(word), ", with ", value, "."],
    look: "the candidates of this decoding step",
  },
  vocabulary: {
    ask: () => ["Each round the model gives every piece it knows a probability. How many numbers is that?"],
    /** @param {any} count */
    why: (count) => [`${count}: as many as there are pieces in its vocabulary, and they add up to one.`],
    look: "how the model is built",
  },
  /** @param {Kind} kind @param {number} layer */
  headless: (kind, layer) => `${kind}, layer ${layer}`,
  /** @param {Kind} kind @param {number} layer @param {Head} head */
  place: (kind, layer, head) => `${kind}, layer ${layer}, head ${head}`,
  /** @param {number} number */
  head: (number) => `head ${number}`,
  kinds: { enc: "encoder self-attention", dec: "decoder self-attention", cross: "cross-attention" },
  /** @param {string} label @param {number} place */
  at: (label, place) => `${label} (place ${place})`,
};
