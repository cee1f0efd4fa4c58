/** Jeder Satz des Quiz. Ein Teil, der ein Objekt mit `word` ist, ist ein Token aus dem Satz der Leserin. */

/** @param {string} word */
const w = (word) => ({ word });

/** @type {typeof import("page/words/en/quiz").FRAME} */
export const FRAME = {
  title: "Quiz",
  lede:
    "Fünf Fragen über die Idee, dann Fragen über genau diesen Satz. Deine Antworten stehen im Link dieser Seite und sonst " +
    "nirgends.",
  idea: "Über die Idee",
  live: "Über deinen Satz",
  number: (at, all) => `Frage ${at} von ${all}`,
  right: "Richtig.",
  wrong: (letter) => ["Nicht ganz: Die Antwort ist ", letter, "."],
  look: "Sieh nach",
  next: "Nächste Frage",
  before: "Vorige Frage",
  again: "Von vorn beginnen",
  score: (right, answered, all) => `${right} richtig von ${answered} beantworteten, ${all} insgesamt`,
  finished: (right, all) => `Alle beantwortet: ${right} von ${all} richtig.`,
  state: { open: "nicht beantwortet", right: "richtig", wrong: "falsch" },
  few: "Übersetze zuerst einen Satz: Die zweite Hälfte des Quiz wird daraus gemacht.",
};

/** @type {typeof import("page/words/en/quiz").HAND_IN} */
export const HAND_IN = {
  title: "Ergebnis abgeben",
  why: "In dieser Seite gemacht und nirgendwohin geschickt: Kopiere es in eine Nachricht, oder speichere es als Datei.",
  name: "Dein Name",
  copy: "Als Text kopieren",
  save: "Als Datei speichern",
  copied: "Das Ergebnis ist kopiert.",
  selected: "Das Ergebnis ist markiert: Kopiere es mit der Tastatur.",
  quiz: "Quiz",
  nameless: "ohne Namen",
  file: "quiz-ergebnis.json",
  score: (right, answered, all) => `${right} richtig von ${answered} beantworteten, ${all} insgesamt`,
};

/** @type {typeof import("page/words/en/quiz").IDEAS} */
export const IDEAS = {
  purpose: {
    ask: "Ein Decoder will gerade ein Wort schreiben. Was gibt ihm die Aufmerksamkeit, das ein einziger zusammenfassender Vektor nicht kann?",
    options: [
      "Eine Mischung aller Quellpositionen, neu gewichtet für dieses eine Wort",
      "Ein größeres Vokabular, aus dem er das Wort wählen kann",
      "Einen kürzeren Quellsatz, in dem die unwichtigen Wörter gelöscht sind",
      "Eine Garantie, dass das Wort richtig übersetzt wird",
    ],
    why: "Nichts wird gelöscht und nichts versprochen: Jede Position bleibt verfügbar, und jeder Decodierschritt gewichtet sie neu.",
    look: "die Gewichte jedes Decodierschritts",
  },
  query: {
    ask:
      "In der Selbstaufmerksamkeit hat jedes Wort eine Anfrage, einen Schlüssel und einen Wert, alle aus demselben Vektor " +
      "gemacht. Wozu ist die Anfrage da?",
    options: [
      "Sie sagt, wonach dieses Wort sucht; sie wird mit jedem Schlüssel verglichen",
      "Sie ist das, was dieses Wort hergibt, sobald ein anderes es gewählt hat",
      "Sie ist das Etikett, an dem andere Wörter dieses hier finden",
      "Sie ist das Wort, das das Modell als nächstes vorhersagt",
    ],
    why:
      "Anfrage: wonach ich suche. Schlüssel: woran man mich findet. Wert: was ich hergebe. Für jedes der drei lernt das " +
      "Modell eine Matrix.",
    look: "Anfragen, Schlüssel und Werte dieses Satzes",
  },
  positions: {
    ask: "Nimm dem Encoder eines Transformers die Positionsvektoren weg und mische die Wörter. Was kommt heraus?",
    options: [
      "Dieselben Vektoren wie zuvor, in der gemischten Reihenfolge",
      "Ein Fehler, weil die Formen nicht mehr passen",
      "Vektoren von doppelter Länge",
      "Dieselben Vektoren in der alten Reihenfolge, weil die Aufmerksamkeit sie zurücksortiert",
    ],
    why:
      "Eine gewichtete Summe kennt die Reihenfolge ihrer Summanden nicht. Nur die Positionsvektoren sagen dem Encoder, " +
      "welches Wort zuerst kam.",
    look: "der Mischtest",
  },
  score: {
    ask: "Wie macht ein Transformer aus einer Anfrage und einem Schlüssel, je d_k Zahlen, einen Score?",
    options: [
      "Platz für Platz multiplizieren, die d_k Produkte addieren, durch √d_k teilen",
      "Voneinander abziehen und die größte Differenz nehmen",
      "Hintereinander schreiben und die Zahlen zählen",
      "Platz für Platz addieren und durch die Zahl der Wörter teilen",
    ],
    why:
      "Ein Skalarprodukt wächst mit der Zahl seiner Summanden; durch √d_k geteilt bleibt der Softmax dort, wo seine " +
      "Steigung nicht flach ist.",
    look: "ein Score ausgeschrieben",
  },
  output: {
    ask: "Was gibt ein Kopf nach dem Softmax für ein Wort weiter?",
    options: [
      "Die Summe aller Wertvektoren, jeder mal sein Gewicht",
      "Nur den Wertvektor des besten Wortes",
      "Die Summe aus seiner Anfrage und seinem Schlüssel",
      "Die Gewichte selbst, eine Zahl für jedes Wort",
    ],
    why: "Die Gewichte sagen nur, wie viel von jedem Wert eingeht. Was den Kopf verlässt, ist ein Vektor, so lang wie ein Wert.",
    look: "die gewichtete Summe in Ziffern",
  },
};

/** @type {typeof import("page/words/en/quiz").LIVE} */
export const LIVE = {
  most: {
    ask: (query, place) => ["Welches Wort bekommt (", place, ") das größte Gewicht von ", w(query), "?"],
    why: (key, value, second, other) => [
      w(key),
      " bekommt ",
      value,
      "; das nächste ist ",
      w(second),
      " mit ",
      other,
      ".",
    ],
    look: "diese Zeile",
  },
  weight: {
    ask: (query, key, place) => ["Wie viel Gewicht legt ", w(query), " auf ", w(key), " (", place, ")?"],
    why: (value, even, count) => [
      "Es sind ",
      value,
      ". Gleichmäßig verteilt auf die ",
      count,
      " Wörter, die es sehen darf, wären es ",
      even,
      ".",
    ],
    look: "diese Zelle",
  },
  hidden: {
    ask: (query) => [
      "Der Decoder hat eben ",
      w(query),
      " gelesen und muss vorhersagen, was folgt. Welches von diesen darf seine Selbstaufmerksamkeit nicht sehen?",
    ],
    why: (key) => [
      "Die kausale Maske verdeckt alles, was später kommt: ",
      w(key),
      " muss erst noch geschrieben werden.",
    ],
    look: "die schraffierten Zellen",
  },
  rowsum: {
    ask: (query, place, count) => [
      "Addiere alle ",
      count,
      " Gewichte in der Zeile von ",
      w(query),
      " (",
      place,
      "). Was ist die Summe?",
    ],
    why: (total) => [
      "Sie ist ",
      total,
      ": Ein Softmax teilt durch die Summe, also ergibt jede Zeile eins, wie groß ihre Scores auch waren.",
    ],
    look: "diese Zeile",
  },
  memory: {
    ask: () => ["Der Encoder hat den ganzen Satz gelesen. Wie viele Zahlen übergibt er dem Decoder?"],
    list: (tokens, width, total) => [
      `${tokens} Positionen × ${width} Zahlen = ${total}. Ein längerer Satz übergibt mehr.`,
    ],
    more: (tokens, width, rest, total) => [
      `${tokens} Positionen × ${width} Zahlen, und ${rest} weitere, mit denen der Decoder beginnt: ${total}. Ein längerer ` +
        "Satz übergibt mehr.",
    ],
    vector: (count) => [
      `${count} Zahlen, wie lang der Satz auch ist. Das ist der Engpass, gegen den die Aufmerksamkeit erfunden wurde.`,
    ],
    look: "wie das Modell gebaut ist",
  },
  cells: {
    ask: (tokens) => [
      `Ein Kopf des Encoders vergleicht jedes der ${tokens} Token mit jedem Token. Wie viele Scores sind das?`,
    ],
    why: (tokens, twice) => [
      `${tokens} × ${tokens}. Doppelt so viele Token würden ${twice} brauchen: viermal so viel.`,
    ],
    look: "was das kostet",
  },
  sure: {
    ask: (word) => ["Wie wahrscheinlich fand das Modell ", w(word), ", als es an der Reihe war?"],
    why: (value, second, other) => ["Es gab ihm ", value, "; seine zweite Wahl ", w(second), " hatte ", other, "."],
    look: "die Kandidaten dieses Decodierschritts",
  },
  doubt: {
    ask: () => ["Welches von diesen hat das Modell am meisten überrascht, als es an der Reihe war?"],
    why: (word, value) => [w(word), ": Das Modell gab ihm nur ", value, "."],
    look: "diesen Decodierschritt",
  },
  spread: {
    ask: (place) => ["Welcher Kopf verteilt seine Gewichte am gleichmäßigsten (", place, ")?"],
    why: (head, bits) => [head, " hat die größte mittlere Entropie, ", bits, " Bit (0 heißt alles auf einem Wort)."],
    look: "alle Köpfe",
  },
  softmax: {
    ask: (scores) => [`Drei Scores sind ${scores}. Was macht der Softmax daraus?`],
    why: (_scores, exps) => [
      `exp von jedem ist ${exps}; durch ihre Summe geteilt ergeben sie zusammen eins. Es ist kein Dreisatz: Nur Differenzen ` +
        "zwischen Scores zählen.",
    ],
    look: "den Softmax-Schritt",
  },
  rounds: {
    ask: () => ["Der Decoder sagt in jedem Decodierschritt ein Token vorher. Wie viele Decodierschritte gibt es hier?"],
    why: (count) => [`${count}: einen für jedes Token der Ausgabe, die Endmarke eingeschlossen.`],
    look: "die Decodierschritte",
  },
  path: {
    ask: (first, last) => [
      "Ein rekurrentes Netz, das Wort für Wort liest, reicht seinen Zustand weiter. Wie oft zwischen ",
      w(first),
      " und ",
      w(last),
      "?",
    ],
    why: (steps) => [`${steps}-mal. Selbstaufmerksamkeit kommt in einem Schritt von jedem Wort zu jedem anderen.`],
    look: "die Tabelle des Aufwands",
  },
  second: {
    ask: (word) => ["In der Ausgabe steht hier ", w(word), ". Was wäre die nächstbeste Wahl des Modells gewesen?"],
    why: (word, value) => [w(word), ", mit ", value, "."],
    look: "die Kandidaten dieses Schritts",
  },
  vocabulary: {
    ask: () => [
      "In jeder Runde gibt das Modell jedem Wortstück, das es kennt, eine Wahrscheinlichkeit. Wie viele Zahlen sind das?",
    ],
    why: (count) => [`${count}: so viele, wie Wortstücke in seinem Vokabular sind, und zusammen ergeben sie eins.`],
    look: "wie das Modell gebaut ist",
  },
  headless: (kind, layer) => `${kind}, Schicht ${layer}`,
  place: (kind, layer, head) => `${kind}, Schicht ${layer}, Kopf ${head}`,
  head: (number) => `Kopf ${number}`,
  kinds: {
    enc: "Selbstaufmerksamkeit des Encoders",
    dec: "Selbstaufmerksamkeit des Decoders",
    cross: "Kreuzaufmerksamkeit",
  },
  at: (label, place) => `${label} (Platz ${place})`,
};
