/** Was die Fachwörter bedeuten. */

/** @type {typeof import("page/words/en/glossary").GLOSSARY} */
export const GLOSSARY = {
  selfAttention: {
    name: "Selbstaufmerksamkeit",
    forms: /Selbstaufmerksamkeit|Self-Attention/,
    means: "Aufmerksamkeit innerhalb eines Textes: Anfragen, Schlüssel und Werte kommen alle aus denselben Wörtern.",
  },
  crossAttention: {
    name: "Kreuzaufmerksamkeit",
    forms: /Kreuzaufmerksamkeit|Cross-Attention/,
    means: "Aufmerksamkeit vom Text, der geschrieben wird, auf den gelesenen Text: so sieht der Decoder die Quelle.",
  },
  weight: {
    name: "Aufmerksamkeitsgewicht",
    forms: /Aufmerksamkeitsgewichte?|Gewichte?n?/,
    means:
      "Der Anteil seiner Aufmerksamkeit, den ein Platz einem anderen gibt: von 0 bis 1, und die Anteile einer Zeile " +
      "ergeben zusammen 1.",
  },
  attention: {
    name: "Aufmerksamkeit",
    forms: /Aufmerksamkeit/,
    means:
      "Ein gewichtetes Mittel von Vektoren: Jeder Platz nimmt von allen anderen in Anteilen, die für ihn berechnet werden.",
  },
  look: {
    name: "auf etwas schauen",
    forms: /schaut auf|schauen|schaut/,
    means: "Kurz für: Aufmerksamkeitsgewicht geben. Niemand sieht etwas; Zahlen werden anteilig addiert.",
  },
  head: {
    name: "Kopf",
    forms: /Köpfen?|Kopfe?s?/,
    means:
      "Eine von mehreren Aufmerksamkeiten, die in einer Schicht nebeneinander arbeiten, jede mit eigenen Anfragen, " +
      "Schlüsseln und Werten.",
  },
  layerNorm: {
    name: "Layer-Norm",
    forms: /Layer-?Norm|normiert/,
    means:
      "Bringt die Zahlen eines Vektors auf Mittelwert 0 und Varianz 1 und streckt und verschiebt sie dann, wie es gelernt " +
      "wurde.",
  },
  layer: {
    name: "Schicht",
    forms: /Schicht(?:en)?/,
    means: "Einer von mehreren gleichen Blöcken; jeder arbeitet mit dem, was der vorige geschrieben hat.",
  },
  query: {
    name: "Anfrage",
    forms: /Anfragen?/,
    means: "Der Vektor, mit dem ein Platz fragt: Er wird mit den Schlüsseln der anderen verglichen.",
  },
  key: {
    name: "Schlüssel",
    forms: /Schlüsseln?/,
    means: "Der Vektor, an dem ein Platz gefunden wird: Anfragen werden mit ihm verglichen.",
  },
  value: {
    name: "Wert",
    forms: /Werten?|Werte?/,
    means: "Der Vektor, den ein Platz denen weitergibt, die ihm Aufmerksamkeit geben.",
  },
  softmax: {
    name: "Softmax",
    forms: /Softmax/,
    means: "Macht aus beliebigen Zahlen Anteile mit der Summe 1: e hoch jede Zahl, geteilt durch die Summe von allen.",
  },
  score: {
    name: "Score",
    forms: /Scores?|Energien?/,
    means:
      "Wie gut Anfrage und Schlüssel zusammenpassen, als eine Zahl; Softmax macht daraus ein Gewicht. Ältere Arbeiten " +
      "sagen Energie.",
  },
  mask: {
    name: "Maske",
    forms: /Masken?/,
    means: "Was Plätze vor der Aufmerksamkeit verbirgt, etwa noch nicht geschriebene Wörter: Ihr Gewicht ist 0.",
  },
  feedForward: {
    name: "Feed-Forward-Netz",
    forms: /Feed-?[Ff]orward(?:-Netze?s?|-Schicht(?:en)?)?/,
    means: "Zwei Abbildungen mit einem Schnitt bei null dazwischen, auf jeden Platz für sich angewandt.",
  },
  residual: {
    name: "Residualverbindung",
    forms: /Residual(?:verbindung(?:en)?|summen?)/,
    means:
      "Was aus einem Teil herauskommt, wird zu dem addiert, was hineinging: Eine Schicht ändert einen Vektor, statt ihn zu " +
      "ersetzen.",
  },
  embedding: {
    name: "Einbettung",
    forms: /Einbettung(?:en)?|Embeddings?/,
    means: "Der im Training gelernte Vektor eines Tokens: eine Zeile einer Tabelle, gewählt durch seine Nummer.",
  },
  token: {
    name: "das Token",
    forms: /Tokens?/,
    means: "Was ein Modell liest und schreibt: ein Wortstück, ein ganzes Wort oder eine Marke wie das Satzende.",
  },
  piece: {
    name: "Wortstück",
    forms: /Wortstücken?|Wortstücke?s?/,
    means: "Ein Teil eines Wortes aus einer festen Liste. Häufige Wörter sind ein Stück, seltene werden zerlegt.",
  },
  vocabulary: {
    name: "Vokabular",
    forms: /Vokabulars?/,
    means: "Die Liste aller Tokens, die ein Modell kennt; sie wird vor dem Training gemacht.",
  },
  encoder: {
    name: "der Encoder",
    forms: /Encoders?/,
    means: "Der Teil eines Modells, der die Quelle liest und aus jedem ihrer Tokens einen Vektor macht.",
  },
  decoder: {
    name: "der Decoder",
    forms: /Decoders?/,
    means: "Der Teil eines Modells, der schreibt, ein Token nach dem anderen.",
  },
  decodingStep: {
    name: "Decodierschritt",
    forms: /Decodierschritte?n?s?/,
    means: "Eine Runde des Decoders: Er liest, was bisher geschrieben ist, und wählt das nächste Token.",
  },
  logProbability: {
    name: "Log-Wahrscheinlichkeit",
    forms: /Log-Wahrscheinlichkeit(?:en)?/,
    means:
      "Der Logarithmus einer Wahrscheinlichkeit: 0 ist sicher, weiter unter 0 ist unwahrscheinlicher. Die der Tokens werden " +
      "addiert.",
  },
  logit: {
    name: "das Logit",
    forms: /Logits?/,
    means: "Die Zahl eines Tokens, bevor Softmax daraus eine Wahrscheinlichkeit macht.",
  },
  probability: {
    name: "Wahrscheinlichkeit",
    forms: /Wahrscheinlichkeit(?:en)?/,
    means:
      "Für wie wahrscheinlich das Modell etwas hält, von 0 bis 1. Sie sagt, wie sicher das Modell ist, nicht, ob es recht " +
      "hat.",
  },
  lengthPenalty: {
    name: "Längenstrafe",
    forms: /Längenstrafe|Längenkorrektur/,
    means: "Ein Teiler, der ausgleicht, dass jedes weitere Wort eine Ausgabe unwahrscheinlicher macht.",
  },
  beamSearch: {
    name: "Beam-Suche",
    forms: /Beam-Suche|Beam/,
    means: "Eine Suche, die einige beste Anfänge behält und jeden um ein Token auf einmal verlängert.",
  },
  hypothesis: {
    name: "Hypothese",
    forms: /Hypothesen?/,
    means: "Ein Anfang einer Ausgabe, oder eine ganze, die die Suche für möglich hält.",
  },
  entropy: {
    name: "Entropie",
    forms: /Entropie/,
    means: "Wie verstreut Anteile sind, in Bit: 0 ist ein Platz allein, jedes Bit verdoppelt die Zahl gleicher Plätze.",
  },
  gradient: {
    name: "der Gradient",
    forms: /Gradient(?:en)?/,
    means: "Wie stark sich ein Ergebnis ändern würde, wenn eine Eingabe ein wenig geändert würde.",
  },
  alignment: {
    name: "Zuordnung",
    forms: /Zuordnung(?:en)?|Übereinstimmung/,
    means: "Welche Wörter der Quelle zu welchen Wörtern der Übersetzung gehören.",
  },
  vector: {
    name: "Vektor",
    forms: /Vektor(?:en|s)?/,
    means: "Eine Liste von Zahlen. Ein Modell kennt jedes Token nur als eine solche Liste.",
  },
  tensor: {
    name: "der Tensor",
    forms: /Tensor(?:en|s)?/,
    means: "Zahlen in einem Gitter mit beliebig vielen Achsen: eine Liste, eine Tabelle, ein Stapel von Tabellen.",
  },
  parameters: {
    name: "die Parameter",
    forms: /Parametern?/,
    means: "Die Zahlen, die das Training gesetzt hat. Sie sind für jeden Satz dieselben.",
  },
  recurrent: {
    name: "rekurrent",
    forms: /rekurrente?[nrs]?|Rekurrenz/,
    means: "Liest ein Token nach dem anderen und trägt einen Zustand mit, sodass jeder Schritt auf den vorigen wartet.",
  },
  state: {
    name: "Zustand",
    forms: /Zuständen?|Zustands?/,
    means: "Der Vektor für das, was ein Modell an einem Platz oder nach einem Schritt weiß.",
  },
  convolution: {
    name: "Faltung",
    forms: /Faltung(?:en|sschicht)?/,
    means: "Dieselbe kleine Abbildung, auf jedes Fenster benachbarter Plätze angewandt.",
  },
  dropout: {
    name: "das Dropout",
    forms: /Dropout/,
    means: "Setzt im Training zufällig einige Zahlen auf null, damit sich ein Modell auf keine allein verlässt.",
  },
  loss: {
    name: "Verlust",
    forms: /Verlusts?/,
    means: "Was das Training klein macht: wie wenig Wahrscheinlichkeit das Modell der richtigen Antwort gab.",
  },
};

/** @type {typeof import("page/words/en/glossary").DEFINITIONS} */
export const DEFINITIONS = {
  title: "Fachwörter",
  hint: "In einer Ansicht ist ein Fachwort gepunktet unterstrichen: mit der Maus darauf zeigen oder mit Tab hingehen.",
};
