/** Sentences to try, each with what to look for. The order is that of a first hour with the page. */

/** @typedef {{id: string, sentences: string[], why: string}} Preset */

/** @type {Preset[]} */
export const presets = [
  { id: "T2", sentences: ["The dog chased the ball"], why: "A first picture: who did it, what was done, to what." },
  { id: "T6", sentences: ["Hi, How are you?"], why: "Few enough tokens to follow every number by hand." },
  {
    id: "T7",
    sentences: ["I love you", "how are you", "Where are you"],
    why: "Three words each: does the other language keep their order?",
  },
  {
    id: "T3",
    sentences: ["The cat drank the milk because it was hungry.", "The cat drank the milk because it was sweet."],
    why: "One word differs. Does “it” look at the cat or at the milk?",
  },
  {
    id: "T1",
    sentences: ["Although it's raining, he forgot an umbrella"],
    why: "Rain and umbrella belong together, and other words stand between them.",
  },
  { id: "T8", sentences: ["I ate an apple and then a banana."], why: "“a” or “an” depends on the word after it." },
  { id: "T9", sentences: ["You should wear shoes"], why: "Written one decoding step at a time: press Play." },
  {
    id: "T11",
    sentences: ["A boy is eating the banana"],
    why: "Neighbours are enough here: does attention stay near?",
  },
  {
    id: "T12",
    sentences: ["a specialty of the North"],
    why: "For a recurrent model: how much of the first word is left at the end?",
  },
  {
    id: "T10",
    sentences: ["A Lannister Always Pays His Debts"],
    why: "An unknown name and odd capitals: what becomes of them?",
  },
  {
    id: "T4",
    sentences: [
      "Several distributor transformers had fallen from the poles, and secondary wires were down.",
      "Transformer models have emerged as the most widely used architecture in applications such as " +
        "natural language processing and image classification.",
    ],
    why: "One word, two meanings: what around it tells them apart?",
  },
  {
    id: "T5",
    sentences: [
      "The thin, lasting sound of cicadas in autumn belongs to the North, because trees stand in every " +
        "yard and the roofs are low, so their singing can be heard wherever you go.",
      "The thin, lasting sound of cicadas in autumn belongs to the North, because trees stand in every " +
        "yard and the roofs are low, so their shade can be felt wherever you go.",
    ],
    why: "A long sentence, and “their” means another word in each.",
  },
  {
    id: "T13",
    sentences: [
      "It is in this spirit that a majority of American governments have passed new laws since 2009 making the " +
        "registration or voting process more difficult.",
    ],
    why: "The paper's Figure 3: “making” looks at “more difficult”, many words on. Does it here?",
  },
  {
    id: "T14",
    sentences: [
      "The Law will never be perfect, but its application should be just - this is what we are missing, in my opinion.",
    ],
    why: "The paper's Figures 4 and 5: what does “its” look at, and what do other heads see in the sentence?",
  },
  {
    id: "T15",
    sentences: ["Pass this word on to the next one and then to the one after that until it comes to an end"],
    why: "Pass the word: a recurrent model hands one vector from word to word. What arrives of the first?",
  },
];
