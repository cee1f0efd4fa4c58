/** Was die Ansicht „Übersetzen“ sagt. */

/** @type {typeof import("page/words/en/translate").TRANSLATE} */
export const TRANSLATE = {
  heading: "Übersetzung",
  tries: "Sätze zum Ausprobieren",
  noAlignment: "Dieses Modell nennt keine Aufmerksamkeit, die seine Wörter zuordnet; „Matrix“ zeigt, was es hat.",
  axes: { writes: "schreibt", looks: "schaut auf", influenced: "beeinflusst von" },
  origin: (layers, mean) =>
    `Gezeichnet nach der Kreuzaufmerksamkeit des Modells in ${layers}${mean ? ", Mittel ihrer Köpfe" : ""}. `,
  layer: (layer) => `Schicht ${layer}`,
  numbers: "Die Zahlen ansehen",
  probability: (word, p) => `${word}: Wahrscheinlichkeit ${p}`,
  given: "vorgegeben, nicht gesucht",
  logprob: (value) => `Log-Wahrscheinlichkeit ${value}`,
  under: (whole) =>
    `Unter jedem Wort: wie wahrscheinlich das Modell es fand, als es das Wort schrieb. Das Ganze: ${whole}.`,
  steps: "Decodieren Schritt für Schritt",
  step: (step) => `Decodierschritt ${step}`,
  whole: (value) => `${value} wahrscheinlich`,
  noEnd: "Linien zur Marke, die den Satz beendet, sind weggelassen.",
  wordColumns: ["Wort", "schreibt", "wie sicher"],
  instead: "womit es auch hätte anfangen können",
  stepsWords:
    "Das Modell schreibt ein Wort nach dem anderen. Jedes Mal liest es, was es bisher geschrieben hat, und gibt jeder " +
    "möglichen Fortsetzung eine Wahrscheinlichkeit. Ein langes Wort wird in Stücken geschrieben, deren " +
    "Wahrscheinlichkeiten multipliziert werden.",
  word: (at) => `Wort ${at}`,
  stepsNumbers:
    "Jeder Decodierschritt liest ein Token mehr als der Schritt davor und gibt jedem Token des Vokabulars eine " +
    "Wahrscheinlichkeit. Dies sind die fünf größten.",
  columns: ["Schritt", "liest", "schreibt", "p"],
  most: "am wahrscheinlichsten",
  some: (from, to, all) => `Decodierschritte ${from} bis ${to} von ${all}: Der Regler unten führt zu den anderen.`,
};
