/**
 * Sentences to try, by the language they are written in, each list in the order of a first hour with the page. What to
 * look for in each is said in `LOOK_FOR`, in the language of the page.
 */
import { LOOK_FOR } from "page/app/words-examples";

/**
 * @typedef {object} Example
 * @property {string} id
 * @property {string[]} sentences
 * @property {string} [word] of two sentences: the word whose look is asked for
 */

/** The sentence a page opens with. @type {Record<string, string | undefined>} */
export const OPENING = {
  en: "The cat drank the milk because it was hungry.",
  de: "Die Katze trank die Milch, weil sie hungrig war.",
  es: "La gata bebió la leche porque tenía hambre.",
};

/** @type {Record<string, Example[]>} */
const EXAMPLES = {
  en: [
    { id: "T2", sentences: ["The dog chased the ball"] },
    { id: "T6", sentences: ["Hi, How are you?"] },
    { id: "T7", sentences: ["I love you", "how are you", "Where are you"] },
    {
      id: "T3",
      sentences: ["The cat drank the milk because it was hungry.", "The cat drank the milk because it was sweet."],
      word: "it",
    },
    { id: "T1", sentences: ["Although it's raining, he forgot an umbrella"] },
    { id: "T8", sentences: ["I ate an apple and then a banana."] },
    { id: "T9", sentences: ["You should wear shoes"] },
    { id: "T11", sentences: ["A boy is eating the banana"] },
    { id: "T12", sentences: ["a specialty of the North"] },
    { id: "T10", sentences: ["A Lannister Always Pays His Debts"] },
    {
      id: "T4",
      sentences: [
        "Several distributor transformers had fallen from the poles, and secondary wires were down.",
        "Transformer models have emerged as the most widely used architecture in applications such as " +
          "natural language processing and image classification.",
      ],
      word: "transformers",
    },
    {
      id: "T5",
      sentences: [
        "The thin, lasting sound of cicadas in autumn belongs to the North, because trees stand in every " +
          "yard and the roofs are low, so their singing can be heard wherever you go.",
        "The thin, lasting sound of cicadas in autumn belongs to the North, because trees stand in every " +
          "yard and the roofs are low, so their shade can be felt wherever you go.",
      ],
      word: "their",
    },
    {
      id: "T13",
      sentences: [
        "It is in this spirit that a majority of American governments have passed new laws since 2009 making the " +
          "registration or voting process more difficult.",
      ],
    },
    {
      id: "T14",
      sentences: [
        "The Law will never be perfect, but its application should be just - this is what we are missing, in my opinion.",
      ],
    },
    {
      id: "T15",
      sentences: ["Pass this word on to the next one and then to the one after that until it comes to an end"],
    },
  ],
  de: [
    { id: "D1", sentences: ["Der Hund jagte den Ball."] },
    { id: "D2", sentences: ["Hallo, wie geht es dir?"] },
    { id: "D3", sentences: ["Ich liebe dich.", "Wo bist du?", "Was machst du?"] },
    {
      id: "D4",
      sentences: [
        "Die Katze trank die Milch, weil sie hungrig war.",
        "Die Katze trank die Milch, weil sie frisch war.",
      ],
      word: "sie",
    },
    { id: "D5", sentences: ["Obwohl es regnet, hat er seinen Schirm vergessen."] },
    { id: "D6", sentences: ["Den Briefträger biss der Hund."] },
    { id: "D7", sentences: ["Sie kommt morgen mit dem ersten Zug aus Berlin an."] },
    { id: "D8", sentences: ["Ich habe das Buch, das du mir geschenkt hast, gestern gelesen."] },
    {
      id: "D9",
      sentences: [
        "Auf der Bank im Park saß ein alter Mann mit Hut.",
        "Auf der Bank am Markt zahlte ein alter Mann Geld ein.",
      ],
      word: "Bank",
    },
    { id: "D10", sentences: ["Die Geschwindigkeitsbegrenzung gilt nur bei Nässe."] },
    {
      id: "D11",
      sentences: ["Gib dieses Wort an das nächste weiter und dann an das übernächste, bis der Satz zu Ende ist."],
    },
  ],
  es: [
    { id: "E1", sentences: ["El perro persiguió la pelota."] },
    { id: "E2", sentences: ["Hola, ¿cómo estás?"] },
    { id: "E3", sentences: ["Te quiero.", "¿Dónde estás?", "¿Qué haces?"] },
    {
      id: "E4",
      sentences: ["La gata bebió la leche porque tenía hambre.", "La gata bebió la leche porque estaba fresca."],
      word: "porque",
    },
    { id: "E5", sentences: ["Aunque está lloviendo, ha olvidado el paraguas."] },
    { id: "E6", sentences: ["La casa blanca está al final de la calle vieja."] },
    { id: "E7", sentences: ["Dámelo mañana."] },
    { id: "E8", sentences: ["El libro que me prestaste la semana pasada era de mi abuelo."] },
    {
      id: "E9",
      sentences: [
        "En el banco del parque se sentó un hombre mayor.",
        "En el banco de la plaza cobró un cheque un hombre mayor.",
      ],
      word: "banco",
    },
    { id: "E10", sentences: ["A mi hermana le gustan las películas antiguas."] },
    {
      id: "E11",
      sentences: ["Pasa esta palabra a la siguiente y después a la que viene detrás, hasta que la frase se acabe."],
    },
  ],
};

/** Two sentences each, beside those that are examples. @type {Record<string, {sentences: string[], word: string}[]>} */
const MORE_PAIRS = {
  en: [
    {
      sentences: ["The dog chased the ball because it was bored.", "The dog chased the ball because it was red."],
      word: "it",
    },
    {
      sentences: [
        "Several old transformers had fallen from the poles.",
        "Several large transformers had learned from the texts.",
      ],
      word: "transformers",
    },
  ],
};

/**
 * The language in which examples are offered for a model that reads another.
 * @param {string | null | undefined} source
 */
export const exampleLanguage = (source) => (source && Object.hasOwn(EXAMPLES, source) ? source : "en");

/** Sentences to try with a model, by the language it reads. @param {string | null | undefined} source */
export function examples(source) {
  const language = exampleLanguage(source);
  return EXAMPLES[language].map(({ id, sentences }) => ({ id, sentences, why: LOOK_FOR[language][id] }));
}

/**
 * Pairs in which one change moves a meaning; `word` is the one whose look is asked for.
 * @param {string | null | undefined} source
 */
export function pairs(source) {
  const language = exampleLanguage(source);
  const examples = EXAMPLES[language].filter(({ sentences }) => sentences.length === 2);
  return [...examples, ...(MORE_PAIRS[language] ?? [])].map(({ sentences: [first, second], word }) => ({
    first,
    second,
    word: /** @type {string} */ (word),
  }));
}
