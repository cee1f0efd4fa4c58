/** The cards of the papers in the view Ancestors, by the key of the paper, and two of them point by point. */

/**
 * @typedef {object} CardWords
 * @property {string} name what people call the system
 * @property {string} problem
 * @property {string} idea
 * @property {string} letters what the letters of the equations are
 * @property {string} [against] what changed against the card it is compared with
 * @property {string} [story] how it came about
 */

/** @type {Record<string, CardWords>} */
export const CARD_WORDS = {
  kalchbrenner2013: {
    name: "RCTM",
    problem:
      "Translation was done by tables of phrases and tables of alignments, made separately and glued " +
      "together. No part saw a whole sentence.",
    idea:
      "Two networks, trained as one: windows slide over the source and fold it together, and a recurrent " +
      "network writes the target. In its first form the source ends as one vector; in its second as one " +
      "vector for every target word, found by position.",
    letters:
      "s: the writer’s state. e(y): the vector of the last word. f: what the windows made of the source, " +
      "the same for every i or one for each.",
  },
  cho2014: {
    name: "RNN encoder-decoder",
    problem: "A plain recurrent state is overwritten as a whole at every word, so the beginning is soon gone.",
    idea:
      "Two gates, both learned. One says how much of the old state stays, the other how much of it the new " +
      "proposal may see. A reader made of such units ends in one vector; a writer hears that vector at every " +
      "word.",
    letters: "z: keep. r: look back. ⊙: number by number. Both gates are between 0 and 1 and depend on word and state.",
    against: "The source is read word by word, not by windows, and the state can decide to keep.",
  },
  sutskever2014: {
    name: "sequence to sequence",
    problem: "Networks helped phrase tables to choose. Could one translate with no table at all?",
    idea:
      "Two stacks of LSTM layers. The last states of the reader are the first states of the writer, and " +
      "nothing else crosses. The source is read from its end, so the first words of both sides stand close " +
      "together when learning begins.",
    letters: "f, i, o: gates for forgetting, taking in and showing. c: what a cell holds. s: the writer’s state.",
    against: "Deeper, alone, and the source is handed over once: the writer must remember it while it writes.",
  },
  bahdanau2015: {
    name: "RNNsearch",
    problem:
      "One vector of fixed size must hold a sentence of any size. The longer the sentence, the worse the translation.",
    idea:
      "Keep every state of the reader, forward and backward. Before each word the writer compares its state " +
      "with all of them and takes a weighted mean. What aligners computed beforehand is now learned on the " +
      "way.",
    letters:
      "s: the writer’s previous state. h: the reader’s states. α: weights over the source, summing to 1. " +
      "c: what is read.",
    against: "A list instead of one vector: what is handed over grows with the sentence.",
    story:
      "First there was an idea of two cursors, one in each sentence, moving along together; it was given " +
      "up. Then the writer was made to look along the diagonal, at place i of the source for word i: that " +
      "worked where order agrees. Letting it learn where to look, with every place a little allowed, " +
      "worked everywhere and could be trained by gradient.",
  },
  luong2015: {
    name: "Luong",
    problem:
      "The additive score is costly, a long source is much to look at, and a writer that does not know " +
      "where it looked may translate a word twice.",
    idea:
      "Ask with the state after it has read the last word. Score by one product. Look at all of the source, " +
      "or only into a window around a place that is counted or predicted. Give what was just read to the " +
      "next step.",
    letters:
      "h_t: the writer now. h_s: the reader at place s. p: where the window’s middle is predicted, among S places.",
    against: "Same list, cheaper question, and a choice of how much of the list is looked at.",
  },
  he2015: {
    name: "residual connections",
    problem: "Beyond some depth, adding layers made networks worse, even on what they were trained with.",
    idea:
      "Let a layer compute a correction and add it to what it was given. A layer that has nothing to say " +
      "adds nothing, and the gradient has a way past every layer. Made for pictures, but nothing in it is " +
      "about pictures.",
    letters: "x: what goes in. F: the layer.",
    against: "Not a translator but a wire. Every deep stack after it has one around each layer.",
  },
  cheng2016: {
    name: "LSTMN",
    problem:
      "The reader’s own memory is still one vector: inside a sentence the past is squeezed as the source once was.",
    idea:
      "Keep all past states on a tape. At each word, attend over the tape first, then update with what was " +
      "found. A sequence that attends to itself.",
    letters: "h, c: the two tapes. x: the word now. What is found takes the place of the previous state.",
    against: "The same look, but within one sentence. The steps still wait for each other.",
  },
  daniluk2017: {
    name: "key, value, predict",
    problem:
      "When a language model looks back at its own outputs, each output has three jobs: be found, be read, " +
      "and predict.",
    idea:
      "Cut the output into three parts, one for each job. It also turned out that such a model hardly looks " +
      "further back than a few words.",
    letters: "k: keys, compared. v: values, read. p: predicts the next word. K, V: those of the last few words.",
    against: "What is compared and what is taken are two vectors: the names key and value come to stay.",
  },
  lin2017: {
    name: "structured self-attention",
    problem: "A sentence says several things. One weighted mean of its states keeps one of them.",
    idea:
      "Ask several learned questions at once, so that a sentence becomes a small matrix, and charge the " +
      "model when two questions look at the same words.",
    letters: "H: the states of a sentence. A: one row of weights for each question. P: the charge for looking alike.",
    against: "Several looks side by side over the same states: heads, before they had that name.",
  },
  gehring2017: {
    name: "ConvS2S",
    problem: "A recurrent network computes one word after another, while the machine could do all at once.",
    idea:
      "No recurrence. Windows over words and learned positions, with gates, stacked until they see far; and " +
      "a look at the source in every layer of the writer, so that each may ask again.",
    letters:
      "A, B: halves of what a window gives. z: the reader’s outputs, compared. e: the words with their " +
      "positions, added when read.",
    against: "All places of a known sentence at once. Far words meet only after several layers.",
  },
  vaswani2017: {
    name: "Transformer",
    problem: "With windows, the way between two words grows with their distance; with recurrence, so does the time.",
    idea:
      "Only attention. Every place looks at every other, in several heads side by side; a small network " +
      "follows at each place, and waves added to the words tell where they stand.",
    letters: "Q: what each place asks. K: what it is found by. V: what it gives. d_k: how long one question is.",
    against: "One hop between any two words, and no step waits for the word before. The price: every pair is compared.",
  },
};

/**
 * Two ways to look at a source, point by point: [what, Bahdanau's, Luong's].
 * @type {[string, string, string][]}
 */
export const DIFFERENCES = [
  ["which state asks", "the previous one: look, then step", "the current one: step, then look"],
  [
    "where what was read goes",
    "into the recurrence, with the last word",
    "beside the state, through one tanh layer to the output",
  ],
  ["score", "additive: a small network with one hidden layer", "a product: dot or general; also concat, and location"],
  [
    "reader",
    "one layer of gated units, forward and backward, both kept",
    "a stack of LSTM layers, one direction; the top states are kept",
  ],
  ["how much is looked at", "everything (global)", "everything, or a window around a counted or a predicted place"],
  [
    "does it know where it looked?",
    "through its state, since what was read is an input",
    "by feeding the attended state into the next step",
  ],
  ["output", "maxout layer over state, word and context", "softmax over the attended state"],
];
