/** Was die Ansicht „Trainieren“ sagt. */

/** @type {typeof import("page/words/en/train").TRAIN} */
export const TRAIN = {
  title: "Trainiere einen Transformer, gleich hier",
  lede:
    "Diese Seite enthält einen kleinen Transformer, der noch nichts kann. Drücke Trainieren: Er liest Zeilen, rät, was zu " +
    "schreiben ist, misst, wie falsch er lag, und ändert seine Gewichte ein wenig, um weniger falsch zu liegen. Kein Server " +
    "ist beteiligt.",
  tasks: {
    copy: "Buchstaben abschreiben",
    reverse: "Buchstaben umkehren",
    article: "„a“ oder „an“",
    addition: "zwei Zahlen addieren",
  },
  taskWhy: {
    copy: "Die Zeile soll noch einmal geschrieben werden. Die Kreuzaufmerksamkeit, die das löst, ist eine Diagonale.",
    reverse:
      "Die Zeile soll rückwärts geschrieben werden. Die Kreuzaufmerksamkeit, die das löst, ist die andere Diagonale.",
    article:
      "Vor dem englischen Wort steht „a“, oder „an“, wenn es mit einem Vokal beginnt. Um den Artikel zu schreiben, muss das " +
      "Netz voraus auf den Buchstaben schauen, der danach kommt.",
    addition:
      "Die Summe soll mit drei Ziffern geschrieben werden. Jede Ziffer braucht zwei andere, und einen Übertrag von weiter rechts.",
  },
  settings: "Das Netz, und wie es lernt",
  task: "Aufgabe",
  heads: "Köpfe",
  width: "Breite",
  layers: "Schichten",
  rate: "Lernrate",
  seed: "Startwert",
  positions: "Positionen",
  positionsWhy: "Ohne Positionen liest das Netz einen Beutel voll Buchstaben: Es kann ihre Reihenfolge nicht kennen.",
  scaled: "durch √d_k teilen",
  scaledWhy:
    "Ohne die Teilung lassen große Scores den Softmax einen einzigen Schlüssel wählen, und für die anderen bleibt wenig Gradient.",
  again:
    "Eine Änderung dieser Einstellungen beginnt von vorn. Gleiche Einstellungen und gleicher Startwert geben gleiche Zahlen.",
  train: "Trainieren",
  pause: "Anhalten",
  step: "Ein Schritt",
  restart: "Von vorn beginnen",
  steps: (step) => `${step} ${step === 1 ? "Schritt" : "Schritte"}`,
  status: (step, accuracy) =>
    `Nach ${step} ${step === 1 ? "Schritt" : "Schritten"}: ${accuracy} der Zeilen, die es nie gesehen hat, sind richtig geschrieben.`,
  starting: "Das Netz wird gebaut …",
  problem: (message) => `Das Training konnte nicht laufen: ${message}.`,
  facts: {
    loss: "Verlust, letzter Stapel",
    heldOut: "Verlust, nie gesehene Zeilen",
    rate: "Lernrate, nächster Schritt",
    speed: "Schritte pro Sekunde",
    parameters: "gelernte Zahlen",
  },
  lossChart: "Verlust",
  lossLabel: (trained, heldOut) =>
    `Kreuzentropie je Schritt. Jetzt ${trained} auf trainierten Zeilen, ${heldOut} auf nie gesehenen.`,
  accuracyChart: "Nie gesehene Zeilen, richtig geschrieben",
  accuracyLabel: (accuracy) => `Anteil der Zeilen je Schritt. Jetzt ${accuracy}.`,
  axes: { step: "Schritt", loss: "Verlust (Nat)", accuracy: "Anteil" },
  trained: "trainiert",
  heldOut: "nie gesehen",
  share: "ganz richtig",
  time: "Zurück in der Zeit",
  timeWhy: "Die Gewichte wurden unterwegs aufgehoben. Verschiebe den Regler, um das Netz zu sehen, wie es war.",
  moment: (step) => `nach ${step} ${step === 1 ? "Schritt" : "Schritten"}`,
  line: "Eine Zeile",
  read: "Es liest",
  form: (form) => `Dieses Netz liest ${form}.`,
  forms: {
    copy: "einen bis acht Buchstaben von a bis j",
    reverse: "einen bis acht Buchstaben von a bis j",
    article: "einen bis sechs der Buchstaben a e i o u b d f g l m n p r s t",
    addition: "zwei Ziffern, ein Plus, zwei Ziffern, etwa 47+38",
  },
  writes: "Es schreibt",
  nothing: "nichts",
  wanted: "Es sollte schreiben",
  right: "richtig",
  wrong: "falsch",
  certainty: "Wie sicher es bei jedem richtigen Zeichen ist, wenn die davor gegeben sind",
  end: "Ende",
  maps: "Wohin es schaut",
  mapsWhy: {
    cross:
      "Eine Zeile für jedes Zeichen, das es als nächstes schreiben soll, eine Spalte für jedes, das es gelesen hat.",
    enc: "Eine Zeile für jedes gelesene Zeichen: wie viel es von jedem der anderen nimmt.",
    dec:
      "Eine Zeile für jedes Zeichen, das es als nächstes schreiben soll: wie viel es von denen nimmt, die es geschrieben " +
      "hat. Spätere sind nicht erlaubt.",
  },
  map: (layer, head, layers, heads) =>
    [layers > 1 ? `Schicht ${layer + 1}` : "", heads > 1 ? `Kopf ${head + 1}` : ""].filter(Boolean).join(", ") ||
    "ein Kopf",
  mapAxes: {
    cross: ["schreibt", "schaut auf"],
    enc: ["liest", "schaut auf"],
    dec: ["schreibt", "schaut auf"],
  },
  tries: "Zum Ausprobieren",
  experiments: {
    unordered: [
      "Umkehren ohne Positionen",
      "Für dieses Netz sind eine Zeile und dieselben Buchstaben in anderer Reihenfolge ein und dasselbe. Es lernt, welche " +
        "Buchstaben zu schreiben sind, und fast nie, in welcher Reihenfolge.",
    ],
    unscaled: [
      "Ein breiter Kopf ohne das Teilen durch √d_k",
      "Seine Scores sind Summen aus 64 Produkten und so groß, dass der Softmax einen Schlüssel wählt und kaum lernt, einen " +
        "anderen zu wählen. Hake dann das Teilen an und beginne neu.",
    ],
    article: [
      "„a“ oder „an“?",
      "Sieh dir in der Kreuzaufmerksamkeit die Zeile an, in der es entscheidet, ob ein „n“ folgt: Der erste Buchstabe des " +
        "Wortes entscheidet es, und dorthin muss es schauen.",
    ],
    addition: [
      "Addieren mit zwei Schichten und vier Köpfen",
      "Jede Ziffer der Summe braucht zwei andere, und einen Übertrag, wo es einen gibt. Lass ihm zwei- oder dreitausend Schritte.",
    ],
    rate: [
      "Eine zu hohe Lernrate",
      "Nach einem guten Anfang schießen die Schritte über das Ziel hinaus: Der Verlust steigt wieder und bleibt hoch.",
    ],
  },
  tensors: "Was gelernt wird",
  tensorColumns: ["Parameter", "Form", "Zahlen", "quadratisches Mittel"],
  code:
    "page/train/network/ hat ein Modul für jede Schicht: linear, attention, norm, embedding, cross-entropy, adam. In jedem " +
    "steht der Rückwärtsgang neben dem Vorwärtsgang, und ein Test vergleicht jeden Gradienten mit dem von PyTorch.",
};
