/** Was man über diese Schritte so sagt und Zahlen prüfen können, in eigenen Worten, und was die Zahlen antworten. */
import { digits, short } from "page/numbers/numbers";

/** @param {{name: string, covered: number, cells: number}} kind */
const covered = (kind) => `${kind.name}, ${kind.covered} von ${kind.cells} Zellen verdeckt`;

export const CHECK = "Prüfe diese Behauptung";

/** @type {typeof import("page/words/en/steps-claims").CLAIMS} */
export const CLAIMS = {
  norms: {
    claim: "Embeddings werden mit √d_model multipliziert, weil ihre Länge sonst neben der Position verloren ginge.",
    answer: (n) =>
      `Das Paper nennt keinen Grund; also hier die Längen. Vorher: ${digits(n.before, 2)} im Mittel; nach × ` +
      `${digits(n.scale, 2)}: ${digits(n.after, 2)}. Die Positionsvektoren haben ${digits(n.position, 2)}. Ohne den Faktor ` +
      `wäre ein Wortstück ${digits(n.before / n.position, 2)}-mal so lang wie sein Platz, mit ihm ` +
      `${digits(n.after / n.position, 2)}-mal.`,
  },
  options: {
    claim: "d_k ist die Zahl der Dinge, zwischen denen man wählen kann.",
    answer: (n) =>
      `Nein: d_k ist, wie viele Zahlen eine Anfrage oder ein Schlüssel hat, ${n.dk} in diesem Kopf. Wählen kann man zwischen ` +
      `den Schlüsseln, ${n.keys} in diesem Satz. Ein längerer Satz ändert die zweite Zahl und lässt die erste, wie sie ist.`,
  },
  overflow: {
    claim: "Ohne √d_k würden die Exponentialfunktionen überlaufen.",
    answer: (n) =>
      `Der größte ungeteilte Score in diesem Kopf ist ${short(n.largest)}. Eine 32-Bit-Zahl fasst e hoch höchstens ` +
      `${digits(n.bound, 1)}, aber das rechnet niemand: Zuerst wird der größte Score der Zeile abgezogen, also ist die größte ` +
      "Potenz e^0 = 1, mit der Wurzel wie ohne sie. Was sich ändert, ist, wie sehr ein Score ein Gewicht noch bewegen kann: " +
      `bestenfalls ${digits(n.slopeScaled, 4)} in dieser Zeile mit der Wurzel, ${digits(n.slopeRaw, 4)} ohne. Nahe null wird ` +
      "nichts mehr gelernt. Das ist der Grund, den das Paper nennt.",
  },
  proportion: {
    claim: "Softmax rechnet Scores einfach in Prozente ihrer Summe um.",
    answer: () =>
      "Nein: Er vergleicht Potenzen von e. Differenzen zählen, nicht Verhältnisse. Nimm die sechs Scores unten. Als Anteil an " +
      "ihrer Summe bekommt der stärkste weniger als ein Drittel; durch Softmax bekommt er alles. Vorher durch eine Wurzel " +
      "geteilt, kommen die anderen zurück.",
  },
  causal: {
    claim: "Alle Aufmerksamkeit des Decoders ist maskiert.",
    answer: (n) =>
      n.kinds.length
        ? "Hier gezählt: " +
          `${n.kinds.map(covered).join("; ")}. ` +
          (n.kinds.some((/** @type {any} */ kind) => kind.kind === "enc" && kind.covered)
            ? "Dieses System liest Wort für Wort; darum verdeckt auch sein Encoder, was er noch nicht gelesen hat."
            : "Nur die Selbstaufmerksamkeit des Decoders muss Wörter verdecken, die noch nicht geschrieben sind.")
        : "Dieses Modell hat keine Aufmerksamkeit, die man zählen könnte.",
  },
};

/** @type {typeof import("page/words/en/steps-claims").PROPORTION} */
export const PROPORTION = {
  score: "Score",
  share: "Anteil an der Summe",
  softmax: "Softmax",
  six: "Softmax von ÷ √6",
  sixtyfour: "Softmax von ÷ √64",
};

/** @type {typeof import("page/words/en/steps-claims").KIND_NAMES} */
export const KIND_NAMES = {
  enc: "Selbstaufmerksamkeit des Encoders",
  dec: "Selbstaufmerksamkeit des Decoders",
  cross: "Aufmerksamkeit auf die Quelle",
};
