/**
 * Was die Ansicht „Schritte“ sagt, außer ihren Analogien (page/words/de/steps-analogies) und den geprüften Behauptungen
 * (page/words/de/steps-claims).
 */
import { digits, short } from "page/numbers/numbers";

/** @import { Facts } from "page/steps/facts" */

export const TITLE = "Im Inneren eines Kopfes";

export const INTRODUCTION =
  "Ein Aufmerksamkeitskopf, von den Wortstücken des Satzes bis zum nächsten Wort, ein Schritt nach dem anderen. Die " +
  "Leertaste geht weiter, Umschalt+Leertaste zurück.";

/** @type {typeof import("page/words/en/steps").STEPS} */
export const STEPS = {
  tokens: { short: "Stücke", title: "Aus dem Satz werden Wortstücke" },
  embedding: { short: "Einbetten", title: "Jedes Wortstück wird ein Vektor" },
  position: { short: "+ Platz", title: "Sein Platz wird addiert" },
  qkv: { short: "Q K V", title: "Drei Sichten auf jeden Vektor" },
  memory: { short: "Speicher", title: "Was mitgenommen wird" },
  states: { short: "Zustände", title: "Eine Anfrage und die Zustände, die sie ansehen kann" },
  scores: { short: "Vergleich", title: "Die Anfrage wird mit jedem Schlüssel verglichen" },
  scale: { short: "÷ √d_k", title: "Scores werden durch die Wurzel ihrer Länge geteilt" },
  factor: { short: "× t", title: "Scores werden mit einem gelernten Faktor multipliziert" },
  mask: { short: "Maske", title: "Was nicht gesehen werden darf, wird verdeckt" },
  softmax: { short: "Softmax", title: "Aus Scores werden Anteile an eins" },
  values: { short: "× V", title: "Werte werden in diesen Anteilen gemischt" },
  concat: { short: "Verbinden", title: "Alle Köpfe werden verbunden und gemischt" },
  norm: { short: "Summe & Norm", title: "Die Änderung kommt in den Strom" },
  ffn: { short: "Netz", title: "Ein kleines Netz an jedem Platz" },
  output: { short: "Ausgabe", title: "Aus einem Zustand wird das nächste Wortstück" },
};

/** Steps whose buttons have a formula, for a reader of words. @type {Record<string, string | undefined>} */
export const IN_WORDS = {
  qkv: "Anfrage, Schlüssel, Wert",
  scale: "Skalieren",
  factor: "Faktor",
  values: "Werte mischen",
};

/** @type {typeof import("page/words/en/steps").PLAIN} */
export const PLAIN = {
  tokens: (f) =>
    "Das Modell kennt keine Wörter, nur Wortstücke aus einer Liste, die vor dem Training gemacht wurde. Dieser Text ist " +
    `${f.pieces} Wortstücke lang, mit der Endmarke; ein seltenes Wort wird in mehrere ` +
    `zerlegt${f.inWords ? "" : ", und ▁ zeigt, wo ein Wort beginnt"}. ` +
    "Jedes Wortstück hat eine Nummer in der Liste.",
  embedding: (f) =>
    `Die Nummer eines Wortstücks wählt eine Zeile einer Tabelle: ${f.width} Zahlen, die gelernt wurden. ` +
    (f.scaled
      ? `Die Zeile wird mit der Wurzel aus ${f.width} multipliziert, das ist ${digits(f.embeddingScale, 2)}.`
      : "Die Zeile wird benutzt, wie sie ist."),
  position: (f) =>
    "Aufmerksamkeit selbst weiß nicht, wer zuerst kommt. Darum wird zum Vektor jedes Wortstücks ein Vektor addiert, der nur " +
    `vom Platz abhängt. „${f.query}“ steht an Platz ${f.q}, von 0 an gezählt.`,
  qkv: (f) =>
    "Drei gelernte Matrizen sehen dieselben Vektoren an. Eine macht die Anfrage: wonach dieser Platz fragt. Eine macht den " +
    "Schlüssel: worauf ein Platz antwortet. Eine macht den Wert: was er hergibt. " +
    (f.cross
      ? "Hier kommt die Anfrage aus dem Text, der geschrieben wird, Schlüssel und Werte aus dem Satz, der gelesen wurde."
      : "Hier kommen alle drei aus derselben Folge.") +
    " " +
    `Jede hat ${f.dk} Zahlen${f.dv !== f.dk ? ` (ein Wert ${f.dv})` : ""}.`,
  states: (f) =>
    "Dieses System hat keine eigenen Matrizen für Anfrage, Schlüssel und Wert. " +
    `${f.recurrentQuery ? "Der Zustand des Decoders fragt" : "Ein Zustand fragt"}, und ${f.keys} Zustände können antworten. ` +
    (f.oneVector
      ? "Derselbe Vektor wird verglichen und hergegeben."
      : f.oneVector === false
        ? "Was verglichen und was hergegeben wird, sind zwei Vektoren."
        : ""),
  memory: (f) =>
    `Alle ${f.pieces} Wortstücke werden eins nach dem anderen gelesen, und ${f.memoryNumbers} Zahlen sind, was von ihnen ` +
    "bleibt. " +
    (f.memoryStays === false
      ? "Der Decoder beginnt mit ihnen und sieht sie nie wieder."
      : "Der Decoder sieht nichts anderes vom Satz.") +
    " " +
    "Ein langer Satz bekommt nicht mehr Platz als ein kurzer.",
  scores: (f) =>
    f.dotted
      ? "Anfrage und Schlüssel werden Zahl für Zahl multipliziert und die Produkte addiert. Vektoren, die in dieselbe Richtung " +
        `zeigen, bekommen einen hohen Score. „${f.query}“ gegen „${f.key}“: ${short(f.score)}.`
      : `${f.scoreSentence} „${f.query}“ gegen „${f.key}“: ${short(f.score)}.`,
  scale: (f) =>
    `Eine Summe von ${f.dk} Produkten wächst mit der Zahl ihrer Summanden. Durch die Wurzel aus ${f.dk} geteilt, ` +
    `${digits(1 / f.scale, 3)}, kommt sie auf eine Größe zurück, bei der Softmax noch auf alle Schlüssel hört.`,
  factor: (f) =>
    "Ein Kosinus verlässt nie den Bereich von −1 bis 1, zu wenig für eine scharfe Wahl. Darum hat das Modell einen Faktor " +
    `gelernt: ${digits(f.scale, 3)}.`,
  mask: (f) => covering(f),
  softmax: (f) =>
    `${(SHARES[f.alignment] ?? SHARES.soft)(f)} Der größte, ${f.amount(f.bestWeight, 4)}, geht an „${f.best}“.`,
  values: (f) =>
    `Jeder Wert wird mit seinem Anteil multipliziert, und alle werden addiert. ${f.amount(f.bestWeight, 2)} dessen, was ` +
    `„${f.query}“ nimmt, kommt von „${f.best}“.`,
  concat: (f) =>
    `${f.heads} ${f.heads === 1 ? "Kopf hat" : "Köpfe haben je"} ${f.dv} Zahlen geschrieben. Nebeneinander sind es ` +
    `${f.heads * f.dv} Zahlen, und noch eine gelernte Matrix, W_O, mischt sie zu ${f.width}.`,
  norm: (f) =>
    NORM[/** @type {keyof typeof NORM} */ (f.wiring)]
      ? NORM[/** @type {keyof typeof NORM} */ (f.wiring)](f)
      : NORM.post(f),
  ffn: (f) =>
    `Hier schaut kein Wort auf ein anderes. Jeder Platz geht allein durch zwei Schichten mit ${f.inner} Einheiten dazwischen; ` +
    `${f.activation === "relu" ? "negative Summen werden auf null gesetzt" : `${f.activation} macht negative Summen klein`}. Bei „${f.query}“ liegen ${f.active} von ${f.inner} Einheiten über null.`,
  output: (f) =>
    "Der letzte Zustand an diesem Platz wird mit einem Vektor für jedes Wortstück des Vokabulars verglichen, und Softmax macht " +
    `daraus Wahrscheinlichkeiten. Nach „${f.reads}“ ist das wahrscheinlichste nächste Wortstück „${f.candidate}“ mit ` +
    `${f.amount(f.probability, 3)}.`,
};

/** Was verdeckt ist, und warum. @param {Facts} f */
function covering(f) {
  if (f.masked && f.causal)
    return (
      `Ein Wort darf nicht auf Wörter schauen, die noch nicht ${f.querySide === "source" ? "gelesen" : "geschrieben"} sind. ` +
      `„${f.query}“ darf ${f.allowed} von ${f.keys} Plätzen sehen; der Rest ist verdeckt.`
    );
  if (f.masked)
    return (
      `„${f.query}“ darf ${f.allowed} von ${f.keys} Plätzen sehen${f.window ? ", die in seinem Fenster" : ""}; der Rest ist ` +
      "verdeckt."
    );
  if (f.reach !== null)
    return (
      `Eine Anfrage sieht ${f.reach} Plätze nach jeder Seite von ${digits(f.centre, 2)}. Dieser Satz ist zu kurz, als dass ` +
      "dabei etwas wegfiele; in einem längeren wird verdeckt, was weiter weg ist."
    );
  const why = f.cross
    ? "Der gelesene Satz ist vom ersten bis zum letzten Wort bekannt"
    : "Ein Encoder hat den ganzen Satz vor sich";
  return `Hier ist nichts verdeckt: ${why}. Die kausale Maske ist für Selbstaufmerksamkeit, die schreibt.`;
}

const SOFTMAX =
  "Von jedem Score wird der größte abgezogen; das ändert keinen Anteil, hält aber die Potenzen klein genug für einen Computer. " +
  "Dann wird jede Differenz zum Exponenten von e, und die Potenzen werden durch ihre Summe geteilt.";

/** Von Scores zu Anteilen, nach dem Namen der Zuordnung. @type {Record<string, (f: Facts) => string>} */
const SHARES = {
  soft: (f) =>
    `${SOFTMAX} Die ${f.allowed} Anteile von „${f.query}“ ergeben zusammen ` +
    `${f.amount(f.rowSum, 4)}` +
    (f.blank === null ? "" : `; die übrigen ${f.amount(f.blank, 4)} gehen an einen Platz, der für nichts steht`) +
    ".",
  "local-p": (f) =>
    `${SOFTMAX} Dann macht eine Glocke um Platz ${digits(f.centre, 2)}, wo die Anfrage ihr Wort erwartet, ferne Schlüssel ` +
    `leichter. Danach wird nicht mehr geteilt; darum ergeben die ${f.allowed} Anteile nur ${f.amount(f.rowSum, 4)}.`,
  hard: (f) =>
    `Der Schlüssel mit dem höchsten Score nimmt alles: Diese Zeile ergibt ${f.amount(f.rowSum, 4)} mit einem einzigen Platz.`,
  diagonal: (f) =>
    "Kein Score wird gefragt: Die Anteile sind ein fester Buckel, der mit der Anfrage mitwandert. Zusammen ergeben sie " +
    `${f.amount(f.rowSum, 4)}.`,
  "top-k": (f) =>
    `Nur die Schlüssel mit den höchsten Scores bleiben. ${SOFTMAX} Diese Zeile ergibt ${f.amount(f.rowSum, 4)}.`,
  sparsemax: (f) =>
    "Von jedem Score wird dieselbe Zahl abgezogen, und was unter 0 fällt, wird 0. Die Zahl ist so gewählt, dass die Zeile 1 " +
    `ergibt: ${f.amount(f.rowSum, 4)}.`,
  sigmoid: (f) =>
    "Jeder Schlüssel wird für sich gewichtet, zwischen 0 und 1, was immer die anderen bekommen. Diese Zeile ergibt " +
    `${f.amount(f.rowSum, 4)}.`,
  reinforced: (f) =>
    "Im Training wurde ein Schlüssel gezogen, und Ziehungen, die gut ausgingen, wurden wahrscheinlicher gemacht. Jetzt nimmt " +
    `der Schlüssel mit dem höchsten Score alles: Diese Zeile ergibt ${f.amount(f.rowSum, 4)} mit einem einzigen Platz.`,
  "reinforced-subset": (f) =>
    "Für jeden Schlüssel, dessen Score über einer gelernten Schwelle liegt, öffnet sich ein Gate, und nur diese werden " +
    `gesehen. ${SOFTMAX} Diese Zeile ergibt ${f.amount(f.rowSum, 4)}.`,
};

const NORM = {
  /** @param {Facts} f */
  post: (f) =>
    "Was hereinkam, wird zu dem addiert, was die Aufmerksamkeit daraus gemacht hat, damit nichts verloren geht. Dann werden die " +
    `${f.width} Zahlen jedes Platzes auf Mittelwert 0 und Varianz 1 gebracht, und zwei gelernte Vektoren strecken und ` +
    "verschieben sie.",
  /** @param {Facts} f */
  pre: (f) =>
    `In diesem Modell kommt die Norm vor der Aufmerksamkeit: Die ${f.width} Zahlen jedes Platzes wurden zuerst auf Mittelwert ` +
    "0 und Varianz 1 gebracht, und zwei gelernte Vektoren haben sie gestreckt und verschoben. Was die Aufmerksamkeit daraus gemacht hat, wird dann zu dem addiert, was hereinkam.",
  residual: () =>
    "Was hereinkam, wird zu dem addiert, was die Aufmerksamkeit daraus gemacht hat. Dieses Modell hat keine Norm.",
  plain: () =>
    "Was die Aufmerksamkeit gemacht hat, tritt an die Stelle dessen, was hereinkam. Dieses Modell hat keine Residualverbindung.",
};

/** @type {typeof import("page/words/en/steps").SCORE_SENTENCE} */
export const SCORE_SENTENCE = {
  additive:
    "Anfrage und Schlüssel gehen je durch eine gelernte Matrix, beide werden addiert, von tanh zusammengedrückt, und ein " +
    "gelernter Vektor macht aus dem Ergebnis eine Zahl.",
  concat:
    "Anfrage und Schlüssel stehen nebeneinander, gehen durch eine gelernte Matrix und tanh, und ein gelernter Vektor macht aus " +
    "dem Ergebnis eine Zahl.",
  general:
    "Eine gelernte Matrix übersetzt die Anfrage in die Sprache des Schlüssels; dann werden die beiden multipliziert.",
  "biased-general":
    "Eine gelernte Matrix und ein Bias übersetzen die Anfrage in die Sprache des Schlüssels; dann werden die beiden multipliziert.",
  "activated-general":
    "Das Produkt durch eine gelernte Matrix wird von tanh zusammengedrückt; darum verlässt kein Score den Bereich von −1 bis 1.",
  cosine: "Nur Richtungen zählen: Das Produkt wird durch beide Längen geteilt.",
  location: "Die Anfrage allein sagt, welchen Platz sie will; die Schlüssel werden nicht gefragt.",
};

export const UNKNOWN_SCORE = "Eine gelernte Funktion macht aus Anfrage und Schlüssel eine Zahl.";

/** @type {typeof import("page/words/en/steps").MISSING} */
export const MISSING = {
  embedding: "die Vektoren seiner Wortstücke sind hier nicht aufgezeichnet",
  position:
    "keine Position wird addiert: Dieses System kennt die Reihenfolge, weil es ein Wortstück nach dem anderen liest",
  positionLearned: "zu den Vektoren wird keine Position addiert",
  qkv: "es werden keine eigenen Anfragen, Schlüssel und Werte gemacht: Die Zustände selbst werden verglichen",
  memory: "was mitgenommen wird, ist hier nicht aufgezeichnet",
  scores: "dieses Modell hat keine Aufmerksamkeit",
  states: "die Vektoren, die es vergleicht, sind hier nicht aufgezeichnet",
  told: "seine Zahlen sind hier nicht aufgezeichnet",
  apart: "die Köpfe bleiben nebeneinander, und keine Matrix mischt sie hier",
  scale: "die Scores werden benutzt, wie sie sind, nicht geteilt",
  mask: "hier ist nie etwas verdeckt",
  softmax: "dieses Modell hat keine Aufmerksamkeit",
  values: "dieses Modell hat keine Aufmerksamkeit",
  concat: "ein einzelner Kopf hat niemanden, mit dem er verbunden werden könnte",
  norm: "dieses System addiert und normiert hier nichts",
  ffn: "dieses System hat hier keine Feed-forward-Schicht",
  output: "hier ist kein Ausgabeschritt aufgezeichnet",
};

/** @type {typeof import("page/words/en/steps").SAY} */
export const SAY = {
  kind: "Aufmerksamkeit",
  kinds: {
    enc: "Encoder schaut auf sich selbst",
    dec: "Decoder schaut auf sich selbst",
    cross: "Decoder schaut auf die Quelle",
  },
  layer: "Schicht",
  head: "Kopf",
  query: "Anfrage",
  key: "Schlüssel",
  dimension: "Dimension",
  analogy: "Erzähle es als",
  later: "Die Zahlen für diesen Text sind noch nicht hier.",
  steps: "Schritte",
  step: (at, all, title) => `Schritt ${at} von ${all}: ${title}`,
  back: "Zurück",
  next: "Weiter",
  of: (name, shape) => `${name} ${shape}`,
  beforeAfter: (query) => `Der Vektor von „${query}“, Zahl für Zahl`,
  change: (query, times, cosine) =>
    `Was dazukommt, ist ${times}-mal so lang wie das, was „${query}“ hatte. Vorher und nachher zeigen zu ${cosine} in ` +
    "dieselbe Richtung, 100 % wäre gar keine Drehung: Eine Schicht ändert einen Vektor, sie ersetzt ihn nicht.",
  outlier: (number, value, times) =>
    `Eine Zahl sticht hervor: Zahl ${number} der Summe ist ${value}, das ${times}-Fache der Streuung aller. Trainierte ` +
    "Modelle behalten oft ein paar solche Zahlen; eine Norm teilt durch die Streuung, die durch sie groß wird.",
  moments: ["Mittelwert", "Streuung (Standardabweichung)", "Länge"],
  folded: "Die Formel, und eine Zelle in Ziffern",
  cell: "Eine Zelle in Ziffern",
  pieceNumber: (id) => `Wortstück Nummer ${id}`,
  perPiece: "Zahlen je Wortstück",
  causal: (k, q) => (k <= q ? `weil Platz ${k} nicht nach Platz ${q} kommt` : `weil Platz ${k} nach Platz ${q} kommt`),
  near: (k, centre, reach, seen) =>
    `weil Platz ${k} von ${digits(centre, 2)} um ${digits(Math.abs(k - centre), 2)} entfernt ist, ` +
    `${seen ? "nicht mehr" : "mehr"} als ${reach}`,
  allowed: "weil dieser Platz gesehen werden darf",
  covered: "weil dieser Platz nicht gesehen werden darf",
  exact: "In dieser Seite zusammengezählt. Es sind die Zahlen des Modells selbst.",
  powers: "Summe der Potenzen",
  rest: (count) => `${count} weitere Summanden`,
  lighter: (count) => `${count} leichtere Summanden`,
  agrees: (error) => `In dieser Seite zusammengezählt. Die Zahlen des Modells selbst weichen um höchstens ${error} ab.`,
  disagrees: (here, there) =>
    `Die Summe der Seite ist ${here}, die Zahl des Modells ${there}: Etwas ist hier nicht aufgezeichnet.`,
  skipped: "Schritte, die nicht hier sind, und warum",
  tensors: "Tensoren dieses Schritts",
  code: "Im Code",
  askDetail: "Die Zahlen dieses Schritts sind unterwegs …",
  noDetail: (details, model, sentence) =>
    "Diese Datei enthält die Zahlen dieses Schritts nicht. Eine Datei mit allen Schritten dieser Schicht: saccade " +
    `explore ${model} --sentence ${JSON.stringify(sentence)} ` +
    `${details.map((/** @type {string} */ detail) => `--detail ${detail}`).join(" ")} --export page.html`,
  noAttention:
    "Dieses Modell hat keine Aufmerksamkeit: Sein Decoder bekommt stattdessen einen Speicher fester Größe. Dies sind die " +
    "Schritte, die es hat.",
  noTrace: "Schreibe einen Satz und übersetze ihn: Die Schritte werden aus deinen eigenen Wörtern berechnet.",
  read: (read, predicted) => `liest „${read}“ → sagt „${predicted}“ vorher`,
  above: "Das geschieht einmal, weit über diesem Kopf: am Ende der letzten Decoderschicht.",
  layerInput: (layer) =>
    `Schicht ${layer} liest, was Schicht ${layer - 1} geschrieben hat. Das Embedding liegt darunter, bei Schicht 1.`,
  table: (name, rows, columns) => `${name}, ${rows} mal ${columns}`,
};

/** @type {typeof import("page/words/en/steps").FURTHER} */
export const FURTHER = {
  tokens: "Die ganze Übersetzung, Wort für Wort",
  position: "Die Wellen aller Positionen",
  memory: "Was andere Systeme mitnehmen",
  softmax: "Die Gewichte dieses Kopfes, groß",
  concat: "Alle Köpfe aller Schichten",
  norm: "Was Normen mit diesen Zahlen tun",
  output: "Alle Fortsetzungen, die die Suche probiert hat",
};
